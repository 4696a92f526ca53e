/* plain_shares.h - the share of samples in code without hooks, by module. */
#ifndef PLAIN_SHARES_H
#define PLAIN_SHARES_H

#include "understand/findings/report_input.h"

struct plain_module {
	const char *module;	/* path; NULL: addresses of no module */
	bool hooked;		/* other functions of it do have hooks */
	bool chosen;		/* some of its functions were left out at compile time as the user chose */
	uint64_t count;		/* samples in its code without hooks */
};

/* Empty without symbols. */
struct plain {
	struct plain_module *modules; /* most samples first; those without any are left out */
	size_t n;		/* how many */
	uint64_t samples;	/* all samples with a program counter */
	uint64_t hooks;		/* of them in aprof's own code */
	uint64_t count;		/* of them in code without hooks */
};

/* Look where the samples of IN fell.  False with *ERR set: out of memory.  Freed with plain_shares_free. */
bool plain_shares_make(struct plain *p, const struct report_input *in, struct error *err);
void plain_shares_free(struct plain *p);

#endif
