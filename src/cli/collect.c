/* collect.c - profiles grouped by program, kept under names, and the report of the heaviest. */
#include "cli/collect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/print.h"
#include "cli/data_file.h"
#include "cli/gmon_file.h"
#include "cli/interpreters.h"
#include "cli/listener.h"
#include "cli/message.h"
#include "cli/missing.h"
#include "cli/operands.h"
#include "cli/pager.h"
#include "cli/preload.h"
#include "cli/progress.h"
#include "cli/reports.h"
#include "contract/allocations.h"
#include "show/report/verification.h"

static bool collect_directory_make(struct run *r)
{
	const char *base = getenv("TMPDIR");

	if (r->job) {
		struct error err;
		bool made = job_begin(r->job, r->options->data, &err);

		if (!made)
			message_error(&err, NULL);
		r->directory = made ? strdup(r->job->directory) : NULL;
		return r->directory;
	}
	if (asprintf(&r->directory, "%s/aprof.XXXXXX", base && *base == '/' ? base : "/tmp") >= 0 && mkdtemp(r->directory))
		return true;
	message("cannot make a directory for the profiles: %s; set TMPDIR to one that can be written", strerror(errno));
	free(r->directory);
	r->directory = NULL;
	return false;
}

/* Processes whose profiles could not be made. */
static void lacking_tell(const struct run *r)
{
	message("%zu process%s of this run could not leave %s profile%s: %s%s", r->harvest.lacking, r->harvest.lacking == 1 ? "" : "es",
		r->harvest.lacking == 1 ? "its" : "their", r->harvest.lacking == 1 ? "" : "s", strerror(r->harvest.why),
		r->harvest.why == EFBIG ? " for the limit on the size of files (ulimit -f)" : "; TMPDIR names another place");
}

/* Does PROGRAM run with rights that its user has not?  Then nothing is preloaded into it, nobody but root may trace it, and other users' perf events
 * end when it begins. */
static bool is_privileged(const char *program)
{
	struct stat st;
	char capabilities[64];

	return geteuid() != 0 && ((stat(program, &st) == 0 && st.st_mode & (S_ISUID | S_ISGID)) ||
				  getxattr(program, "security.capability", capabilities, sizeof capabilities) > 0);
}

/* Is CLOCK one that call stacks cannot be sampled by? */
static bool is_hooks_clock(const char *clock)
{
	return strcmp(clock, "tick") != 0 && strcmp(clock, "cpu") != 0 && strcmp(clock, "wall") != 0;
}

/* What was sampled could not be written. */
static void unwritten_tell(const struct run *r, int error)
{
	message("no profile could be written in %s: %s%s", r->directory, strerror(error), missing_remedy(error));
}

/* Has process PID the environment of the run that keeps its files in DIRECTORY? */
static bool is_of_run(const char *pid, const char *directory)
{
	char path[300], text[64 << 10];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%s/environ", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof text) : 0;
	if (fd >= 0)
		close(fd);
	return n > 0 && memmem(text, (size_t)n, directory, strlen(directory));
}

/* Processes of this run that are still there: a daemon that began a moment ago nobody may have met yet, but it has our environment. */
static uint64_t running_count(const struct run *r)
{
	DIR *dir = r->untold.running || !r->launch.started || !r->sampling.directory ? NULL : opendir("/proc");
	uint64_t n = r->untold.running;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] >= '0' && entry->d_name[0] <= '9' && is_of_run(entry->d_name, r->directory);
	if (dir)
		closedir(dir);
	return n;
}

/* What runs on is not recorded. */
static void untold_running_tell(const struct run *r)
{
	uint64_t n = r->untold.running;

	if (n && r->launch.started)
		message("note: %" PRIu64 " process%s of this run %s still running, and what %s from now on is not recorded; aprof attach does that", n, n == 1 ? "" : "es",
			n == 1 ? "is" : "are", n == 1 ? "it does" : "they do");
}

/* aprof attach has no samples. */
static void idle_tell(const struct run *r)
{
	message("no call stack was sampled: %s used %.1f ms of CPU time meanwhile; --clock=wall tells what waits, and for what", r->program ? r->program : "the process",
		(double)missing_used(&r->untold.accounts) / 1e6);
}

