/* 50 children, one after another, half of them ending by _exit; each has its file.
 *
 * expect: 1 0 main
 * expect: 500 0 main child
 * expect: 250 0 main grandchild
 * state: ended running
 * files: 76
 * report: 500 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trap.h"

HOOKED void child(void) { KEEP(); }
HOOKED void grandchild(void) { KEEP(); }

int main(void)
{
	for (int i = 0; i < 50; i++) {
		if (fork() == 0) {
			for (int k = 0; k < 10; k++)
				child();
			if (i % 2)
				_exit(0);
			if (fork() == 0)
				for (int k = 0; k < 10; k++)
					grandchild();
			else
				wait(NULL);
			exit(0);
		}
		wait(NULL);
	}
	return 0;
}
