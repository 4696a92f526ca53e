/* preload.c - when the monitor is preloaded, and how. */
#include "cli/preload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/find.h"
#include "cli/message.h"
#include "symbols/symbols.h"

#define LIBRARY "libaprof-mcount.so"

bool preload_is_for(const char *program)
{
	uint32_t hooks = 0;
	struct error err;

	if (symbols_has_hooks(program, &hooks, &err))
		return !(hooks & (SYMBOLS_FENTRY | SYMBOLS_CYG | SYMBOLS_INLINE | SYMBOLS_MONITOR)) && !symbols_is_static(program);
	return err.code == ERROR_NOT_ELF;	/* a script */
}

/* The library's path; NULL after a message.  To be freed. */
static char *library_find(void)
{
	struct error err;
	char *directory = find_libdir(&err), *path = NULL;

	if (!directory)
		message_error(&err, NULL);
	else if (asprintf(&path, "%s/" LIBRARY, directory) < 0)
		path = NULL;
	free(directory);
	if (path && access(path, R_OK) != 0)
		message("%s is not there, so programs built with -pg cannot be profiled: install aprof again", path);
	else if (path && strpbrk(path, ": \t"))
		message("%s: the dynamic linker takes no path with a blank or colon, so programs built with -pg cannot be profiled", path);
	else
		return path;
	free(path);
	return NULL;
}

bool preload_set(const char *program)
{
	/* Its runtime refuses to start unless it is the first of all. */
	char *asan = symbols_needed(program, "libasan.so"), *path = library_find(), *all = NULL;
	const char *others = getenv("LD_PRELOAD");
	bool ok;

	if (path && asprintf(&all, "%s%s%s%s%s", asan ? asan : "", asan ? ":" : "", others && *others ? others : "",
			     others && *others ? ":" : "", path) < 0)
		all = NULL;
	ok = all && setenv("LD_PRELOAD", all, 1) == 0;
	free(asan);
	free(path);
	free(all);
	return ok;
}
