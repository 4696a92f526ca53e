/* rereading.c - one reading after the other. */
#include "cli/rereading.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/input_options.h"

enum { HELD_NAME = 32 };		/* bytes of a name of an open file */

static bool held_make(struct rereading *l, struct error *err)
{
	size_t n = l->operands->n;

	if (l->held)
		return true;
	l->held = calloc(n + 1, sizeof *l->held);
	for (size_t i = 0; l->held && i < n; i++)
		l->held[i] = -1;
	return l->held || error_no_memory(err, NULL);
}

/* A name for operand I's file, of HELD_NAME bytes in ROOM if it is not its own: what has that name now, else what had it. */
static char *held_name(struct rereading *l, size_t i, char *room)
{
	char *path = l->operands->files[i];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 && l->held[i] < 0)
		return path;
	if (fd < 0) {
		snprintf(room, HELD_NAME, "/proc/self/fd/%d", l->held[i]);
		return room;
	}
	if (l->held[i] >= 0)
		close(l->held[i]);
	l->held[i] = fd;
	return path;
}

/* Add all operands to IN, called by their own names. */
static bool operands_read(struct rereading *l, struct input *in, struct error *err)
{
	bool stacks = in->stacks, ok = held_make(l, err);

	for (size_t i = 0; ok && i < l->operands->n; i++) {
		char room[HELD_NAME], *name = held_name(l, i, room);

		in->stacks = stacks && i + 1 == l->operands->n;	/* taken once all are there */
		ok = input_read(in, &name, 1, l->operands->files[i], err);
	}
	return ok;
}

bool rereading_read(struct rereading *l, const struct input_listener *listener, struct error *err)
{
	struct input *in = &l->readings[!l->last];	/* made where it stays: its report points into it */

	rereading_release(l);
	*in = input_asked(l->options);
	in->listener = listener;
	in->arcs_do = true;
	in->program = l->operands->program;
	if (!operands_read(l, in, err) || !input_build(in, l->operands->program, &l->options->graph, err)) {
		input_free(in);
		in->listener = NULL;
		return false;
	}
	if (l->sources) {
		in->report.source = source_read_file;
		in->report.source_reader = l->sources;
	}
	in->listener = NULL;
	l->last = !l->last;
	return true;
}

struct input *rereading_input(struct rereading *l)
{
	return &l->readings[l->last];
}

void rereading_release(struct rereading *l)
{
	input_free(&l->readings[!l->last]);
}

bool rereading_runs(const struct rereading *l)
{
	const struct input *in = &l->readings[l->last];

	for (uint32_t i = 0; in->profile && i < in->profile->nruns; i++)
		if (in->life[i] == REPORT_RUNNING)
			return true;
	return false;
}

void rereading_free(struct rereading *l)
{
	for (size_t i = 0; i < sizeof l->readings / sizeof *l->readings; i++)
		input_free(&l->readings[i]);
	for (size_t i = 0; l->held && i < l->operands->n; i++)
		if (l->held[i] >= 0)
			close(l->held[i]);
	free(l->held);
	l->held = NULL;
}
