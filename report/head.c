/* head.c - the head of a report: what ran, how it was measured, how far to trust it, what was lost.
 *
 * Every line is one function below, in the order in which they are printed. A line that has nothing to say is left out. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "report/arguments.h"
#include "report/left_out.h"
#include "report/life.h"
#include "report/notes.h"
#include "report/plain.h"
#include "report/report.h"
#include "text/print.h"
#include "report/verified.h"

/* Sums over the files of the profile. */
struct sums {
	uint64_t transitions, calls, misses;	/* counts */
	uint64_t contexts;			/* in which anything was counted */
	uint64_t length;			/* entries of their histories */
	uint64_t cpu;				/* CPU time that the processes say, ns; 0: unknown */
	uint64_t notes[AMON_NOTES];		/* how often each */
};

/* The head under way. */
struct head {
	const struct report_input *in;
	const struct report_options *options;
	const struct graph *graph;
	const struct profile *profile;
	const struct amon_header *first;	/* of the first file; the others have the same clock */
	struct sums sums;
	struct plain plain;
	FILE *out;
};

static struct sums sums_make(const struct profile *p)
{
	struct sums s = { 0 };

	for (uint32_t i = 0; i < p->nruns; i++) {
		s.transitions += p->runs[i].transitions;
		s.calls += p->runs[i].calls;
		s.cpu += p->runs[i].header.cpu_total;
		for (unsigned n = 0; n < AMON_NOTES; n++)
			s.notes[n] += p->runs[i].header.notes[n];
	}
	for (uint32_t i = 0; i < p->nthreads; i++)
		s.misses += p->threads[i].record.misses;
	for (uint32_t i = 1; i < p->ncontexts; i++) {
		const struct profile_context *c = &p->contexts[i];

		if (c->entries || c->recursive || c->calls_out || c->time || c->ticks) {
			s.contexts++;
			s.length += c->length;
		}
	}
	return s;
}

static void program_print(struct head *h)
{
	char program[4 * sizeof h->first->program];

	print_field(h->out, &h->options->style, "program", "%s%s", print_safe(program, sizeof program, h->first->program,
		    &h->options->style), h->profile->nruns > 1 ? " (first of several files)" : "");
	arguments_print(h->out, h->options, h->first);
}

static void date_text(char *buffer, size_t size, uint64_t realtime)
{
	time_t seconds = (time_t)(realtime / 1000000000u);
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || strftime(buffer, size, "%Y-%m-%d %H:%M:%S", &tm) == 0)
		snprintf(buffer, size, "at an unknown time");
}

static void run_print(struct head *h, uint32_t i)
{
	const struct profile_run *run = &h->profile->runs[i];
	const struct amon_header *header = &run->header;
	char date[64], host[4 * sizeof header->host], label[600], elapsed[64] = "", life[256];

	date_text(date, sizeof date, header->start_realtime);
	if (header->end_monotonic > header->start_monotonic)
		snprintf(elapsed, sizeof elapsed, ", %.2f s elapsed",
			 (double)(header->end_monotonic - header->start_monotonic) / 1e9);
	print_safe(label, sizeof label, run->label, &h->options->style);
	print_field(h->out, &h->options->style, i == 0 ? "file" : "", "%s: pid %" PRId32 " on %s, begun %s%s; %s%s%s", label,
		    header->pid, print_safe(host, sizeof host, header->host, &h->options->style), date, elapsed,
		    life_text(life, sizeof life, life_of(h->in, i), header), run->truncated ? "; the file is cut off, its whole part is used" : "",
		    header->reset_monotonic ? "; counters were reset while it ran" : "");
}

static void phase_print(const struct head *h)
{
	char name[4 * sizeof h->profile->phases->name + 1];

	for (uint32_t i = 0; i < h->profile->nphases; i++)
		if (strcmp(h->profile->phases[i].name, h->in->phase) == 0)
			print_field(h->out, &h->options->style, "phase", "%s, entered %" PRIu64 " time%s; all that follows is of it alone",
				    print_safe(name, sizeof name, h->in->phase, &h->options->style), h->profile->phases[i].begun,
				    print_plural(h->profile->phases[i].begun));
}

enum { MOST_RUNS = 8 };			/* files listed; aprof info lists all */

