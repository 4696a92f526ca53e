/* task_stat.h - what /proc/PID/stat says of a process, or /proc/PID/task/TID/stat of one of its threads. */
#ifndef BASE_TASK_STAT_H
#define BASE_TASK_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct task_stat {
	char state;		/* R, S, D, T, t, Z, X, ...: proc(5) */
	pid_t parent;		/* the process's */
	uint64_t start;		/* when it began, clock ticks since boot */
};

/* Read into *OUT what is said of process PID, or, if TID is not 0, of its thread TID.  False, with zeros there: it cannot be read. */
bool task_stat_read(pid_t pid, pid_t tid, struct task_stat *out);

/* Has it ended, though it is there still: a child that nobody has waited for, or a first thread that others outlive? */
bool task_has_ended(pid_t pid, pid_t tid);

#endif
