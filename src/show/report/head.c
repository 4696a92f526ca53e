/* head.c - the head of a report: what ran, how it was measured, how far to trust it, what was lost.
 *
 * Every line is one function below; head_text has their order. A line that has nothing to say is left out. It says what a reader of the
 * listings must know; aprof info (info.c) says the rest. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "contract/slice.h"
#include "show/report/arguments.h"
#include "show/report/hint.h"
#include "show/report/left_out.h"
#include "show/report/report.h"
#include "base/print.h"
#include "show/report/verification.h"

#define LEAST_DRAWN 0.005		/* of the time that is drawn to calls, of which the head says so */
#define LEAST_TOOK 0.025	/* of the CPU time that the clock took, that is told */
#define LEAST_UNSURE 0.005	/* the same of the time of which it is not known where it was spent */

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

/* What ran, as it was typed. */
static void head_program_print(struct head *h)
{
	char program[4 * sizeof h->first->program];

	if (h->first->command_size)
		arguments_print(h->out, h->options, h->first);
	else if (h->first->program[0])
		print_field(h->out, &h->options->style, "program", "%s", print_safe(program, sizeof program, h->first->program, &h->options->style));
}

static void date_text(char *buffer, size_t size, uint64_t realtime)
{
	time_t seconds = (time_t)(realtime / 1000000000u);
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || strftime(buffer, size, "%Y-%m-%d %H:%M", &tm) == 0)
		snprintf(buffer, size, "at an unknown time");
}

/* Other people's files: what they are, and of how many processes. */
static void head_origin_print(struct head *h)
{
	const struct profile *p = h->profile;
	char label[600], date[64], more[64] = "", processes[48] = "";
	uint32_t files = 1;

	for (uint32_t i = 1; i < p->nruns; i++)
		files += strcmp(p->runs[i].label, p->runs[i - 1].label) != 0;
	if (files > 1)
		snprintf(more, sizeof more, " and %" PRIu32 " more (aprof info lists them)", files - 1);
	if (p->nruns > files)
		snprintf(processes, sizeof processes, ", %" PRIu32 " processes", p->nruns);
	print_safe(label, sizeof label, p->runs[0].label, &h->options->style);
	date_text(date, sizeof date, h->first->start_realtime);
	print_field(h->out, &h->options->style, files > 1 ? "files" : "file", "%s%s: %s%s%s%s", label, more, h->first->origin, processes,
		    h->first->start_realtime ? "; " : "", h->first->start_realtime ? date : "");
}

/* A file into which several processes were added up. */
static void sum_print(struct head *h)
{
	const struct profile_run *run = &h->profile->runs[0];
	enum report_life life = life_of(h->in, 0);
	char label[600], date[64], state[128];

	date_text(date, sizeof date, h->first->start_realtime);
	print_field(h->out, &h->options->style, "file", "%s: %" PRIu64 " processes, the first %s%s%s", print_safe(label, sizeof label, run->label, &h->options->style),
		    life_processes(run), date, life == REPORT_DIED ? "; " : "", life == REPORT_DIED ? life_text(state, sizeof state, life, run) : "");
}

static void run_print(struct head *h)
{
	const struct profile_run *run = &h->profile->runs[0];
	const struct amon_header *header = &run->header;
	enum report_life life = life_of(h->in, 0);
	char date[64], label[600], elapsed[64] = "", state[256];

	date_text(date, sizeof date, header->start_realtime);
	print_safe(label, sizeof label, run->label, &h->options->style);
	if (header->end_monotonic > header->start_monotonic)
		snprintf(elapsed, sizeof elapsed, ", %.2f s elapsed", (double)(header->end_monotonic - header->start_monotonic) / 1e9);
	if (life == REPORT_ENDED && header->exit_status > 0)
		life_status(state, sizeof state, header->exit_status);
	else
		life_text(state, sizeof state, life, run);
	print_field(h->out, &h->options->style, "file", "%s: %s%s; %s%s%s", label, date, elapsed, state,
		    run->truncated ? "; the file is cut off, its whole part is used" : "",
		    header->reset_monotonic ? "; counters were reset while it ran" : "");
}

/* How the first process died of which that is known, in brackets; where it is of none, how they may have. */
static void death_text(char *buffer, size_t size, const struct head *h)
{
	char status[128];

	snprintf(buffer, size, " (killed, crashed, _exit or exec)");
	for (uint32_t i = 0; i < h->profile->nruns; i++)
		if (life_of(h->in, i) == REPORT_DIED && h->profile->runs[i].header.exit_status >= 0) {
			snprintf(buffer, size, " (%s)", life_status(status, sizeof status, h->profile->runs[i].header.exit_status));
			return;
		}
}

