/* wrap.c - functions that the linker sends here first (--wrap): those that the kernel
 * allows to processes of one thread only, or to small ones, which ours must not prevent; and those that tell of signals' handlers and stacks. */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "inside/clock/handler_mask.h"
#include "inside/clock/pc.h"
#include "inside/clock/sampler.h"
#include "inside/file/file.h"
#include "inside/file/sigbus.h"
#include "inside/hooks/handler.h"
#include "inside/process/thread.h"
#include "inside/process/young_process.h"
#include "inside/stacks/originals.h"
#include "inside/stacks/stack.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/tls.h"

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

/* The program is about to take SIGPROF. */
static void give_up_sigprof(void)
{
	bool paused;

	if (!pc_has_sigprof())
		return;
	if (monitor.young) {
		monitor.clock.pc_wanted = AMON_SOURCE_NONE;
		young_process_grow();			/* it has no timer any more */
	}
	paused = sampler_pause();
	pc_give_up();
	if (paused)
		sampler_resume();
}

/* What of the signal SIG is ours is not for the program to see: the action that it would find without us. */
static void wrap_show(int sig, struct sigaction *old)
{
	if (sig == SIGBUS)
		sigbus_show(old);
	else if (sig == SIGPROF && pc_is_handler((const void *)old->sa_sigaction))
		mem_zero(old, sizeof *old);	/* SIG_DFL, and no flags */
}

/* The program has HANDLER, which may be none, called for a signal. */
static void wrap_tell(uintptr_t handler)
{
	if (handler != (uintptr_t)SIG_DFL && handler != (uintptr_t)SIG_IGN && handler != (uintptr_t)SIG_ERR && handler != (uintptr_t)SIG_HOLD)
		handler_told(handler);
}

int __wrap_sigaction(int sig, const struct sigaction *action, struct sigaction *old)
{
	struct sigaction room;
	int ret;

	if (action && is_default_still(sig, (const void *)action->sa_sigaction))
		action = NULL;
	if (sig == SIGPROF && action)
		give_up_sigprof();
	if (action)
		wrap_tell((uintptr_t)action->sa_sigaction);
	ret = __real_sigaction(sig, action ? handler_mask_action(sig, action, &room) : NULL, old);
	if (ret == 0)
		handler_mask_done(sig, action, old);
	if (ret == 0 && old)
		wrap_show(sig, old);
	return ret;
}

typedef int stack_function(const stack_t *stack, stack_t *old);
REAL(sigaltstack, stack_function)
EXPORTED stack_function __wrap_sigaltstack;

/* Before the program runs: the search takes the dynamic linker's lock. */
static void __attribute__((constructor(101))) find_all(void) { real_sigaltstack(); }

int __wrap_sigaltstack(const stack_t *stack, stack_t *old)
{
	if (stack)
		handler_mask_stack(stack);
	return real_sigaltstack()(stack, old);
}

sighandler_t __wrap_signal(int sig, sighandler_t handler)
{
	struct sigaction old;

	mem_zero(&old, sizeof old);
	if (is_default_still(sig, (const void *)handler))
		return SIG_DFL;
	if (sig == SIGPROF)
		give_up_sigprof();
	wrap_tell((uintptr_t)handler);
	old.sa_handler = __real_signal(sig, handler);
	if (old.sa_handler != SIG_ERR)
		wrap_show(sig, &old);
	return old.sa_handler;
}

#ifdef APROF_MCOUNT
FRONT(unshare);
FRONT(setns);
FRONT(sigaction);
FRONT(sigaltstack);
FRONT(signal);
FRONT(mlockall);
#endif
