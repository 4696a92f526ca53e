/* A limit on the size of files: the program is neither killed nor changed, and the loss is said if there is one.
 *
 * variants: small none later cut tight head
 * shell(small): ulimit -f 1; exec "$@"
 * shell(none): ulimit -f 0; exec "$@"
 * shell(tight): ulimit -f 64; exec "$@"
 * shell(head): ulimit -f 8; exec "$@"
 * files: 0..1
 * files(later): 1
 * files(tight): 1
 * files(head): 1
 * note(head): disk_full 1
 * after(head): "$APROF" report amon.out | grep -q 'the disk refused space'
 * state(cut): ended running
 * note(cut): truncated 0..1
 * output: done
 * expect(!cut !head): 1 0 main
 * expect(!cut !head): 1000 0 main f
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
