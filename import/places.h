/* places.h - which function of which file an address of a process is in: as the recorder finds it, by the unwind tables of the files, which are opened
 * only if they are those that ran, as far as build-ids tell. */
#ifndef IMPORT_PLACES_H
#define IMPORT_PLACES_H

#include "import/draft.h"
#include "sample/space.h"

struct place_known;

struct places {
	struct draft *draft;
	struct images images;
	struct place_file *files;	/* files of code, with what is known of them; by their images */
	uint32_t nfiles;
	size_t files_room;
	struct place_known *known;	/* addresses met; NULL: none yet */
};

void places_free(struct places *p);

/* The build-id of SIZE bytes is that of the code that is mapped as PATH; to be told before it is mapped. */
bool places_tell(struct places *p, const char *path, const uint8_t *id, size_t size);

/* The function that ADDRESS of a process with the mappings SPACE is in.  DRAFT_NONE: memory is short. */
uint32_t places_function(struct places *p, const struct space *space, uint64_t address);

/* Where BACK, which a call of a process returns to, is in its file; of no module: in none, or it is 0, or where a signal's handler returns to. */
struct draft_place places_back(struct places *p, const struct space *space, uint64_t back);

/* Is ADDRESS of a process where a signal's handler returns to? */
bool places_is_signal(const struct space *space, uint64_t address);

/* IMAGE was mapped: if it is not the file that ran, nobody is to unwind by its rules. */
void places_mapped(const struct places *p, struct image *image);

/* The module of the draft that IMAGE is. */
uint32_t places_module(struct places *p, const struct image *image);

#endif
