/* machine.c - a bytecode machine of a hundred lines, known to aprof: the calls marked with (aprof) are all that it takes.
 *
 * Its program computes fib(20) and raises an error in the end, which it catches. */
#include <stdio.h>
#include <stdlib.h>

#include <aprof.h>

enum op { PUSH, ARG, ADD, SUB, LESS, JUMP_IF_NOT, CALL, TRY, RAISE, PRINT, DROP, RETURN };

struct instruction { enum op op; long operand; };

struct routine {
	const char *name;
	int line;				/* of the source that it was compiled from */
	const struct instruction *code;
	aprof_routine known;			/* as aprof calls it; 0 before it is needed */
};

struct frame { struct routine *routine; int at; long argument; };

static const struct instruction fib[] = {
	{ ARG, 0 }, { PUSH, 2 }, { LESS, 0 }, { JUMP_IF_NOT, 6 }, { ARG, 0 }, { RETURN, 0 },
	{ ARG, 0 }, { PUSH, 1 }, { SUB, 0 }, { CALL, 1 }, { ARG, 0 }, { PUSH, 2 }, { SUB, 0 }, { CALL, 1 }, { ADD, 0 }, { RETURN, 0 },
};
static const struct instruction fail[] = {
	{ ARG, 0 }, { JUMP_IF_NOT, 6 }, { ARG, 0 }, { PUSH, 1 }, { SUB, 0 }, { CALL, 2 }, { RAISE, 0 },
};
static const struct instruction start[] = {
	{ PUSH, 20 }, { CALL, 1 }, { PRINT, 0 }, { PUSH, 5 }, { TRY, 2 }, { DROP, 0 }, { PUSH, 1 }, { CALL, 1 }, { RETURN, 0 },
};

static struct routine routines[] = { { "start", 1, start, 0 }, { "fib", 8, fib, 0 }, { "fail", 15, fail, 0 } };

static struct frame frames[1000];
static long stack[1000], *top = stack;
static int depth;				/* frames in use */
static unsigned long executed;			/* instructions not told yet */

static void tell(void)
{
	aprof_add(executed);			/* (aprof) the clock: they belong to the routine that is open */
	executed = 0;
}

/* R as aprof knows it; it is about to be called. */
static aprof_routine call(struct routine *r, long argument)
{
	if (!r->known)
		r->known = aprof_define("machine", r->name, "machine.src", r->line);	/* (aprof) */
	tell();
	frames[depth++] = (struct frame){ r, 0, argument };
	return r->known;
}

/* Run R until it returns.  0, or 1: an error was raised. */
static int run(struct routine *r, long argument)
{
	int base = depth;

	aprof_enter(call(r, argument));				/* (aprof) */
	while (depth > base) {
		struct frame *f = &frames[depth - 1];
		struct instruction i = f->routine->code[f->at++];
		int here = depth;

		executed++;
		switch (i.op) {
		case PUSH: *++top = i.operand; break;
		case ARG: *++top = f->argument; break;
		case ADD: top--; top[0] += top[1]; break;
		case SUB: top--; top[0] -= top[1]; break;
		case LESS: top--; top[0] = top[0] < top[1]; break;
		case JUMP_IF_NOT: f->at = *top-- ? f->at : (int)i.operand; break;
		case CALL: aprof_enter(call(&routines[i.operand], *top--)); break;	/* (aprof) */
		case RETURN: tell(); depth--; aprof_leave(); break;	/* (aprof) */
		case PRINT: printf("%ld\n", *top--); break;
		case DROP: top--; break;
		case RAISE: tell(); return 1;
		case TRY:			/* a run within the run: an error leaves the frames that it opened */
			if (run(&routines[i.operand], *top--)) {
				depth = here;
				aprof_unwind((unsigned)depth);	/* (aprof) */
				*++top = -1;
			}
		}
	}
	return 0;
}

int main(void)
{
	return run(&routines[0], 0);
}
