/* leads.h - which functions of a library a call of one of them comes to. */
#ifndef LEADS_H
#define LEADS_H

#include <stdint.h>

#include "read/symbols/module.h"

/* How many calls and jumps lead from the function at FROM, link-time as all, to the one that covers TO, as their code tells.  Negative: they do not,
 * or only by way of many functions, or the code cannot be read. */
int leads_find(struct module *m, uint64_t from, uint64_t to);

/* Call VISIT with the start of each function that leads_find comes to from FROM, and over how many calls. */
void leads_visit(struct module *m, uint64_t from, void (*visit)(void *arg, uint64_t start, int calls), void *arg);

#endif
