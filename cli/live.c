/* live.c - one reading after the other. */
#include "cli/live.h"

bool live_read(struct live *l, const struct input_listener *listener, struct error *err)
{
	struct input in = { .listener = listener, .phase = l->options->phase };
	bool ok = input_read(&in, l->operands->files, l->operands->n, NULL, err)
		&& input_build(&in, l->operands->program, &l->options->graph, err);

	if (!ok) {
		input_free(&in);
		return false;
	}
	if (l->sources) {
		in.report.source = source_read_file;
		in.report.source_reader = l->sources;
	}
	live_release(l);
	in.listener = NULL;
	l->last = !l->last;
	l->readings[l->last] = in;
	return true;
}

struct input *live_input(struct live *l)
{
	return &l->readings[l->last];
}

void live_release(struct live *l)
{
	input_free(&l->readings[!l->last]);
}

bool live_runs(const struct live *l)
{
	const struct input *in = &l->readings[l->last];

	for (uint32_t i = 0; in->profile && i < in->profile->nruns; i++)
		if (in->life[i] == REPORT_RUNNING)
			return true;
	return false;
}

void live_free(struct live *l)
{
	for (size_t i = 0; i < sizeof l->readings / sizeof *l->readings; i++)
		input_free(&l->readings[i]);
}
