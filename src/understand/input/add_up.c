/* add_up.c - reading and adding up, by several threads.
 *
 * What the threads share is in struct work; what one has for itself is in struct part. */
#include "understand/input/add_up.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "read/profile/sum.h"
#include "understand/input/call_stacks.h"
#include "understand/input/embedding.h"
#include "understand/input/nursery.h"
#include "understand/input/input_notes.h"

enum {
	FILES_A_THREAD = 64,		/* fewer are not worth another one */
	MOST_THREADS = 16,
	MOST_TOLD = 8,			/* files that were cut off are named */
};

#define PART_BYTES ((size_t)512 << 10)	/* of files in a thread's own sum */
#define UNDER_WAY ((size_t)32 << 20)	/* of files that are read at one time, if it is more than one */
#define SYMBOLS_BYTES ((size_t)4 << 20)	/* of symbols that files carry, before those that say the same are put together */

struct work {
	struct input *in;
	char **files;
	size_t n;
	struct profile_run first;	/* of the first file: what all others must go with; its label is that of SUM's */
	bool *cut;			/* file -> it was cut off */
	bool *foreign;			/* file -> it is another program's, left for later */
	pthread_mutex_t lock;		/* of what follows, and of the listener */
	pthread_cond_t freed;		/* under_way has become less */
	size_t next;			/* the first file that nobody has taken */
	size_t done;			/* files that were read */
	size_t under_way;		/* bytes of files that are being read */
	size_t failed;			/* the first file that is at fault; n: none so far */
	struct error error;		/* what is the matter with it */
	pthread_mutex_t adding;		/* of what follows */
	struct profile_sum *sum;	/* of what all have handed in */
	bool sliced;			/* some file told its time by interval */
	size_t packed;			/* bytes of its symbols when they were put together last */
};

struct part {
	struct work *w;
	struct profile_sum *sum;	/* NULL: of nothing */
	size_t bytes;			/* of files in it */
	pthread_t thread;
};

static bool add_up_no_memory(struct error *err)
{
	return error_no_memory(err, "adding up profiles");
}

/* ---- who reads what ---- */

/* The next file to be read, of *SIZE bytes, once there is room for it; n: there is none. */
static size_t file_take(struct work *w, size_t *size)
{
	struct stat st;
	size_t file;

	pthread_mutex_lock(&w->lock);
	file = w->failed < w->n ? w->n : w->next;
	w->next += file < w->n;
	*size = file < w->n && stat(w->files[file], &st) == 0 ? (size_t)st.st_size : 0;
	while (w->under_way && w->under_way + *size > UNDER_WAY)
		pthread_cond_wait(&w->freed, &w->lock);
	w->under_way += *size;
	pthread_mutex_unlock(&w->lock);
	return file;
}

/* FILE, of SIZE bytes, is done with; !OK: it is at fault, as ERR says.  Files are taken in their order, so the first at fault is found whoever fails first. */
static void file_done(struct work *w, size_t file, size_t size, bool ok, const struct error *err)
{
	const struct input_listener *l = w->in->listener;

	pthread_mutex_lock(&w->lock);
	w->under_way -= size;
	w->done++;
	if (!ok && file < w->failed) {
		w->failed = file;
		w->error = *err;
	}
	if (l && l->part)
		l->part(l->arg, w->done, w->n);
	pthread_cond_broadcast(&w->freed);
	pthread_mutex_unlock(&w->lock);
}

/* ---- adding ---- */

/* Files of one program carry much the same symbols, each in its own words: have them said once. */
static void symbols_pack_again(struct work *w)
{
	struct profile *p = profile_sum_so_far(w->sum);
	struct symbols *s;
	struct error ignored;

	if (profile_sum_symbols(w->sum) < 2 * w->packed + SYMBOLS_BYTES)
		return;
	s = symbols_open(p, NULL, &ignored);
	if (s)
		embed_anew(p, s);
	symbols_free(s);
	w->packed = profile_sum_symbols(w->sum);
}

/* Add P to the sum of all. */
static bool add_up_sum_add(struct work *w, const struct profile *p, struct error *err)
{
	bool ok;

	pthread_mutex_lock(&w->adding);
	ok = profile_sum_add(w->sum, p, err);
	if (ok)
		symbols_pack_again(w);
	pthread_mutex_unlock(&w->adding);
	return ok;
}

