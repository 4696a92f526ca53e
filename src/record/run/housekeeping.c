/* housekeeping.c - the thread: who wakes it, and what it has to say at the end. */
#include "record/run/housekeeping.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "record/run/running_sum.h"

enum { MOST_NOTES = 8 };

struct housekeeping {
	struct running_sum *sum;
	pthread_t thread;
	int watch;			/* inotify's descriptor */
	int stop;			/* an eventfd: the thread is to end */
	size_t made;			/* files since it worked last */
	struct input_listener listener;
	char *notes[MOST_NOTES];	/* to be told at the end: the terminal is the program's */
	size_t nnotes;			/* how many there were */
};

static void housekeeping_note(void *arg, const char *text)
{
	struct housekeeping *h = arg;

	for (size_t i = 0; i < h->nnotes && i < MOST_NOTES; i++)
		if (h->notes[i] && strcmp(h->notes[i], text) == 0)
			return;			/* of an earlier sum */
	if (h->nnotes < MOST_NOTES)
		h->notes[h->nnotes] = strdup(text);
	h->nnotes++;
}

/* Count the files that were made or got their name; where there were more than could be told of, there are enough. */
static void events_read(struct housekeeping *h)
{
	_Alignas(struct inotify_event) char events[4096];
	const struct inotify_event *e;
	ssize_t n = read(h->watch, events, sizeof events);

	for (ssize_t at = 0; at < n; at += (ssize_t)(sizeof *e + e->len)) {
		e = (const struct inotify_event *)(events + at);
		if (e->mask & IN_Q_OVERFLOW)
			h->made += HOUSEKEEPING_FILES;
		else if (!(e->mask & IN_ISDIR))
			h->made++;
	}
}

static void *housekeeping_keep(void *arg)
{
	struct housekeeping *h = arg;
	struct pollfd fds[2] = { { .fd = h->stop, .events = POLLIN }, { .fd = h->watch, .events = POLLIN } };

	while (poll(fds, 2, -1) >= 0 || errno == EINTR) {
		if (fds[0].revents)
			break;
		if (fds[1].revents)
			events_read(h);
		if (h->made >= HOUSEKEEPING_FILES && running_sum_work(h->sum))
			h->made = 0;
	}
	return NULL;
}

/* No signal is this thread's. */
static bool housekeeping_thread_begin(struct housekeeping *h)
{
	sigset_t all, mask;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &mask);
	error = pthread_create(&h->thread, NULL, housekeeping_keep, h);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return error == 0;
}

static void housekeeping_free(struct housekeeping *h)
{
	for (size_t i = 0; i < h->nnotes && i < MOST_NOTES; i++)
		free(h->notes[i]);
	running_sum_free(h->sum);
	if (h->watch >= 0)
		close(h->watch);
	if (h->stop >= 0)
		close(h->stop);
	free(h);
}

struct housekeeping *housekeeping_begin(const char *directory, bool asked, int32_t pid)
{
	struct housekeeping *h = calloc(1, sizeof *h);

	if (!h)
		return NULL;
	h->listener = (struct input_listener){ .note = housekeeping_note, .arg = h };
	h->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	h->stop = eventfd(0, EFD_CLOEXEC);
	h->sum = running_sum_new(directory, asked, pid, &h->listener);
	if (h->watch >= 0 && h->stop >= 0 && h->sum && inotify_add_watch(h->watch, directory, IN_CREATE | IN_MOVED_TO) >= 0 &&
	    housekeeping_thread_begin(h))
		return h;
	housekeeping_free(h);
	return NULL;
}

void housekeeping_end(struct housekeeping *h, const struct input_listener *listener)
{
	uint64_t one = 1;
	char more[64];
	ssize_t told;

	if (!h)
		return;
	told = write(h->stop, &one, sizeof one);
	(void)told;
	pthread_join(h->thread, NULL);
	for (size_t i = 0; i < h->nnotes && i < MOST_NOTES; i++)
		if (h->notes[i])
			listener->note(listener->arg, h->notes[i]);
	if (h->nnotes > MOST_NOTES) {
		snprintf(more, sizeof more, "and %zu more such lines", h->nnotes - MOST_NOTES);
		listener->note(listener->arg, more);
	}
	housekeeping_free(h);
}