/* The program left no profile: say why, as far as can be told. */
static void nothing_tell(const struct run *r)
{
	const char *program = r->program ? r->program : "the program";
	uint32_t hooks = 0;
	struct error err;
	bool is_read = r->program && symbols_has_hooks(r->program, &hooks, &err);
	const char *rebuild = hooks == SYMBOLS_MONITOR ? "rebuild it: aprof-cc linked it, but --aprof-only or --aprof-except left all routines out, or another compiler made its objects" :
			      "rebuild it: make clean && make CC=aprof-cc CXX=aprof-c++";

	if (r->options->script)
		message("--script: no interpreter of this run reported a script; %s are known, as Debian has them, unless they are to leave "
			"their environment alone (lua -E, python3 -I, -E, -S)", interpreters_known);
	else if (r->unsampled.code)
		message("%s has no hooks, so it cannot be profiled exactly, and %s; or %s", program, r->unsampled.text, rebuild);
	else if (r->sampling.directory && r->program && is_privileged(r->program))
		message("%s is set-uid, or has capabilities, so the kernel lets nobody but root sample its call stacks; run aprof as root", r->program);
	else if (r->sampling.directory && r->sampling.source != AMON_SOURCE_PERF && access("/proc/self", F_OK) != 0)
		message("%s has no hooks, and its call stacks cannot be sampled: perf events are not permitted here, and /proc, which ptrace needs, is not there; "
			"run aprof as root, or %s", program, rebuild);
	else if (r->sampling.directory && r->untold.refused)
		message("%s has no hooks, and its call stacks cannot be sampled: neither perf events nor ptrace is permitted here; %s%s",
			program, geteuid() ? "run aprof as root, or " : "", rebuild);
	else if (r->sampling.directory && r->untold.running)
		;				/* which is told */
	else if (r->sampling.directory && missing_is_much(&r->untold.accounts, r->launch.used_below))
		missing_tell(&r->untold.accounts, r->launch.used_below, r->sampling.source);
	else if (r->sampling.directory)
		message("%s has no hooks, and used too little CPU time (%.1f ms) for samples of its call stacks; run it longer, or %s", program,
			(double)missing_used(&r->untold.accounts) / 1e6, rebuild);
	else if (!is_read)
		message("no process of this run has hooks; rebuild the program that it starts: make clean && make CC=aprof-cc CXX=aprof-c++");
	else if (hooks & (SYMBOLS_FENTRY | SYMBOLS_CYG | SYMBOLS_INLINE) && hooks & SYMBOLS_MONITOR)
		message("%s has hooks but left no profile: is it set-uid, or was no routine with hooks called?", r->program);
	else if (hooks & (SYMBOLS_FENTRY | SYMBOLS_CYG | SYMBOLS_INLINE))
		message("%s has hooks but was linked without the monitor; link it with aprof-cc too, or with $(aprof config --libs)", r->program);
	else if (hooks & SYMBOLS_NOPS)
		message("%s was built with -mnop-mcount: its hooks do nothing until somebody patches them; build it without", r->program);
	else if (hooks & SYMBOLS_MCOUNT && hooks & SYMBOLS_MONITOR)
		message("%s has gprof's hooks (-pg) but was linked by aprof-cc, whose monitor does not answer them; link it by your compiler, or %s",
			r->program, rebuild);
	else if (hooks & SYMBOLS_MCOUNT && symbols_loading(r->program) == SYMBOLS_STATIC)
		message("%s has gprof's hooks (-pg) and is static, so that aprof's cannot take their place; link it without -static, or %s",
			r->program, rebuild);
	else if (hooks & SYMBOLS_MCOUNT)
		message("%s has gprof's hooks (-pg) but left no profile: is it set-uid, has it an mcount of its own, or was no routine with hooks called?", r->program);
	else
		message("%s has no hooks, so there is nothing to report; %s", r->program, rebuild);
}

enum { MOST_PROGRAMS = 3 };		/* on the screen */

