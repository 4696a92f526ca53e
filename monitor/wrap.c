/* wrap.c - the few libc functions that the linker sends here first (--wrap), since nothing
 * else tells of them: exit, vfork's children, a library that goes; and those that the kernel
 * allows to processes of one thread only, or to small ones, which ours must not prevent. */
#include "monitor/wrap.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "monitor/file.h"
#include "monitor/module.h"
#include "monitor/pc.h"
#include "monitor/process.h"
#include "monitor/sampler.h"
#include "monitor/stack.h"
#include "monitor/state.h"
#include "monitor/sys.h"
#include "monitor/thread.h"
#include "monitor/tls.h"

#define EXPORTED __attribute__((visibility("default")))

void __real_exit(int status) __attribute__((noreturn));
EXPORTED void __wrap_exit(int status) __attribute__((noreturn));

/* Handlers of exit run under the root, not under the routine that called it. */
void __wrap_exit(int status)
{
	monitor.exit_begun = (uintptr_t)aprof_exit_begun;
	process_leave();
	__real_exit(status);
}

/* By a name that is nobody else's: whoever walks the stack stops here. */
extern __typeof(__wrap_exit) aprof_exit_begun __attribute__((alias("__wrap_exit"), noreturn));

/* Weak: before glibc 2.34 it is in a library of its own, which a program need not have. */
int __real_dlclose(void *handle) __attribute__((weak));
EXPORTED int __wrap_dlclose(void *handle);

/* By a name that is nobody else's: destructors, which it calls, are called by its caller (frames.c). */
extern __typeof(__wrap_dlclose) aprof_dlclose_begun __attribute__((alias("__wrap_dlclose")));

/* Another library may be loaded at the addresses of this one. */
int __wrap_dlclose(void *handle)
{
	int ret;

	monitor.dlclose_begun = (uintptr_t)aprof_dlclose_begun;
	ret = __real_dlclose(handle);

	if (ret == 0 && monitor_state() == MONITOR_ON)
		module_unloaded();
	return ret;
}

int __real_unshare(int flags);
EXPORTED int __wrap_unshare(int flags);
int __real_setns(int fd, int type);
EXPORTED int __wrap_setns(int fd, int type);

int __wrap_unshare(int flags)
{
	bool paused = flags & (CLONE_NEWUSER | CLONE_VM | CLONE_THREAD | CLONE_SIGHAND) && sampler_pause();
	int ret = __real_unshare(flags);

	if (paused)
		sampler_resume();
	return ret;
}

int __wrap_setns(int fd, int type)
{
	bool paused = (!type || type & (CLONE_NEWUSER | CLONE_NEWNS)) && sampler_pause();
	int ret = __real_setns(fd, type);

	if (paused)
		sampler_resume();
	return ret;
}

int __real_mlockall(int flags);
EXPORTED int __wrap_mlockall(int flags);

/* All that is mapped becomes resident, and counts: what the monitor only reserved is given back before, for good. */
int __wrap_mlockall(int flags)
{
	struct thread *t = aprof_tls.thread;

	if (monitor_state() == MONITOR_ON) {
		sys_memory_is_dear();
		file_shrink();
		if (t)
			stack_shrink(t);
	}
	return __real_mlockall(flags);
}

int __real_sigaction(int sig, const struct sigaction *action, struct sigaction *old);
EXPORTED int __wrap_sigaction(int sig, const struct sigaction *action, struct sigaction *old);
sighandler_t __real_signal(int sig, sighandler_t handler);
EXPORTED sighandler_t __wrap_signal(int sig, sighandler_t handler);

/* Whether HANDLER is what SIG has already, as the program sees it.  Who resets all signals, as daemons do at their start
 * and children before an exec, takes nothing from us: what others send is to our handler as if there were none. */
static bool is_default_still(int sig, const void *handler)
{
	return sig == SIGPROF && handler == (const void *)SIG_DFL && pc_has_sigprof();
}

/* What of the signal SIG is ours is not for the program to see: the action that it would find without us. */
static void show(int sig, struct sigaction *old)
{
	if (sig == SIGBUS)
		file_sigbus_show(old);
	else if (sig == SIGPROF && pc_is_handler((const void *)old->sa_sigaction))
		mem_zero(old, sizeof *old);	/* SIG_DFL, and no flags */
}

int __wrap_sigaction(int sig, const struct sigaction *action, struct sigaction *old)
{
	int ret;

	if (action && is_default_still(sig, (const void *)action->sa_sigaction))
		action = NULL;
	if (sig == SIGPROF && action)
		pc_give_up();
	ret = __real_sigaction(sig, action, old);
	if (ret == 0 && old)
		show(sig, old);
	return ret;
}

sighandler_t __wrap_signal(int sig, sighandler_t handler)
{
	struct sigaction old;

	mem_zero(&old, sizeof old);
	if (is_default_still(sig, (const void *)handler))
		return SIG_DFL;
	if (sig == SIGPROF)
		pc_give_up();
	old.sa_handler = __real_signal(sig, handler);
	if (old.sa_handler != SIG_ERR)
		show(sig, &old);
	return old.sa_handler;
}

#ifdef APROF_MCOUNT
/* The same by names that are the preloaded monitor's alone, for its fronts (mcount.S). */
#define FRONT(name) extern __typeof(__wrap_##name) aprof_front_##name __attribute__((alias("__wrap_" #name), visibility("hidden")))
FRONT(exit) __attribute__((noreturn));
FRONT(dlclose);
FRONT(unshare);
FRONT(setns);
FRONT(sigaction);
FRONT(signal);
FRONT(mlockall);
#endif
