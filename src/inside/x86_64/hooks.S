/* hooks.S - the hooks on x86-64, step B1 in assembly.
 *
 * Way fentry: __aprof_entry is called first of all in a routine, before its frame is made, and __return__ last of all, before ret or
 * before the jump of a tail call; where the wrapper has seen that it is ret (compile/assembly.c), __aprof_return is jumped to in its place.
 * They keep every register but the flags, r10 and r11 at entry, where nothing is in them (doc/design.md), and rcx, r10 and r11 in
 * __aprof_return, where none is of use any more; vector and x87 state is not touched.  Stack at a hook that is called: 0(%rsp) address
 * in the routine, 8(%rsp) its return address; the routine's CFA is 16(%rsp).
 *
 * Way cyg (-finstrument-functions, any compiler): ordinary calls in the routine's body, so nothing that a
 * call may clobber need be kept; the frame pointer, which this way asks for, tells the CFA.  GCC's, whose hooks inlined routines would
 * call, too, calls __aprof_enter and __aprof_leave in their place, once for each routine (aprof-cyg.h); they keep every register
 * but the flags, r9, r10, r11 and, at entry, rax.
 *
 * A hit computes the id of the context behind the top frame's, finds it by two loads that nothing later waits for, bumps
 * the line that it compared, and pushes a frame; an exit moves the top back. */
#include "inside/x86_64/probe.h"

/* Frames store what the stack pointer is when the routine is entered: a register has that in the hooks. */
#ifdef APROF_SHARED
#define SAVE_MORE	save	rcx, rdx; TLS_BASE(%rcx); leaq 40-FRAME_FENTRY(%rsp), %rdx
#define RESTORE_MORE	restore	rcx, rdx
#define SAVED_MORE	16
#else
#define SAVE_MORE	save	rdx; leaq 32-FRAME_FENTRY(%rsp), %rdx
#define RESTORE_MORE	restore	rdx
#define SAVED_MORE	8
#endif
#define STORED		%rdx
#define ROUTINE		SAVED_MORE+8(%rsp)

	/* Load the context of the top frame into ID, if nothing is odd about the stack: the routine entered has a frame below the top one's.
	 * `stored' is what its own will have; TOP is lost. */
	.macro	caller_context stored, id, top, base, slow
	movq	TLS(TLS_TOP, \base), \top
	cmpq	TLS(TLS_REACH, \base), \stored
	jno	\slow				/* deeper than known, or another stack, or no words yet: then TOP is 0 */
	cmpq	\stored, FRAME_CFA(\top)
	jbe	\slow				/* frames below were unwound */
	movq	FRAME_CONTEXT(\top), \id
	.endm

	/* Push the frame of the routine in context ID; TOP is lost.  See "Frames" in tls.h: the order is what signal handlers rely on. */
	.macro	push_frame stored, id, top, base
	movq	TLS(TLS_TOP, \base), \top
	addq	$FRAME_SIZE, TLS(TLS_TOP, \base)
	movq	\id, FRAME_SIZE+FRAME_CONTEXT(\top)
	movq	\stored, FRAME_SIZE+FRAME_CFA(\top)
	.endm

	.text
	.globl	__aprof_entry
	.type	__aprof_entry, @function
	.p2align 6
__aprof_entry:
	.cfi_startproc
	_CET_ENDBR
	save	rax
	SAVE_MORE
	caller_context STORED, %r10, %rax, %rcx, .Lentry_slow
	movq	ROUTINE, %r11
	PROBE(%r10, %r11, %rcx)
	FIND(%r10, %r11, .Lentry_further)
.Lentry_push:
	push_frame STORED, %r10, %rax, %rcx
	.cfi_remember_state
	RESTORE_MORE
	restore	rax
	ret

	as_remembered 16+SAVED_MORE
.Lentry_further:
	if_sites %rcx, .Lentry_sites
	look_further %r10, %r11, %rcx, .Lentry_push, .Lentry_push, .Lentry_slow
