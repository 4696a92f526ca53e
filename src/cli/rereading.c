/* rereading.c - one reading after the other. */
#include "cli/rereading.h"

#include "cli/input_options.h"

bool rereading_read(struct rereading *l, const struct input_listener *listener, struct error *err)
{
	struct input in = input_asked(l->options);

	in.listener = listener;
	if (!input_read(&in, l->operands->files, l->operands->n, NULL, err) || !input_build(&in, l->operands->program, &l->options->graph, err)) {
		input_free(&in);
		return false;
	}
	if (l->sources) {
		in.report.source = source_read_file;
		in.report.source_reader = l->sources;
	}
	rereading_release(l);
	in.listener = NULL;
	l->last = !l->last;
	l->readings[l->last] = in;
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
}
