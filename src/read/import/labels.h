/* labels.h - the labels of samples (pprof's): which there are, and which are wanted. */
#ifndef IMPORT_LABELS_H
#define IMPORT_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

/* A label, KEY=VALUE, and how many samples have it. */
struct sample_label {
	char *text;			/* malloc'ed, not made harmless */
	uint64_t samples;
};

struct sample_labels {
	struct sample_label *all;		/* in the order in which they came */
	uint32_t n;
	size_t room;
	struct table by_text;
	uint64_t others;		/* samples with one that there was no room for */
};

enum { LABELS_MOST = 4096 };		/* that are kept apart: a label may be a number of its own for each request */

void sample_labels_free(struct sample_labels *l);

/* SAMPLES more have the label TEXT.  False: out of memory. */
bool sample_labels_add(struct sample_labels *l, const char *text, uint64_t samples);

/* All of FROM, too.  False: out of memory. */
bool sample_labels_add_all(struct sample_labels *l, const struct sample_labels *from);

#endif
