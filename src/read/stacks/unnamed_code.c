/* unnamed_code.c - names for code that had none. */
#include "read/stacks/unnamed_code.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/task_stat.h"

enum { MOST_MODULES = 1024 };		/* of a file that is settled afterwards */

/* A module of a file. */
struct unnamed_module {
	bool anonymous;
	uint64_t bias;			/* an address in the file less this is that in the process: files that were written anew have places of their own */
};

/* The modules of L, malloc'ed.  NULL: none stands for anonymous code, or memory is short. */
static struct unnamed_module *unnamed_code_places_find(const struct recording *l)
{
	uint32_t n = recording_modules(l);
	struct unnamed_module *places = calloc((size_t)n + 1, sizeof *places);
	bool any = false;

	for (uint32_t i = 0; places && i < n; i++) {
		const struct amon_module *m = recording_module_at(l, i);

		any |= places[i].anonymous = profile_is_anonymous((const char *)(m + 1), NULL);
		places[i].bias = m->bias;
	}
	if (any)
		return places;
	free(places);
	return NULL;
}

void unnamed_code_settle(struct recording *l, struct synthetic *made, struct jit *j)
{
	uint32_t n = recording_routines(l), modules = recording_modules(l);
	struct unnamed_module *places = unnamed_code_places_find(l);

	for (uint32_t i = 0; places && i < n; i++) {
		struct amon_routine r = recording_routine_at(l, i);
		const struct unnamed_module *place = r.module < modules ? &places[r.module] : NULL;
		const struct jit_function *f = place && place->anonymous ? jit_find(j, r.address - place->bias) : NULL;
		uint32_t as = f ? synthetic_routine(made, f) : RECORDING_NONE;

		if (as != RECORDING_NONE)
			recording_routine_is(l, i, as);
	}
	free(places);
}

/* ---- afterwards ---- */

/* Does a routine of L wait for its name? */
static bool unnamed_code_is_waiting(const struct recording *l)
{
	uint32_t n = recording_routines(l), modules = recording_modules(l);
	struct unnamed_module *places = modules <= MOST_MODULES ? unnamed_code_places_find(l) : NULL;
	bool any = false;

	for (uint32_t i = 0; places && !any && i < n; i++) {
		uint32_t module = recording_routine_at(l, i).module;

		any = module < modules && places[module].anonymous;
	}
	free(places);
	return any;
}

/* Was what has the header H recorded here, since this machine was started?  And if its number is a process's now, is that the same one? */
static bool is_of_here(const struct amon_header *h)
{
	struct timespec real, boot;
	struct utsname system;
	struct task_stat stat;

	if (h->pid <= 0 || h->start_ticks == 0 || uname(&system) != 0 || strncmp(system.nodename, h->host, sizeof h->host - 1) != 0)
		return false;
	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	if ((int64_t)(h->start_realtime / 1000000000) < real.tv_sec - boot.tv_sec)
		return false;
	return !task_stat_read(h->pid, 0, &stat) || stat.start == h->start_ticks;
}

/* Settle L, if there is anything to settle.  False: nothing has changed. */
static bool settle_again(struct recording *l)
{
	const struct amon_header *h = recording_header(l);
	struct synthetic made = { .live = l, .path = "[jit]" };
	struct jit *j = unnamed_code_is_waiting(l) && is_of_here(h) ? jit_new(h->pid, h->start_ticks) : NULL;
	bool any;

	if (!j)
		return false;
	jit_look(j);
	unnamed_code_settle(l, &made, j);
	any = made.n > 0;
	synthetic_end(&made);
	jit_free(j);
	return any;
}

void unnamed_code_settle_file(const char *path)
{
	struct recording *l = recording_again(path);
	struct stat st;
	bool known = stat(path, &st) == 0;

	if (!l)
		return;
	settle_again(l);
	recording_end(l, false);
	if (known)			/* reading is no change, though the file was opened to be written, and cut to what is used */
		utimensat(AT_FDCWD, path, (struct timespec[2]){ st.st_atim, st.st_mtim }, AT_SYMLINK_NOFOLLOW);
}

void *unnamed_code_settle_bytes(void *data, size_t *len)
{
	struct recording *l = recording_again_in_memory(data, *len);
	const void *settled;
	void *copy = NULL;
	size_t size;

	if (!l)
		return data;
	if (settle_again(l)) {
		settled = recording_bytes(l, &size);
		copy = malloc(size);
		if (copy)
			memcpy(copy, settled, size);
	}
	recording_end(l, false);
	if (!copy)
		return data;
	free(data);
	*len = size;
	return copy;
}
