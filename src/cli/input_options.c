/* input_options.c - from options to an input. */
#include "cli/input_options.h"

#include "cli/listener.h"

struct input input_asked(const struct options *o)
{
	return (struct input){
		.listener = &listener, .phase = o->phase, .range = o->range, .stacks = o->stacks, .beside = true,
		.leaves = o->report.leaves ? INPUT_DEEP_LEAVES : INPUT_WHOLE,
	};
}
