/* from_gmon.h - gmon.out with the program that wrote it: arcs without contexts, and samples by address. */
#ifndef IMPORT_FROM_GMON_H
#define IMPORT_FROM_GMON_H

#include "read/import/import.h"

/* Read the LEN bytes at DATA, a gmon.out of PROGRAM, called LABEL in messages.  False with *ERR set: a whole sentence.  Freed with import_free. */
bool import_read_gmon(struct import *m, const void *data, size_t len, const char *program, const char *label, struct error *err);

#endif
