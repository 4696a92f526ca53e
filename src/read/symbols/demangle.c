/* demangle.c - libiberty's demanglers, bounded; and names that compilers and libraries make by rules of their own.
 *
 * Those for C++ and Rust write through a callback and own no memory, so that the callback may leave them
 * by longjmp when a name grows too large. */
#include "read/symbols/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"

enum {
	EASY = 512,		/* bytes of a name within libiberty's own limit of recursion */
	LONGEST = 4096,		/* bytes of a name: bounds the stack that its demangler takes */
	LARGEST = 65536,	/* bytes of a result */
};

struct text {
	jmp_buf too_large;	/* where to go when it is */
	size_t used;		/* bytes */
	char bytes[LARGEST];	/* the result so far, without a NUL */
};

static void demangle_append(const char *s, size_t length, void *arg)
{
	struct text *text = arg;

	if (length >= sizeof text->bytes - text->used)
		longjmp(text->too_large, 1);
	memcpy(text->bytes + text->used, s, length);
	text->used += length;
}

typedef int demangle_function(const char *mangled, int options, demangle_callbackref callback, void *opaque);

static char *demangle_run(demangle_function *demangler, const char *name, int options, struct text *text)
{
	text->used = 0;
	if (setjmp(text->too_large) || !demangler(name, options, demangle_append, text) || !text->used)
		return NULL;
	return strndup(text->bytes, text->used);
}

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

/* The legacy mangling of Rust is valid C++ too, so Rust goes first. */
static char *by_callback(const char *name, size_t length)
{
	int options = DMGL_PARAMS | DMGL_ANSI | (length > EASY ? DMGL_NO_RECURSE_LIMIT : 0);
	struct text *text = malloc(sizeof *text);
	char *result = NULL;

	if (!text)
		return NULL;
	if (begins(name, "_R") || begins(name, "_ZN"))
		result = demangle_run(rust_demangle_callback, name, options, text);
	if (!result && (begins(name, "_Z") || begins(name, "_GLOBAL_")))
		result = demangle_run(cplus_demangle_v3_callback, name, options, text);
	free(text);
	return result;
}

/* Behind the mark by which compilers name what sets up, 'I', or takes down, 'D', the static objects of a file, and behind its priority: what they named it after, a name
 * or the file.  NULL: NAME is none of these. */
static const char *static_key(const char *name, char *which)
{
	static const char mark[] = "_GLOBAL__sub_";
	size_t n = sizeof mark - 1;

	if (!begins(name, mark) || (name[n] != 'I' && name[n] != 'D') || (name[n + 1] != '_' && name[n + 1] != '.'))
		return NULL;
	*which = name[n];
	n += 2;
	if (name[n - 1] == '.')
		n += strspn(name + n, "0123456789") + (name[n + strspn(name + n, "0123456789")] == '_');
	return name[n] ? name + n : NULL;
}

/* The name for that: one without brackets, in which a space would end the type of a result. */
static char *static_name(const char *key, char which)
{
	char *readable = key[0] == '_' ? by_callback(key, strlen(key)) : NULL, *brief = readable ? malloc(strlen(readable) + 1) : NULL, *result = NULL;

	if (brief)
		name_simplify(brief, readable);
	if (asprintf(&result, "static %s keyed to %s", which == 'I' ? "initialisers" : "destructors", brief ? brief : key) < 0)
		result = NULL;
	free(readable);
	free(brief);
	return result;
}

/* `memset (__memset_avx2_unaligned_erms)`, of which base/name.h knows the parts; NULL: NAME is no variant. */
static char *variant_name(const char *name)
{
	char *public = malloc(strlen(name) + 1), *result = NULL;

	if (public && name_public(public, name) && asprintf(&result, "%s (%s)", public, name) < 0)
		result = NULL;
	free(public);
	return result;
}

char *demangle_as_gprof(const char *name)
{
	size_t length = strlen(name);

	if (name[0] != '_' || length > LONGEST)
		return NULL;
	if (begins(name, "_D") && length <= EASY)
		return dlang_demangle(name, DMGL_PARAMS | DMGL_ANSI);
	return by_callback(name, length);
}

char *demangle(const char *name)
{
	char which;
	const char *key = strlen(name) <= LONGEST ? static_key(name, &which) : NULL;

	if (name_public(NULL, name))
		return variant_name(name);
	return key ? static_name(key, which) : demangle_as_gprof(name);
}
