/* objects.h - objects whose code is made at the link: -flto. */
#ifndef OBJECTS_H
#define OBJECTS_H

#include "compile/line.h"
#include "compile/way.h"

/* The link makes the code of all such objects by its own way, HOOKS.  False with *ERR set if one of those that LINE names, an object or a member of an archive, was
 * compiled by a way of which that makes wrong calls: each twice, or none.  What cannot be read is for the linker to say. */
bool objects_check(const struct line *line, enum hooks hooks, struct error *err);

#endif
