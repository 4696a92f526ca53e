/* api.h - what include/aprof.h promises. */
#ifndef API_H
#define API_H

#include "monitor/monitor.h"

void api_forget(void) HIDDEN;			/* forked child: nobody else is at work */

#endif
