// solve.cpp - solves the formula in a file, and ends with status 0 when it was found to have a solution or none, as the solver's own program does not.
#include <cstdio>

#include "cadical.hpp"

int main(int argc, char **argv)
{
	CaDiCaL::Solver solver;
	int variables = 0;
	const char *trouble = argc > 1 ? solver.read_dimacs(argv[1], variables) : "a formula's file is missing";

	if (trouble) {
		fprintf(stderr, "%s\n", trouble);
		return 1;
	}
	int status = solver.solve();

	printf("%d variables: %s\n", variables, status == 10 ? "a solution" : status == 20 ? "no solution" : "not found out");
	return status != 10 && status != 20;
}
