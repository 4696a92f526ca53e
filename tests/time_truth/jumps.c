/* jumps.c - plain code that receives longjmp: on its own stack, and between two. */
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>

#include "tests/time_truth/pieces.h"
#include "tests/time_truth/truth.h"

static __thread jmp_buf caught;

void catch_jump(void (*called)(void), long count, void (*after)(void))
{
	int node = truth_node();

	if (!setjmp(caught))
		called();
	else
		truth_caught(node);
	spin(count);
	if (after)
		after();
}

void leave_by_jump(void)
{
	truth_throwing();
	longjmp(caught, 1);
}

/* ---- coroutines ---- */

enum { STACK = 1 << 16 };

static __thread struct coroutine {
	char *stack;			/* NULL: not begun */
	ucontext_t first;
	jmp_buf inside, outside;
	int node;			/* where it was left; 0: nobody called it */
	void (*body)(void);
} coroutines[2];
static __thread int running;

static void coroutine_begin(void)
{
	coroutines[running].body();
	abort();
}

void resume(int coroutine, void (*body)(void), long count)
{
	struct coroutine *own = &coroutines[coroutine];
	int node = truth_node();

	running = coroutine;
	if (!_setjmp(own->outside)) {
		truth_switch(own->node);
		if (own->stack)
			_longjmp(own->inside, 1);
		own->body = body;
		own->stack = malloc(STACK);
		getcontext(&own->first);
		own->first.uc_stack.ss_sp = own->stack;
		own->first.uc_stack.ss_size = STACK;
		makecontext(&own->first, coroutine_begin, 0);
		setcontext(&own->first);
	}
	truth_switch(node);
	spin(count);
}

void give_back(void)
{
	struct coroutine *own = &coroutines[running];

	own->node = truth_node();
	if (!_setjmp(own->inside))
		_longjmp(own->outside, 1);
}