.Lentry_sites:
	save	rsi, rdi
	movq	SAVED_MORE+32(%rsp), %rsi
	look_at_site %r10, %r11, %rsi, %rdi, %rcx, .Lentry_sites_slow
	.cfi_remember_state
	restore	rsi, rdi
	jmp	.Lentry_push
	as_remembered 32+SAVED_MORE
.Lentry_sites_slow:
	restore	rsi, rdi
.Lentry_slow:
	RESTORE_MORE
	save	rcx, rdx, rsi, rdi, r8, r9, rbp
	movq	64(%rsp), %rdi			/* routine, CFA */
	leaq	80(%rsp), %rsi
	xorl	%edx, %edx
	movl	$ROUTINE_INSIDE, %ecx
	call_aligned aprof_entry_slow		/* a nested function pushes its static chain first */
	restore	rax, rcx, rdx, rsi, rdi, r8, r9, rbp
	ret
	.cfi_endproc
	.size	__aprof_entry, .-__aprof_entry

	/* Pop the top frame, if it is that of the routine that is left, whose CFA less FRAME_FENTRY is `stored'. */
	.macro	pop_frame stored, top, base, slow
	movq	TLS(TLS_TOP, \base), \top
	cmpq	\stored, FRAME_CFA(\top)
	jne	\slow
	movq	$0, FRAME_CFA(\top)
	subq	$FRAME_SIZE, \top
	movq	\top, TLS(TLS_TOP, \base)
	.endm

	/* Jumped to in the place of ret. */
	.globl	__aprof_return
	.type	__aprof_return, @function
	.p2align 5
__aprof_return:
	.cfi_startproc
	_CET_ENDBR
	TLS_BASE(%rcx)
	leaq	8-FRAME_FENTRY(%rsp), %r10
	pop_frame %r10, %r11, %rcx, .Lreturn_slow
	ret
.Lreturn_slow:
	call	.Lexit_slow
	ret
	.cfi_endproc
	.size	__aprof_return, .-__aprof_return

	/* Called.  For unwinders the routine has left already and this is called in its place: its epilogue is done, and what its own
	 * frame description says of saved registers is no longer true (GCC leaves it so). */
	.globl	__return__
	.type	__return__, @function
	.p2align 5
__return__:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	_CET_ENDBR
	save	rax
	SAVE_MORE
	pop_frame STORED, %rax, %rcx, .Lexit_restore
	.cfi_remember_state
	RESTORE_MORE
	restore	rax
	ret
	as_remembered 24+SAVED_MORE
.Lexit_restore:
	RESTORE_MORE
	restore	rax
.Lexit_slow:
	save	rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11, rbp
	leaq	96(%rsp), %rdi			/* CFA, site, routine */
	xorl	%esi, %esi
	xorl	%edx, %edx
	call_aligned aprof_exit_slow
	restore	rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11, rbp
	ret
	.cfi_endproc
	.size	__return__, .-__return__

	/* Way fentry, whose entry the wrapper has written out in the routine (compile/written.c): that was not enough.  rax: the routine,
	 * entered right now.  All registers but rax, r10 and the flags are kept. */
	detour	aprof_entry_miss
	save	rcx, rdx, rdi, rsi
	movq	%rax, %rdi
	TLS_BASE(%rdx)
	leaq	176-FRAME_FENTRY(%rsp), %r10	/* as it stands in the frame */
	caller_context %r10, %rcx, %rsi, %rdx, .Lmiss_slow
	PROBE(%rcx, %rdi, %rdx)
	if_sites %rdx, .Lmiss_sites
	look_further %rcx, %rdi, %rdx, .Lmiss_push, .Lmiss_push, .Lmiss_slow
.Lmiss_sites:
	movq	FRAME_FENTRY-8(%r10), %rsi
	look_at_site %rcx, %rdi, %rsi, %r11, %rdx, .Lmiss_slow
