/* attach.c - aprof attach: sample the call stacks of processes that run already. */
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/proc.h"
#include "cli/collect.h"
#include "cli/command.h"
#include "cli/data_file.h"
#include "cli/listener.h"
#include "cli/message.h"
#include "cli/operands.h"
#include "cli/pid.h"

/* Signals that end the sampling, and not aprof before it has reported. */
static void stops_block(sigset_t *stops)
{
	sigemptyset(stops);
	sigaddset(stops, SIGINT);
	sigaddset(stops, SIGTERM);
	sigaddset(stops, SIGHUP);
	sigprocmask(SIG_BLOCK, stops, NULL);
}

/* Does a process of PIDS still run? */
static bool is_any_alive(const pid_t *pids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (kill(pids[i], 0) == 0 || errno == EPERM)
			return true;
	return false;
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Wait until the time is over, a signal of STOPS comes, or all of the N, if these are any, have ended. */
static void attach_wait_for(const pid_t *pids, size_t n, double seconds, const sigset_t *stops)
{
	double end = seconds_now() + seconds, left = 0.1;

	while ((n == 0 || is_any_alive(pids, n)) && (seconds == 0 || (left = end - seconds_now()) > 0)) {
		long ns = left < 0.1 ? (long)(left * 1e9) : 100000000;

		if (sigtimedwait(stops, NULL, &(struct timespec){ .tv_nsec = ns }) > 0)
			return;
	}
}

/* --data: what the operand's profile holds now, in a file of its own. */
static int hooked_keep(const struct options *o, int argc, char **argv)
{
	struct options merge = *o;

	merge.output = o->data;
	return command_merge.function(&command_merge, &merge, argc, argv);
}

/* The process, the operand of ARGV, has a profile already, by its own hooks: that is exact, and shown as it is now.  There is none to be made. */
static int hooked_show(struct options *o, int argc, char **argv)
{
	const struct command *show = o->report.screen ? &command_hot : &command_report;

	message("note: %s has hooks, so what follows is its own, exact profile as it is now; aprof view %s goes on with it", argv[o->first], argv[o->first]);
	if (data_file_is_asked(o->data) && hooked_keep(o, argc, argv) != STATUS_OK)
		return STATUS_TROUBLE;
	if (o->no_report)
		return STATUS_OK;
	if (o->output && (!output_allowed(o->output, false) || !freopen(o->output, "we", stdout))) {
		message("%s: cannot write", o->output);
		return STATUS_TROUBLE;
	}
	return show->function(show, o, argc, argv);
}

static bool pids_read(char **argv, int n, pid_t *pids)
{
	for (int i = 0; i < n; i++) {
		int32_t pid;

		if (!pid_read(argv[i], &pid)) {
			message("%s: not the number of a process", argv[i]);
			return false;
		}
		pids[i] = pid;
	}
	return true;
}

/* The program of process PID has hooks. */
static bool attach_is_hooked(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/exe", (int)proc_thread(pid));
	return collect_has_hooks(path);
}

/* The executable of process PID; NULL: not known.  To be freed. */
static char *attach_program_of(pid_t pid)
{
	char program[PATH_MAX];

	return proc_link(pid, "exe", program, sizeof program) ? strdup(program) : NULL;
}

/* --all: whose stacks could not be had. */
static void untold_tell(const struct record_untold *u)
{
	if (u->processes)
		message("note: of %" PRIu64 " process%s it may not be read what code is mapped where (or it was gone already), so the stacks stand under \"(truncated)\"%s", u->processes,
			u->processes == 1 ? "" : "es", geteuid() ? "; root may" : "");
	if (u->lost)
		message("note: %" PRIu64 " record%s came faster than %s read, and %s lost, most of them samples; a lower --rate loses fewer", u->lost,
			u->lost == 1 ? "" : "s", u->lost == 1 ? "it was" : "they were", u->lost == 1 ? "is" : "are");
	if (u->samples)
		message("note: %" PRIu64 " sample%s of processes outside this container %s left out", u->samples, u->samples == 1 ? "" : "s", u->samples == 1 ? "is" : "are");
}

/* A process that was there before us, and is started by one that was named. */
struct other {
	pid_t pid;
	double used;			/* CPU time by then, s */
};

struct others {
	struct other *list;
	size_t n, room;
};

/* CPU time of process PID, s; 0: it is gone. */
static double attach_cpu_of(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
		return 0;
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool attach_is_among(const pid_t *pids, size_t n, pid_t pid)
{
	for (size_t i = 0; i < n; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

static void others_find(struct others *b, const pid_t *pids, size_t n, pid_t pid);

/* Those in TEXT, as /proc/PID/task/TID/children has them, and below. */
static void children_read(struct others *b, const pid_t *pids, size_t n, char *text)
{
	for (char *at = text; *at >= '0' && *at <= '9'; at += strspn(at, " ")) {
		pid_t pid = (pid_t)strtol(at, &at, 10);

		if (attach_is_among(pids, n, pid))
			continue;
		if (array_grow(&b->list, &b->room, b->n, sizeof *b->list))
			b->list[b->n++] = (struct other){ pid, attach_cpu_of(pid) };
		others_find(b, pids, n, pid);
	}
}

/* What runs already below PID and is none of the N processes PIDS. */
static void others_find(struct others *b, const pid_t *pids, size_t n, pid_t pid)
{
	char pattern[64], *text = NULL;
	size_t room = 0;
	glob_t found;

	snprintf(pattern, sizeof pattern, "/proc/%d/task/*/children", (int)pid);
	if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		FILE *f = fopen(found.gl_pathv[i], "re");

		if (f && getline(&text, &room, f) > 0)
			children_read(b, pids, n, text);
		if (f)
			fclose(f);
	}
	free(text);
	globfree(&found);
}

/* A server's master mostly waits; who works are the processes that it started long ago, which events of its own do not see. */
static void others_tell(const struct others *b)
{
	enum { NAMED = 5 };
	char names[NAMED * 12 + 1] = "";
	double used = 0;
	size_t n = 0, at = 0;

	for (size_t i = 0; i < b->n; i++) {
		double now = attach_cpu_of(b->list[i].pid);

		used += now > b->list[i].used ? now - b->list[i].used : 0;
		if (now > 0 && n++ < NAMED)
			at += (size_t)snprintf(names + at, sizeof names - at, " %d", (int)b->list[i].pid);
	}
	if (n)
		message("note: %zu process%s below it that ran already %s not in it, and used %.3f s of CPU time meanwhile: name %s, too (%s%s)", n, n == 1 ? "" : "es",
			n == 1 ? "is" : "are", used, n == 1 ? "it" : "them", names + 1, n > NAMED ? " ..." : "");
}

/* Sample the N processes PIDS; 0: all. */
static int attach(const struct options *o, const pid_t *pids, size_t n)
{
	struct run r = { .options = o };
	struct others others = { 0 };
	struct error err;
	sigset_t stops;

	if (!collect_begin(&r))
		return STATUS_TROUBLE;
	collect_sampling(&r);
	r.program = n ? attach_program_of(pids[0]) : NULL;
	stops_block(&stops);
	for (size_t i = 0; i < n; i++)
		others_find(&others, pids, n, pids[i]);
	r.recorder = n ? record_processes(pids, n, &r.sampling, &err) : record_all(&r.sampling, &err);
	if (r.recorder) {
		r.housekeeping = housekeeping_begin(r.directory, true, 0);
		collect_stacks_tell(&r);
		attach_wait_for(pids, n, o->seconds, &stops);
		record_end(r.recorder, &r.untold);
		untold_tell(&r.untold);
		others_tell(&others);
		housekeeping_end(r.housekeeping, &listener);
		collect(&r);
	} else {
		message_error(&err, NULL);
	}
	collect_end(&r);
	free(others.list);
	free(r.program);
	return r.recorder ? collect_status(&r, STATUS_OK) : STATUS_TROUBLE;
}

/* The profile of ARGV[I], which has hooks, as hooked_show. */
static int hooked_show_one(struct options *o, char **argv, int i)
{
	char *first = argv[o->first];
	int status;

	argv[o->first] = argv[i];
	status = hooked_show(o, o->first + 1, argv);
	argv[o->first] = first;
	return status;
}

/* Sample the N processes PIDS, of which ARGV from the first operand on tells, but for those that have hooks: these have their own, exact profiles, which are shown first; where
 * the report is to be a file it is that of the others, if there are any. */
static int attach_to(struct options *o, pid_t *pids, size_t n, char **argv)
{
	size_t plain = 0;
	bool *hooked = calloc(n + 1, sizeof *hooked);
	int status = STATUS_OK;

	if (!hooked)
		return STATUS_TROUBLE;
	for (size_t i = 0; i < n; i++)
		plain += !(hooked[i] = attach_is_hooked(pids[i]));
	for (size_t i = 0; i < n; i++) {
		if (!hooked[i])
			continue;
		if ((o->output || data_file_is_asked(o->data)) && (plain || n > 1))
			message("note: %d has hooks, and its profile is exact already: aprof report %d shows it", (int)pids[i], (int)pids[i]);
		else if (hooked_show_one(o, argv, o->first + (int)i) != STATUS_OK)
			status = STATUS_TROUBLE;
	}
	plain = 0;
	for (size_t i = 0; i < n; i++)
		if (!hooked[i])
			pids[plain++] = pids[i];
	free(hooked);
	return plain && attach(o, pids, plain) != STATUS_OK ? STATUS_TROUBLE : status;
}

static int attach_command(const struct command *self, struct options *o, int argc, char **argv)
{
	size_t n = (size_t)(argc - o->first);
	pid_t *pids = calloc(n + 1, sizeof *pids);
	int status = STATUS_TROUBLE;

	(void)self;
	if (o->all && n > 0)
		message("attach: --all is every process: name none, or leave --all out");
	else if (o->all)
		status = attach(o, NULL, 0);
	else if (n == 0)
		message("attach: to which process? aprof attach [OPTION...] PID..., or --all");
	else if (pids && pids_read(argv + o->first, (int)n, pids))
		status = attach_to(o, pids, n, argv);
	free(pids);
	return status;
}

const struct command command_attach = {
	.name = "attach",
	.usage = "[OPTION...] PID... | --all",
	.summary = "sample processes that run, then show where their time went",
	.options = COMMAND_ATTACH,
	.examples = "  aprof attach --seconds=10 1234           ten seconds of process 1234\n"
		    "  aprof attach --all --seconds=10          whatever runs on this machine\n",
	.function = attach_command,
};