/* Add what PART has of its own to the sum of all. */
static bool part_hand_in(struct part *part, struct error *err)
{
	struct profile *p = part->sum ? profile_sum_take(part->sum, err) : NULL;
	bool ok = part->sum ? p && add_up_sum_add(part->w, p, err) : true;

	profile_free(p);
	part->sum = NULL;
	part->bytes = 0;
	return ok;
}

/* Add P, from a file of SIZE bytes, to PART; to the sum of all, if it is large. */
static bool add_up_part_add(struct part *part, const struct profile *p, size_t size, struct error *err)
{
	if (size >= PART_BYTES)
		return add_up_sum_add(part->w, p, err);
	if (!part->sum)
		part->sum = profile_sum_new(part->w->n > SUM_APART);
	if (!part->sum)
		return add_up_no_memory(err);
	part->bytes += size;
	return profile_sum_add(part->sum, p, err) && (part->bytes < PART_BYTES || part_hand_in(part, err));
}

/* ---- reading ---- */

/* Do all runs of P go with the first file's? */
static bool goes_along(const struct work *w, const struct profile *p, struct error *err)
{
	for (uint32_t i = 0; i < p->nruns; i++)
		if (w->first.label && !profile_goes_with(&w->first, &p->runs[i], err))
			return false;
	return true;
}

/* Read FILE, of SIZE bytes, which is ours, and add it to PART. */
static bool add_up_own_add(struct part *part, size_t file, size_t size, struct error *err)
{
	struct work *w = part->w;
	struct profile *p = input_profile_new(w->in, false);
	enum report_life life;
	bool ok = (p || add_up_no_memory(err)) && files_read(p, w->files[file], NULL, &life, err) && goes_along(w, p, err);

	if (ok) {
		w->cut[file] = p->runs[0].truncated;
		if (p->nslices)
			__atomic_store_n(&w->sliced, true, __ATOMIC_RELAXED);
		if (w->in->beside && !w->in->value && !p->sampled)
			free(call_stacks_find(p, w->files[file]));
		ok = add_up_part_add(part, p, size, err);
	}
	profile_free(p);
	return ok;
}

/* Read FILE, another program's, and add it to the sum of all; the listener hears what there is to say of it. */
static bool foreign_add(struct work *w, size_t file, struct error *err)
{
	struct input_listener quiet = w->in->listener ? *w->in->listener : (struct input_listener){ 0 };
	struct input in = { .listener = &quiet, .value = w->in->value };
	bool ok;

	quiet.step = NULL;
	ok = input_read(&in, &w->files[file], 1, NULL, err) && goes_along(w, in.profile, err) && add_up_sum_add(w, in.profile, err);
	input_free(&in);
	return ok;
}

static bool add_up_file_add(struct part *part, size_t file, size_t size, struct error *err)
{
	struct work *w = part->w;

	switch (files_kind(w->files[file])) {
	case FILE_IMPORT:
		w->foreign[file] = true;
		return true;
	case FILE_GMON:
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%.600s: a gmon.out; sum such files with `aprof -s PROGRAM gmon.out...`, which writes gmon.sum",
				 w->files[file]);
	default:
		return nursery_is_empty(w->files[file]) || add_up_own_add(part, file, size, err);
	}
}

static void *part_run(void *arg)
{
	struct part *part = arg;
	struct work *w = part->w;
	size_t file, size, last = 0;
	struct error err;
	bool ok = true;

	while ((file = file_take(w, &size)) < w->n) {
		ok = ok && add_up_file_add(part, file, size, &err);
		file_done(w, file, size, ok, &err);
		last = file;
	}
	if (ok && !part_hand_in(part, &err))
		file_done(w, last, 0, false, &err);
	profile_sum_free(part->sum);
	part->sum = NULL;
	return NULL;
}

static size_t threads_wanted(size_t files)
{
	size_t n = files / FILES_A_THREAD + 1;
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof cpus, &cpus) == 0 && n > (size_t)CPU_COUNT(&cpus))
		n = (size_t)CPU_COUNT(&cpus);
	return n < MOST_THREADS ? n : MOST_THREADS;
}

