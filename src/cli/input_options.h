/* input_options.h - a reading as the options ask for it. */
#ifndef INPUT_OPTIONS_H
#define INPUT_OPTIONS_H

#include "cli/options.h"

/* An input that nothing was read into yet, with what O says of the phase, the range, leaves and stacks; who needs more sets it.  It tells on the terminal (listener.h). */
struct input input_asked(const struct options *o);

/* Whether files that IN was read from were cut off: each is told of with a message, that its whole part was DONE. */
bool input_is_cut(const struct input *in, const char *done);

#endif