static void programs_print(const struct run *r, char **names, FILE *out)
{
	bool screen = r->options->report.screen;
	size_t n = screen && r->harvest.n > MOST_PROGRAMS ? MOST_PROGRAMS - 1 : r->harvest.n;

	fprintf(out, "Programs of this run: %zu; %s is that of the first\n%s  seconds         calls processes  program\n",
		r->harvest.n, screen ? "what follows" : "the report", screen ? "" : "\n");
	for (size_t i = 0; i < n; i++) {
		const struct harvest_program *p = &r->harvest.programs[i];

		fprintf(out, "%9.3f ", (double)p->time / 1e9);
		print_calls(out, 13, p->calls, p->counted);
		fprintf(out, " %9" PRIu64 "  ", p->processes);
		escape_print(out, p->path, 0);
		fputs(": ", out);
		escape_print(out, names[i] ? names[i] : "not kept", 0);
		putc('\n', out);
	}
	if (n < r->harvest.n)
		fprintf(out, "and %zu more: %s.NAME\n", r->harvest.n - n, r->options->data);
	putc('\n', out);
}

/* The commands that show more of the data at NAME. */
static void collect_more_print(const struct run *r, const char *name)
{
	struct text_style style = r->options->report.style;

	fputs("\nMore: ", r->out);
	print_begin(r->out, &style, 'm');
	fputs("aprof report", r->out);
	if (strcmp(name, "amon.out") != 0) {
		putc(' ', r->out);
		escape_shell(r->out, name, style.utf8 ? 0 : ESCAPE_ASCII);
	}
	print_end(r->out, &style);
	fputs("; likewise aprof view, aprof tree, aprof html\n", r->out);
}

/* Print the report of what IN holds to OUT unless NULL; its gmon.out, too, with GMON; count its stacks. */
static void collect_program_print(struct run *r, struct input *in, FILE *out, bool gmon)
{
	struct error err;

	in->with_static = r->options->static_arcs;
	in->phase = r->options->phase;
	in->range = r->options->range;
	in->leaves = r->options->report.leaves ? INPUT_LEAVES : INPUT_WHOLE;
	if (!input_build(in, NULL, &r->options->graph, &err)) {
		message_error(&err, NULL);
	} else {
		struct verification stacks = verification_make(&in->report);

		r->checked += stacks.checked;
		r->differ += stacks.differ;
		r->unread += stacks.unread;
		if (r->options->verify && stacks.compared) {
			char times[160];

			verification_times(&stacks, times, sizeof times);
			message("times %s", times);
		}
		if (out)
			reports_print(in, COMMAND_RUN, r->options, out);
	}
	if (gmon && in->report.graph)
		gmon_file_write(in, r->launch.pid);
}

/* Whether the profile at PATH is small: then it is written anew, without the room that its process had for more. */
static bool collect_is_small(const char *path)
{
	enum { SMALL = 4 << 20 };
	struct stat st;

	return stat(path, &st) == 0 && st.st_size <= SMALL;
}

/* Keep what IN holds, of one file or several, as *NAME, or beside it. */
static bool input_keep(const struct run *r, struct input *in, char **name)
{
	input_carry(in);
	input_tell_slices(in, in->profile->nslices > 0 && !profile_sum_keeps_slices(in->profile));
	return data_file_keep(r->options->data, NULL, in, name);
}

/* Of which programs there are exact contexts alone, though stacks were asked for. */
static void unfollowed_tell(const struct run *r)
{
	for (size_t i = 0; i < r->harvest.n && r->options->stacks; i++) {
		const struct harvest_program *p = &r->harvest.programs[i];

		if (p->n > 0 && p->nstacks == 0 && collect_has_mcount(p->path))
			message("note: --stacks: %s has gprof's hooks, so its return addresses are changed while it runs, and stacks cannot be followed; "
				"only exact contexts are recorded", p->path);
	}
}

/* Where the call stacks are that were sampled beside the profile that IN holds, kept as NAME. */
static void stacks_tell(const struct input *in, const char *name)
{
	if (in->profile && in->profile->sampled)
		message("note: its call stacks, sampled as well, are in %s, too; --leaves shows by them the code without hooks below its contexts", name);
}

/* Would the profile that IN was read from lose anything if it were written anew? */
static bool is_written_whole(const struct input *in)
{
	const struct profile *p = in->profile;

	return !p->runs[0].truncated && p->nphases == 0 && p->nstacks == 0 && p->nslices == 0;
}

/* Read the N profiles FILES of one program, called LABEL, into IN.  Of many processes, as they are if some are SUMMED up already, what is reported is the sum
 * that is kept, in its memory; phases, ranges of time, and stacks that were checked, are of the processes themselves. */
