/* process.h - one process, as the recorder knows it: its program, address space, threads, file. */
#ifndef SAMPLE_PROCESS_H
#define SAMPLE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "read/stacks/fold.h"
#include "read/stacks/inlined.h"
#include "read/stacks/jit.h"
#include "read/stacks/kallsyms.h"
#include "read/stacks/recording.h"
#include "read/stacks/space.h"
#include "read/stacks/synthetic_routines.h"
#include "record/sample/account.h"
#include "record/sample/ledger.h"
#include "record/sample/source.h"

enum { PROCESS_COMMAND = 1024 };	/* bytes of a command that are kept, as in the file */
#define PROCESS_UNCOUNTED UINT32_MAX

/* How often an event that was asked for beside time came to a thread. */
struct event_count {
	uint64_t sampled;		/* as its samples say */
	uint64_t told;			/* as the kernel does when it has ended; 0: not yet, or of none */
};

/* A thread of the program. */
struct process_thread {
	uint32_t tid;
	bool runs;			/* else its place may be taken by one that begins; contexts stay */
	bool folds;			/* fold is in use */
	char name[16];
	bool waits;			/* clock wall: does not run */
	bool cut;			/* its stack there did not go back to its start */
	uint32_t waiting;		/* item that it waits in */
	uint64_t since;			/* until then its waiting is charged, CLOCK_MONOTONIC ns */
	uint64_t period;		/* of its source, if nothing keeps that from sampling, ns; 0: it was not sampled */
	uint64_t rest;			/* of what was charged, beyond whole periods, ns */
	uint64_t used;			/* CPU time that the kernel told of at the end of all that had this place, and of what the first was before, ns; 0: of none */
	struct event_count *events;	/* of all that had this place, each event; NULL: none came */
	struct fold fold;
};

struct process {
	struct process *next;		/* of the recorder's list; the owner's */
	struct process **at;		/* who points to this one there */
	uint32_t pid, ppid;
	uint32_t programs;		/* that it has been, this one included */
	uint32_t running;		/* threads; PROCESS_UNCOUNTED: nobody tells of all of them */
	uint64_t ends, uses;		/* how often HAPPENED_ENDED came; and HAPPENED_USED and _COUNTED_ALL */
	uint64_t started;		/* the program, CLOCK_MONOTONIC ns */
	uint64_t gone;			/* when it can be forgotten, since it is gone: there may be more to be told of it, CLOCK_MONOTONIC ns; 0: it runs */
	char name[16];			/* of a thread that has not got one of its own */
	char *program;			/* path of the executable; NULL: not known yet */
	char command[PROCESS_COMMAND];	/* arguments, each ended by NUL */
	uint32_t command_size;		/* bytes */
	bool told;			/* command is that of the next program that it becomes, if nobody sees it by then */
	struct space space;
	uint64_t looked;		/* when /proc was asked what is mapped, CLOCK_MONOTONIC ns */
	struct recording *live;		/* its file; NULL: no sample yet, or there will be none */
	bool judged;			/* the program of the file was known when it was asked whether, and how, it is wanted */
	bool unwanted;			/* there will be no file */
	bool bare;			/* it has become a program, of which nothing is mapped yet */
	bool met;			/* it ran before anybody told of it: nothing is known of it */
	uint64_t lost;			/* samples before there was a file */
	bool loses;			/* samples of it, of time or events, were lost */
	struct accounts *accounts;	/* what it used is held against its samples there; NULL: nowhere */
	uint64_t used;			/* CPU time that the kernel told of, of this program and those that it was before, ns; 0: it tells nothing */
	uint64_t earlier;		/* the same, that was settled with the programs before */
	uint64_t before;		/* what it had used when it was met, which is nobody's here, ns */
	uint64_t placed;		/* CPU time of this program that samples in its file stand for, ns */
	uint64_t brief;			/* the same that the kernel told of at the end of threads that have no sample there, ns */
	uint64_t missing[ACCOUNT_REASONS]; /* that is in no routine, as far as it is known why, ns */
	enum account_reason reason;	/* of the rest */
	int error;			/* errno: why there is no file; 0: there is one, or need not be */
	uint32_t counted;		/* the first value of events in the file; RECORDING_NONE: there is none */
	size_t nevents;			/* how many there are */
	struct event_count *events;	/* `told`: that came to threads without samples; `sampled`: to the first one, when the process was other programs; NULL: none */
	bool allocates;			/* the file has what is allocated, */
	struct ledger ledger;		/* as far as that is told */
	uint64_t samples, sampled;	/* in the file, and the time that they stand for, ns */
	struct process_thread **threads;
	uint32_t nthreads;
	size_t threads_room;
	struct process_routine {
		uint64_t address;	/* in the process */
		uint32_t module;	/* in the file */
		uint32_t number;	/* of it, there */
	} *routines;			/* of the file, but those of `made` */
	uint32_t nroutines;
	size_t routines_room;
	struct table by_address;	/* routines */
	uint32_t *modules;		/* number of a mapping -> module of the file; RECORDING_NONE: not there yet */
	uint32_t nmodules;
	size_t modules_room;
	uint32_t unnamed;		/* routines of the file that have no name yet, in code that no file has */
	struct jit *jit;		/* what is told of code made at run time; NULL: none was met yet */
	uint32_t dumps_looked;		/* mappings that there had been when jitdumps were looked for */
	struct synthetic made;		/* the same, in the file */
	struct synthetic kernel;		/* the kernel's routines in the file, where they are told */
	struct inlined inlined;		/* functions that its code was inlined from, if they are asked for */
	struct synthetic inlined_made;	/* these as routines of its file */
	struct known *known;		/* addresses met, which routine each is in; NULL: none yet */
};

