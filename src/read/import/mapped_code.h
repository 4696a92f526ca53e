/* mapped_code.h - addresses of one process, of which a file has the map beside its stacks, as gperftools' and tcmalloc's have. */
#ifndef IMPORT_MAPPED_CODE_H
#define IMPORT_MAPPED_CODE_H

#include "read/import/format.h"
#include "read/import/places.h"

struct mapped_code {
	struct reading *r;
	struct places places;
	struct places_process process;
};

/* Begin with the N bytes at MAP, lines as of /proc/PID/maps among others.  False with r->err set.  Freed with mapped_code_free. */
bool mapped_code_read(struct mapped_code *m, struct reading *r, const char *map, size_t n);
void mapped_code_free(struct mapped_code *m);

/* Put on S the function at ADDRESS, above it those that the compiler put into its code there; CALLS: that is where a call returns to.  False with r->err set. */
bool mapped_code_push(struct mapped_code *m, struct stack *s, uint64_t address, bool calls);

#endif
