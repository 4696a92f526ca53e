/* heap_calls.c - what libaprof-heap.so has to know of the process beside its allocations, and is told since it stands before libc: that its memory is locked,
 * that its system calls are filtered. */
#include <dlfcn.h>
#include <linux/prctl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "inside/monitor.h"
#include "inside/preload/heap_calls.h"
#include "inside/preload/heap_samples.h"

#define EXPORTED __attribute__((visibility("default")))

/* To callers it has `...` behind the option: of registers, libc reads all that there can be, too. */
typedef int prctl_function(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);

bool heap_is_locked;

static struct {
	prctl_function *prctl;
	int (*mlockall)(int flags);
} next;

void aprof_before_syscall(long nr, long a) HIDDEN;	/* of syscall.S */

static void __attribute__((constructor(101))) heap_calls_find(void)
{
	*(void **)&next.prctl = dlsym(RTLD_NEXT, "prctl");
	*(void **)&next.mlockall = dlsym(RTLD_NEXT, "mlockall");
}

#define NEXT(name) (next.name ? (void)0 : heap_calls_find(), next.name)

void aprof_before_syscall(long nr, long a)
{
	if (nr == SYS_seccomp || a == PR_SET_SECCOMP)
		heap_samples_end();
}

EXPORTED prctl_function prctl;

int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	if (option == PR_SET_SECCOMP)
		heap_samples_end();
	return NEXT(prctl)(option, a, b, c, d);
}

EXPORTED int mlockall(int flags);

int mlockall(int flags)
{
	heap_is_locked = true;
	return NEXT(mlockall)(flags);
}
