/* profile.h - a profile in memory: what one or several amon.out files say, merged.
 *
 * Contexts with equal histories are one, whatever thread or file they come from;
 * shares[] keeps the parts that each thread has in it.  Routines and modules of several files are
 * unified by (build-id or path, address within the file).  Nothing here does I/O or
 * knows ELF: bytes in, plain structs out.  All memory belongs to the profile and goes
 * with profile_free. */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/amon.h"
#include "base/error.h"
#include "contract/history.h"

#define PROFILE_NONE UINT32_MAX
#define PROFILE_ALSO 16

/* What the processes of one program have together that were run with one command. */
struct profile_command {
	char name[96];			/* the program's, without folders, and the first of its arguments that is a word; not made harmless */
	uint64_t processes;		/* how many */
	uint64_t time;			/* raw, in contexts or not, ns */
	uint64_t calls;			/* all of them, direct recursive ones included */
};

/* What a profile has amounts of. */
struct profile_value {
	char name[64];			/* "cpu", "page-faults" */
	char unit[32];			/* "ns", "bytes", "count", "cycles" */
	uint32_t flags;			/* enum amon_value_flag */
};

/* One file that went into the profile. */
struct profile_run {
	char *label;			/* name of the file as given to profile_read */
	struct amon_header header;	/* its header, checked; strings NUL-terminated */
	struct profile_value value;	/* what its times are */
	bool truncated;			/* the file was cut off; what remained was used */
	uint64_t cut_at;		/* where reading stopped, bytes; meaningful if truncated */
	uint32_t first_thread;		/* its threads in threads[] */
	uint32_t threads;		/* how many */
	uint32_t contexts;		/* distinct histories in this file, over its threads; root and what was made in advance not counted */
	uint64_t transitions;		/* items that were taken, over its threads; direct recursion counts, roots do not */
	uint64_t recursions;		/* those of direct recursion among them, which by step A1 of the paper are no transitions */
	uint64_t calls;			/* all calls, direct recursive ones included */
	uint64_t file_size;		/* bytes */
	struct profile_command *commands; /* the processes of which the file is the sum; NULL: it is of one */
	size_t ncommands;		/* how many */
	bool sliced;			/* its time is known by interval, too: slices[] (contract/slice.h) */
	uint32_t level;			/* the highest of its threads'; 0 if it is not */
	uint32_t ranks;			/* of an MPI job, of which the file is the sum and tells how they differ; 0: of none */
};

/* Is PATH, of a module or of what is mapped, that of a file?  "[vdso]", "[kernel]", "[jit]" are none. */
static inline bool profile_path_is_file(const char *path)
{
	return path[0] != '[';
}

/* A module, as the file names it. */
struct profile_module {
	char *path;			/* as mapped, "[vdso]" and the like included */
	char **also;			/* other paths at which runs had the same module; some may be gone by now */
	uint32_t nalso;			/* how many, PROFILE_ALSO at most; the rest is not kept */
	uint8_t build_id[32];		/* GNU build-id */
	uint32_t build_id_size;		/* bytes of it; 0: none */
	bool main_program;		/* the executable */
	bool hooked;			/* some routine of it called a hook */
};

/* A routine: the place that called an entry hook. */
struct profile_routine {
	uint32_t module;		/* index in modules[], PROFILE_NONE for pseudo and unknown */
	uint32_t flags;			/* AMON_ROUTINE_INSIDE */
	uint32_t pseudo;		/* AMON_ROUTINE_ROOT...: which pseudo-routine; 0: a real one */
	uint64_t address;		/* link-time address in the module's ELF file; run-time one if module is PROFILE_NONE; of a script's, its
					 * key (struct amon_script) */
	uint32_t script;		/* 1 + index in scripts[]: what an interpreter says of it; 0: nothing */
};

/* A thread of one of the runs. */
struct profile_thread {
	uint32_t run;			/* index in runs[] */
	struct amon_thread record;	/* as in the file, times converted to ns; name NUL-terminated */
	uint32_t current;		/* context it was in at the end; PROFILE_NONE: unknown */
	struct amon_origin origin;	/* the process that it was of; of a thread that is the sum of several: zeros */
	uint32_t level;			/* the intervals of its slices are slice_length(level) long, from the beginning of that process' file on */
};

/* A context: one history and the sums of its counters over all threads.
 * Parents come before children.  contexts[0] is the root, the empty history. */
