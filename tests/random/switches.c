/* switches.c SEED MASK FUEL - a random walk over stacks: calls, coroutines that begin, go on, end and are dropped, jumps, handlers, forked children and threads,
 * as MASK allows them, and a log of what was entered and left on which stack, that tests/random/switches replays.
 *
 * Each thread has STACKS stacks, the first its own.  A record of the log is four bytes: a kind, a stack, and 16 bits:
 *
 *     e  a routine was entered          l  the last one was left        u  all but so many entries are gone
 *     b  the stack begins anew          s  the kernel calls a handler   f  a forked child begins to count
 *
 * It is written to log.PID.THREAD, at the end of the thread. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include "../traps/trap.h"

enum { STACKS = 5, SIZE = 256 << 10, DEEPEST = 14, THREADS = 3, POINTS = 4 };
enum { SWITCH = 1, RESTART = 2, LEAVE = 4, JUMP = 8, SETGET = 16, SIGNAL = 32, FORK = 64, THREAD = 128, SMALLER = 256 };
enum { MAIN, START, HANDLER, FIRST };

/* Where a jump may lead, in the frame that waits for it. */
struct point {
	struct point *outer;
	int depth;
	int set;			/* by getcontext */
	jmp_buf by_longjmp;
	ucontext_t by_setcontext;
};

/* A stack of a thread. */
struct stack {
	ucontext_t at;
	char *memory;
	int depth;			/* entries in the log that are open */
	int waits;			/* it can go on */
	struct point *points;
};

struct machine {
	struct stack stacks[STACKS];
	int now, number, fuel;
	uint32_t random;
	char *log;
	size_t n, room;
};

static unsigned mask;
static int is_child;
static __thread struct machine *machine;

UNHOOKED static unsigned draw(struct machine *m, unsigned n)
{
	m->random = m->random * 1664525 + 1013904223;
	return (m->random >> 8) % n;
}

UNHOOKED static void put(struct machine *m, char kind, int value)
{
	if (m->n == m->room)
		m->log = realloc(m->log, m->room = m->room * 2 + 4096);
	m->log[m->n++] = kind;
	m->log[m->n++] = (char)m->now;
	m->log[m->n++] = (char)(value >> 8);
	m->log[m->n++] = (char)value;
}

UNHOOKED static void enter(struct machine *m, int routine)
{
	put(m, 'e', routine);
	m->stacks[m->now].depth++;
}

UNHOOKED static void leave(struct machine *m)
{
	put(m, 'l', 0);
	m->stacks[m->now].depth--;
}

UNHOOKED static void unwind(struct machine *m, int depth)
{
	put(m, 'u', depth);
	m->stacks[m->now].depth = depth;
}

UNHOOKED static void save(struct machine *m)
{
	char name[60];
	FILE *file;

	snprintf(name, sizeof name, "log.%d.%d", (int)getpid(), m->number);
	file = fopen(name, "w");
	fwrite(m->log, 1, m->n, file);
	fclose(file);
}

UNHOOKED static void act(struct machine *m);

#define ROUTINE(name, number) HOOKED static void name(struct machine *m) { enter(m, number); act(m); leave(m); KEEP(); }
ROUTINE(one, FIRST)
ROUTINE(two, FIRST + 1)
ROUTINE(three, FIRST + 2)
ROUTINE(four, FIRST + 3)
ROUTINE(five, FIRST + 4)
static void (*const routines[])(struct machine *) = { one, two, three, four, five };

HOOKED static void handler(int signal)
{
	struct machine *m = machine;
	int depth = m->stacks[m->now].depth;

	(void)signal;
	put(m, 's', 0);
	m->stacks[m->now].depth++;
	enter(m, HANDLER);
	act(m);
	unwind(m, depth);
	KEEP();
}

/* What a coroutine does.  It ends on the thread's own stack. */
UNHOOKED static void body(void)
{
	struct machine *m = machine;

	act(m);
	m->now = 0;
	m->stacks[0].waits = 0;
}

/* Go on, on stack I; what is on this one waits, or is DROPPED. */
UNHOOKED static void go(struct machine *m, int i, int dropped)
{
	struct stack *from = &m->stacks[m->now];

	from->waits = !dropped;
	m->stacks[i].waits = 0;
	m->now = i;
	if (dropped)
		setcontext(&m->stacks[i].at);
	else
		swapcontext(&from->at, &m->stacks[i].at);
}

/* A stack other than this one that waits; -1: there is none. */
UNHOOKED static int waiting(struct machine *m)
{
	int i = (int)draw(m, STACKS);

	for (int k = 0; k < STACKS; k++, i = (i + 1) % STACKS)
		if (i != m->now && m->stacks[i].waits)
			return i;
	return -1;
}

