/* identity.h - which program the process runs, where, since when: the header of its file. */
#ifndef IDENTITY_H
#define IDENTITY_H

#include <stdbool.h>

#include "format/amon.h"
#include "monitor/monitor.h"

bool identity_is_secure(void) HIDDEN;		/* set-uid, set-gid or with capabilities of its file: AT_SECURE */
void identity_fill(struct amon_header *h) HIDDEN; /* H, which in a forked child is still the parent's, but for what identity_read reads */
void identity_read(struct amon_header *h) HIDDEN; /* where and how the program was started */

#endif
