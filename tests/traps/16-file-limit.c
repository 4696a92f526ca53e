/* A limit on the size of files: the program is neither killed nor changed, and the loss is said if there is one.
 *
 * variants: small none later cut
 * shell(small): ulimit -f 1; exec "$@"
 * shell(none): ulimit -f 0; exec "$@"
 * files: 0..1
 * files(later): 1
 * state(cut): ended running
 * note(cut): truncated 0..1
 * output: done
 * expect(!cut): 1 0 main
 * expect(!cut): 1000 0 main f
 * expect(later): 999 0 main f later
 * note: copied 0..1
 * note: no_file 0..1 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "trap.h"

static int is_limited;

HOOKED void later(void) { KEEP(); }
HOOKED void f(void) { if (is_limited) later(); KEEP(); }

int main(int argc, char **argv)
{
	struct rlimit none = { 0, 0 };
	const char *how = argv[argc - 1];

	if (!strcmp(how, "later") || !strcmp(how, "cut")) {
		f();
		setrlimit(RLIMIT_FSIZE, &none);
		if (!strcmp(how, "cut"))
			truncate("amon.out", 0);
		is_limited = 1;
	}
	for (int i = is_limited; i < 1000; i++)
		f();
	return write(1, "done\n", 5) != 5;
}