.Lmiss_push:
	push_frame %r10, %rcx, %rsi, %rdx
.Lmiss_done:
	.cfi_remember_state
	restore	rcx, rdx, rdi, rsi
	go_on
	as_remembered 168
.Lmiss_slow:
	save	r8, r9, rbp
	leaq	200(%rsp), %rsi			/* the CFA */
	xorl	%edx, %edx
	movl	$ROUTINE_INSIDE, %ecx
	call_aligned aprof_entry_slow
	restore	r8, r9, rbp
	jmp	.Lmiss_done
	.cfi_endproc
	.size	aprof_entry_miss, .-aprof_entry_miss

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
	xorl	%edx, %edx			/* its code does not read the counter, */
	xorl	%ecx, %ecx			/* and does not tell its call sites */
	call_aligned aprof_inline_slow
	restore	r8, r9, r10, rbp
	jmp	.Linline_done
	.cfi_endproc
	.size	aprof_inline_miss, .-aprof_inline_miss

	/* The same in a routine that tells its call sites.  r10: where it returns to; it is lost. */
	detour	aprof_inline_miss_sites
	save	rcx, rdx, rdi, rsi
	movq	%rax, %rdi
	TLS_BASE(%rdx)
	movq	TLS(TLS_CURRENT, %rdx), %rcx
	movq	%rcx, %rsi
	addq	%rdi, %rcx
	imulq	$STEP_FACTOR, %rcx, %rcx
	look_at_site %rcx, %rdi, %r10, %r11, %rdx, .Lsites_slow
	movq	%rcx, TLS(TLS_CURRENT, %rdx)
	movq	%rsi, %rax
.Lsites_done:
	.cfi_remember_state
	restore	rcx, rdx, rdi, rsi
	go_on
	as_remembered 168
.Lsites_slow:
	save	r8, r9, rbp
	leaq	192(%rsp), %rsi
	xorl	%edx, %edx
	movq	%r10, %rcx
	call_aligned aprof_inline_slow
	restore	r8, r9, rbp
	jmp	.Lsites_done
	.cfi_endproc
	.size	aprof_inline_miss_sites, .-aprof_inline_miss_sites

	/* Charge the counters in r11, which are those of the context in rsi, if time is taken, and enter the context in rcx, whose counters are in rdi. r8
	 * is the thread's base, r9 is lost; in rax and rdx is what aprof_inline_miss_tsc returns. */
	.macro	enter_timed
.Lcharge\@:
	movq	TLS(TLS_LAST, %r8), %r9		/* as the plugin's code does it */
	testq	%r9, %r9
	jz	.Luntimed\@
	rdtsc
	shlq	$32, %rdx
	orq	%rax, %rdx
	movq	%r9, %rax
	cmpxchgq %rdx, TLS(TLS_LAST, %r8)
	jne	.Lcharge\@
	subq	%rax, %rdx
	addq	%rdx, KEY_TIME(%r11)
	movq	%rdi, TLS(TLS_CHARGED, %r8)
.Luntimed\@:
	movq	%r11, %rdx
	movq	%rcx, TLS(TLS_CURRENT, %r8)
	movq	%rsi, %rax
	.endm

	/* Of a miss with clock tsc, of the routine in rax: rdi the routine, rsi and rcx the context, r8 the thread's words, r11 what time is charged to.  To \slow if that is not
	 * the context's, and time is taken. */
	.macro	miss_timed slow
	movq	%rax, %rdi
	TLS_BASE(%r8)
	movq	TLS(TLS_CURRENT, %r8), %rsi
	movq	TLS(TLS_CHARGED, %r8), %r11
	cmpq	$0, TLS(TLS_LAST, %r8)
	je	.Lfind\@			/* no time is taken */
	cmpq	%rsi, KEY_ID(%r11)
	jne	\slow
