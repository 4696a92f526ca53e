/* tsc_work.c - programs for clock_test.py: each spends cycles in known routines, counts by itself how many in which, and prints
 * them: `routine cycles`; then `between cycles`, those that passed from one stretch so counted to the next, in calls and hooks, and
 * may be charged to either side; at last `all cycles`, from the first to the last.
 *
 * Both the program and clock tsc count elapsed cycles, so they must agree however busy the machine is. */
#include <setjmp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#define ROUTINE __attribute__((noipa))

enum { UNIT = 20000 };			/* cycles */

/* The accounts of a thread; `driver` is the routine of the mode, `edge` when the last stretch ended. */
struct spent { volatile uint64_t driver, small, middle, large, even, odd, catcher, thrower, worker, handled, plain, forks, last, between, edge; };
static __thread struct spent spent;

/* A stretch begins at BEGIN: what passed since the last is of neither. */
#define SINCE_EDGE(begin) (spent.between += (begin) - spent.edge)

/* Spend UNITS, and count them for ROUTINE, but for what the signal handler had of them. */
#define SPEND(routine, units) do { \
		uint64_t begin = __rdtsc(), handled = spent.handled; \
		SINCE_EDGE(begin); \
		while (__rdtsc() - begin < (uint64_t)(units) * UNIT) \
			; \
		handled = spent.handled - handled; \
		spent.edge = __rdtsc(); \
		spent.routine += spent.edge - begin - handled; \
	} while (0)

ROUTINE static void small(void) { SPEND(small, 1); }
ROUTINE static void middle(void) { SPEND(middle, 3); }
ROUTINE static void large(void) { small(); SPEND(large, 6); }

static void shares(void)
{
	for (int i = 0; i < 300; i++) {
		small();
		middle();
		large();
		SPEND(driver, 1);
	}
}

/* ---- recursion, and calls in tail position ---- */

ROUTINE static void odd(int n);
ROUTINE static void even(int n) { SPEND(even, 1); if (n) { odd(n - 1); SPEND(even, 2); } }
ROUTINE static void odd(int n) { SPEND(odd, 2); if (n % 3 == 0) odd(n - 2 > 0 ? n - 2 : 1); else even(n - 1); }

static void recursion(void)
{
	for (int i = 0; i < 100; i++)
		even(11);
}

/* ---- jumps ---- */

static jmp_buf place;

ROUTINE static void thrower(int depth) { SPEND(thrower, 1); if (!depth) longjmp(place, 1); thrower(depth - 1); SPEND(thrower, 99); }
ROUTINE static void catcher(void)
{
	if (setjmp(place)) {
		SPEND(catcher, 5);
		small();
		SPEND(catcher, 2);
		return;
	}
	SPEND(catcher, 1);
	thrower(3);
}

static void jumps(void)
{
	for (int i = 0; i < 200; i++) {
		catcher();
		SPEND(driver, 1);
	}
}

/* ---- signals ---- */

ROUTINE static void handler(int sig)
{
	uint64_t begin = __rdtsc();

	(void)sig;
	while (__rdtsc() - begin < UNIT)
		;
	begin = __rdtsc() - begin;
	spent.handled += begin;
	spent.edge += begin;
}

static void timer(long usec)
{
	struct itimerval often = { { 0, usec }, { 0, usec } };

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
}

/* Many short routines, so that handlers come everywhere in their hooks. */
static volatile int sink;
ROUTINE static void tiny(void) { sink++; }

static void signals(void)
{
	timer(100);
	for (int i = 0; i < 300; i++) {
		small();
		for (int j = 0; j < 2000; j++)
			tiny();
		spent.edge = __rdtsc();
		large();
	}
	timer(0);
}

/* ---- processes and threads ---- */

