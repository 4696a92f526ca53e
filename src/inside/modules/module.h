/* module.h - what is mapped. */
#ifndef MODULE_H
#define MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/modules/identity.h"
#include "inside/monitor.h"

struct amon_chunk;

void module_scan(void) HIDDEN;			/* look at the memory map again */
bool module_range(uintptr_t address, uintptr_t *low, uintptr_t *high) HIDDEN; /* of the mapping around it; a
						 * stack that grows counts as twice as deep as ADDRESS */
bool module_code(uintptr_t address, uintptr_t *low, uintptr_t *high) HIDDEN; /* the same, if it is code and nothing else */
void module_unloading(void) HIDDEN;		/* dlclose is called: until module_unloaded what is known of the map may be old */
void module_unloaded(void) HIDDEN;		/* dlclose was called: hide what is gone */
/* The library with the code at ADDRESS, which has run its last destructor, is about to go: hide it, before another is loaded in its place. */
void module_ends(uintptr_t address) HIDDEN;
/* Is code START .. END one of the two parts of a routine?  *OTHER is then an address in the rest of it. Any time. */
bool module_other_part(uintptr_t start, uintptr_t end, uintptr_t *other) HIDDEN;
/* Has the module with the code at ADDRESS hooks, and says of no routine where its parts are?  Who wrote it may not have known. */
bool module_hides_parts(uintptr_t address) HIDDEN;
uint32_t module_make(const char *path) HIDDEN;	/* one that is mapped nowhere and has no file; its index; AMON_NONE: no room */
uint32_t module_count(void) HIDDEN;		/* modules in the file */
/* In a forked child: the file's chunk FROM is copied to TO. */
void module_moved(const struct amon_chunk *from, struct amon_chunk *to) HIDDEN;
void module_forget(void) HIDDEN;		/* forked child: its file knows none yet */
uint32_t module_find(uintptr_t address, bool hooked) HIDDEN; /* index, AMON_NONE */

/* Those of the module with the code at ADDRESS. False: it is nobody's. Signals blocked. */
bool module_rules(uintptr_t address, struct identity_rules *rules) HIDDEN;

/* Grows whenever code vanishes, in whose place there may be other. */
uint32_t module_epoch(void) HIDDEN;

#endif
