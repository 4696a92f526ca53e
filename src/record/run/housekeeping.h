/* housekeeping.h - a thread of aprof run and attach that adds up what ended processes left, while others run (running_sum.h).
 *
 * It wakes when a process has made its profile, and works when HOUSEKEEPING_FILES have.  Where nobody tells (inotify) all is added up at the end. */
#ifndef HOUSEKEEPING_H
#define HOUSEKEEPING_H

#include <stdbool.h>
#include <stdint.h>

enum { HOUSEKEEPING_FILES = 256 };

struct housekeeping;
struct input_listener;

/* Begin with what is in DIRECTORY; ASKED and PID are as for running_sum_new.  NULL: it is not to be had. */
struct housekeeping *housekeeping_begin(const char *directory, bool asked, int32_t pid);

/* End when what is being added up is done, and say to LISTENER what there is to say of it; frees H, which may be NULL. */
void housekeeping_end(struct housekeeping *h, const struct input_listener *listener);

#endif
