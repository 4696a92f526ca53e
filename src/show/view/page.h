/* page.h - what the pages of the explorer share.
 *
 *     explorer -> page -> kind: how many rows, the text of one, which routine it stands for, what keys do there
 *
 * A page is built when it is first shown, or anew when it is about a routine and another one is selected. */
#ifndef PAGE_H
#define PAGE_H

#include "show/view/explorer.h"
#include "show/view/screen.h"

enum { PAGE_ROUTINES, PAGE_NEIGHBOURS, PAGE_TOP_DOWN, PAGE_BOTTOM_UP, PAGE_CYCLES, PAGE_PATHS, PAGE_SOURCE, PAGE_HOT, PAGE_THREADS, PAGE_CHANGES, PAGE_HELP,
	PAGE_COLUMNS, PAGES };

/* Columns that the user can have or not, bits of explorer_view.columns, the most important first. */
enum {
	COLUMN_TIME = 1 << 0,		/* times beside shares */
	COLUMN_ERROR = 1 << 1,		/* what a share may be off by */
	COLUMN_CALLS = 1 << 2,
	COLUMN_BEYOND = 1 << 3,		/* how uneven the ranks of an MPI job are in a routine */
	COLUMN_SAMPLES = 1 << 4,	/* behind a routine's self time */
	COLUMN_PER_CALL = 1 << 5,	/* a routine's self time per call */
	COLUMN_MODULE = 1 << 6,
	COLUMN_PLACE = 1 << 7,		/* source file and line */
	COLUMNS_AT_FIRST = COLUMN_TIME | COLUMN_ERROR | COLUMN_CALLS | COLUMN_BEYOND,
};

/* The row that is being written: what stands before a name says how much of it fits. */
struct page_text {
	char *text;		/* so far, once OUT was flushed */
	size_t size;		/* its bytes */
};

/* What all pages look at. */
struct explorer_view {
	const struct report_input *in;	/* the profile, of the thread that was chosen */
	const struct explorer_compared *compared; /* NULL: nothing is compared */
	const struct graph *g;		/* in->graph */
	struct report_options options;	/* for names: UTF-8, and the width of the screen */
	uint64_t whole;			/* time of the run, ns */
	int calls;			/* width of a column */
	uint32_t routine;		/* index in graph.routines of the one that is selected; GRAPH_NONE: none */
	uint32_t thread;		/* index in the profile's threads[] of the only one that is shown; GRAPH_NONE: all are */
	uint32_t wanted;		/* the one that is to be */
	unsigned columns;		/* COLUMN_ */
	struct page_text *text;		/* the row under way; NULL: none */
	struct leaves leaves;		/* made when the first source is shown */
	bool has_leaves;		/* they are */
	char message[200];		/* for the last line, once; not escaped */
};

struct page;

/* What Enter, + and - do to a row that can be unfolded. */
enum page_fold { PAGE_UNFOLD, PAGE_FOLD, PAGE_TOGGLE, PAGE_UNFOLD_ALL, PAGE_FOLD_ALL };

struct page_kind {
	const char *name;		/* on the first line */
	const char *brief;		/* the same where there is little room; NULL: the same */
	const char *briefest;		/* where there is hardly any; NULL: as before */
	const char *empty;		/* why there is nothing to be seen where there are no rows; NULL: there always are */
	const char *hint;		/* on the last line, what keys do here; NULL: nothing */
	bool (*open)(struct page *p, struct error *err);	/* build it; false with *ERR set: out of memory */
	void (*close)(struct page *p);	/* free what open made */
	void (*heading)(const struct page *p, FILE *out);	/* over the columns */
	enum screen_style (*row)(const struct page *p, size_t row, FILE *out);	/* text of a row, harmless */
	uint32_t (*routine)(const struct page *p, size_t row);	/* that the row stands for; GRAPH_NONE: none */
	bool (*fold)(struct page *p, size_t row, enum page_fold what, struct error *err); /* NULL: rows do not unfold */
	bool (*enter)(struct page *p, size_t row); /* Enter on the row; false: as where this is NULL, the routine's callers and callees */
	bool (*resize)(struct page *p, struct error *err); /* the screen has another width; NULL: rows do not depend on it */
	void (*sort)(struct page *p);	/* take the next order; NULL: there is one only */
	bool (*carry)(struct page *p, const struct page *old, const uint32_t *map, struct error *err); /* P, just opened, takes over from OLD, of an
					 * earlier reading of the profile, what is unfolded, sorted and selected; MAP has the numbers now of the routines
					 * then, or GRAPH_NONE.  NULL: P is the same in all readings */
	bool by_routine;		/* it is about the selected routine */
};

