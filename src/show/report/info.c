/* info.c - what is in the files: headers, modules, threads, losses; everything that the reports only sum up. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "contract/slice.h"
#include "show/report/arguments.h"
#include "show/report/left_out.h"
#include "show/report/report.h"

/* What is known of a file of other people's. */
static void info_origin_print(FILE *out, const struct amon_header *h, const struct report_options *options)
{
	char text[4 * sizeof h->program];

	print_field(out, &options->style, "made from", "%s", print_safe(text, sizeof text, h->origin, &options->style));
	if (h->program[0])
		print_field(out, &options->style, "program", "%s", print_safe(text, sizeof text, h->program, &options->style));
	if (h->pid)
		print_field(out, &options->style, "process", "pid %" PRId32, h->pid);
}

static void identity_print(FILE *out, const struct report_input *in, uint32_t i, const struct report_options *options)
{
	const struct profile_run *run = &in->graph->profile->runs[i];
	const struct amon_header *h = &run->header;
	char text[4200], first[48] = "";

	print_field(out, &options->style, "file", "%s, %" PRIu64 " bytes%s", print_safe(text, sizeof text, run->label, &options->style),
		    run->file_size, run->truncated ? ", cut off" : "");
	if (h->origin[0]) {
		info_origin_print(out, h, options);
		return;
	}
	print_field(out, &options->style, "program", "%s", print_safe(text, sizeof text, h->program, &options->style));
	arguments_print(out, options, h);
	print_field(out, &options->style, "directory", "%s", print_safe(text, sizeof text, h->directory, &options->style));
	if (life_processes(run) > 1)
		snprintf(first, sizeof first, "%" PRIu64 ", the first: ", life_processes(run));
	print_field(out, &options->style, first[0] ? "processes" : "process", "%spid %" PRId32 ", parent %" PRId32 ", host %s", first, h->pid, h->ppid,
		    print_safe(text, sizeof text, h->host, &options->style));
	print_field(out, &options->style, "state", "%s", life_text(text, sizeof text, life_of(in, i), run));
	if (h->exit_status >= 0)
		print_field(out, &options->style, "status", "%s", life_status(text, sizeof text, h->exit_status));
}

/* The paper's rate: of all calls those whose transition was there, so that step B1 found it. */
static void counts_print(FILE *out, const struct profile_run *run, const struct report_options *options)
{
	uint64_t transitions = run->transitions - run->recursions;
	char found[64] = "";

	if (run->calls > 0)
		snprintf(found, sizeof found, "; %.2f %% of calls took one that was there (step B1)",
			 print_percent(run->calls > transitions ? run->calls - transitions : 0, run->calls));
	if (run->header.way >> AMON_WAY_STACKS & 1) {
		print_field(out, &options->style, "counts", "%" PRIu32 " contexts, %" PRIu64 " stacks not to the thread's start", run->contexts,
			    run->header.notes[AMON_NOTE_CUT_STACK]);
		return;
	}
	print_field(out, &options->style, "counts", "%" PRIu64 " calls, %" PRIu32 " contexts, %" PRIu64 " transitions%s", run->calls,
		    run->contexts, transitions, found);
}

/* NOTES, how often each was made. */
static void notes_list(FILE *out, const uint64_t *notes, const struct report_options *options)
{
	for (unsigned n = 0; n < AMON_NOTES; n++)
		if (notes[n])
			print_field(out, &options->style, notes_find(n)->harmless ? "note" : "warning", "%" PRIu64 " x %s%s%s", notes[n],
				    notes_find(n)->text, notes_find(n)->advice ? "; " : "", notes_find(n)->advice ? notes_find(n)->advice : "");
}

