/* sys.h - system calls made raw: no errno, no cancellation point, no libc state.
 *
 * Each returns what the kernel returns: a value, or minus an errno. */
#ifndef SYS_H
#define SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

static inline long sys_call6(long nr, long a, long b, long c, long d, long e, long f)
{
	long ret;
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall" : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0" : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	ret = x0;
#else
#error "no raw system calls for this machine"
#endif
	return ret;
}

#define sys0(nr)		sys_call6(SYS_##nr, 0, 0, 0, 0, 0, 0)
#define sys1(nr, a)		sys_call6(SYS_##nr, (long)(a), 0, 0, 0, 0, 0)
#define sys2(nr, a, b)		sys_call6(SYS_##nr, (long)(a), (long)(b), 0, 0, 0, 0)
#define sys3(nr, a, b, c)	sys_call6(SYS_##nr, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define sys4(nr, a, b, c, d)	sys_call6(SYS_##nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define sys5(nr, a, b, c, d, e)	sys_call6(SYS_##nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define sys6(nr, a, b, c, d, e, f) \
	sys_call6(SYS_##nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static inline bool sys_failed(long ret) { return (unsigned long)ret >= (unsigned long)-4095; }

/* SIZE bytes of zeroed anonymous memory, resident at once if POPULATE; NULL when refused. */
void *sys_memory(size_t size, bool populate);

/* The same for a table that is looked at here and there: SIZE bytes that begin where a large page does, if they fill one and there is room, BEFORE
 * bytes behind what is returned, not resident.  The kernel is asked for large pages, which it need not have. */
void *sys_memory_large(size_t before, size_t size);

/* Block every signal of this thread but SIGBUS, which a truncated data file raises and sigbus.c answers, keeping the old
 * mask in *OLD; and put it back. */
static inline void sys_block_signals(uint64_t *old)
{
	uint64_t all = ~(UINT64_C(1) << (7 /* SIGBUS */ - 1));

	sys4(rt_sigprocmask, 0 /* SIG_BLOCK */, &all, old, sizeof *old);
}

static inline void sys_restore_signals(const uint64_t *old)
{
	sys4(rt_sigprocmask, 2 /* SIG_SETMASK */, old, NULL, sizeof *old);
}

/* Under valgrind, whose own mappings are in the map too: it is to say nothing of what this thread reads (QUIET), and again what it finds.  Calls in
 * pairs; without valgrind it does nothing.  The instructions are those of VALGRIND_DISABLE_ERROR_REPORTING in valgrind.h. */
static inline void sys_valgrind(bool quiet)
{
#if defined(__x86_64__)
	volatile uint64_t request[6] = { 0x1801 /* VG_USERREQ__CHANGE_ERR_DISABLEMENT */, quiet ? 1 : (uint64_t)-1 };
	uint64_t result = 0;

	__asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
			 : "+d"(result) : "a"(request) : "cc", "memory");
#else
	(void)quiet;
#endif
}

/* Bytes that this process may have mapped by its limits, RLIMIT_AS and RLIMIT_DATA, the lesser; UINT64_MAX: as many as it
 * likes.  What is mapped being locked in memory from now on (sys_memory_is_dear), no more than a locked process may have. */
uint64_t sys_address_space(void);
void sys_memory_is_dear(void);

/* The largest file that this process may have, bytes. */
uint64_t sys_file_limit(void);

/* A clock's value, ns; 0 when the kernel has no such clock (a thread that is gone, say). */
uint64_t sys_clock(int clock);

/* The CPU clock of thread TID of this process. */
static inline int sys_thread_clock(int tid) { return (int)(~(unsigned)tid << 3 | 6); }

/* Read at most SIZE bytes of the file PATH to BUFFER. Returns the number read, or minus an errno. */
long sys_read_file(const char *path, char *buffer, size_t size);

/* Write SIZE bytes at DATA to FD, from AT on.  False: not all of them. */
bool sys_write_at(long fd, const void *data, uint64_t size, uint64_t at);

/* What a signal does, as rt_sigaction has it. */
struct sys_action {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

/* memcpy, memset to 0 and strlen that use no vector register and are nobody else's. */
static inline void mem_copy(void *to, const void *from, size_t size)
{
#if defined(__x86_64__)
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
#else
	for (size_t i = 0; i < size; i++)
		((volatile char *)to)[i] = ((const char *)from)[i];
#endif
}

static inline void mem_zero(void *to, size_t size)
{
#if defined(__x86_64__)
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(0) : "memory");
#else
	for (size_t i = 0; i < size; i++)
		((volatile char *)to)[i] = 0;
#endif
}

static inline size_t str_length(const char *s)
{
	size_t n = 0;

	while (((const volatile char *)s)[n])
		n++;
	return n;
}

static inline bool str_equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

/* A lock that fits code with all signals blocked: spins, then yields. */
struct sys_lock { int taken; };
void sys_lock(struct sys_lock *lock);
bool sys_lock_if_free(struct sys_lock *lock);	/* false: somebody has it */
void sys_unlock(struct sys_lock *lock);

#endif
