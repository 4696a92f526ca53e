/* choice.h - the wrapper's own options, all of which begin with --aprof-. */
#ifndef CHOICE_H
#define CHOICE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/list.h"
#include "compile/select.h"
#include "compile/way.h"

struct choice {
	struct way way;		/* --aprof-way= */
	struct select select;	/* --aprof-only=, --aprof-except= */
	int leaf;		/* --aprof-leaf=: statements; 0: not given */
	struct list switches;	/* --aprof-switch=: routines that switch stacks */
	int layout;		/* --aprof-layout=: seed; 0: not given */
	bool tsc;		/* --aprof-clock=tsc */
	bool sites;		/* --aprof-sites */
	bool callers;		/* --aprof-callers */
	const char *verify;	/* --aprof-verify, --aprof-verify=report: what the plugin calls it, static; NULL: not given */
	bool verbose;		/* --aprof-verbose */
};

/* Take WORD in if it is one of ours. *OURS tells; false with *ERR set if it is one of ours that is wrong. */
bool choice_take(struct choice *c, const char *word, bool *ours, struct error *err);

/* Take the seed VALUE, of the option or the environment's APROF_LAYOUT.  False with *ERR set: it is none. */
bool choice_take_layout(struct choice *c, const char *value, struct error *err);

/* Append the plugin's arguments, KEY=VALUE, for all of C but the clock and call sites (way_compile_flags). */
void choice_arguments(const struct choice *c, struct list *out);

/* The same with these. */
void choice_all_arguments(const struct choice *c, struct list *out);

void choice_free(struct choice *c);

#endif