static void measure_print(FILE *out, const struct report_input *in, uint32_t i, const struct report_options *options)
{
	const struct profile_run *run = &in->graph->profile->runs[i];
	const struct amon_header *h = &run->header;
	char way[64], every[48] = "", length[PRINT_TIME_SIZE], total[32] = "not known", unit[4 * sizeof h->unit];

	if (h->origin[0]) {
		print_field(out, &options->style, profile_is_time(in->graph->profile) ? "clock" : "value", "%s", print_safe(unit, sizeof unit, h->unit, &options->style));
		if (h->way >> AMON_WAY_ARCS & 1)
			print_field(out, &options->style, "counts", "%" PRIu64 " calls along arcs, no contexts", run->calls);
		else
			print_field(out, &options->style, "counts", "%" PRIu32 " contexts", run->contexts);
		return;
	}
	if (!method_way(way, sizeof way, h->way, ", ")[0])
		snprintf(way, sizeof way, "none: no hook was called");
	if (h->way >> AMON_WAY_STACKS & 1)
		print_field(out, &options->style, "hooks", "%s: call stacks were sampled, calls were not counted",
			    h->way & ~(1u << AMON_WAY_STACKS) ? "passed over" : "none");
	else if (h->hook_picoseconds)
		print_field(out, &options->style, "hooks", "method %s; %.3f ns a call, %.3f of them charged to the routine entered", way,
			    (double)h->hook_picoseconds / 1e3, (double)h->hook_inside / 1e3);
	else
		print_field(out, &options->style, "hooks", "method %s; their cost was not measured", way);
	if (h->pc_period)
		snprintf(every, sizeof every, ", one in %.2f ms", (double)h->pc_period / 1e6);
	if (h->clock == AMON_CLOCK_COUNT)
		print_field(out, &options->style, "value", "%s", print_safe(unit, sizeof unit, h->unit, &options->style));
	else
		print_field(out, &options->style, "clock", "%s, %" PRIu32 " a second, time by %s, program counters by %s%s",
			    method_clock(h->clock), h->rate, method_source(h->source), method_source(h->pc_source), every);
	if (run->sliced)
		print_field(out, &options->style, "intervals", "times are kept by intervals of %s: --time-range shows a part of the run",
			    print_time_text(length, (double)slice_length(run->level)));
	if (h->tsc_hz)
		print_field(out, &options->style, "tsc", "%" PRIu64 " Hz%s", h->tsc_hz, life_of(in, i) == REPORT_ENDED ? "" :
			    "; what each thread spent since its last call or return is not known, as no end was seen");
	if (h->cpu_total)
		snprintf(total, sizeof total, "%.6f s", (double)h->cpu_total / 1e9);
	if (!(h->way >> AMON_WAY_STACKS & 1))
		print_field(out, &options->style, "cpu time", "%s at the end, %.6f s before the monitor began", total,
			    (double)h->cpu_before / 1e9);
	counts_print(out, run, options);
	print_field(out, &options->style, "memory", "%" PRIu64 " bytes outside the file, bound %" PRIu64, h->memory_private, h->memory_bound);
	notes_list(out, h->notes, options);
}

/* What the profile has amounts of. */
static void info_values_print(FILE *out, const struct profile *p, const struct report_options *options)
{
	const struct profile_value *v;
	char text[1200] = "", name[4 * sizeof v->name], unit[4 * sizeof v->unit];
	size_t n = 0;

	for (uint32_t i = 0; n < sizeof text && (v = profile_value_at(p, i)) != NULL; i++)
		if (i || p->runs[0].header.clock != AMON_CLOCK_NONE)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%s (%s, %s%s)", n ? ", " : "", print_safe(name, sizeof name, v->name, &options->style),
					      print_safe(unit, sizeof unit, v->unit, &options->style), v->flags & AMON_VALUE_SAMPLED ? "sampled" : "exact",
					      v->flags & AMON_VALUE_PARTIAL ? ", not of all files" : "");
	if (profile_has_calls(p) && n < sizeof text)
		snprintf(text + n, sizeof text - n, "%scalls (count, exact)", n ? ", " : "");
	if (text[0])
		print_field(out, &options->style, "values", "%s", text);
}

