/* scratch.h - programs that a test compiles, in a directory that goes when the test ends. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "read/profile/profile.h"
#include "read/symbols/symbols.h"

/* Group set-up and tear-down for cmocka: makes the directory the current one, and removes it. */
int scratch_begin(void **state);
int scratch_end(void **state);

/* Write TEXT to the file NAME. */
void scratch_file(const char *name, const char *text);

/* Run a formatted shell command.  False: it failed; what it said is dropped. */
bool scratch_try(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, but the test fails with it, and what it said is shown. */
void scratch_run(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Address of the symbol NAME, a pattern as of fnmatch, of the file PATH, as nm prints it; the test fails if there is none. */
uint64_t scratch_address(const char *path, const char *name);

/* A profile of the N modules PATHS, the first the main program, with the build-ids that the files have now.
 * The profile is valid until the next call. */
const struct profile *scratch_profile(size_t n, const char *const *paths);

/* Symbols of one module, the main program; the test fails if it cannot be opened. */
struct symbols *scratch_open(const char *path);

#endif
