/* heaviest.c - the ten heaviest routines of a profile, as `aprof report` has them, and its ten heaviest contexts, the callee first.
 *
 *     cc heaviest.c $(pkg-config --cflags --libs libaprof) && ./a.out amon.out */
#include <aprof/profile.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const uint64_t *self;			/* of each node of the tree */

static int heavier(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return self[a] == self[b] ? (a > b) - (a < b) : self[a] < self[b] ? 1 : -1;
}

int main(int argc, char **argv)
{
	struct aprof_error *error = NULL;
	struct aprof_profile *profile = aprof_open(argc > 1 ? argv[1] : "amon.out", NULL, &error);
	const struct aprof_table *routines = profile ? aprof_profile_table(profile, "routines", &error) : NULL;
	const struct aprof_table *tree = routines ? aprof_profile_table(profile, "tree", &error) : NULL;
	size_t rows = tree ? aprof_table_rows(tree) : 0;
	uint32_t *order = calloc(rows + 1, sizeof *order);

	for (size_t i = 0; routines && i < 10 && i < aprof_table_rows(routines) && aprof_flags(routines, "listed")[i]; i++)
		printf("%" PRIu64 "\t%s\n", aprof_integers(routines, "self")[i], aprof_texts(routines, "name")[i]);
	for (uint32_t i = 0; tree && order && i < rows; i++)
		order[i] = i;
	if (tree && order && (self = aprof_integers(tree, "self")))
		qsort(order, rows, sizeof *order, heavier);
	for (size_t i = 0; order && i < rows && i < 10; i++) {
		printf("%" PRIu64, self[order[i]]);
		for (uint32_t n = order[i], r; (r = aprof_indices(tree, "routine")[n]) != APROF_NONE; n = aprof_indices(tree, "parent")[n])
			printf("\t%s", aprof_texts(routines, "name")[r]);
		putchar('\n');
	}
	if (error)
		fprintf(stderr, "%s\n", aprof_error_text(error));
	aprof_error_free(error);
	aprof_profile_free(profile);
	free(order);
	return routines ? 0 : 1;
}