/* `3 ended, 1 died (exit status 5), of 2 not all ended`. */
static void lives_text(char *buffer, size_t size, const struct head *h)
{
	const struct sums *s = &h->sums;
	char death[160];
	size_t n = 0;

	death_text(death, sizeof death, h);
	buffer[0] = '\0';
	for (unsigned i = 0; i < sizeof s->lives / sizeof *s->lives; i++)
		if (s->lives[i] && n < size)
			n += (size_t)snprintf(buffer + n, size - n, "%s%" PRIu64 " %s%s", n ? ", " : "", s->lives[i], life_word(i),
					      i == REPORT_DIED ? death : "");
	if (s->mixed && n < size)
		n += (size_t)snprintf(buffer + n, size - n, "%sof %" PRIu64 " not all ended%s", n ? ", " : "", s->mixed, s->lives[REPORT_DIED] ? "" : death);
	if (s->truncated && n < size)
		n += (size_t)snprintf(buffer + n, size - n, "; %" PRIu32 " of the files cut off", s->truncated);
	if (s->reset && n < size)
		snprintf(buffer + n, size - n, "; counters of %" PRIu32 " reset", s->reset);
}

/* Several processes in a line: the file that all are told by, or how many files. */
static void runs_print(struct head *h)
{
	const struct profile *p = h->profile;
	char label[600], date[64], lives[400];
	uint64_t processes = 0;
	bool one = true;

	for (uint32_t i = 0; i < p->nruns; i++) {
		uint64_t n = life_processes(&p->runs[i]);

		one &= strcmp(p->runs[i].label, p->runs[0].label) == 0;
		processes += n ? n : 1;
	}
	print_safe(label, sizeof label, p->runs[0].label, &h->options->style);
	date_text(date, sizeof date, h->first->start_realtime);
	lives_text(lives, sizeof lives, h);
	if (one)
		print_field(h->out, &h->options->style, "file", "%s: %" PRIu64 " processes, the first %s; %s", label, processes, date, lives);
	else
		print_field(h->out, &h->options->style, "files", "%s and %" PRIu32 " more (aprof info --processes lists them), the first %s; %s", label,
			    p->nruns - 1, date, lives);
}

enum { MOST_COMMANDS = 3 };

/* `git gc 1.24 s in 30 processes, git add 20.1 ms in 1`: what several commands have of the time. */
static void head_commands_print(struct head *h)
{
	size_t ncommands = 0;
	struct profile_command *c = h->profile->mean_of ? NULL : commands_make(h->profile, &ncommands);	/* which are of each run */
	char text[MOST_COMMANDS * 320 + 64] = "", name[256], time[PRINT_TIME_SIZE];
	size_t n = 0;

	if (c && ncommands > 1) {
		for (size_t i = 0; i < ncommands && i < MOST_COMMANDS; i++)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %s in %" PRIu64 "%s", i ? ", " : "",
				print_safe(name, sizeof name, c[i].name, &h->options->style), print_amount_text(time, (double)c[i].time, figure_unit(h->graph)),
				c[i].processes, i ? "" : c[i].processes == 1 ? " process" : " processes");
		if (ncommands > MOST_COMMANDS)
			snprintf(text + n, sizeof text - n, ", %zu more: aprof info", ncommands - MOST_COMMANDS);
		print_field(h->out, &h->options->style, "commands", "%s", text);
	}
	free(c);
}

static void phase_print(const struct head *h)
{
	char name[4 * sizeof h->profile->phases->name + 1];

	for (uint32_t i = 0; h->in->phase && i < h->profile->nphases; i++)
		if (strcmp(h->profile->phases[i].name, h->in->phase) == 0)
			print_field(h->out, &h->options->style, "phase", "%s, entered %" PRIu64 " time%s; all that follows is of it alone",
				    print_safe(name, sizeof name, h->in->phase, &h->options->style), h->profile->phases[i].begun,
				    print_plural(h->profile->phases[i].begun));
}

/* The longest of the intervals by which the runs tell their time, ns. */
static uint64_t interval_of(const struct profile *p)
{
	uint32_t level = 0;

	for (uint32_t i = 0; i < p->nruns; i++)
		level = p->runs[i].level > level ? p->runs[i].level : level;
	return slice_length(level);
}

/* `1.2 s to 3 s`. */
static const char *range_text(char *buffer, size_t size, const struct profile_range *r)
{
	if (r->to == UINT64_MAX)
		snprintf(buffer, size, "from %.6g s on", (double)r->from / 1e9);
	else
		snprintf(buffer, size, "%.6g s to %.6g s", (double)r->from / 1e9, (double)r->to / 1e9);
	return buffer;
}

static void range_print(const struct head *h)
{
	char range[80], length[PRINT_TIME_SIZE];

	if (h->in->range.to)
		print_field(h->out, &h->options->style, "range", "%s of the run, by intervals of %s; calls are of the whole run", range_text(range, sizeof range, &h->in->range),
			    print_time_text(length, (double)interval_of(h->profile)));
}

