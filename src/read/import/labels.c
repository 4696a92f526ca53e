/* labels.c - labels, each once. */
#include "read/import/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static uint64_t label_key(const char *text)
{
	uint64_t key = 0;

	for (; *text; text++)
		key = hash_mix(key, (unsigned char)*text);
	return key;
}

static uint64_t label_hash(const void *owner, uint32_t i) { return label_key(((const struct sample_labels *)owner)->all[i].text); }

void sample_labels_free(struct sample_labels *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		free(l->all[i].text);
	free(l->all);
	table_free(&l->by_text);
	*l = (struct sample_labels){ 0 };
}

bool sample_labels_add(struct sample_labels *l, const char *text, uint64_t samples)
{
	uint64_t key = label_key(text), i = key;
	uint32_t k;
	char *copy;

	while ((k = table_next(&l->by_text, &i)) != UINT32_MAX)
		if (strcmp(l->all[k].text, text) == 0) {
			l->all[k].samples += samples;
			return true;
		}
	if (l->n == LABELS_MOST) {
		l->others += samples;
		return true;
	}
	if (!array_grow(&l->all, &l->room, l->n, sizeof *l->all) || !table_reserve(&l->by_text, l->n + 1, label_hash, l) || !(copy = strdup(text)))
		return false;
	l->all[l->n] = (struct sample_label){ copy, samples };
	table_add(&l->by_text, key, l->n++);
	return true;
}

bool sample_labels_add_all(struct sample_labels *l, const struct sample_labels *from)
{
	l->others += from->others;
	for (uint32_t i = 0; i < from->n; i++)
		if (!sample_labels_add(l, from->all[i].text, from->all[i].samples))
			return false;
	return true;
}
