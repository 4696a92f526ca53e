/* language.c - the manglings of gfortran and GNAT undone. */
#include "read/symbols/language.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <stdbool.h>
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

/* Bytes of the LENGTH at NAME before the mark of a protected entry's body, `_E6b`, or of its barrier, `_B7s`; 0: it has none (exp_ch9.adb of GNAT). */
static size_t language_entry_end(const char *name, size_t length, char kind)
{
	size_t n = length;

	if (n < 5 || (name[n - 1] != 'b' && name[n - 1] != 's'))
		return 0;
	for (n--; n > 2 && isdigit((unsigned char)name[n - 1]); n--)
		;
	return n < length - 1 && name[n - 1] == kind && name[n - 2] == '_' ? n - 2 : 0;
}

/* The same before the name of a block's finalizer, maybe with the number of an overloaded routine, `___finalizer__2`. */
static size_t finalizer_start(const char *name, size_t length)
{
	static const char own[] = "___finalizer";
	const char *at = strstr(name, own), *end = at ? at + sizeof own - 1 : NULL;

	if (!at)
		return 0;
	if (strncmp(end, "__", 2) == 0)
		end += 2 + strspn(end + 2, "0123456789");
	return end == name + length ? (size_t)(at - name) : 0;
}

/* Whether the LENGTH bytes at NAME end in ENDING, and something comes before it. */
static bool language_ends_in(const char *name, size_t length, const char *ending)
{
	size_t own = strlen(ending);

	return length > own && strncmp(name + length - own, ending, own) == 0;
}

/* Bytes of LINKED before the number of a nested routine, `.12`. */
static size_t nested_end(const char *linked)
{
	const char *dot = strrchr(linked, '.');

	return dot && dot[1] && !dot[1 + strspn(dot + 1, "0123456789")] ? (size_t)(dot - linked) : strlen(linked);
}

/* LINKED without what GNAT adds to the routines that it makes for an entry, a task type or a block with something to finalize, which libiberty cannot
 * read, and in *SAYS what is added to the name for it.  NULL: there is no memory. */
static char *ada_plain(const char *linked, const char **says)
{
	size_t n = nested_end(linked), finalizer = finalizer_start(linked, n), body = language_entry_end(linked, n, 'E'),
		barrier = language_entry_end(linked, n, 'B');

	*says = finalizer ? "'Finalizer" : barrier ? "'Barrier" : "";
	n = finalizer ? finalizer : body ? body : barrier ? barrier : n;
	if (language_ends_in(linked, n, "TB") || language_ends_in(linked, n, "TK"))	/* of a task type, of a single task */
		n -= 2;
	return strndup(linked, n);
}

/* libiberty puts what it cannot read between angle brackets. */
static char *ada_name(const char *linked)
{
	const char *says = "";
	char *plain = strlen(linked) <= LONGEST ? ada_plain(linked, &says) : NULL, *name = plain ? ada_demangle(plain, DMGL_GNAT) : NULL, *whole = NULL;

	if (name && name[0] != '<' && strcmp(name, linked) != 0 && asprintf(&whole, "%s%s", name, says) < 0)
		whole = NULL;
	free(name);
	free(plain);
	return whole;
}

char *language_name(enum language language, const char *linked, const char *path)
{
	if (language == LANGUAGE_FORTRAN)
		return fortran_name(linked, path);
	return language == LANGUAGE_ADA ? ada_name(linked) : NULL;
}
