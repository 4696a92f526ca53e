/* wrap.h - functions of libc that the monitor comes to first, where others ask for them. */
#ifndef WRAP_H
#define WRAP_H

#include "monitor/monitor.h"

int aprof_dlclose_begun(void *handle) HIDDEN;	/* the function that has destructors of a library run */
void aprof_exit_begun(int status) HIDDEN;	/* the function that has handlers of exit run, under the root */

#endif