static bool files_add_up(const struct run *r, struct input *in, char **files, size_t n, bool summed, const char *label, struct error *err)
{
	if (!summed && (n <= SUM_APART || r->options->verify || r->options->phase || r->options->range.to))
		return input_read(in, files, n, label, err);
	return input_add_up(in, files, n, label, err);
}

/* The profiles of P that cannot be read are nobody's to throw away: they are kept beside NAME. */
static void unreadable_keep(struct run *r, struct harvest_program *p, const char *name)
{
	for (size_t i = 0; i < p->nunreadable; i++) {
		struct input in = { .listener = &listener, .spare = true };
		struct error err;
		char *beside = NULL;

		if ((i == 0 ? asprintf(&beside, "%s.unreadable", name) : asprintf(&beside, "%s.unreadable.%zu", name, i + 1)) < 0) {
			beside = NULL;
			r->left = true;
		} else if (data_file_keep(r->options->data, p->unreadable[i], NULL, &beside)) {
			if (!input_read(&in, &beside, 1, NULL, &err))
				message_error(&err, NULL);
			message("note: one process's profile cannot be read, is left out of the others, and is kept as %s", beside);
		} else {
			r->left = true;
		}
		input_free(&in);
		free(p->unreadable[i]);
		free(beside);
	}
	p->nunreadable = 0;
}

/* The files of P do not make one profile: those that can be read do, if there are such. */
static bool readable_add_up(struct run *r, struct input *in, struct harvest_program *p, const char *name, struct error *err)
{
	if (p->n < 2)
		return false;
	input_free(in);
	*in = (struct input){ .listener = &listener, .spare = true };
	harvest_sift(p, &listener);
	unreadable_keep(r, p, name);
	return p->n > 0 && files_add_up(r, in, p->files, p->n, p->summed, name, err);
}

/* A file of call stacks, in memory. */
struct stacks {
	void *file;			/* NULL: there are none */
	size_t size;			/* bytes of it */
};

/* The call stacks of P, which are to go beside the exact contexts of NAME: of one process as they are, else their sum. */
static struct stacks stacks_load(struct run *r, const struct harvest_program *p, const char *name)
{
	struct input in = { .listener = &listener, .spare = true };
	struct stacks s = { 0 };
	struct error err;

	if (p->nstacks == 0)
		return s;
	if (p->nstacks == 1 && !p->stacks_summed) {
		embed_into_file(p->stacks[0], true);
		files_cut(p->stacks[0]);
		s.file = files_load(p->stacks[0], &s.size, &err);
	} else if (files_add_up(r, &in, p->stacks, p->nstacks, p->stacks_summed, name, &err)) {
		input_carry(&in);
		s.file = profile_write(in.profile, &s.size, &err);
	}
	input_free(&in);
	if (!s.file) {
		message_error(&err, NULL);
		r->left = true;
	}
	return s;
}

/* Put them into the file NAME, which is whole; where that fails they stay. */
static void stacks_append(struct run *r, const struct stacks *s, const char *name)
{
	struct error err;
	size_t len;
	void *chunk;

	if (!s->file)
		return;
	chunk = profile_sampled_chunk(s->file, s->size, &len, &err);
	if (!chunk || !embed_chunk(name, chunk, len)) {
		message("%s: call stacks could not be added to it", name);
		r->left = true;
	}
	free(chunk);
}

/* Have the profile that IN holds the call stacks S beside it. */
static void stacks_join(struct run *r, const struct stacks *s, struct input *in)
{
	struct error err;

	if (s->file && !profile_read_sampled(in->profile, s->file, s->size, in->profile->runs[0].label, &err)) {
		message_error(&err, NULL);
		r->left = true;
	}
}

/* Keep the small profile FILE that IN was read from; as it is, with the call stacks S, if it could not be read, or has more than would be written. */
static bool small_keep(struct run *r, const char *file, struct input *in, bool is_read, const struct stacks *s, char **name)
{
	bool kept;

	if (is_read && is_written_whole(in))
		return input_keep(r, in, name);
	kept = data_file_keep(r->options->data, file, NULL, name);
	if (kept) {
		embed_into_file(*name, true);
		stacks_append(r, s, *name);
	}
	return kept;
}

