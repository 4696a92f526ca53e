/* sound.h - what must hold in any profile, whatever file it came from. */
#ifndef SOUND_H
#define SOUND_H

#include "read/profile/profile.h"

/* What is wrong with P, static text; NULL: it is sound.  Looks at histories of up to 200 entries only. */
const char *unsound(const struct profile *p);

#endif
