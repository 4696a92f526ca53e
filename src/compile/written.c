/* written.c - the text of written.h.  What it knows of the monitor by number is in contract/layout.h. */
#include "compile/written.h"

#include "contract/layout.h"

const char written_option[] = "--write-hooks";

#define WORD(offset) "%%fs:aprof_tls@tpoff+" AS_TEXT(offset)

bool written_entry(FILE *out, unsigned n, bool chain)
{
	return fprintf(out,
		       "%s"
		       "\tmovq\t%%rax, -8(%%rsp)\n"
		       "\tmovq\t" WORD(TLS_TOP) ", %%r11\n"
		       "\tcmpq\t" WORD(TLS_REACH) ", %%rsp\n"
		       "\tjno\t.Laprof_miss%u\n"		/* deeper than known, another stack, or no words yet */
		       "\tcmpq\t%%rsp, " AS_TEXT(FRAME_CFA) "(%%r11)\n"
		       "\tjbe\t.Laprof_miss%u\n"		/* frames below were unwound */
		       "\tmovq\t" AS_TEXT(FRAME_CONTEXT) "(%%r11), %%r10\n"
		       ".Laprof_routine%u:\n"
		       "\tleaq\t.Laprof_routine%u(%%rip), %%rax\n"
		       "\taddq\t%%rax, %%r10\n"
		       "\timulq\t$" AS_TEXT(STEP_FACTOR) ", %%r10, %%r10\n"
		       "\tmovq\t%%r10, %%r11\n"
		       "\tshrq\t$" AS_TEXT(FRONT_SHIFT) ", %%r11\n"
		       "\tandq\t" WORD(TLS_MASK) ", %%r11\n"
		       "\taddq\t" WORD(TLS_FRONT) ", %%r11\n"
		       "\tmovq\t(%%r11), %%r11\n"
		       "\tcmpq\t%%r10, " AS_TEXT(KEY_ID) "(%%r11)\n"
		       "\tjne\t.Laprof_miss%u\n"
		       "\tcmpq\t%%rax, " AS_TEXT(KEY_ROUTINE) "(%%r11)\n"
		       "\tjne\t.Laprof_miss%u\n"
		       "\tincq\t" AS_TEXT(KEY_CALLS) "(%%r11)\n"
		       "\tmovq\t" WORD(TLS_TOP) ", %%r11\n"
		       "\taddq\t$" AS_TEXT(FRAME_SIZE) ", " WORD(TLS_TOP) "\n"
		       "\tmovq\t%%r10, " AS_TEXT(FRAME_SIZE+FRAME_CONTEXT) "(%%r11)\n"
		       "\tmovq\t%%rsp, " AS_TEXT(FRAME_SIZE+FRAME_CFA) "(%%r11)\n"	/* last of all: now the frame is open */
		       ".Laprof_entered%u:\n"
		       "\tmovq\t-8(%%rsp), %%rax\n"
		       "%s",
		       chain ? "\tmovq\t%r10, -16(%rsp)\n" : "", n, n, n, n, n, n, n, chain ? "\tmovq\t-16(%rsp), %r10\n" : "") > 0;
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
		       "\tmovq\t" WORD(TLS_TOP) ", %%r11\n"
		       "\tcmpq\t%%rsp, " AS_TEXT(FRAME_CFA) "(%%r11)\n"
		       "\tjne\t__aprof_return\n"
		       "\tmovq\t$0, " AS_TEXT(FRAME_CFA) "(%%r11)\n"
		       "\tsubq\t$" AS_TEXT(FRAME_SIZE) ", " WORD(TLS_TOP) "\n") > 0;
}