.Lfind\@:
	movq	%rsi, %rcx
	.endm

	/* As aprof_inline_miss, in a routine that reads the counter, for clock tsc.  Returns in rdx what was charged before.  The call is
	 * counted here if its time can be charged here: to `charged`, which has the current context's id. */
	detour	aprof_inline_miss_tsc
	save	rcx, rdi, rsi, r8, r9
	miss_timed .Ltsc_slow
	PROBE(%rcx, %rdi, %r8)
	look_further %rcx, %rdi, %r8, .Ltsc_found, .Ltsc_alias, .Ltsc_slow
.Ltsc_alias:
	movq	KEY_TIME-1(%rax), %rdi		/* the counters of the context that it leads to */
	jmp	.Ltsc_enter
.Ltsc_found:
	movq	%rax, %rdi			/* its own counters are charged from now on */
.Ltsc_enter:
	enter_timed
.Ltsc_done:
	.cfi_remember_state
	restore	rcx, rdi, rsi, r8, r9
	go_on
	as_remembered 176
.Ltsc_slow:
	save	r10, rbp
	leaq	192(%rsp), %rsi
	movl	$1, %edx
	xorl	%ecx, %ecx
	call_aligned aprof_inline_slow
	restore	r10, rbp
	jmp	.Ltsc_done
	.cfi_endproc
	.size	aprof_inline_miss_tsc, .-aprof_inline_miss_tsc

	/* The same in a routine that tells its call sites, too.  r10: where it returns to; it is lost. */
	detour	aprof_inline_miss_sites_tsc
	save	rcx, rdi, rsi, r8, r9
	miss_timed .Lsites_tsc_slow
	addq	%rdi, %rcx
	imulq	$STEP_FACTOR, %rcx, %rcx
	look_at_site %rcx, %rdi, %r10, %r9, %r8, .Lsites_tsc_slow
	movq	KEY_TIME-1(%rax), %rdi		/* the counters of the context that it leads to */
	enter_timed
.Lsites_tsc_done:
	.cfi_remember_state
	restore	rcx, rdi, rsi, r8, r9
	go_on
	as_remembered 176
.Lsites_tsc_slow:
	save	rbp
	leaq	184(%rsp), %rsi
	movl	$1, %edx
	movq	%r10, %rcx
	call_aligned aprof_inline_slow
	restore	rbp
	jmp	.Lsites_tsc_done
	.cfi_endproc
	.size	aprof_inline_miss_sites_tsc, .-aprof_inline_miss_sites_tsc

	/* Clock tsc: time is to be charged, and not to what `charged` says. All registers but r11 and the flags are kept. */
	detour	aprof_inline_charge
	save	rax, rcx, rdx, rdi, rsi, r8, r9, r10, rbp
	call_aligned aprof_inline_settle
	restore	rax, rcx, rdx, rdi, rsi, r8, r9, r10, rbp
	go_on
	.cfi_endproc
	.size	aprof_inline_charge, .-aprof_inline_charge

	/* Called in the routine's body, where the wrapper has left them (compile/assembly.c).  The routine is where they return to. */
#ifdef APROF_SHARED
#define SAVE_BASE	save	rcx; TLS_BASE(%rcx)
#define RESTORE_BASE	restore	rcx
#define SAVED_BASE	8
#else
#define SAVE_BASE
#define RESTORE_BASE
#define SAVED_BASE	0
#endif
	.globl	__aprof_enter
	.type	__aprof_enter, @function
	.p2align 6
__aprof_enter:
	.cfi_startproc
	_CET_ENDBR
	SAVE_BASE
	leaq	16-FRAME_FENTRY(%rbp), %r9
	caller_context %r9, %r10, %rax, %rcx, .Lbody_slow
	movq	SAVED_BASE(%rsp), %r11
	PROBE(%r10, %r11, %rcx)
	FIND(%r10, %r11, .Lbody_further)
