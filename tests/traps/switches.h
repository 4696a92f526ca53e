/* switches.h - switches of stacks by other conventions than switch_to.h's, as libraries for fibers have them, and a program of two fibers.
 *
 * FLIP 1: to the stack pointer in rdi, that of the stack that was left is returned; 2: the same by a jump, the return address kept apart;
 * jump_fcontext: as Boost has it, with what is passed on returned in rdx.  A fiber begins where there is no description of frames. */
#ifndef SWITCHES_H
#define SWITCHES_H

#ifdef FLIP
#define FUNCTION(name) ".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"
#define SAVE "\tpushq %rbp\n\tpushq %rbx\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n\tpushq %r15\n"
#define RESTORE "\tpopq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbx\n\tpopq %rbp\n"
#if FLIP == 1
__asm__(FUNCTION(flip) SAVE "\tmovq %rsp, %rax\n\tmovq %rdi, %rsp\n" RESTORE "\tret\n");
#elif FLIP == 2
__asm__(FUNCTION(flip) "\tpopq %rcx\n" SAVE "\tpushq %rcx\n\tmovq %rsp, %rax\n\tmovq %rdi, %rsp\n\tpopq %rcx\n" RESTORE "\tjmp *%rcx\n");
#else
__asm__(FUNCTION(jump_fcontext) SAVE "\tmovq %rsp, %rax\n\tmovq %rdi, %rsp\n" RESTORE "\tpopq %r8\n\tmovq %rsi, %rdx\n\tmovq %rax, %rdi\n\tjmp *%r8\n");
#endif
__asm__(FUNCTION(fiber_begins) "\tmovq %rax, %rdi\n\tcall *%rbx\n\tud2\n");
#endif

#ifndef LIBRARY
#include <stdint.h>
#include <stdlib.h>
#include "trap.h"

struct transfer { void *from, *data; };

void *flip(void *to);
struct transfer jump_fcontext(void *to, void *data);
void fiber_begins(void);

#ifdef FCONTEXT
#define SWITCH(to) (jump_fcontext(to, 0).from)
#else
#define SWITCH(to) flip(to)
#endif

enum { STACK = 32768 };			/* neighbours in one block */

static void *home, *fiber[2];
static int is_over[2], done;
static volatile int sink;

UNHOOKED static void *fiber_make(char *low, void (*routine)(void *))
{
	uintptr_t *p = (uintptr_t *)(low + STACK);

#if defined(JUMPS)			/* the return address is below what is saved */
	*--p = 0x77;
	*--p = (uintptr_t)routine;
	p -= 4;
	*--p = (uintptr_t)fiber_begins;
#else
	*--p = (uintptr_t)fiber_begins;
	*--p = 0x77;
	*--p = (uintptr_t)routine;
	p -= 4;
#endif
	return p;
}

HOOKED void leaf(void) { sink++; KEEP(); }
HOOKED void step_a(void) { leaf(); home = SWITCH(home); leaf(); KEEP(); }
HOOKED void step_b(void) { leaf(); home = SWITCH(home); leaf(); KEEP(); }
HOOKED void middle(void) { step_b(); KEEP(); }

HOOKED void body_a(void *from)
{
	home = from;
	for (int i = 0; i < 5; i++)
		step_a();
	is_over[0] = 1;
	home = SWITCH(home);
	KEEP();
}

HOOKED void body_b(void *from)
{
	home = from;
	for (int i = 0; i < 3; i++)
		middle();
	is_over[1] = 1;
	home = SWITCH(home);
	KEEP();
}

HOOKED void resume(int i) { fiber[i] = SWITCH(fiber[i]); done++; KEEP(); }

int main(void)
{
	char *block = aligned_alloc(16, 2 * STACK);

	fiber[0] = fiber_make(block, body_a);
	fiber[1] = fiber_make(block + STACK, body_b);
	while (!is_over[0] || !is_over[1])
		for (int i = 0; i < 2; i++)
			if (!is_over[i])
				resume(i);
	leaf();
	return done != 10;
}
#endif

#endif
