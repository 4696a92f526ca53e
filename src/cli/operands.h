/* operands.h - [PROGRAM] [FILE...], told apart by contents. */
#ifndef OPERANDS_H
#define OPERANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "understand/analysis.h"

struct operands {
	const char *program;	/* ELF file; NULL: none given */
	char **files;		/* profiles, in order; point into argv, at "amon.out" or "gmon.out", or at what pid_operand found */
	size_t n;		/* how many, 1 at least */
	bool gmon;		/* they are gmon.out files, not amon.out files */
};

/* Sort the operands ARGV[0..n), of which PIDs stand for the profiles of processes; without a profile among them it is amon.out, or gmon.out where that is all there is.  False after a message. */
bool operands_sort(struct operands *o, char **argv, size_t n);
void operands_free(struct operands *o);

/* Say that a command which shows contexts cannot show FILE, a gmon.out. */
void operands_refuse_gmon(const char *file);

/* Say what the operand PATH is, which is no program, nor one of PROFILES, as "amon.out": a directory, empty, or something else. */
void other_tell(const char *path, const char *profiles);

/* Whether PATH may become an output: a program there, or, unless PROFILE, a profile, is a slip of the pen.  False after a
 * message. */
bool output_allowed(const char *path, bool profile);

/* Whether what is at PATH, a name that the user did not give, is nobody's but aprof's: missing, empty, a device as /dev/null, or a file of KIND;
 * FILE_OTHER stands for a page of aprof html.  A directory, a pipe (who writes into one may wait for ever) and a link to nothing are somebody's. */
bool output_is_ours(const char *path, enum file_kind kind);

/* The same; false after a message that ends in REMEDY. */
bool output_unasked(const char *path, enum file_kind kind, const char *remedy);

#endif
