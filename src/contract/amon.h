/* amon.h - what is in amon.out, the file of a profiled process.
 *
 * The file is the monitor's live memory, mapped shared: it is valid at every
 * moment, complete after any death, and readable while the program runs.
 * It is little-endian, of fixed-width fields, without pointers, and laid out as
 *
 *     header (one page) | chunk | chunk | chunk | ...
 *
 * A chunk starts at a multiple of AMON_PAGE, says its own size, and never moves;
 * header.used is the end of the last one.  Chunks are only ever appended, and
 * the items of a chunk are published by raising its count after they are whole,
 * so a file that is cut off anywhere is readable up to the cut.
 *
 * What a reader must know beyond this header is in doc/format.md. */
#ifndef AMON_H
#define AMON_H

#include <stdint.h>

#define AMON_MAGIC	"amon.out"	/* 8 bytes, no final NUL */
#define AMON_VERSION	1
#define AMON_PAGE	4096u		/* alignment of chunks, bytes */
#define AMON_CHUNK_MAGIC 0x6b6e6863u	/* "chnk" */
#define AMON_NONE	UINT32_MAX	/* no such index */

/* Which clock charged the contexts: unit and meaning of amon_counter.time. */
enum amon_clock {
	AMON_CLOCK_NONE,	/* calls are counted, no time is taken */
	AMON_CLOCK_TICK,	/* CPU time of the thread, sampled, nanoseconds */
	AMON_CLOCK_TSC,		/* elapsed cycles at each change of context; see tsc_hz */
	AMON_CLOCK_WALL,	/* elapsed time, sampled, sleep included, nanoseconds */
	AMON_CLOCK_COUNT,	/* no time: what the program itself adds (aprof_add), an interpreter's instructions for one, or what the first AMON_VALUES say */
};

/* What drives a sampled clock. */
enum amon_source {
	AMON_SOURCE_NONE,	/* not a sampled clock, or it could not be started */
	AMON_SOURCE_SAMPLER,	/* a thread of the monitor looks at the others */
	AMON_SOURCE_TIMER,	/* a POSIX CPU timer of each thread, SIGPROF */
	AMON_SOURCE_PERF,	/* a perf software clock of each thread, SIGPROF */
	AMON_SOURCE_PTRACE,	/* threads are stopped by ptrace, and looked at */
};

/* How the process stood when the file was last written. */
enum amon_state {
	AMON_RUNNING,		/* runs, or is gone without a chance to say so: killed, by _exit, replaced by exec */
	AMON_ENDED,		/* left through exit or by returning from main */
};

/* Things that were lost or done otherwise than asked; header.notes[] counts
 * each kind.  New kinds are added at the end. */