/* What becomes of the files that a program left. */
enum fate {
	FATE_MOVED,	/* a large one of a single process has the name now */
	FATE_SMALL,	/* a small one of a single process is read, and written anew without what it has room for */
	FATE_SUMMED,	/* those of several processes, or of one that still runs, are added up */
	FATE_STUCK,	/* a large one could not be moved: it stays where it is */
};

static enum fate fate_of(struct run *r, const struct harvest_program *p, char **name)
{
	if (p->n != 1 || p->running || p->summed)
		return FATE_SUMMED;
	files_cut(p->files[0]);
	if (collect_is_small(p->files[0]))
		return FATE_SMALL;
	return data_file_keep(r->options->data, p->files[0], NULL, name) ? FATE_MOVED : FATE_STUCK;
}

/* Keep what was read of P into IN, as FATE has it; IS_READ tells whether all of it was. */
static bool program_keep(struct run *r, const struct harvest_program *p, enum fate fate, struct input *in, bool is_read, const struct stacks *s,
			 char **name)
{
	if (fate == FATE_SMALL)
		return small_keep(r, p->files[0], in, is_read, s, name);
	return fate == FATE_MOVED || (fate == FATE_SUMMED && is_read && input_keep(r, in, name));
}

/* The value that the report is of; NULL: time. */
static const char *value_reported(const struct options *o)
{
	return o->nevents ? o->events[0] : o->allocations ? HEAP_NAME_ALLOCATED : NULL;
}

/* Has any context of P anything of what P is of? */
static bool has_anything(const struct profile *p)
{
	for (uint32_t i = 0; i < p->ncontexts; i++)
		if (p->contexts[i].time)
			return true;
	return false;
}

/* IN, which is kept as NAME, is to be reported by that value.  Where it has none of it, as where the allocator could not be seen, it stays as it is, after a message. */
static void value_take(const struct run *r, struct input *in, char *name)
{
	struct input of_value = { .listener = &listener, .spare = true, .value = value_reported(r->options) };
	struct error err;

	if (input_read(&of_value, &name, 1, NULL, &err) && (r->options->nevents || has_anything(of_value.profile))) {
		input_free(in);
		*in = of_value;
		return;
	}
	input_free(&of_value);
	if (r->options->nevents)
		message_error(&err, NULL);
	else
		message("note: --allocations: none were seen; an allocator that is linked into the program, or goes by other names, cannot be: what follows is of time");
}

/* Keep the data of program I as *NAME, or beside it, and print its report to OUT unless NULL; the first program's gmon.out, too, if it is wanted. */
static void program_report(struct run *r, size_t i, char **name, FILE *out)
{
	struct harvest_program *p = &r->harvest.programs[i];
	bool gmon = i == 0 && gmon_file_wanted(), is_wanted = out || gmon || r->options->verify, is_read, kept;
	struct stacks stacks = stacks_load(r, p, *name);
	struct input in = { .listener = &listener, .spare = true };
	enum fate fate = fate_of(r, p, name);
	struct error err;

	if (fate == FATE_MOVED) {
		embed_into_file(*name, true);
		stacks_append(r, &stacks, *name);
	}
	if (fate == FATE_MOVED && !is_wanted) {
		r->kept |= i == 0;
		free(stacks.file);
		return;
	}
	is_read = files_add_up(r, &in, fate == FATE_MOVED ? name : p->files, p->n, p->summed, *name, &err) || readable_add_up(r, &in, p, *name, &err);
	if (!is_read)
		message_error(&err, NULL);
	else if (fate != FATE_MOVED)
		stacks_join(r, &stacks, &in);
	kept = program_keep(r, p, fate, &in, is_read, &stacks, name);
	r->kept |= i == 0 && kept;
	r->left |= !kept;
	stacks_tell(&in, *name);
	if (is_read && is_wanted) {
		if (i == 0 && !r->left)
			harvest_remove(r->directory);	/* all of it is kept, or in memory: the first program comes last */
		if (out && kept && value_reported(r->options))
			value_take(r, &in, *name);
		collect_program_print(r, &in, out, gmon && !in.value);
	}
	input_free(&in);
	free(stacks.file);
}

