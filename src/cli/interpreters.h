/* interpreters.h - unmodified interpreters are made to tell of their scripts: each by what it lets the environment ask for. */
#ifndef INTERPRETERS_H
#define INTERPRETERS_H

#include <stdbool.h>

/* From now on Lua 5.4 and CPython, in this process's children, load what tells aprof of their scripts.  False after a message. */
bool interpreters_set(void);

/* Which these are, for messages. */
extern const char interpreters_known[];

#endif
