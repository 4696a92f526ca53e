/* preload.c - the preloaded monitor (way mcount) stands in front of libc and libgcc: here is what it finds behind it, for wrap.c, leave.c and unload.c,
 * and functions that would show the program its redirected returns.
 *
 * In a program that calls no hook they do nothing else than those behind. */
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>

#include "inside/monitor.h"
#include "inside/preload/mcount.h"
#include "inside/process/unload.h"

#define EXPORTED __attribute__((visibility("default")))

enum unwind { UNWIND_GO_ON = 0, UNWIND_FATAL = 3 };	/* as in unwind.h, which names its functions */

typedef int unwind_visit(void *frame, void *arg);

/* The functions behind ours. */
static struct {
	void (*exit)(int status) __attribute__((noreturn));
	int (*dlclose)(void *handle);
	int (*unshare)(int flags);
	int (*setns)(int fd, int type);
	int (*mlockall)(int flags);
	int (*sigaction)(int sig, const struct sigaction *action, struct sigaction *old);
	sighandler_t (*signal)(int sig, sighandler_t handler);
	void (*finalize)(void *library);
	void (*_exit)(int status) __attribute__((noreturn));
	void (*_Exit)(int status) __attribute__((noreturn));
	int (*backtrace)(void **addresses, int size);
	int (*unwind)(unwind_visit *visit, void *arg);
	uintptr_t (*address)(void *frame);
} next;

/* The function NAME of the libraries behind us; WHERE keeps it. NULL: there is none. */
static void *preload_find(void *where, const char *name)
{
	void **kept = where;

	if (!*kept)
		*kept = dlsym(RTLD_NEXT, name);
	return *kept;
}

/* Before the program runs: look-ups may take locks and memory. */
static void __attribute__((constructor(101))) preload_find_all(void)
{
	preload_find(&next.exit, "exit");
	preload_find(&next.dlclose, "dlclose");
	preload_find(&next.unshare, "unshare");
	preload_find(&next.setns, "setns");
	preload_find(&next.mlockall, "mlockall");
	preload_find(&next.sigaction, "sigaction");
	preload_find(&next.signal, "signal");
	preload_find(&next._exit, "_exit");
	preload_find(&next._Exit, "_Exit");
	preload_find(&next.finalize, "__cxa_finalize");
	preload_find(&next.backtrace, "backtrace");
}

/* ---- for those files ---- */

#define NEXT(name) (preload_find(&next.name, #name), next.name)

void __real_exit(int status) HIDDEN __attribute__((noreturn));
int __real_dlclose(void *handle) HIDDEN;
int __real_unshare(int flags) HIDDEN;
int __real_setns(int fd, int type) HIDDEN;
int __real_mlockall(int flags) HIDDEN;
int __real_sigaction(int sig, const struct sigaction *action, struct sigaction *old) HIDDEN;
sighandler_t __real_signal(int sig, sighandler_t handler) HIDDEN;

void __real__exit(int status) HIDDEN __attribute__((noreturn));
void __real__Exit(int status) HIDDEN __attribute__((noreturn));

void __real_exit(int status) { NEXT(exit)(status); }
void __real__exit(int status) { NEXT(_exit)(status); }
void __real__Exit(int status) { NEXT(_Exit)(status); }
int __real_dlclose(void *handle) { return NEXT(dlclose)(handle); }
int __real_unshare(int flags) { return NEXT(unshare)(flags); }
int __real_setns(int fd, int type) { return NEXT(setns)(fd, type); }
int __real_mlockall(int flags) { return NEXT(mlockall)(flags); }
sighandler_t __real_signal(int sig, sighandler_t handler) { return NEXT(signal)(sig, handler); }

int __real_sigaction(int sig, const struct sigaction *action, struct sigaction *old)
{
	return NEXT(sigaction)(sig, action, old);
}

/* ---- a library that goes, and was not linked to say so (library.S): what its last destructor calls ---- */

EXPORTED void __cxa_finalize(void *library);

void __cxa_finalize(void *library)
{
	if (preload_find(&next.finalize, "__cxa_finalize"))
		next.finalize(library);
	if (library)
		__aprof_library_ends((uintptr_t)__builtin_return_address(0));
}

/* ---- looking at stacks: neither the frame of our own function nor those between redirected routines are the program's ---- */

EXPORTED int backtrace(void **addresses, int size)
{
	int n = 0, room = size < 1 ? 1 : size > 4096 ? 4096 : 2 * size + 1, found;
	void *all[room];

	if (size <= 0 || !preload_find(&next.backtrace, "backtrace"))
		return 0;
	found = next.backtrace(all, room);
	for (int i = 1; i < found && n < size; i++)
		if (!mcount_is_place((uintptr_t)all[i]))
			addresses[n++] = all[i];
	return n;
}

struct visit {
	unwind_visit *visit;		/* the program's */
	void *arg;			/* for it */
	bool seen_ours;			/* the first frame is our function's */
};

static int visit_true(void *frame, void *arg)
{
	struct visit *v = arg;

	if (!v->seen_ours || mcount_is_place(next.address(frame))) {
		v->seen_ours = true;
		return UNWIND_GO_ON;
	}
	return v->visit(frame, v->arg);
}

EXPORTED int _Unwind_Backtrace(unwind_visit *visit, void *arg);

int _Unwind_Backtrace(unwind_visit *visit, void *arg)
{
	struct visit v = { visit, arg, false };

	if (!preload_find(&next.unwind, "_Unwind_Backtrace") || !preload_find(&next.address, "_Unwind_GetIP"))
		return UNWIND_FATAL;
	return next.unwind(visit_true, &v);
}