/* Where the report goes: R->out, NULL with --no-report; the program's streams are its own, so a screen goes where messages do.  False after a message. */
static bool collect_output_open(struct run *r)
{
	const struct options *o = r->options;

	r->out = o->no_report || (r->job && r->job->rank > 0) ? NULL : o->report.screen ? stderr : stdout;
	if (!r->out || !o->output)
		return true;
	if (!output_allowed(o->output, false))
		return false;
	r->out = fopen(o->output, "we");
	if (!r->out)
		message("%s: cannot write: %s", o->output, strerror(errno));
	return r->out != NULL;
}

static void collect_output_close(struct run *r)
{
	if (r->out && r->options->output && fclose(r->out) != 0)
		message("%s: cannot write: %s", r->options->output, strerror(errno));
}

/* Daemons outlive what started them, and a report at that moment is of their first milliseconds. */
static void running_tell(const struct run *r)
{
	for (size_t i = 0; i < r->harvest.n; i++)
		if (r->harvest.programs[i].running)
			message("note: a process of %s is still running, and what it does from now on is not kept; keep it in the foreground, "
				"or start it without aprof run, and read the amon.out that it leaves", r->harvest.programs[i].path);
}

/* What is printed comes last: a closed pipe may end us there (aprof run ... | head). */
static void report_all(struct run *r, char **names)
{
	for (size_t i = 0; i < r->harvest.n; i++)
		if (names[i]) {
			unreadable_keep(r, &r->harvest.programs[i], names[i]);
		} else {
			r->left = true;
		}
	for (size_t i = 1; i < r->harvest.n; i++)
		if (names[i] && r->harvest.programs[i].n > 0)
			program_report(r, i, &names[i], NULL);
	if (r->out && r->options->report.screen)
		putc('\n', r->out);			/* behind what the program printed */
	if (r->out && r->harvest.n > 1 && !r->options->report.json)
		programs_print(r, names, r->out);
	if (names[0] && r->harvest.programs[0].n > 0)
		program_report(r, 0, &names[0], r->out);
	if (r->out && r->options->report.screen && r->kept)
		collect_more_print(r, names[0]);
}

/* The same, through a pager where that is due. */
static void report_paged(struct run *r, char **names)
{
	bool paged = r->out == stdout && !r->options->no_pager;

	if (paged) {
		pager_begin();
		r->out = stdout;
	}
	report_all(r, names);
	if (paged) {
		pager_end();
		r->out = stdout;
	}
}

void collect(struct run *r)
{
	struct error err;
	char **names;
	int error;

	if (!harvest_make(&r->harvest, r->directory, r->options->stacks, &err)) {
		message_error(&err, NULL);
		r->left = true;
		return;
	}
	harvest_status(&r->harvest, r->launch.pid, r->launch.wait_status);
	harvest_weigh(&r->harvest, &listener);
	running_tell(r);
	unfollowed_tell(r);
	if (r->harvest.n && r->recorder)		/* else hooks tell of their own programs, and nobody was to tell of others */
		missing_tell(&r->untold.accounts, r->launch.started && !r->untold.refused ? r->launch.used_below : 0, r->sampling.source);
	names = calloc(r->harvest.n + 1, sizeof *names);
	if (r->harvest.lacking)
		lacking_tell(r);
	if (r->harvest.sampled && r->options->clock && is_hooks_clock(r->options->clock))
		message("note: --clock=%s is of hooks, which no program of this run has: call stacks were sampled by CPU time", r->options->clock);
	if (r->harvest.n && r->untold.refused)
		message("note: the call stacks of %" PRIu64 " process%s could not be sampled: neither perf events nor ptrace is permitted for %s", r->untold.refused,
			r->untold.refused == 1 ? "" : "es", r->untold.refused == 1 ? "it" : "them");
	r->untold.running = running_count(r);
	untold_running_tell(r);
	error = missing_error(&r->untold.accounts);
	r->failed = error || r->unsampled.code || (r->harvest.n == 0 && (r->harvest.lacking || !r->launch.started));
	if (error && r->harvest.n == 0)
		unwritten_tell(r, error);
	else if (r->harvest.n == 0 && r->harvest.lacking)
		;
	else if (r->harvest.n == 0 && !r->launch.started)
		idle_tell(r);
	else if (r->harvest.n == 0)
		nothing_tell(r);
	else if (names) {
		data_file_aside(r->options->data, &r->harvest);
		for (size_t i = 0; i < r->harvest.n; i++)
			names[i] = data_file_name(r->options->data, &r->harvest, i);
		report_paged(r, names);
	}
	for (size_t i = 0; names && i < r->harvest.n; i++)
		free(names[i]);
	free(names);
	harvest_free(&r->harvest);
}