static json_t *range_json(const struct head *h)
{
	const struct profile_range *r = &h->in->range;

	if (!r->to)
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "from_ns", emit_count(r->from), "to_ns", r->to == UINT64_MAX ? json_null() : emit_count(r->to),
			 "interval_ns", emit_count(interval_of(h->profile)));
}

/* Hooks of way inline take no time at exits. */
static bool is_inline(const struct head *h)
{
	return h->first->way & 1u << AMON_WAY_INLINE;
}

/* Clock tsc charges a thread when it enters or leaves a routine, and at the end of its process, if the monitor sees that. */
static void unsettled_print(struct head *h)
{
	if (h->sums.lives[REPORT_RUNNING] + h->sums.lives[REPORT_DIED] + h->sums.lives[REPORT_UNKNOWN] + h->sums.mixed > 0)
		print_field(h->out, &h->options->style, "", "not in these times: what each thread spent since its last call or return, as no end of its process was seen");
}

/* Clock tsc: how many times their CPU time the threads were charged; 0: not known. */
static double elapsed_part(const struct profile *p)
{
	double cpu = 0;

	for (uint32_t i = 0; i < p->nthreads; i++)
		if (p->threads[i].record.cpu_last > p->threads[i].record.cpu_first)
			cpu += (double)(p->threads[i].record.cpu_last - p->threads[i].record.cpu_first);
	return cpu > 0 ? (double)(p->time + p->monitor) / cpu : 0;
}

static void cycles_print(struct head *h)
{
	double part = elapsed_part(h->profile);
	char longer[64] = "";

	if (part > 1.05)
		snprintf(longer, sizeof longer, ", %.2f times the CPU time", part);
	print_field(h->out, &h->options->style, "clock", "tsc: elapsed time, by the cycle counter%s", longer);
	unsettled_print(h);
}

/* The part of the routines' time that stands in other contexts than its samples, since these were too few (understand/overhead/draw.c). */
static double drawn_part(const struct graph *g)
{
	double moved = 0, all = 0;

	for (uint32_t i = 1; g->sampled && i < g->ncontexts; i++) {
		moved += fabs((double)g->contexts[i].time - g->contexts[i].evidence.measured);
		all += (double)g->contexts[i].time;
	}
	return all > 0 ? moved / 2 / all : 0;
}

/* The clock, and how far its samples can be trusted. */
static void samples_print(struct head *h, const char *clock)
{
	const char *sign = h->options->style.utf8 ? "\u00b1" : "+-";
	uint64_t n = h->graph->ticks;
	char samples[32];

	if (n == 0)
		print_field(h->out, &h->options->style, "clock", "%s; no sample fell into the routines: run it longer, raise the rate "
			    "(APROF_RATE=10000), or use %s", clock,
			    is_inline(h) ? "clock tsc (build it with aprof-cc --aprof-clock=tsc)" : "APROF_CLOCK=tsc");
	else
		print_field(h->out, &h->options->style, "clock", "%s, %s sample%s; a share of 10 %% is %s%.2g points", clock,
			    print_grouped(samples, n), print_plural(n), sign, sums_error(h->graph, 10));
	if (n > 0 && drawn_part(h->graph) >= LEAST_DRAWN)
		print_field(h->out, &h->options->style, "", "too few for some callers: %.0f %% of routines' time is shared by calls",
			    100 * drawn_part(h->graph));
}

/* What the clock itself took, where that is much: the user asked for a rate. */
static void took_print(struct head *h)
{
	const struct profile *p = h->graph->profile;
	double took = 0, each = 0, whole = (double)p->time + (double)p->monitor + (double)p->unplaced;

	if (h->first->clock != AMON_CLOCK_TICK || h->first->origin[0])
		return;
	for (uint32_t i = 0; i < p->nruns; i++) {
		took += (double)p->runs[i].header.sampler_cpu;
		each = fmax(each, (double)p->runs[i].header.interrupt_nsec);
	}
	for (size_t i = 0; i < p->npcs; i++)
		took += each * (double)p->pcs[i].count;
	took /= p->mean_of ? p->mean_of : 1;
	if (whole > 0 && took / whole >= LEAST_TOOK)
		print_field(h->out, &h->options->style, "sampler", "some %.2g %% of the program's CPU time went to samples; a lower rate (APROF_RATE) takes less",
			    100 * took / whole);
}

/* All time that was measured of the run, whatever part of it was asked for, ns. */
static uint64_t head_run_of(const struct profile *p)
{
	return p->time + p->monitor + p->unplaced;
}

/* The part of the time of call stacks that no sample saw, UNSURE, and how much of it is in contexts nevertheless. */
static void unseen_print(struct head *h, double unsure)
{
	double whole = (double)head_run_of(h->profile), shared = whole > 0 ? fmin((double)h->sums.unsure / whole, unsure) : 0;
	char text[100] = "";

	if (shared >= LEAST_UNSURE)
		snprintf(text, sizeof text, "; %.2g %% is shared as other samples of its process say", 100 * shared);
	print_field(h->out, &h->options->style, "unsure", "%.2g %% of the time: no sample saw it%s; errors are wider by it", 100 * unsure, text);
}

