/* reduction.c - the thread that gives the orders to the library in the rank (contract/orders.h), and what it does in between.
 *
 * A message between two ranks is, upwards, the number of ranks and their sum, an amon.out; nothing where there is no sum.  Downwards it is one byte: whether
 * the job's file holds them.  Whatever goes wrong here, each order that the other rank counts on is given. */
#include "cli/reduction.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "cli/data_file.h"
#include "cli/message.h"
#include "cli/preload.h"
#include "contract/orders.h"
#include "record/run/job.h"

enum { MOST_ROUNDS = 32 };

struct reduction {
	struct run *run;
	pthread_t thread;
	int listener;			/* the socket */
	atomic_int connection;		/* to the library; -1: there is none */
	atomic_bool over;		/* the program has ended */
	struct job *job;		/* that the rank is of */
	struct harvest harvest;		/* this rank's profiles */
	const struct harvest_program *own; /* those of the program that called MPI_Finalize; NULL: there are none */
	struct profile_sum *sum;	/* of this rank and of those that sent theirs; NULL: of none */
	uint64_t ranks;			/* how many these are */
	struct reduction_result result;
};

/* ---- the connection ---- */

static bool reduction_put(struct reduction *r, const void *data, size_t size) { return job_put(r->connection, data, size); }
static bool reduction_get(struct reduction *r, void *data, size_t size) { return job_get(r->connection, data, size); }

static bool reduction_order(struct reduction *r, enum job_what what, int rank, uint64_t size)
{
	return reduction_put(r, &(struct job_order){ what, rank, size }, sizeof(struct job_order));
}

/* What rank FROM sends: malloc'ed, its size in *LEN; NULL: nothing, it could not be kept, or the library is gone. */
static void *message_get(struct reduction *r, int from, size_t *len)
{
	char waste[4096], *data;
	uint64_t size = 0;

	*len = 0;
	if (!reduction_order(r, JOB_RECEIVE, from, 0) || !reduction_get(r, &size, sizeof size) || size == 0)
		return NULL;
	data = size < SIZE_MAX ? malloc(size) : NULL;
	if (data && reduction_get(r, data, size)) {
		*len = size;
		return data;
	}
	for (size_t n; !data && size > 0 && reduction_get(r, waste, n = size < sizeof waste ? size : sizeof waste); size -= n)
		;
	free(data);
	return NULL;
}

/* ---- profiles ---- */

/* Which of the rank's programs is process PID? */
static const struct harvest_program *reduction_program_of(const struct harvest *h, int32_t pid)
{
	struct amon_header header;

	for (size_t i = 0; i < h->n; i++)
		for (size_t k = 0; k < h->programs[i].n; k++)
			if (files_header(h->programs[i].files[k], &header, NULL) && header.pid == pid)
				return &h->programs[i];
	return NULL;
}

/* For the job's file the process ends here. */
static void end_now(struct amon_header *h, int32_t pid)
{
	struct timespec now;
	clockid_t clock;

	if (h->state == AMON_ENDED || h->pid != pid)
		return;
	h->state = AMON_ENDED;
	if (clock_gettime(CLOCK_MONOTONIC, &now) == 0)
		h->end_monotonic = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	if (clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &now) == 0)
		h->cpu_total = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Nothing that this rank has, or was sent, comes into the job's file. */
static void sum_drop(struct reduction *r)
{
	profile_sum_free(r->sum);
	r->sum = NULL;
	r->ranks = 0;
	r->own = NULL;
}

/* Are threads of ranks put together by name?  Those of few ranks whose time is known by interval stay apart, each with its own. */
static bool by_name(const struct reduction *r)
{
	return !r->run->options->intervals || r->job->size > SUM_APART;
}

/* Add P, of RANKS ranks, to the sum.  False: it does not go with that, or memory is short, and there is no sum any more. */
static bool reduction_sum_add(struct reduction *r, const struct profile *p, uint64_t ranks)
{
	struct error err = { 0 };

	if (!r->sum)
		r->sum = profile_sum_new(by_name(r));
	if (r->sum && profile_sum_add(r->sum, p, &err)) {
		r->ranks += ranks;
		return true;
	}
	if (!r->sum || err.code == ERROR_MEMORY)
		sum_drop(r);
	return false;
}

