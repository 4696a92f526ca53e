/* choice.c - the wrapper's own options. */
#include "choice.h"

#include <string.h>

/* What follows PREFIX in WORD, or NULL. */
static const char *after(const char *word, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(word, prefix, n) ? NULL : word + n;
}

bool choice_take(struct choice *c, const char *word, bool *ours, struct error *err)
{
	const char *value;

	*ours = after(word, "--aprof-") != NULL;
	if (!*ours)
		return true;
	if ((value = after(word, "--aprof-way=")))
		return way_find(value, &c->way, err);
	if ((value = after(word, "--aprof-only=")))
		return select_add(&c->select, true, value, err);
	if ((value = after(word, "--aprof-except=")))
		return select_add(&c->select, false, value, err);
	if (!strcmp(word, "--aprof-verbose"))
		return c->verbose = true;
	return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET,
			 "%s: no such option: see --aprof-help", word);
}

void choice_free(struct choice *c)
{
	select_free(&c->select);
}
