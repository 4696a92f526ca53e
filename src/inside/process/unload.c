/* unload.c - a library goes (--wrap): nothing else tells of it. */
#include "inside/process/unload.h"

#include "inside/modules/module.h"
#include "inside/stacks/originals.h"
#include "inside/state.h"

/* Weak: before glibc 2.34 it is in a library of its own, which a program need not have. */
int __real_dlclose(void *handle) __attribute__((weak));
EXPORTED int __wrap_dlclose(void *handle);

/* By a name that is nobody else's: destructors, which it calls, are called by its caller (frames.c). */
extern __typeof(__wrap_dlclose) aprof_dlclose_begun __attribute__((alias("__wrap_dlclose")));

/* Another library may be loaded at the addresses of this one. */
int __wrap_dlclose(void *handle)
{
	bool on = monitor_state() == MONITOR_ON;
	int ret;

	if (on)
		module_unloading();
	ret = __real_dlclose(handle);
	if (on && monitor_state() == MONITOR_ON)
		module_unloaded();
	return ret;
}

void __aprof_library_ends(uintptr_t address)
{
	if (monitor_state() == MONITOR_ON)
		module_ends(address);
}

#ifdef APROF_MCOUNT
FRONT(dlclose);
#endif
