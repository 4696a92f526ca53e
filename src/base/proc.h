/* proc.h - what /proc tells of a process whose first thread may have ended: its own entry has no memory, program or folder from then on; that of another thread,
 * /proc/TID, has. */
#ifndef BASE_PROC_H
#define BASE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The thread of process PID by whose number /proc tells of it: the first one, PID, unless that has ended and another has not. */
pid_t proc_thread(pid_t pid);

/* What the link /proc/PID/NAME says to TO, of SIZE bytes, cut to fit.  False, with "" there: it says nothing. */
bool proc_link(pid_t pid, const char *name, char *to, size_t size);

/* The text of the file /proc/PID/NAME, at most MOST bytes of it and a NUL behind them; to be freed.  *SIZE: its bytes.  NULL: there is none. */
char *proc_text(pid_t pid, const char *name, size_t most, size_t *size);

#endif
