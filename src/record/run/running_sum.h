/* running_sum.h - what ended processes of a run left is added up while the run goes on, so that files and disk are bounded by the result.
 *
 * A file whose process has ended is moved from the run's directory into added.K, that of its program (harvest.h).  When there is enough in it, that and the sum
 * so far are added up to a new sum in .next.K; then the two directories are exchanged, which is one step for everybody who looks, and what is in .next.K goes.
 * So whoever is killed between any two steps leaves a directory in which each process counts once, and no process of the run waits for anything.
 *
 * A sum is read again for each next one, so that is made only when what is to be added is half as large, or more: CPU time stays linear in the files.
 * Programs of SUM_APART processes and less are left as they are, since in their sum threads stay apart, and phases are known. */
#ifndef RUNNING_SUM_H
#define RUNNING_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "understand/analysis.h"

struct running_sum;

/* A sum of nothing in DIRECTORY, of the run whose first process is PID (0: it has none): its last profile stays where it is, for its status (harvest_status).  Call stacks
 * beside programs with hooks are ASKED for, or else they go.  LISTENER, which may be NULL, is told of files that are cut off.  NULL: out of memory, or there is
 * no such directory. */
struct running_sum *running_sum_new(const char *directory, bool asked, int32_t pid, const struct input_listener *listener);
void running_sum_free(struct running_sum *p);

/* Take in what has ended, and add up what is worth it.  Where that fails, as on a full disk, files stay as they are.  False: somebody reads the
 * directory, and nothing was done. */
bool running_sum_work(struct running_sum *p);

/* How many files of ended processes P has that are in no sum. */
size_t running_sum_files(const struct running_sum *p);

#endif