/* Read the profile NAME and report it to OUT. */
static void job_report(struct run *r, char *name, FILE *out)
{
	struct input in = { .listener = &listener, .spare = true };
	struct error err;

	if (!input_read(&in, &name, 1, NULL, &err))
		message_error(&err, NULL);
	else if (out || r->options->verify || gmon_file_wanted())
		collect_program_print(r, &in, out, gmon_file_wanted());
	input_free(&in);
}

void collect_job(struct run *r, const char *name, uint64_t ranks)
{
	char *copy = strdup(name);
	bool paged = r->out == stdout && !r->options->no_pager;

	if (!copy)
		return;
	embed_into_file(name, true);
	if (ranks < (uint64_t)r->job->size)
		message("note: %s is of %" PRIu64 " of the job's %d ranks; the others do not run under aprof run, or keep theirs in %s", name, ranks, r->job->size,
			r->job->folder);
	if (paged) {
		pager_begin();
		r->out = stdout;
	}
	if (r->out && r->options->report.screen)
		putc('\n', r->out);
	job_report(r, copy, r->out);
	if (r->out && r->options->report.screen)
		collect_more_print(r, copy);
	if (paged) {
		pager_end();
		r->out = stdout;
	}
	free(copy);
}

void collect_rank(struct run *r, bool apart, bool unsure)
{
	bool died = WIFSIGNALED(r->launch.wait_status) && WTERMSIG(r->launch.wait_status) != SIGTERM;	/* else the launcher ended it */
	struct error err;
	size_t files = 0;

	if (!harvest_make(&r->harvest, r->directory, true, &err)) {
		message_error(&err, NULL);
		return;
	}
	harvest_status(&r->harvest, r->launch.pid, r->launch.wait_status);
	for (size_t i = 0; i < r->harvest.n; i++)
		for (size_t k = 0; k < r->harvest.programs[i].n; k++, files++)
			files_cut(r->harvest.programs[i].files[k]);
	if (r->harvest.lacking)
		lacking_tell(r);
	if (r->harvest.n == 0 && !r->harvest.lacking && r->job->rank == 0)
		nothing_tell(r);
	else if (files && unsure)
		message("rank %d keeps its own profile, in %s; if %s is of %d processes, as aprof info says, it holds it already", r->job->rank, r->directory,
			r->options->data, r->job->size);
	else if (files && (r->job->rank == 0 || apart || died))
		message("rank %d keeps its own profile, in %s; when all have ended, aprof merge -o %s %s/*/* adds them up", r->job->rank, r->directory,
			r->options->data, r->job->folder);
	harvest_free(&r->harvest);
}

/* The hooks of PROGRAM, bits of enum symbols_hooks; 0: it cannot be read.  A program that runs often is looked at once: to look through the relocations
 * of a browser takes a hundred milliseconds. */
static uint32_t collect_hooks_of(const char *program)
{
	enum { REMEMBERED = 256 };
	static _Thread_local struct {
		dev_t device;
		ino_t number;
		struct timespec changed;
		uint32_t hooks;
	} programs[REMEMBERED], *p;
	struct error ignored;
	struct stat st;
	uint32_t hooks = 0;

	if (stat(program, &st) != 0)
		return 0;
	p = &programs[(st.st_ino ^ st.st_dev) % REMEMBERED];
	if (p->device == st.st_dev && p->number == st.st_ino && p->changed.tv_sec == st.st_ctim.tv_sec && p->changed.tv_nsec == st.st_ctim.tv_nsec)
		return p->hooks;
	if (!symbols_has_hooks(program, &hooks, &ignored))
		hooks = 0;
	p->device = st.st_dev;
	p->number = st.st_ino;
	p->changed = st.st_ctim;
	p->hooks = hooks;
	return hooks;
}

bool collect_has_hooks(const char *program)
{
	return collect_hooks_of(program) & ~(uint32_t)SYMBOLS_MONITOR;
}

bool collect_has_mcount(const char *program)
{
	return collect_hooks_of(program) & SYMBOLS_MCOUNT && preload_is_for(program);
}

