/* preload.c - when the monitor is preloaded, and how. */
#include "cli/preload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile/find.h"
#include "cli/message.h"
#include "contract/allocations.h"
#include "record/sample/heap.h"
#include "record/sample/ticker.h"
#include "understand/analysis.h"

#define LIBRARY "libaprof-mcount.so"
#define MPI_LIBRARY "libaprof-mpi.so"

bool preload_is_for(const char *program)
{
	uint32_t hooks = 0;
	struct error err;

	if (symbols_has_hooks(program, &hooks, &err))
		return !(hooks & (SYMBOLS_FENTRY | SYMBOLS_CYG | SYMBOLS_INLINE | SYMBOLS_MONITOR)) && symbols_loading(program) == SYMBOLS_DYNAMIC;
	return err.code == ERROR_NOT_ELF;	/* a script */
}

/* The path of LIBRARY, which a build directory has in FOLDER; NULL after a message, which says that WHAT cannot be had without.  To be freed. */
static char *preload_library_find(const char *library, const char *folder, const char *what)
{
	struct error err;
	char *directory = find_libdir(&err), *path = NULL, *built = NULL;

	if (!directory)
		message_error(&err, NULL);
	else if (asprintf(&path, "%s/%s", directory, library) < 0 || asprintf(&built, "%s/../%s/%s", directory, folder, library) < 0)
		message("out of memory");
	if (path && built && access(path, R_OK) != 0 && access(built, R_OK) == 0) {
		free(path);
		path = realpath(built, NULL);
	}
	free(built);
	free(directory);
	if (path && access(path, R_OK) != 0)
		message("%s is not there, so %s: install aprof again", path, what);
	else if (path && strpbrk(path, ": \t"))
		message("%s: the dynamic linker takes no path with a blank or colon, so %s", path, what);
	else
		return path;
	free(path);
	return NULL;
}

/* Name the library at PATH in this process's LD_PRELOAD, behind others, or IN_FRONT of them. */
static bool library_name(const char *program, const char *path, bool in_front)
{
	/* Its runtime refuses to start unless it is the first of all. */
	char *asan = symbols_needed(program, "libasan.so"), *all = NULL;
	const char *others = getenv("LD_PRELOAD"), *before = others && *others && !in_front ? others : "", *behind = others && *others && in_front ? others : "";
	bool ok;

	if (asprintf(&all, "%s%s%s%s%s%s%s", asan ? asan : "", asan ? ":" : "", before, *before ? ":" : "", path, *behind ? ":" : "", behind) < 0)
		all = NULL;
	ok = all && setenv("LD_PRELOAD", all, 1) == 0;
	free(asan);
	free(all);
	return ok;
}

bool preload_set(const char *program)
{
	char *path = preload_library_find(LIBRARY, "inside", "programs built with -pg cannot be profiled");
	bool ok = path && library_name(program, path, false);

	free(path);
	return ok;
}

bool preload_stacks(const char *program, const char *directory)
{
	bool foreign = symbols_loading(program) == SYMBOLS_FOREIGN;	/* a static one may start others that are not */
	char *path = foreign ? NULL : preload_library_find(TICKER_LIBRARY, "inside", "call stacks are sampled by ptrace");
	bool ok = path && library_name(program, path, false) && setenv(TICKER_DIRECTORY, directory, 1) == 0;

	free(path);
	return ok;
}

bool preload_allocations(const char *program, const char *wish, const char *directory)
{
	char *path = preload_library_find(HEAP_LIBRARY, "inside", "allocations cannot be recorded");
	bool ok = path && library_name(program, path, true) && setenv(HEAP_WISH, wish, 1) == 0 && setenv(HEAP_DIRECTORY, directory, 1) == 0;

	free(path);
	return ok;
}

bool preload_mpi(const char *program)
{
	char *path = symbols_loading(program) != SYMBOLS_DYNAMIC ? NULL : preload_library_find(MPI_LIBRARY, "inside/mpi", "each rank keeps its own profile, and calls of MPI are no routines");
	bool ok = path && library_name(program, path, false);

	free(path);
	return ok;
}