/* P as one of a single run, whose ranks are this one.  NULL: out of memory. */
static struct profile *rank_make(const struct reduction *r, const struct profile *p)
{
	struct profile_sum *s = profile_sum_new(by_name(r));
	struct profile *one = NULL;
	struct error ignored;

	if (s && profile_sum_add(s, p, &ignored))
		one = profile_sum_take(s, &ignored);
	else
		profile_sum_free(s);
	if (one && profile_set_rank(one, (uint32_t)r->job->rank))
		return one;
	profile_free(one);
	return NULL;
}

/* Read what the processes of this rank have up to now.  Call stacks are not sampled any more. */
static void own_read(struct reduction *r, int32_t pid)
{
	struct input in = { 0 };
	struct profile *one = NULL;
	struct error err;

	if (r->run->recorder) {
		record_end(r->run->recorder, &r->run->untold);
		r->run->recorder = NULL;
	}
	if (!harvest_make(&r->harvest, r->run->directory, r->run->options->stacks, &err))
		return;
	r->own = reduction_program_of(&r->harvest, pid);
	if (r->own && input_read(&in, r->own->files, r->own->n, NULL, &err)) {
		for (uint32_t i = 0; i < in.profile->nruns; i++)
			end_now(&in.profile->runs[i].header, pid);
		one = rank_make(r, in.profile);
	}
	if (!one || !reduction_sum_add(r, one, 1))
		r->own = NULL;
	profile_free(one);
	input_free(&in);
}

/* Add what rank FROM sends.  False: there is nothing, or it does not go with ours. */
static bool reduction_other_read(struct reduction *r, int from)
{
	size_t len;
	char *data = message_get(r, from, &len), label[32];
	struct profile *p = profile_new();
	uint64_t ranks = 0;
	struct error ignored;
	bool ok = p && data && len > sizeof ranks;

	snprintf(label, sizeof label, "rank %d", from);
	ok = ok && profile_read(p, data + sizeof ranks, len - sizeof ranks, label, &ignored);
	if (ok) {
		memcpy(&ranks, data, sizeof ranks);
		ok = reduction_sum_add(r, p, ranks);
	}
	free(data);
	profile_free(p);
	return ok;
}

/* The sum as a profile, which the caller frees; from now on there is none.  NULL: there was none, or out of memory. */
static struct profile *sum_take(struct reduction *r)
{
	struct error ignored;
	struct profile *p = r->sum ? profile_sum_take(r->sum, &ignored) : NULL;

	r->sum = NULL;
	return p;
}

/* Send the sum to rank TO. */
static bool sum_send(struct reduction *r, int to)
{
	struct profile *p = sum_take(r);
	struct error err;
	size_t len = 0;
	void *data = p ? profile_write(p, &len, &err) : NULL;
	uint64_t size = data ? sizeof r->ranks + len : 0;
	bool ok;

	profile_free(p);
	ok = reduction_order(r, JOB_SEND, to, size) && (!data || (reduction_put(r, &r->ranks, sizeof r->ranks) && reduction_put(r, data, len)));
	free(data);
	return ok && size > 0;
}

/* Rank 0: write the job's file. */
static bool reduction_sum_write(struct reduction *r)
{
	struct input in = { .profile = sum_take(r) };
	struct harvest_program program = { .path = in.profile ? in.profile->runs[0].header.program : NULL };
	struct harvest one = { .programs = &program, .n = 1 };
	const char *asked = r->run->options->data;
	bool ok = false;

	if (in.profile) {
		data_file_aside(asked, &one);
		r->result.name = data_file_name(asked, &one, 0);
		ok = r->result.name && data_file_keep(asked, NULL, &in, &r->result.name);
	}
	r->result.ranks = ok ? r->ranks : 0;
	input_free(&in);
	return ok;
}

/* The profiles that are in the job's file are not needed any more. */
static void own_remove(struct reduction *r)
{
	for (size_t i = 0; i < r->own->n; i++)
		unlink(r->own->files[i]);
}

/* ---- the tree ---- */

/* Rank TO is told whether the job's file holds what it sent. */
static void verdict_send(struct reduction *r, int to, bool whole)
{
	if (reduction_order(r, JOB_SEND, to, 1))
		reduction_put(r, &(char){ whole }, 1);
}

/* What rank FROM says of the sum that was sent; -1: nothing. */
static int verdict_get(struct reduction *r, int from)
{
	size_t len;
	char *data = message_get(r, from, &len);
	int whole = data ? *data != 0 : -1;

	free(data);
	return whole;
}

