/* flush.h - the profile up to now. */
#ifndef FLUSH_H
#define FLUSH_H

#include "inside/monitor.h"

int flush_to(const char *path) HIDDEN;		/* write what there is now to PATH; 0 or an errno */

#endif