.Lbody_push:
	push_frame %r9, %r10, %rax, %rcx
	.cfi_remember_state
	RESTORE_BASE
	ret
	as_remembered 8+SAVED_BASE
.Lbody_further:
	if_sites %rcx, .Lbody_sites
	look_further %r10, %r11, %rcx, .Lbody_push, .Lbody_push, .Lbody_slow
.Lbody_sites:
	save	rsi, rdi
	movq	8(%rbp), %rsi
	look_at_site %r10, %r11, %rsi, %rdi, %rcx, .Lbody_sites_slow
	.cfi_remember_state
	restore	rsi, rdi
	jmp	.Lbody_push
	as_remembered 24+SAVED_BASE
.Lbody_sites_slow:
	restore	rsi, rdi
.Lbody_slow:
	RESTORE_BASE
	save	rcx, rdx, rsi, rdi, r8, rbp
	movq	48(%rsp), %rdi			/* routine, CFA */
	leaq	16(%rbp), %rsi
	xorl	%edx, %edx
	movl	$ROUTINE_INSIDE+ROUTINE_BODY, %ecx
	call_aligned aprof_entry_slow
	restore	rcx, rdx, rsi, rdi, r8, rbp
	ret
	.cfi_endproc
	.size	__aprof_enter, .-__aprof_enter

	/* The routine, whose address is in rax, is entered once more on the frame that it has: a recursion that was inlined. */
	.globl	__aprof_enter_inlined
	.type	__aprof_enter_inlined, @function
	.p2align 5
__aprof_enter_inlined:
	.cfi_startproc
	_CET_ENDBR
	save	rcx, rdx, rsi, rdi, r8, rbp
	movq	48(%rsp), %rdx			/* routine, CFA, where it was inlined */
	movq	%rax, %rdi
	leaq	16(%rbp), %rsi
	movl	$ROUTINE_INSIDE+ROUTINE_BODY+ROUTINE_INLINED, %ecx
	call_aligned aprof_entry_slow
	restore	rcx, rdx, rsi, rdi, r8, rbp
	ret
	.cfi_endproc
	.size	__aprof_enter_inlined, .-__aprof_enter_inlined

	.globl	__aprof_leave
	.type	__aprof_leave, @function
	.p2align 5
__aprof_leave:
	.cfi_startproc
	_CET_ENDBR
	TLS_BASE(%r9)
	leaq	16-FRAME_FENTRY(%rbp), %r10
	pop_frame %r10, %r11, %r9, .Lbody_exit_slow
	ret
.Lbody_exit_slow:
	save	rax, rcx, rdx, rsi, rdi, r8, rbp
	leaq	16(%rbp), %rdi			/* CFA, site, routine */
	xorl	%esi, %esi
	xorl	%edx, %edx
	call_aligned aprof_exit_slow
	restore	rax, rcx, rdx, rsi, rdi, r8, rbp
	ret
	.cfi_endproc
	.size	__aprof_leave, .-__aprof_leave

	/* A program that brings hooks of its own keeps them: the plain names are weak, and where a shared library has them, too (originals.c), theirs are
	 * called. The names that the wrapper links way cyg to (--wrap) are ours alone: libc has empty hooks, which a shared library in a plain program
	 * would find first.  aprof_cyg_: for the calibration. */
	.macro	cyg_names name
	.weak	__cyg_profile_func_\name
	.type	__cyg_profile_func_\name, @function
	.p2align 4
__cyg_profile_func_\name:
	.cfi_startproc
	_CET_ENDBR
	movq	aprof_own_\name(%rip), %rax
	testq	%rax, %rax
	jz	aprof_cyg_\name
	jmp	*%rax
	.cfi_endproc
	.size	__cyg_profile_func_\name, .-__cyg_profile_func_\name
	.globl	__wrap___cyg_profile_func_\name
	.type	__wrap___cyg_profile_func_\name, @function
	.globl	aprof_cyg_\name
	.hidden	aprof_cyg_\name
	.type	aprof_cyg_\name, @function
	.p2align 6
