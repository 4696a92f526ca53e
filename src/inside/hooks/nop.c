/* nop.c - libaprof_nop: the same hooks, empty, to measure what calling them costs (the paper's
 * "dummy").  Those of way fentry are in nop.S. */
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void __cyg_profile_func_enter(void *routine, void *site) __attribute__((weak));
EXPORTED void __cyg_profile_func_exit(void *routine, void *site) __attribute__((weak));
EXPORTED void __wrap___cyg_profile_func_enter(void *routine, void *site)
	__attribute__((alias("__cyg_profile_func_enter")));
EXPORTED void __wrap___cyg_profile_func_exit(void *routine, void *site)
	__attribute__((alias("__cyg_profile_func_exit")));

void __cyg_profile_func_enter(void *routine, void *site)
{
	(void)routine;
	(void)site;
}

void __cyg_profile_func_exit(void *routine, void *site)
{
	(void)routine;
	(void)site;
}

void __real_exit(int status) __attribute__((noreturn));
EXPORTED void __wrap_exit(int status) __attribute__((noreturn));

void __wrap_exit(int status)
{
	__real_exit(status);
}

int __real_swapcontext(ucontext_t *from, const ucontext_t *to);
EXPORTED int __wrap_swapcontext(ucontext_t *from, const ucontext_t *to);

int __wrap_swapcontext(ucontext_t *from, const ucontext_t *to)
{
	return __real_swapcontext(from, to);
}

/* A function that calls vfork must not return before its child is gone: jump.  Of the functions that jump themselves a program need not have all. */
#define JUMP(name) \
	__asm__(".text\n.globl __wrap_" #name "\n.type __wrap_" #name ", @function\n.weak __real_" #name "\n" \
		"__wrap_" #name ": jmp __real_" #name "@PLT\n")
JUMP(vfork);
JUMP(longjmp);
JUMP(_longjmp);
JUMP(siglongjmp);
JUMP(__longjmp_chk);
JUMP(setcontext);
JUMP(sigaltstack);
JUMP(pthread_exit);
JUMP(__pthread_unwind_next);
JUMP(__pthread_register_cancel);
JUMP(__pthread_register_cancel_defer);
JUMP(_Unwind_SetIP);
JUMP(_exit);
JUMP(_Exit);
JUMP(execve);
JUMP(execv);
JUMP(execvp);
JUMP(execvpe);
JUMP(fexecve);
JUMP(execl);
JUMP(execlp);
JUMP(execle);
JUMP(pthread_create);
JUMP(prctl);

int __real_dlclose(void *handle) __attribute__((weak));
EXPORTED int __wrap_dlclose(void *handle);

int __wrap_dlclose(void *handle)
{
	return __real_dlclose(handle);
}

int __real_unshare(int flags);
EXPORTED int __wrap_unshare(int flags);
int __real_setns(int fd, int type);
EXPORTED int __wrap_setns(int fd, int type);

int __wrap_unshare(int flags)
{
	return __real_unshare(flags);
}

int __wrap_setns(int fd, int type)
{
	return __real_setns(fd, type);
}

int __real_mlockall(int flags);
EXPORTED int __wrap_mlockall(int flags);

int __wrap_mlockall(int flags)
{
	return __real_mlockall(flags);
}

int __real_sigaction(int sig, const struct sigaction *action, struct sigaction *old);
EXPORTED int __wrap_sigaction(int sig, const struct sigaction *action, struct sigaction *old);
sighandler_t __real_signal(int sig, sighandler_t handler);
EXPORTED sighandler_t __wrap_signal(int sig, sighandler_t handler);

int __wrap_sigaction(int sig, const struct sigaction *action, struct sigaction *old)
{
	return __real_sigaction(sig, action, old);
}

sighandler_t __wrap_signal(int sig, sighandler_t handler)
{
	return __real_signal(sig, handler);
}