/* What all files have in common. */
struct process_wishes {
	const char *directory;		/* where files go */
	struct amon_header header;	/* what is known of the clock and the machine */
	bool (*skip)(const char *program); /* whether a program is to have no file; NULL: all have */
	uint32_t (*ways)(const char *program); /* as in record.h */
	bool inlined;			/* functions that code was inlined from are routines, too */
	const struct event *events;	/* files have these, too */
	size_t nevents;			/* how many */
	bool allocations;		/* the same: what is allocated */
	bool intervals;			/* files keep what is charged by interval of the run, too */
	const struct kernel *kernel;	/* names of the kernel's routines; NULL: they are not told */
};

/* The process PID, which has just begun, as a copy of PARENT, or, for NULL, with nothing known of it.  NULL: out of memory. */
struct process *process_new(uint32_t pid, const struct process *parent, struct images *images);

/* The present program of P is over: hold its samples against USED ns of CPU time, as the kernel has it, or 0: it tells nothing.  What they lack is shared as they say, as far as
 * they lack it by chance.  GOES: so is the process. */
void process_settle(struct process *p, uint64_t used, bool goes);

/* It is gone, or nobody is to record it any more: its file is complete. */
void process_free(struct process *p);

/* The arguments of the program that it is about to become. */
void process_tell(struct process *p, char **command);

/* It became another program, called NAME, at TIME. */
void process_exec(struct process *p, const char *name, uint64_t time);

/* A program runs in it of which H, HAPPENED_BEGAN, or else /proc tells what it is. */
void process_begin(struct process *p, const struct happening *h);

/* It has mapped what TEXT, as of /proc/PID/maps, says, and nothing else. */
void process_maps(struct process *p, const char *text);

/* It mapped what H says. */
void process_map(struct process *p, const struct happening *h);

/* Learn from /proc what it is and has mapped: the recorder came later than it.  False: what it has mapped may not be read. */
bool process_look(struct process *p);

/* The same of its thread TID. */
void process_look_at_thread(struct process *p, uint32_t tid);

/* Thread TID is called NAME, or ended at TIME, CLOCK_MONOTONIC ns. */
void process_name(struct process *p, uint32_t tid, const char *name);
void process_ended(struct process *p, uint32_t tid, uint64_t time);

/* Thread TID ended, after CPU ns of CPU time that were not told before. */
void process_thread_used(struct process *p, uint32_t tid, uint64_t cpu);

/* Thread H->tid was sampled by SOURCE: into the file, made if it is the first.  WISHES say where. */
void process_sample(struct process *p, const struct happening *h, const struct source *source, const struct process_wishes *wishes);

/* An event that was asked for beside time came to thread H->tid: into the same file. */
void process_counted(struct process *p, const struct happening *h, const struct source *source, const struct process_wishes *wishes);

/* Such an event came so often to thread H->tid, which has ended, on one processor: that is what its part of the file comes to, as its samples say. */
void process_counted_all(struct process *p, const struct happening *h, const struct process_wishes *wishes);

/* Thread H->tid got memory, or what it had got is free, as the library in the process tells: into the same file, SOURCE being that of time. */
void process_allocated(struct process *p, const struct happening *h, const struct source *source, const struct process_wishes *wishes);
void process_freed(struct process *p, const struct happening *h);

/* N samples of it, OF_TIME or of other things, or what was to be told of it, were lost. */
void process_lost(struct process *p, uint64_t n, bool of_time);

/* Thread TID, which waited, if that was known, runs since TIME, CLOCK_MONOTONIC ns. */
void process_resumed(struct process *p, uint32_t tid, uint64_t time);

/* Charge all threads that wait up to TIME, so that the file has it: CLOCK_MONOTONIC ns. */
void process_wait(struct process *p, uint64_t time);

#endif