/* Errors that are wider; last, for they say so themselves. */
static void unsure_print(struct head *h)
{
	double unsure = h->graph->unsure;

	if (h->graph->ticks > 0 && unsure >= LEAST_UNSURE && !profile_counts_calls(h->profile))
		unseen_print(h, unsure);
	else if (h->graph->ticks > 0 && unsure >= LEAST_UNSURE)
		print_field(h->out, &h->options->style, "unsure", "%.2g %% of the time: no source knows it, or they differ; errors are wider by it", 100 * unsure);
}

/* Of the times of all threads those of idle ones are most: what the others do, and wait for. */
static void busy_print(struct head *h)
{
	char *text = NULL;
	struct busy b;
	size_t len;
	FILE *out = busy_threads_find(&b, h->graph) && b.nplaces ? open_memstream(&text, &len) : NULL;

	for (uint32_t i = 0; out && i < b.nplaces; i++) {
		const struct busy_place *place = &b.places[i];
		char name[300], caller[300];

		fprintf(out, "%s %.0f %% in %s", i ? "," : "", 100 * place->part, print_safe(name, sizeof name, h->graph->routines[place->routine].brief, &h->options->style));
		if (place->caller != GRAPH_NONE)
			fprintf(out, " (%s)", print_safe(caller, sizeof caller, h->graph->routines[place->caller].brief, &h->options->style));
	}
	if (out && fclose(out) == 0)
		print_field(h->out, &h->options->style, "busy", "%" PRIu32 " of %" PRIu32 " threads; of %s time%s", b.busy, b.threads, b.busy == 1 ? "its" : "their", text);
	free(text);
}

/* What the times of other people's files are. */
static void unit_print(struct head *h)
{
	const char *sign = h->options->style.utf8 ? "\u00b1" : "+-";
	uint64_t n = h->graph->ticks;
	char samples[32], error[128] = "", unit[4 * sizeof h->first->unit];

	if (n && h->graph->sampled)
		snprintf(error, sizeof error, "; %s sample%s; a share of 10 %% is %s%.2g points", print_grouped(samples, n), print_plural(n), sign,
			 sums_error(h->graph, 10));
	print_field(h->out, &h->options->style, profile_is_time(h->profile) ? "clock" : "value", "%s%s", print_safe(unit, sizeof unit, h->first->unit, &h->options->style), error);
}

/* What else the files have. */
static void head_values_print(struct head *h)
{
	const struct profile_value *v;
	char text[600] = "", name[4 * sizeof v->name];
	size_t n = 0;

	for (uint32_t i = 1; n < sizeof text && (v = profile_value_at(h->profile, i)) != NULL; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i > 1 ? ", " : "", print_safe(name, sizeof name, v->name, &h->options->style));
	if (n)
		print_field(h->out, &h->options->style, "", "--value=NAME shows another value: %s", text);
}

static void head_clock_lines_print(struct head *h)
{
	if (h->first->origin[0] || h->first->clock == AMON_CLOCK_COUNT) {
		unit_print(h);
		return;
	}
	switch (h->first->clock) {
	case AMON_CLOCK_TICK:
		samples_print(h, "tick: CPU time");
		break;
	case AMON_CLOCK_WALL:
		samples_print(h, "wall: elapsed time, sleep included");
		busy_print(h);
		break;
	case AMON_CLOCK_TSC:
		cycles_print(h);
		break;
	default:
		print_field(h->out, &h->options->style, "clock", "none: calls were counted, no time was taken");
	}
	if (h->sums.notes[AMON_NOTE_CLOCK_CHANGED] && is_inline(h))
		print_field(h->out, &h->options->style, "", "another clock was asked for: tsc needs code that reads the counter (aprof-cc --aprof-clock=tsc)");
}

static void head_clock_print(struct head *h)
{
	head_clock_lines_print(h);
	head_values_print(h);
}

/* Whether the report is of a part of the run, which was asked for: some contexts, one thread, or a range of time. */
static bool head_is_part(const struct head *h)
{
	return h->graph->options.nfocus > 0 || h->graph->options.thread != GRAPH_NONE || h->in->range.to;
}

/* Whether calls and contexts are others than those of the files. */
static bool head_is_other(const struct head *h)
{
	return head_is_part(h) || h->graph->nhidden > 0;
}

/* What a share of the run's CPU time is called beside the times of this report. */
static const char *of_cpu(const struct head *h)
{
	if (h->first->clock == AMON_CLOCK_TICK)
		return head_is_part(h) ? " of the run" : "";
	return head_is_part(h) ? " of the run's CPU time" : " of the CPU time";
}

/* What was subtracted, ns. */
static uint64_t head_hooks_of(const struct graph *g)
{
	return g->hooks > 0 ? (uint64_t)g->hooks : 0;
}

