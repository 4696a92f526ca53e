/* compared_sides.h - [PROGRAM] BASE... --against [PROGRAM] NEW...: what is compared with what. */
#ifndef COMPARED_SIDES_H
#define COMPARED_SIDES_H

#include "cli/options.h"

/* One side: its runs, each a profile. */
struct side {
	const char *program;	/* ELF file of the runs' main program; NULL: as the profiles say */
	bool lent;		/* the program is the other side's, and may be none of this one's */
	const char *label;	/* what all of its runs are called; NULL: each as its profile */
	const char *value;	/* what they are compared by; NULL: as the options say */
	char **files;		/* profiles, pointing into argv */
	size_t n;		/* how many, 1 at least */
	const struct input *built; /* the only one of them, built; NULL: it is to be read */
};

struct compared_sides {
	struct side base, fresh;
};

/* How many of O's operands are of the base side: those before --against, or up to the first profile. */
size_t compared_sides_first(const struct options *o);

/* Sort the operands of O, told apart by their contents.  Without --against there must be two profiles, the first the base, or a file that has two; a
 * single program then is for both sides.  False after a message. */
bool compared_sides_sort(struct compared_sides *s, const struct options *o, const char *command);
void compared_sides_free(struct compared_sides *s);


/* Read and build the runs of S as two profiles, each side the mean of its runs, into IN[0..2) for as long as S is compared.  False with *ERR set; both are freed with input_free in any case. */
bool compared_sides_build(struct input in[2], struct compared_sides *s, const struct options *o, struct error *err);

/* Read, symbolise and build each run as O says, one after the other, and add it to C, with PARTS, and judge; PAIRED: the runs of the
 * sides are pairs, measured in turn.  False with *ERR set. */
bool compared_sides_compare(struct comparison *c, const struct compared_sides *s, const struct options *o, struct comparison_parts parts, bool paired, struct error *err);

#endif