enum amon_note {
	AMON_NOTE_OUT_OF_MEMORY,	/* contexts that could not be made: memory refused */
	AMON_NOTE_MEMORY_BOUND,		/* calls that met the bound: new contexts elided */
	AMON_NOTE_LOST_CALLS,		/* calls counted in the context "lost" only */
	AMON_NOTE_NO_FILE,		/* file could not be made; see note_errno */
	AMON_NOTE_DISK_FULL,		/* chunks that the disk refused */
	AMON_NOTE_TRUNCATED,		/* mapped file was truncated by others */
	AMON_NOTE_COPIED,		/* file lives elsewhere and was copied at exit */
	AMON_NOTE_OTHER_NAME,		/* amon.out was held, or is no profile; another name was taken */
	AMON_NOTE_TIMER_FAILED,		/* threads whose time nobody takes */
	AMON_NOTE_CLOCK_CHANGED,	/* the clock asked for could not be had */
	AMON_NOTE_OVERRUN,		/* ticks that came late and were added up */
	AMON_NOTE_RESYNC,		/* frames popped because the stack had been unwound */
	AMON_NOTE_AMBIGUOUS,		/* frames of which it is unknown whether they live */
	AMON_NOTE_FOREIGN_STACK,	/* entries on a machine stack seen for the first time */
	AMON_NOTE_STACK_OVERFLOW,	/* calls deeper than the shadow stack: depth counted only */
	AMON_NOTE_UNBALANCED_EXIT,	/* exits without an entry */
	AMON_NOTE_FORK_UNSEEN,		/* forks that ran no handler (_Fork, clone) */
	AMON_NOTE_FORK,			/* children forked */
	AMON_NOTE_VFORK,		/* children of vfork, counted for nobody */
	AMON_NOTE_THREAD_FOLDED,	/* ended threads whose counters were added up */
	AMON_NOTE_PC_LOST,		/* ticks whose PC found no room in the table */
	AMON_NOTE_SIGPROF_TAKEN,	/* the program took SIGPROF; no program counters any more */
	AMON_NOTE_UNLOADED,		/* modules unloaded while the program ran */
	AMON_NOTE_INTERNAL,		/* the monitor met a state that cannot be, and latched off */
	AMON_NOTE_EARLY,		/* calls before the program was relocated (resolvers of IFUNCs), not counted */
	AMON_NOTE_UNREDIRECTED,		/* way mcount: entries whose exit nobody tells */
	AMON_NOTE_PHASE_LOST,		/* changes of phase, and threads at a reset, that found no room; what followed counts with what was before */
	AMON_NOTE_UNTIMED,		/* clock tsc: calls by way inline of routines that do not read the counter, not counted */
	AMON_NOTE_PC_BLOCKED,		/* threads that had SIGPROF blocked whenever they were looked at, and so no program counters */
	AMON_NOTE_NO_PROC,		/* 1: /proc could not be read, wholly or in part; what it tells came from elsewhere, or lacks */
	AMON_NOTE_NO_MODULE,		/* routines of which it is not known what module they are in */
	AMON_NOTE_UNREAD_STACK,		/* way inline: jumps after which the machine stack did not tell who is open; calls stand under "(lost)" */
	AMON_NOTE_UNTOLD_JUMPS,		/* 1: way inline; jumps by libraries without hooks are not seen, since libc comes before the monitor in the search for names */
	AMON_NOTE_SETTING,		/* APROF_RATE, APROF_MEMORY or APROF_PC was not understood; the default was taken */
	AMON_NOTE_CUT_STACK,		/* way stacks: those that could not be followed to the thread's start; they stand under "(truncated)" */
	AMON_NOTE_NO_KERNEL,		/* 1: way stacks; time in the kernel was not sampled, since that is not permitted */
	AMON_NOTE_LOST_STACK,		/* way stacks: samples that came faster than they were read */
	AMON_NOTE_NO_GROWTH,		/* times the file could not be made longer; see note_errno */
	AMON_NOTE_SITES_BOUND,		/* calls by call sites that there was no room to tell apart */
	AMON_NOTE_SLICES_BOUND,		/* samples that found no room among the times by interval */
	AMON_NOTE_CHILD_BARRED,		/* forked children that may not make their files where they belong */
	AMON_NOTE_PROCESS_LOST,		/* short processes whose part of the file that they share could not be read */
	AMON_NOTE_UNTRACKED,		/* allocations of which it is not known when they were freed; they are taken for freed at once */
	AMON_NOTES
};

