/* calibrate.h - the hooks' own cost. */
#ifndef CALIBRATE_H
#define CALIBRATE_H

#include "inside/monitor.h"

struct hooks;

void calibrate(const struct hooks *hooks) HIDDEN; /* measure the cost of the hooks of the way in use, once */

#endif
