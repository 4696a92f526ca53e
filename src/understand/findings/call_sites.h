/* call_sites.h - the places in the source from which an arc's calls come. */
#ifndef CALL_SITES_H
#define CALL_SITES_H

#include "understand/findings/report_input.h"
#include "understand/graph/sites.h"

/* One place: what the machine code has more than once for it, in copies of loops and bodies, is one. */
struct call_place {
	const char *file;	/* source file; NULL: unknown */
	uint64_t address;	/* where no line is known, in the caller itself: link-time, where the call returns to; 0: unknown */
	uint32_t line;		/* 0: unknown */
	uint32_t column;	/* 0: unknown */
	const char *within;	/* function that holds it, if that is another than the caller: code without hooks between the two; else NULL */
	const char *module;	/* path of the module of that; NULL: unknown */
	bool by_pointer;	/* the call goes by a pointer */
	const char *through;	/* the function that it names, if that is another than the callee: it jumped there, or called it without hooks; else NULL */
	uint64_t calls;		/* how many, if calls were counted */
	uint64_t self;		/* what they took of the arc's time, by samples: in the callee itself, ns, */
	uint64_t children;	/* and in what it called */
	uint64_t self_samples, child_samples; /* behind these */
	double error;		/* what self + children may be off by, a part of the arc's time, as graph_error has it */
};

/* What an arc is said to have. */
struct call_figures {
	uint64_t calls;		/* how many */
	uint64_t self;		/* time of the callee itself, ns */
	uint64_t children;	/* and of what it called */
};

/* Has ROUTINE, or NULL, no code of its own, since the compiler put it into others'?  What is known of its source is where that code is from. */
bool call_is_inlined(const struct graph_routine *routine);

struct call_places {
	struct call_place *places; /* by file, line and column */
	size_t n;		/* how many */
	uint64_t unknown;	/* calls from places that are not known */
	bool counted;		/* calls were */
	bool timed;		/* times are known by place: there is one alone, or samples were taken */
	uint64_t rest_self, rest_children; /* of the arc's time what no place has: that of calls from places that are not known; all of it if nothing is timed */
};

/* Those of the arc from FROM to TO in IN's graph, whose call sites are SITES; ARC is dealt out among them, to the last call and nanosecond.  False: out
 * of memory.  Freed with call_places_free. */
bool call_places_make(struct call_places *c, const struct report_input *in, const struct graph_sites *sites, uint32_t from, uint32_t to,
		      const struct call_figures *arc);
/* Is there anything to say of places that are not known: calls, or time beside that of others? */
bool call_places_have_rest(const struct call_places *c);

void call_places_free(struct call_places *c);

/* Call VISIT with the places of each arc of IN's graph, by the incoming view's figures, and then of each routine's direct recursion, which has no times of
 * its own; they are gone when it returns.  False, with *ERR set, when memory is short or it returns false, for the same reason. */
typedef bool call_places_visit(void *arg, uint32_t from, uint32_t to, const struct call_figures *arc, const struct call_places *places);
bool call_places_each(const struct report_input *in, call_places_visit *visit, void *arg, struct error *err);

#endif
