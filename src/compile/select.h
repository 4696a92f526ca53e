/* select.h - which routines get hooks: --aprof-only= and --aprof-except=.
 *
 * A pattern is a shell pattern (* ? [...]) and must fit the whole of a name.  With a / or a . in it it is meant
 * for files, without for routines; `file:` or `name:` before it says so itself.
 *
 *   file   fits a path if it fits the whole of it or what follows one of its slashes; a
 *          pattern that ends in / fits all files below such a directory
 *   name   fits a routine by its symbol (without a clone's .part.0 and the like), or by its
 *          demangled name with or without the parameters
 *
 * A routine gets hooks if its file and its name are both chosen: a thing is chosen if some
 * `only` of its kind fits it, or there is none, and no `except` fits it. */
#ifndef SELECT_H
#define SELECT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/list.h"

struct select {
	struct list only_files, except_files;	/* patterns, without file: */
	struct list only_names, except_names;	/* patterns, without name: */
};

/* Add PATTERN. False with *ERR set if it is empty or holds a line break. */
bool select_add(struct select *s, bool only, const char *pattern, struct error *err);

/* True if there is a pattern for names. */
bool select_has_names(const struct select *s);

bool select_file(const struct select *s, const char *path);
bool select_name(const struct select *s, const char *symbol);

/* Option that carries the patterns to the compiler's steps. */
extern const char select_option[];

/* All patterns in one text of letters, digits and ./_*%, for that option: caches of compilations heed words, and no variables of ours.  NULL without memory.
 * The caller frees it. */
char *select_write(const struct select *s);

/* Add the patterns of a text that select_write made. */
bool select_read(struct select *s, const char *text, struct error *err);

void select_free(struct select *s);

#endif