__wrap___cyg_profile_func_\name:
aprof_cyg_\name:
	.endm

	/* rdi: entry address of the routine; rsi: where it was called from. An inlined routine shares the CFA and the
	 * call site of the one that it was inlined into, but not the place of the call of this hook; all else at the same
	 * CFA is another activation. */
	cyg_names enter
	.cfi_startproc
	_CET_ENDBR
	TLS_BASE(%r9)
	movq	TLS(TLS_TOP, %r9), %r10
	leaq	16-FRAME_FENTRY(%rbp), %rdx
	cmpq	TLS(TLS_REACH, %r9), %rdx
	jno	.Lenter_slow			/* as in __aprof_entry */
	cmpq	%rdx, FRAME_CFA(%r10)
	jbe	.Lenter_same
.Lenter_live:
	movq	FRAME_CONTEXT(%r10), %rcx
	PROBE(%rcx, %rdi, %r9)
	FIND(%rcx, %rdi, .Lenter_further)
.Lenter_push:
	decq	%rdx				/* the CFA less FRAME_CYG */
	addq	$FRAME_SIZE, TLS(TLS_TOP, %r9)	/* as in push_frame */
	movq	%rcx, FRAME_SIZE+FRAME_CONTEXT(%r10)
	movl	%esi, FRAME_SIZE+FRAME_SITE(%r10)
	movl	(%rsp), %r8d
	movl	%r8d, FRAME_SIZE+FRAME_HOOK(%r10)
	movq	%rdx, FRAME_SIZE+FRAME_CFA(%r10)
	ret
.Lenter_further:
	if_sites %r9, .Lenter_sites
	look_further %rcx, %rdi, %r9, .Lenter_push, .Lenter_push, .Lenter_slow
.Lenter_sites:
	movq	8(%rbp), %r11
	leaq	-1(%rdx), %rax
	cmpq	%rax, FRAME_CFA(%r10)
	jne	.Lenter_sites_look
	movq	(%rsp), %r11			/* it is inlined: the place of this hook */
.Lenter_sites_look:
	look_at_site %rcx, %rdi, %r11, %r8, %r9, .Lenter_slow
	jmp	.Lenter_push
.Lenter_same:
	leaq	-1(%rdx), %rax
	cmpq	%rax, FRAME_CFA(%r10)
	jne	.Lenter_slow
	cmpl	%esi, FRAME_SITE(%r10)
	jne	.Lenter_slow
	movl	(%rsp), %r8d
	movq	%r10, %rcx
.Lenter_same_next:
	cmpl	%r8d, FRAME_HOOK(%rcx)
	je	.Lenter_slow			/* this very entry again: the frames down to it were left by longjmp */
	subq	$FRAME_SIZE, %rcx
	cmpq	%rax, FRAME_CFA(%rcx)
	je	.Lenter_same_next
	leaq	2*FRAME_SIZE(%r10), %rax
	cmpq	TLS(TLS_END, %r9), %rax
	jae	.Lenter_slow
	addq	$8, TLS(TLS_REACH, %r9)		/* it takes room in the shadow, but none on the machine stack */
	jmp	.Lenter_live
.Lenter_slow:
	movl	%esi, %eax			/* routine, CFA, site and hook, flags */
	movl	(%rsp), %edx
	shlq	$32, %rdx
	orq	%rax, %rdx
	leaq	16(%rbp), %rsi
	xorl	%ecx, %ecx
	jmp	aprof_entry_slow
	.cfi_endproc
	.size	__wrap___cyg_profile_func_enter, .-__wrap___cyg_profile_func_enter

	cyg_names exit
	.cfi_startproc
	_CET_ENDBR
	TLS_BASE(%r9)
	movq	TLS(TLS_TOP, %r9), %rax
	cmpq	%rsi, (%rsp)
	je	.Lleave_jumped
	leaq	16-FRAME_CYG(%rbp), %rdx
	cmpq	%rdx, FRAME_CFA(%rax)
	jne	.Lleave_slow
