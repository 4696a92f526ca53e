/* heap_samples.h - of the allocations of a program without hooks some are told to the recorder, with the stack of who asked.
 *
 * One of so many bytes is drawn, each by the same chance, whatever it is part of: so an allocation of SIZE bytes is told by the chance 1 - exp(-SIZE / mean), and the recorder lets it
 * stand for as many as that (record/sample/heap.c).  All of it at any time, in any thread. */
#ifndef HEAP_SAMPLES_H
#define HEAP_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/monitor.h"

/* Is there a recorder that wants them? */
bool heap_samples_begin(void) HIDDEN;

/* The program got SIZE bytes.  Returns the number by which that was told; 0: it was not. */
uint32_t heap_sample(uint64_t size) HIDDEN;

/* What was told as NUMBER, not 0, is free again, or UNTRACKED: nobody will know when it is. */
void heap_sample_freed(uint32_t number, bool untracked) HIDDEN;

/* The process is about to filter its system calls: nothing is told from now on. */
void heap_samples_end(void) HIDDEN;

#endif
