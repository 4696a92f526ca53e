/* inline_miss.S - way inline, where the code in a routine does not get on by itself, on x86-64. */
#include "monitor/probe.h"

	.text

	/* Way inline: a probe in the routine missed. rax: the routine. All other registers but the flags are kept.  Returns in rax
	 * the context before the entry; the routine's is in place and counted. */
	detour	aprof_inline_miss
	save	rcx, rdx, rdi, rsi
	movq	%rax, %rdi
	TLS_BASE(%rdx)
	movq	TLS(TLS_CURRENT, %rdx), %rcx
	movq	%rcx, %rsi
	PROBE(%rcx, %rdi, %rdx)
	look_further %rcx, %rdi, %rdx, .Linline_enter, .Linline_enter, .Linline_slow
.Linline_enter:
	movq	%rcx, TLS(TLS_CURRENT, %rdx)
	movq	%rsi, %rax
.Linline_done:
	.cfi_remember_state
	restore	rcx, rdx, rdi, rsi
	go_on
	as_remembered 168
.Linline_slow:
	save	r8, r9, r10, rbp
	leaq	200(%rsp), %rsi
	xorl	%edx, %edx			/* its code does not read the counter */
	call_aligned aprof_inline_slow
	restore	r8, r9, r10, rbp
	jmp	.Linline_done
	.cfi_endproc
	.size	aprof_inline_miss, .-aprof_inline_miss

	/* The same in a routine that reads the counter, for clock tsc.  Returns in rdx what was charged before.  The call is
	 * counted here if its time can be charged here: to `charged`, which has the current context's id. */
	detour	aprof_inline_miss_tsc
	save	rcx, rdi, rsi, r8, r9
	movq	%rax, %rdi
	TLS_BASE(%r8)
	movq	TLS(TLS_CURRENT, %r8), %rsi
	movq	TLS(TLS_CHARGED, %r8), %r11
	cmpq	$0, TLS(TLS_LAST, %r8)
	je	.Ltsc_find			/* no time is taken */
	cmpq	%rsi, KEY_ID(%r11)
	jne	.Ltsc_slow
.Ltsc_find:
	movq	%rsi, %rcx
	PROBE(%rcx, %rdi, %r8)
	look_further %rcx, %rdi, %r8, .Ltsc_found, .Ltsc_alias, .Ltsc_slow
.Ltsc_alias:
	movq	KEY_TIME-1(%rax), %rdi		/* the counters of the context that it leads to */
	jmp	.Ltsc_charge
.Ltsc_found:
	movq	%rax, %rdi			/* its own counters are charged from now on */
.Ltsc_charge:
	movq	TLS(TLS_LAST, %r8), %r9		/* as the plugin's code does it */
	testq	%r9, %r9
	jz	.Ltsc_untimed
	rdtsc
	shlq	$32, %rdx
	orq	%rax, %rdx
	movq	%r9, %rax
	cmpxchgq %rdx, TLS(TLS_LAST, %r8)
	jne	.Ltsc_charge
	subq	%rax, %rdx
	addq	%rdx, KEY_TIME(%r11)
	movq	%rdi, TLS(TLS_CHARGED, %r8)
.Ltsc_untimed:
	movq	%r11, %rdx
	movq	%rcx, TLS(TLS_CURRENT, %r8)
	movq	%rsi, %rax
.Ltsc_done:
	.cfi_remember_state
	restore	rcx, rdi, rsi, r8, r9
	go_on
	as_remembered 176
.Ltsc_slow:
	save	r10, rbp
	leaq	192(%rsp), %rsi
	movl	$1, %edx
	call_aligned aprof_inline_slow
	restore	r10, rbp
	jmp	.Ltsc_done
	.cfi_endproc
	.size	aprof_inline_miss_tsc, .-aprof_inline_miss_tsc

	/* Clock tsc: time is to be charged, and not to what `charged` says. All registers but r11 and the flags are kept. */
	detour	aprof_inline_charge
	save	rax, rcx, rdx, rdi, rsi, r8, r9, r10, rbp
	call_aligned aprof_inline_settle
	restore	rax, rcx, rdx, rdi, rsi, r8, r9, r10, rbp
	go_on
	.cfi_endproc
	.size	aprof_inline_charge, .-aprof_inline_charge

	.section .note.GNU-stack, "", @progbits
