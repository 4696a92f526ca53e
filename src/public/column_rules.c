/* column_rules.c - what the columns of routines and arcs are. */
#include "public/tables.h"

const struct column_rule routine_rules[ROUTINE_COLUMNS] = {
	[R_NAME] = { "name", APROF_TEXT, NULL, NULL, "the routine, as the programmer wrote it", false },
	[R_MODULE] = { "module", APROF_TEXT, NULL, NULL, "path of the program or library that it is in", false },
	[R_FILE] = { "file", APROF_TEXT, NULL, NULL, "source file", false },
	[R_LINE] = { "line", APROF_INTEGER, NULL, NULL, "line of its definition", true },
	[R_CALLS] = { "calls", APROF_INTEGER, "calls", NULL, "calls from other routines; not known of sampled stacks", true },
	[R_RECURSIVE] = { "recursive", APROF_INTEGER, "calls", NULL, "direct recursive calls", true },
	[R_SELF] = { "self", APROF_INTEGER, COLUMN_VALUE, NULL, "spent in the routine itself", false },
	[R_SELF_ERROR] = { "self_error", APROF_REAL, COLUMN_VALUE, NULL, "by so much self may be off, with a confidence of 95 %", false },
	[R_TOTAL] = { "total", APROF_INTEGER, COLUMN_VALUE, NULL, "spent while it was active, in it or in what it called, counted once", false },
	[R_TOTAL_ERROR] = { "total_error", APROF_REAL, COLUMN_VALUE, NULL, "by so much total may be off", false },
	[R_SELF_SAMPLES] = { "self_samples", APROF_INTEGER, "samples", NULL, "samples behind self", false },
	[R_TOTAL_SAMPLES] = { "total_samples", APROF_INTEGER, "samples", NULL, "samples behind total", false },
	[R_LISTED] = { "listed", APROF_FLAG, NULL, NULL, "it has calls or time, so that reports list it", false },
	[R_PARTLY] = { "partly", APROF_FLAG, NULL, NULL, "its beginning was inlined somewhere: calls may be more", false },
	[R_PSEUDO] = { "pseudo", APROF_FLAG, NULL, NULL, "no routine, but what stands for one: (elided), (lost)", false },
};

const struct column_rule arc_rules[ARC_COLUMNS] = {
	[A_CALLER] = { "caller", APROF_INDEX, NULL, "routines", "who calls; none: it began a stack, or nobody is known to have called it", false },
	[A_CALLEE] = { "callee", APROF_INDEX, NULL, "routines", "who is called", false },
	[A_CALLS] = { "calls", APROF_INTEGER, "calls", NULL, "calls along the arc", true },
	[A_SELF] = { "self", APROF_INTEGER, COLUMN_VALUE, NULL, "spent in the callee itself for this caller; with children it adds up, over callers, to the callee's total", true },
	[A_CHILDREN] = { "children", APROF_INTEGER, COLUMN_VALUE, NULL, "spent in what the callee called, likewise", false },
	[A_ERROR] = { "error", APROF_REAL, COLUMN_VALUE, NULL, "by so much self and children together may be off", false },
	[A_OUT_SELF] = { "waited_self", APROF_INTEGER, COLUMN_VALUE, NULL, "spent in the callee itself while the caller's latest activation waited for it; with waited_children it adds up, over callees, to the caller's total less self", true },
	[A_OUT_CHILDREN] = { "waited_children", APROF_INTEGER, COLUMN_VALUE, NULL, "spent in what the callee called, likewise", false },
	[A_OUT_ERROR] = { "waited_error", APROF_REAL, COLUMN_VALUE, NULL, "by so much these two together may be off", false },
	[A_FOLDED] = { "folded", APROF_FLAG, NULL, NULL, "recursion: the two views may differ", false },
};
