/* gmon_file.h - aprof run leaves a gmon.out for GNU gprof where APROF_GMON asks for one. */
#ifndef GMON_FILE_H
#define GMON_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "understand/analysis.h"

/* Whether APROF_GMON is set, to something else than 0. */
bool gmon_file_wanted(void);

/* Write IN, whose graph is built, as libc would: to gmon.out, or to GMON_OUT_PREFIX.PID where the environment has that prefix.
 * False after a message. */
bool gmon_file_write(const struct input *in, pid_t pid);

#endif
