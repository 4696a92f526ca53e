/* data_file.c - names for the profiles of a run: nobody else's file is written over. */
#include "cli/data_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/message.h"
#include "cli/operands.h"

bool data_file_is_asked(const char *asked) { return strcmp(asked, "amon.out") != 0; }

/* Whether NAME is what the user said. */
static bool name_given(const char *asked, const char *name)
{
	return data_file_is_asked(asked) && strcmp(name, asked) == 0;
}

/* Another name beside NAME; to be freed, NULL: out of memory. */
static char *name_beside(const char *name)
{
	char *beside = NULL;

	return asprintf(&beside, "%s.%" PRId32, name, (int32_t)getpid()) < 0 ? NULL : beside;
}

/* NAME, or, where a living process writes it or it is somebody else's file, another one beside it.  NULL: out of memory. */
static char *name_instead(const char *asked, char *name)
{
	bool held = files_held(name);
	char *instead;

	if (!held && (name_given(asked, name) || output_is_ours(name, FILE_PROFILE)))
		return name;
	instead = name_beside(name);
	message(held ? "note: %s is being written by a running process; this run is kept in %s" :
		"note: %s is no profile, and is not replaced; this run is kept in %s", name, instead ? instead : "?");
	free(name);
	return instead;
}

void data_file_aside(const char *asked, const struct harvest *h)
{
	struct amon_header header;
	char *aside = NULL;

	if (data_file_is_asked(asked) || h->n == 0 || files_kind(asked) != FILE_PROFILE || files_held(asked) ||
	    !files_header(asked, &header, NULL) || !header.program[0] || strcmp(header.program, h->programs[0].path) == 0)
		return;
	if (asprintf(&aside, "%s.%s", asked, print_basename(header.program)) < 0)
		return;
	if (!files_held(aside) && output_is_ours(aside, FILE_PROFILE) && rename(asked, aside) == 0)
		message("note: %s was the profile of %s, and is %s now", asked, header.program, aside);
	free(aside);
}

/* The name of program I of H, without its directory. */
static const char *program_base(const struct harvest *h, size_t i)
{
	return print_basename(h->programs[i].path);
}

/* Is a program of H called BASE.NUMBER? */
static bool data_file_is_program(const struct harvest *h, const char *base, size_t number)
{
	char *name;
	bool found = false;

	if (asprintf(&name, "%s.%zu", base, number) < 0)
		return false;
	for (size_t i = 1; i < h->n; i++)
		found |= strcmp(program_base(h, i), name) == 0;
	free(name);
	return found;
}

/* The number of program I among those of its name, from 1 on, which no other program's name ends with. */
static size_t program_number(const struct harvest *h, size_t i)
{
	size_t number = 1;

	for (size_t j = 1; j < i; j++)
		if (strcmp(program_base(h, j), program_base(h, i)) == 0)
			while (data_file_is_program(h, program_base(h, i), ++number))
				;
	return number;
}

char *data_file_name(const char *asked, const struct harvest *h, size_t i)
{
	size_t number = program_number(h, i);
	char *name = NULL;

	if (i == 0 ? asprintf(&name, "%s", asked) < 0 :
	    number == 1 ? asprintf(&name, "%s.%s", asked, program_base(h, i)) < 0 :
	    asprintf(&name, "%s.%s.%zu", asked, program_base(h, i), number) < 0)
		return NULL;
	return name_instead(asked, name);
}

/* Put the profile FROM, or, if that is NULL, what IN holds, at NAME. */
static bool data_put(const char *from, const struct input *in, const char *name, struct error *err)
{
	size_t len;
	void *data;
	bool ok;

	if (from)
		return files_move(from, name, err);
	data = profile_write(in->profile, &len, err);
	ok = data && files_write(name, data, len, err);
	free(data);
	return ok;
}

bool data_file_keep(const char *asked, const char *from, const struct input *in, char **name)
{
	struct error err, other;
	char *beside;

	if (data_put(from, in, *name, &err))
		return true;
	beside = name_given(asked, *name) || access(*name, F_OK) != 0 ? NULL : name_beside(*name);
	if (beside && data_put(from, in, beside, &other)) {
		message("note: %s; this run is kept in %s", err.text, beside);
		free(*name);
		*name = beside;
		return true;
	}
	free(beside);
	message_error(&err, NULL);
	message("the profile is not kept there; aprof run --data=FILE puts it elsewhere");
	return false;
}

bool data_file_possible(const char *asked, bool only)
{
	const char *slash = strrchr(asked, '/');
	bool must = data_file_is_asked(asked) || only, ok = true;
	char *folder = slash ? strndup(asked, (size_t)(slash - asked) + 1) : strdup(".");
	struct stat s;

	if (must && !output_allowed(asked, true)) {
		ok = false;
	} else if (must && folder) {
		bool is_folder = stat(asked, &s) == 0 && S_ISDIR(s.st_mode);

		ok = !is_folder && access(folder, W_OK | X_OK) == 0;
		if (!ok)
			message("%s: cannot be made: %s", asked, strerror(is_folder ? EISDIR : errno));
	}
	free(folder);
	return ok;
}
