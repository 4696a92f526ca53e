/* arguments.h - the command line of a profiled process, as a user would type it. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <jansson.h>

#include "show/report/report.h"

/* Print the field `command` of a report's head: the arguments that HEADER holds, each as escape_shell has it, on one line however long,
 * so that it can be pasted; then ` ...` if there were more.  Nothing if it holds none. */
void arguments_print(FILE *out, const struct report_options *options, const struct amon_header *header);

/* The same for programs, without the ` ...`: a new reference, "" if it holds none; NULL: out of memory. */
json_t *arguments_json(const struct amon_header *header);

/* The same as text: to be freed. */
char *arguments_text(const struct amon_header *header);

#endif
