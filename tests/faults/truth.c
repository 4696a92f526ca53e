/* truth.c - makes contexts and calls for ever, and says in a file of its own, at any moment, how many it has made: before[] is raised
 * before a routine's call, after[] after it.  What a profile says of a routine is between the two.
 *
 * truth FILE: FILE is made; struct truth is what is in it. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../traps/trap.h"

enum { ROUTINES = 24, THREADS = 2 };

struct truth { volatile uint64_t before[THREADS][ROUTINES], after[THREADS][ROUTINES]; };

static struct truth *truth;
static __thread int self;
static __thread unsigned state;
static __thread uint64_t made;

UNHOOKED unsigned next(void)
{
	state = state * 1664525 + 1013904223;
	return state >> 8;
}

UNHOOKED void choose(int depth);

#define R(n) HOOKED void r##n(int depth) { choose(depth); KEEP(); }
R(0) R(1) R(2) R(3) R(4) R(5) R(6) R(7) R(8) R(9) R(10) R(11) R(12) R(13) R(14) R(15) R(16) R(17) R(18) R(19) R(20) R(21) R(22) R(23)
static void (*const routines[ROUTINES])(int) = { r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15, r16, r17,
	r18, r19, r20, r21, r22, r23 };

UNHOOKED void choose(int depth)
{
	for (int calls = next() % 3; calls > 0 && depth < 12; calls--) {
		uint64_t known = 4 + (made++ >> 13);	/* now and then one that was never called before */
		unsigned which = next() % (known < ROUTINES ? known : ROUTINES);

		truth->before[self][which]++;
		routines[which](depth + 1);
		truth->after[self][which]++;
	}
}

UNHOOKED void *run(void *n)
{
	self = (int)(intptr_t)n;
	state = (unsigned)getpid() * 2 + (unsigned)self;
	for (;;)
		choose(0);
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
	pthread_t t;

	if (fd < 0 || ftruncate(fd, sizeof *truth) != 0)
		return 1;
	prctl(PR_SET_PDEATHSIG, SIGKILL);	/* it would outlive a test that was stopped */
	truth = mmap(NULL, sizeof *truth, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	pthread_create(&t, NULL, run, (void *)1);
	run(NULL);
	return 0;
}
