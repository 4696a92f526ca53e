	/* An entry hook of way mcount.  mcount.S makes four of it, each with its own name, a look before, its way to the routine and its
	 * place of the CFA. */
	.text
	.globl	ENTRY_HOOK
	.type	ENTRY_HOOK, @function
	.p2align 6
ENTRY_HOOK:
	.cfi_startproc
	_CET_ENDBR
	ENTRY_BEGIN
	save	rax, rcx, rdx
	TLS_BASE(%rdx)
.Lentry_look:
	movq	TLS(TLS_TOP, %rdx), %rax
	leaq	ENTRY_CFA, %rcx
	cmpq	TLS(TLS_REACH, %rdx), %rcx
	jno	.Lentry_slow			/* deeper than known, or another stack, or no words yet: then rax is 0 */
	cmpq	%rcx, FRAME_CFA(%rax)
	jbe	ENTRY_NOT_BELOW			/* frames below were unwound */
	movq	FRAME_CONTEXT(%rax), %rcx
	ENTRY_ROUTINE(24, %r11)
	PROBE(%rcx, %r11, %rdx)
	FIND(%rcx, %r11, .Lentry_further)
.Lentry_push:
	movq	TLS(TLS_TOP, %rdx), %r11
	leaq	ENTRY_CFA, %rax
	addq	$FRAME_SIZE, TLS(TLS_TOP, %rdx)	/* as in hooks.S */
	movq	%rcx, FRAME_SIZE+FRAME_CONTEXT(%r11)
	movq	%rax, FRAME_SIZE+FRAME_CFA(%r11)
	ENTRY_END
	.cfi_remember_state
	restore	rax, rcx, rdx
	ret

	as_remembered 32
.Lentry_further:
	if_sites %rdx, .Lentry_sites
	look_further %rcx, %r11, %rdx, .Lentry_push, .Lentry_push, .Lentry_slow
.Lentry_sites:
	leaq	ENTRY_CFA, %rax
	save	rsi, rdi
	movq	SLOT(%rax), %rsi
	IF_REDIRECTED(%rsi, %rdi, .Lentry_sites_slow)	/* a jump has led here */
	look_at_site %rcx, %r11, %rsi, %rdi, %rdx, .Lentry_sites_slow
	.cfi_remember_state
	restore	rsi, rdi
	jmp	.Lentry_push
	as_remembered 48
.Lentry_sites_slow:
	restore	rsi, rdi
.Lentry_slow:
	restore	rdx
	save	r11, rdx, rsi, rdi, r8, r9, r10, rbp
	ENTRY_ROUTINE(80, %rdi)
	leaq	ENTRY_SLOW_CFA, %rsi		/* CFA */
	xorl	%edx, %edx
	movl	$ROUTINE_INSIDE, %ecx
	call_aligned aprof_mcount_slow		/* a nested function pushes its static chain first */
	restore	rax, rcx, r11, rdx, rsi, rdi, r8, r9, r10, rbp
	ret
	.cfi_endproc
	.size	ENTRY_HOOK, .-ENTRY_HOOK

