/* places.c - from an address to a function of a builder. */
#include "read/import/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"

enum { KNOWN = 1 << 15 };		/* places for addresses */

struct place_file {
	char *path;			/* malloc'ed */
	uint8_t id[32];
	size_t size;			/* bytes of it; 0: not told */
};

struct place_known {
	const struct image *image;	/* NULL: none yet */
	struct place place;
};

void places_free(struct places *p)
{
	for (uint32_t i = 0; i < p->nfiles; i++)
		free(p->files[i].path);
	free(p->files);
	free(p->known);
	images_free(&p->images);
}

static const struct place_file *places_file_find(const struct places *p, const char *path)
{
	for (uint32_t i = 0; i < p->nfiles; i++)
		if (strcmp(p->files[i].path, path) == 0)
			return &p->files[i];
	return NULL;
}

bool places_tell(struct places *p, const char *path, const uint8_t *id, size_t size)
{
	struct place_file f = { .size = size < sizeof f.id ? size : sizeof f.id };

	if (!size || places_file_find(p, path))
		return true;
	if (!array_grow(&p->files, &p->files_room, p->nfiles, sizeof f) || !(f.path = strdup(path)))
		return false;
	memcpy(f.id, id, f.size);
	while (f.size > 0 && f.id[f.size - 1] == 0)	/* perf fills them up */
		f.size--;
	p->files[p->nfiles++] = f;
	return true;
}

/* Is what was opened what ran? */
static bool is_true(const struct places *p, const struct image *i)
{
	const struct place_file *f = places_file_find(p, i->path);

	return i->present && (!f || (f->size <= i->build_id_size && memcmp(f->id, i->build_id, f->size) == 0));
}

void places_mapped(const struct places *p, struct image *i)
{
	if (is_true(p, i))
		return;
	rules_free(i->rules);
	i->rules = NULL;
}

uint32_t places_module(struct places *p, const struct image *i)
{
	const struct place_file *f = places_file_find(p, i->path);

	return f && !is_true(p, i) ? builder_module(p->builder, i->path, f->id, f->size)
		: builder_module(p->builder, i->path, i->build_id, i->build_id_size);
}

/* What is at ADDRESS, link-time, of I. */
static struct place place_make(struct places *p, struct image *i, uint64_t address)
{
	uint64_t start = is_true(p, i) ? image_function(i, address) : address;
	uint32_t module = places_module(p, i);

	return (struct place){ builder_function(p->builder, &(struct builder_function){ .module = module, .address = start ? start : address }),
		{ module, address }, image_is_signal(i, address) };
}

bool places_find(struct places *p, const struct space *space, uint64_t address, struct place *found)
{
	const struct mapping *m = space_find(space, address);
	struct place_known *k;

	*found = (struct place){ .function = BUILDER_NONE, .at.module = BUILDER_NONE };
	if (!m || !m->image) {
		found->function = builder_function(p->builder, &(struct builder_function){ .module = BUILDER_NONE, .name = m ? "[anonymous memory]" : "[unknown]" });
		return found->function != BUILDER_NONE;
	}
	if (!p->known && !(p->known = calloc(KNOWN, sizeof *p->known)))
		return false;
	address -= m->bias;
	k = &p->known[hash_mix(address, (uintptr_t)m->image) % KNOWN];
	if (k->image != m->image || k->place.at.address != address)
		*k = (struct place_known){ m->image, place_make(p, m->image, address) };
	*found = k->place;
	return found->function != BUILDER_NONE;
}
