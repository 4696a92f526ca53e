/* record.h - the recorder: samples the call stacks of processes from outside, and folds them into an amon.out for each program. */
#ifndef SAMPLE_RECORD_H
#define SAMPLE_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct recorder;

/* What to record. */
struct record_options {
	const char *directory;		/* where the files go: stacks.PID.N for the Nth program of a process */
	unsigned rate;			/* samples a second of CPU time */
	uint64_t memory;		/* bound of each file, bytes */
	char **command;			/* arguments of the program, which may be gone before anybody looks; NULL behind the last */
	bool (*skip)(const char *program); /* whether the program, by its path, is none of ours; NULL: all are */
	uint32_t (*ways)(const char *program); /* how hooks got into the program, bits of enum amon_way; NULL: nobody asks */
};

/* Begin to record the process PID, which is about to become its program, and all that it starts, in a thread of its own.  The memory of OPTIONS
 * must outlive it.  NULL with *ERR set: it cannot be sampled here, and why. */
struct recorder *record_child(pid_t pid, const struct record_options *options, struct error *err);

/* Begin to record the N processes PIDS, which run already, and all that they start.  Likewise; ERR names a process that is not there. */
struct recorder *record_processes(const pid_t *pids, size_t n, const struct record_options *options, struct error *err);

/* Stop; all that was sampled is in the files then.  Frees R. */
void record_end(struct recorder *r);

#endif
