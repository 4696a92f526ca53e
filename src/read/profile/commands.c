/* commands.c - processes by program and command.
 *
 * Which argument makes another command of a program is not written down anywhere.  It is taken to be the first that looks like a word: a letter, then
 * letters, digits, - and _, as in `git -C /src add -A`.  Options, paths, numbers and sentences are none. */
#include "read/profile/commands.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/profile/reader.h"
#include "read/profile/writer.h"

enum { LONGEST_WORD = 32 };

static bool commands_is_word(const char *text, size_t n)
{
	if (n == 0 || n > LONGEST_WORD || !isalpha((unsigned char)text[0]))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '-' && text[i] != '_')
			return false;
	return true;
}

/* The first word among the arguments of the process of H, its length in *N; NULL: there is none. */
static const char *commands_word_of(const struct amon_header *h, size_t *n)
{
	size_t size = h->command_size < sizeof h->command ? h->command_size : sizeof h->command;

	for (size_t at = strnlen(h->command, size) + 1; at < size; at += *n + 1) {
		*n = strnlen(h->command + at, size - at);
		if (commands_is_word(h->command + at, *n))
			return h->command + at;
	}
	return NULL;
}

static void commands_name_set(struct profile_command *c, const struct profile_run *run)
{
	const char *program = profile_run_name(run), *slash = strrchr(program, '/'), *word;
	size_t n;

	word = commands_word_of(&run->header, &n);
	snprintf(c->name, sizeof c->name, "%.60s%s%.*s", slash && slash[1] ? slash + 1 : program, word ? " " : "", word ? (int)n : 0, word ? word : "");
}

/* The time of each run: what its threads have in contexts, and what no context has; malloc'ed. */
static uint64_t *commands_times_make(const struct profile *p)
{
	uint64_t *times = calloc((size_t)p->nruns + 1, sizeof *times);

	for (size_t i = 0; times && i < p->nshares; i++)
		add_capped(&times[p->threads[p->shares[i].thread].run], p->shares[i].time);
	for (uint32_t i = 0; times && i < p->nthreads; i++) {
		add_capped(&times[p->threads[i].run], p->threads[i].record.monitor);
		add_capped(&times[p->threads[i].run], p->threads[i].record.unplaced);
	}
	return times;
}

static int commands_by_name(const void *left, const void *right)
{
	return strcmp(((const struct profile_command *)left)->name, ((const struct profile_command *)right)->name);
}

static int commands_by_time(const void *left, const void *right)
{
	const struct profile_command *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return strcmp(a->name, b->name);
}

/* Of N commands, those of one name beside each other, make one of each name; how many there are then. */
static size_t equals_add(struct profile_command *c, size_t n)
{
	size_t kept = 0;

	for (size_t i = 1; i < n; i++) {
		if (strcmp(c[kept].name, c[i].name) != 0) {
			c[++kept] = c[i];
			continue;
		}
		add_capped(&c[kept].processes, c[i].processes);
		add_capped(&c[kept].time, c[i].time);
		add_capped(&c[kept].calls, c[i].calls);
	}
	return n ? kept + 1 : 0;
}

/* Each run is one process, or says itself whose it is the sum. */
static size_t runs_list(const struct profile *p, const uint64_t *times, struct profile_command *out)
{
	size_t n = 0;

	for (uint32_t i = 0; i < p->nruns; i++) {
		const struct profile_run *run = &p->runs[i];

		if (run->ncommands) {
			memcpy(out + n, run->commands, run->ncommands * sizeof *out);
			n += run->ncommands;
			continue;
		}
		out[n] = (struct profile_command){ .processes = 1, .time = times[i], .calls = run->calls };
		commands_name_set(&out[n++], run);
	}
	return n;
}

struct profile_command *commands_make(const struct profile *p, size_t *n)
{
	uint64_t *times = commands_times_make(p);
	struct profile_command *commands;
	size_t most = (size_t)p->nruns + 1;

	for (uint32_t i = 0; i < p->nruns; i++)
		most += p->runs[i].ncommands;
	commands = times ? calloc(most, sizeof *commands) : NULL;
	if (commands) {
		*n = runs_list(p, times, commands);
		qsort(commands, *n, sizeof *commands, commands_by_name);
		*n = equals_add(commands, *n);
		qsort(commands, *n, sizeof *commands, commands_by_time);
	}
	free(times);
	return commands;
}

/* ---- in the file ---- */

bool read_commands(struct reader *r)
{
	struct profile_run *run = &r->p->runs[r->p->nruns - 1];
	const struct chunk *c;
	size_t n = 0;

	for (size_t i = 0; (c = reader_next(r, AMON_COMMANDS, &i)) != NULL;)
		n += c->items;
	if (n == 0)
		return true;
	run->commands = r->run.commands = calloc(n, sizeof *run->commands);
	if (!run->commands)
		return reader_no_memory(r);
	for (size_t i = 0; (c = reader_next(r, AMON_COMMANDS, &i)) != NULL;)
		for (uint32_t k = 0; k < c->items; k++) {
			struct profile_command *to = &run->commands[run->ncommands++];
			struct amon_command item;

			memcpy(&item, r->data + c->at + c->head.first + (uint64_t)k * sizeof item, sizeof item);
			*to = (struct profile_command){ .processes = item.processes, .time = r->chosen ? 0 : item.time / r->divisor, .calls = item.calls };
			memcpy(to->name, item.name, sizeof to->name - 1);
		}
	r->run.ncommands = run->ncommands;
	return true;
}

bool write_commands(struct writer *w)
{
	size_t n, at;
	struct profile_command *commands = commands_make(w->p, &n);
	uint64_t processes = 0;
	bool ok = commands != NULL;

	for (size_t i = 0; ok && i < n; i++)
		add_capped(&processes, commands[i].processes);
	if (ok && processes > 1 && n <= UINT32_MAX / sizeof(struct amon_command))
		ok = writer_chunk(w, AMON_COMMANDS, AMON_NONE, NULL, n, sizeof(struct amon_command), &at);
	for (size_t i = 0; ok && processes > 1 && i < n; i++, at += sizeof(struct amon_command)) {
		struct amon_command item = { .processes = commands[i].processes, .time = commands[i].time, .calls = commands[i].calls };

		memcpy(item.name, commands[i].name, sizeof item.name);
		memcpy(w->data + at, &item, sizeof item);
	}
	free(commands);
	return ok || writer_no_memory(w);
}
