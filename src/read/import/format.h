/* format.h - what the readers of formats (from_*.c) share: one reading of one file, its lines, its errors. */
#ifndef IMPORT_FORMAT_H
#define IMPORT_FORMAT_H

#include "read/import/import.h"
#include "read/import/json_text.h"

struct reading {
	struct builder *builder;
	const unsigned char *data;	/* the file, inflated */
	size_t len;			/* bytes */
	const char *label;		/* its name in messages */
	size_t odd, odd_number;		/* lines that were passed over, and the number of the first of them */
	char odd_text[80];		/* its beginning */
	const char *sides[2];		/* struct import's */
	uint64_t frames;		/* of stacks that were followed through a tree, so far */
	char *notes;			/* struct import's */
	size_t notes_size;		/* bytes of it */
	const struct import_wishes *wishes;
	struct sample_labels *labels;		/* struct import's */
	struct error *err;
};

/* A format. */
struct import_format {
	const char *origin;		/* what it is called in the header of the file that is made */
	/* How many of the N bytes at HEAD, which a file begins with, the format's grammar reads; WHOLE: these are all.  0: the file is not of this format. */
	size_t (*reads)(const char *head, size_t n, bool whole);
	bool by_all;			/* it is told by all of the file, where that is there, not by its head alone */
	/* Put all values and stacks into r->builder, and what else is known into its header.  False with r->err set. */
	bool (*read)(struct reading *r);
};

extern const struct import_format import_callgrind, import_chrome_profile, import_chrome_trace, import_firefox, import_folded, import_gperf, import_heap,
	import_instruments, import_jfr, import_perf, import_pprof, import_pstats, import_sample, import_script, import_speedscope;

/* Say that the file is wrong at OFFSET, in words; false. */
bool reading_wrong(struct reading *r, size_t offset, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Say that there is no memory for the file; false. */
bool reading_no_memory(struct reading *r);

/* Have the user read a line, if there is room for it. */
void reading_note(struct reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Lines of a text; zero it at first, but for the text. */
struct lines {
	const char *data;
	size_t len;
	size_t next;			/* where the next one begins */
	size_t at;			/* where the line at hand begins */
	size_t number;			/* of it, from 1 on */
	const char *line;		/* it, without its end */
	size_t n;			/* bytes of it */
};

/* Go to the next line; false: there is none. */
bool lines_next(struct lines *l);

/* Whether the line at hand has no end, as the last one of a file that was cut off. */
bool lines_is_open(const struct lines *l);

/* All lines were read, L having the last one: have the user read that it has no end, if so. */
void reading_open_end_tell(struct reading *r, const struct lines *l);

/* Say that the line at hand of the file is wrong, in words; false. */
bool reading_wrong_line(struct reading *r, const struct lines *l, const char *what);

/* The line at hand says nothing that is known: it is passed over. */
void reading_odd_line(struct reading *r, const struct lines *l);

/* All lines were read, of which GOOD said something, and WHAT they are: have the user read how many were passed over.  False with r->err set: more than that. */
bool reading_odd_tell(struct reading *r, size_t good, const char *what);

/* ---- JSON ---- */

/* What the N bytes at HEAD are as a format that is JSON: N if IS says so of the value that they are, or if they may be the beginning of one. */
size_t json_reads(const char *head, size_t n, bool whole, bool (*is)(struct json_value root));

/* Say that the text that W walks through is no JSON, or cut off, in words; false. */
bool reading_wrong_json(struct reading *r, const struct json_walk *w);

/* What the weights of samples are counted in. */
enum weight_kind { WEIGHT_TIME, WEIGHT_BYTES, WEIGHT_COUNT, WEIGHT_KINDS };

enum { WEIGHTS_BESIDE = 2 };		/* values that a reader may declare behind them */

/* The values of a file whose weights are of one kind, or of several. */
struct weights {
	bool has[WEIGHT_KINDS];
	unsigned place[WEIGHT_KINDS];	/* among the builder's values */
	uint64_t amounts[WEIGHT_KINDS + WEIGHTS_BESIDE]; /* of the sample at hand, by place */
};

/* Declare the values of W to R's builder, those that it has; COUNT is what counts are of. */
void weights_declare(struct weights *w, struct reading *r, const char *count, bool sampled);

/* The amounts of a sample that has AMOUNT of KIND; or of the builder's VALUE. */
const uint64_t *weights_of(struct weights *w, enum weight_kind kind, double amount);
const uint64_t *weights_of_value(struct weights *w, uint32_t value, double amount);

/* X as an amount: rounded, 0 at least, 2^63 at most. */
uint64_t amount_of(double x);

/* ---- stacks ---- */

/* A stack of N frames was followed through a tree of the file, which may be as deep as it is large.  False with r->err set: that was done beyond all measure. */
bool reading_follow(struct reading *r, size_t n);

/* A list of functions that grows. */
struct stack {
	uint32_t *functions;
	size_t n, room;
};

/* Append FUNCTION.  False: out of memory. */
bool stack_push(struct stack *s, uint32_t function);

/* Turn it: what is given innermost first is wanted outermost first. */
void stack_turn(struct stack *s);

/* Functions that were met.  In a file that aprof wrote two that are alike in all that is told are two all the same: the later ones are put apart at addresses
 * from DISTINCT_ADDRESS on. */
struct distinct {
	bool *met;
	size_t n, room;
};
#define DISTINCT_ADDRESS (UINT64_C(1) << 40)

/* False: FUNCTION, which is no special one, was met before, or memory is short. */
bool distinct_add(struct distinct *d, uint32_t function);
void distinct_free(struct distinct *d);

/* An address for a function that is told by where its definition begins, too, and not by its name and file alone: the same in every file, and no other's. */
uint64_t definition_address(const char *name, const char *file, uint64_t line, uint64_t column);

/* Put the character C at OUT as UTF-8; what follows it. */
char *text_utf8(char *out, uint32_t c);

/* The text from AT to END, escaped as base/escape.h does it, as it was before; into OUT of as many bytes and one. */
void text_unescape(char *out, const char *at, const char *end);

#endif
