/* cancel.h - threads that are cancelled, or call pthread_exit. */
#ifndef CANCEL_H
#define CANCEL_H

#include "inside/monitor.h"

/* The calling thread's context is to be lost when it has been unwound to where it began: where its destructors run. */
void cancel_thread(void) HIDDEN;

#endif
