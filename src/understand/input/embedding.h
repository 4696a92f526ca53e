/* embedding.h - profiles that carry the symbols of their modules: a program that is built anew, or another machine, does not take the names away.
 *
 * Whoever reads a profile while the files of its modules are at hand writes down in it what they say (symbols_pack), once, behind
 * everything else.  A file that its process still writes, or that may not be written, stays as it is; its times of change stay, too. */
#ifndef EMBEDDING_H
#define EMBEDDING_H

#include "read/symbols/symbols.h"

/* Add to the file PATH, of which P is and nothing else, with the symbols S, what it lacks. */
void embed_into(const char *path, struct profile *p, struct symbols *s);

/* The same for a file that is not read yet, SPARE as in embed_symbols. */
void embed_into_file(const char *path, bool spare);

/* The symbols of P, with PROGRAM as symbols_open has it.  SPARE: of call stacks only as much of their debug information is read as is likely to take
 * a twentieth of the time that P is of (symbols_within): who reads it later is told the rest. */
struct symbols *embed_symbols(const struct profile *p, const char *program, bool spare, struct error *err);

/* Append to the profile at PATH, which nobody writes, the CHUNK of LEN bytes.  False: it could not be. */
bool embed_chunk(const char *path, const void *chunk, size_t len);

/* Have P, which is to be written to a new file, carry what its symbols S say, once for each module. */
void embed_anew(struct profile *p, struct symbols *s);

#endif
