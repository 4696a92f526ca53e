/* ps.c - aprof ps: the processes on this machine that are being profiled. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/emit.h"
#include "base/escape.h"
#include "base/print.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/pid.h"
#include "show/report/arguments.h"
#include "show/report/version.h"

enum { CELL = 32, COMMAND_LEAST = 12, ELLIPSIS = 3 };

/* A process that is profiled. */
struct process {
	int32_t pid;			/* as we know it */
	struct amon_header header;	/* of its profile */
	bool counted;			/* calls are */
	uint64_t calls;			/* so far; 0 if they are not counted */
	uint32_t contexts;		/* the same */
	uint64_t elapsed;		/* since the profile was begun, ns */
	char *command;			/* its arguments, as a shell takes them */
	char *path;			/* of its profile */
};

struct processes {
	struct process *list;	/* in order of their PIDs */
	size_t n;		/* how many */
	size_t refused;		/* others, into which we may not look */
};

static uint64_t ps_now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* How long the process of H has been profiled, ns; one in a time namespace of its own has another monotonic clock. */
static uint64_t elapsed_of(const struct amon_header *h)
{
	uint64_t monotonic = ps_now(CLOCK_MONOTONIC), real = ps_now(CLOCK_REALTIME);
	uint64_t since = real > h->start_realtime ? real - h->start_realtime : 0;
	uint64_t ticked = monotonic > h->start_monotonic ? monotonic - h->start_monotonic : UINT64_MAX;

	return ticked < since ? ticked : since;
}

/* Read the profile at P->path.  False: it went away meanwhile, or is none that we can read. */
static bool process_read(struct process *p)
{
	struct profile *profile = profile_new();
	enum report_life life;
	struct error ignored;
	bool ok = profile && files_read(profile, p->path, NULL, &life, &ignored);

	if (ok) {
		p->counted = profile_counts_calls(profile);
		p->header = profile->runs[0].header;
		p->calls = profile->runs[0].calls;
		p->contexts = profile->runs[0].contexts;
		p->elapsed = elapsed_of(&p->header);
		p->command = arguments_text(&p->header);
	}
	if (profile)
		profile_free(profile);
	return ok && p->command;
}

static void ps_process_free(struct process *p)
{
	free(p->path);
	free(p->command);
}

/* The profile at PATH, which is P's from now on, of process PID joins ALL. */
static void ps_process_add(struct processes *all, int32_t pid, char *path)
{
	struct process p = { .pid = pid, .path = path }, *more = process_read(&p) ? reallocarray(all->list, all->n + 1, sizeof *more) : NULL;

	if (!more) {
		ps_process_free(&p);
		return;
	}
	all->list = more;
	all->list[all->n++] = p;
}

static void recorded_add(void *arg, const struct amon_header *h, const char *path)
{
	char *own = strdup(path);

	if (own)
		ps_process_add(arg, h->pid, own);
}

/* Look into process PID: it may be profiled, or record others. */
static void ps_process_look(struct processes *all, int32_t pid)
{
	char *path = NULL;
	int fd = live_profile_open(pid, O_RDONLY, &path);

	if (fd >= 0) {
		close(fd);
		ps_process_add(all, pid, path);
		return;
	}
	all->refused += errno == EACCES || errno == EPERM;
	live_profile_recorded(pid, recorded_add, all);
}