static bool meets(const struct reduction *r, int other)
{
	return other < r->job->size && job_meets(r->job, other);
}

static void reduce(struct reduction *r, int32_t pid)
{
	struct { int rank; bool added; } others[MOST_ROUNDS];
	int self = r->job->rank, n = 0, bit = 1;
	bool whole = false;

	own_read(r, pid);
	for (; bit < r->job->size && !(self & bit); bit <<= 1)
		if (meets(r, self + bit)) {
			others[n].rank = self + bit;
			others[n].added = reduction_other_read(r, others[n].rank);
			n++;
		}
	if (self == 0) {
		whole = reduction_sum_write(r);
	} else if (meets(r, self - bit)) {
		bool sent = sum_send(r, self - bit);
		int verdict = verdict_get(r, self - bit);

		whole = sent && verdict > 0;
		r->result.unsure = sent && verdict < 0;
	} else {
		r->result.apart = true;
	}
	r->result.whole = whole && r->own;
	if (r->result.whole)
		own_remove(r);
	while (n-- > 0)
		verdict_send(r, others[n].rank, whole && others[n].added);
	reduction_order(r, JOB_END, 0, 0);
}

/* ---- the thread ---- */

static bool is_same_user(int fd)
{
	struct ucred c;
	socklen_t n = sizeof c;

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &c, &n) == 0 && c.uid == geteuid();
}

static bool word_get(struct reduction *r, struct job_word *w)
{
	return reduction_get(r, w, sizeof *w) && w->magic == JOB_HELLO;
}

/* A process with MPI is about to begin: what it was before an exec, or what came before it, is over. */
static void reduction_serve(struct reduction *r)
{
	struct job_word w;

	if (!word_get(r, &w))
		return;
	job_ready(r->job);
	if (!word_get(r, &w) || r->result.asked)
		return;
	if (w.rank != r->job->rank || w.size != r->job->size) {
		reduction_order(r, JOB_END, 0, 0);	/* a world of its own */
		return;
	}
	r->result.asked = true;
	reduce(r, w.pid);
	sum_drop(r);
}

static void *wait_for_program(void *arg)
{
	struct reduction *r = arg;
	int fd;

	while (!r->over && (fd = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		r->connection = fd;
		if (is_same_user(fd) && !r->over)
			reduction_serve(r);
		r->connection = -1;
		close(fd);
	}
	return NULL;
}

/* Listen at an abstract address that says who we are, and put it into the environment.  False: refused, errno set. */
static bool listen_begin(struct reduction *r)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char *name = address.sun_path + 1;
	int n = snprintf(name, sizeof address.sun_path - 1, "aprof.%ld.%08lx", (long)getpid(), (unsigned long)time(NULL));

	r->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return r->listener >= 0 && bind(r->listener, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) == 0 &&
	       listen(r->listener, 16) == 0 && setenv(JOB_SOCKET, name, 1) == 0;
}

/* No signal is this thread's. */
static bool reduction_thread_begin(struct reduction *r)
{
	sigset_t all, mask;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &mask);
	error = pthread_create(&r->thread, NULL, wait_for_program, r);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	errno = error;
	return error == 0;
}

struct reduction *reduction_begin(struct run *run)
{
	struct reduction *r;

	if (run->job->bare || !run->program || !preload_mpi(run->program) || run->job->alone)
		return NULL;
	r = calloc(1, sizeof *r);
	if (r) {
		r->run = run;
		r->job = run->job;
		r->listener = -1;
		r->connection = -1;
	}
	if (r && listen_begin(r) && reduction_thread_begin(r))
		return r;
	message("each rank keeps its own profile: %s", strerror(r ? errno : ENOMEM));
	if (r && r->listener >= 0)
		close(r->listener);
	free(r);
	return NULL;
}

struct reduction_result reduction_end(struct reduction *r)
{
	struct reduction_result result;
	int fd;

	r->over = true;
	shutdown(r->listener, SHUT_RDWR);
	fd = r->connection;
	if (fd >= 0)
		shutdown(fd, SHUT_RDWR);
	pthread_join(r->thread, NULL);
	close(r->listener);
	harvest_free(&r->harvest);
	result = r->result;
	free(r);
	return result;
}
