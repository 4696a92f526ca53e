/* tables.h - columns that routines and arcs have, of whatever profile. */
#ifndef PUBLIC_TABLES_H
#define PUBLIC_TABLES_H

#include "public/typed_table.h"

enum { R_NAME, R_MODULE, R_FILE, R_LINE, R_CALLS, R_RECURSIVE, R_SELF, R_SELF_ERROR, R_TOTAL, R_TOTAL_ERROR, R_SELF_SAMPLES, R_TOTAL_SAMPLES, R_LISTED, R_PARTLY, R_PSEUDO,
	ROUTINE_COLUMNS };
enum { A_CALLER, A_CALLEE, A_CALLS, A_SELF, A_CHILDREN, A_ERROR, A_OUT_SELF, A_OUT_CHILDREN, A_OUT_ERROR, A_FOLDED, ARC_COLUMNS };

extern const struct column_rule routine_rules[ROUTINE_COLUMNS], arc_rules[ARC_COLUMNS];

#endif
