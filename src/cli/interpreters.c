/* interpreters.c - what makes interpreters load the libraries of inside/interpreters/.
 *
 * Lua runs the text in LUA_INIT_5_4 before any script, and then not that in LUA_INIT: so what the user has in either comes after ours.  CPython imports
 * sitecustomize from the first directory of its path that has one; ours imports the next. */
#include "cli/interpreters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "compile/find.h"

const char interpreters_known[] = "Lua 5.4 and CPython";

#define LUA "libaprof-lua5.4.so"

/* Lua's library calls its caller's caller back: the function in lines 2 to 4 proves what it knows of Lua (inside/interpreters/lua.c). */
static const char lua_init[] =
	"local begin, init = package.loadlib([==[%s/" LUA "]==], 'aprof_lua_begin') or function() end, os.getenv('APROF_LUA_INIT') or os.getenv('LUA_INIT') "
	"local file = init and init:match('^@(.*)');\n"
	"(function()\n"
	"begin()\n"
	"end)()\n"
	"if file then dofile(file) elseif init then assert(load(init, '=LUA_INIT'))() end\n";

/* The directory of the libraries: LIBDIR, or beside it in a build directory.  NULL after a message.  To be freed. */
static char *directory_find(void)
{
	static const char *const places[] = { "", "/interpreters" };
	struct error err;
	char *libdir = find_libdir(&err), *found = NULL;

	if (!libdir)
		message_error(&err, NULL);
	for (size_t i = 0; libdir && !found && i < sizeof places / sizeof *places; i++) {
		char *file = NULL;

		if (asprintf(&file, "%s%s/" LUA, libdir, places[i]) >= 0 && access(file, R_OK) == 0) {
			found = realpath(file, NULL);
			if (found)
				*strrchr(found, '/') = '\0';
		}
		free(file);
	}
	if (libdir && !found)
		message("--script: no " LUA " in %s: install aprof again", libdir);
	free(libdir);
	return found;
}

static bool lua_set(const char *directory)
{
	const char *before = getenv("LUA_INIT_5_4");
	char *init = NULL;
	bool ok = (!before || getenv("APROF_LUA_INIT") || setenv("APROF_LUA_INIT", before, 1) == 0) && asprintf(&init, lua_init, directory) >= 0 &&
		  setenv("LUA_INIT_5_4", init, 1) == 0;

	free(init);
	return ok;
}

static bool python_set(const char *directory)
{
	const char *before = getenv("PYTHONPATH");
	char *path = NULL;
	bool ok = asprintf(&path, "%s/python%s%s", directory, before && *before ? ":" : "", before ? before : "") >= 0 &&
		  setenv("PYTHONPATH", path, 1) == 0;

	free(path);
	return ok;
}

bool interpreters_set(void)
{
	char *directory = directory_find();
	bool ok = directory && lua_set(directory) && python_set(directory);

	if (directory && !ok)
		message("out of memory");
	free(directory);
	return ok;
}
