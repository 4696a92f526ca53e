/* truth.c - the tree of contexts, and the borders between them. */
#include "tests/time_truth/truth.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NODES = 1024, ROUTINES = 64 };
enum { CPU, WALL, CLOCKS };
enum kind { OWN, DOUBT, PROCESS, KINDS };	/* whose the time before a border is: the context's; that of both contexts; also the monitor's */

struct node {
	int parent, routine;		/* 0: outside of all */
	long entries;
	long ns[KINDS][CLOCKS];
	long processes;			/* borders of kind PROCESS */
};

/* Children have it, too, whether they execute a program or not. */
struct table {
	int nodes;			/* 0 and those that were made */
	int child[NODES][ROUTINES];	/* by routine; 0: not called */
	struct node node[NODES];
};

static struct table *table;
static int table_fd;
static const char *const *names;
static char **arguments;
static long border_ns;			/* what a border takes */
static double seconds = 0.6, limit = 6;	/* TRUTH_SECONDS, TRUTH_LIMIT */
static long began;			/* by CLOCK_MONOTONIC */

static __thread int here;		/* the thread's node */
static __thread int interrupted;	/* its node when a handler began */
static __thread long last[CLOCKS];	/* its last border */
static __thread volatile bool busy;	/* it is in a border: a handler has to leave it alone */

static long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Of elapsed time the border itself is of the context that comes, or goes; aprof has it in the one that was called.  It may be long: the reading of the CPU
 * clock is a system call, from which the thread may come back late.  Of CPU time that reading is half in one context, half in the other. */
enum side { COMES, GOES };

static void border(enum kind kind, enum side side, int next)
{
	long at[CLOCKS];
	struct node *node = &table->node[here];

	busy = true;
	at[WALL] = now(CLOCK_MONOTONIC);
	at[CPU] = now(CLOCK_THREAD_CPUTIME_ID);
	if (side == GOES)
		at[WALL] = now(CLOCK_MONOTONIC);
	for (int clock = 0; clock < CLOCKS; clock++) {
		__atomic_fetch_add(&node->ns[kind][clock], at[clock] - last[clock], __ATOMIC_RELAXED);
		last[clock] = at[clock];
	}
	if (kind == PROCESS)
		__atomic_fetch_add(&node->processes, 1, __ATOMIC_RELAXED);
	here = next;
	busy = false;
}

/* NODE's child for ROUTINE, made if it is not there.  Of two threads that make it at once the second takes that of the first; its own stays without time. */
static int child_of(int node, int routine)
{
	int *slot = &table->child[node][routine], found = __atomic_load_n(slot, __ATOMIC_ACQUIRE), made;

	if (found)
		return found;
	made = __atomic_add_fetch(&table->nodes, 1, __ATOMIC_RELAXED);
	if (made >= NODES)
		abort();
	table->node[made].parent = node;
	table->node[made].routine = routine;
	return __atomic_compare_exchange_n(slot, &found, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ? made : found;
}

static void here_enter(int caller, int routine)
{
	int node;

	busy = true;
	node = child_of(caller, routine);
	__atomic_fetch_add(&table->node[node].entries, 1, __ATOMIC_RELAXED);
	border(OWN, COMES, node);
}

void truth_enter(int routine)
{
	here_enter(here, routine);
}

void truth_leave(void)
{
	border(OWN, GOES, table->node[here].parent);
}

bool truth_interrupted(int routine)
{
	if (busy)
		return false;
	interrupted = here;
	here_enter(0, routine);
	return true;
}

void truth_handled(void)
{
	border(OWN, GOES, interrupted);
}

int truth_node(void)
{
	return here;
}

void truth_throwing(void)
{
	border(OWN, COMES, here);
}

void truth_switch(int node)
{
	border(OWN, COMES, node);
}

void truth_caught(int node)
{
	border(DOUBT, COMES, node);
}

/* ---- processes ---- */

int truth_fork(void)
{
	int pid;

	border(OWN, COMES, here);
	pid = fork();
	if (pid == 0)
		last[CPU] = 0;
	border(PROCESS, COMES, here);
	if (pid < 0)
		abort();
	return pid;
}

void truth_wait(void)
{
	int status;

	border(OWN, COMES, here);
	if (wait(&status) < 0 || status)
		abort();
	border(PROCESS, COMES, here);
}

void truth_end(bool at_once)
{
	border(OWN, COMES, here);
	if (at_once)
		_exit(0);
	exit(0);
}

void truth_exec(void)
{
	char number[16];

	border(OWN, COMES, here);
	snprintf(number, sizeof number, "%d", table_fd);
	execl("/proc/self/exe", arguments[0], "child", number, (char *)NULL);
	abort();
}

bool truth_child(void)
{
	return arguments[1] && !strcmp(arguments[1], "child");
}

/* ---- the beginning, and the end ---- */

/* What a border takes: the least mean of some, since what disturbs only adds to it.  It is of node 0, which has no name. */
static long border_cost(void)
{
	long least = 1000000;

	for (int batch = 0; batch < 20; batch++) {
		long begin = now(CLOCK_THREAD_CPUTIME_ID), each;

		for (int i = 0; i < 50; i++)
			border(OWN, COMES, 0);
		each = (now(CLOCK_THREAD_CPUTIME_ID) - begin) / 50;
		least = each < least ? each : least;
	}
	return least;
}

static double setting(const char *name, double otherwise)
{
	const char *text = getenv(name);

	return text ? atof(text) : otherwise;
}

void truth_begin(const char *const *routines, int n, int in_main, int argc, char **argv)
{
	long start[CLOCKS] = { [CPU] = now(CLOCK_THREAD_CPUTIME_ID), [WALL] = now(CLOCK_MONOTONIC) };
	bool child = argc == 3 && !strcmp(argv[1], "child");

	names = routines;
	arguments = argv;
	table_fd = child ? atoi(argv[2]) : memfd_create("truth", 0);
	if (n > ROUTINES || table_fd < 0 || ftruncate(table_fd, sizeof *table))
		abort();
	table = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED, table_fd, 0);
	if (table == MAP_FAILED)
		abort();
	seconds = setting("TRUTH_SECONDS", seconds);
	limit = setting("TRUTH_LIMIT", limit);
	if (getenv("TRUTH_FIFO") && !child && sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 10 }))
		exit(77);
	border_ns = child ? 0 : border_cost();
	began = start[WALL];
	truth_enter(in_main);
	memcpy(last, start, sizeof last);
}

bool truth_more(int drivers)
{
	return (double)now(CLOCK_THREAD_CPUTIME_ID) < seconds / drivers * 1e9 && (double)(now(CLOCK_MONOTONIC) - began) < limit * 1e9;
}

void truth_print(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	printf("{\"border_ns\": %ld, \"elapsed_ns\": %ld, \"sleeps\": %ld, \"nodes\": [", border_ns, now(CLOCK_MONOTONIC) - began, used.ru_nvcsw);
	for (int i = 1; i <= table->nodes; i++) {
		struct node *node = &table->node[i];

		printf("%s{\"parent\": %d, \"name\": \"%s\", \"entries\": %ld, \"processes\": %ld, \"cpu\": [%ld, %ld, %ld], \"wall\": [%ld, %ld, %ld]}", i > 1 ? ", " : "",
		       node->parent, names[node->routine], node->entries, node->processes, node->ns[OWN][CPU], node->ns[DOUBT][CPU], node->ns[PROCESS][CPU],
		       node->ns[OWN][WALL], node->ns[DOUBT][WALL], node->ns[PROCESS][WALL]);
	}
	puts("]}");
	fflush(stdout);
}
