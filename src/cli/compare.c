/* compare.c - aprof compare: builds two versions, runs them in turn for as long as noise wants it, and says which is slower, and why. */
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/compared_sides.h"
#include "cli/html_page.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "record/run/rounds.h"
#include "show/diff/verdict_print.h"

enum {
	LEAST_ROUNDS = 5,		/* before the noise is looked at */
	MOST_ROUNDS = 60,
	STATUS_UNTOLD = 125,		/* git bisect run: this commit tells nothing, since it does not build, or its program fails */
};

#define FINE 0.005			/* a change of so much of the time may be told from none: enough rounds */
#define DOUBTLESS 0.0001		/* chance of so large a difference between equal programs: enough, too; well below VERDICT_LEVEL, since it is looked at often */

static volatile sig_atomic_t interrupted;

static void compare_interrupt(int sig) { interrupted = sig; }

/* The CPU time that the profile FILE is of, raw, ns; NAN after a message. */
static double compare_time_of(char *file)
{
	struct input in = { .spare = true };
	struct error err;
	double time = NAN;

	if (!input_read(&in, &file, 1, NULL, &err)) {
		message_error(&err, NULL);
	} else {
		time = 0;
		for (uint32_t i = 0; i < in.profile->ncontexts; i++)
			time += (double)in.profile->contexts[i].time;
	}
	input_free(&in);
	return time;
}

/* What is known of the change after so many rounds, TIME being those of the base runs, and behind MOST_ROUNDS those of the new ones. */
static struct change change_so_far(const double *time, size_t n)
{
	double both[2 * MOST_ROUNDS], none[2 * MOST_ROUNDS] = { 0 };
	struct sides s;

	memcpy(both, time, n * sizeof *both);
	memcpy(both + n, time + MOST_ROUNDS, n * sizeof *both);
	s = sides_make(both, none, 2 * n, n, true);
	return noise_judge(&(struct noise){ 0 }, &s);
}

static bool is_enough(const double *time, size_t n)
{
	struct change c = change_so_far(time, n);
	double base = 0;

	for (size_t i = 0; i < n; i++)
		base += time[i] / (double)n;
	if (n < LEAST_ROUNDS || !(base > 0))
		return false;
	return c.error * statistics_t_quantile(0.025, c.df) <= FINE * base || 2 * fmin(c.above, c.below) <= DOUBTLESS;
}

/* Run both sides in turn: as many rounds as are asked for, or as the noise wants.  False after a message. */
static bool compare_rounds(struct rounds *r, unsigned asked)
{
	double time[2 * MOST_ROUNDS];
	struct error err;
	char step[80];

	for (size_t i = 0; asked ? i < asked : i < MOST_ROUNDS; i++) {
		snprintf(step, sizeof step, asked ? "round %zu of %u" : "round %zu, until noise is small", i + 1, asked);
		progress_begin();
		progress_step(step);
		if (!rounds_run(r, &err) || interrupted) {
			progress_end();
			if (!interrupted)
				message_error(&err, NULL);
			return false;
		}
		for (int side = 0; side < ROUNDS_SIDES && !asked; side++) {
			time[side * MOST_ROUNDS + (int)i] = compare_time_of(r->sides[side].files[i]);
			if (isnan(time[side * MOST_ROUNDS + (int)i]))
				return false;
		}
		if (!asked && is_enough(time, i + 1))
			break;
	}
	progress_end();
	return true;
}

/* Print what was found by C.  Returns the exit status. */
static int compare_print(const struct comparison *c, const struct rounds *r, const struct options *o)
{
	struct verdict v = verdict_make(c, VERDICT_LEVEL);
	json_t *verdict = o->report.json ? verdict_json(&v, c) : NULL;
	bool differently = rounds_print_differently(r), ok;
	struct error err;

	if (differently)
		message("warning: %s and %s print different things, each the same in each run: do they do the same work?", r->sides[0].name, r->sides[1].name);
	if (verdict)
		json_object_set_new(verdict, "same_output", r->n < 2 || r->sides[0].varies || r->sides[1].varies ? json_null() : json_boolean(!differently));
	if (o->report.json)
		ok = diff_json_with(c, &o->diff, verdict, stdout, &err);
	else if (o->markdown)
		ok = verdict_markdown(&v, c, &o->diff, stdout, &err);
	else
		ok = verdict_text(&v, c, &o->diff, stdout, &err) && diff_text(c, &o->diff, stdout, &err);
	if (!ok) {
		message_error(&err, NULL);
		return STATUS_TROUBLE;
	}
	return v.answer == VERDICT_SLOWER && (v.by_part ? v.part : v.change) > o->check.limit ? STATUS_CHECK : STATUS_OK;
}