struct page {
	const struct page_kind *kind;
	struct explorer_view *view;
	bool built;			/* open was called */
	uint32_t about;			/* by_routine: for this one */
	size_t n;			/* rows */
	size_t cursor;			/* row that is selected */
	size_t top;			/* first row on the screen */
	int skip;			/* columns scrolled away to the left */
	void *state;			/* the kind's own */
};

extern const struct page_kind routines_page, neighbours_page, top_down_page, bottom_up_page, cycles_page, paths_page, source_page, hot_page,
	threads_page, changes_page, help_page, columns_page;

/* Make P, of the reading of the profile that P->view has now, what it was in the reading that OLD_VIEW has; MAP as above. False with *ERR set: out
 * of memory. */
bool page_renew(struct page *p, struct explorer_view *old_view, const uint32_t *map, struct error *err);

/* Keep the routines whose names match PATTERN, an extended regular expression without regard to case; NULL: all.  False with *ERR set. */
bool routines_filter(struct page *p, const char *pattern, struct error *err);

/* Whether the screen is too narrow for all figures: rows then have a percentage or two before the name. */
bool page_is_narrow(const struct explorer_view *v);

/* Whether COLUMN_ is shown: it was chosen, the profile has it, and there is room beside the columns before it, so that names have 20. */
bool page_has(const struct explorer_view *v, unsigned column);

/* How a row with TIME looks. */
enum screen_style page_style(const struct explorer_view *v, uint64_t time);

/* TIME as percent of the run, `12.34  ±1.2 ` where times are samples, or `<0.4 ` what may be chance; on a narrow screen without the error.  EVIDENCE is what
 * samples say of TIME.  And the heading of such a column, by a TITLE of 6 characters at most. */
void page_share(const struct explorer_view *v, FILE *out, uint64_t time, const struct overhead_evidence *evidence);
void page_share_heading(const struct explorer_view *v, FILE *out, const char *title);

/* How wide that is, but for the blank. */
int page_share_width(const struct explorer_view *v);

/* A time and calls, each with a blank behind, or nothing where such columns are not shown; and their headings. */
void page_time(const struct explorer_view *v, FILE *out, uint64_t ns);
void page_calls(const struct explorer_view *v, FILE *out, uint64_t n);
void page_time_heading(const struct explorer_view *v, FILE *out, const char *title);
void page_calls_heading(const struct explorer_view *v, FILE *out, const char *title);

/* As many blanks as the times of N columns and, with CALLS, calls take. */
void page_gap(const struct explorer_view *v, FILE *out, int times, int calls);

/* Module and place of a routine, those that were chosen, each with a blank behind; and their headings. */
void page_origin(const struct explorer_view *v, FILE *out, uint32_t routine);
void page_origin_heading(const struct explorer_view *v, FILE *out);

/* Name of a routine, GRAPH_NONE: <spontaneous>; the last of its row but for BEHIND columns, so that it is fitted to what is left of the screen. */
void page_name(const struct explorer_view *v, FILE *out, uint32_t routine, int behind);

/* The short name, where several stand in a row. */
void page_brief(const struct explorer_view *v, FILE *out, uint32_t routine);

/* Columns of what was written of the row under way. */
int page_column(const struct explorer_view *v, FILE *out);

/* The routines of G by name, to be freed; NULL: out of memory.  And where the first of them with NAME is, G's number of routines: there is none. */
const struct graph_routine **page_by_name(const struct graph *g);
uint32_t page_find_name(const struct graph_routine *const *sorted, uint32_t n, const char *name);

#endif