/* How hooks got into PROGRAM, as bits of enum amon_way. */
static uint32_t ways_of(const char *program)
{
	static const struct {
		uint32_t hooks, way;
	} pairs[] = { { SYMBOLS_FENTRY, AMON_WAY_FENTRY }, { SYMBOLS_CYG, AMON_WAY_CYG }, { SYMBOLS_MCOUNT, AMON_WAY_MCOUNT }, { SYMBOLS_INLINE, AMON_WAY_INLINE } };
	uint32_t hooks = collect_hooks_of(program), ways = 0;

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		ways |= hooks & pairs[i].hooks ? 1u << pairs[i].way : 0;
	return ways;
}

/* A size as APROF_MEMORY has it, K, M, G allowed; a gigabyte for one that is none, as the monitor takes it. */
static uint64_t collect_bytes_of(const char *text)
{
	enum { LEAST = 1 << 20, USUAL = 1 << 30 };
	static const char units[] = "KkMmGg";
	char *end = NULL;
	uint64_t n = text ? strtoull(text, &end, 10) : 0;
	const char *unit = end && *end ? strchr(units, *end) : NULL;

	if (unit)
		n <<= 10 * ((unit - units) / 2 + 1);
	return n >= LEAST && n <= (uint64_t)1 << 40 ? n : USUAL;
}

/* Who is to take samples of call stacks, as APROF_STACKS has it; NONE: who may, also for a word that is none. */
static enum amon_source source_wanted(void)
{
	static const struct {
		const char *name;
		enum amon_source source;
	} names[] = { { "perf", AMON_SOURCE_PERF }, { "timer", AMON_SOURCE_TIMER }, { "ptrace", AMON_SOURCE_PTRACE } };
	const char *text = getenv("APROF_STACKS");

	for (size_t i = 0; text && i < sizeof names / sizeof *names; i++)
		if (!strcmp(text, names[i].name))
			return names[i].source;
	return AMON_SOURCE_NONE;
}

void collect_sampling(struct run *r)
{
	enum { RATE = 997 };
	const char *rate = r->options->rate ? r->options->rate : getenv("APROF_RATE");
	const char *clock = r->options->clock ? r->options->clock : getenv("APROF_CLOCK");
	const char *memory = r->options->memory ? r->options->memory : getenv("APROF_MEMORY");
	unsigned long hz = rate ? strtoul(rate, NULL, 10) : 0;

	r->sampling = (struct record_options){ .directory = r->directory, .rate = hz >= 1 && hz <= 10000 ? (unsigned)hz : RATE,
					       .memory = collect_bytes_of(memory), .source = source_wanted(),
					       .skip = r->options->stacks ? collect_has_mcount : collect_has_hooks,
					       .ways = r->options->stacks ? ways_of : NULL, .kernel = r->options->kernel, .inlined = r->options->inlines,
					       .intervals = r->options->intervals || options_wished("APROF_INTERVALS"),
					       .wall = clock && !strcmp(clock, "wall") };
}

void collect_stacks_tell(const struct run *r)
{
	const char *why = r->recorder ? record_kernel_refused(r->recorder) : NULL;

	if (why)
		message("--kernel: %s", why);
	else if (r->options->kernel && !r->recorder && !r->sampling.directory)
		message("--kernel: of a program with hooks call stacks are sampled with --stacks only");
	else if (r->options->inlines && !r->recorder && !r->sampling.directory)
		message("--inlines: of a program with hooks call stacks are sampled with --stacks only; aprof report --inlines splits its own times by inlined functions");
}

bool collect_begin(struct run *r)
{
	if (!data_file_possible(r->options->data, r->options->no_report) || !collect_output_open(r))
		return false;
	if (collect_directory_make(r))
		return true;
	collect_output_close(r);
	return false;
}

int collect_status(const struct run *r, int status) { return status == 0 && (r->failed || r->left) ? STATUS_TROUBLE : status; }

void collect_end(struct run *r)
{
	collect_output_close(r);
	if (r->job)
		job_end(r->job);
	else if (r->left && access(r->directory, F_OK) == 0)
		message("what is not kept is still in %s", r->directory);
	else
		harvest_remove(r->directory);
	accounts_free(&r->untold.accounts);
	free(r->directory);
}
