/* icf.c - which names of one address are those of different functions. */
#include "read/symbols/icf.h"

#include <stdlib.h>
#include <string.h>

#include "read/symbols/demangle.h"

/* NAME without underscores around it, without what the linker's --wrap puts before it, and without the suffixes of clones: *LENGTH bytes. */
static const char *stem(const char *name, size_t *length)
{
	static const char wrap[] = "__wrap_";
	size_t n = clone_parse(name).base;

	if (strncmp(name, wrap, sizeof wrap - 1) == 0) {
		name += sizeof wrap - 1;
		n -= sizeof wrap - 1;
	}
	for (; n && *name == '_'; n--)
		name++;
	while (n && name[n - 1] == '_')
		n--;
	*length = n;
	return name;
}

/* Whether one of the two is a part of the other: free and cfree, read and __libc_read, open and open64. */
static bool are_alike(const char *a, const char *b)
{
	size_t n, m;
	const char *p = stem(a, &n), *q = stem(b, &m);

	return n < m ? memmem(q, m, p, n) != NULL : memmem(p, n, q, m) != NULL;
}

char *icf_written(const char *name, size_t length)
{
	char *linked = strndup(name, length), *written;

	if (!linked)
		return NULL;
	linked[clone_parse(linked).base] = '\0';
	written = demangle(linked);
	if (!written)
		return linked;
	free(linked);
	return written;
}

/* Whether A and B are written the same: a constructor has several names. */
static bool are_one(const char *a, const char *b)
{
	char *p = icf_written(a, strlen(a)), *q = icf_written(b, strlen(b));
	bool one = p && q && strcmp(p, q) == 0;

	free(p);
	free(q);
	return one;
}

static bool is_mangled(const char *name) { return strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0; }

bool icf_is(const struct label *a, const struct label *b)
{
	if (!a->function || !b->function || a->indirect || b->indirect || are_one(a->name, b->name))
		return false;
	if (is_mangled(a->name) && is_mangled(b->name))
		return true;
	if (a->weak != b->weak && !a->local && !b->local)
		return false;		/* a second name that a programmer gave it is weak, as a rule */
	return !are_alike(a->name, b->name);
}

const char *icf_names(const char *aliases)
{
	const char *at = aliases && *aliases != '=' ? strstr(aliases, "==") : aliases;

	return !at ? NULL : at == aliases ? at + 1 : at + 2;
}
