/* heard.h - notes for whoever shows a profile: what reading it had to say, kept. */
#ifndef PUBLIC_HEARD_H
#define PUBLIC_HEARD_H

#include "base/arena.h"
#include "understand/analysis.h"

struct heard {
	struct input_listener listener;	/* keeps what it is told in this very struct, which must not move */
	char **notes;			/* lines */
	size_t n;			/* how many */
	uint32_t nwarnings;		/* of the symbols' warnings that are among them */
	struct arena strings;
};

/* Begin to listen.  What does not fit into memory is not kept. */
void heard_begin(struct heard *h);
void heard_free(struct heard *h);

/* Keep what IN, which is built, has to tell: processes that did not end, files that were cut off. */
void heard_lives(struct heard *h, const struct input *in);

/* Keep the warnings of S that are new. */
void heard_symbols(struct heard *h, const struct symbols *s);

#endif
