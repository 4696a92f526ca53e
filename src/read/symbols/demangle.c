/* demangle.c - libiberty's demanglers, bounded.
 *
 * Those for C++ and Rust write through a callback and own no memory, so that the callback may leave them
 * by longjmp when a name grows too large. */
#include "read/symbols/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

char *demangle(const char *name)
{
	size_t length = strlen(name);

	if (name[0] != '_' || length > LONGEST)
		return NULL;
	if (begins(name, "_D") && length <= EASY)
		return dlang_demangle(name, DMGL_PARAMS | DMGL_ANSI);
	return by_callback(name, length);
}
