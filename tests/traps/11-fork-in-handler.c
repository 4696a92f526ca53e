/* A signal comes before each instruction of a hook, its handler forks, and the child returns from it into the rest of the hook.
 *
 * told: yes
 * flags(reads): -DBLOCKS
 * flags(sites): -DBLOCKS
 * ignore: wander
 * expect: 1 0 main
 * expect: 1 0 main newcomer
 * output: all children ended well
 * na(verified): each of its hundreds of children makes ready to hold stacks against contexts, a minute in all */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include "trap.h"

enum { DEEP = 10, TRAP_FLAG = 0x100 };

static volatile sig_atomic_t is_child, forks, wrong;

HOOKED void in_child(void) { KEEP(); }
HOOKED void ending(void) { KEEP(); }
HOOKED void newcomer(void) { KEEP(); }

UNHOOKED static void on_step(int sig, siginfo_t *info, void *context)
{
	int status = 0;
	pid_t child = fork();

	(void)sig, (void)info;
	if (child == 0) {
		is_child = 1;
		((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
		if (forks % 2) {
			in_child();
			KEEP();		/* no tail call, by which in_child would be the handler */
		}
	} else if (child > 0) {
		forks++;
		waitpid(child, &status, 0);
		if (status)
			wrong = status;
	}
}

HOOKED void left(unsigned way, int depth);

HOOKED void right(unsigned way, int depth)
{
	if (depth > 0)
		(way & 1 ? left : right)(way >> 1, depth - 1);
	KEEP();
}

HOOKED void left(unsigned way, int depth)
{
	if (depth > 0)
		(way & 1 ? right : left)(way >> 1, depth - 1);
	KEEP();
}

UNHOOKED static void begin_steps(void) { __asm__ volatile("pushfq; orl %0, (%%rsp); popfq" : : "i"(TRAP_FLAG) : "memory", "cc"); }
UNHOOKED static void end_steps(void) { __asm__ volatile("pushfq; andl %0, (%%rsp); popfq" : : "i"(~TRAP_FLAG) : "memory", "cc"); }

/* Contexts by the hundred, that tables grow; then calls of known ones and of a new one in steps; in a child some contexts more. */
HOOKED void wander(void)
{
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };

	for (unsigned way = 0; way < 1u << DEEP; way++)
		left(way, DEEP);
	sigaction(SIGTRAP, &action, NULL);
	for (volatile int known = 0; known < 2; known++) {	/* the second call is from a call site that is known */
		if (known)
			begin_steps();
		left(1, 1);
	}
#ifndef BLOCKS				/* clock tsc and call sites block all signals to make a context */
	newcomer();
#endif
	end_steps();
	for (unsigned way = 0; is_child && way < 1u << (DEEP - 5); way++)
		right(way, DEEP);
}

int main(void)
{
	FILE *told;

	newcomer();
	wander();
	if (is_child) {
		for (volatile int i = 0; i < 10; i++)
			ending();
		return 0;
	}
	if (wrong)
		printf("a child ended with status 0x%x\n", (unsigned)wrong);
	else
		puts("all children ended well");
	told = fopen("told", "w");
	if (!told)
		return 2;
	fprintf(told, "expect: %d 0 main ending\nnote: fork %d\nfiles: %d\n", 10 * (int)forks, (int)forks, (int)forks + 1);
	return fclose(told) || wrong;
}
