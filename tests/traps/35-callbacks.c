/* Plain code calls back into hooked code: the caller is the nearest hooked one, or nobody.
 *
 * plain: plain.o -c -DPLAIN
 * link: plain.o
 * flags: -pthread
 * expect: 1 0 main
 * expect: 1 0 main sort
 * expect: 1..100 0 main sort compare
 * expect: 1 0 main once
 * expect: 5 0 main twice
 * expect: 10 0 main twice called_back
 * expect: 1 0 start
 * expect: 1 0 start called_back
 * expect: 1 0 before_main */
#include "trap.h"

#ifdef PLAIN
void through(void (*f)(void));
void through(void (*f)(void)) { f(); f(); }
#else
#include <pthread.h>
#include <stdlib.h>

void through(void (*f)(void));

HOOKED int compare(const void *a, const void *b) { KEEP(); return *(const int *)a - *(const int *)b; }
HOOKED void sort(void) { int a[10] = { 5, 3, 9, 1, 7, 2, 8, 4, 6, 0 }; qsort(a, 10, sizeof *a, compare); KEEP(); }
HOOKED void called_back(void) { KEEP(); }
HOOKED void twice(void) { through(called_back); KEEP(); }
HOOKED void once(void) { KEEP(); }
HOOKED void *start(void *unused) { called_back(); return unused; }
HOOKED __attribute__((constructor)) void before_main(void) { KEEP(); }

int main(void)
{
	static pthread_once_t control = PTHREAD_ONCE_INIT;
	pthread_t t;

	sort();
	for (int i = 0; i < 5; i++)
		twice();
	pthread_once(&control, once);
	pthread_create(&t, NULL, start, NULL);
	pthread_join(t, NULL);
	return 0;
}
#endif
