/* notes.c - one row for each enum amon_note. */
#include "report/notes.h"

#include <stddef.h>

static const struct note table[AMON_NOTES] = {
	[AMON_NOTE_OUT_OF_MEMORY] = { "out_of_memory", "no memory for a new context, whose calls count for a stand-in, or for a new thread, whose calls are lost",
		"give the program more memory, or lower APROF_MEMORY", false },
	[AMON_NOTE_MEMORY_BOUND] = { "memory_bound", "the bound on memory was met; callers of later contexts are \"(elided)\"",
		"raise APROF_MEMORY (aprof run --memory=)", false },
	[AMON_NOTE_LOST_CALLS] = { "lost_calls", "a call is counted in \"(lost)\" only",
		"raise APROF_MEMORY (aprof run --memory=)", false },
	[AMON_NOTE_NO_FILE] = { "no_file", "the profile could not be made where it was wanted",
		"set APROF_OUT to a directory that can be written", false },
	[AMON_NOTE_DISK_FULL] = { "disk_full", "the disk refused space for the profile",
		"make room, or set APROF_OUT to another disk", false },
	[AMON_NOTE_TRUNCATED] = { "truncated", "somebody cut the profile while it was being written; counts from before are lost",
		"keep other programs away from amon.out", false },
	[AMON_NOTE_COPIED] = { "copied", "the disk cannot be mapped shared: the profile was kept in memory and copied at exit",
		"set APROF_OUT to a local disk if the program may be killed", true },
	[AMON_NOTE_OTHER_NAME] = { "other_name", "the file was held by another process, or by this one before an exec, or was no profile, so that the profile got another name", NULL, true },
	[AMON_NOTE_TIMER_FAILED] = { "timer_failed", "a thread could not be timed; its calls are counted, its time is not",
		"try APROF_CLOCK=tsc", false },
	[AMON_NOTE_CLOCK_CHANGED] = { "clock_changed", "the clock that was asked for could not be had; the line \"clock\" says which ran", NULL, true },
	[AMON_NOTE_OVERRUN] = { "overrun", "samples came late and were added to the next one",
		"lower APROF_RATE if they are many", true },
	[AMON_NOTE_RESYNC] = { "resync", "frames were dropped since the stack had been unwound (longjmp, exceptions)", NULL, true },
	[AMON_NOTE_AMBIGUOUS] = { "ambiguous", "it was not certain whether a frame still lived; a caller may be wrong there", NULL, false },
	[AMON_NOTE_FOREIGN_STACK] = { "foreign_stack", "calls came on a stack not seen before (coroutines, signal stacks)", NULL, true },
	[AMON_NOTE_STACK_OVERFLOW] = { "stack_overflow", "recursion went deeper than the shadow stack; those calls are counted, their callers folded", NULL, false },
	[AMON_NOTE_UNBALANCED_EXIT] = { "unbalanced_exit", "a routine was left that had not been entered",
		"do not mix objects built in different ways", false },
	[AMON_NOTE_FORK_UNSEEN] = { "fork_unseen", "a child was made behind the C library's back; it is profiled from where that was noticed", NULL, true },
	[AMON_NOTE_FORK] = { "fork", "children forked; each has a profile of its own", NULL, true },
	[AMON_NOTE_VFORK] = { "vfork", "children of vfork; their few calls count for nobody", NULL, true },
	[AMON_NOTE_THREAD_FOLDED] = { "thread_folded", "ended threads whose counts were added up as one", NULL, true },
	[AMON_NOTE_PC_LOST] = { "pc_lost", "samples whose place within the routine found no room; --leaves and --lines lack them", NULL, true },
	[AMON_NOTE_SIGPROF_TAKEN] = { "sigprof_taken", "the program uses SIGPROF itself: from then on there are no program counters, for --leaves and --lines", NULL, true },
	[AMON_NOTE_UNLOADED] = { "unloaded", "modules were unloaded while the program ran", NULL, true },
	[AMON_NOTE_INTERNAL] = { "internal", "the monitor met a state that cannot be and switched itself off; what follows is not counted",
		"please report this with the file", false },
	[AMON_NOTE_PHASE_LOST] = { "phase_lost", "a change of phase, or a thread at a reset, found no room; what followed counts with what was before",
		"name fewer phases, or raise APROF_MEMORY", false },
	[AMON_NOTE_UNTIMED] = { "untimed", "a call, by way inline, of a routine that does not read the cycle counter: under clock tsc it counts as code without hooks",
		"build all of the program with aprof-cc --aprof-clock=tsc, or use another clock", false },
	[AMON_NOTE_EARLY] = { "early", "calls came before the program was relocated (resolvers of IFUNCs) and are not counted", NULL, true },
	[AMON_NOTE_PC_BLOCKED] = { "pc_blocked", "a thread blocked all signals, and had no program counters then, for --leaves and --lines", NULL, true },
	[AMON_NOTE_UNREAD_STACK] = { "unread_stack", "a jump into code without hooks left a stack that cannot be read to its end; callers are \"(lost)\" there",
		"build that code with -fasynchronous-unwind-tables", false },
	[AMON_NOTE_UNTOLD_JUMPS] = { "untold_jumps", "the program is not linked with aprof, so jumps (longjmp, exceptions) by its code without hooks are not seen; contexts "
		"behind one that such code receives are wrong", "link the program with aprof-cc, or compile its libraries by --aprof-way=fentry", false },
	[AMON_NOTE_SETTING] = { "setting", "APROF_RATE, APROF_MEMORY or APROF_PC in the environment was not understood, and the default was taken",
		"aprof(1) says what they may be", false },
	[AMON_NOTE_CUT_STACK] = { "cut_stack", "a stack could not be followed to the thread's start; it stands under \"(truncated)\"", NULL, true },
	[AMON_NOTE_NO_KERNEL] = { "no_kernel", "time in the kernel was not sampled, and is in no figure: that is not permitted here",
		"run aprof as root, or set kernel.perf_event_paranoid to 1", false },
	[AMON_NOTE_LOST_STACK] = { "lost_stack", "a sample came faster than it could be read, and its time is lost",
		"lower APROF_RATE", false },
	[AMON_NOTE_NO_GROWTH] = { "no_growth", "the profile could not be made longer, since it was moved or removed, or may not be opened any more; callers of later contexts are \"(elided)\"",
		"leave it where it is while the program runs", false },
	[AMON_NOTE_SITES_BOUND] = { "sites_bound", "a call met the bound on memory, and its call site was not told apart",
		"raise APROF_MEMORY", false },
	[AMON_NOTE_SLICES_BOUND] = { "slices_bound", "samples met the bound on memory, or on the size of files, and are not kept by interval; --time-range lacks them",
		"raise APROF_MEMORY", false },
	[AMON_NOTE_UNREDIRECTED] = { "unredirected", "a call whose return could not be told; until the next call its routine is charged what its caller did",
		"rebuild with aprof-cc for exact times", false },
	[AMON_NOTE_NO_PROC] = { "no_proc", "/proc could not be read: modules are those that the dynamic linker lists, and a thread's time may count for where it waits next",
		NULL, true },
	[AMON_NOTE_NO_MODULE] = { "no_module", "a routine with hooks is in no module that is known, and has an address for a name",
		"let the program see /proc", false },
};

static const struct note unknown = { "unknown", "a note that this version of aprof does not know", "use a newer aprof", false };

const struct note *notes_find(unsigned kind)
{
	return kind < AMON_NOTES && table[kind].name ? &table[kind] : &unknown;
}
