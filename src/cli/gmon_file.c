/* gmon_file.c - gmon.out at the end of aprof run. */
#include "cli/gmon_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/export/export.h"
#include "cli/message.h"
#include "cli/operands.h"
#include "cli/options.h"

bool gmon_file_wanted(void)
{
	return options_wished("APROF_GMON");
}

/* The name of the file, to be freed; NULL: out of memory. */
static char *gmon_file_name_make(pid_t pid)
{
	const char *prefix = getenv("GMON_OUT_PREFIX");
	char *name = NULL;

	if (!prefix || !*prefix)
		return strdup("gmon.out");
	return asprintf(&name, "%s.%d", prefix, (int)pid) < 0 ? NULL : name;
}

bool gmon_file_write(const struct input *in, pid_t pid)
{
	const struct export_options options = { 0 };
	char *name = gmon_file_name_make(pid);
	bool ok = name && output_unasked(name, FILE_GMON, "GMON_OUT_PREFIX names another place");
	FILE *out = ok ? fopen(name, "we") : NULL;
	struct error err;

	if (!ok) {
		free(name);
		return false;
	}
	ok = false;
	if (!out)
		message("%s: cannot write: %s", name ? name : "gmon.out", strerror(errno));
	else if (!export_write(export_find("gmon"), &in->report, &options, out, &err))
		message_error(&err, name);
	else
		ok = true;
	if (out && fclose(out) != 0 && ok) {
		message("%s: cannot write: %s", name, strerror(errno));
		ok = false;
	}
	free(name);
	return ok;
}