/* Are all processes told by one name?  Then they will be one in that file: aprof run adds them up. */
static bool is_of_one_file(const struct profile *p)
{
	for (uint32_t i = 1; i < p->nruns; i++)
		if (strcmp(p->runs[i].label, p->runs[0].label) != 0)
			return false;
	return true;
}

static void runs_print(struct head *h)
{
	uint32_t n = h->profile->nruns;

	if (h->in->phase)
		phase_print(h);
	for (uint32_t i = 0; i < n && i < MOST_RUNS; i++)
		run_print(h, i);
	if (n > MOST_RUNS)
		print_field(h->out, &h->options->style, "", "and %" PRIu32 " more%s", n - MOST_RUNS, is_of_one_file(h->profile) ? "" :
			    " (aprof info lists them)");
}

static const char *source_text(uint32_t source)
{
	static const char *const texts[] = {
		[AMON_SOURCE_NONE] = "nothing: it could not be started",
		[AMON_SOURCE_SAMPLER] = "a thread of the monitor",
		[AMON_SOURCE_TIMER] = "a POSIX timer of each thread",
		[AMON_SOURCE_PERF] = "the kernel's task clock (perf)",
	};

	return source < sizeof texts / sizeof *texts ? texts[source] : "an unknown source";
}

/* Hooks of way inline take no time at exits. */
static bool is_inline(const struct head *h)
{
	return h->first->way & 1u << AMON_WAY_INLINE;
}

/* Clock tsc charges a thread when it enters or leaves a routine, and at the end of its process, if the monitor sees that. */
static void unsettled_print(struct head *h)
{
	bool ended = true;

	for (uint32_t i = 0; i < h->profile->nruns; i++)
		ended &= life_of(h->in, i) == REPORT_ENDED;
	if (!ended)
		print_field(h->out, &h->options->style, "", "not in these times: what each thread spent since its last call or return, as no end of its process was seen");
}

static void clock_print(struct head *h)
{
	char ticks[32];

	print_grouped(ticks, h->graph->ticks);
	switch (h->first->clock) {
	case AMON_CLOCK_TICK:
		print_field(h->out, &h->options->style, "clock", "tick: CPU time of each thread, sampled up to %" PRIu32
			    " times a second by %s; %s sample%s", h->first->rate, source_text(h->first->source), ticks,
			    print_plural(h->graph->ticks));
		break;
	case AMON_CLOCK_WALL:
		print_field(h->out, &h->options->style, "clock", "wall: elapsed time, sleep included, sampled up to %" PRIu32
			    " times a second; %s sample%s", h->first->rate, ticks, print_plural(h->graph->ticks));
		break;
	case AMON_CLOCK_TSC:
		print_field(h->out, &h->options->style, "clock", "tsc: elapsed time, from the cycle counter (%.3f GHz) at each call "
			    "and return", (double)h->first->tsc_hz / 1e9);
		unsettled_print(h);
		break;
	default:
		print_field(h->out, &h->options->style, "clock", "none: calls were counted, no time was taken");
	}
	if (h->sums.notes[AMON_NOTE_CLOCK_CHANGED] && is_inline(h))
		print_field(h->out, &h->options->style, "", "another clock was asked for: tsc needs code that reads the counter (aprof-cc --aprof-clock=tsc)");
}

/* Half the 95 % interval of a share of PERCENT when SAMPLES are binomial, in points. */
static double error_points(double percent, uint64_t samples)
{
	return 1.96 * sqrt(percent * (100 - percent) / (double)samples);
}

static void error_print(struct head *h)
{
	const char *sign = h->options->style.utf8 ? "\u00b1" : "+-";
	uint64_t n = h->graph->ticks;

	if (h->first->clock != AMON_CLOCK_TICK && h->first->clock != AMON_CLOCK_WALL)
		return;
	if (n == 0)
		print_field(h->out, &h->options->style, "error", "no sample fell into the routines: the run is too short for this clock. "
			    "Run it longer, raise the rate (APROF_RATE=10000), or use %s",
			    is_inline(h) ? "clock tsc (build it with aprof-cc --aprof-clock=tsc)" : "APROF_CLOCK=tsc");
	else
		print_field(h->out, &h->options->style, "error", "a share of 50 %% is known to %s%.2g points, of 10 %% to %s%.2g, of 1 %% "
			    "to %s%.2g (95 %% confidence)", sign, error_points(50, n), sign, error_points(10, n), sign,
			    error_points(1, n));
}

