/* ends.c - functions that the linker sends here first (--wrap) since a young process ends by them, without a word to libc, or is to grow before them.
 *
 * What is young is so for its few samples and for its place in the file of others (young_process.h); a thread, or a filter of system calls that a signal's handler
 * would run into, ends that. */
#include <alloca.h>
#include <errno.h>
#include <linux/prctl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "inside/hooks/slow.h"
#include "inside/process/young_process.h"
#include "inside/stacks/originals.h"
#include "inside/state.h"
#include "inside/sys.h"

/* ---- the end of the process, or of its program ---- */

void __real__exit(int status) __attribute__((noreturn));
EXPORTED void __wrap__exit(int status) __attribute__((noreturn));
void __real__Exit(int status) __attribute__((noreturn));
EXPORTED void __wrap__Exit(int status) __attribute__((noreturn));

void __wrap__exit(int status)
{
	young_process_settle();
	__real__exit(status);
}

void __wrap__Exit(int status)
{
	young_process_settle();
	__real__Exit(status);
}

#ifndef APROF_MCOUNT			/* there execute.c stands in front of these */
int __real_execve(const char *path, char *const arguments[], char *const environment[]);
EXPORTED int __wrap_execve(const char *path, char *const arguments[], char *const environment[]);
int __real_execv(const char *path, char *const arguments[]);
EXPORTED int __wrap_execv(const char *path, char *const arguments[]);
int __real_execvp(const char *file, char *const arguments[]);
EXPORTED int __wrap_execvp(const char *file, char *const arguments[]);
int __real_execvpe(const char *file, char *const arguments[], char *const environment[]);
EXPORTED int __wrap_execvpe(const char *file, char *const arguments[], char *const environment[]);
int __real_fexecve(int fd, char *const arguments[], char *const environment[]);
EXPORTED int __wrap_fexecve(int fd, char *const arguments[], char *const environment[]);
EXPORTED int __wrap_execl(const char *path, const char *argument, ...);
EXPORTED int __wrap_execlp(const char *file, const char *argument, ...);
EXPORTED int __wrap_execle(const char *path, const char *argument, ...);

int __wrap_execve(const char *path, char *const arguments[], char *const environment[])
{
	young_process_settle();
	return __real_execve(path, arguments, environment);
}

int __wrap_execv(const char *path, char *const arguments[])
{
	young_process_settle();
	return __real_execv(path, arguments);
}

int __wrap_execvp(const char *file, char *const arguments[])
{
	young_process_settle();
	return __real_execvp(file, arguments);
}

int __wrap_execvpe(const char *file, char *const arguments[], char *const environment[])
{
	young_process_settle();
	return __real_execvpe(file, arguments, environment);
}

int __wrap_fexecve(int fd, char *const arguments[], char *const environment[])
{
	young_process_settle();
	return __real_fexecve(fd, arguments, environment);
}

/* The arguments from ARGUMENT on, before the NULL in LIST, which is behind it. */
static size_t ends_count(const char *argument, va_list list)
{
	size_t n = 0;

	for (; argument; argument = va_arg(list, const char *))
		n++;
	return n;
}

/* Write them, N of them and the NULL, to ARGUMENTS. */
static void gather(char **arguments, size_t n, const char *argument, va_list list)
{
	for (size_t i = 0; i <= n; i++) {
		arguments[i] = (char *)argument;
		if (i < n)
			argument = va_arg(list, const char *);
	}
}

/* The ARGUMENTS of a function whose last named one is ARGUMENT, on its stack; LIST then stands behind the NULL. */
#define GATHER(arguments, argument, list) \
	do { \
		size_t n; \
	\
		va_start(list, argument); \
		n = ends_count(argument, list); \
		va_end(list); \
		arguments = alloca((n + 1) * sizeof *arguments); \
		va_start(list, argument); \
		gather(arguments, n, argument, list); \
	} while (0)

int __wrap_execl(const char *path, const char *argument, ...)
{
	char **arguments;
	va_list list;

	GATHER(arguments, argument, list);
	va_end(list);
	return __wrap_execv(path, arguments);
}

int __wrap_execlp(const char *file, const char *argument, ...)
{
	char **arguments;
	va_list list;

	GATHER(arguments, argument, list);
	va_end(list);
	return __wrap_execvp(file, arguments);
}

int __wrap_execle(const char *path, const char *argument, ...)
{
	char **arguments, **environment;
	va_list list;

	GATHER(arguments, argument, list);
	environment = va_arg(list, char **);
	va_end(list);
	return __wrap_execve(path, arguments, environment);
}
#endif

/* ---- what a young process is not to do ---- */

typedef int create_function(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *arg);
typedef int prctl_function(int what, unsigned long a, unsigned long b, unsigned long c, unsigned long d);	/* `...` to callers; libc reads these registers, too */
REAL(pthread_create, create_function)
REAL(prctl, prctl_function)
EXPORTED create_function __wrap_pthread_create;
EXPORTED prctl_function __wrap_prctl;

/* The process is to be grown.  A forked child that has called nothing yet begins first: once other threads count its file cannot be moved. */
static void ends_grow(void)
{
	uint64_t mask;

	if (monitor_state() == MONITOR_FORKED && monitor.in_nursery) {
		sys_block_signals(&mask);
		slow_start((uintptr_t)__builtin_frame_address(0));
		sys_restore_signals(&mask);
	}
	young_process_grow();
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *arg)
{
	create_function *create = real_pthread_create();

	ends_grow();
	return create ? create(thread, attributes, run, arg) : EAGAIN;
}

int __wrap_prctl(int what, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	if (what == PR_SET_NO_NEW_PRIVS || what == PR_SET_SECCOMP)
		ends_grow();
	return real_prctl()(what, a, b, c, d);
}

#ifdef APROF_MCOUNT
FRONT(_exit) __attribute__((noreturn));
FRONT(_Exit) __attribute__((noreturn));
FRONT(pthread_create);
FRONT(prctl);
#endif
