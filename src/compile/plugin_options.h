/* plugin_options.h - what the user asks of way inline; GCC's plugin and LLVM's are told it by the same words, KEY and VALUE. */
#ifndef PLUGIN_OPTIONS_H
#define PLUGIN_OPTIONS_H

#include <stdbool.h>

#include "base/list.h"
#include "compile/select.h"

/* What is done where the hooks are not proven. */
enum verify { VERIFY_MEND, VERIFY_ERROR, VERIFY_REPORT };

/* All zero: nothing was asked for. */
struct plugin_options {
	struct select select;	/* patterns of files and routines to leave out */
	int leaf;		/* leaves of fewer statements, or of LLVM's instructions, than this are, too; 0: none */
	bool tsc;		/* read the cycle counter */
	bool sites;		/* tell call sites */
	int layout;		/* seed of the functions' layout; 0: as the compiler has it */
	enum verify verify;
	bool verbose;		/* say what was mended */
	bool lose_exits;	/* for tests: lose exits before tail calls, of GCC those before jumps that are not straight behind them */
	bool lose_receivers;	/* for tests: do not put back the function's own context where control comes back by no return */
	struct list switches;	/* functions that come back on a stack that was left, named by the user; as linked */
};

/* Take KEY=VALUE in.  The patterns are those of compile/select.h, without the prefix that tells files from routines.  False: there is no such key, or not with that
 * value. */
bool plugin_options_take(struct plugin_options *o, const char *key, const char *value);

#endif
