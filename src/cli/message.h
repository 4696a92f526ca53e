/* message.h - what aprof says on stderr: one line for each trouble: what, where, what to do. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>

#include "base/error.h"

/* Exit statuses of aprof itself; aprof run passes on its program's. */
enum { STATUS_OK = 0, STATUS_CHECK = 1, STATUS_TROUBLE = 2 };

/* Print `aprof: ` and the formatted text, made harmless, and a newline. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print ERR as met in WHERE (a file's name; NULL: nowhere), with the offset if it has one, and its further
 * lines below it. */
void message_error(const struct error *err, const char *where);

#endif
