/* stub.S - the hooks that keep registers, counting; every register but the flags stays as it was. The entry of static programs. */
	.text
	.globl	__aprof_entry, __aprof_enter, __aprof_enter_inlined
	.type	__aprof_entry, @function
	.type	__aprof_enter, @function
	.type	__aprof_enter_inlined, @function
__aprof_entry:
__aprof_enter:
__aprof_enter_inlined:
	push	%rax
	mov	stub_entries@GOTPCREL(%rip), %rax
	incq	(%rax)
	pop	%rax
	ret

	.globl	__return__, __aprof_leave
	.type	__return__, @function
	.type	__aprof_leave, @function
__return__:
__aprof_leave:
	push	%rax
	mov	stub_exits@GOTPCREL(%rip), %rax
	incq	(%rax)
	pop	%rax
	ret

	.globl	__aprof_return
	.type	__aprof_return, @function
__aprof_return:
	mov	stub_exits@GOTPCREL(%rip), %rcx
	incq	(%rcx)
	ret

	/* Where written hooks go that found nothing, as they do in words that are zeros but for the top frame. */
	.globl	aprof_entry_miss
	.type	aprof_entry_miss, @function
aprof_entry_miss:
	mov	stub_entries@GOTPCREL(%rip), %r10
	incq	(%r10)
	notrack jmp *%r11

	/* The entry of static programs. */
	.globl	aprof_static_entry
	.type	aprof_static_entry, @function
	.weak	_start
aprof_static_entry:
	jmp	_start@PLT

	.section .note.GNU-stack, "", @progbits