/* Another stack than this and the first begins anew, whatever is on it; in a part of its memory if it may. */
UNHOOKED static int begun(struct machine *m)
{
	int i = 1 + (int)draw(m, STACKS - 1), was = m->now;
	struct stack *s = &m->stacks[i];
	size_t less = mask & SMALLER && draw(m, 2) ? draw(m, 4) * 8192 : 0;

	if (i == was)
		return -1;
	if (!s->memory)
		s->memory = malloc(SIZE);
	getcontext(&s->at);
	s->at.uc_stack.ss_sp = s->memory + less;
	s->at.uc_stack.ss_size = SIZE - less - (less ? draw(m, 3) * 16 : 0);
	s->at.uc_link = &m->stacks[0].at;
	makecontext(&s->at, body, 0);
	m->now = i;
	put(m, 'b', 0);
	m->now = was;
	s->depth = 0;
	s->points = NULL;
	return i;
}

/* Call a routine that may jump back to here. */
UNHOOKED static void protect(struct machine *m, int set)
{
	struct stack *s = &m->stacks[m->now];
	struct point p = { .outer = s->points, .depth = s->depth, .set = set };
	volatile int back = 0;

	s->points = &p;
	if (set)
		getcontext(&p.by_setcontext);
	else if (setjmp(p.by_longjmp))
		back = 1;
	if (back) {
		s->points = p.outer;
		unwind(m, p.depth);
		return;
	}
	back = 1;
	routines[draw(m, sizeof routines / sizeof *routines)](m);
	s->points = p.outer;
}

/* Jump to a place on this stack that waits for it, if there is one. */
UNHOOKED static void jump(struct machine *m)
{
	struct point *p = m->stacks[m->now].points;

	for (unsigned n = draw(m, POINTS); p && p->outer && n > 0; n--)
		p = p->outer;
	if (p && p->set)
		setcontext(&p->by_setcontext);
	if (p)
		longjmp(p->by_longjmp, 1);
}

UNHOOKED static void fork_child(struct machine *m)
{
	pid_t pid = fork();

	if (pid == 0) {
		is_child = 1;
		put(m, 'f', 0);
		m->fuel /= 3;
	} else {
		waitpid(pid, NULL, 0);
		m->random += 12345;
	}
}

UNHOOKED static void act(struct machine *m)
{
	int i, deep;

	while (m->fuel > 0) {
		m->fuel--;
		deep = m->stacks[m->now].depth > DEEPEST;
		switch (draw(m, 24)) {
		case 0: case 1: case 2: case 3: case 4:
			if (!deep)
				routines[draw(m, sizeof routines / sizeof *routines)](m);
			break;
		case 5: case 6: case 7:
			if (m->now == 0 ? m->stacks[0].depth > 1 : draw(m, 3) || m->stacks[0].waits)
				return;
			break;
		case 8: case 9: case 10: case 11:
			if (mask & SWITCH && (i = waiting(m)) >= 0)
				go(m, i, 0);
			break;
		case 12: case 13:
			if (mask & RESTART && (i = begun(m)) >= 0)
				go(m, i, 0);
			break;
		case 14:
			if (mask & LEAVE && m->now && (i = waiting(m)) >= 0)
				go(m, i, 1);
			break;
		case 15: case 16:
			if (mask & JUMP && !deep)
				protect(m, 0);
			break;
		case 17:
			if (mask & SETGET && !deep)
				protect(m, 1);
			break;
		case 18: case 19:
			jump(m);
			break;
		case 20: case 21:
			if (mask & SIGNAL && !deep)
				raise(SIGUSR1);
			break;
		case 22:
			if (mask & FORK && draw(m, 6) == 0)
				fork_child(m);
			break;
		}
	}
	if (m->now)
		go(m, 0, 1);
}

UNHOOKED static struct machine *made(int number, uint32_t seed, int fuel)
{
	struct machine *m = calloc(1, sizeof *m);

	m->number = number;
	m->random = seed * 2654435761u + (uint32_t)number * 977;
	m->fuel = fuel;
	return machine = m;
}

static uint32_t seed;
static int fuel;

HOOKED static void *start(void *number)
{
	struct machine *m = made((int)(intptr_t)number, seed, fuel);

	enter(m, START);
	act(m);
	leave(m);
	save(m);
	KEEP();
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_NODEFER };
	pthread_t threads[THREADS];
	struct machine *m;
	int n;

	if (argc != 4)
		return 2;
	seed = (uint32_t)atoi(argv[1]);
	mask = (unsigned)atoi(argv[2]);
	fuel = atoi(argv[3]);
	n = mask & THREAD ? THREADS : 0;
	sigaction(SIGUSR1, &action, NULL);
	m = made(0, seed, fuel);
	enter(m, MAIN);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, start, (void *)(intptr_t)(i + 1));
	act(m);
	for (int i = 0; i < n && !is_child; i++)
		pthread_join(threads[i], NULL);
	leave(m);
	save(m);
	return 0;
}
