/* calibrate.h - the hooks' own cost. */
#ifndef CALIBRATE_H
#define CALIBRATE_H

#include "monitor/monitor.h"

struct hooks;

void calibrate(const struct hooks *hooks) HIDDEN; /* measure the hooks' own cost, once */

#endif
