/* notes.h - what the monitor noted, in plain words. */
#ifndef NOTES_H
#define NOTES_H

#include <stdbool.h>

#include "contract/amon.h"

struct note {
	const char *name;	/* short name, for JSON */
	const char *text;	/* what happened, after "N times: " */
	const char *advice;	/* what to do; NULL: nothing */
	bool harmless;		/* nothing was lost: information only */
};

/* The text of each enum amon_note; of a kind from a newer monitor, a text that says so. */
const struct note *notes_find(unsigned kind);

#endif
