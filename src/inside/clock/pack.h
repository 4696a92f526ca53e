/* pack.h - what the process keeps of its program counters. */
#ifndef PACK_H
#define PACK_H

#include "inside/monitor.h"

/* The process ends, the calling thread's signals are blocked: pack the program counters of that thread and of those that are gone, and cut the file to what
 * is in use.  Files that are small, or so large that it would take time, stay as they are; and one that another thread is at (monitor.control). */
void pack_pcs(void) HIDDEN;

#endif
