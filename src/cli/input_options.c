/* input_options.c - from options to an input. */
#include "cli/input_options.h"

#include <inttypes.h>

#include "cli/listener.h"
#include "cli/message.h"

struct input input_asked(const struct options *o)
{
	return (struct input){
		.listener = &listener, .phase = o->phase, .value = o->value, .range = o->range, .threads = o->threads, .wishes = { o->labels, o->nlabels }, .stacks = o->stacks, .beside = true,
		.leaves = o->report.leaves ? INPUT_DEEP_LEAVES : INPUT_WHOLE,
	};
}

bool input_is_cut(const struct input *in, const char *done)
{
	bool cut = false;

	for (uint32_t i = 0; i < in->profile->nruns; i++) {
		const struct profile_run *run = &in->profile->runs[i];

		if (run->truncated)
			message("%s: cut off at byte %" PRIu64 ", so it is not the whole profile; its whole part is %s", run->label, run->cut_at, done);
		cut |= run->truncated;
	}
	return cut;
}
