/* input_notes.h - what reading has to say, to who listens (struct input_listener). */
#ifndef INPUT_INPUT_NOTES_H
#define INPUT_INPUT_NOTES_H

#include "understand/input/input.h"

/* WHAT begins, a static string; NULL: all is done. */
void input_step(const struct input *in, const char *what);

/* A line for the user. */
void input_note(const struct input *in, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A note if what is added up to one run, or some of it, told its time by interval, and the sum does not (LOST). */
void input_tell_slices(const struct input *in, bool lost);

/* A note if the profile is of programs with different names, unless its first KNOWN modules, of which it was told before, are. */
void input_tell_others(const struct input *in, uint32_t known);

#endif