/* All time that was measured, ns; with a focus, that of the contexts kept, which have nothing of what no sample placed. */
static uint64_t whole_of(const struct graph *g)
{
	return g->time + g->outside + head_hooks_of(g) + (g->options.nfocus ? 0 : g->monitor + g->unplaced);
}

/* `1.05 s = 0.90 in routines + 0.15 hooks`; parts that are nothing to so many decimals are left out. */
static void head_time_print(struct head *h)
{
	const struct graph *g = h->graph;
	bool focus = g->options.nfocus > 0;
	const struct { uint64_t time; const char *what; } parts[] = {
		{ g->time, "in routines" }, { g->outside, "outside all of them" }, { head_hooks_of(g), "hooks" },
		{ focus ? 0 : g->monitor, "making contexts" }, { focus ? 0 : g->unplaced, "unplaced" },
	};
	uint64_t whole = whole_of(g);
	struct print_unit unit = print_unit_of(whole, figure_unit(g));
	double least = 0.5 * unit.size * pow(10, -unit.decimals), kernel = head_is_part(h) ? 0 : profile_kernel_part(h->profile);
	char text[400], cpu[64] = "", run[PRINT_TIME_SIZE];
	size_t n = (size_t)snprintf(text, sizeof text, "%.*f%s", unit.decimals, (double)whole / unit.size, unit.name), first = n;

	if (h->first->clock == AMON_CLOCK_NONE)
		return;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if ((double)parts[i].time >= least)
			n += (size_t)snprintf(text + n, sizeof text - n, " %s %.*f %s", n > first ? "+" : "=", unit.decimals, (double)parts[i].time / unit.size,
					      parts[i].what);
	if ((double)(whole - g->time) < least)
		strcpy(text + first, whole ? ", all of it in routines" : "");
	if (kernel >= 0.005)
		snprintf(cpu, sizeof cpu, "; %.0f %%%s in the kernel", 100 * kernel, of_cpu(h));
	print_field(h->out, &h->options->style, profile_is_time(h->profile) ? "time" : "total", "%s%s", text, cpu);
	if (focus)
		print_field(h->out, &h->options->style, "focus", "%.1f %% of the run's %s; shares are of the contexts kept",
			    print_percent(whole, head_run_of(h->profile)), print_amount_text(run, (double)head_run_of(h->profile), figure_unit(g)));
}

/* What is hidden. */
static void hidden_print(struct head *h)
{
	uint32_t n = h->graph->nhidden;

	if (n > 0)
		print_field(h->out, &h->options->style, "hidden", "%u routine%s: what %s took is %s callers' own", n, n == 1 ? "" : "s",
			    n == 1 ? "it" : "they", n == 1 ? "its" : "their");
}

/* In how many contexts of what was asked for anything was counted. */
static uint64_t contexts_of(const struct head *h)
{
	uint64_t n = 0;

	if (!head_is_other(h))
		return h->sums.contexts;
	for (uint32_t i = 1; i < h->graph->ncontexts; i++) {
		const struct graph_context *c = &h->graph->contexts[i];

		n += c->kept && !h->graph->routines[c->routine].plain && (c->entries || c->recursive || c->pieces || c->time || c->ticks);
	}
	return n;
}

/* What took samples of stacks. */
static const char *source_name(uint32_t source)
{
	return source == AMON_SOURCE_PERF ? "perf events" : source == AMON_SOURCE_TIMER ? "a timer in the program" : "ptrace";
}

/* Whether a run before run I has its source. */
static bool source_is_named(const struct head *h, uint32_t i)
{
	for (uint32_t before = 0; before < i; before++)
		if (h->profile->runs[before].header.source == h->profile->runs[i].header.source)
			return true;
	return false;
}

/* Who took samples of stacks, and how many: ` by perf events, 997 a second`; nothing where what is shown is no time. */
static const char *source_text(char *buffer, size_t size, const struct head *h)
{
	size_t n = 0;
	uint32_t rate = 0;

	*buffer = '\0';
	if (h->first->source == AMON_SOURCE_NONE)
		return buffer;
	for (uint32_t i = 0; i < h->profile->nruns; i++) {
		const struct amon_header *run = &h->profile->runs[i].header;

		if (!source_is_named(h, i) && n < size)
			n += (size_t)snprintf(buffer + n, size - n, " %s %s", n ? "and" : "by", source_name(run->source));
		rate = run->rate > rate ? run->rate : rate;
	}
	if (n < size)
		snprintf(buffer + n, size - n, ", %s%" PRIu32 " a second", h->profile->nruns > 1 ? "up to " : "", rate);
	return buffer;
}

