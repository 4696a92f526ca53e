/* sample.h - what kind of code a sample's program counter was in, seen from the routine that ran. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "report/report.h"

enum sample_place {
	SAMPLE_OWN,		/* the running routine's own code, hooks apart */
	SAMPLE_HOOK,		/* aprof's own code, be it in the routine by way inline */
	SAMPLE_EDGE,		/* another routine with hooks, before its entry hook or after its exit hook;
				 * or a function without name of a module with hooks */
	SAMPLE_PLAIN,		/* code without hooks */
	SAMPLE_NOWHERE,		/* no module: generated code, or unloaded */
};

/* What it takes to tell. */
struct samples {
	const struct report_input *in;	/* whose samples; has symbols */
	const char **keys;		/* identities of all routines with hooks that were called, sorted */
};

/* False with *ERR set: out of memory.  Freed with samples_free. */
bool samples_make(struct samples *s, const struct report_input *in, struct error *err);
void samples_free(struct samples *s);

/* Where PC was; *SYMBOL is the function, unless SAMPLE_NOWHERE. */
enum sample_place sample_place(const struct samples *s, const struct profile_pc *pc, const struct symbol **symbol);

/* Program counters behind the time that is split, of the context whose program counters begin at I in the profile's pcs[]; without
 * those in hooks where their cost was subtracted.  They are fewer than its ticks, since they may be taken at a lower rate: each
 * stands for its share of the time. */
uint64_t samples_explained(const struct samples *s, size_t i);

#endif
