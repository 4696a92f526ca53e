/* name.c - a demangled name without what stands in its brackets. */
#include "base/name.h"

#include <stdbool.h>
#include <string.h>

/* Bytes of the operator's name at P, which must not be taken for brackets: operator<, operator(), operator-> and so on. */
static size_t operator_length(const char *p)
{
	if (strncmp(p, "operator", 8) != 0)
		return 0;
	return strncmp(p + 8, "()", 2) == 0 ? 10 : 8 + strspn(p + 8, "<>=-");
}

void name_shorten(char *buffer, const char *name)
{
	unsigned depth = 0;

	while (*name) {
		size_t n = operator_length(name);

		if (n == 0)
			n = 1;
		else if (depth == 0)
			buffer = mempcpy(buffer, name, n);
		if (n == 1 && (*name == '>' || *name == ')') && depth > 0 && --depth == 0)
			buffer = stpcpy(buffer, "...");
		if (n == 1 && depth == 0)
			*buffer++ = *name;
		if (n == 1 && (*name == '<' || *name == '('))
			depth++;
		name += n;
	}
	*buffer = '\0';
}

/* Bytes of a name in brackets at P that is part of a qualified name. */
static size_t anonymous_length(const char *p)
{
	static const char anonymous[] = "(anonymous namespace)";

	return strncmp(p, anonymous, sizeof anonymous - 1) == 0 ? sizeof anonymous - 1 : 0;
}

/* NAME without return type and parameters, and without template arguments unless they are KEPT. */
static void strip(char *buffer, const char *name, bool kept)
{
	char *begin = buffer;
	unsigned depth = 0;
	bool plain = !strpbrk(name, "<("), operator = false;

	for (size_t n; *name; name += n) {
		size_t whole = operator_length(name);
		bool opens = false, closes = false;

		operator |= whole > 0 && depth == 0;
		n = whole ? whole : anonymous_length(name);
		if (n == 0 && depth == 0 && *name == '(')
			break;			/* parameters: what follows is no part of the name */
		if (n == 0) {
			n = 1;
			opens = *name == '<' || *name == '(';
			closes = (*name == '>' || *name == ')') && depth > 0;
		}
		depth += opens;
		if (depth == 0 && *name == ' ' && !plain && !operator)
			buffer = begin;		/* what stood before is the return type */
		else if (depth == 0 || kept)
			buffer = mempcpy(buffer, name, n);
		depth -= closes;
	}
	*buffer = '\0';
}

void name_simplify(char *buffer, const char *name)
{
	strip(buffer, name, false);
}

void name_without_parameters(char *buffer, const char *name)
{
	strip(buffer, name, true);
}
