/* tracees.h - threads and processes that ptrace has seized, as /proc tells of them: part of trace.c. */
#ifndef SAMPLE_TRACEES_H
#define SAMPLE_TRACEES_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/sample/sleeper.h"
#include "record/sample/source.h"

/* What the kernel says of a thread's time. */
struct tracee_time {
	uint64_t cpu;			/* that it had a processor, ns */
	uint64_t waited;		/* that it waited for one, ns */
	uint64_t slices;		/* how often it has come to one */
};

struct traced_thread {
	pid_t tid;
	struct traced *process;
	int fd;				/* of /proc/PID/task/TID/schedstat; -1: it is opened each time */
	uint64_t met;			/* CPU time when it was met, which is nobody's here, ns */
	uint64_t cpu;			/* CPU time that samples stand for, ns */
	uint64_t seen;			/* CPU time when it was last looked at */
	bool sampled;			/* there is a sample of it */
	uint64_t charged;		/* clock wall: up to when samples stand for its time, CLOCK_MONOTONIC ns */
	bool sleeps;			/* the same: its sample says that it waits */
	bool stopped;			/* it was stopped in that sleep, and goes on with it */
	uint64_t slices;		/* how often it had come to a processor by then */
	struct sleeper_call call;	/* where it sleeps */
	uint64_t stack;			/* what is on its stack there (sleeper_stack) */
	bool asked;			/* a stop is on its way */
	uint64_t asked_at, rested_at;	/* when we began to work by then, and when we next rested, or 0: in between it may have had to wait for us, CLOCK_MONOTONIC ns */
	struct tracee_time before;	/* when it was asked */
	bool found;			/* in the present scan */
};

struct traced {
	pid_t pid;
	bool ours;			/* our own child: its end is not for us to take */
	bool told;			/* HAPPENED_BEGAN was */
	bool refused;			/* it may not be traced */
	int tries;			/* that failed so: once may be the end of the process */
	bool left;			/* somebody else sees to it by now: its threads are let go */
	uint64_t before;		/* CPU time when it was met, which is nobody's here, ns */
	uint64_t used;			/* CPU time at its end, ns; 0: it is not known */
	bool found;			/* in the present scan */
	char program[PATH_MAX];		/* which changes when it becomes another */
};

/* All of them, and what became of them. */
struct tracees {
	const pid_t *roots;		/* whom to begin from; not owned */
	size_t nroots;
	uint64_t period;		/* CPU time, or elapsed, that a sample stands for, ns */
	bool below;			/* roots are our own, and begin as us */
	bool late;			/* others may see to a program, who have not done so yet */
	bool (*serves)(void *arg, pid_t pid); /* somebody else sees to a process */
	void *arg;			/* for it */
	struct traced **processes;
	size_t nprocesses, processes_room;
	struct traced_thread *threads;
	size_t nthreads, threads_room;
	uint64_t nrefused;		/* processes that may not be traced, so far */
	struct happening *queue;	/* what happened beside samples; names in it are its own */
	size_t nqueue, queue_room;
};

/* Seize all threads of all processes of the roots.  False with *PID set, and errno: that one may not be. */
bool tracees_begin(struct tracees *t, pid_t *pid);

/* Find who is new, and who is gone. */
void tracees_scan(struct tracees *t);

/* Forget all of them; the queue's names, too. */
void tracees_free(struct tracees *t);

/* The thread TID; NULL: it is not one of them. */
struct traced_thread *tracees_find(struct tracees *t, pid_t tid);

/* Tell what happened, H, whose name is to be freed. */
void tracees_tell(struct tracees *t, const struct happening *h);

/* THREAD has ended. */
void tracees_end(struct tracees *t, struct traced_thread *thread);

/* CPU time of the process PID, ns, while it is there, or waited for; 0: it is not. */
uint64_t tracee_process_cpu(pid_t pid);

/* The time of T so far; all 0 where it is gone or nobody tells. */
struct tracee_time tracee_time(const struct traced_thread *t);

/* Of that: CPU time, ns. */
uint64_t tracee_cpu(const struct traced_thread *t);

/* The same, and in *SLICES how often it has come to a processor. */
uint64_t tracee_slices(const struct traced_thread *t, uint64_t *slices);

/* The state of the thread as /proc has it: 'R' at work, or waits for a processor; 'S' sleeps; 0: it is gone. */
char tracee_state(const struct traced_thread *t);

/* Does a signal wait for the thread that it has not blocked? */
bool tracee_has_signal(const struct traced_thread *t);

/* The name of thread TID of PID, NUL-terminated. */
void tracee_name(pid_t pid, pid_t tid, char *name, size_t size);

/* Set *ERR to why nothing is known of process PID: there is none, or no /proc. */
void tracee_missing(pid_t pid, struct error *err);

/* What a file of /proc has at its beginning; "": nothing. */
void tracee_read(const char *path, char *text, size_t size);

#endif
