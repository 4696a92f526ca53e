/* language.c - the manglings of gfortran and GNAT undone. */
#include "symbols/language.h"

#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 4096 };	/* bytes of a name that is looked at */

/* Where `_MOD_` stands in a name of gfortran's for the routine of a module; NULL: it is none. */
static const char *module_end(const char *linked)
{
	const char *end = strncmp(linked, "__", 2) == 0 && linked[2] ? strstr(linked + 3, "_MOD_") : NULL;

	return end && end[5] ? end : NULL;
}

/* Whether a package whose code is in F has the name of LINKED up to some `__`: GNAT has an object with the suffix _E for each. */
static bool is_of_package(const struct functions *f, const char *linked)
{
	for (const char *at = strstr(linked, "__"); at; at = strstr(at + 2, "__"))
		if (functions_has_unit(f, linked, (size_t)(at - linked)))
			return true;
	return false;
}

enum language language_guess(const struct functions *f, const char *linked)
{
	if (strlen(linked) > LONGEST)
		return LANGUAGE_UNKNOWN;
	if (f->fortran && module_end(linked))
		return LANGUAGE_FORTRAN;
	if ((f->ada && strncmp(linked, "_ada_", 5) == 0) || is_of_package(f, linked))
		return LANGUAGE_ADA;
	return LANGUAGE_UNKNOWN;
}

static char *fortran_name(const char *linked, const char *path)
{
	const char *end = module_end(linked), *last = path ? strrchr(path, ':') : NULL;
	char *name = NULL;

	if (path)
		return strcmp(last ? last + 1 : path, linked) == 0 ? NULL : strdup(path);
	if (end && asprintf(&name, "%.*s::%s", (int)(end - linked - 2), linked + 2, end + 5) < 0)
		return NULL;
	return name;
}

/* libiberty puts what it cannot read between angle brackets. */
static char *ada_name(const char *linked)
{
	char *name = strlen(linked) <= LONGEST ? ada_demangle(linked, DMGL_GNAT) : NULL;

	if (name && name[0] != '<' && strcmp(name, linked) != 0)
		return name;
	free(name);
	return NULL;
}

char *language_name(enum language language, const char *linked, const char *path)
{
	if (language == LANGUAGE_FORTRAN)
		return fortran_name(linked, path);
	return language == LANGUAGE_ADA ? ada_name(linked) : NULL;
}
