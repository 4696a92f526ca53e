/* The kinds of longjmp, by code with hooks and without, in the program and out of a handler of a signal, into a library without hooks; then
 * libc calls back, from deeper than the frames that are dead.
 *
 * plain: libplain.so -fPIC -shared -DPLAIN
 * link: -L. -lplain -Wl,-rpath,$ORIGIN
 * variants: longjmp _longjmp siglongjmp own raised own-raised
 * expect: 1 0 main
 * expect: 100 0 main called
 * expect: 100 0 main called deeper
 * expect(own): 100 0 main called deeper jump
 * expect(raised): 100 0 main called deeper jump
 * expect(own-raised): 100 0 main called deeper jump
 * expect(own-raised): 100 0 handler
 * expect: 300 0 main compare
 * expect: 300 0 main compare leaf
 * expect: 100 0 main work */
#include "trap.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>

extern sigjmp_buf here;
void guarded(const char *how, void (*f)(const char *), int (*compare)(const void *, const void *));
void leave(const char *how);

#ifdef PLAIN
#include <search.h>
#include <stdlib.h>

sigjmp_buf here;

void leave(const char *how)
{
	if (!strcmp(how, "_longjmp"))
		_longjmp(here, 1);
	else if (!strcmp(how, "siglongjmp"))
		siglongjmp(here, 1);
	else
		longjmp(here, 1);
}

static void call_back(int (*compare)(const void *, const void *))
{
	int numbers[2] = { 2, 1 };
	size_t n = 1;

	qsort(numbers, 2, sizeof *numbers, compare);
	bsearch(numbers, numbers, 1, sizeof *numbers, compare);
	lfind(numbers, numbers, &n, sizeof *numbers, compare);
}

void guarded(const char *how, void (*f)(const char *), int (*compare)(const void *, const void *))
{
	if (strcmp(how, "_longjmp") ? sigsetjmp(here, 1) : _setjmp(here))
		call_back(compare);
	else
		f(how);
}
#else
HOOKED void leaf(void) { KEEP(); }
HOOKED int compare(const void *a, const void *b) { leaf(); KEEP(); return *(const int *)a - *(const int *)b; }
HOOKED void work(void) { KEEP(); }
HOOKED void handler(int sig) { (void)sig; siglongjmp(here, 1); }
UNHOOKED static void plain_handler(int sig) { (void)sig; leave("siglongjmp"); }
HOOKED void jump(const char *how)
{
	if (!strcmp(how, "own"))
		siglongjmp(here, 1);
	raise(SIGUSR1);
	KEEP();
}
HOOKED void deeper(const char *how)
{
	if (!strcmp(how, "own") || strstr(how, "raised"))
		jump(how);
	leave(how);
	KEEP();
}
HOOKED void called(const char *how) { deeper(how); KEEP(); }

int main(int argc, char **argv)
{
	signal(SIGUSR1, argc > 1 && !strcmp(argv[1], "own-raised") ? handler : plain_handler);
	for (int i = 0; i < 100; i++) {
		guarded(argv[1], called, compare);
		work();
	}
	return 0;
}
#endif
