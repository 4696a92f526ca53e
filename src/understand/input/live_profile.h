/* live_profile.h - the profile that a process has mapped, which is the one that it writes now: not what it wrote before an exec, although
 * pid and start time are the same. */
#ifndef LIVE_PROFILE_H
#define LIVE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/amon.h"

/* Open the profile that process PID has mapped, with the FLAGS of open(2).  Its name now, by which it can be opened while the process lives at least, goes to
 * *PATH, to be freed, unless PATH is NULL.  -1: it cannot be had; errno is then ENOENT if there is no such process, EACCES or EPERM if we may not look
 * into it, ESTALE if it has mapped only files that are deleted and that we may not open, 0 if it has mapped no profile, ENOMEM. */
int live_profile_open(int32_t pid, int flags, char **path);

/* Is the profile open at FD, with the header H, the one that process H->pid has mapped, by whatever name, or a copy of it?  So it is said to be if
 * we may not look into the process. */
bool live_profile_is(int fd, const struct amon_header *h);

/* Visit the profiles that process PID, a recorder of call stacks, has mapped of other processes: their headers, and paths by which they can be opened.
 * False: we may not look into it, or there is no such process. */
bool live_profile_recorded(int32_t pid, void (*visit)(void *arg, const struct amon_header *header, const char *path), void *arg);

/* The path of the profile that some recorder writes of process PID, to be freed; NULL: there is none that we may see. */
char *live_profile_recorded_of(int32_t pid);

#endif
