/* origin.h - how the process was started, as the kernel tells it. */
#ifndef ORIGIN_H
#define ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/monitor.h"

struct amon_header;

bool origin_is_secure(void) HIDDEN;		/* set-uid, set-gid or with capabilities of its file: AT_SECURE */
void origin_fill(struct amon_header *h) HIDDEN;	/* whose profile it is; in a forked child H is still the parent's */
uint64_t origin_start_ticks(void) HIDDEN;	/* when the process was started, as its header has it; 0: not known */
void origin_read(struct amon_header *h) HIDDEN;	/* read the environment; and where and how the program was started, to H */

const char *origin_env(const char *name) HIDDEN; /* value in the environment of the start, or NULL */
bool origin_is_set(const char *name) HIDDEN;	/* to something else than 0 */
/* A number with an optional K, M or G; FALLBACK where there is none, with a note where there is something else. */
uint64_t origin_env_number(const char *name, uint64_t fallback) HIDDEN;

#endif
