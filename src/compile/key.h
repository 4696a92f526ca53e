/* key.h - what tells who makes code from others who would make other code of the same words: compiler, plugins, aprof.
 *
 * It is what the memory of probe.h goes by, and what caches of compilations (ccache and the like) are told of. */
#ifndef KEY_H
#define KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"

/* The command, path, size and time of change of each of WORDS and FILES (NULL: none), in one line that begins with WHAT.  The caller frees it; NULL: out of memory, or a name has a line
 * break. */
char *key_text(const char *what, const struct list *words, const struct list *files);

/* 64 bits of TEXT (FNV-1a). */
uint64_t key_hash(const char *text);

/* Whether a cache of compilations has started this process. */
bool key_is_asked(void);

#endif
