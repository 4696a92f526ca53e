/* files.h - profiles and programs on disk: telling them apart, reading them, asking who still writes them. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "contract/amon.h"
#include "base/error.h"
#include "read/profile/profile.h"
#include "understand/findings/report_input.h"

enum file_kind {
	FILE_PROFILE,		/* begins as an amon.out */
	FILE_GMON,		/* a gmon.out of gprof's, BSD's format without a magic number included */
	FILE_IMPORT,		/* a profile of another program's making that read/import/ reads */
	FILE_PROGRAM,		/* an ELF file */
	FILE_OTHER,		/* neither */
	FILE_MISSING,		/* cannot be opened; errno says why */
};

/* What PATH is, by its contents. */
enum file_kind files_kind(const char *path);

/* What the file PATH is called for people: PATH, or of a file in memory the name that it was made by, which lives until the next such call. */
const char *files_name(const char *path);

/* Read the profile at PATH into P, called LABEL (NULL: PATH).  A live file is read up to what its process has published.
 * *LIFE says how its process stands.  False with *ERR set. */
bool files_read(struct profile *p, const char *path, const char *label, enum report_life *life, struct error *err);

/* The contents of the plain file PATH, malloc'ed, its size in *LEN.  NULL with *ERR set. */
void *files_load(const char *path, size_t *len, struct error *err);

/* Read the header of the profile at PATH, which may be cut off or hostile: strings are ended, nothing else is checked.
 * False with *ERR set when there is none. */
bool files_header(const char *path, struct amon_header *header, struct error *err);

/* Cut the profile at PATH behind what is used, if its process died before it could: a gigabyte, though sparse.  Where that
 * fails the file stays as it is. */
void files_cut(const char *path);

/* Whether a living process holds the profile at PATH. */
bool files_held(const char *path);

/* Hold the profile at PATH, its header to *H, if nobody adds to it any more: until the descriptor is closed no monitor takes it for its own.  -1: it is no
 * profile, its process may live, there was nothing in it when that died, or it cannot be locked. */
int files_hold(const char *path, struct amon_header *h);

/* Write the LEN bytes at DATA to PATH: a new file beside it, then renamed; if PATH is a device or a pipe, into that.  False with *ERR set. */
bool files_write(const char *path, const void *data, size_t len, struct error *err);

/* What could not be written whole to PATH goes, if it is a plain file.  NULL: nothing. */
void files_drop(const char *path);

/* Move the profile FROM to TO, or copy it if that is on another disk.  False with *ERR set. */
bool files_move(const char *from, const char *to, struct error *err);

/* Names of other profiles beside PATH in its directory (amon.out.123), sorted, ended by NULL, to be freed with
 * files_free_names; NULL when there are none. */
char **files_siblings(const char *path);
void files_free_names(char **names);

#endif