/* All files but other people's, by as many threads as there are, this one among them. */
static void own_read_all(struct work *w)
{
	struct part parts[MOST_THREADS] = { { .w = w } };
	size_t wanted = threads_wanted(w->n), n = 1;

	for (; n < wanted; n++) {
		parts[n].w = w;
		if (pthread_create(&parts[n].thread, NULL, part_run, &parts[n]) != 0)
			break;
	}
	part_run(&parts[0]);
	for (size_t i = 1; i < n; i++)
		pthread_join(parts[i].thread, NULL);
}

/* The first file alone: it says what the others must be like. */
static bool first_read(struct work *w)
{
	struct part part = { .w = w };
	size_t size, file = file_take(w, &size);
	struct error err;
	bool ok = add_up_file_add(&part, file, size, &err) && part_hand_in(&part, &err) && (!w->foreign[file] || foreign_add(w, file, &err));
	const struct profile *p = profile_sum_so_far(w->sum);

	profile_sum_free(part.sum);
	w->foreign[file] = false;
	if (ok && p->nruns)
		w->first = p->runs[0];
	file_done(w, file, size, ok, &err);
	return ok;
}

static void foreign_read_all(struct work *w)
{
	struct error err;

	for (size_t i = 0; i < w->failed; i++)
		if (w->foreign[i] && !foreign_add(w, i, &err)) {
			w->failed = i;
			w->error = err;
		}
}

/* ---- and what came of it ---- */

static void cuts_tell(const struct work *w)
{
	size_t cut = 0;

	for (size_t i = 0; i < w->n; i++)
		if (w->cut[i] && ++cut <= MOST_TOLD)
			input_note(w->in, "warning: %s: cut off; its whole part is added up", w->files[i]);
	if (cut > MOST_TOLD)
		input_note(w->in, "warning: and %zu more files are cut off", cut - MOST_TOLD);
}

/* IN has the profile P, of one run that no file is to be changed for. */
static bool hand_out(struct input *in, struct profile *p, struct error *err)
{
	in->profile = p;
	in->life = calloc(1, sizeof *in->life);
	in->paths = calloc(1, sizeof *in->paths);
	if (!in->life || !in->paths)
		return add_up_no_memory(err);
	in->life[0] = REPORT_ENDED;
	input_tell_others(in, 0);
	return true;
}

/* Call the sum P LABEL; P goes where that fails. */
static bool add_up_label_set(struct profile *p, const char *label, struct error *err)
{
	char *copy = label && p->nruns ? strdup(label) : NULL;

	if (!label || !p->nruns)
		return true;
	if (!copy) {
		profile_free(p);
		return add_up_no_memory(err);
	}
	free(p->runs[0].label);
	p->runs[0].label = copy;
	return true;
}

static bool work_begin(struct work *w)
{
	w->cut = calloc(w->n + 1, sizeof *w->cut);
	w->foreign = calloc(w->n + 1, sizeof *w->foreign);
	w->sum = profile_sum_new(w->n > SUM_APART);
	pthread_mutex_init(&w->lock, NULL);
	pthread_mutex_init(&w->adding, NULL);
	pthread_cond_init(&w->freed, NULL);
	return w->cut && w->foreign && w->sum;
}

static void work_end(struct work *w)
{
	profile_sum_free(w->sum);
	free(w->cut);
	free(w->foreign);
	pthread_mutex_destroy(&w->lock);
	pthread_mutex_destroy(&w->adding);
	pthread_cond_destroy(&w->freed);
}

bool input_add_up(struct input *in, char **files, size_t n, const char *label, struct error *err)
{
	struct work w = { .in = in, .files = files, .n = n, .failed = n };
	struct profile *p = NULL;
	bool ok = work_begin(&w) || add_up_no_memory(err);

	input_step(in, "reading the profiles");
	if (ok && n && first_read(&w)) {
		own_read_all(&w);
		foreign_read_all(&w);
	}
	if (ok && w.failed < n) {
		*err = w.error;
		ok = false;
	}
	if (ok) {
		cuts_tell(&w);
		p = profile_sum_take(w.sum, err);
		input_tell_slices(in, w.sliced && p && p->nslices == 0);
		w.sum = NULL;
		ok = p && add_up_label_set(p, label, err) && hand_out(in, p, err);
	}
	work_end(&w);
	return ok;
}