static void info_contexts_print(FILE *out, const struct profile *p, const struct sums *s, const struct report_options *options)
{
	if (s->calls && profile_has_contexts(p))
		print_field(out, &options->style, "histories", "%.1f long on average, the longest %" PRIu32 "; %.2f %% of calls answered by the "
			    "first probe", s->contexts ? (double)s->length / (double)s->contexts : 0.0, p->longest,
			    100 - print_percent(s->misses, s->calls));
}

/* How far shares of the run are known; those of 1 % need not be. */
static void errors_print(FILE *out, const struct graph *g, const struct report_options *options)
{
	const char *sign = options->style.utf8 ? "\u00b1" : "+-";

	if (g->ticks)
		print_field(out, &options->style, "error", "of %" PRIu64 " sample%s: a share of 50 %% is known to %s%.2g points, of 10 %% to %s%.2g, of 1 %% to "
			    "%s%.2g (95 %% confidence)", g->ticks, print_plural(g->ticks), sign, sums_error(g, 50), sign, sums_error(g, 10), sign, sums_error(g, 1));
}

static void costs_print(FILE *out, const struct graph *g, const struct report_options *options)
{
	const struct overhead_cost *cost = &g->overhead->cost;

	if (cost->picoseconds && cost->samples)
		print_field(out, &options->style, "hooks", "%.3f ns a call, by %" PRIu64 " sample%s of program counters in their code: about %.3f s in all; %s",
			    (double)cost->picoseconds / 1e3, cost->samples, print_plural(cost->samples), (double)cost->total / 1e9,
			    cost->divided ? "times are divided as the samples are" : "subtracted from the times");
	else if (cost->picoseconds)
		print_field(out, &options->style, "hooks", "%.3f ns a call, as calibrated; too few program counters were sampled in their code to know it; %s",
			    (double)cost->picoseconds / 1e3, cost->divided ? "times are divided as the samples are" : "subtracted from the times");
}

/* What to do to see inside M; "" for the system's own libraries, which nobody rebuilds lightly, and where the user wanted no more. */
static const char *cover_text(const struct plain_module *m)
{
	if (m->chosen)
		return ": its functions without hooks, as was chosen";
	if (m->hooked)
		return ": its functions without hooks; compile all of it with aprof-cc";
	if (!m->module || m->module[0] != '/' || strncmp(m->module, "/usr/lib", 8) == 0 || strncmp(m->module, "/lib", 4) == 0)
		return "";
	return ": build it with aprof-cc to see inside";
}

/* Where the program counters were sampled: all of user mode. */
static void info_plain_print(FILE *out, const struct graph *g, const struct plain *p, const struct report_options *options)
{
	char name[600];

	if (p->samples == 0 || !g->counted)
		return;
	print_field(out, &options->style, "no hooks", "of %" PRIu64 " program counters, sampled in user mode, %.1f %% were in code without hooks, %.1f %% in hooks",
		    p->samples, print_percent(p->count, p->samples), print_percent(p->hooks, p->samples));
	for (size_t i = 0; i < p->n; i++) {
		print_safe(name, sizeof name, p->modules[i].module ? p->modules[i].module : "no module: generated code, or unloaded", &options->style);
		print_field(out, &options->style, "", "%5.1f %% %s%s", print_percent(p->modules[i].count, p->samples), name, cover_text(&p->modules[i]));
	}
}

/* What the heads of reports only sum up, of all files together. */
static bool together_print(FILE *out, const struct report_input *in, const struct report_options *options, struct error *err)
{
	struct sums sums = sums_make(in);
	struct plain plain;

	if (!plain_shares_make(&plain, in, err))
		return false;
	if (in->graph->profile->nruns > 1)
		fputs("All together\n\n", out);
	info_values_print(out, in->graph->profile, options);
	info_contexts_print(out, in->graph->profile, &sums, options);
	errors_print(out, in->graph, options);
	costs_print(out, in->graph, options);
	info_plain_print(out, in->graph, &plain, options);
	plain_shares_free(&plain);
	return true;
}

static void build_id_print(FILE *out, const struct profile_module *m)
{
	if (m->build_id_size == 0)
		fputs("no build-id", out);
	for (uint32_t i = 0; i < m->build_id_size; i++)
		fprintf(out, "%02x", m->build_id[i]);
}

