/* verified.c - adds up what aprof run --verify found. */
#include "verified.h"

#include <inttypes.h>

#include "print.h"

enum { MOST_SHOWN = 5 };		/* places of stacks that differ */

/* Does S really differ? */
static bool differs(const struct report_input *in, const struct profile_stack *s)
{
	return s->verdict == AMON_STACK_DIFFERS || (s->verdict == AMON_STACK_OPEN && !symbols_is_open(in->symbols, s->module, s->address));
}

struct verified verified_make(const struct report_input *in)
{
	const struct profile *p = in->graph->profile;
	uint64_t open = 0, in_table = 0;
	struct verified s = { 0 };

	for (uint32_t i = 0; i < p->nruns; i++) {
		const uint64_t *stacks = p->runs[i].header.stacks;

		s.checked += stacks[AMON_STACK_FITS] + stacks[AMON_STACK_DIFFERS];
		s.differ += stacks[AMON_STACK_DIFFERS];
		s.untold += stacks[AMON_STACK_UNTOLD];
		open += stacks[AMON_STACK_OPEN];
	}
	for (size_t i = 0; i < p->nstacks; i++)
		if (p->stacks[i].verdict == AMON_STACK_OPEN && differs(in, &p->stacks[i]))
			in_table += p->stacks[i].count;
	if (in_table > open)			/* the file is being written */
		in_table = open;
	s.checked += in_table;
	s.differ += in_table;
	s.untold += open - in_table;
	s.asked = s.checked + s.untold > 0;
	return s;
}

/* The name of the routine that profile routine R is. */
static const char *name_of(const struct report_input *in, uint32_t r)
{
	const struct graph *g = in->graph;

	return r < g->profile->nroutines ? g->routines[g->routine_of[r]].name.name : "no routine";
}

/* One place; a stack that only lacks the interrupted routine lacks that of its context. */
static void place_print(const struct report_input *in, const struct profile_stack *s, const struct report_options *options, FILE *out)
{
	const struct profile *p = in->graph->profile;
	char count[32], at[400], context[400], other[400];

	print_safe(at, sizeof at, symbols_find(in->symbols, s->module, s->address)->display, options);
	print_safe(context, sizeof context, name_of(in, p->contexts[s->context].routine), options);
	print_safe(other, sizeof other, s->verdict == AMON_STACK_OPEN ? at : name_of(in, s->routine), options);
	print_field(out, options, "", "%s in %s: the machine was in a context of %s; the stack parts from it with %s",
		    print_grouped(count, s->count), at, context, other);
}

void verified_print(const struct report_input *in, const struct report_options *options, FILE *out)
{
	struct verified s = verified_make(in);
	const struct profile *p = in->graph->profile;
	char checked[32], differ[32], untold[32];
	size_t shown = 0;

	if (!s.asked)
		return;
	if (s.differ)
		print_begin(out, options, 'w');
	print_field(out, options, "stacks", "%s held against their contexts, %s differ%s; %s not told: caught in a hook or beside one, or not readable",
		    print_grouped(checked, s.checked), print_grouped(differ, s.differ), s.differ == 1 ? "s" : "", print_grouped(untold, s.untold));
	for (size_t i = 0; i < p->nstacks && shown < MOST_SHOWN; i++)
		if (differs(in, &p->stacks[i])) {
			place_print(in, &p->stacks[i], options, out);
			shown++;
		}
	if (s.differ)
		print_end(out, options);
}

json_t *verified_json(const struct report_input *in)
{
	struct verified s = verified_make(in);

	return s.asked ? json_pack("{s:o, s:o, s:o}", "checked", emit_count(s.checked), "differ", emit_count(s.differ), "not_told",
				   emit_count(s.untold)) : json_null();
}
