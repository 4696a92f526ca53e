/* sigbus.c - SIGBUS: somebody truncated the file under us, or the disk refuses what it had taken. */
#include "inside/file/sigbus.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <ucontext.h>

#include "contract/amon.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/x86_64/restorer.h"

static bool truncated;			/* somebody cut the file under us: its contents are lost */
static uint32_t spilled;		/* pages that are memory of ours: the disk refused to take them again */
static struct amon_header saved;	/* as it was at the start, to say so */
static struct sys_action previous_sigbus;
static bool installed;

static bool is_ours_address(uintptr_t address)
{
	return address - (uintptr_t)monitor.header < monitor.mapped;
}

/* Put a copy in memory in the place of PAGE.  False: it cannot be read. */
static bool spill(uintptr_t page)
{
	char *copy = sys_memory(AMON_PAGE, false);
	struct iovec to = { copy, AMON_PAGE }, from = { (void *)page, AMON_PAGE };

	if (!copy)
		return false;
	if (sys6(process_vm_readv, sys0(gettid), &to, 1, &from, 1, 0) == AMON_PAGE &&
	    !sys_failed(sys5(mremap, copy, AMON_PAGE, AMON_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, page)))
		return true;
	sys2(munmap, copy, AMON_PAGE);
	return false;
}

/* A disk that writes each version of a page to a new place refuses, when it is full, pages that it had taken before: what is in them
 * can still be read, and is kept in memory from now on.  One at a time: of two threads that write to one page the second tries again. */
static bool rescue(uintptr_t page)
{
	static struct sys_lock lock;
	uint32_t before = __atomic_load_n(&spilled, __ATOMIC_ACQUIRE);
	bool done = true;

	sys_lock(&lock);
	if (before == spilled && (done = spill(page)))
		__atomic_store_n(&spilled, before + 1, __ATOMIC_RELEASE);
	sys_unlock(&lock);
	return done;
}

/* To the program's own handler, with the signals blocked that would be if the kernel had called it. */
static void sigbus_pass_on(int sig, void *info, ucontext_t *context)
{
	uint64_t mask;

	mem_copy(&mask, &context->uc_sigmask, sizeof mask);
	mask |= previous_sigbus.mask;
	if (!(previous_sigbus.flags & SA_NODEFER))
		mask |= UINT64_C(1) << (sig - 1);
	sys_restore_signals(&mask);
	((void (*)(int, void *, void *))previous_sigbus.handler)(sig, info, context);
}

/* Nothing that was in pages cut off is known any more; zeros take their place and no chunk is made again.  A signal that somebody sent has no
 * address. */
static void on_sigbus(int sig, void *info, void *context)
{
	bool sent = ((int *)info)[2] <= 0;			/* si_code */
	uintptr_t address = *(uintptr_t *)((char *)info + 16);	/* si_addr */
	uintptr_t page = address & -(uintptr_t)AMON_PAGE;

	if (!sent && is_ours_address(address)) {
		if (rescue(page))
			return;
		sys6(mmap, page, AMON_PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		truncated = true;
		return;
	}
	if ((uintptr_t)previous_sigbus.handler > 1) {
		sigbus_pass_on(sig, info, context);
		return;
	}
	if (sent && previous_sigbus.handler)			/* SIG_IGN */
		return;
	/* The default, as if we were not here: the access that faulted faults again, and what was sent comes again when this is left. */
	sys4(rt_sigaction, sig, &previous_sigbus, NULL, sizeof(uint64_t));
	if (sent)
		sys3(tgkill, sys0(getpid), sys0(gettid), sig);
}

void sigbus_show(struct sigaction *old)
{
	if ((void *)old->sa_sigaction != (void *)on_sigbus)
		return;
	mem_zero(old, sizeof *old);
	old->sa_sigaction = (void (*)(int, siginfo_t *, void *))previous_sigbus.handler;
	old->sa_flags = (int)(previous_sigbus.flags & ~UINT64_C(0x04000000));	/* SA_RESTORER, libc's own affair */
	mem_copy(&old->sa_mask, &previous_sigbus.mask, sizeof previous_sigbus.mask);
}

void sigbus_inherit(void)
{
	if (truncated || spilled) {
		truncated = false;
		spilled = 0;
	}
}

void sigbus_begin(void)
{
	struct sys_action action = {
		.handler = (void *)on_sigbus,
		.flags = 4 | 0x08000000 | 0x04000000,	/* SA_SIGINFO, SA_ONSTACK, SA_RESTORER */
		.restorer = (void *)aprof_signal_return,
		.mask = ~UINT64_C(0),		/* a handler that met another such page here would be death */
	};

	mem_copy(&saved, monitor.header, sizeof saved);
	truncated = false;
	spilled = 0;
	if (installed)
		return;			/* a forked child has it from its parent */
	installed = true;
	sys4(rt_sigaction, 7 /* SIGBUS */, &action, &previous_sigbus, sizeof(uint64_t));
}

bool sigbus_has_truncated(void) { return truncated; }
bool sigbus_has_spilled(void) { return spilled; }

void sigbus_write_saved(long fd)
{
	saved.notes[AMON_NOTE_TRUNCATED] = 1;
	saved.state = AMON_ENDED;
	if (sizeof saved <= sys_file_limit())
		sys4(pwrite64, fd, &saved, sizeof saved, 0);
}
