/* permission.h - why the kernel refuses perf events, and what helps. */
#ifndef SAMPLE_PERMISSION_H
#define SAMPLE_PERMISSION_H

#include <stddef.h>
#include <sys/types.h>

/* What is known of it. */
struct permission {
	int paranoid;			/* kernel.perf_event_paranoid; PERMISSION_UNKNOWN: it cannot be read */
	int most;			/* at which what was asked for would be permitted to everybody */
	int filtered;			/* whether a filter of system calls stands before the kernel */
	int root;			/* whether the user is root */
	int capable;			/* whether this process has what stands above paranoid (cap_perfmon, cap_sys_admin) */
	pid_t others;			/* a process that is another user's, or privileged; 0: none is */
};

enum { PERMISSION_UNKNOWN = -100 };

/* Of events of the thread TID, or of all (-1), for which perf_event_paranoid is to be at most MOST. */
struct permission permission_look(pid_t tid, int most);

/* The first reason that holds, and what helps, as the end of a sentence, into TEXT of SIZE bytes. */
void permission_explain(const struct permission *p, char *text, size_t size);

#endif
