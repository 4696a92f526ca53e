/* wire.c - protobuf's wire format. */
#include "read/import/wire.h"

/* The number at *AT, before END; false: it has no end, or more than 64 bits. */
static bool varint(const unsigned char **at, const unsigned char *end, uint64_t *number)
{
	*number = 0;
	for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
		unsigned char byte = *(*at)++;

		*number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

static bool skip(struct wire *w, size_t n)
{
	if ((size_t)(w->end - w->next) < n)
		return false;
	w->next += n;
	return true;
}

static bool value_take(struct wire *w)
{
	switch (w->type) {
	case WIRE_NUMBER:
		return varint(&w->next, w->end, &w->number);
	case WIRE_64:
		return skip(w, 8);
	case WIRE_32:
		return skip(w, 4);
	case WIRE_BYTES:
		if (!varint(&w->next, w->end, &w->number) || w->number > (size_t)(w->end - w->next))
			return false;
		w->bytes = w->next;
		w->n = (size_t)w->number;
		return skip(w, w->n);
	}
	return false;
}

bool wire_next(struct wire *w)
{
	uint64_t tag;

	w->at = w->next;
	if (w->wrong || w->next >= w->end)
		return false;
	w->wrong = !varint(&w->next, w->end, &tag);
	w->field = tag >> 3;
	w->type = tag & 7;
	w->wrong = w->wrong || !w->field || !value_take(w);
	return !w->wrong;
}

struct wire wire_inner(const struct wire *w)
{
	return (struct wire){ .next = w->type == WIRE_BYTES ? w->bytes : w->next, .end = w->type == WIRE_BYTES ? w->bytes + w->n : w->next,
		.wrong = w->type != WIRE_BYTES };
}

bool wire_numbers(struct wire *w, size_t *i, uint64_t *number)
{
	const unsigned char *at;

	if (w->type == WIRE_NUMBER) {
		*number = w->number;
		return (*i)++ == 0;
	}
	if (w->type != WIRE_BYTES || *i >= w->n) {
		w->wrong |= w->type != WIRE_BYTES;
		return false;
	}
	at = w->bytes + *i;
	w->wrong |= !varint(&at, w->bytes + w->n, number);
	*i = (size_t)(at - w->bytes);
	return !w->wrong;
}
