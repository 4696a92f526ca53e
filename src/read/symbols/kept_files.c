/* kept_files.c - the names that files have by their build-ids. */
#include "read/symbols/kept_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FIXED = 3 };			/* directories before those of APROF_DEBUG_PATH */

/* Directory NUMBER of those that may keep some; NULL: there are no more.  HOME is room for one. */
static const char *directory(size_t number, char home[PATH_MAX], int *length)
{
	const char *where = getenv("HOME"), *more = getenv("APROF_DEBUG_PATH");

	*length = PATH_MAX;
	if (number == 0) {
		snprintf(home, PATH_MAX, "%s/.debug", where ? where : "");
		return home;
	}
	if (number < FIXED)
		return number == 1 ? "/usr/lib/debug" : "/usr/lib";
	for (; more && number > FIXED; number--)
		more = strchr(more, ':') ? strchr(more, ':') + 1 : NULL;
	if (more)
		*length = (int)strcspn(more, ":");
	return more;
}

/* What is behind the build-id in the name of a file of each kind; NULL: nothing more. */
static const char *const endings[][3] = {
	[KEPT_CODE] = { "/elf", "" }, [KEPT_KERNEL] = { "/kallsyms" }, [KEPT_SYMBOLS] = { ".debug", "/debug" },
};

enum { ENDINGS = sizeof *endings / sizeof **endings };

bool kept_files_next(const uint8_t *id, size_t size, enum kept_kind kind, size_t *i, char path[PATH_MAX])
{
	char home[PATH_MAX], digits[2 * 32 + 1] = "";
	const char *where;
	struct stat st;
	int length;

	for (size_t k = 0; k < size && k < 32; k++)
		snprintf(digits + 2 * k, 3, "%02x", id[k]);
	while (size > 1 && (where = directory(*i / ENDINGS, home, &length)) != NULL) {
		const char *ending = endings[kind][(*i)++ % ENDINGS];

		if (ending && snprintf(path, PATH_MAX, "%.*s/.build-id/%.2s/%s%s", length, where, digits, digits + 2, ending) < PATH_MAX &&
		    stat(path, &st) == 0 && S_ISREG(st.st_mode))
			return true;
	}
	return false;
}
