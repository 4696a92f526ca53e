/* jit.h - what is told of code that a process makes at run time: perf maps and jitdump, which runtimes write for perf (tools/perf/Documentation/jitdump-specification.txt
 * in Linux; Node.js --perf-basic-prof and --perf-prof, OpenJDK's agents, .NET, LuaJIT, PyPy).
 *
 *     /tmp/perf-PID.map       START SIZE NAME, a line for each function, appended, or, by OpenJDK (-XX:+DumpPerfMapAtExit, jcmd Compiler.perfmap), written once, or anew
 *     jit-PID.dump            records; the process has mapped the file as code, so that its place is known
 *
 * PID is the process's own, in its own namespace, and so are the paths.  Only files of the process's user, or of root, are believed.  Code moves, and its place is taken by other
 * code: what was told last is true. */
#ifndef SAMPLE_JIT_H
#define SAMPLE_JIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct jit;

/* What is told of a function. */
struct jit_function {
	uint64_t start, end;		/* addresses in the process */
	const char *name;		/* owned by the struct jit */
	const char *file;		/* source file; NULL: not told */
	uint32_t line;			/* in it; 0: not told */
};

/* Of the process PID, which runs or has run, and began at START (field starttime of /proc/PID/stat); 0: not known.  NULL: out of memory.  Freed with jit_free. */
struct jit *jit_new(pid_t pid, uint64_t start);

/* The same of a process that somebody else recorded, and which is over: what it has left as PID is believed if it is this user's, or root's. */
struct jit *jit_new_over(pid_t pid);
void jit_free(struct jit *j);

/* It has mapped PATH, which may be a jitdump; as soon as that is known. */
void jit_mapped(struct jit *j, const char *path);

/* Read all that they tell by now: a runtime may have written its map, or written it anew, as it ended, or since it was asked to. */
void jit_look(struct jit *j);

/* The function that is at ADDRESS now, as far as it is told; NULL: it is not.  Valid until the next call. */
const struct jit_function *jit_find(struct jit *j, uint64_t address);

#endif