/* How many of the stacks that were sampled could be followed to the thread's start, as far as it is known: of the whole run. */
static void stacks_print(struct head *h)
{
	uint64_t cut = h->sums.notes[AMON_NOTE_CUT_STACK], all = h->graph->ticks + h->graph->outside_ticks;
	uint64_t hooks = h->graph->overhead->cost.samples;
	char stacks[32], made[32], source[96], whole[64] = "";

	if (h->first->origin[0]) {
		print_field(h->out, &h->options->style, "calls", "not counted: the file has call stacks, in %s context%s",
			    print_grouped(made, h->sums.contexts), print_plural(h->sums.contexts));
		return;
	}
	print_field(h->out, &h->options->style, "calls", h->first->way & ~(1u << AMON_WAY_STACKS) ? "not counted here: call stacks were sampled%s, together with exact contexts" :
		    h->in->nleft_out ? "not counted, since nothing that could have hooks has any: call stacks were sampled%s" :
		    "not counted, since it has no hooks: call stacks were sampled%s (aprof-cc builds it with hooks)", source_text(source, sizeof source, h));
	if (!head_is_part(h))
		snprintf(whole, sizeof whole, "; %.*f %% go back to the thread's start", cut ? 2 : 0, 100 - print_percent(cut < all ? cut : all, all));
	print_field(h->out, &h->options->style, "stacks", "%s in %s context%s%s", print_grouped(stacks, all),
		    print_grouped(made, contexts_of(h)), print_plural(contexts_of(h)), whole);
	if (hooks)
		print_field(h->out, &h->options->style, "hooks", "%s sample%s fell into them; %s", print_grouped(stacks, hooks), print_plural(hooks),
			    h->graph->options.raw ? "left in the times (--raw)" : "the times are without them");
}

/* Of other people's files without contexts. */
static void head_arcs_print(struct head *h)
{
	char calls[32] = "", arcs[32];
	uint64_t n = h->profile->narcs;

	if (h->graph->counted)
		print_grouped(calls, h->sums.calls);
	print_field(h->out, &h->options->style, "calls", "%s%salong %s arc%s; the file has no contexts", h->graph->counted ? calls : "not counted;",
		    " ", print_grouped(arcs, n), print_plural(n));
}

/* What became of N of the call stacks beside, if it was any: `; 3 were cut off`. */
static void below_part(char *text, size_t size, uint64_t n, const char *what)
{
	size_t used = strlen(text);
	char number[32];

	if (n)
		snprintf(text + used, size - used, "; %s %s", print_grouped(number, n), what);
}

/* The call stacks by which times were split. */
static void below_print(struct head *h)
{
	const struct stack_join *b = h->in->below;
	char stacks[32], rest[200] = "";

	if (!b)
		return;
	below_part(rest, sizeof rest, b->outside, "outside of all routines with hooks");
	below_part(rest, sizeof rest, b->cut, "cut off");
	below_part(rest, sizeof rest, b->strange, "in no context that is known");
	print_field(h->out, &h->options->style, "stacks", profile_value_is_beside(h->profile) ? "%s sampled together with the contexts, which it is of by them%s" :
		    "%s sampled together with the contexts, whose times they split%s", print_grouped(stacks, b->samples), rest);
}

static void head_calls_print(struct head *h)
{
	char calls[32], made[32];

	if (h->graph->arcs_alone) {
		head_arcs_print(h);
		return;
	}
	if (!h->graph->counted) {
		stacks_print(h);
		return;
	}
	if (h->sums.calls == 0 && h->profile->runs[0].truncated)
		print_field(h->out, &h->options->style, "calls", "none in the part of the file that is left");
	else if (h->sums.calls == 0)
		print_field(h->out, &h->options->style, "calls", "none: no hook was called. Was the program built with aprof-cc, and linked "
			    "with it too? (make CC=aprof-cc, after make clean)");
	else
		print_field(h->out, &h->options->style, "calls", "%s in %s context%s", print_grouped(calls, head_is_other(h) ? h->graph->calls : h->sums.calls),
			    print_grouped(made, contexts_of(h)), print_plural(contexts_of(h)));
	below_print(h);
}

/* What was done about the hooks' cost. */
static const char *cost_text(const struct head *h)
{
	if (h->graph->options.raw)
		return "left in the times (--raw)";
	return h->graph->overhead->cost.divided ? "the times without them are estimates" : "subtracted from the times";
}

static void hooks_print(struct head *h)
{
	const struct graph *g = h->graph;
	const struct overhead_cost *cost = &g->overhead->cost;
	char samples[80], time[PRINT_TIME_SIZE];

	if (h->first->clock == AMON_CLOCK_NONE || h->first->clock == AMON_CLOCK_COUNT || h->sums.calls == 0 || h->first->origin[0])
		return;
	if (cost->picoseconds == 0) {
		print_field(h->out, &h->options->style, "hooks", "their cost was not measured in this run, so nothing is subtracted");
		return;
	}
	snprintf(samples, sizeof samples, "by %" PRIu64 " sample%s", cost->samples, print_plural(cost->samples));
	print_field(h->out, &h->options->style, "hooks", "%.2f ns a call, %s; %s", (double)cost->picoseconds / 1e3,
		    cost->samples ? samples : "as calibrated", cost_text(h));
	if (!g->options.raw && g->hooks_unplaced > g->time / 1000)
		print_field(h->out, &h->options->style, "", "hooks, unplaced: %s more than their contexts' time", print_time_text(time, (double)g->hooks_unplaced));
}

