/* monitor_note.h - what the monitor says of itself in each binary that it is linked into: a note (inside/x86_64/anchor.S). */
#ifndef SYMBOLS_MONITOR_NOTE_H
#define SYMBOLS_MONITOR_NOTE_H

#include <stdbool.h>

#include "read/symbols/binary.h"

/* Whether the monitor is linked into B, even if B was stripped.  OWN, unless NULL, is then where its code is; empty where the note does not say. */
bool monitor_note_find(const struct binary *b, struct area *own);

#endif
