/* kernel.h - how much of a routine's self time passed in the kernel.
 *
 * The clock sees user and system time, the program counters of perf user mode alone.  So where a routine has more time than its
 * program counters stand for, the rest was the kernel's: of system calls that it made, and of faults for pages that it touched. */
#ifndef KERNEL_H
#define KERNEL_H

#include "report/report.h"

struct kernel {
	double *share;		/* by routine of the graph: of its self time as the graph has it, 0..1; 0 too where that is not known */
	bool known;		/* false: all are 0 */
};

/* The shares of IN's routines.  False with *ERR set: out of memory.  Freed with kernel_free. */
bool kernel_make(struct kernel *k, const struct report_input *in, struct error *err);
void kernel_free(struct kernel *k);

#endif
