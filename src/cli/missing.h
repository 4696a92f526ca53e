/* missing.h - what of a run's CPU time is in no routine, and why, as the recorder has it. */
#ifndef MISSING_H
#define MISSING_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/amon.h"
#include "record/sample/account.h"

/* Say what is missing of each program of A, where that is more than a small part of it, and of the whole, which took ALL ns; 0: nobody knows. */
void missing_tell(const struct accounts *a, uint64_t all, enum amon_source source);

/* What the programs of A used, ns. */
uint64_t missing_used(const struct accounts *a);

/* Do the programs of A, or all of the run, which took ALL ns, have so much CPU time that there would have to be samples? */
bool missing_is_much(const struct accounts *a, uint64_t all);

/* What helps where a file could not be written for ERROR, an errno: ` (...)`, or "". */
const char *missing_remedy(int error);

/* The errno of a profile that could not be made; 0: all could. */
int missing_error(const struct accounts *a);

#endif