static void info_modules_print(FILE *out, const struct profile *p, const struct report_options *options)
{
	fprintf(out, "\nModules: %" PRIu32 "\n\n", p->nmodules);
	for (uint32_t i = 0; i < p->nmodules; i++) {
		fprintf(out, "  %-8s ", !profile_counts_calls(p) || !profile_has_contexts(p) ? "" : p->modules[i].hooked ? "hooks" : "no hooks");
		build_id_print(out, &p->modules[i]);
		fputs("  ", out);
		print_name(out, p->modules[i].path, &options->style);
		putc('\n', out);
	}
}

/* How a thread stands; the file itself says no more than whether it was seen to end. */
struct thread_state {
	const char *word;	/* for programs */
	const char *text;	/* for readers */
};

static const struct thread_state thread_live = { "live", "live" }, thread_last = { "to_end", "to the end" };

static const struct thread_state *thread_state(const struct report_input *in, const struct profile_thread *t)
{
	static const struct thread_state ended = { "ended", "ended" }, folded = { "folded", "folded" }, unknown = { "unknown", "unknown" };

	if (t->record.state != AMON_THREAD_LIVE)
		return t->record.state == AMON_THREAD_FOLDED ? &folded : &ended;
	switch (life_of(in, t->run)) {
	case REPORT_RUNNING:
		return &thread_live;
	case REPORT_UNKNOWN:
		return &unknown;
	default:
		return &thread_last;
	}
}

/* Of many threads a list is long, and says little. */
static void info_threads_count(FILE *out, const struct profile *p, const struct report_options *options)
{
	uint64_t folded = 0;

	for (uint32_t i = 0; i < p->nthreads; i++)
		folded += p->threads[i].record.folded > 1 ? p->threads[i].record.folded - 1 : 0;
	putc('\n', out);
	print_field(out, &options->style, "threads", "%" PRIu64 "; aprof info --threads lists them", p->nthreads + folded);
}

static void threads_print(FILE *out, const struct report_input *in, const struct report_options *options)
{
	const struct profile *p = in->graph->profile;
	bool last = false;

	fprintf(out, "\nThreads: %" PRIu32 "\n\n  number    pid      tid  state       seconds    ticks  unplaced   monitor    misses  name\n",
		p->nthreads);
	for (uint32_t i = 0; i < p->nthreads; i++) {
		const struct amon_thread *t = &p->threads[i].record;
		const struct thread_state *state = thread_state(in, &p->threads[i]);

		last |= state == &thread_last;
		fprintf(out, "  %6" PRIu32 " %6" PRId32 " %8" PRIu32 "  %-10s %8.3f %8" PRIu64 "  %8.3f  %8.3f %9" PRIu64 "  ", i,
			p->threads[i].origin.pid, t->tid, state->text,
			(double)(t->cpu_last > t->cpu_first ? t->cpu_last - t->cpu_first : 0) / 1e9, t->ticks,
			(double)t->unplaced / 1e9, (double)t->monitor / 1e9, t->misses);
		print_name(out, t->name, &options->style);
		if (t->folded > 1)
			fprintf(out, " (%" PRIu64 " threads)", t->folded);
		putc('\n', out);
	}
	if (last)
		print_legend(out, &options->style, "  to the end: it was not seen to end before its process did.\n");
}

static bool was_used(const struct profile_phase *p)
{
	return p->begun || p->calls || p->time || p->cpu;
}

static void phases_print(FILE *out, const struct profile *p, const struct report_options *options)
{
	if (p->nphases == 0)
		return;
	fputs("\nPhases\n\n    entered  cpu seconds   in routines         calls  name\n", out);
	for (uint32_t i = 0; i < p->nphases; i++) {
		const struct profile_phase *f = &p->phases[i];

		if (!was_used(f))
			continue;
		fprintf(out, "  %9" PRIu64 "  %11.3f  %12.3f  %12" PRIu64 "  ", f->begun, (double)f->cpu / 1e9,
			(double)f->time / 1e9, f->calls);
		print_name(out, f->name[0] ? f->name : "(none)", &options->style);
		fputs(f->current ? " *\n" : "\n", out);
	}
	if (!options->style.brief)
		fputs("\n  * goes on, or did at the end.  \"(stopped)\" is in no report.\n", out);
}

