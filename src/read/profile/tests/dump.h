/* dump.h - a profile as sorted text: for comparing profiles with one another and with other readers. */
#ifndef DUMP_H
#define DUMP_H

#include <stdio.h>

#include "read/profile/profile.h"

/* One context a line as `aprof contexts` prints them, with module-basename+0xoffset as names, sorted.
 * AMOUNTS: whole numbers in the place of seconds.  Freed with free. */
char *dump_contexts(const struct profile *p, bool amounts);

/* All of P that a file written from it must preserve: contexts with every counter, threads with their
 * contexts, PCs, modules; sorted lines.  Freed with free. */
char *dump_all(const struct profile *p);

/* TEXT with its lines sorted bytewise, in place. */
char *sort_lines(char *text);

/* TEXT, or death when it is NULL: memory was short. */
char *must_text(char *text);

#endif
