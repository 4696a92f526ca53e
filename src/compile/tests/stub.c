/* stub.c - a monitor that only counts: entries and exits, written down when the program ends.
 *
 * It has all the names by which compile/ links the real one, so that the tests need no other. It is built as the
 * real one is: one archive for executables, one shared library for shared libraries; of two in one
 * process the executable's counts for all. */
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define ALIAS(name) __attribute__((alias(#name)))

__attribute__((visibility("hidden"))) long stub_entries, stub_exits;

/* The thread's words, as far as written hooks look at them: no frame is theirs. */
static long no_frame[3];
__thread struct { void *front; unsigned long mask; void *top; unsigned long reach; } aprof_tls = { .top = no_frame };

void aprof_monitor(void);
void __monstartup(unsigned long low, unsigned long high);
void _mcleanup(void);
void __cyg_profile_func_enter(void *routine, void *site) __attribute__((weak));
void __cyg_profile_func_exit(void *routine, void *site) __attribute__((weak));
void __wrap___cyg_profile_func_enter(void *routine, void *site) ALIAS(__cyg_profile_func_enter);
void __wrap___cyg_profile_func_exit(void *routine, void *site) ALIAS(__cyg_profile_func_exit);

void aprof_monitor(void)
{
}

void __monstartup(unsigned long low, unsigned long high)
{
	(void)low;
	(void)high;
}

void _mcleanup(void)
{
}

void __cyg_profile_func_enter(void *routine, void *site)
{
	(void)routine;
	(void)site;
	stub_entries++;
}

void __cyg_profile_func_exit(void *routine, void *site)
{
	(void)routine;
	(void)site;
	stub_exits++;
}

void __real_exit(int status) __attribute__((noreturn));
void __wrap_exit(int status) __attribute__((noreturn));

void __wrap_exit(int status)
{
	__real_exit(status);
}

int __real_swapcontext(ucontext_t *from, const ucontext_t *to);
int __wrap_swapcontext(ucontext_t *from, const ucontext_t *to);

int __wrap_swapcontext(ucontext_t *from, const ucontext_t *to)
{
	return __real_swapcontext(from, to);
}

/* The file that STUB_OUT names gets one line for each process that had entries; hooks of nop tell nothing. */
__attribute__((destructor)) static void tell(void)
{
	const char *path = STUB_TELLS ? getenv("STUB_OUT") : NULL;
	FILE *out = path && stub_entries ? fopen(path, "a") : NULL;

	if (!out)
		return;
	fprintf(out, "%ld %ld\n", stub_entries, stub_exits);
	fclose(out);
}
