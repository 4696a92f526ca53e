/* clone.c - suffixes that GCC and LLVM give to the functions that they make from others.
 *
 *     name  =  base { suffix }         suffix  =  .word  |  .word.number
 *
 * They are taken off from the right, until something else is met. */
#include "read/symbols/clone.h"

#include <ctype.h>
#include <string.h>

enum kind { NONE, RENAMED, COPIED, PIECE };

static const struct {
	const char *word;	/* between the dots */
	enum kind kind;		/* what such a symbol is */
} words[] = {
	{ "constprop", COPIED },	/* GCC: some arguments are constants */
	{ "isra", COPIED },		/* GCC: arguments changed */
	{ "part", PIECE },		/* GCC: the rest of a function, inlined in part */
	{ "cold", PIECE },		/* GCC, LLVM: its unlikely blocks */
	{ "clone", COPIED },		/* GCC before 4.7 */
	{ "specialized", COPIED },	/* LLVM: some arguments are constants */
	{ "lto_priv", RENAMED },	/* GCC: static, made visible to other units */
	{ "llvm", RENAMED },		/* LLVM: the same */
	{ "localalias", RENAMED },	/* GCC: a name for use within the unit */
};

static enum kind word_kind(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i].word) == length && !memcmp(words[i].word, word, length))
			return words[i].kind;
	return NONE;
}

/* The last dot of the LENGTH bytes at NAME, as a length before it; 0: none that leaves a base. */
static size_t last_dot(const char *name, size_t length)
{
	while (length > 0 && name[length - 1] != '.')
		length--;
	return length > 0 ? length - 1 : 0;
}

static bool is_number(const char *s, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!isdigit((unsigned char)s[i]))
			return false;
	return length > 0;
}

/* Take the last suffix off the *LENGTH bytes at NAME. NONE: there is none of ours. */
static enum kind strip_suffix(const char *name, size_t *length)
{
	size_t end = *length, dot = last_dot(name, end);
	enum kind kind;

	if (dot && is_number(name + dot + 1, end - dot - 1)) {
		end = dot;
		dot = last_dot(name, end);
	}
	if (!dot)
		return NONE;
	kind = word_kind(name + dot + 1, end - dot - 1);
	if (kind != NONE)
		*length = dot;
	return kind;
}

struct clone clone_parse(const char *name)
{
	size_t length = strlen(name);
	struct clone clone = { .base = length, .stem = length };
	bool renamed = false;
	enum kind kind;

	while ((kind = strip_suffix(name, &length)) != NONE) {
		renamed |= kind == RENAMED;
		clone.copied |= kind != RENAMED;
		clone.part |= kind == PIECE;
		if (!renamed)
			clone.stem = length;
	}
	clone.base = length;
	return clone;
}
