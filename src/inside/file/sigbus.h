/* sigbus.h - pages of the data file that cannot be had any more. */
#ifndef SIGBUS_H
#define SIGBUS_H

#include <stdbool.h>

#include "inside/monitor.h"

struct sigaction;

void sigbus_inherit(void) HIDDEN;			/* the same in a forked child, whose parent has done that */
void sigbus_begin(void) HIDDEN;			/* the file is mapped: install the handler of SIGBUS */
void sigbus_show(struct sigaction *old) HIDDEN;	/* if OLD is that: as it was before */
bool sigbus_has_truncated(void) HIDDEN;		/* somebody cut the file: its contents are lost */
bool sigbus_has_spilled(void) HIDDEN;		/* pages are memory of ours, which the disk refused to take again */
void sigbus_write_saved(long fd) HIDDEN;	/* in place of what somebody cut: whose profile this was, and that it is lost */

#endif
