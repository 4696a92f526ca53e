/* verification.c - adds up what aprof run --verify found. */
#include "show/report/verification.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "show/report/report.h"

enum { MOST_SHOWN = 5 };		/* places of stacks that differ */

/* Is S of a thread that is about to change its stack, or to land further up: it has the registers of the one, and the context of the other? */
static bool is_between(const struct report_input *in, const struct profile_stack *s)
{
	static const char *const changing[] = { "swapcontext", "setcontext", "__longjmp", "_Unwind_", "uw_", "__gxx_personality", "__gcc_personality",
		"(plt)" };	/* or what begins so; a linker's jump leads to any of them */
	const struct profile *p = in->graph->profile;
	const char *name = symbols_find(in->symbols, s->module, s->address)->name;

	for (size_t i = 0; i < sizeof changing / sizeof *changing; i++)
		if (strncmp(name, changing[i], strlen(changing[i])) == 0)
			return true;
	return s->module < p->nmodules && strstr(p->modules[s->module].path, "/libgcc_s.so");
}

/* Does S really differ? */
static bool differs(const struct report_input *in, const struct profile_stack *s)
{
	if (is_between(in, s))
		return false;
	return s->verdict == AMON_STACK_DIFFERS || (s->verdict == AMON_STACK_OPEN && !symbols_is_open(in->symbols, s->module, s->address));
}

/* What stacks of the table count for, that had VERDICT, if DIFFER is what is to be said of them; at most MOST, while the file is written. */
static uint64_t in_table(const struct report_input *in, enum amon_verdict verdict, bool differ, uint64_t most)
{
	const struct profile *p = in->graph->profile;
	uint64_t sum = 0;

	for (size_t i = 0; i < p->nstacks; i++)
		if (p->stacks[i].verdict == verdict && differs(in, &p->stacks[i]) == differ)
			sum += p->stacks[i].count;
	return sum < most ? sum : most;
}

struct verification verification_make(const struct report_input *in)
{
	const struct profile *p = in->graph->profile;
	uint64_t all[AMON_VERDICTS] = { 0 }, worse, better;
	double whole = (double)p->time + (double)p->monitor + (double)p->unplaced, apart = 0;
	struct verification v = { 0 };

	for (uint32_t i = 0; i < p->nruns; i++) {
		for (unsigned k = 0; k < AMON_VERDICTS; k++)
			all[k] += p->runs[i].header.stacks[k];
		v.compared += p->runs[i].header.compared;
		apart += (double)p->runs[i].header.differ;
	}
	v.apart = whole > 0 ? fmin(apart / (p->mean_of ? p->mean_of : 1) / whole, 1) : 0;
	worse = in_table(in, AMON_STACK_OPEN, true, all[AMON_STACK_OPEN]);
	better = in_table(in, AMON_STACK_DIFFERS, false, all[AMON_STACK_DIFFERS]);
	v.differ = all[AMON_STACK_DIFFERS] - better + worse;
	v.at_hook = all[AMON_STACK_OPEN] - worse;
	v.checked = all[AMON_STACK_FITS] + v.at_hook + v.differ;
	v.untold = all[AMON_STACK_UNTOLD] + better;
	v.unread = all[AMON_STACK_UNREAD];
	v.asked = v.checked + v.untold + v.unread > 0;
	return v;
}

double verification_unread(uint64_t checked, uint64_t unread) { return unread ? 100.0 * (double)unread / (double)(checked + unread) : 0; }

bool verification_is_short(uint64_t checked, uint64_t unread) { return unread > (checked + unread) / 10; }

/* The name of the routine that profile routine R is. */
static const char *verification_name_of(const struct report_input *in, uint32_t r)
{
	const struct graph *g = in->graph;

	return r < g->profile->nroutines ? g->routines[g->routine_of[r]].name.name : "no routine";
}

/* One place; a stack that only lacks the interrupted routine lacks that of its context. */
static void place_print(const struct report_input *in, const struct profile_stack *s, const struct report_options *options, FILE *out)
{
	const struct profile *p = in->graph->profile;
	char count[32], at[400], context[400], other[400];

	print_safe(at, sizeof at, symbols_find(in->symbols, s->module, s->address)->display, &options->style);
	print_safe(context, sizeof context, verification_name_of(in, p->contexts[s->context].routine), &options->style);
	print_safe(other, sizeof other, s->verdict == AMON_STACK_OPEN ? at : verification_name_of(in, s->routine), &options->style);
	print_field(out, &options->style, "", "%s in %s: the machine was in a context of %s; the stack parts from it with %s",
		    print_grouped(count, s->count), at, context, other);
}

void verification_times(const struct verification *v, char *text, size_t size)
{
	char samples[32];

	if (v->compared && v->apart > 0)
		snprintf(text, size, "by looks and by interrupts, %s at least of each: %.2g %% of the time differs by routine beyond chance",
			 print_grouped(samples, v->compared), 100 * v->apart);
	else if (v->compared)
		snprintf(text, size, "by looks and by interrupts, %s at least of each: no routine's differs beyond chance", print_grouped(samples, v->compared));
	else
		snprintf(text, size, "of one source, or of fewer than 50 samples of the other: nothing to compare");
}

void verification_print(const struct report_input *in, const struct report_options *options, FILE *out)
{
	struct verification s = verification_make(in);
	const struct profile *p = in->graph->profile;
	char checked[32], differ[32], hook[32], untold[32], unread[32], times[160];
	bool bad = s.differ || verification_is_short(s.checked, s.unread);
	size_t shown = 0;

	if (!s.asked)
		return;
	if (bad)
		print_begin(out, &options->style, 'w');
	print_field(out, &options->style, "stacks", "%s held against their contexts, %s differ%s; %s without the routine that was at its hook; "
		    "%s could not be read, %.1f %%; %s more in a hook out of line",
		    print_grouped(checked, s.checked), print_grouped(differ, s.differ), s.differ == 1 ? "s" : "", print_grouped(hook, s.at_hook),
		    print_grouped(unread, s.unread), verification_unread(s.checked, s.unread), print_grouped(untold, s.untold));
	for (size_t i = 0; i < p->nstacks && shown < MOST_SHOWN; i++)
		if (differs(in, &p->stacks[i])) {
			place_print(in, &p->stacks[i], options, out);
			shown++;
		}
	if (bad)
		print_end(out, &options->style);
	verification_times(&s, times, sizeof times);
	print_field(out, &options->style, "times", "%s", times);
}

json_t *verification_json(const struct report_input *in)
{
	struct verification s = verification_make(in);

	return s.asked ? json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:f}", "checked", emit_count(s.checked), "differ", emit_count(s.differ), "at_hook",
				   emit_count(s.at_hook), "not_told", emit_count(s.untold), "not_readable", emit_count(s.unread),
				   "times_compared", emit_count(s.compared), "times_differ", s.apart) : json_null();
}
