/* operands.c - which operand is the program, which are profiles. */
#include "cli/operands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/message.h"
#include "cli/pid.h"

static char default_file[] = "amon.out", default_gmon[] = "gmon.out", default_program[] = "a.out";

/* One more profile; all of them are of one kind. */
static bool operands_file_add(struct operands *o, char *path, bool gmon)
{
	if (o->n > 0 && o->gmon != gmon) {
		message("%s: %s, but %s is not; they cannot be added up", path, gmon ? "a gmon.out" : "no gmon.out", o->files[0]);
		return false;
	}
	o->gmon = gmon;
	o->files[o->n++] = path;
	return true;
}

/* What PATH is that holds files, or one, and is not looked into; NULL: nothing of that kind. */
static const char *packed_kind(const char *path)
{
	static const struct { const char *kind, *begin; size_t n, at; } kinds[] = {
		{ "a zip archive", "PK\3\4", 4, 0 }, { "a tar archive", "ustar", 5, 257 }, { "compressed by bzip2", "BZh", 3, 0 },
		{ "compressed by lz4", "\4\"M\30", 4, 0 }, { "a 7z archive", "7z\274\257", 4, 0 },
	};
	char head[264] = "";
	FILE *file = fopen(path, "rb");
	size_t n = file ? fread(head, 1, sizeof head, file) : 0;

	if (file)
		fclose(file);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (n >= kinds[i].at + kinds[i].n && memcmp(head + kinds[i].at, kinds[i].begin, kinds[i].n) == 0)
			return kinds[i].kind;
	return NULL;
}

void other_tell(const char *path, const char *profiles)
{
	struct stat s = { 0 };
	const char *packed = NULL;

	if (stat(path, &s) == 0 && S_ISDIR(s.st_mode))
		message("%s: a directory; name the profile in it", files_name(path));
	else if (S_ISREG(s.st_mode) && s.st_size == 0)
		message("%s: empty, so no profile", files_name(path));
	else if (S_ISREG(s.st_mode) && (packed = packed_kind(path)) != NULL)
		message("%s: %s, which is not read: name the profile that is in it", files_name(path), packed);
	else
		message("%s: neither a profile (%s) nor a program (ELF)", files_name(path), profiles);
}

bool output_allowed(const char *path, bool profile)
{
	enum file_kind kind = files_kind(path);

	if (kind != FILE_PROGRAM && (kind != FILE_PROFILE || profile))
		return true;
	message("%s: is a %s; choose another name", path, kind == FILE_PROFILE ? "profile" : "program");
	return false;
}

static bool is_page(const char *path)
{
	static const char begin[] = "<!doctype html>";
	size_t len;
	char *data = files_load(path, &len, NULL);
	bool page = data && len >= sizeof begin - 1 && memcmp(data, begin, sizeof begin - 1) == 0 && memmem(data, len, "<title>aprof</title>", 20);

	free(data);
	return page;
}

bool output_is_ours(const char *path, enum file_kind kind)
{
	struct stat s;

	if (lstat(path, &s) != 0)
		return true;
	if (stat(path, &s) != 0)
		return false;			/* a link to nothing */
	if (S_ISCHR(s.st_mode) || (S_ISREG(s.st_mode) && s.st_size == 0))
		return true;
	return S_ISREG(s.st_mode) && files_kind(path) == kind && (kind != FILE_OTHER || is_page(path));
}

bool output_unasked(const char *path, enum file_kind kind, const char *remedy)
{
	if (output_is_ours(path, kind))
		return true;
	message("%s: a file of somebody else's, which is not replaced; %s", path, remedy);
	return false;
}

static bool operands_operand_add(struct operands *o, char *word)
{
	char *path = pid_operand(word);

	if (!path)
		return false;
	switch (files_kind(path)) {
	case FILE_PROFILE:
	case FILE_IMPORT:
		return operands_file_add(o, path, false);
	case FILE_GMON:
		return operands_file_add(o, path, true);
	case FILE_PROGRAM:
		if (!o->program) {
			o->program = path;
			return true;
		}
		message("%s: a second program; the first is %s, and a report is about one", path, o->program);
		return false;
	case FILE_MISSING:
		message("%s: cannot open: %s", path, strerror(errno));
		return false;
	default:
		other_tell(path, "amon.out, gmon.out, or another profiler's: see aprof(1)");
		return false;
	}
}

enum { SIBLINGS = 3 };			/* that are named */

/* The file NAME, of another program than OURS with that. */
static void sibling_print(FILE *out, const char *name, const struct amon_header *ours)
{
	struct amon_header h;

	fputs(name, out);
	if (ours && files_header(name, &h, NULL) && h.program[0] && strcmp(h.program, ours->program) != 0)
		fprintf(out, " of %s", print_basename(h.program));
}

/* "amon.out.1, amon.out.2" on stderr, in a line, so that nobody takes a part for the whole. */
static void siblings_tell(void)
{
	char **names = files_siblings(default_file), *text = NULL;
	struct amon_header ours;
	bool known = files_header(default_file, &ours, NULL);
	size_t n = 0, size;
	FILE *out = names && names[0] ? open_memstream(&text, &size) : NULL;

	while (out && names[n])
		n++;
	for (size_t i = 0; i < n && i < SIBLINGS; i++) {
		fputs(i ? ", " : "", out);
		sibling_print(out, names[i], known ? &ours : NULL);
	}
	if (n > SIBLINGS)
		fprintf(out, " and %zu more", n - SIBLINGS);
	if (out && fclose(out) == 0)
		message("note: %s %s here, too, and not read; name the files to read or add up", text, n == 1 ? "is a profile" : "are profiles");
	free(text);
	files_free_names(names);
}

static bool default_add(struct operands *o)
{
	char **names;

	if (files_kind(default_file) == FILE_PROFILE) {
		o->files[o->n++] = default_file;
		siblings_tell();
		return true;
	}
	if (files_kind(default_file) == FILE_MISSING && files_kind(default_gmon) == FILE_GMON)
		return operands_file_add(o, default_gmon, true);
	names = files_siblings(default_file);
	if (files_kind(default_file) != FILE_MISSING)
		message("amon.out: not a profile%s%s%s", names ? ", but " : "", names ? names[0] : "", names ? " is; name the file to read" : "");
	else if (names)
		message("no amon.out here, but %s; name the file to read", names[0]);
	else
		message("no amon.out here; make one with `aprof run %s`, or name a profile", o->program ? o->program : "PROGRAM");
	files_free_names(names);
	return false;
}

bool operands_sort(struct operands *o, char **argv, size_t n)
{
	bool ok;

	*o = (struct operands){ .files = calloc(n + 1, sizeof *o->files) };
	ok = o->files != NULL;
	for (size_t i = 0; ok && i < n; i++)
		ok = operands_operand_add(o, argv[i]);
	if (ok && o->n == 0)
		ok = default_add(o);
	if (o->gmon && !o->program && access(default_program, F_OK) == 0)
		o->program = default_program;		/* as gprof has it */
	if (!ok)
		operands_free(o);
	return ok;
}

void operands_free(struct operands *o)
{
	free(o->files);
	*o = (struct operands){ 0 };
}

void operands_refuse_gmon(const char *file)
{
	message("%s: a gmon.out has no contexts; aprof report reads it", file);
}