/* The first page. */
struct amon_header {
	char magic[8];			/* AMON_MAGIC */
	uint32_t version;		/* AMON_VERSION */
	uint32_t header_size;		/* sizeof (struct amon_header), bytes */
	uint64_t used;			/* end of the last chunk, bytes from the start */
	uint32_t counter_size;		/* sizeof (struct amon_counter), bytes */
	uint32_t machine;		/* ELF e_machine of the program */
	uint32_t state;			/* enum amon_state */
	int32_t exit_status;		/* wait status if aprof run knew it, in the last profile of its process; else -1 */
	int32_t pid;			/* of the process */
	int32_t ppid;			/* of its parent at the start */
	uint64_t start_realtime;	/* when the file was begun, ns since 1970 UTC */
	uint64_t start_monotonic;	/* the same by CLOCK_MONOTONIC, ns */
	uint64_t start_ticks;		/* field starttime of /proc/PID/stat: with pid, who wrote this */
	uint64_t end_monotonic;		/* when it ended, ns; 0 while running or unknown */
	uint64_t reset_monotonic;	/* when counters were last zeroed, ns; 0: never */
	uint64_t cpu_before;		/* CPU time of the process before the monitor began, ns */
	uint64_t cpu_total;		/* CPU time of the process when it ended, ns; 0: unknown */
	uint32_t clock;			/* enum amon_clock */
	uint32_t source;		/* enum amon_source: of the time */
	uint32_t pc_source;		/* enum amon_source: of the program counters */
	uint32_t rate;			/* samples each second asked for, or, by timer or ptrace, taken if fewer; 0: not sampled */
	uint64_t tsc_hz;		/* cycles each second; 0: unknown */
	uint64_t hook_picoseconds;	/* calibrated cost of one entry and exit, 1e-12 s; 0: not measured */
	uint64_t hook_inside;		/* part of it charged to the routine entered, 1e-12 s */
	uint64_t memory_bound;		/* APROF_MEMORY, bytes */
	uint64_t memory_private;	/* monitor's memory beside the file, bytes */
	uint32_t way;			/* bits 1 << enum amon_way seen so far */
	uint32_t reset_request;		/* raised by aprof reset; the monitor zeroes and copies it to reset_done */
	uint32_t reset_done;		/* last request carried out */
	uint32_t note_errno;		/* errno of the last note that has one; 0: none */
	uint64_t notes[64];		/* how often each enum amon_note */
	char host[64];			/* node name, NUL-terminated */
	char program[512];		/* absolute path of the executable */
	char directory[512];		/* working directory at the start; of a forked child, the parent's, as its command is */
	char command[1024];		/* arguments, each ended by NUL; cut to fit */
	uint32_t command_size;		/* bytes used in command */
	uint32_t command_cut;		/* 1: the arguments did not all fit */
	uint64_t cpu_user;		/* the program's time in user mode since the monitor began, or the last reset, as the kernel's timer
					 * interrupts counted it, ns; while it runs, as of a moment ago; 0, as the next one: not known */
	uint64_t cpu_system;		/* the same in the kernel, ns */
	uint64_t pc_period;		/* of pc_source, ns of CPU time; 0: there is none, or, in files of earlier monitors, 4 of the samples asked for */
	uint64_t stacks[8];		/* APROF_VERIFY: stacks held against their contexts, by enum amon_verdict; of earlier monitors none */
	char origin[64];		/* what file of other people's this was made from, "perf script"; NUL-terminated; "": none */
	char unit[128];			/* for people: what its times are, where that is not what `clock` says; "": it is */
	uint64_t sum_weight[2];		/* of a sum, so that it can be added up further: by how much its means of hooks' costs count, 128 bits,
					 * the low half first; 0: it is of one process, and counts by its calls and 1 */
	uint64_t sum_hook[2];		/* the weighted sums that these are the means of: hook_picoseconds, */
	uint64_t sum_inside[2];		/* and hook_inside */
	uint64_t sum_periods;		/* the sum of pc_period over the processes that have one, ns, */
	uint64_t sum_period_processes;	/* and how many these are */
	uint64_t unsure;		/* of the times, what the sources do not tell, or tell differently, ns (read/profile/times.h); of sampled stacks, what no sample
					 * saw, and was shared as the others say (record/sample/account.h); of earlier monitors, what looks that came late charged */
	uint64_t late_left;		/* of earlier monitors: what such looks left to the next one that came in time, ns */
	uint64_t pc_unsampled;		/* CPU time that threads spent while others had, and they had not, what takes program counters, ns */
	uint64_t settled;		/* 1: the times are those that all sources together tell, and `ticks` how many samples they are worth; 0: times and ticks are
					 * of the sampler's looks alone */
	uint64_t sampler_cpu;		/* what the clock itself took: CPU time of the sampler, ns, */
	uint64_t sleeps;		/* times that threads gave up a processor by themselves, as far as the sampler asked */
	uint64_t interrupt_nsec;	/* and of each interrupt that took a program counter, ns; 0: not measured */
	uint64_t compared;		/* samples by which looks and interrupts were compared, routine by routine: of each pair of them the fewer; 0: they were not */
	uint64_t differ;		/* of the times, what they differ by beyond chance, ns */
};

