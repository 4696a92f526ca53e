/* process.h - start, fork, exit. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/monitor.h"

struct thread;

bool process_start(void) HIDDEN;		/* at the first hook; false: stay out */
bool process_child_unseen(void) HIDDEN;		/* first miss in a child that ran no fork handler; false: stay out */
void process_started(void (*calibrate)(void)) HIDDEN; /* the first thread has its machine: call that, if it is not NULL, start the clock */
struct thread *process_forked_from(void) HIDDEN; /* in a child, once: the machine to adopt contexts from; else NULL */
bool process_unmoved(void) HIDDEN;		/* in a child: no routine was left since the fork, nor entered */
uint64_t process_forked_at(void) HIDDEN;	/* in a child, clock tsc: when it began, cycles */
bool process_watch_thread(void) HIDDEN;		/* be told when the calling thread ends; false: cannot be had */
void aprof_vfork_before(void) HIDDEN;		/* hooks.S: around a call of vfork */
void aprof_vfork_after(void) HIDDEN;
void process_leave(void) HIDDEN;		/* exit is called here: open frames stay open */
void process_finish(void) HIDDEN;		/* at exit, as late as can be */

#endif
