/* flush.h - the profile up to now. */
#ifndef FLUSH_H
#define FLUSH_H

#include "monitor/monitor.h"

int flush_to(const char *path) HIDDEN;		/* write what there is now to PATH; 0 or an errno */

#endif
