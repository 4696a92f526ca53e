/* hook_stack.c - calls on another stack.
 *
 * Invariant: a thread is on its room only with signals blocked, so nobody comes between, and the kernel never takes the signal stack for free
 * meanwhile; but for SIGBUS, when somebody cuts the file: its handler would be on a stack that was too small for it before. */
#include "inside/stacks/hook_stack.h"

#include <stdint.h>

#include "inside/clock/handler_mask.h"
#include "inside/machine/memory.h"
#include "inside/process/thread.h"

#if defined(__x86_64__)
enum { ROOM = 65536 };			/* bytes */

void aprof_room_call(void (*f)(void *), void *arg, uintptr_t top) HIDDEN;

/* Whoever reads the stack goes on by rbp to the one that was left. */
__asm__(".text\n"
	".hidden aprof_room_call\n"
	".globl aprof_room_call\n"
	".type aprof_room_call, @function\n"
	".p2align 4\n"
	"aprof_room_call:\n"
	"\t.cfi_startproc\n"
	"\tendbr64\n"
	"\tpushq %rbp\n"
	"\t.cfi_adjust_cfa_offset 8\n"
	"\t.cfi_rel_offset %rbp, 0\n"
	"\tmovq %rsp, %rbp\n"
	"\t.cfi_def_cfa_register %rbp\n"
	"\tmovq %rdx, %rsp\n"
	"\tmovq %rdi, %rax\n"
	"\tmovq %rsi, %rdi\n"
	"\tcall *%rax\n"
	"\tleave\n"
	"\t.cfi_def_cfa %rsp, 8\n"
	"\tret\n"
	"\t.cfi_endproc\n"
	".size aprof_room_call, .-aprof_room_call\n");

void hook_stack_call(struct thread *t, void (*f)(void *), void *arg)
{
	if (!t || !handler_mask_is_small() || (!t->hook_stack.room && !(t->hook_stack.room = memory_take(ROOM, false)))) {
		f(arg);
		return;
	}
	t->hook_stack.is_in_room = true;
	aprof_room_call(f, arg, (uintptr_t)t->hook_stack.room + ROOM);
	t->hook_stack.is_in_room = false;
}
#else
void hook_stack_call(struct thread *t, void (*f)(void *), void *arg)
{
	(void)t;
	f(arg);
}
#endif
