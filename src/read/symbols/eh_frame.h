/* eh_frame.h - bounds of functions that have no symbol, from the table that exceptions need. */
#ifndef SYMBOLS_EH_FRAME_H
#define SYMBOLS_EH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "read/symbols/binary.h"

/* The function of B around ADDRESS: sets *START and *END, one past its last byte.  False: the table is not there, has not
 * the form that linkers give it, or has no such function. */
bool unwind_find(const struct binary *b, uint64_t address, uint64_t *start, uint64_t *end);

#endif
