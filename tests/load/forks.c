/* Forks, one after another: each child's calls are in a place of its own, in files that they share.
 *
 * small: 100
 * full: 2000
 * told: yes
 * note: fork 1.. */
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
