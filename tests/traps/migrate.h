/* migrate.h - a coroutine that one thread begins and twenty others go on with; the trap defines what they run. */
#ifndef MIGRATE_H
#define MIGRATE_H

#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>
#include "trap.h"

static ucontext_t host, coroutine;

void body(void);		/* the coroutine's */
void resume(void);		/* switches from host to it */
void *thread(void *unused);	/* of each thread: resumes once */

int main(void)
{
	pthread_t t;

	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = malloc(65536);
	coroutine.uc_stack.ss_size = 65536;
	makecontext(&coroutine, body, 0);
	resume();
	for (int i = 0; i < 20; i++) {
		pthread_create(&t, NULL, thread, NULL);
		pthread_join(t, NULL);
	}
	return 0;
}

#endif
