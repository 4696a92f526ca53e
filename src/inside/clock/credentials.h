/* credentials.h - the sampler's user and groups; for its thread only. */
#ifndef CREDENTIALS_H
#define CREDENTIALS_H

#include "inside/monitor.h"

void credentials_begin(void) HIDDEN;		/* what we have from who made us */
void credentials_follow(void) HIDDEN;		/* be who the program is now */

#endif
