/* add_up.h - many files added up to one profile (read/profile/sum.h), by as many threads as pay.
 *
 * Each thread reads files one after the other, adds each to a sum of its own and lets go of it, and adds that to the sum of all before it
 * grows: so memory is the sum's, and that of a few files.  What comes out does not depend on who read what when. */
#ifndef INPUT_ADD_UP_H
#define INPUT_ADD_UP_H

#include "understand/input/input.h"

/* Read the profiles FILES[0..n) and add them up: IN, which is empty, has the sum as a profile of one run then, called LABEL, or by the first's name if
 * that is NULL.  Who listens is told of files that were cut off, and of programs that differ.  False with *ERR set, of the first file among FILES that is at fault. */
bool input_add_up(struct input *in, char **files, size_t n, const char *label, struct error *err);

#endif
