/* parts.c - the parts of a profile, one by one. */
#include "read/profile/parts.h"

#include <stdlib.h>
#include <string.h>

#include "read/profile/values.h"

bool parts_run(struct profile *p, const char *label, const struct amon_header *h, const struct amon_thread *t, const struct profile_command *commands, size_t n)
{
	struct profile_run run = { .header = *h, .threads = 1, .ncommands = n };

	if (!array_reserve(&p->runs, &p->private->runs, 1, sizeof *p->runs) || !array_reserve(&p->threads, &p->private->threads, 1, sizeof *p->threads))
		return false;
	run.label = strdup(label);
	run.commands = calloc(n + 1, sizeof *run.commands);
	if (!run.label || !run.commands) {
		free(run.label);
		free(run.commands);
		return false;
	}
	p->private->divisor = value_of_header(&run.header, &run.value);
	if (profile_value_add(p, &run.value) == PROFILE_NONE) {
		free(run.label);
		free(run.commands);
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		run.commands[i] = commands[i];
		run.commands[i].time /= p->private->divisor;
		add_capped(&run.calls, commands[i].calls);
	}
	p->runs[0] = run;
	p->nruns = 1;
	p->threads[0] = (struct profile_thread){ .record = *t, .current = PROFILE_NONE };
	p->nthreads = 1;
	return true;
}

uint32_t parts_module(struct profile *p, const struct profile_module *m)
{
	uint32_t module = profile_module(p, m, strlen(m->path) + 1);

	if (module != PROFILE_NONE) {
		p->modules[module].main_program |= m->main_program;
		p->modules[module].hooked |= m->hooked;
	}
	return module;
}

static bool script_add(struct profile *p, uint32_t routine, const struct profile_script *script)
{
	size_t name = strlen(script->name) + 1, file = strlen(script->file) + 1;
	struct profile_script copy = { .routine = routine, .line = script->line };

	if (!array_reserve(&p->scripts, &p->private->scripts, (size_t)p->nscripts + 1, sizeof *p->scripts) || !(copy.name = malloc(name + file)))
		return false;
	memcpy(copy.name, script->name, name);
	copy.file = memcpy(copy.name + name, script->file, file);
	p->scripts[p->nscripts++] = copy;
	p->routines[routine].script = p->nscripts;
	return true;
}

uint32_t parts_routine(struct profile *p, const struct profile_routine *r, const struct profile_script *script)
{
	uint32_t routine = profile_routine(p, r);

	if (routine == PROFILE_NONE || !histories_reserve(&p->private->histories, 0, p->nroutines))
		return PROFILE_NONE;
	if (script && !p->routines[routine].script && !script_add(p, routine, script))
		return PROFILE_NONE;
	return routine;
}

uint32_t parts_context(struct profile *p, uint32_t caller, uint32_t routine)
{
	uint32_t context = profile_step(p, caller, routine);

	if (context != PROFILE_NONE && p->contexts[context].length > p->longest)
		p->longest = p->contexts[context].length;
	return context;
}

bool parts_share(struct profile *p, const struct profile_share *s)
{
	if (!array_reserve(&p->shares, &p->private->shares, p->nshares + 1, sizeof *p->shares))
		return false;
	p->shares[p->nshares] = *s;
	if (p->private->divisor > 1)
		p->shares[p->nshares].time /= p->private->divisor;
	p->nshares++;
	return true;
}

void parts_shares_settle(struct profile *p)
{
	size_t kept = 0;

	if (p->nshares)
		qsort(p->shares, p->nshares, sizeof *p->shares, order_shares);
	for (size_t i = 0; i < p->nshares; i++)
		if (kept > 0 && order_shares(&p->shares[kept - 1], &p->shares[i]) == 0)
			profile_sum_share(&p->shares[kept - 1], &p->shares[i]);
		else
			p->shares[kept++] = p->shares[i];
	p->nshares = kept;
}

bool parts_detour(struct profile *p, uint32_t from, uint32_t to, uint64_t calls)
{
	if (!array_reserve(&p->detours, &p->private->room, p->ndetours + 1, sizeof *p->detours))
		return false;
	p->detours[p->ndetours++] = (struct profile_detour){ .from = from, .to = to, .calls = calls };
	return true;
}
