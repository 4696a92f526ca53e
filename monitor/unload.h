/* unload.h - libraries that go. */
#ifndef UNLOAD_H
#define UNLOAD_H

#include "monitor/monitor.h"

int aprof_dlclose_begun(void *handle) HIDDEN;	/* the function that has destructors of a library run */

#endif
