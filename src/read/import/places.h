/* places.h - which function of which file an address of a process is in: as the recorder finds it, by the unwind tables of the files, which are opened
 * only if they are those that ran, as far as build-ids tell. */
#ifndef IMPORT_PLACES_H
#define IMPORT_PLACES_H

#include "read/import/profile_builder.h"
#include "read/stacks/space.h"

struct place_known;

struct places {
	struct builder *builder;
	struct images images;
	struct place_file *files;	/* files of code, with what is known of them; by their images */
	uint32_t nfiles;
	size_t files_room;
	struct place_known *known;	/* addresses met; NULL: none yet */
};

void places_free(struct places *p);

/* The build-id of SIZE bytes is that of the code that is mapped as PATH; to be told before it is mapped. */
bool places_tell(struct places *p, const char *path, const uint8_t *id, size_t size);

/* What is at an address of a process. */
struct place {
	uint32_t function;
	struct builder_place at;		/* the address in its file; of no module: it is in none */
	bool is_signal;			/* a signal's handler returns there */
};

/* Find what is at ADDRESS of a process with the mappings SPACE.  False: memory is short. */
bool places_find(struct places *p, const struct space *space, uint64_t address, struct place *found);

/* IMAGE was mapped: if it is not the file that ran, nobody is to unwind by its rules. */
void places_mapped(const struct places *p, struct image *image);

/* The module of the builder that IMAGE is. */
uint32_t places_module(struct places *p, const struct image *image);

#endif