/* What came of holding a thread's stack against the context that its machine was in: its routines, from the outermost on, replayed by steps
 * A1-A5, give a history, which is to be the context's. */
enum amon_verdict {
	AMON_STACK_FITS,		/* it is */
	AMON_STACK_OPEN,		/* it is, if a routine that was interrupted is taken not to be entered yet, or left already; see struct
					 * amon_stack */
	AMON_STACK_DIFFERS,		/* it is not */
	AMON_STACK_UNTOLD,		/* a hook was at work, control was on its way to another stack or out of routines, or what a signal interrupted may be over */
	AMON_STACK_UNREAD,		/* the stack could not be read to its end, or the context says itself that it is not known */
	AMON_VERDICTS
};

/* How hooks got into the program (bits of header.way). */
enum amon_way {
	AMON_WAY_FENTRY,	/* __aprof_entry and __return__ */
	AMON_WAY_CYG,		/* __cyg_profile_func_enter and _exit */
	AMON_WAY_MCOUNT,	/* mcount or __fentry__, return addresses redirected */
	AMON_WAY_INLINE,	/* compiler plugin */
	AMON_WAY_STACKS,	/* call stacks were sampled, and no call was counted, whatever hooks there are */
	AMON_WAY_ARCS,		/* what was counted is arcs, without contexts (AMON_ARCS): other people's */
	AMON_WAY_SCRIPT,	/* an interpreter tells of the routines of its scripts (contract/aprof.h) */
};

enum amon_kind {
	AMON_MODULES = 1,	/* struct amon_module, 8-aligned, each of its own length */
	AMON_ROUTINES,		/* struct amon_routine[count] */
	AMON_THREADS,		/* struct amon_thread[count] */
	AMON_CONTEXTS,		/* of one thread: amon_link[capacity], page, amon_counter[capacity], uint32_t ticks[capacity] */
	AMON_PCS,		/* of one thread: struct amon_pc[capacity], a hash table */
	AMON_FILLER,		/* space to skip */
	AMON_RESET,		/* of one thread: uint64_t calls[capacity], of its items 0.. at the last reset */
	AMON_PHASES,		/* struct amon_phase[count] */
	AMON_PHASE_COUNTS,	/* of one thread and the phase `base`: struct amon_phase_count[count] */
	AMON_STACKS,		/* of one thread: struct amon_stack[capacity], a hash table */
	AMON_SYMBOLS,		/* struct amon_symbols, 8-aligned, each of its own length */
	AMON_COMMANDS,		/* struct amon_command[count]: of which processes this file is the sum */
	AMON_ARCS,		/* struct amon_arc[count] */
	AMON_SCRIPTS,		/* struct amon_script, 8-aligned, each of its own length */
	AMON_SITES,		/* of one thread: uint64_t site[capacity], of its items from `base` on */
	AMON_SPENT,		/* of one thread: struct amon_spent[capacity], of its items from `base` on */
	AMON_SPREADS,		/* of one thread: struct amon_spread[count] */
	AMON_BYTES,		/* of one thread: uint64_t bytes[capacity], of its items from `base` on */
	AMON_SLICES,		/* of one thread: struct amon_slice[capacity], a hash table; of intervals of level `base` */
	AMON_PCS_PACKED,	/* of one thread: packed PCs (pcs.h), which stand for its AMON_PCS; of several the first one that is not empty holds */
	AMON_SAMPLED,		/* char[count]: a whole file of this format, of call stacks that were sampled in the same processes */
	AMON_PROCESSES,		/* struct amon_processes, and from `first` on a whole file of this format in each `base` bytes, of a short process each */
	AMON_VALUES,		/* struct amon_value[count] */
	AMON_AMOUNTS,		/* of one thread and the value `value`: struct amon_amount[capacity], of its items from `base` on; of no thread: of arcs */
	AMON_ORIGINS,		/* struct amon_origin[count]: of a sum, of which process each thread was */
	AMON_KINDS
};