enum { MOST_MODULES = 3, LEAST_SHARE = 1 };	/* that are named, in percent of the CPU time; aprof info lists all */

/* The CPU time of the whole run, ns: all that the clock measured if that was it. */
static double head_cpu_of(const struct head *h)
{
	if (h->first->clock != AMON_CLOCK_TICK && h->sums.cpu)
		return (double)h->sums.cpu;
	return (double)(head_is_part(h) ? head_run_of(h->profile) : whole_of(h->graph));
}

/* Do call stacks tell where code without hooks ran, so that no program counters are needed for it? */
static bool is_split_by_stacks(const struct head *h)
{
	return h->profile->plain || !h->graph->counted;
}

/* Seconds and shares are of the CPU time, of whose part in user mode the program counters are. */
static void head_plain_print(struct head *h)
{
	const struct plain *p = &h->plain;
	double cpu = head_cpu_of(h), user = 1 - fmax(profile_kernel_part(h->profile), 0);
	double each = p->samples ? user / (double)p->samples : 0;	/* of the CPU time that a sample stands for */
	char modules[MOST_MODULES * 300] = "", name[256], time[PRINT_TIME_SIZE];
	size_t n = 0;

	if (p->samples == 0 && (h->options->lines || h->options->inlines || (h->options->leaves && !is_split_by_stacks(h))))
		print_field(h->out, &h->options->style, "no hooks", "no program counters were sampled in this run, so there is nothing to split "
			    "by (--leaves, --lines, --inlines)");
	if (p->count == 0)
		return;
	for (size_t i = 0; i < p->n && i < MOST_MODULES && (i == 0 || 100 * each * (double)p->modules[i].count >= LEAST_SHARE); i++)
		n += (size_t)snprintf(modules + n, sizeof modules - n, "%s%s %.1f %%", i ? ", " : "",
			print_safe(name, sizeof name, p->modules[i].module ? print_basename(p->modules[i].module) : "no module", &h->options->style),
			100 * each * (double)p->modules[i].count);
	print_field(h->out, &h->options->style, "no hooks", "%s (%.1f %%%s)%s: %s",
		    print_time_text(time, each * (double)p->count * cpu), 100 * each * (double)p->count, of_cpu(h),
		    h->profile->plain ? "" : ", charged to callers", modules);
}

static void warning_print(struct head *h, const char *text)
{
	print_begin(h->out, &h->options->style, 'w');
	print_field(h->out, &h->options->style, "warning", "%s", text);
	print_end(h->out, &h->options->style);
}

/* What was lost.  Notes of harmless things are for aprof info. */
static void warnings_print(struct head *h)
{
	char count[32], text[1024];

	for (unsigned n = 0; n < AMON_NOTES; n++) {
		const struct note *note = notes_find(n);

		if (!h->sums.notes[n] || note->harmless)
			continue;
		snprintf(text, sizeof text, "%s x %s%s%s", print_grouped(count, h->sums.notes[n]), note->text, note->advice ? "; " : "",
			 note->advice ? note->advice : "");
		warning_print(h, text);
	}
	for (uint32_t i = 0; h->in->symbols && symbols_warning(h->in->symbols, i); i++)
		warning_print(h, print_safe(text, sizeof text, symbols_warning(h->in->symbols, i), &h->options->style));
}

static bool report_head_make(struct head *h, const struct report_input *in, const struct report_options *options, FILE *out,
		      struct error *err)
{
	*h = (struct head){ .in = in, .options = options, .graph = in->graph, .profile = in->graph->profile, .out = out };
	h->first = &h->profile->runs[0].header;
	h->sums = sums_make(in);
	return plain_shares_make(&h->plain, in, err);
}

static bool head_lines_print(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	struct head h;

	if (!report_head_make(&h, in, options, out, err))
		return false;
	head_program_print(&h);
	if (h.first->origin[0])
		head_origin_print(&h);
	else if (h.profile->nruns == 1 && life_processes(&h.profile->runs[0]) > 0)
		sum_print(&h);
	else if (h.profile->nruns == 1)
		run_print(&h);
	else
		runs_print(&h);
	head_commands_print(&h);
	phase_print(&h);
	range_print(&h);
	head_time_print(&h);
	hidden_print(&h);
	head_clock_print(&h);
	warnings_print(&h);
	head_calls_print(&h);
	hint_print(in, options, out);		/* before what a screen may cut off */
	hooks_print(&h);
	head_plain_print(&h);
	took_print(&h);
	unsure_print(&h);
	left_out_print(in, options, out);
	verification_print(in, options, out);
	plain_shares_free(&h.plain);
	return true;
}

