/* unit.h - is a source a unit of a C++ module?  Nothing but comments and lines of the preprocessor may stand before its declaration (C++20, [module.unit]). */
#ifndef UNIT_H
#define UNIT_H

#include <stdbool.h>

/* Does the source at PATH begin with `module` or `export module`?  False if it cannot be read. */
bool unit_of_module(const char *path);

#endif
