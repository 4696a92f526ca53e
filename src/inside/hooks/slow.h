/* slow.h - out of line parts of the hooks. */
#ifndef SLOW_H
#define SLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/monitor.h"

struct aprof_tls;
struct thread;

void slow_measure(void) HIDDEN;			/* measure the hooks, if the process has grown and that is not done; signals blocked */
struct thread *slow_start(uintptr_t cfa) HIDDEN; /* first hook of the calling thread; NULL: stay out */
bool slow_is_early(struct aprof_tls *tls) HIDDEN; /* before relocation is done: this call is counted as such only */
void aprof_entry_slow(uintptr_t routine, uintptr_t cfa, uint64_t site, uint32_t flags) HIDDEN;
void aprof_exit_slow(uintptr_t cfa, uintptr_t site, uintptr_t routine) HIDDEN; /* SITE and ROUTINE as at the entry; not way cyg: 0 */

#endif
