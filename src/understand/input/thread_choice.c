/* thread_choice.c - threads by their names, and by those of their processes. */
#include "understand/input/thread_choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/print.h"

bool thread_choice_is(const struct thread_choice *c) { return c->ncomms > 0 || c->npids > 0; }

enum { COMM = sizeof ((struct amon_thread *)0)->name - 1 };

/* The kernel's name of T: its own, or, if the file does not have it, that of its program. */
static bool has_comm(const struct profile *p, const struct profile_thread *t, const char *comm)
{
	const char *name = t->record.name[0] ? t->record.name : print_basename(p->runs[t->run].header.program);

	return strncmp(name, comm, COMM) == 0;
}

static bool has_pid(const struct profile *p, const struct profile_thread *t, const char *pid)
{
	const struct amon_header *h = &p->runs[t->run].header;
	char *end;
	long number = strtol(pid, &end, 10);

	return (end != pid && *end == '\0' && number == h->pid) || strcmp(print_basename(h->program), pid) == 0;
}

/* Has T one of the N WORDS?  Yes if there are none. */
static bool has_any(const struct profile *p, const struct profile_thread *t, char **words, size_t n,
		    bool (*has)(const struct profile *p, const struct profile_thread *t, const char *word))
{
	for (size_t i = 0; i < n; i++)
		if (has(p, t, words[i]))
			return true;
	return n == 0;
}

bool thread_choice_take(const struct thread_choice *c, struct profile *p, uint32_t *n, struct error *err)
{
	bool *keeps = calloc((size_t)p->nthreads + 1, sizeof *keeps), ok = keeps != NULL;

	*n = 0;
	for (uint32_t i = 0; keeps && i < p->nthreads; i++) {
		keeps[i] = has_any(p, &p->threads[i], c->pids, c->npids, has_pid) && has_any(p, &p->threads[i], c->comms, c->ncomms, has_comm);
		*n += keeps[i];
	}
	if (ok && *n > 0)
		ok = profile_take_threads(p, keeps);
	free(keeps);
	if (!ok)
		return error_no_memory(err, NULL);
	return *n > 0 || error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "no thread is meant by %s: aprof info --threads lists them",
				   c->ncomms && c->npids ? "--comm and --process" : c->ncomms ? "--comm" : "--process");
}
