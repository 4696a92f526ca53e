/* identity.h - what a module's ELF header says. */
#ifndef IDENTITY_H
#define IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inside/monitor.h"

struct amon_module;

/* Where the descriptions of a module are: its .eh_frame_hdr, in memory LOW .. HIGH that is mapped as long as the module is. */
struct identity_rules {
	const uint8_t *index;		/* .eh_frame_hdr; NULL: it has none */
	uintptr_t low, high;		/* addresses; .eh_frame lies there, too */
};

/* What it says of a module. */
struct identity {
	struct identity_rules rules;		/* frame descriptions */
	const char *notes;		/* segment of notes with those that tell of parts of routines put far away; NULL: there are none */
	size_t notes_size;		/* its bytes */
};

/* Bias and build-id to R, the rest to M, from the ELF header at BASE, which is readable up to END. */
void identity_read(uintptr_t base, uintptr_t end, struct amon_module *r, struct identity *m) HIDDEN;

/* Is code START .. END one of the two parts of a routine?  *OTHER is then an address in the rest of it. */
bool identity_other_part(const struct identity *m, uintptr_t start, uintptr_t end, uintptr_t *other) HIDDEN;

#endif