/* Clock tsc: the threads were charged more than they had of a processor. */
static void elapsed_print(struct head *h)
{
	const struct profile *p = h->profile;
	double cpu = 0, charged = (double)(p->time + p->monitor);

	for (uint32_t i = 0; i < p->nthreads; i++)
		if (p->threads[i].record.cpu_last > p->threads[i].record.cpu_first)
			cpu += (double)(p->threads[i].record.cpu_last - p->threads[i].record.cpu_first);
	if (h->first->clock == AMON_CLOCK_TSC && cpu > 0 && charged > 1.05 * cpu)
		print_field(h->out, &h->options->style, "elapsed", "these times are %.2f times the CPU time of the threads: they slept, or "
			    "others had the processor meanwhile (APROF_CLOCK=tick measures CPU time alone)", charged / cpu);
}

static void time_print(struct head *h)
{
	const struct graph *g = h->graph;
	uint64_t whole = g->time + g->outside + g->hooks + g->monitor + g->unplaced;
	int d = print_decimals(whole);
	char cpu[128] = "";
	double kernel = profile_kernel_part(h->profile);

	if (h->first->clock == AMON_CLOCK_NONE)
		return;
	if (h->sums.cpu)
		snprintf(cpu, sizeof cpu, "; the system says %.*f s of CPU time", d, (double)h->sums.cpu / 1e9);
	if (kernel >= 0)
		snprintf(cpu + strlen(cpu), sizeof cpu - strlen(cpu), h->sums.cpu ? ", %.0f %% of it in the kernel" :
			 "; %.0f %% of the CPU time in the kernel", 100 * kernel);
	print_field(h->out, &h->options->style, "time", "%.*f s = %.*f in routines + %.*f outside all of them + %.*f hooks + "
		    "%.*f making contexts + %.*f unplaced%s", d, (double)whole / 1e9, d, (double)g->time / 1e9, d,
		    (double)g->outside / 1e9, d, (double)g->hooks / 1e9, d, (double)g->monitor / 1e9,
		    d, (double)g->unplaced / 1e9, cpu);
	if (g->options.nfocus)
		print_field(h->out, &h->options->style, "focus", "%.1f %% of the contexts' time passed in those kept; all shares below are of that",
			    print_percent(g->time + g->hooks, h->profile->time));
}

static void calls_print(struct head *h)
{
	uint64_t contexts = h->sums.contexts;
	char calls[32], made[32], transitions[32];

	if (h->sums.calls == 0 && h->profile->runs[0].truncated) {
		print_field(h->out, &h->options->style, "calls", "none in the part of the file that is left");
		return;
	}
	if (h->sums.calls == 0) {
		print_field(h->out, &h->options->style, "calls", "none: no hook was called. Was the program built with aprof-cc, and linked "
			    "with it too? (make CC=aprof-cc, after make clean)");
		return;
	}
	print_field(h->out, &h->options->style, "calls", "%s in %s context%s by %s transition%s; histories %.1f long on average, "
		    "the longest %" PRIu32 "; %.2f %% of calls answered by the first probe", print_grouped(calls, h->sums.calls),
		    print_grouped(made, contexts), print_plural(contexts), print_grouped(transitions, h->sums.transitions),
		    print_plural(h->sums.transitions),
		    contexts ? (double)h->sums.length / (double)contexts : 0.0, h->profile->longest,
		    100 - print_percent(h->sums.misses, h->sums.calls));
}

static void hooks_print(struct head *h)
{
	const struct graph *g = h->graph;
	const struct overhead_cost *cost = &h->graph->overhead->cost;
	char from[80] = "calibrated in the process";

	if (h->first->clock == AMON_CLOCK_NONE || h->sums.calls == 0)
		return;
	if (cost->picoseconds == 0) {
		print_field(h->out, &h->options->style, "hooks", "their cost was not measured in this run, so nothing is subtracted");
		return;
	}
	if (cost->samples)
		snprintf(from, sizeof from, "by %" PRIu64 " sample%s of program counters in their code", cost->samples,
			 print_plural(cost->samples));
	print_field(h->out, &h->options->style, "hooks", "%.2f ns a call, %s: about %.3f s in all, %s", (double)cost->picoseconds / 1e3, from,
		    (double)cost->total / 1e9, g->options.raw ? "left in the times (--raw)" :
		    "subtracted from the times below (--raw leaves it in)");
	if (!g->options.raw && g->hooks_unplaced > g->time / 1000)
		print_field(h->out, &h->options->style, "", "hooks, unplaced: %.3f s more than their contexts' time", (double)g->hooks_unplaced / 1e9);
}