static void info_processes_print(FILE *out, const struct report_input *in, const struct report_options *options)
{
	const struct profile *p = in->graph->profile;

	for (uint32_t i = 0; i < p->nruns; i++) {
		identity_print(out, in, i, options);
		measure_print(out, in, i, options);
		if (i + 1 < p->nruns)
			putc('\n', out);
	}
}

/* Several processes in short: which files, and what was noted in them. */
static void processes_sum(FILE *out, const struct report_input *in, const struct report_options *options)
{
	const struct profile *p = in->graph->profile;
	struct sums sums = sums_make(in);
	char text[4200];
	uint32_t files = 1;

	for (uint32_t i = 1; i < p->nruns; i++)
		files += strcmp(p->runs[i].label, p->runs[i - 1].label) != 0;
	print_safe(text, sizeof text, p->runs[0].label, &options->style);
	if (files > 1)
		print_field(out, &options->style, "files", "%s and %" PRIu32 " more", text, files - 1);
	else
		print_field(out, &options->style, "file", "%s", text);
	print_field(out, &options->style, "processes", "%" PRIu32 "; aprof info --processes lists them", p->nruns);
	notes_list(out, sums.notes, options);
}

/* What each command took of the time; nothing of a single process. */
static bool info_commands_print(FILE *out, const struct profile *p, const struct report_options *options, struct error *err)
{
	size_t n = 0;
	struct profile_command *c = commands_make(p, &n);
	int calls = 13;

	if (!c)
		return error_no_memory(err, NULL);
	for (size_t i = 0; i < n; i++)
		calls = print_count_width(c[i].calls, calls);
	if (n == 1 && c[0].processes == 1)
		n = 0;
	else
		fprintf(out, "\nCommands: %zu\n\n  %8s %*s processes  command\n", n, profile_is_time(p) ? "time" : "amount", calls, "calls");
	for (size_t i = 0; i < n; i++) {
		fputs("  ", out);
		print_amount(out, (double)c[i].time, profile_value_of(p)->unit, PRINT_TIME);
		putc(' ', out);
		print_calls(out, calls, c[i].calls, profile_counts_calls(p));
		fprintf(out, " %9" PRIu64 "  ", c[i].processes);
		print_name(out, c[i].name, &options->style);
		putc('\n', out);
	}
	if (n > 0)
		putc('\n', out);
	free(c);
	return true;
}

/* The call stacks beside exact contexts. */
static void sampled_print(FILE *out, const struct profile *p, const struct report_options *options)
{
	uint64_t samples = 0;

	for (uint32_t i = 0; p->sampled && i < p->sampled->ncontexts; i++)
		samples += p->sampled->contexts[i].ticks;
	if (p->sampled)
		print_field(out, &options->style, "stacks", "%" PRIu64 " sampled as well, in %" PRIu32 " contexts: --leaves splits times by them, --stacks shows them alone",
			    samples, p->sampled->ncontexts);
}

enum { LABELS = 20 };			/* that are listed */

static int label_by_samples(const void *left, const void *right)
{
	const struct sample_label *a = left, *b = right;

	return a->samples != b->samples ? (a->samples < b->samples) - (a->samples > b->samples) : strcmp(a->text, b->text);
}

/* Those of L, of most samples first; NULL: out of memory, or there are none. */
static struct sample_label *labels_sort(const struct sample_labels *l)
{
	struct sample_label *sorted = l && l->n ? calloc(l->n, sizeof *sorted) : NULL;

	if (sorted) {
		memcpy(sorted, l->all, l->n * sizeof *sorted);
		qsort(sorted, l->n, sizeof *sorted, label_by_samples);
	}
	return sorted;
}

