/* probe.h - for the assembly of the hooks: step B1, the probe of the front table.  Not for C. */
#ifndef PROBE_H
#define PROBE_H

#include <cet.h>
#ifndef _CET_ENDBR
#define _CET_ENDBR
#endif

#include "contract/layout.h"

/* In a shared object the thread's words are found through the GOT, which costs a register. */
#ifdef APROF_SHARED
#define TLS_BASE(reg)	movq	aprof_tls@gottpoff(%rip), reg
#define TLS(offset, reg) %fs:offset(reg)
#else
#define TLS_BASE(reg)
#define TLS(offset, reg) %fs:aprof_tls@tpoff+offset
#endif

/* ID, a context, becomes the one that a call of ROUTINE leads to, and RAX the front table's target there. */
#define PROBE(id, routine, reg) \
	addq	routine, id; \
	imulq	$STEP_FACTOR, id, id; \
	movq	id, %rax; \
	shrq	$FRONT_SHIFT, %rax; \
	andq	TLS(TLS_MASK, reg), %rax; \
	addq	TLS(TLS_FRONT, reg), %rax; \
	movq	(%rax), %rax

/* The other slot of the pair: what was called before the first one's, or has it for its own. */
#define SECOND(id, reg) \
	movq	id, %rax; \
	shrq	$FRONT_SHIFT, %rax; \
	andq	TLS(TLS_MASK, reg), %rax; \
	xorq	$FRONT_SLOT, %rax; \
	addq	TLS(TLS_FRONT, reg), %rax; \
	movq	(%rax), %rax

/* Count the call that leads to ID if RAX is its context's. */
#define FIND(id, routine, not_found) \
	cmpq	id, KEY_ID(%rax); \
	jne	not_found; \
	cmpq	routine, KEY_ROUTINE(%rax); \
	jne	not_found; \
	incq	KEY_CALLS(%rax)

/* One time in four, let RAX, which was found in the other slot of ID's pair, change places with what is in ID's own, where what
 * is called most comes to stay. A signal handler in between finds one of them twice. SCRATCH is changed. Goes on at DONE. */
#define PROMOTE(id, scratch, reg, done) \
	testb	$3, KEY_CALLS(%rax); \
	jnz	done; \
	movq	id, scratch; \
	shrq	$FRONT_SHIFT, scratch; \
	andq	TLS(TLS_MASK, reg), scratch; \
	addq	TLS(TLS_FRONT, reg), scratch; \
	pushq	(scratch); \
	.cfi_adjust_cfa_offset 8; \
	movq	%rax, (scratch); \
	xorq	$FRONT_SLOT, scratch; \
	popq	(scratch); \
	.cfi_adjust_cfa_offset -8

/* The same if RAX is an alias; ID becomes the context that it leads to. */
#define FIND_ALIAS(id, routine, not_found) \
	cmpq	id, KEY_ID-1(%rax); \
	jne	not_found; \
	cmpq	routine, KEY_ROUTINE-1(%rax); \
	jne	not_found; \
	movq	ALIAS_COUNT-1(%rax), id; \
	incq	KEY_CALLS(id); \
	movq	ALIAS_TO-1(%rax), id

/* The same if RAX is the alias of call site SITE, whose key's id is KEY. */
#define FIND_SITE(key, routine, site, not_found) \
	testb	$1, %al; \
	jz	not_found; \
	cmpq	key, KEY_ID-1(%rax); \
	jne	not_found; \
	cmpq	routine, KEY_ROUTINE-1(%rax); \
	jne	not_found; \
	cmpq	site, ALIAS_SITE-1(%rax); \
	jne	not_found

/* RAX becomes what the front table of call sites has where KEY belongs. */
#define SITE_SLOT(key, reg) \
	movq	key, %rax; \
	shrq	$FRONT_SHIFT, %rax; \
	andq	TLS(TLS_SITES_MASK, reg), %rax

	.macro	save reg, more:vararg
	pushq	%\reg
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \reg, 0
	.ifnb	\more
	save	\more
	.endif
	.endm

	/* What save has saved, named in the same order. */
	.macro	restore reg, more:vararg
	.ifnb	\more
	restore	\more
	.endif
	popq	%\reg
	.cfi_adjust_cfa_offset -8
	.cfi_restore \reg
	.endm

	/* As at the last .cfi_remember_state, where the CFA stood OFFSET bytes above the stack pointer: Clang's assembler remembers all but
	 * that (14 does not, 19 does). */
	.macro	as_remembered offset
	.cfi_restore_state
	.cfi_def_cfa_offset \offset
	.endm

	/* Call FUNCTION on a stack that is aligned; rbp is saved. */
	.macro	call_aligned function
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	andq	$-16, %rsp
	call	\function
	movq	%rbp, %rsp
	.cfi_def_cfa_register rsp
	.endm

	/* RAX, from ID's own slot, is not its context.  Goes on at FOUND if it is in the other slot, at ALIAS if an alias in either
	 * says what it is, then ID; ROUTINE is changed. */
	.macro	look_further id, routine, base, found, alias, slow
	testb	$1, %al
	jnz	.Lown\@
.Lsecond\@:
	SECOND(\id, \base)
	testb	$1, %al
	jnz	.Lother\@
	FIND(\id, \routine, \slow)
	PROMOTE(\id, \routine, \base, \found)
	jmp	\found
.Lown\@:
	FIND_ALIAS(\id, \routine, .Lsecond\@)
	jmp	\alias
.Lother\@:
	FIND_ALIAS(\id, \routine, \slow)
	jmp	\alias
	.endm

	/* To LABEL if the thread's call sites are told apart. Only where the first probe has failed, which it always does then. */
	.macro	if_sites base, label
	cmpq	$0, TLS(TLS_SITES_MASK, \base)
	jne	\label
	.endm

	/* Count the call of ROUTINE from SITE that leads to ID, which becomes the context after it; KEY is lost. */
	.macro	look_at_site id, routine, site, key, base, slow
	leaq	(\id,\site), \key
	imulq	$STEP_FACTOR, \key, \key
	SITE_SLOT(\key, \base)
	addq	TLS(TLS_SITES, \base), %rax
	movq	(%rax), %rax
	FIND_SITE(\key, \routine, \site, .Lother\@)
	jmp	.Lcount\@
.Lother\@:
	SITE_SLOT(\key, \base)
	xorq	$FRONT_SLOT, %rax
	addq	TLS(TLS_SITES, \base), %rax
	movq	(%rax), %rax
	FIND_SITE(\key, \routine, \site, \slow)
.Lcount\@:
	movq	ALIAS_COUNT-1(%rax), \key
	incq	KEY_CALLS(\key)
	movq	ALIAS_TO-1(%rax), \id
	.endm

	/* A place that code jumps to, having put into r11 where it goes on.  Kept is what lies below the stack pointer, where a leaf may have
	 * its variables. */
	.macro	detour name
	.globl	\name
	.type	\name, @function
	.p2align 6
\name:
	.cfi_startproc
	.cfi_def_cfa_offset 0
	.cfi_register rip, r11
	_CET_ENDBR
	leaq	-128(%rsp), %rsp
	.cfi_adjust_cfa_offset 128
	save	r11
	.cfi_rel_offset rip, 0
	.endm
	.macro	go_on
	restore	r11
	.cfi_register rip, r11
	leaq	128(%rsp), %rsp
	.cfi_adjust_cfa_offset -128
	notrack jmp *%r11
	.endm
#endif
