/* none.S - what stands for the page in a build without Node.js: nothing. */
	.section .rodata
	.globl page_template, page_template_end
page_template:
page_template_end:
	.section .note.GNU-stack, "", %progbits