/* The labels of samples, as --label takes them. */
static void labels_print(FILE *out, const struct sample_labels *l, const struct report_options *options)
{
	struct sample_label *sorted = labels_sort(l);
	char grouped[32];

	if (sorted)
		fprintf(out, "\nLabels of samples: %" PRIu32 "\n\n   samples  label\n", l->n);
	for (uint32_t i = 0; sorted && i < l->n && i < LABELS; i++) {
		fprintf(out, "%10s  ", print_grouped(grouped, sorted[i].samples));
		print_name(out, sorted[i].text, &options->style);
		putc('\n', out);
	}
	if (sorted && l->n > LABELS)
		fprintf(out, "            and %" PRIu32 " more\n", l->n - LABELS);
	free(sorted);
}

static void labels_json(const struct sample_labels *l, struct emit *e)
{
	struct sample_label *sorted = labels_sort(l);

	emit_array(e, "labels");
	for (uint32_t i = 0; sorted && i < l->n; i++)
		emit_item(e, json_pack("{s:o, s:o}", "label", emit_name(sorted[i].text), "samples", emit_count(sorted[i].samples)));
	emit_array_end(e);
	free(sorted);
}

bool info_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	const struct profile *p = in->graph->profile;

	if (p->nruns == 1 || options->processes)
		info_processes_print(out, in, options);
	else
		processes_sum(out, in, options);
	if (!info_commands_print(out, p, options, err))
		return false;
	if (!together_print(out, in, options, err))
		return false;
	sampled_print(out, p, options);
	info_modules_print(out, p, options);
	if (options->threads)
		threads_print(out, in, options);
	else
		info_threads_count(out, p, options);
	phases_print(out, p, options);
	labels_print(out, in->labels, options);
	left_out_list(in, options, out);
	return true;
}

static json_t *build_id_json(const struct profile_module *m)
{
	char text[2 * sizeof m->build_id + 1] = "";

	for (uint32_t i = 0; i < m->build_id_size && i < sizeof m->build_id; i++)
		snprintf(text + 2 * i, 3, "%02x", m->build_id[i]);
	return text[0] ? json_string(text) : json_null();
}

/* What samples charged in one interval of a run, or a part of that. */
struct interval {
	uint32_t run, number;
	uint64_t ticks, time;	/* samples; raw, ns */
};

