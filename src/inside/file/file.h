/* file.h - the data file, mapped. */
#ifndef FILE_H
#define FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/amon.h"
#include "inside/monitor.h"

bool file_open(uint64_t size) HIDDEN;		/* make the file and map it, or memory in its place */
void file_leave(void) HIDDEN;			/* forked child: let go of the parent's */
void file_fork(void) HIDDEN;			/* the process is about to fork */
/* The same, after file_fork, and begin in PLACE of SIZE bytes, of zeros, in the nursery, where nothing may be read yet: the header begins without its first letter.  MOVED is told of
 * each chunk of modules, routines and scripts, where it was and where its copy is.  False: it is not possible, and nothing was done. */
bool file_enter(void *place, uint64_t size, void (*moved)(const struct amon_chunk *from, struct amon_chunk *to)) HIDDEN;
void file_move_out(void) HIDDEN;		/* out of the nursery into a file of its own, if that can be had; no other thread counts now */
void file_pin(void) HIDDEN;			/* another thread is about to: in the nursery it stays, now */
bool file_is_remote(long fd) HIDDEN;		/* is the file on a disk where a shared mapping is slow, incoherent or not to be trusted? */
void file_trim(void) HIDDEN;			/* what is behind the last chunk in use is used no more */
void file_finish(void) HIDDEN;			/* cut to the used length, or copy to where it belongs */
struct amon_chunk *file_chunk(enum amon_kind kind, uint32_t thread, uint32_t capacity,
			      size_t item_size) HIDDEN; /* append a chunk, resident; NULL: no room */
struct amon_chunk *file_chunk_to_spare(enum amon_kind kind, uint32_t thread, uint32_t capacity,
				       size_t item_size) HIDDEN; /* the same for what loses nothing without it: a full disk is not noted */
bool file_over_bound(bool reserve) HIDDEN;	/* APROF_MEMORY is used up but for a quarter; or exceeded by half */
void file_shrink(void) HIDDEN;			/* give back most of what is mapped and not used; it cannot be had again */

#endif