struct profile_context {
	uint32_t parent;		/* context with the history before the step that first made it; the root if
					 * it starts a stack; PROFILE_NONE only for the root itself */
	uint32_t routine;		/* index in routines[] of the last entry, the running routine; PROFILE_NONE for the root */
	uint32_t length;		/* entries in the history */
	uint32_t folded;		/* 1: the step unmarked an entry, so history is parent's no longer; else 0 */
	uint64_t entries;		/* calls that entered it from another context */
	uint64_t recursive;		/* direct recursive calls in it */
	uint64_t calls_out;		/* calls made from it, direct recursive ones included */
	uint64_t time;			/* raw, in the unit of the profile's first value, ns as a rule, as all times are */
	uint64_t ticks;			/* samples */
	uint64_t squares[2];		/* sum of the squares of what each stands for (amon_amount) */
	uint64_t bytes;			/* that its calls moved, as far as somebody told (aprof_bytes); 0 in a profile of one phase */
};

/* How a context differs over the ranks of an MPI job.  Of several jobs a rank is that in its own. */
struct profile_spread {
	uint32_t ranks;			/* that have anything of it; 0: none has, and the rest is 0 */
	uint32_t calls_rank;		/* which has the most calls, the lowest of several */
	uint32_t time_rank;		/* the most time */
	uint64_t calls_least;		/* entries and direct recursive calls, of the rank with the fewest */
	uint64_t calls_most;
	uint64_t time_least;		/* raw, ns */
	uint64_t time_most;
};

/* What one thread has in one context. Sorted by thread, then context; one for each pair at most. */
struct profile_share {
	uint32_t context;		/* index in contexts[] */
	uint32_t thread;		/* index in threads[] */
	uint64_t entries;		/* calls that entered the context */
	uint64_t recursive;		/* direct recursive calls */
	uint64_t calls_out;		/* calls made from it, direct recursive ones included */
	uint64_t time;			/* raw, ns */
	uint64_t ticks;			/* samples */
	uint64_t squares[2];		/* as in contexts */
	uint64_t bytes;			/* moved by its calls */
};

/* What one thread has in one context, or the calls from one routine to another have, of a value that is not the first.  Sorted by all four; each
 * once. */
struct profile_amount {
	uint32_t thread;		/* index in threads[]; PROFILE_NONE: it is of an arc */
	uint32_t from;			/* of an arc: index in routines[], PROFILE_NONE: not known by whom; else PROFILE_NONE */
	uint32_t to;			/* index in contexts[]; of an arc in routines[] */
	uint32_t value;			/* index in values[] */
	uint64_t amount;		/* in its unit */
	uint64_t samples;		/* that brought it; 0: not known, or exact */
	uint64_t squares[2];		/* as in contexts */
};

/* What samples charged to one context of one thread in one interval and phase of its run.  Sorted by thread, context, interval, phase; each once. */
struct profile_slice {
	uint32_t thread;		/* index in threads[] */
	uint32_t context;		/* index in contexts[]; PROFILE_NONE: the monitor, in its slow path */
	uint32_t interval;		/* from 0 on; they begin with the file of the thread's process */
	uint32_t phase;			/* index in phases[]; PROFILE_NONE: not told */
	uint64_t time;			/* raw, ns */
	uint32_t ticks;			/* samples */
};

/* A range of the time of a run, in ns since its file was begun.  An interval is in it if its middle is. */
struct profile_range {
	uint64_t from, to;		/* to: 0: there is no range, all is meant; UINT64_MAX: the end */
};

/* How often samples found a program counter in a context.  Sorted by context,
 * module, address; each triple once. */
struct profile_pc {
	uint32_t context;		/* index in contexts[] */
	uint32_t module;		/* index in modules[], PROFILE_NONE: unknown */
	uint64_t address;		/* link-time address in the module's ELF file, else run-time */
	uint64_t count;			/* samples */
};

/* Calls that entered a context otherwise than from its parent. */
struct profile_detour {
	uint32_t thread;		/* index in threads[] */
	uint32_t from;			/* context that called */
	uint32_t to;			/* context entered */
	uint64_t calls;			/* how often */
};

/* Calls from one call site.  Sorted by thread, from, to, module and address; each once.  One without calls, at address 0 of no module, has the samples of
 * those that are not known. */
struct profile_site {
	uint32_t thread;		/* index in threads[] */
	uint32_t from;			/* context that called */
	uint32_t to;			/* context entered; FROM itself: direct recursion */
	uint32_t module;		/* index in modules[], PROFILE_NONE: unknown */
	uint64_t address;		/* where the call returns to: link-time address in the module's ELF file, else run-time */
	uint64_t calls;			/* how often */
	uint64_t self;			/* samples that found calls from there under way, and the routine entered at work, */
	uint64_t children;		/* or what it called; of those that count for the arc (AMON_SPENT) */
};