static int intervals_compare(const void *x, const void *y)
{
	const struct interval *a = x, *b = y;

	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* The intervals of P, in order, each once, without the monitor's own time, which is in no context; there are *N. The caller frees them; NULL: out of
 * memory. */
static struct interval *intervals_make(const struct profile *p, size_t *n)
{
	struct interval *list = calloc(p->nslices + 1, sizeof *list);
	size_t found = 0;

	*n = 0;
	if (!list)
		return NULL;
	for (size_t i = 0; i < p->nslices; i++) {
		const struct profile_slice *s = &p->slices[i];
		uint32_t run = p->threads[s->thread].run;

		if (s->context != PROFILE_NONE)
			list[found++] = (struct interval){ run, (uint32_t)(profile_slice_middle(p, s) / slice_length(p->runs[run].level)), s->ticks, s->time };
	}
	if (found)
		qsort(list, found, sizeof *list, intervals_compare);
	for (size_t i = 0; i < found; i++) {
		if (*n == 0 || intervals_compare(&list[*n - 1], &list[i]) != 0) {
			list[(*n)++] = list[i];
			continue;
		}
		list[*n - 1].ticks += list[i].ticks;
		list[*n - 1].time += list[i].time;
	}
	return list;
}

/* Put intervals[] into E: those of each run of P in which samples were taken, of all contexts and threads together, one after the other; none where
 * the runs keep no times by interval.  False: out of memory. */
static bool intervals_emit(struct emit *e, const struct profile *p, struct error *err)
{
	size_t n;
	struct interval *list = intervals_make(p, &n);

	if (!list)
		return error_no_memory(err, NULL);
	emit_array(e, "intervals");
	for (size_t i = 0; i < n; i++) {
		uint64_t length = slice_length(p->runs[list[i].run].level);

		emit_item(e, json_pack("{s:i, s:o, s:o, s:o, s:o}", "run", (int)list[i].run, "from_ns", emit_count(list[i].number * length),
				       "to_ns", emit_count((list[i].number + UINT64_C(1)) * length), "ticks", emit_count(list[i].ticks),
				       "raw_ns", emit_count(list[i].time)));
	}
	emit_array_end(e);
	free(list);
	return true;
}

/* Put values[] into E. */
static void values_emit(struct emit *e, const struct profile *p)
{
	const struct profile_value *v;

	emit_array(e, "values");
	for (uint32_t i = 0; (v = profile_value_at(p, i)) != NULL; i++)
		if (i || p->runs[0].header.clock != AMON_CLOCK_NONE)
			emit_item(e, json_pack("{s:o, s:o, s:b, s:b}", "value", emit_name(v->name), "unit", emit_name(v->unit), "sampled",
					       (int)(v->flags & AMON_VALUE_SAMPLED), "partial", (int)((v->flags & AMON_VALUE_PARTIAL) / AMON_VALUE_PARTIAL)));
	if (profile_has_calls(p))
		emit_item(e, json_pack("{s:s, s:s, s:b, s:b}", "value", "calls", "unit", "count", "sampled", 0, "partial", 0));
	emit_array_end(e);
}

bool info_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	const struct profile *p = in->graph->profile;

	size_t n = 0;
	struct profile_command *c = commands_make(p, &n);

	(void)options;
	if (!c)
		return error_no_memory(err, NULL);
	emit_array(e, "commands");
	for (size_t i = 0; i < n; i++)
		emit_item(e, json_pack("{s:o, s:o, s:o, s:o}", "command", emit_name(c[i].name), "processes", emit_count(c[i].processes),
				       "time_ns", emit_count(c[i].time), "calls", emit_calls(profile_counts_calls(p), c[i].calls)));
	emit_array_end(e);
	free(c);
	if (!intervals_emit(e, p, err))
		return false;
	values_emit(e, p);
	emit_array(e, "modules");
	for (uint32_t i = 0; i < p->nmodules; i++)
		emit_item(e, json_pack("{s:o, s:o, s:b, s:b}", "path", emit_name(p->modules[i].path), "build_id",
				       build_id_json(&p->modules[i]), "hooked", (int)p->modules[i].hooked, "main_program",
				       (int)p->modules[i].main_program));
	emit_array_end(e);
	emit_array(e, "phases");
	for (uint32_t i = 0; i < p->nphases; i++)
		if (was_used(&p->phases[i]))
			emit_item(e, json_pack("{s:o, s:o, s:o, s:o, s:o, s:b}", "phase", emit_name(p->phases[i].name),
					       "entered", emit_count(p->phases[i].begun), "cpu_ns",
					       emit_count(p->phases[i].cpu), "contexts_ns", emit_count(p->phases[i].time),
					       "calls", emit_count(p->phases[i].calls), "current", (int)p->phases[i].current));
	emit_array_end(e);
	labels_json(in->labels, e);
	emit_array(e, "threads");
	for (uint32_t i = 0; i < p->nthreads; i++) {
		const struct amon_thread *t = &p->threads[i].record;
		const struct amon_origin *o = &p->threads[i].origin;

		emit_item(e, json_pack("{s:i, s:i, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "thread", (int)i, "run",
				       (int)p->threads[i].run, "pid", o->pid ? json_integer(o->pid) : json_null(),
				       "rank", o->pid && o->rank != AMON_NONE ? json_integer(o->rank) : json_null(), "tid", emit_count(t->tid), "state",
				       thread_state(in, &p->threads[i])->word, "name", emit_name(t->name), "cpu_ns", emit_count(t->cpu_last > t->cpu_first ?
				       t->cpu_last - t->cpu_first : 0), "ticks", emit_count(t->ticks), "unplaced_ns",
				       emit_count(t->unplaced), "monitor_ns", emit_count(t->monitor), "folded",
				       emit_count(t->folded)));
	}
	emit_array_end(e);
	return true;
}
