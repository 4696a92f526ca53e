/* cancel.h - threads that are cancelled, or call pthread_exit. */
#ifndef CANCEL_H
#define CANCEL_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/monitor.h"

/* The calling thread's context is to be lost when it has been unwound to where it began: where its destructors run. */
void cancel_thread(void) HIDDEN;

/* Does the function that a handler's landing calls first start at START?  What lies outwards of it cannot be read. */
bool cancel_lands_at(uintptr_t start) HIDDEN;

#endif