/* Compare what the rounds left.  Returns the exit status. */
static int compare_judge(const struct rounds *r, struct options *o)
{
	struct compared_sides sides = { .base = { .label = r->sides[0].name, .files = r->sides[0].files, .n = r->n },
		.fresh = { .label = r->sides[1].name, .files = r->sides[1].files, .n = r->n } };
	struct comparison c;
	struct error err;
	int status = STATUS_TROUBLE;
	bool ok = comparison_init(&c, &err) && compared_sides_compare(&c, &sides, o, (struct comparison_parts){ true, o->report.sites }, true, &err);

	progress_end();
	if (ok)
		status = compare_print(&c, r, o);
	else
		message_error(&err, NULL);
	comparison_free(&c);
	if (ok && o->output && html_page_compared(o, &sides, true) != STATUS_OK)
		status = STATUS_TROUBLE;
	return status;
}

static void compare_building(const char *side)
{
	static char step[200];

	snprintf(step, sizeof step, "building %s", side);
	progress_begin();
	progress_step(step);
}

static int compare_all(struct rounds *r, struct options *o)
{
	struct error err;
	int trouble;

	if (!rounds_begin(r, o->keep, &err)) {
		message_error(&err, NULL);
		return STATUS_TROUBLE;
	}
	trouble = r->build ? rounds_build(r, compare_building, &err) : 0;
	progress_end();
	if (trouble && !interrupted)
		message_error(&err, NULL);
	if (trouble)
		return trouble == ROUNDS_UNBUILT ? STATUS_UNTOLD : STATUS_TROUBLE;
	return compare_rounds(r, o->rounds ? o->rounds : r->layouts) ? compare_judge(r, o) : o->git ? STATUS_UNTOLD : STATUS_TROUBLE;
}

/* Say what is wrong with the words of the command line, N operands before -- and behind it those from REST on.  False after a message. */
static bool compare_is_possible(const struct options *o, size_t n, char *const *rest)
{
	if (n != ROUNDS_SIDES)
		message("compare: which two? %s", o->git ? "aprof compare --git OLD NEW --build COMMAND -- PROGRAM [ARGUMENT...]" : "aprof compare OLD NEW [-- ARGUMENT...]");
	else if (o->git && !o->build)
		message("--git: how is a commit built? --build \"make CC=aprof-cc\"");
	else if (o->git && !*rest)
		message("--git: what is run? name it behind --, as seen from the folder of the sources");
	else if (!o->git && (o->build || o->layouts))
		message("%s: goes with --git: OLD and NEW are programs", o->build ? "--build" : "--layouts");
	else if (o->rounds > MOST_ROUNDS || o->layouts > MOST_ROUNDS)
		message("%s: at most %d", o->rounds > MOST_ROUNDS ? "--rounds" : "--layouts", MOST_ROUNDS);
	else if (o->layouts && o->rounds && o->rounds != o->layouts)
		message("--rounds: with --layouts each build is run once");
	else
		return true;
	return false;
}

/* The command of a side: with --git as it stands behind --, else the program NAME with what stands there. */
static char **compare_argv(const struct options *o, char *name, char **rest)
{
	size_t n = 0;
	char **argv;

	while (rest[n])
		n++;
	argv = calloc(n + 2, sizeof *argv);
	if (argv && !o->git)
		*argv = name;
	if (argv)
		memcpy(argv + !o->git, rest, n * sizeof *argv);
	return argv;
}

static int compare_run(struct options *o, char **rest)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	struct rounds r = { .aprof = self, .build = o->build, .layouts = o->layouts, .sites = o->report.sites };
	struct sigaction act = { .sa_handler = compare_interrupt }, before;
	int status = STATUS_TROUBLE;

	self[n > 0 ? n : 0] = '\0';
	for (int side = 0; side < ROUNDS_SIDES; side++)
		r.sides[side] = (struct rounds_side){ .name = o->operands[side], .argv = compare_argv(o, o->operands[side], rest) };
	srandom((unsigned)time(NULL));
	sigaction(SIGINT, &act, &before);
	if (r.sides[0].argv && r.sides[1].argv)
		status = compare_all(&r, o);
	else
		message("out of memory");
	rounds_end(&r, o->keep != NULL);
	sigaction(SIGINT, &before, NULL);
	free(r.sides[0].argv);
	free(r.sides[1].argv);
	if (interrupted)
		raise(interrupted);
	return status;
}

static int compare(const struct command *self, struct options *o, int argc, char **argv)
{
	size_t behind = (size_t)(argc - o->first);	/* -- */

	(void)self;
	return compare_is_possible(o, o->noperands - behind, argv + o->first) ? compare_run(o, argv + o->first) : STATUS_TROUBLE;
}

const struct command command_compare = {
	.name = "compare",
	.usage = "[OPTION...] OLD NEW [-- ARGUMENT...]\n"
		"   or: aprof compare [OPTION...] --git OLD NEW --build=COMMAND\n"
		"           -- PROGRAM [ARGUMENT...]",
	.summary = "run two versions in turn: which is slower, and why",
	.options = COMMAND_COMPARE,
	.examples = "  aprof compare ./old ./new -- input       two programs, with the same arguments\n"
		    "  aprof compare --git HEAD~1 HEAD --build=\"make CC=aprof-cc\" -- ./prog in\n",
	.function = compare,
};
