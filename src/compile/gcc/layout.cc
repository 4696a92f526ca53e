/* layout.cc - functions laid out by chance, so that what layout alone does to a program's time can be told from what its code does (aprof compare --layouts).
 *
 * Each function gets an alignment, and a section whose name decides where GNU ld's script puts it (.text.sorted.*, by name), both by the seed and
 * the function's name.  Those that share a section with others of its kind for a reason (comdat groups, the program's own sections) get the alignment alone. */
#include "compile/gcc/parts.h"

namespace aprof {

enum { LEAST_ALIGNMENT = 16, ALIGNMENTS = 4 };	/* bytes; 16, 32, 64, 128 */

/* 32 bits of the seed and the name of DECL (FNV-1a, the upper half). */
static unsigned draw(tree decl)
{
	unsigned HOST_WIDE_INT h = 0xcbf29ce484222325;

	for (int i = 0; i < 4; i++)
		h = (h ^ (options.layout >> 8 * i & 0xff)) * 0x100000001b3;
	for (const char *c = assembler_name(decl); *c; c++)
		h = (h ^ (unsigned char)*c) * 0x100000001b3;
	return h >> 32;
}

/* Before anything is inlined. */
void lay_out(void *, void *)
{
	cgraph_node *node;

	if (!options.layout)
		return;
	FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node) {
		unsigned drawn = draw(node->decl), bytes = LEAST_ALIGNMENT << drawn % ALIGNMENTS;
		char section[40];

		if (DECL_ALIGN(node->decl) < bytes * BITS_PER_UNIT) {
			SET_DECL_ALIGN(node->decl, bytes * BITS_PER_UNIT);
			DECL_USER_ALIGN(node->decl) = 1;
		}
		if (DECL_SECTION_NAME(node->decl) || DECL_COMDAT_GROUP(node->decl))
			continue;
		snprintf(section, sizeof section, ".text.sorted.%08x", drawn);
		node->set_section(section);
	}
}

} /* namespace aprof */
