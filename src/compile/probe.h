/* probe.h - what a compiler offers, asked of the compiler itself and remembered.
 *
 * The answer is kept in aprof/ under XDG_CACHE_HOME or ~/.cache, by the command, path, size and time of
 * change of each of its words; a cache that cannot be read or written is passed over in silence. */
#ifndef PROBE_H
#define PROBE_H

#include "compile/compiler.h"
#include "compile/find.h"
#include "compile/way.h"

/* Fill *OUT for COMPILER, which compiles LANGUAGE; PLUGINS are the files of the plugin that are there, and must live as long
 * as *OUT is used. A compiler that cannot be run offers nothing: it
 * will say so itself when it is run for the user. */
void probe(const struct found *compiler, enum compiler_language language, const struct list *plugins, struct ability *out);

/* True if the COMMAND for COMPILER, which is taken apart, succeeds; what it prints is for nobody. */
bool probe_succeeds(const struct found *compiler, struct list *command);

#endif