/* Head of every chunk; items follow at offset `first`. */
struct amon_chunk {
	uint32_t magic;		/* AMON_CHUNK_MAGIC */
	uint32_t kind;		/* enum amon_kind */
	uint64_t size;		/* bytes, this head included; a multiple of AMON_PAGE */
	uint32_t thread;	/* index of the owning thread; AMON_NONE: the process */
	uint32_t count;		/* items that are whole (AMON_MODULES, AMON_SYMBOLS, AMON_SCRIPTS, AMON_PCS_PACKED, AMON_SAMPLED: bytes; AMON_PCS, AMON_STACKS, AMON_SLICES: slots taken) */
	uint32_t capacity;	/* items that fit (AMON_MODULES, AMON_SYMBOLS, AMON_SCRIPTS, AMON_PCS_PACKED, AMON_SAMPLED: bytes) */
	uint32_t first;		/* offset of the items from the chunk's start, bytes */
	uint32_t counters;	/* AMON_CONTEXTS: offset of the counters, a multiple of AMON_PAGE; else 0 */
	uint32_t base;		/* AMON_CONTEXTS, AMON_SITES, AMON_SPENT, AMON_BYTES, AMON_AMOUNTS: index of the first item among its thread's; AMON_PHASE_COUNTS:
				 * index of the phase, or AMON_NONE for the mark; AMON_SLICES: level of its intervals */
	uint32_t value;		/* AMON_AMOUNTS, AMON_PCS, AMON_PCS_PACKED: index of the value; else 0 */
	uint32_t reserved[5];	/* 0 */
};

/* What short processes, which share a file, have in common: behind the head of AMON_PROCESSES.  Of the places in it the first `count`, but no more
 * than `capacity`, were taken; one that does not begin with AMON_MAGIC holds nothing. */
struct amon_processes {
	uint64_t waits;		/* CPU time of processes in it that no sample has placed, and that is in none of their files, ns */
	uint64_t reserved[7];	/* 0 */
};

/* One executable mapping of a module: as a rule the text segment. */
struct amon_module {
	uint32_t size;		/* bytes of this record, path and padding included */
	uint32_t epoch;		/* load epoch: 0 at the start, raised by each dlclose seen */
	uint64_t start;		/* first address of the mapping */
	uint64_t end;		/* one past its last */
	uint64_t offset;	/* file offset of start, bytes */
	uint64_t bias;		/* load address minus link address; AMON addresses minus bias are the ELF file's */
	uint8_t build_id_size;	/* bytes of build_id used; 0: has none */
	uint8_t main_program;	/* 1: the executable itself */
	uint8_t unloaded;	/* 1: no longer mapped there */
	uint8_t hooked;		/* 1: at least one of its routines called a hook */
	uint32_t path_size;	/* bytes of path, final NUL included */
	uint8_t build_id[32];	/* GNU build-id */
	/* char path[path_size]; then zeros up to a multiple of 8 */
};

/* A routine that an interpreter defined.  Its module's path is AMON_SCRIPT_MODULE and the name of the language; that module is mapped nowhere
 * (start, end, bias are 0), and the routine's address, of AMON_SCRIPT_FIRST and above, stands for its language, name, file and line:
 * in every process the same, unless another routine had it there before. */
struct amon_script {
	uint32_t size;		/* bytes of this record, strings and padding included */
	uint32_t routine;	/* index of the routine */
	uint32_t line;		/* of its definition; 0: unknown */
	uint32_t name_size;	/* bytes of its name, final NUL included */
	uint32_t file_size;	/* bytes of the path of its source, final NUL included */
	uint32_t reserved;	/* 0 */
	/* char name[name_size], file[file_size]; then zeros up to a multiple of 8 */
};

