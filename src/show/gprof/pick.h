/* pick.h - the names that gprof's options take, as gprof itself compares them with a symbol.
 *
 *     FILE:ROUTINE  FILE:LINE  FILE:  :ROUTINE      and without a colon
 *     FILE if it has a dot, LINE if it begins with a digit, else ROUTINE
 *
 * An arc is two of them, FROM/TO; an empty one means every routine.  FILE is compared with the last part of a path. */
#ifndef PICK_H
#define PICK_H

#include <stdbool.h>
#include <stddef.h>

/* One name taken apart; all empty: it fits every symbol. */
struct pick {
	const char *file;	/* last part of the path; NULL: any */
	size_t file_length;	/* bytes of it */
	const char *name;	/* as linked; NULL: any */
	size_t name_length;	/* bytes of it */
	unsigned long line;	/* 0: any */
};

/* Take the LENGTH bytes at TEXT apart; the result points into them. */
struct pick pick_parse(const char *text, size_t length);

/* Whether P means the routine NAME of FILE (NULL: unknown) at LINE. */
bool pick_fits(const struct pick *p, const char *name, const char *file, unsigned long line);

#endif