/* Stacks that did not simply fit their context (enum amon_verdict, OPEN or DIFFERS), as the file has them: not merged. */
struct profile_stack {
	uint32_t context;		/* index in contexts[]: the one that the machine was in */
	uint32_t module;		/* index in modules[], PROFILE_NONE: unknown */
	uint64_t address;		/* link-time address in it, else run-time: where the routine was interrupted that may not be entered, or
					 * the thread */
	uint32_t routine;		/* index in routines[]: open: the one that was interrupted, PROFILE_NONE where the file does not tell;
					 * differs: where the stack's history first has another one; PROFILE_NONE: it ends there */
	uint32_t verdict;		/* enum amon_verdict */
	uint64_t count;			/* how many */
};

/* What a file brought with it of a module's symbols (read/symbols/packed.h reads it).  Equal ones are kept once. */
struct profile_symbols {
	uint32_t module;		/* index in modules[] */
	void *data;			/* a message Symbols in zlib's format */
	size_t size;			/* bytes of it */
	uint64_t plain_size;		/* bytes that it says it has when inflated */
};

/* What a file without contexts knows of the calls from one routine to another (AMON_WAY_ARCS). */
struct profile_arc {
	uint32_t from;			/* index in routines[]; PROFILE_NONE: not known by whom */
	uint32_t to;			/* index in routines[] */
	uint64_t calls;			/* how many */
	uint64_t time;			/* in `to` and in what it called, ns */
};

/* What an interpreter says of a routine of its scripts, once. */
struct profile_script {
	uint32_t routine;		/* index in routines[] */
	uint32_t line;			/* of its definition; 0: unknown */
	char *name;			/* in its language */
	const char *file;		/* its source, in the memory of `name`; "": unknown */
};

/* A phase, as the program named it, over all runs. */
struct profile_phase {
	char name[48];			/* "" for the time before any was named */
	uint64_t begun;			/* how often it was entered */
	uint64_t cpu;			/* CPU time of the threads in it, ns */
	uint64_t calls;			/* all calls in it */
	uint64_t time;			/* charged to contexts in it, ns */
	bool current;			/* it went on when the file was read, or ended */
};

struct profile {
	struct profile_run *runs;	/* the files */
	uint32_t nruns;			/* how many */
	struct profile_module *modules;	/* every module seen */
	uint32_t nmodules;		/* how many */
	struct profile_routine *routines; /* every routine seen, pseudo ones included */
	uint32_t nroutines;		/* how many */
	struct profile_thread *threads;	/* threads of all runs */
	uint32_t nthreads;		/* how many */
	struct profile_context *contexts; /* merged contexts, [0] the root */
	uint32_t ncontexts;		/* how many */
	struct profile_spread *spreads;	/* of contexts 0..nspreads-1; profile_spread_of has the rest, and is what to ask */
	uint32_t nspreads;		/* how many */
	struct profile_value *values;	/* [0] is what all times are */
	uint32_t nvalues;		/* how many; 0: there is no run */
	struct profile_share *shares;	/* parts by thread */
	size_t nshares;			/* how many */
	struct profile_amount *amounts;	/* of values other than the first */
	size_t namounts;		/* how many */
	struct profile_slice *slices;	/* parts of shares by interval, of runs that keep these */
	size_t nslices;			/* how many */
	struct profile_pc *pcs;		/* program counters */
	size_t npcs;			/* how many */
	struct profile_detour *detours;	/* in order of threads; all other calls entered from the parent */
	size_t ndetours;		/* how many */
	struct profile_site *sites;	/* calls by call site, of what was told apart; all other calls are from unknown ones */
	size_t nsites;			/* how many; 0: none were told apart */
	struct profile_stack *stacks;	/* of runs that held their stacks against their contexts */
	size_t nstacks;			/* how many */
	struct profile_symbols *symbols; /* of modules whose files were at hand when a file was written, or read first */
	size_t nsymbols;		/* how many */
	struct profile_arc *arcs;	/* of runs without contexts: by from, then to, each pair once */
	size_t narcs;			/* how many */
	struct profile_script *scripts;	/* routines that interpreters defined */
	uint32_t nscripts;		/* how many */
	struct profile_phase *phases;	/* every phase named; the time that the program left out is one, "(stopped)" */
	uint32_t nphases;		/* how many */
	struct profile *sampled;	/* call stacks that were sampled in the same processes, beside their exact contexts; NULL: none */
	uint32_t plain;			/* contexts from this one on are of plain code below exact contexts (stack_join.h); 0: none are */
	uint32_t longest;		/* length of the longest history, entries */
	uint64_t time;			/* sum of contexts[].time, ns */
	uint64_t monitor;		/* time in the slow path, ns */
	uint64_t unplaced;		/* time that no sample placed, ns */
	uint32_t mean_of;		/* times and calls are means of so many runs (profile_take_mean), but for what runs[] say of each; 0: they are sums */
	struct profile_private *private; /* what only read/profile/ looks at */
};

