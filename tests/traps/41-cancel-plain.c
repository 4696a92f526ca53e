/* pthread_exit and cancellation received by code without hooks, whose handlers call what has some; and what follows them, handlers of a thread's
 * own data. The handlers run by a jump, or by landing pads (41-cancel-plain-pads.c).
 *
 * plain: libplain.so -fPIC -shared -DPLAIN -pthread
 * flags: -pthread
 * link: -L. -lplain -Wl,-rpath,$ORIGIN
 * expect: 1 0 main
 * expect: 20 0 thread
 * expect: 20 0 thread inside
 * expect: 20 0 thread inside innermost
 * expect: 10 0 thread inside innermost leaves
 * expect: 10 0 thread inside innermost waits
 * expect: 20 0 thread inside inner
 * expect: 20 0 thread inside inner deeper
 * expect: 20 0 thread outer
 * expect: 20 0 thread outer deeper
 * threads: 21 */
#include <pthread.h>
#include <unistd.h>
#include "trap.h"

void guarded(void (*f)(void *), void *how, void (*handler)(void *));
void leave(void);
void wait_for_ever(void);

#ifdef PLAIN
/* Deeper than the frames that are dead by then. */
static void far(void *handler)
{
	char volatile room[8000];

	room[1] = 0;
	(*(void (**)(void *))handler)(NULL);
	room[1] = 0;
}

static void nothing(void *unused) { (void)unused; }

void guarded(void (*f)(void *), void *how, void (*handler)(void *))
{
	pthread_cleanup_push(far, &handler);
	pthread_cleanup_push(nothing, &handler);
	f(how);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
}

void leave(void) { pthread_exit(NULL); }
void wait_for_ever(void) { for (;;) pause(); }
#else
HOOKED void deeper(void) { char volatile room[4000]; room[1] = 0; KEEP(); }
HOOKED void outer(void *unused) { (void)unused; deeper(); KEEP(); }
HOOKED void inner(void *unused) { (void)unused; deeper(); KEEP(); }
HOOKED void leaves(void) { leave(); KEEP(); }
HOOKED void waits(void) { wait_for_ever(); KEEP(); }
HOOKED void innermost(void *how) { if (how) waits(); else leaves(); KEEP(); }
HOOKED void inside(void *how) { guarded(innermost, how, inner); KEEP(); }
HOOKED void *thread(void *how) { guarded(inside, how, outer); KEEP(); return NULL; }

int main(void)
{
	pthread_t t;

	for (int i = 0; i < 20; i++) {
		pthread_create(&t, NULL, thread, i % 2 ? &t : NULL);
		if (i % 2) {
			usleep(2000);
			pthread_cancel(t);
		}
		pthread_join(t, NULL);
	}
	return 0;
}
#endif
