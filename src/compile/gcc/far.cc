/* far.cc - notes of the parts of routines that GCC has put far from the rest.
 *
 * What is hardly ever needed stands in a section of its own, with a frame description of its own, and nothing that is left in a program
 * without symbols tells whose it is.  The monitor, which finds the routines that are open by those descriptions (inside/stacks/frames.c),
 * would take it for code without hooks.  So for each such routine there is a note (owner "aprof", type 2) of two words: where the last byte of
 * each part is, from where the word stands.  For the other ways compile/assembly.c writes the same.
 *
 * The note is linked to the section of the entry: a linker that drops the one drops the other (gold, with --gc-sections, drops all notes). */
#include "compile/gcc/parts.h"

namespace aprof {

/* GCC's pass that writes a function has ended: its labels are known, and not yet forgotten. */
unsigned int write_far_note(function *fun)
{
	const char *hot = crtl->subsections.hot_section_end_label, *cold = crtl->subsections.cold_section_end_label;
	const char *near = first_function_block_is_cold ? cold : hot, *far = first_function_block_is_cold ? hot : cold;

	if (!hot || !cold || ix86_cmodel == CM_LARGE || ix86_cmodel == CM_LARGE_PIC)
		return 0;
	switch_to_section(function_section(fun->decl));
	fputs("\t.pushsection .aprof.note,\"ao?\",@note,", asm_out_file);
	assemble_name(asm_out_file, near);
	fputs("\n\t.balign 4\n\t.long 6, 8, 2\n\t.asciz \"aprof\"\n\t.balign 4\n\t.long ", asm_out_file);
	assemble_name(asm_out_file, far);
	fputs("-1-.\n\t.long ", asm_out_file);
	assemble_name(asm_out_file, near);
	fputs("-1-.\n\t.popsection\n", asm_out_file);
	return 0;
}

} /* namespace aprof */
