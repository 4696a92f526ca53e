/* mapped_code.c - from a map and addresses to functions. */
#include "read/import/mapped_code.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mapped_code_read(struct mapped_code *m, struct reading *r, const char *map, size_t n)
{
	char *text = malloc(n + 1);
	const struct mapping *first;
	bool ok = text != NULL;

	*m = (struct mapped_code){ .r = r };
	places_begin(&m->places, r->builder);
	places_process_begin(&m->places, &m->process, 0);
	if (ok) {
		memcpy(text, map, n);
		text[n] = '\0';
		ok = space_renew(&m->process.space, text);
	}
	free(text);
	first = ok && m->process.space.n ? &m->process.space.mappings[0] : NULL;
	if (first && first->image && first->image->path[0] == '/')	/* the lowest is the program, as the kernel lays it out */
		builder_main(r->builder, places_module(&m->places, first->image));
	return ok || reading_no_memory(r);
}

void mapped_code_free(struct mapped_code *m)
{
	if (!m->r)
		return;
	places_process_end(&m->process);
	places_end(&m->places);
}

bool mapped_code_push(struct mapped_code *m, struct stack *s, uint64_t address, bool calls)
{
	const uint32_t *inlined;
	struct place place;
	uint64_t ignored;
	char name[32];
	uint32_t n;

	address -= calls && address;
	if (!places_find(&m->places, &m->process, address, &place))
		return reading_no_memory(m->r);
	if (!space_find(&m->process.space, address)) {			/* no more is known of it than where it is */
		snprintf(name, sizeof name, "0x%" PRIx64, address);
		place.function = builder_function(m->r->builder, &(struct builder_function){ .module = BUILDER_NONE, .name = name });
	}
	inlined = places_inlined(&m->places, &place, &n, &ignored);
	while (n-- > 0)
		if (!stack_push(s, inlined[n]))
			return reading_no_memory(m->r);
	return (place.function != BUILDER_NONE && stack_push(s, place.function)) || reading_no_memory(m->r);
}
