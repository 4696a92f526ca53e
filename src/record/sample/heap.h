/* heap.h - samples of what programs allocate: a library preloaded into them (inside/preload/heap_samples.c) tells of some, and when they are freed.  It is a source beside that of
 * time, whichever that is, which tells of all else that happens. */
#ifndef SAMPLE_HEAP_H
#define SAMPLE_HEAP_H

#include "base/error.h"
#include "record/sample/source.h"

#define HEAP_LIBRARY "libaprof-heap.so"	/* to be named in LD_PRELOAD; contract/allocations.h has its environment */

/* Read what programs leave in DIRECTORY, which must outlive it.  NULL with *ERR set: out of memory. */
struct source *heap_open(const char *directory, struct error *err);

#endif
