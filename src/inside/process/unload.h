/* unload.h - libraries that go. */
#ifndef UNLOAD_H
#define UNLOAD_H

#include <stdint.h>

#include "inside/monitor.h"

int aprof_dlclose_begun(void *handle) HIDDEN;	/* the function that has destructors of a library run */

/* The library with the code at ADDRESS has run its last destructor (library.S). */
void __aprof_library_ends(uintptr_t address) __attribute__((visibility("default")));

#endif