/* What to do to see inside M; "" for the system's own libraries, which nobody rebuilds lightly. */
static const char *cover_text(const struct plain_module *m)
{
	if (m->hooked)
		return ": its functions without hooks; compile all of it with aprof-cc";
	if (!m->module || m->module[0] != '/' || strncmp(m->module, "/usr/lib", 8) == 0 || strncmp(m->module, "/lib", 4) == 0)
		return "";
	return ": build it with aprof-cc to see inside";
}

static void plain_module_print(struct head *h, const struct plain_module *m)
{
	char name[600];

	print_safe(name, sizeof name, m->module ? m->module : "no module: generated code, or unloaded", &h->options->style);
	print_field(h->out, &h->options->style, "", "%5.1f %% %s%s", print_percent(m->count, h->plain.samples), name, cover_text(m));
}

static void plain_print(struct head *h)
{
	const struct plain *p = &h->plain;

	if (p->samples == 0 && (h->options->leaves || h->options->lines))
		print_field(h->out, &h->options->style, "no hooks", "no program counters were sampled in this run, so there is nothing to split "
			    "by (--leaves, --lines)");
	if (p->samples == 0)
		return;
	if (p->count == 0) {
		print_field(h->out, &h->options->style, "no hooks", "no sample in code without hooks");
		return;
	}
	print_field(h->out, &h->options->style, "no hooks", "%.1f %% of samples fell into code without hooks; it is charged to the "
		    "routine that called it (--leaves names its functions); %.1f %% fell into hooks",
		    print_percent(p->count, p->samples), print_percent(p->hooks, p->samples));
	for (size_t i = 0; i < p->n && i < 5; i++)
		plain_module_print(h, &p->modules[i]);
}

static void warning_print(struct head *h, const char *text)
{
	char safe[1024];

	print_begin(h->out, &h->options->style, 'w');
	print_field(h->out, &h->options->style, "warning", "%s", print_safe(safe, sizeof safe, text, &h->options->style));
	print_end(h->out, &h->options->style);
}

static void notes_print(struct head *h)
{
	char count[32];

	for (unsigned n = 0; n < AMON_NOTES; n++) {
		const struct note *note = notes_find(n);

		if (!h->sums.notes[n])
			continue;
		if (!note->harmless)
			print_begin(h->out, &h->options->style, 'w');
		print_field(h->out, &h->options->style, note->harmless ? "note" : "warning", "%s x %s%s%s",
			    print_grouped(count, h->sums.notes[n]), note->text, note->advice ? "; " : "", note->advice ? note->advice : "");
		if (!note->harmless)
			print_end(h->out, &h->options->style);
	}
	for (uint32_t i = 0; h->in->symbols && symbols_warning(h->in->symbols, i); i++)
		warning_print(h, symbols_warning(h->in->symbols, i));
}

static bool head_make(struct head *h, const struct report_input *in, const struct report_options *options, FILE *out,
		      struct error *err)
{
	*h = (struct head){ .in = in, .options = options, .graph = in->graph, .profile = in->graph->profile, .out = out };
	h->first = &h->profile->runs[0].header;
	h->sums = sums_make(h->profile);
	return plain_make(&h->plain, in, err);
}

bool head_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	struct head h;

	if (in->graph->profile->nruns == 0) {
		fputs("No file was read.\n", out);
		return true;
	}
	if (!head_make(&h, in, options, out, err))
		return false;
	program_print(&h);
	runs_print(&h);
	clock_print(&h);
	error_print(&h);
	elapsed_print(&h);
	time_print(&h);
	calls_print(&h);
	hooks_print(&h);
	plain_print(&h);
	left_out_print(in, options, out);
	verified_print(in, options, out);
	notes_print(&h);
	plain_free(&h.plain);
	return true;
}

