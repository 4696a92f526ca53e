/* data_file.h - where aprof run keeps the profiles: as ASKED by --data, or as amon.out, or, where that must not be replaced, beside it. */
#ifndef DATA_FILE_H
#define DATA_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "record/run/harvest.h"
#include "understand/analysis.h"

/* Whether --data names the file, or it is amon.out, as where nothing is said. */
bool data_file_is_asked(const char *asked);

/* Whether the profile can go where it was asked to, or, where it is the ONLY thing that the run leaves, to amon.out: better known before
 * the program runs for hours.  False after a message. */
bool data_file_possible(const char *asked, bool only);

/* Name for the data of program I of H: amon.out for the first, amon.out.NAME for others, never a file that a living process
 * writes, nor, unless it was asked for, one that is no profile.  To be freed; NULL: out of memory. */
char *data_file_name(const char *asked, const struct harvest *h, size_t i);

/* The profile at amon.out, if that is where the data go, and it is of another program than the first of H, is kept as amon.out.PROGRAM; a message
 * says so. */
void data_file_aside(const char *asked, const struct harvest *h);

/* Put the profile FROM, or, if that is NULL, what IN holds, at *NAME; a file there that may not be replaced, as another user's in /tmp,
 * is left, and *NAME becomes another one.  False after a message: it stays where it is, and the report is printed all the same. */
bool data_file_keep(const char *asked, const char *from, const struct input *in, char **name);

#endif
