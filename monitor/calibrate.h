/* calibrate.h - the hooks' own cost. */
#ifndef CALIBRATE_H
#define CALIBRATE_H

#include "monitor/monitor.h"

void calibrate(void) HIDDEN;			/* measure the hooks' own cost, once */

#endif
