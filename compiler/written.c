/* written.c - the text of written.h.
 *
 * What it knows of the monitor: the thread's words (front 0, mask 8, top 16, reach 24), a counter's id and routine (16, 24), a frame's CFA and
 * context (0, 8) and size (24), the step from context to context (monitor/layout.h has the same). */
#include "compiler/written.h"

#define WORD(offset) "%%fs:aprof_tls@tpoff+" #offset

bool written_entry(FILE *out, unsigned n)
{
	return fprintf(out,
		       "\tmovq\t%%rax, -8(%%rsp)\n"
		       "\tmovq\t" WORD(16) ", %%r11\n"
		       "\tcmpq\t" WORD(24) ", %%rsp\n"
		       "\tjno\t.Laprof_miss%u\n"		/* deeper than known, another stack, or no words yet */
		       "\tcmpq\t%%rsp, (%%r11)\n"
		       "\tjbe\t.Laprof_miss%u\n"		/* frames below were unwound */
		       "\tmovq\t8(%%r11), %%r10\n"
		       ".Laprof_routine%u:\n"
		       "\tleaq\t.Laprof_routine%u(%%rip), %%rax\n"
		       "\taddq\t%%rax, %%r10\n"
		       "\timulq\t$-0x61c8864f, %%r10, %%r10\n"
		       "\tmovq\t%%r10, %%r11\n"
		       "\tshrq\t$29, %%r11\n"
		       "\tandq\t" WORD(8) ", %%r11\n"
		       "\taddq\t" WORD(0) ", %%r11\n"
		       "\tmovq\t(%%r11), %%r11\n"
		       "\tcmpq\t%%r10, 16(%%r11)\n"
		       "\tjne\t.Laprof_miss%u\n"
		       "\tcmpq\t%%rax, 24(%%r11)\n"
		       "\tjne\t.Laprof_miss%u\n"
		       "\tincq\t(%%r11)\n"
		       "\tmovq\t" WORD(16) ", %%r11\n"
		       "\taddq\t$24, " WORD(16) "\n"
		       "\tmovq\t%%r10, 32(%%r11)\n"
		       "\tmovq\t%%rsp, 24(%%r11)\n"	/* last of all: now the frame is open */
		       ".Laprof_entered%u:\n"
		       "\tmovq\t-8(%%rsp), %%rax\n",
		       n, n, n, n, n, n, n) > 0;
}

bool written_rest(FILE *out, unsigned n)
{
	return fprintf(out,
		       "\t.cfi_def_cfa rsp, 8\n"
		       "\t.cfi_restore rbx\n\t.cfi_restore rbp\n\t.cfi_restore r12\n\t.cfi_restore r13\n\t.cfi_restore r14\n\t.cfi_restore r15\n"
		       ".Laprof_miss%u:\n"
		       "\tleaq\t.Laprof_routine%u(%%rip), %%rax\n"
		       "\tleaq\t.Laprof_entered%u(%%rip), %%r11\n"
		       "\tjmp\taprof_entry_miss\n",
		       n, n, n) > 0;
}

bool written_exit(FILE *out)
{
	return fprintf(out,
		       "\tmovq\t" WORD(16) ", %%r11\n"
		       "\tcmpq\t%%rsp, (%%r11)\n"
		       "\tjne\t__aprof_return\n"
		       "\tmovq\t$0, (%%r11)\n"
		       "\tsubq\t$24, " WORD(16) "\n") > 0;
}
