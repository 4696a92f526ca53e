/* annotated_source.h - a routine with its source, for the reports that show it. */
#ifndef ANNOTATED_SOURCE_H
#define ANNOTATED_SOURCE_H

#include "show/report/report.h"

/* A source file cut into lines. */
struct source_text {
	const char *data;	/* the file */
	size_t len;		/* bytes */
	const char *at;		/* the line to be printed next */
	uint32_t line;		/* its number */
};

/* The leaves that lines_make wants of IN.  False with *ERR set: out of memory. */
bool annotated_source_leaves(struct leaves *leaves, const struct report_input *in, struct error *err);

/* T is the source of L, at its first line; L has the calls found in it.  T is IN's.  False with *ERR set: it is not known, or cannot be read. */
bool annotated_source_read(struct source_text *t, struct lines *l, const struct report_input *in, struct error *err);

/* The line at T, tabs as blanks; freed by the caller.  NULL: out of memory. */
char *annotated_source_line(const struct source_text *t);

/* Go on to the next line; is there none? */
void annotated_source_next(struct source_text *t);
bool annotated_source_at_end(const struct source_text *t);

/* What L says, as an object (doc/json.md, annotate). */
json_t *annotated_source_json(const struct graph *g, const struct lines *l);

#endif