#define AMON_SCRIPT_MODULE	"script: "
#define AMON_SCRIPT_FIRST	(UINT64_C(1) << 47)	/* no code of the program is there */

/* How the path begins of a module that stands for a mapping of code that no file has, and whose names nobody told; the mapping's first address follows, in hexadecimal, and "]".
 * Of a routine there the address is that of any instruction in it: whoever knows its name by now makes the routine one of that name.  What stays without is one routine for
 * each mapping. */
#define AMON_ANONYMOUS_MODULE	"[anon "

enum { AMON_ROUTINE_INSIDE = 1 };	/* address is inside the routine, not its entry */

/* A routine: a function that called an entry hook.  Its index names it in links. */
struct amon_routine {
	uint64_t address;	/* run-time address that the hook saw */
	uint32_t module;	/* index of the module that held it; AMON_NONE: unknown */
	uint32_t flags;		/* AMON_ROUTINE_INSIDE */
};

/* Well-known pseudo-routines: indices that no amon_routine has. */
enum {
	AMON_ROUTINE_ROOT = 0x7fffff00,	/* of context 0: nothing is active */
	AMON_ROUTINE_ELIDED,		/* "(elided)": callers not recorded, memory bound */
	AMON_ROUTINE_LOST,		/* "(lost)": calls of which nothing else is known */
	AMON_ROUTINE_MONITOR,		/* "(monitor)": time inside the slow path */
	AMON_ROUTINE_UNPLACED,		/* "(unplaced)": what no sample saw, of a value */
	AMON_ROUTINE_TRUNCATED,		/* "(truncated)": callers that a sampled stack did not tell */
	AMON_ROUTINE_KERNEL,		/* "[kernel]": the kernel, at work for its caller; way stacks */
	AMON_ROUTINE_SIGNAL,		/* "(signal)": what the kernel put on a stack to call a handler; way stacks */
	AMON_ROUTINE_LAST = AMON_ROUTINE_SIGNAL
};

enum amon_thread_state {
	AMON_THREAD_LIVE,	/* not seen to end: runs, or ran when the process ended */
	AMON_THREAD_ENDED,	/* its destructors ran */
	AMON_THREAD_FOLDED,	/* sum of several ended threads */
};

/* A thread.  Its index names it in chunks.  Its contexts are numbered from 0 in
 * the order of its AMON_CONTEXTS chunks. */
struct amon_thread {
	uint32_t tid;		/* kernel's thread id, of the last one if folded; of a sum of many processes 0 */
	uint32_t state;		/* enum amon_thread_state */
	uint32_t current;	/* context it was in when it or the process ended; AMON_NONE: unknown */
	uint32_t depth;		/* open frames then; shadow-stack ways only */
	uint64_t folded;	/* threads whose counters are summed here, 1 as a rule */
	uint64_t start_monotonic; /* first hook, ns */
	uint64_t cpu_first;	/* its CPU clock at the first hook, ns */
	uint64_t cpu_last;	/* its CPU clock when last looked at, ns */
	uint64_t unplaced;	/* time that no sample could place, ns */
	uint64_t monitor;	/* time inside the slow path, same unit as counters */
	uint64_t ticks;		/* samples taken */
	uint64_t monitor_ticks;	/* of them inside the slow path */
	uint64_t misses;	/* entries that the first probe did not answer */
	uint64_t deepest;	/* largest depth of the shadow stack, frames */
	uint64_t slow;		/* entries that went to the slow path: transitions made */
	char name[16];		/* NUL-terminated */
	uint64_t squares;	/* sum of the squares of what each sample that charged a context brought, us^2: by them it is known what the samples are
				 * worth; 0: all alike */
	uint64_t reserved;	/* 0 */
};

