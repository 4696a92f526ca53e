/* name.h - the names of the data file. */
#ifndef NAME_H
#define NAME_H

#include "inside/monitor.h"

const char *name_want(void) HIDDEN;		/* where the file belongs, as APROF_OUT tells; it stays so until it is asked for again */

/* Give the new file behind FD, at TEMP, one of the names that are wanted; ACTUAL, with room for PLACE_PATH bytes, is it.  0 or minus an errno. */
long name_take(long fd, const char *temp, char *actual) HIDDEN;
/* The same for a second file of this process's. */
long name_take_more(long fd, const char *temp, char *actual) HIDDEN;

void name_leave_reason(long why) HIDDEN;	/* the profile cannot be had, for WHY, minus an errno: aprof run is told */
void name_remove_reason(void) HIDDEN;		/* now it can, or something else is told */
void name_forget(void) HIDDEN;			/* forked child: what was told is the parent's */

/* With APROF_VERBOSE set: one line to standard error, where the profile is, or, ACTUAL being empty, why there is none.  That there is none is
 * also said without it if somebody is there to read it, and nobody else says it: not to aprof run, nor by a forked child. */
void name_tell(const char *actual) HIDDEN;

#endif
