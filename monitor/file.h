/* file.h - the data file, mapped. */
#ifndef FILE_H
#define FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/amon.h"
#include "monitor/monitor.h"

struct sigaction;

bool file_open(uint64_t size) HIDDEN;		/* make the file and map it, or memory in its place */
void file_leave(void) HIDDEN;			/* forked child: let go of the parent's */
void file_finish(void) HIDDEN;			/* cut to the used length, or copy to where it belongs */
struct amon_chunk *file_chunk(enum amon_kind kind, uint32_t thread, uint32_t capacity,
			      size_t item_size) HIDDEN; /* append a chunk, resident; NULL: no room */
bool file_over_bound(bool reserve) HIDDEN;	/* APROF_MEMORY is used up but for a quarter; or exceeded by half */
void file_shrink(void) HIDDEN;			/* give back most of what is mapped and not used; it cannot be had again */
void file_sigbus(void) HIDDEN;			/* install the handler of SIGBUS */
void file_sigbus_show(struct sigaction *old) HIDDEN;	/* if OLD is that: as it was before */

bool file_write_at(long fd, const void *data, uint64_t size, uint64_t at) HIDDEN; /* false: not all of SIZE bytes */
int file_flush(const char *path) HIDDEN;	/* write what there is now to PATH; 0 or an errno */

#endif