/* A transition of the machine: in context `parent`, `routine` is called.
 * Steps A1-A5 of Spivey 2004, replayed (history.h), give the history of the context that it
 * leads to.  Item 0 of each thread is the root: parent AMON_NONE, routine AMON_ROUTINE_ROOT,
 * the empty history.  parent is below the item's own index and is the first item with its
 * history, so that: an item whose history no earlier one has is a context; any other
 * is a transition to one; a transition to its own parent counts direct recursive calls.
 * parent AMON_NONE with another routine starts a history of its own (an unknown stack,
 * (elided), (lost)). */
struct amon_link {
	uint32_t parent;	/* index among the thread's items */
	uint32_t routine;	/* index of a routine, or a pseudo-routine */
};

/* What a profile holds of each context, beside calls.  Of several the first is what `time` and `ticks` of counters are.  Where there is none, these
 * are what the header's clock says. */
struct amon_value {
	char name[64];		/* NUL-terminated, not empty, each once in a file: "cpu", "page-faults", "alloc_space" */
	char unit[32];		/* NUL-terminated, not empty: "ns", "bytes", "count", "cycles" */
	uint32_t flags;		/* enum amon_value_flag */
	uint32_t reserved;	/* 0 */
	uint64_t state;		/* AMON_VALUE_PEAK: as contract/allocations.h has it; else 0 */
	uint32_t unused[4];	/* 0 */
};

enum amon_value_flag {
	AMON_VALUE_SAMPLED = 1,	/* by samples, each of which stands for an amount; else it is exact */
	AMON_VALUE_WEIGHED = 2,	/* AMON_AMOUNTS have the squares of what all its samples stand for, also of the first value; else they are taken for alike */
	AMON_VALUE_PARTIAL = 4,	/* of a sum: some of its processes did not have it, and count for nothing */
	AMON_VALUE_PEAK = 8,	/* what there was of the value before this one when all together had most of it: by state and marks (allocations.h) */
};

/* What an item, or an arc, has of a value.  Of the first value `amount` and `samples` are in counters, and only the squares count here. */
struct amon_amount {
	uint64_t amount;	/* in its unit */
	uint64_t samples;	/* that brought it; 0: it is exact, or their number is not known */
	uint64_t squares[2];	/* sum of the squares of what each of them stands for, 128 bits, the low half first; AMON_VALUE_PEAK: the mark, 0 */
};

/* Where an item's calls came from, in AMON_SITES: the address that they return to, behind the instruction that calls; of a routine that was inlined into
 * itself or others, where its entry hook returns to.  Each call site of a transition then has an item of its own, with the same parent and routine. */
#define AMON_SITE_NONE		UINT64_C(0)	/* it was not looked at */
#define AMON_SITE_SEVERAL	UINT64_MAX	/* from several, which there was no room to tell apart */

/* How a context differs over the ranks of an MPI job of which the file is the sum. */
struct amon_spread {
	uint32_t item;		/* of the thread: the context's first */
	uint32_t ranks;		/* that have anything of it; of item 0: of which the file is the sum */
	uint32_t calls_rank;	/* which has the most calls, the lowest of several */
	uint32_t time_rank;	/* the most time */
	uint64_t calls_least;	/* among those that have anything of it: entries and direct recursive calls */
	uint64_t calls_most;
	uint64_t time_least;	/* time charged to it, in the unit of the clock */
	uint64_t time_most;
};

/* Samples that found an item's transition the last one along an arc, from its caller to its routine, whose caller's most recent activation it was: for how
 * long the calls from its call site took, of all that the arc did.  The samples are those of AMON_PCS, as far as the stack could be read. */
struct amon_spent {
	uint32_t self;		/* the routine ran */
	uint32_t children;	/* what it called did */
};

/* Counters of an item; calls is updated in place by one instruction.  After all counters of a chunk
 * stand its ticks: for each item the samples that charged it, a uint32_t.  Calls never go back: those
 * of the thread's last AMON_RESET chunk, where there is one, are to be subtracted. */
struct amon_counter {
	uint64_t calls;		/* times the transition was taken, since the start */
	uint64_t time;		/* time charged to the context, unit by header.clock */
	uint64_t id;		/* the running monitor's own: what it calls the context, by which a call finds it */
	uint64_t routine;	/* the same: address of the routine called */
};

