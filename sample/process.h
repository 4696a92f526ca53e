/* process.h - one process, as the recorder knows it: its program, address space, threads, file. */
#ifndef SAMPLE_PROCESS_H
#define SAMPLE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "sample/fold.h"
#include "sample/recording.h"
#include "sample/perf.h"
#include "sample/space.h"

enum { PROCESS_COMMAND = 1024 };	/* bytes of a command that are kept, as in the file */

/* A thread of the program. */
struct process_thread {
	uint32_t tid;
	bool runs;			/* else its place may be taken by one that begins; contexts stay */
	bool folds;			/* fold is in use */
	char name[16];
	struct fold fold;
};

struct process {
	uint32_t pid, ppid;
	uint32_t programs;		/* that it has been, this one included */
	uint32_t running;		/* threads */
	uint64_t started;		/* the program, CLOCK_MONOTONIC ns */
	char name[16];			/* of a thread that has not got one of its own */
	char *program;			/* path of the executable; NULL: not known yet */
	char command[PROCESS_COMMAND];	/* arguments, each ended by NUL */
	uint32_t command_size;		/* bytes */
	bool told;			/* command is that of the next program that it becomes, if nobody sees it by then */
	struct space space;
	struct recording *live;		/* its file; NULL: no sample yet, or there will be none */
	bool unwanted;			/* there will be no file */
	struct process_thread **threads;
	uint32_t nthreads;
	size_t threads_room;
	struct process_routine {
		uint64_t address;	/* in the process */
		uint32_t module;	/* in the file */
	} *routines;			/* of the file */
	uint32_t nroutines;
	size_t routines_room;
	struct table by_address;	/* routines */
	uint32_t *modules;		/* number of a mapping -> module of the file; RECORDING_NONE: not there yet */
	uint32_t nmodules;
	size_t modules_room;
	struct known *known;		/* addresses met, which routine each is in; NULL: none yet */
};

/* What all files have in common. */
struct process_wishes {
	const char *directory;		/* where files go */
	struct amon_header header;	/* what is known of the clock and the machine */
	bool (*skip)(const char *program); /* whether a program is to have no file; NULL: all have */
	uint32_t (*ways)(const char *program); /* as in record.h */
};

/* The process PID, which has just begun, as a copy of PARENT, or, for NULL, with nothing known of it.  NULL: out of memory. */
struct process *process_new(uint32_t pid, const struct process *parent, struct images *images);

/* It is gone, or nobody is to record it any more: its file is complete. */
void process_free(struct process *p);

/* The arguments of the program that it is about to become. */
void process_tell(struct process *p, char **command);

/* It became another program, called NAME, at TIME. */
void process_exec(struct process *p, const char *name, uint64_t time);

/* It mapped what H says. */
void process_map(struct process *p, const struct perf_happening *h);

/* Learn from /proc what it is and has mapped: the recorder came later than it. */
void process_look(struct process *p);

/* The same of its thread TID. */
void process_look_at_thread(struct process *p, uint32_t tid);

/* Thread TID is called NAME, or ended. */
void process_name(struct process *p, uint32_t tid, const char *name);
void process_ended(struct process *p, uint32_t tid);

/* Thread H->tid was sampled: into the file, made if it is the first.  WISHES say where. */
void process_sample(struct process *p, const struct perf_happening *h, const struct process_wishes *wishes);

#endif
