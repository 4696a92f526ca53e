/* response.h - response files: @FILE among a compiler's arguments. */
#ifndef BASE_RESPONSE_H
#define BASE_RESPONSE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/list.h"

/* Append ARGS to OUT with each @FILE replaced by the words of that file, files within files too.  As in
 * GCC, an @FILE that cannot be read stays as it is.  False with *ERR set where files name each other without end. */
bool response_expand(char *const args[], struct list *out, struct error *err);

#endif