/* Where a run keeps its time by interval, too: what samples charged to one context in one interval of the run (slice.h). */
struct amon_slice {
	uint32_t interval;	/* 1 + its number; 0: a free slot */
	uint32_t context;	/* index among the thread's items; AMON_NONE: the slow path of the monitor (amon_thread.monitor) */
	uint64_t time;		/* as amon_counter.time */
	uint32_t ticks;		/* samples */
	uint32_t phase;		/* index of the phase that went on; 0: not told */
};

/* The process that a thread of a sum was of.  The intervals of the thread's slices begin when that process' file was begun. */
struct amon_origin {
	uint64_t start_realtime; /* as its header has it; 0: of several processes */
	int32_t pid;		/* the same */
	uint32_t rank;		/* in its MPI job; AMON_NONE: of none, or not known */
};

/* A phase of the run, as the program names it. Index 0 is AMON_PHASE_STOPPED: what is counted in it is to be left out; index 1 the time before any was named. */
struct amon_phase {
	char name[48];		/* NUL-terminated; "" for the time before any was named */
	uint64_t begun;		/* how often it was entered */
	uint32_t current;	/* 1: it goes on */
	uint32_t reserved;	/* 0 */
};

enum { AMON_PHASE_STOPPED, AMON_PHASE_UNNAMED, AMON_PHASE_TOTALS = 2 };

/* What was counted in a phase, or, of the mark, what stood in the counters when the one that goes on began.  The first is of
 * the thread: calls, time, ticks hold its CPU time (ns), what was unplaced (ns), what was the monitor's; the second holds
 * its samples and the monitor's; the one after that is of item 0, and so on. */
struct amon_phase_count {
	uint64_t calls;		/* as amon_counter.calls */
	uint64_t time;		/* as amon_counter.time */
	uint64_t ticks;		/* samples */
};

/* How often a sample found this program counter in this context. */
struct amon_pc {
	uint64_t pc;		/* address; 0: empty slot */
	uint32_t context;	/* index among the thread's items */
	uint32_t count;		/* samples */
};

/* What the file of a module says of the addresses in this one: names, lines, hooks.  Written behind everything else by whoever had that file. */
struct amon_symbols {
	uint32_t size;		/* bytes of this record, data and padding included */
	uint32_t module;	/* which module, counting in the order of AMON_MODULES each file once */
	uint64_t data_size;	/* bytes of data */
	uint64_t plain_size;	/* bytes that it has when inflated */
	/* char data[data_size]: a message Symbols (format.md) in zlib's format; then zeros up to a multiple of 8 */
};

/* Processes whose profiles were added up in this file, by what was run. */
struct amon_command {
	char name[96];		/* NUL-terminated: the program's name, and a word of its arguments if there was one */
	uint64_t processes;	/* how many */
	uint64_t time;		/* of all of them, contexts or not, ns */
	uint64_t calls;		/* all of theirs */
};

/* Way arcs: the calls of one routine by another, with the time that passed in them.  Contexts are of one routine each then, with its own time. */
struct amon_arc {
	uint32_t from;		/* index of a routine; AMON_NONE: not known by whom */
	uint32_t to;		/* index of a routine */
	uint64_t calls;		/* how many */
	uint64_t time;		/* in `to` and in what it called, unit by header.clock; where routines call each other in a circle it is as the file says */
};

/* How often a stack did not simply fit its context, and where. */
struct amon_stack {
	uint64_t pc;		/* where the routine was interrupted that may not be entered (AMON_STACK_OPEN), or the thread; 0: empty slot */
	uint32_t context;	/* index among the thread's items: the one that the machine was in */
	uint32_t routine;	/* AMON_STACK_OPEN: the one that was interrupted; AMON_NONE in files of before.  AMON_STACK_DIFFERS: the first in
				 * the stack's history that the context's has not there; AMON_NONE: the context's goes on where the stack's ends */
	uint32_t verdict;	/* enum amon_verdict */
	uint32_t count;		/* how often */
};

#endif
