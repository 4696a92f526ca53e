/* origin.h - which function a clone was made from. */
#ifndef SYMBOLS_ORIGIN_H
#define SYMBOLS_ORIGIN_H

#include "read/symbols/module.h"

/* The function that stands for all clones of what function I of M was made from: that very function if it is in the
 * module, else one of the clones.  I itself if it is no clone. */
uint32_t origin_find(struct module *m, uint32_t i);

#endif
