/* switch_to.h - a switch of stacks by a program's own code, of which nobody is told: keep the stack pointer in *SAVE, go on at that of TO. */
#ifndef SWITCH_TO_H
#define SWITCH_TO_H

void switch_to(void **save, void *to);
__asm__(".text\n.globl switch_to\n.type switch_to, @function\nswitch_to:\n\t"
	"pushq %rbx\n\tpushq %rbp\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n\tpushq %r15\n\t"
	"movq %rsp, (%rdi)\n\tmovq %rsi, %rsp\n\t"
	"popq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbp\n\tpopq %rbx\n\tret\n"
	".size switch_to, .-switch_to\n");

#endif
