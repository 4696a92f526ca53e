/* keep.c - preloaded into aprof run: each profile of a process that it removes gets a second name first, in the folder $KEEP.
 *
 * A file holds what its process counted under each of its names.  What aprof run starts is not preloaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[4096];
static atomic_int kept;

__attribute__((constructor)) static void begin(void)
{
	const char *keep = getenv("KEEP");

	snprintf(folder, sizeof folder, "%s", keep ? keep : "");
	unsetenv("KEEP");
	unsetenv("LD_PRELOAD");
}

/* amon.out.PID, also with more behind it; call stacks (stacks.PID.N) and sums have other names. */
static int is_of_process(const char *name)
{
	return strncmp(name, "amon.out.", 9) == 0 && name[9] >= '0' && name[9] <= '9' && !strstr(name, ".errno.");
}

static void keep(int fd, const char *name)
{
	const char *last = strrchr(name, '/');
	char path[sizeof folder + 32];

	last = last ? last + 1 : name;
	if (!*folder || !is_of_process(last))
		return;
	snprintf(path, sizeof path, "%s/%d", folder, atomic_fetch_add(&kept, 1));
	if (linkat(fd, name, AT_FDCWD, path, 0) != 0)
		perror(path);
}

int unlinkat(int fd, const char *name, int flags)
{
	static int (*real)(int, const char *, int);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "unlinkat");
	if (!(flags & AT_REMOVEDIR))
		keep(fd, name);
	return real(fd, name, flags);
}

int unlink(const char *name)
{
	return unlinkat(AT_FDCWD, name, 0);
}
