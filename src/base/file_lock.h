/* file_lock.h - who may change a profile that is there.
 *
 * Who writes a profile while its process runs, a monitor or a recorder, holds flock's exclusive lock on it for so long: by that others see that it is
 * not finished.  So who adds something to a finished one must not hold that lock for a moment, too. */
#ifndef FILE_LOCK_H
#define FILE_LOCK_H

#include <stdbool.h>

/* Take the finished file open at FD, for reading and writing, to change it: until FD is closed it is no other's who asks here.  Where others look for a
 * writer there is none meanwhile.  False: it is not finished, or somebody else changes it. */
bool file_lock_to_change(int fd);

#endif