.Lleave:
	movq	$0, FRAME_CFA(%rax)		/* as in pop_frame */
	subq	$FRAME_SIZE, %rax
	movq	%rax, TLS(TLS_TOP, %r9)
	ret
.Lleave_jumped:					/* in the place of the routine's frame; rbp is the caller's */
	leaq	8-FRAME_CYG(%rsp), %rdx
	cmpq	%rdx, FRAME_CFA(%rax)
	je	.Lleave
.Lleave_slow:
	leaq	FRAME_CYG(%rdx), %rcx
	movq	%rdi, %rdx
	movq	%rcx, %rdi
	jmp	aprof_exit_slow
	.cfi_endproc
	.size	__wrap___cyg_profile_func_exit, .-__wrap___cyg_profile_func_exit

	/* vfork (--wrap).  The child returns first, on the same stack: the return address waits in a register.
	 * The real one is named only since ld 2.40 crashes in static links if nobody refers to it. */
	.globl	__real_vfork
	.globl	__wrap_vfork
	.type	__wrap_vfork, @function
	.p2align 4
__wrap_vfork:
	.cfi_startproc
	_CET_ENDBR
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	aprof_vfork_before
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, rdi
	movl	$58, %eax			/* vfork */
	syscall
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rip, 0
	testl	%eax, %eax
	jnz	.Lvfork_parent
	ret
.Lvfork_parent:
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	call	aprof_vfork_after
	popq	%rax
	.cfi_adjust_cfa_offset -8
	cmpl	$-4095, %eax
	jae	.Lvfork_failed
	ret
.Lvfork_failed:
	negl	%eax
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	call	__errno_location@PLT
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	movl	%ecx, (%rax)
	movl	$-1, %eax
	ret
	.cfi_endproc
	.size	__wrap_vfork, .-__wrap_vfork

#ifndef APROF_SHARED
	/* Entry of static programs: their resolvers of IFUNCs run before there are thread-local words at all, so
	 * there be words, inert, until libc sets up its own. The stack and rdx are for _start. */
	.globl	aprof_static_entry
	.type	aprof_static_entry, @function
	.weak	_start
	.p2align 4
aprof_static_entry:
	.cfi_startproc
	.cfi_undefined rip
	_CET_ENDBR
	movq	%rdx, %rbx
	xorl	%edi, %edi
	movq	$aprof_tls@tpoff, %rsi
	negq	%rsi
	addq	$128, %rsi			/* from our words up to where the ABI has the self pointer */
	movl	$3, %edx			/* PROT_READ | PROT_WRITE */
	movl	$0x22, %r10d			/* MAP_PRIVATE | MAP_ANONYMOUS */
	movq	$-1, %r8
	xorl	%r9d, %r9d
	movl	$9, %eax			/* mmap */
	syscall
	cmpq	$-4095, %rax
	jae	.Lstart
	leaq	aprof_front_none(%rip), %rcx
	movq	%rcx, TLS_FRONT(%rax)
	leaq	aprof_frame_none(%rip), %rcx
	movq	%rcx, TLS_TOP(%rax)
	movq	$INERT_EARLY, TLS_INERT(%rax)
	subq	$aprof_tls@tpoff, %rax
	movq	%rax, (%rax)
	movq	%rax, %rsi
	movl	$0x1002, %edi			/* ARCH_SET_FS */
	movl	$158, %eax			/* arch_prctl */
	syscall
.Lstart:
	movq	%rbx, %rdx
	xorl	%ebx, %ebx
	jmp	_start
	.cfi_endproc
	.size	aprof_static_entry, .-aprof_static_entry
#endif

	.section .note.GNU-stack, "", @progbits
