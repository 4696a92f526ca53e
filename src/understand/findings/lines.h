/* lines.h - where in its source a routine's time was, and where its calls start.
 *
 * Self time goes to lines by the program counters of the samples.  Code that the compiler put into a routine counts for the line of
 * the call that it stands for, so that all lines are the routine's own.
 *
 * Hooks count calls by routine, not by call site: an arc whose routine is called on one line only is that line's; one whose
 * routine is called on several lines has its figures at each of them, and they are those of all together.  Where call sites were told apart each has its
 * calls, and, if samples tell it or there is one alone, its time.
 *
 *   routine's self = times of the lines + plain + elsewhere + unknown
 *   routine's total = self + times of the arcs */
#ifndef LINES_H
#define LINES_H

#include "understand/findings/leaves.h"
#include "understand/findings/report_input.h"

/* What was spent on a line. */
struct line_cost {
	uint32_t line;		/* in lines.file */
	uint64_t time;		/* ns of the routine's self time */
	uint64_t ticks;		/* samples */
};

/* A line on which calls start. */
struct line_call {
	uint32_t line;		/* in lines.file; 0: no line is known for this callee, or for these of its calls */
	uint32_t callee;	/* index in lines.callees */
	bool told;		/* call sites were told apart: of this one is known what follows */
	uint32_t column;	/* in the line; 0: unknown */
	uint64_t calls;		/* calls from it */
	bool timed;		/* and so is what they took: */
	uint64_t time;		/* of the arc's time, ns */
	double error;		/* what that may be off by, as graph_error has it: of the routine's total; less than 0: not known */
};

/* Somebody that the routine calls. */
struct line_callee {
	const char *name;	/* its name */
	const char *brief;	/* its short form; NULL: that of the name by itself */
	const char *place;	/* code without hooks: file name of its module; else NULL */
	uint32_t routine;	/* index in graph.routines; GRAPH_NONE: code without hooks */
	uint32_t nlines;	/* on how many lines it is called, or from how many call sites if these were told apart; 0: unknown */
	bool told;		/* they were */
	bool known;		/* some line is known */
	uint64_t calls;		/* along the arc; 0 without hooks */
	uint64_t self;		/* ns of the arc in the callee itself; without hooks 0 */
	uint64_t time;		/* ns of the arc; without hooks: part of the routine's self time */
	uint64_t ticks;		/* without hooks: samples */
	double error;		/* what time may be off by, as graph_error has it: of the routine's total, without hooks of its self time */
};

struct lines {
	uint32_t routine;	/* index in graph.routines */
	const char *file;	/* source file; NULL: not known, then there are no lines */
	uint32_t first;		/* its first line */
	uint32_t last;		/* its last line */
	struct line_cost *costs; /* by line */
	size_t ncosts;		/* how many */
	struct line_call *calls; /* by line, then callee; those without a line first */
	size_t ncalls;		/* how many */
	size_t room;		/* for how many calls there is room */
	struct line_callee *callees; /* largest time first */
	size_t ncallees;	/* how many */
	uint64_t explained;	/* samples of all of the self time in user mode */
	uint64_t plain;		/* self time in code without hooks, ns: that of the callees without hooks */
	uint64_t elsewhere;	/* self time at lines of other files, ns */
	uint64_t elsewhere_ticks; /* samples behind it */
	uint64_t unknown;	/* self time of which no line is known, ns */
};

/* Look where the time of ROUTINE was.  LEAVES are those of leaves_make with `leaves`, without `lines`, and must outlive L.  Where calls
 * start is known if debug information says it, as it does for optimised code; lines_find_calls looks for the others.  False with *ERR set: out of memory.  Freed with lines_free. */
bool lines_make(struct lines *l, const struct report_input *in, const struct leaves *leaves, uint32_t routine, struct error *err);
void lines_free(struct lines *l);

/* What part of the routine's self time TICKS of its samples say that something takes is off by, as graph_error has it. */
double lines_error(const struct lines *l, const struct graph *g, uint64_t ticks);

/* Find the lines on which the callees of which none is known are called, by their names in TEXT, the LEN bytes of l->file: words in comments and strings
 * do not count.  IN is that of lines_make.  False with *ERR set: out of memory. */
bool lines_find_calls(struct lines *l, const struct report_input *in, const char *text, size_t len, struct error *err);

#endif
