/* account.c - sums by program, and the files of processes that were not sampled. */
#include "record/sample/account.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/stacks/recording.h"

struct account *account_of(struct accounts *a, const char *program)
{
	for (size_t i = 0; i < a->n; i++)
		if (!strcmp(a->programs[i].program, program))
			return &a->programs[i];
	if (!array_grow(&a->programs, &a->room, a->n, sizeof *a->programs))
		return NULL;
	a->programs[a->n] = (struct account){ .program = strdup(program) };
	return a->programs[a->n].program ? &a->programs[a->n++] : NULL;
}

uint64_t account_settle(struct account *a, uint64_t used, uint64_t placed)
{
	uint64_t rest;

	a->used += used;
	a->placed += placed;
	a->owed += (int64_t)(used - placed);
	rest = a->owed > 0 ? (uint64_t)a->owed : 0;
	a->owed -= (int64_t)rest;
	return rest;
}

void account_begin(struct account *a, uint64_t started, const char *command, uint32_t size)
{
	if (a->started && a->started <= started)
		return;
	a->started = started;
	a->command_size = size < sizeof a->command ? size : sizeof a->command;
	memcpy(a->command, command, a->command_size);
	a->command[sizeof a->command - 1] = 0;
}

void account_bare(struct account *a, uint64_t more, uint64_t unplaced)
{
	a->bare += more;
	a->bare_time += unplaced;
}

void accounts_even(struct accounts *a, uint64_t all)
{
	enum { MOST_UNCOUNTED = 300000, LITTLE = 100 };	/* ns of a process; a part of a program's time */
	uint64_t used = 0, processes = 0;

	for (size_t i = 0; i < a->n; i++) {
		used += a->programs[i].used;
		processes += a->programs[i].processes;
	}
	if (a->skipped || all <= used || all - used > processes * MOST_UNCOUNTED)
		return;
	for (size_t i = 0; i < a->n; i++) {
		struct account *p = &a->programs[i];
		uint64_t part = (all - used) * p->processes / processes;

		if (p->bare == 0 && part < p->used / LITTLE)
			continue;			/* not worth a file */
		p->missing[ACCOUNT_SOON] += part;
		account_bare(p, 0, a->wall ? 0 : account_settle(p, part, 0));
	}
}

/* The processes of A without a file, and what is missing of them, in one; false: it cannot be made. */
static bool bare_write(const struct account *a, const char *path, const struct amon_header *header)
{
	enum { MOMENT = 1000000 };		/* ns */
	struct amon_header h = *header;
	struct amon_command command = { .processes = a->bare, .time = a->bare_time };
	const char *slash = strrchr(a->program, '/');
	struct error ignored;
	struct recording *l;
	uint32_t thread;

	snprintf(h.program, sizeof h.program, "%s", a->program);
	memcpy(h.command, a->command, a->command_size);
	h.command_size = a->command_size;
	h.exit_status = -1;
	h.start_monotonic = a->started + MOMENT;	/* who has a file of his own tells of the program where they are added up */
	h.start_realtime = header->start_realtime + h.start_monotonic;
	snprintf(command.name, sizeof command.name, "%s", slash && slash[1] ? slash + 1 : a->program);
	l = recording_new(path, &h, &ignored);
	if (!l)
		return false;
	recording_command(l, &command);
	recording_clock_value(l);
	thread = recording_thread(l, 0);
	if (thread != RECORDING_NONE) {
		recording_thread_record(l, thread)->unplaced = a->bare_time;
		recording_thread_record(l, thread)->state = AMON_THREAD_FOLDED;
		recording_thread_record(l, thread)->folded = a->bare;
	}
	recording_end(l, true);
	return thread != RECORDING_NONE;
}

void accounts_write(struct accounts *a, const char *directory, const struct amon_header *header)
{
	for (size_t i = 0; i < a->n; i++) {
		char path[PATH_MAX];

		if (a->programs[i].bare == 0 && a->programs[i].bare_time == 0)
			continue;
		snprintf(path, sizeof path, "%s/stacks.0.%zu", directory, i + 1);
		bare_write(&a->programs[i], path, header);
	}
}

void accounts_free(struct accounts *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->programs[i].program);
	free(a->programs);
	*a = (struct accounts){ 0 };
}
