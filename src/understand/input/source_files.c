/* source_files.c - source files by the names of debug information.
 *
 * In this order: the path with its beginning substituted; the path itself; under each folder that was named, as much of
 * the end of the path as is there, the longest first:
 *
 *     /build/prog/src/main.c  with --source-path=here:  here/build/prog/src/main.c, here/prog/src/main.c, ..., here/main.c */
#include "understand/input/source_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 64 << 20 };	/* bytes of a source file */

struct source_file {
	char *name;		/* as asked for */
	char *text;		/* NUL-terminated */
	size_t len;		/* bytes, the NUL not counted */
	uint64_t changed;	/* when, ns since 1970 */
};

/* Read all of FD, a regular file of SIZE bytes or fewer by now.  NULL with errno set. */
static char *source_files_read_all(int fd, size_t size, size_t *len)
{
	char *text = malloc(size + 1);
	ssize_t n = 1;

	for (*len = 0; text && *len < size && n > 0; *len += n > 0 ? (size_t)n : 0)
		n = read(fd, text + *len, size - *len);
	if (text && n < 0) {
		free(text);
		return NULL;
	}
	if (text)
		text[*len] = '\0';
	return text;
}

/* The text at PATH, and in *F its length and when it was changed; NULL with errno set: there is no such file, or none that can be a source. */
static char *source_files_file_read(const char *path, struct source_file *f)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	char *text = NULL;

	if (fd < 0)
		return NULL;
	errno = EINVAL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= LARGEST)
		text = source_files_read_all(fd, (size_t)st.st_size, &f->len);
	if (text)
		f->changed = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
	close(fd);
	return text;
}

/* The text at HEAD joined with TAIL, with a slash between them if SLASH. */
static char *joined_read(const char *head, size_t nhead, bool slash, const char *tail, struct source_file *f)
{
	char *path = NULL, *text = NULL;

	if (asprintf(&path, "%.*s%s%s", (int)nhead, head, slash ? "/" : "", tail) >= 0)
		text = source_files_file_read(path, f);
	free(path);
	return text;
}

static char *substituted_read(const struct source_places *p, const char *file, struct source_file *f)
{
	char *text = NULL;

	for (size_t i = 0; i < p->nsubstitutes && !text; i++) {
		const char *to = strchr(p->substitutes[i], '=');
		size_t n = (size_t)(to - p->substitutes[i]);

		if (strncmp(file, p->substitutes[i], n) == 0)
			text = joined_read(to + 1, strlen(to + 1), false, file + n, f);
	}
	return text;
}

static char *folder_read(const char *folder, const char *file, struct source_file *f)
{
	char *text = NULL;

	for (const char *tail = file + (*file == '/'); tail && !text; tail = strchr(tail, '/') ? strchr(tail, '/') + 1 : NULL)
		text = joined_read(folder, strlen(folder), true, tail, f);
	return text;
}

static char *source_files_find(const struct source_places *p, const char *file, struct source_file *f)
{
	char *text = substituted_read(p, file, f);

	if (!text)
		text = source_files_file_read(file, f);
	for (size_t i = 0; i < p->nfolders && !text; i++)
		text = folder_read(p->folders[i], file, f);
	return text;
}

const char *source_read_file(void *reader, const char *file, size_t *len, struct error *err)
{
	struct source_reader *r = reader;
	struct source_file *more, new = { 0 };

	for (size_t i = 0; i < r->nfiles; i++)
		if (strcmp(r->files[i].name, file) == 0) {
			*len = r->files[i].len;
			return r->files[i].text;
		}
	new.text = source_files_find(r->places, file, &new);
	if (!new.text) {
		error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%.160s: the source is not there; say --source-path=FOLDER", file);
		return NULL;
	}
	new.name = strdup(file);
	more = reallocarray(r->files, r->nfiles + 1, sizeof *more);
	if (more)
		r->files = more;
	if (!more || !new.name) {
		free(new.text);
		free(new.name);
		error_no_memory(err, NULL);
		return NULL;
	}
	r->files[r->nfiles++] = new;
	if (r->newest && new.changed > r->newest)
		r->changed = new.name;
	*len = new.len;
	return new.text;
}

void source_reader_free(struct source_reader *r)
{
	for (size_t i = 0; i < r->nfiles; i++) {
		free(r->files[i].name);
		free(r->files[i].text);
	}
	free(r->files);
	r->files = NULL;
	r->nfiles = 0;
}