/* The child goes on in routines that its parent entered. */
ROUTINE static void forks(void)
{
	uint64_t begin = __rdtsc();
	int status;

	if (fork() == 0) {
		printf("late %lu\n", __rdtsc() - begin);	/* at most: it may have waited for a processor */
		memset(&spent, 0, sizeof spent);
		spent.edge = __rdtsc();
		SPEND(forks, 100);
		small();
		SPEND(forks, 100);
		return;
	}
	wait(&status);
	printf("forks %lu\n", __rdtsc() - begin);
	exit(WEXITSTATUS(status));
}

static void forked(void)
{
	forks();
	for (int i = 0; i < 300; i++) {
		SPEND(driver, 3);
		small();
	}
}

static struct spent sums[4];

ROUTINE static void worker(void)
{
	for (int i = 0; i < 200; i++) {
		SPEND(worker, 2);
		middle();
	}
}

/* No routine of the profile: its first and last look at the counter stand around the worker's hooks. The first hook of a thread
 * takes long, and is the monitor's time. */
__attribute__((no_instrument_function)) static void *count_worker(void *sum)
{
	tiny();
	spent.edge = __rdtsc();
	worker();
	SINCE_EDGE(__rdtsc());
	*(struct spent *)sum = spent;
	return NULL;
}

static void threads(void)
{
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, count_worker, &sums[i]);
	for (int i = 0; i < 4; i++) {
		pthread_join(thread[i], NULL);
		spent.worker += sums[i].worker;
		spent.middle += sums[i].middle;
		spent.between += sums[i].between;
	}
}

/* Threads that end with their process: one works, the others wait. */
enum { LASTING = 3 };
static uint64_t begun[LASTING];
static pthread_barrier_t ready;

ROUTINE static void last(int i)
{
	begun[i] = __rdtsc();
	pthread_barrier_wait(&ready);
	while (i == 0)
		sink++;
	pause();
	sink++;
}

static void *lasting(void *number)
{
	small();
	last((int)(intptr_t)number);
	return number;
}

static void at_exit(void)
{
	pthread_t thread[LASTING];

	pthread_barrier_init(&ready, NULL, LASTING + 1);
	for (int i = 0; i < LASTING; i++)
		pthread_create(&thread[i], NULL, lasting, (void *)(intptr_t)i);
	pthread_barrier_wait(&ready);
	SPEND(driver, 3000);
	for (int i = 0; i < LASTING; i++)
		spent.last += __rdtsc() - begun[i];
}

/* Clock tsc leaves the stopped process of a child of vfork's to the routine that waits for it. */
static void vforked(void)
{
	uint64_t begin = __rdtsc();

	for (int i = 0; i < 50; i++) {
		volatile pid_t child = vfork();

		if (child == 0) {
			small();
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	spent.small = spent.between = 0;
	spent.driver = __rdtsc() - begin;
}

#ifdef MIXED			/* a routine of an object that reads no counter, and one of this that it calls */
void plain(void (*then)(void));
ROUTINE static void spend_plain(void) { SPEND(plain, 2); }
static void mixed(void)
{
	for (int i = 0; i < 300; i++) {
		plain(spend_plain);
		SPEND(driver, 2);
	}
}
#endif

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(void); } modes[] = {
		{ "shares", shares }, { "recursion", recursion }, { "jumps", jumps }, { "signals", signals }, { "fork", forked },
		{ "threads", threads }, { "vfork", vforked }, { "exit", at_exit },
#ifdef MIXED
		{ "mixed", mixed },
#endif
	};
	uint64_t begin = spent.edge = __rdtsc();

	for (size_t i = 0; argc == 2 && i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(argv[1], modes[i].name))
			modes[i].run();
	printf("driver %lu\nsmall %lu\nmiddle %lu\nlarge %lu\neven %lu\nodd %lu\ncatcher %lu\nthrower %lu\nworker %lu\nhandler %lu\n"
	       "spend_plain %lu\nforks %lu\nlast %lu\nbetween %lu\nall %lu\n", spent.driver, spent.small, spent.middle, spent.large, spent.even, spent.odd, spent.catcher, spent.thrower, spent.worker,
	       spent.handled, spent.plain, spent.forks, spent.last, spent.between, __rdtsc() - begin);
	return 0;
}