static int by_pid(const void *left, const void *right)
{
	const struct process *a = left, *b = right;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

/* Find all of them.  False after a message. */
static bool processes_find(struct processes *all)
{
	DIR *folder = opendir("/proc");
	const struct dirent *entry;
	int32_t pid;

	if (!folder) {
		message("/proc: cannot be read: %s", strerror(errno));
		return false;
	}
	while ((entry = readdir(folder)))
		if (pid_read(entry->d_name, &pid))
			ps_process_look(all, pid);
	closedir(folder);
	if (all->n > 1)
		qsort(all->list, all->n, sizeof *all->list, by_pid);
	return true;
}

/* `2-03:04:05`, as ps has it: days, hours, minutes, seconds. */
static void elapsed_text(char text[CELL], uint64_t ns)
{
	uint64_t s = ns / 1000000000u, days = s / 86400, hours = s / 3600 % 24;

	if (days)
		snprintf(text, CELL, "%" PRIu64 "-%02u:%02u:%02u", days, (unsigned)hours, (unsigned)(s / 60 % 60), (unsigned)(s % 60));
	else if (hours)
		snprintf(text, CELL, "%u:%02u:%02u", (unsigned)hours, (unsigned)(s / 60 % 60), (unsigned)(s % 60));
	else
		snprintf(text, CELL, "%u:%02u", (unsigned)(s / 60), (unsigned)(s % 60));
}

/* The columns before the command, of a process or, P being NULL, their headings. */
enum { PID, ELAPSED, CALLS, CONTEXTS, HOW, CELLS };

static void cells_make(char cells[CELLS][CELL], const struct process *p)
{
	static const char *const headings[CELLS] = { "PID", "ELAPSED", "CALLS", "CONTEXTS", "HOOKS/CLOCK" };
	char way[CELL];

	for (int i = 0; !p && i < CELLS; i++)
		snprintf(cells[i], CELL, "%s", headings[i]);
	if (!p)
		return;
	snprintf(cells[PID], CELL, "%" PRId32, p->pid);
	elapsed_text(cells[ELAPSED], p->elapsed);
	if (p->counted)
		print_grouped(cells[CALLS], p->calls);
	else
		strcpy(cells[CALLS], "-");
	print_grouped(cells[CONTEXTS], p->contexts);
	snprintf(cells[HOW], CELL, "%.20s/%.9s", method_way(way, sizeof way, p->header.way, "+")[0] ? way : "none", method_clock(p->header.clock));
}

static void widths_find(int widths[CELLS], const struct processes *all)
{
	char cells[CELLS][CELL];

	memset(widths, 0, CELLS * sizeof *widths);
	for (size_t i = 0; i <= all->n; i++) {
		cells_make(cells, i < all->n ? &all->list[i] : NULL);
		for (int c = 0; c < CELLS; c++)
			if ((int)strlen(cells[c]) > widths[c])
				widths[c] = (int)strlen(cells[c]);
	}
}

/* The longest of the commands or files of ALL, in columns. */
static int ps_longest(const struct processes *all, const char *heading, bool files, const struct text_style *style)
{
	int most = (int)strlen(heading);

	for (size_t i = 0; i < all->n; i++) {
		char text[4200];
		const char *safe = print_safe(text, sizeof text, files ? all->list[i].path : all->list[i].command, style);
		int n = (int)print_width(safe, strlen(safe));

		if (n > most)
			most = n;
	}
	return most;
}

/* Where TEXT, which is harmless, begins or ends so that it takes WIDTH columns at most, with the ellipsis for what goes. */
static const char *tail_of(const char *text, int width)
{
	while (*text && (int)print_width(text, strlen(text)) > width)
		do
			text++;
		while ((*text & 0xc0) == 0x80);
	return text;
}

static size_t ps_head_of(const char *text, int width)
{
	size_t n = strlen(text);

	while (n > 0 && (int)print_width(text, n) > width)
		do
			n--;
		while (n > 0 && (text[n] & 0xc0) == 0x80);
	return n;
}

/* COMMAND, cut at its end, in WIDTH columns, and FILE, cut at its beginning, in what is left of ROOM; 0: nothing is cut. */
static void texts_print(const char *command, const char *file, int width, int room)
{
	int columns = (int)print_width(command, strlen(command));
	bool cut = columns > width;
	size_t n = cut ? ps_head_of(command, width - ELLIPSIS) : strlen(command);

	columns = (int)print_width(command, n) + (cut ? ELLIPSIS : 0);
	printf("%.*s%s%*s", (int)n, command, cut ? "..." : "", width - columns + 2, "");
	cut = room > 0 && (int)print_width(file, strlen(file)) > room - width - 2;
	printf("%s%s\n", cut ? "..." : "", cut ? tail_of(file, room - width - 2 - ELLIPSIS) : file);
}

static void ps_row_print(const struct process *p, const int widths[CELLS], int width, int room, const struct text_style *style)
{
	char cells[CELLS][CELL], command[4200], file[4200];

	cells_make(cells, p);
	for (int c = 0; c < CELLS; c++)
		if (widths[c] > 0)
			printf("%*s  ", c == HOW ? -widths[c] : widths[c], cells[c]);
	texts_print(p ? print_safe(command, sizeof command, p->command, style) : "COMMAND",
		    p ? print_safe(file, sizeof file, p->path, style) : "FILE", width, room);
}

/* The columns of WIDTHS together.  Where ROOM, 0: there is no end of it, is too small for them beside a command and a file, some are left out: their width becomes 0. */
static int ps_columns_fit(int widths[CELLS], int room)
{
	static const int order[] = { CONTEXTS, HOW, ELAPSED, CALLS };
	int used = 0;

	for (int c = 0; c < CELLS; c++)
		used += widths[c] + 2;
	for (size_t i = 0; room > 0 && i < sizeof order / sizeof *order && used + 2 * COMMAND_LEAST > room; i++) {
		used -= widths[order[i]] + 2;
		widths[order[i]] = 0;
	}
	return used;
}

static void ps_processes_print(const struct processes *all, const struct text_style *style)
{
	int widths[CELLS], room = style->wide ? 0 : style->width, command = ps_longest(all, "COMMAND", false, style), used, file;

	widths_find(widths, all);
	used = ps_columns_fit(widths, room);
	file = ps_longest(all, "FILE", true, style);
	room = room == 0 ? 0 : room - used > 2 * COMMAND_LEAST ? room - used : 2 * COMMAND_LEAST;
	if (room > 0 && command + 2 + file > room)	/* the file may have what is left, and half of the room at least */
		command = command < room / 2 - 1 ? command : room - 2 - file > room / 2 - 1 ? room - 2 - file : room / 2 - 1;
	print_begin(stdout, style, 'h');
	ps_row_print(NULL, widths, command, room, style);
	print_end(stdout, style);
	for (size_t i = 0; i < all->n; i++)
		ps_row_print(&all->list[i], widths, command, room, style);
}

static json_t *process_json(const struct process *p)
{
	char way[CELL];

	return json_pack("{s:i, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "pid", (int)p->pid, "program", emit_name(p->header.program),
			 "command", arguments_json(&p->header), "way", method_way(way, sizeof way, p->header.way, ", "), "clock",
			 method_clock(p->header.clock), "start_ns", emit_count(p->header.start_realtime), "elapsed_ns", emit_count(p->elapsed),
			 "calls", p->counted ? emit_count(p->calls) : json_null(), "contexts", emit_count(p->contexts), "file", emit_name(p->path));
}

static bool processes_json(const struct processes *all)
{
	struct emit e;

	emit_begin(&e, stdout);
	emit_member(&e, "schema", json_string("aprof-ps-1"));
	emit_member(&e, "version", json_string(APROF_VERSION));
	emit_array(&e, "processes");
	for (size_t i = 0; i < all->n; i++)
		emit_item(&e, process_json(&all->list[i]));
	emit_array_end(&e);
	emit_member(&e, "refused", emit_count(all->refused));
	emit_end(&e);
	if (e.failed)
		message("out of memory");
	return !e.failed;
}

static int ps_list(const struct options *o)
{
	struct processes all = { 0 };
	bool ok = processes_find(&all);

	if (ok && o->report.json)
		ok = processes_json(&all);
	else if (ok && all.n > 0)
		ps_processes_print(&all, &o->report.style);
	if (ok && !o->report.json && all.n == 0)
		message("no process is being profiled");
	if (ok && !o->report.json && all.refused > 0)
		message("note: %zu process%s could not be looked into%s", all.refused, all.refused > 1 ? "es" : "",
			geteuid() == 0 ? "" : ", of other users as a rule: root can");
	for (size_t i = 0; i < all.n; i++)
		ps_process_free(&all.list[i]);
	free(all.list);
	return ok ? STATUS_OK : STATUS_TROUBLE;
}

static int ps_run(const struct command *self, struct options *o, int argc, char **argv)
{
	(void)self;
	if (o->first == argc)
		return ps_list(o);
	message("ps: %s: it takes no operand; `aprof info %s` looks at one", argv[o->first], argv[o->first]);
	return STATUS_TROUBLE;
}

const struct command command_ps = {
	.name = "ps",
	.usage = "[OPTION...]",
	.summary = "what is being profiled on this machine",
	.options = COMMAND_PS,
	.examples = "  aprof ps                                 processes, with their files\n"
		    "  aprof ps --json                          the same, for a script\n",
	.function = ps_run,
};