/* The same in few lines, each of the screen's width. */
static bool screen_print(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	char *text = NULL;
	size_t size;
	FILE *lines = open_memstream(&text, &size);
	bool ok = lines && head_lines_print(in, options, lines, err);

	if (!lines || fclose(lines) != 0)
		ok = error_no_memory(err, NULL);
	if (ok)
		print_cut(out, &options->style, text, report_head_rows(options));
	free(text);
	return ok;
}

bool head_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	if (in->graph->profile->nruns == 0) {
		fputs("No file was read.\n", out);
		return true;
	}
	return (options->screen ? screen_print : head_lines_print)(in, options, out, err);
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
			 emit_count(header->cpu_system), "calls", emit_calls(h->graph->counted, run->calls), "contexts",
			 emit_count(run->contexts), "transitions", emit_count(run->transitions - run->recursions));
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

static json_t *head_plain_json(const struct head *h)
{
	json_t *array = json_array();

	for (size_t i = 0; i < h->plain.n; i++)
		json_array_append_new(array, json_pack("{s:o, s:o, s:b}", "module", emit_name(h->plain.modules[i].module),
			"samples", emit_count(h->plain.modules[i].count), "hooked", (int)h->plain.modules[i].hooked));
	return array;
}

static json_t *clock_json(const struct head *h)
{
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "clock", method_clock(h->first->clock),
			 "source", method_source(h->first->source), "rate",
			 emit_count(h->first->rate), "hook_ps", emit_count(h->graph->overhead->cost.picoseconds), "hook_samples",
			 emit_count(h->graph->overhead->cost.samples), "samples", emit_count(h->graph->ticks));
}

static json_t *head_times_json(const struct head *h)
{
	const struct graph *g = h->graph;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "contexts_ns", emit_count(g->time), "outside_ns", emit_count(g->outside), "raw_ns",
			 emit_count(h->profile->time), "hooks_ns", json_integer(g->hooks), "hooks_unplaced_ns",
			 emit_count(g->hooks_unplaced), "monitor_ns", emit_count(g->monitor), "unplaced_ns",
			 emit_count(g->unplaced), "unsure_ns", emit_count(h->sums.unsure), "raw", (int)g->options.raw);
}

static json_t *head_counts_json(const struct head *h)
{
	uint64_t contexts = h->sums.contexts, transitions = h->sums.transitions;

	return json_pack("{s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o}", "calls", emit_calls(h->graph->counted, h->sums.calls), "contexts",
			 emit_count(contexts), "transitions", emit_count(transitions), "transition_hits",
			 emit_count(h->sums.calls > transitions ? h->sums.calls - transitions : 0), "mean_history",
			 contexts ? (double)h->sums.length / (double)contexts : 0.0, "longest_history",
			 emit_count(h->profile->longest), "probe_misses", emit_count(h->sums.misses), "pc_samples",
			 emit_count(h->plain.samples), "pc_in_hooks", emit_count(h->plain.hooks), "pc_without_hooks",
			 emit_count(h->plain.count));
}

static json_t *stacks_json(const struct head *h)
{
	const struct stack_join *b = h->in->below;

	if (b)
		return json_pack("{s:o, s:o, s:o, s:o}", "sampled", emit_count(b->samples), "truncated", emit_count(b->cut), "outside", emit_count(b->outside),
				 "strange", emit_count(b->strange));
	if (h->graph->counted || h->graph->arcs_alone)
		return json_null();
	return json_pack("{s:o, s:o}", "sampled", emit_count(h->graph->ticks + h->graph->outside_ticks), "truncated",
			 emit_count(h->sums.notes[AMON_NOTE_CUT_STACK]));
}

static json_t *value_json(const struct head *h)
{
	const struct profile_value *v = profile_value_of(h->profile);

	return json_pack("{s:o, s:o, s:b}", "value", emit_name(v->name), "unit", emit_name(v->unit), "sampled", (int)(v->flags & AMON_VALUE_SAMPLED));
}

static json_t *imported_json(const struct head *h)
{
	if (!h->first->origin[0])
		return json_null();
	return json_pack("{s:o, s:o}", "format", emit_name(h->first->origin), "unit", emit_name(h->first->unit));
}

bool head_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	struct head h;

	if (in->graph->profile->nruns == 0)
		return true;
	if (!report_head_make(&h, in, options, NULL, err))
		return false;
	emit_member(e, "run", json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "files", files_json(&h), "range", range_json(&h), "value", value_json(&h), "imported", imported_json(&h), "clock", clock_json(&h),
					"times", head_times_json(&h), "counts", head_counts_json(&h), "without_hooks", head_plain_json(&h), "left_out", left_out_json(in),
					"stacks", verification_json(in), "call_stacks", stacks_json(&h), "notes", notes_json(&h)));
	plain_shares_free(&h.plain);
	return true;
}
