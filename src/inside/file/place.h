/* place.h - new files, and the names that they get.
 *
 * FD is a new file's descriptor, TEMP where it is; if that is empty, the file has no name.  What gives a status gives 0 or minus an errno. */
#ifndef PLACE_H
#define PLACE_H

#include <stdbool.h>

#include "inside/monitor.h"

struct stat;

enum { PLACE_PATH = 4096 };			/* bytes of a name, at most */

/* Create a new file, locked, in the directory of NAME: without a name, or, if NAMED or that cannot be had, with one that stands in
 * TEMP, which has room for PLACE_PATH bytes and else is empty.  Returns the descriptor or minus an errno. */
long place_create(const char *name, char *temp, bool named) HIDDEN;
long place_create_exclusive(const char *path) HIDDEN; /* at PATH, where nothing is; the same */

/* Give the new file NAME, unless a live process holds NAME or what is there is no profile, or, with KEEP, not empty.  Holding the lock of what is replaced keeps two
 * starters from replacing one another.  -EEXIST: NAME stays. */
long place_take(long fd, const char *temp, const char *name, bool keep) HIDDEN;

/* Is what stands at NAME a profile of another program than this process's? */
bool place_is_others(const char *name) HIDDEN;

/* Such a profile, if no live process holds it, gets the name NAME.PROGRAM, for its own program; what is there goes if it is an older one. */
void place_aside(const char *name) HIDDEN;

/* Put it in the place of PATH, which is never absent meanwhile.  TEMP changes if it gets a name for a moment. */
long place_put_over(long fd, char *temp, const char *path) HIDDEN;

void place_drop(long fd, const char *temp) HIDDEN; /* it is not to be, after all */

long place_lock(long fd) HIDDEN;			/* say that it is in use, as long as it is open or mapped; -EWOULDBLOCK: it is already */
bool place_is_at(long fd, const char *name, struct stat *st) HIDDEN; /* is the file behind FD the one at NAME?  *ST: what it is */
const char *place_base_name(const char *path) HIDDEN; /* PATH behind its last / */

#endif