static json_t *file_json(const struct head *h, uint32_t i)
{
	const struct profile_run *run = &h->profile->runs[i];
	const struct amon_header *header = &run->header;

	return json_pack("{s:o, s:o, s:o, s:b, s:i, s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "file", emit_name(run->label),
			 "program", emit_name(header->program), "command", arguments_json(header), "command_cut",
			 (int)header->command_cut, "pid", (int)header->pid, "host", emit_name(header->host), "state", life_word(life_of(h->in, i)), "truncated",
			 (int)run->truncated, "start_ns", emit_count(header->start_realtime), "elapsed_ns",
			 emit_count(header->end_monotonic > header->start_monotonic ?
				    header->end_monotonic - header->start_monotonic : 0),
			 "cpu_ns", emit_count(header->cpu_total), "user_ns", emit_count(header->cpu_user), "system_ns",
			 emit_count(header->cpu_system), "calls", emit_count(run->calls), "contexts",
			 emit_count(run->contexts), "transitions", emit_count(run->transitions));
}

static json_t *files_json(const struct head *h)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < h->profile->nruns; i++)
		json_array_append_new(array, file_json(h, i));
	return array;
}

static json_t *notes_json(const struct head *h)
{
	json_t *array = json_array();

	for (unsigned n = 0; n < AMON_NOTES; n++)
		if (h->sums.notes[n])
			json_array_append_new(array, json_pack("{s:s, s:o, s:s, s:b}", "note", notes_find(n)->name, "count",
				emit_count(h->sums.notes[n]), "text", notes_find(n)->text, "harmless", (int)notes_find(n)->harmless));
	for (uint32_t i = 0; h->in->symbols && symbols_warning(h->in->symbols, i); i++)
		json_array_append_new(array, json_pack("{s:s, s:i, s:o, s:b}", "note", "symbols", "count", 1, "text",
			emit_name(symbols_warning(h->in->symbols, i)), "harmless", 0));
	return array;
}

static json_t *plain_json(const struct head *h)
{
	json_t *array = json_array();

	for (size_t i = 0; i < h->plain.n; i++)
		json_array_append_new(array, json_pack("{s:o, s:o, s:b}", "module", emit_name(h->plain.modules[i].module),
			"samples", emit_count(h->plain.modules[i].count), "hooked", (int)h->plain.modules[i].hooked));
	return array;
}

static json_t *clock_json(const struct head *h)
{
	static const char *const clocks[] = { "none", "tick", "tsc", "wall" };
	static const char *const sources[] = { "none", "sampler", "timer", "perf" };

	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "clock", h->first->clock < 4 ? clocks[h->first->clock] : "unknown",
			 "source", h->first->source < 4 ? sources[h->first->source] : "unknown", "rate",
			 emit_count(h->first->rate), "hook_ps", emit_count(h->graph->overhead->cost.picoseconds), "hook_samples",
			 emit_count(h->graph->overhead->cost.samples), "samples", emit_count(h->graph->ticks));
}

static json_t *times_json(const struct head *h)
{
	const struct graph *g = h->graph;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "contexts_ns", emit_count(g->time), "outside_ns", emit_count(g->outside), "raw_ns",
			 emit_count(h->profile->time), "hooks_ns", emit_count(g->hooks), "hooks_unplaced_ns",
			 emit_count(g->hooks_unplaced), "monitor_ns", emit_count(g->monitor), "unplaced_ns",
			 emit_count(g->unplaced), "raw", (int)g->options.raw);
}

static json_t *counts_json(const struct head *h)
{
	uint64_t contexts = h->sums.contexts;

	return json_pack("{s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o}", "calls", emit_count(h->sums.calls), "contexts",
			 emit_count(contexts), "transitions", emit_count(h->sums.transitions), "mean_history",
			 contexts ? (double)h->sums.length / (double)contexts : 0.0, "longest_history",
			 emit_count(h->profile->longest), "probe_misses", emit_count(h->sums.misses), "pc_samples",
			 emit_count(h->plain.samples), "pc_in_hooks", emit_count(h->plain.hooks), "pc_without_hooks",
			 emit_count(h->plain.count));
}

bool head_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	struct head h;

	if (in->graph->profile->nruns == 0)
		return true;
	if (!head_make(&h, in, options, NULL, err))
		return false;
	emit_member(e, "run", json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "files", files_json(&h), "clock", clock_json(&h),
					"times", times_json(&h), "counts", counts_json(&h), "without_hooks", plain_json(&h), "left_out", left_out_json(in),
					"stacks", verified_json(in), "notes", notes_json(&h)));
	plain_free(&h.plain);
	return true;
}
