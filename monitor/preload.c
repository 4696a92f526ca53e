/* preload.c - what the preloaded monitor (way mcount) puts in front of libc and libgcc: functions that nothing else tells
 * of, and those that would show the program its redirected returns.
 *
 * They reach whatever comes next in the program's own order.  In a program that calls no hook they do nothing else. */
#include "monitor.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdlib.h>
#include <ucontext.h>

#include "mcount.h"
#include "wrap.h"

#define EXPORTED __attribute__((visibility("default")))

enum unwind { UNWIND_GO_ON = 0, UNWIND_FATAL = 3 };	/* as in unwind.h, which names its functions */

typedef int unwind_visit(void *frame, void *arg);

/* The functions behind ours. */
static struct {
	void (*exit)(int status) __attribute__((noreturn));
	int (*swapcontext)(ucontext_t *from, const ucontext_t *to);
	int (*dlclose)(void *handle);
	int (*backtrace)(void **addresses, int size);
	int (*unwind)(unwind_visit *visit, void *arg);
	uintptr_t (*address)(void *frame);
} next;

/* A function of the libraries behind us; WHERE keeps it. NULL: there is none. */
static void *find(void *where, const char *name)
{
	void **kept = where;

	if (!*kept)
		*kept = dlsym(RTLD_NEXT, name);
	return *kept;
}

/* Before the program runs: look-ups may take locks and memory. */
static void __attribute__((constructor(101))) find_all(void)
{
	find(&next.exit, "exit");
	find(&next.swapcontext, "swapcontext");
	find(&next.dlclose, "dlclose");
	find(&next.backtrace, "backtrace");
}

EXPORTED void exit(int status)
{
	process_leave();
	find(&next.exit, "exit");
	next.exit(status);
}

EXPORTED int swapcontext(ucontext_t *from, const ucontext_t *to)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *);
	int ret;

	find(&next.swapcontext, "swapcontext");
	wrap_switch_begin(to);
	ret = next.swapcontext(from, to);
	wrap_switch_end(here);
	return ret;
}

EXPORTED int dlclose(void *handle)
{
	int ret;

	find(&next.dlclose, "dlclose");
	ret = next.dlclose(handle);
	wrap_unloaded(ret);
	return ret;
}

/* ---- looking at stacks: neither the frame of our own function nor those of aprof_mcount_return are the program's ---- */

EXPORTED int backtrace(void **addresses, int size)
{
	int n = 0, room = size < 1 ? 1 : size > 4096 ? 4096 : 2 * size + 1, found;
	void *all[room];

	if (size <= 0 || !find(&next.backtrace, "backtrace"))
		return 0;
	found = next.backtrace(all, room);
	for (int i = 1; i < found && n < size; i++)
		if (all[i] != aprof_mcount_return)
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

	if (!v->seen_ours || next.address(frame) == (uintptr_t)aprof_mcount_return) {
		v->seen_ours = true;
		return UNWIND_GO_ON;
	}
	return v->visit(frame, v->arg);
}

EXPORTED int _Unwind_Backtrace(unwind_visit *visit, void *arg);

int _Unwind_Backtrace(unwind_visit *visit, void *arg)
{
	struct visit v = { visit, arg, false };

	if (!find(&next.unwind, "_Unwind_Backtrace") || !find(&next.address, "_Unwind_GetIP"))
		return UNWIND_FATAL;
	return next.unwind(visit_true, &v);
}
