/* unnamed_code.h - code that no file has, and of which nobody told a name while it ran: in a profile it stands by its addresses (AMON_ANONYMOUS_MODULE), so that it can have one
 * afterwards, from a perf map that its runtime wrote as it ended, or when it was asked to. */
#ifndef SAMPLE_UNNAMED_CODE_H
#define SAMPLE_UNNAMED_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "read/stacks/jit.h"
#include "read/stacks/synthetic_routines.h"
#include "read/stacks/recording.h"

/* Make the routines of L that have no name, but J tells one of, routines of MADE. */
void unnamed_code_settle(struct recording *l, struct synthetic *made, struct jit *j);

/* The same for the profile PATH, which is over, by what its process has told by now, if this machine has not been started anew since.  Where nothing is found, or the file may
 * not be written, it stays as it is; its times of change do, too. */
void unnamed_code_settle_file(const char *path);

/* The same for the amon.out of *LEN bytes at DATA, malloc'ed: returns it, or what takes its place, malloc'ed, of *LEN bytes; then DATA is freed. */
void *unnamed_code_settle_bytes(void *data, size_t *len);

#endif
