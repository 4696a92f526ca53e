/* packed_message.h - the last step of the writers of packed symbols. */
#ifndef SYMBOLS_PACKED_MESSAGE_H
#define SYMBOLS_PACKED_MESSAGE_H

#include "read/profile/profile.h"
#include "read/symbols/packed.pb-c.h"

/* M as bytes, deflated, into OUT, whose data is malloc'ed.  False: out of memory. */
bool packed_deflate(const Symbols *m, struct profile_symbols *out);

#endif