/* A profile of nothing.  NULL: out of memory.  Freed with profile_free. */
struct profile *profile_new(void);
void profile_free(struct profile *p);

/* Add the amon.out in the LEN bytes at DATA, called LABEL in messages, to P.  False with *ERR set when it is
 * not one, is corrupt, or does not go with what P holds (another clock); P is then as before.  The text of
 * the error is a whole sentence, LABEL and offset included.
 * A file cut off or still being written is read up to its last whole item.  DATA may change meanwhile as a live
 * monitor changes it, and may be freed afterwards.  Linear in LEN; memory at most a multiple of it. */
bool profile_read(struct profile *p, const void *data, size_t len, const char *label, struct error *err);

/* What profile_read adds from now on is to be of the phase NAME alone; a file without it adds nothing but its contexts, uncalled.
 * Program counters are not kept by phases: there will be none.  False: out of memory. */
bool profile_set_phase(struct profile *p, const char *name);

/* Who may have the value that is asked for. */
enum profile_value_from {
	PROFILE_VALUE_OWN,		/* the file itself */
	PROFILE_VALUE_OF_STACKS,	/* the call stacks beside exact contexts (profile.sampled), which are to have it: the contexts have their first */
	PROFILE_VALUE_JOINED,		/* the file, else the call stacks beside: then the contexts have nothing of it until stack_join_charge */
};

/* What profile_read adds from now on is to have the value NAME, FROM there, in the place of times, and no other one; "calls" is one where calls were
 * counted. False: out of memory. */
bool profile_set_value(struct profile *p, const char *name, enum profile_value_from from);

/* Have the call stacks beside P the value that was asked for, and its contexts none of it? */
bool profile_value_is_beside(const struct profile *p);

/* The values of P that can be asked for, beside calls: its own, those that the call stacks beside alone have, and the bytes that its calls moved;
 * NULL: there are no more than I. */
const struct profile_value *profile_value_at(const struct profile *p, uint32_t i);

/* What the times of P are, and whether they are times, in ns. */
const struct profile_value *profile_value_of(const struct profile *p);
bool profile_is_time(const struct profile *p);

/* Are calls one of P's values? */
bool profile_has_calls(const struct profile *p);

/* The variance of CONTEXT's time, in squares of its unit, if that is sampled: by what each sample stands for, where that is known, else as if they
 * were alike. */
double profile_variance(const struct profile *p, uint32_t context);

/* Are the times of P known by interval?  Of short processes, whose files have no room for that, they are not; nine tenths of the samples are to be of threads
 * that tell them. */
bool profile_is_sliced(const struct profile *p);

/* The middle of the interval of S, ns since its run began; the run of a sum began with the first of its processes. */
uint64_t profile_slice_middle(const struct profile *p, const struct profile_slice *s);

/* Is S in the range R of its run? */
bool profile_range_has(const struct profile *p, const struct profile_range *r, const struct profile_slice *s);

/* Up to when a run of P has slices, ns since its file was begun: of the longest one.  0: there are none. */
uint64_t profile_sliced_until(const struct profile *p);

/* The times and samples of P, which is wholly read, are to be those in the range R of its runs alone; calls stay those of the whole runs.  What is not known by
 * time is gone: program counters, samples of call sites, time that no sample placed, the kernel's part. */
void profile_take_range(struct profile *p, const struct profile_range *r);

/* P, which is wholly read, is the sum of N runs of one program: times and calls are to be the means of these, samples stay those of all.  Where each run is one of
 * runs[], threads of one name and order in their runs are one from now on.  False: out of memory. */
bool profile_take_mean(struct profile *p, uint32_t n);

/* What P, which is wholly read, counts is to be of the threads alone that KEEPS says, one for each of threads[]; the others stay there, with nothing.  Arcs of a file without contexts
 * are of no thread, and stay.  Program counters are gone where they may be of others.  False: memory is short. */
bool profile_take_threads(struct profile *p, const bool *keeps);

/* Write the history of CONTEXT to OUT, which has room for p->longest entries, with indices of
 * routines[] as routines.  Returns its length.  Linear in the length. */
size_t profile_history(const struct profile *p, uint32_t context, history_entry *out);

/* The time that a sample stands for, ns, hooks included: the mean, or what the rate says where there is no sample; 0: time was not sampled. */
double profile_tick(const struct profile *p);

