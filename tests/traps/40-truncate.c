/* Somebody truncates, deletes or replaces the file under the running program: it does not notice.
 *
 * variants: truncate delete replace
 * output: 4000
 * files: 0..1
 * note: truncated 0..1
 * expect(delete): 0.. 0.. main
 * state: ended running
 * after(truncate): "$APROF" info amon.out | grep -q "somebody cut" */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "trap.h"

static int calls;

HOOKED void f(void) { calls++; KEEP(); }
HOOKED void g(void) { f(); calls++; KEEP(); }

int main(int argc, char **argv)
{
	const char *how = argv[argc - 1];

	for (int i = 0; i < 1000; i++)
		f();
	if (!strcmp(how, "truncate"))
		truncate("amon.out", 0);
	if (!strcmp(how, "delete"))
		unlink("amon.out");
	if (!strcmp(how, "replace") && rename("amon.out", "old") == 0)
		close(open("amon.out", O_CREAT | O_WRONLY, 0600));
	for (int i = 0; i < 1500; i++)
		g();
	printf("%d\n", calls);
	return 0;
}
