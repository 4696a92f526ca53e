/* Forks, one after another: each child has a profile of its own, and what it did is in it.
 *
 * small: 100
 * full: 2000
 * told: yes
 * note: fork 1..
 * note: other_name 1.. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../traps/trap.h"

HOOKED void leaf(void) { KEEP(); }
HOOKED void child(int calls) { for (int i = 0; i < calls; i++) leaf(); }

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	FILE *told = fopen("told", "w");
	long calls = 0;

	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			fclose(told);
			child(i);
			exit(0);
		}
		calls += i;
		waitpid(pid, NULL, 0);
	}
	fprintf(told, "calls: %d child\ncalls: %ld leaf\nfiles: %d\n", n, calls, n + 1);
	fclose(told);
	return 0;
}
