/* stream.h - standard input, or a pipe, where a profile is expected. */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>

/* Is the operand WORD `-`, or a pipe, as the shell's <(...) is?  Then *PATH is that of a file in memory which has all that came from it (files_name has
 * its name), and is valid for good; NULL after a message. */
bool stream_operand(const char *word, char **path);

#endif