/* The part of the CPU time of all runs that was the kernel's, 0..1, by its own count; less than 0: not known, or the runs are too short. */
double profile_kernel_part(const struct profile *p);

/* The mean period of the program counters in the runs that have any, ns of CPU time; 0: none has. */
double profile_pc_period(const struct profile *p);

/* Were calls counted?  Of call stacks that were sampled (AMON_WAY_STACKS) they are not; no profile has some runs of this kind and some of that. */
bool profile_counts_calls(const struct profile *p);

/* Are contexts known?  Else all that is known is arcs (AMON_WAY_ARCS); no profile has some runs of this kind and some of that. */
bool profile_has_contexts(const struct profile *p);

/* Was any run made from a file of other people's (amon_header.origin)? */
bool profile_is_imported(const struct profile *p);

/* The program that RUN is of; the file's name where that is not known. */
const char *profile_run_name(const struct profile_run *run);

/* How a pseudo-routine, AMON_ROUTINE_ELIDED..., is called, and which one NAME is; 0: none. */
const char *profile_pseudo_name(uint32_t pseudo);
uint32_t profile_pseudo_find(const char *name);

/* Had any run hooks of WAY? */
bool profile_used_way(const struct profile *p, enum amon_way way);

/* Did the run of H lose program counters, or did a thread of it have none? Then those that there are do not stand for the whole run. */
bool profile_lacks_pcs(const struct amon_header *h);

/* The language of the scripts whose routines the module with PATH stands for; NULL: it is none of these, but a file. */
const char *profile_language(const char *path);

/* Whether PATH is that of a module which stands for a mapping of code that no file has; then *START, unless START is NULL, becomes where that began. */
bool profile_is_anonymous(const char *path, uint64_t *start);

/* MODULE is at PATH, too.  False: out of memory. */
bool profile_module_at(struct profile *p, uint32_t module, const char *path);

/* Add the symbols S, whose data is copied, to P, unless it has them. False: out of memory. */
bool profile_add_symbols(struct profile *p, const struct profile_symbols *s);

/* Take all symbols out of P. */
void profile_drop_symbols(struct profile *p);

/* The symbols of P, which was read from one file, from number FIRST on, as a chunk to be appended to that file: malloc'ed, its size in *LEN, a multiple of
 * AMON_PAGE.  NULL with *ERR set: memory is short. */
void *profile_symbols_chunk(const struct profile *p, size_t first, size_t *len, struct error *err);

/* What files must have in common to make one profile: their clock, and what is known of calls.  Kinds of call stacks have the greater numbers. */
uint32_t profile_kind(const struct amon_header *h);
bool profile_kind_is_stacks(uint32_t kind);

/* What V is, for people: "page-faults", "alloc_space, in bytes"; into TEXT, of PROFILE_VALUE bytes, which is returned. */
enum { PROFILE_VALUE = 128 };
char *profile_value_text(const struct profile_value *v, char *text);

/* Does RUN, of a file, go with FIRST, a run of a profile?  False with *ERR set. */
bool profile_goes_with(const struct profile_run *first, const struct profile_run *run, struct error *err);

/* The amon.out of SIZE bytes at FILE, of call stacks, as a chunk of the file of exact contexts of the same processes: malloc'ed, its size in *LEN, a
 * multiple of AMON_PAGE.  NULL with *ERR set: memory is short, or it is more than a chunk can be. */
void *profile_sampled_chunk(const void *file, size_t size, size_t *len, struct error *err);

/* The profile of the call stacks beside, P->sampled, made if there is none.  NULL: out of memory. */
struct profile *profile_beside(struct profile *p);

/* Add the amon.out of call stacks in the LEN bytes at DATA, called LABEL in messages, to P->sampled.  False with *ERR set, as profile_read; P is then as before. */
bool profile_read_sampled(struct profile *p, const void *data, size_t len, const char *label, struct error *err);

/* P is of rank RANK of an MPI job, and nothing else. False: out of memory. */
bool profile_set_rank(struct profile *p, uint32_t rank);

/* Of how many ranks P is the sum and tells how they differ; 0: some run of it is of none. */
uint32_t profile_ranks(const struct profile *p);

/* How CONTEXT differs over them; least is 0 where some rank has nothing of it. */
struct profile_spread profile_spread_of(const struct profile *p, uint32_t context);

/* Write P as one amon.out of one process (aprof merge, gprof -s): of several runs, as their sum (sum.h); contexts are renumbered.
 * The result is malloc'ed, its size in *LEN; NULL with *ERR set when memory is short. */
void *profile_write(const struct profile *p, size_t *len, struct error *err);

#endif
