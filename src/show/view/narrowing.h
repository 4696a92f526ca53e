/* narrowing.h - to which routines what is looked at is narrowed down, by their names: these last while graphs are built anew. */
#ifndef VIEW_NARROWING_H
#define VIEW_NARROWING_H

#include <stdbool.h>
#include <stdio.h>

#include "base/print.h"
#include "show/report/report.h"

enum narrowing_kind {
	NARROWING_FOCUS,	/* contexts in which the routine is active alone, instead of what was in focus before */
	NARROWING_MODULE,	/* the same of all routines of a module, named by its path */
	NARROWING_HIDE,		/* without the routine, its frames are its callers'; what was hidden before stays so */
};

/* Zero it before the first use. */
struct narrowing {
	char *focus;		/* a routine's name; NULL: none */
	char *module;		/* a module's path; NULL: none */
	char **hide;		/* routines' names */
	size_t nhide;		/* how many */
	char **all;		/* what graph options have: what they hid by themselves, and these */
};

/* Add NAME as KIND.  False: out of memory. */
bool narrowing_add(struct narrowing *n, enum narrowing_kind kind, const char *name);

/* Whether there is any. */
bool narrowing_is_on(const struct narrowing *n);

/* Have OPTIONS, those that were given, ask for it, too: a focus replaces theirs.  N keeps the strings, to the next call.  False: out of memory. */
bool narrowing_apply(struct narrowing *n, struct graph_options *options);

/* Print it to OUT, two blanks before each part. */
void narrowing_print(const struct narrowing *n, const struct text_style *style, FILE *out);

/* All is looked at again. */
void narrowing_clear(struct narrowing *n);

#endif
