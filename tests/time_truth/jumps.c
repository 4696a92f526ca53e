/* jumps.c - plain code that receives longjmp: on its own stack, and between two. */
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <ucontext.h>

#include "tests/time_truth/pieces.h"
#include "tests/time_truth/truth.h"

static __thread sigjmp_buf caught;
static __thread ucontext_t context;
static __thread volatile bool back;		/* whether CONTEXT was set, or only got */

/* What a receiver in NODE does. */
static void work_behind(int node, long count, void (*after)(void))
{
	truth_caught(node);
	spin(count);
	if (after)
		after();
}

void catch_jump(void (*called)(void), long count, void (*after)(void))
{
	int node = truth_node();

	if (!setjmp(caught))
		called();
	work_behind(node, count, after);
}

void leave_by_jump(void)
{
	truth_throwing();
	longjmp(caught, 1);
}

static void on_signal(int signal)
{
	(void)signal;
	siglongjmp(caught, 1);
}

void catch_signal(void (*called)(void), long count, void (*after)(void))
{
	int node = truth_node();

	signal(SIGUSR2, on_signal);
	if (!sigsetjmp(caught, 1))
		called();
	work_behind(node, count, after);
}

void leave_by_signal(void)
{
	truth_throwing();
	raise(SIGUSR2);
}

void catch_context(void (*called)(void), long count, void (*after)(void))
{
	int node = truth_node();

	back = false;
	getcontext(&context);
	if (!back)
		called();
	work_behind(node, count, after);
}

void leave_by_context(void)
{
	truth_throwing();
	back = true;
	setcontext(&context);
}

/* ---- coroutines ---- */

enum { STACK = 1 << 16 };

static __thread struct coroutine {
	char *stack;			/* NULL: not begun */
	enum switch_kind kind;
	ucontext_t into, out;		/* of a switch by context, and INTO of the first by any */
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

/* Its stack, and where it begins. */
static void coroutine_make(struct coroutine *own, enum switch_kind kind, void (*body)(void))
{
	own->kind = kind;
	own->body = body;
	own->stack = malloc(STACK);
	getcontext(&own->into);
	own->into.uc_stack.ss_sp = own->stack;
	own->into.uc_stack.ss_size = STACK;
	makecontext(&own->into, coroutine_begin, 0);
}

void resume(int coroutine, enum switch_kind kind, void (*body)(void), long count)
{
	struct coroutine *own = &coroutines[coroutine];
	bool first = !own->stack;
	int node = truth_node();

	running = coroutine;
	if (first)
		coroutine_make(own, kind, body);
	truth_switch(own->node);
	if (kind == SWITCH_CONTEXT)
		swapcontext(&own->out, &own->into);
	else if (!_setjmp(own->outside)) {
		if (first)
			setcontext(&own->into);
		_longjmp(own->inside, 1);
	}
	truth_switch(node);
	spin(count);
}

void give_back(void)
{
	struct coroutine *own = &coroutines[running];

	own->node = truth_node();
	if (own->kind == SWITCH_CONTEXT)
		swapcontext(&own->into, &own->out);
	else if (!_setjmp(own->inside))
		_longjmp(own->outside, 1);
}
