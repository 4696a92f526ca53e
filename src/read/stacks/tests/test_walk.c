/* test_walk.c - stacks of other people's programs, stopped at any moment: the same frames as elfutils' own unwinder finds (libdwfl). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "read/stacks/walk.h"

enum { STOPS = 120, MOST = 512, COPY = 256 << 10, STEPS = 2000, MOST_STEPS = 3000000 };

static pid_t start(const char *const *argv)
{
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[0], (char **)argv);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

static struct timespec soon(long microseconds)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += microseconds * 1000;
	return t.tv_nsec < 1000000000 ? t : (struct timespec){ t.tv_sec + 1, t.tv_nsec - 1000000000 };
}

static bool is_over(const struct timespec *end)
{
	struct timespec t;

	usleep(20);
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec > end->tv_sec || (t.tv_sec == end->tv_sec && t.tv_nsec >= end->tv_nsec);
}

/* Let it run for TIME, microseconds, and stop it; the signals that it gets meanwhile are its own.  False: it ended. */
static bool run_on(pid_t pid, long time)
{
	int status, signal = 0;

	for (struct timespec end = soon(time);; signal = WSTOPSIG(status)) {
		ptrace(PTRACE_CONT, pid, 0, signal);
		while (waitpid(pid, &status, WNOHANG) == 0)
			if (is_over(&end)) {
				kill(pid, SIGSTOP);
				waitpid(pid, &status, 0);
				break;
			}
		if (!WIFSTOPPED(status) || WSTOPSIG(status) == SIGSTOP)
			return WIFSTOPPED(status);
	}
}

struct frames {
	uint64_t pc[MOST];
	int n;
	bool interrupted;		/* libdwfl: the next frame is what a signal interrupted */
};

/* Frames that libdwfl has as exact come in twos: the kernel's below a handler, which the handler returns to, and what was interrupted. */
static int frame_take(Dwfl_Frame *frame, void *arg)
{
	struct frames *f = arg;
	Dwarf_Addr pc;
	bool exact;

	if (f->n == MOST || !dwfl_frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	if (exact && f->n > 0)
		exact = f->interrupted, f->interrupted = !f->interrupted;
	f->pc[f->n++] = exact ? pc : pc - 1;
	return DWARF_CB_OK;
}

static void by_libdwfl(pid_t pid, struct frames *f)
{
	static char *path = NULL;
	const Dwfl_Callbacks callbacks = { .find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo, .debuginfo_path = &path };
	Dwfl *dwfl = dwfl_begin(&callbacks);

	*f = (struct frames){ .n = 0 };
	assert_int_equal(dwfl_linux_proc_report(dwfl, pid), 0);
	dwfl_report_end(dwfl, NULL, NULL);
	assert_int_equal(dwfl_linux_proc_attach(dwfl, pid, true), 0);
	dwfl_getthread_frames(dwfl, pid, frame_take, f);
	dwfl_end(dwfl);
}

/* What is mapped now, without what the walk needs to be told of by events. */
static enum walk_end by_walk(pid_t pid, struct images *images, struct frames *f)
{
	static char stack[COPY];
	static struct walk_frame frames[MOST];
	struct user_regs_struct r;
	struct space space;
	struct walk w = { .space = &space, .stack = stack };
	struct iovec here = { stack, sizeof stack }, there;
	enum walk_end end;
	ssize_t size;
	size_t n;

	assert_int_equal(ptrace(PTRACE_GETREGS, pid, 0, &r), 0);
	there = (struct iovec){ (void *)r.rsp, sizeof stack };
	for (size = -1; size < 0 && there.iov_len > 0; there.iov_len -= 256)
		size = process_vm_readv(pid, &here, 1, &there, 1, 0);
	w.size = size > 0 ? (size_t)size : 0;
	memcpy(w.regs, (uint64_t[]){ r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9, r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip },
	       sizeof w.regs);
	space_init(&space, pid, images);
	assert_true(space_read(&space));
	end = walk_stack(&w, frames, MOST, &n);
	for (f->n = 0; f->n < (int)n; f->n++)
		f->pc[f->n] = frames[f->n].address;
	space_free(&space);
	return end;
}

/* Every stack of ARGV's process is that of libdwfl, to the thread's start; but for one in a hundred, in code that has no description.  There
 * libdwfl may end, and the walk go on. */
static void compare(const char *const *argv)
{
	struct images images = { 0 };
	int stops = 0, whole = 0, equal = 0;
	unsigned seed = 1;
	pid_t pid;

	if (access(argv[0], X_OK) != 0)
		skip();
	pid = start(argv);
	while (stops < STOPS && run_on(pid, 200 + rand_r(&seed) % 3000)) {
		struct frames ours, theirs;

		bool reached = by_walk(pid, &images, &ours) == WALK_WHOLE;

		whole += reached;
		by_libdwfl(pid, &theirs);
		equal += (ours.n == theirs.n || (reached && theirs.n < ours.n)) && !memcmp(ours.pc, theirs.pc, (size_t)theirs.n * sizeof *ours.pc);
		if (ours.n != theirs.n)
			printf("%s: stop %d: %d frames, %d by libdwfl; 0x%lx, 0x%lx\n", argv[0], stops, ours.n, theirs.n,
			       ours.n ? (unsigned long)ours.pc[ours.n - 1] : 0, theirs.n ? (unsigned long)theirs.pc[theirs.n - 1] : 0);
		stops++;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	images_free(&images);
	printf("%s: %d stacks, %d whole, %d as libdwfl has them\n", argv[0], stops, whole, equal);
	assert_true(stops >= STOPS / 2);
	assert_true(100 * whole >= 99 * stops);
	assert_true(100 * equal >= 99 * stops);
}

static void test_perl(void **state)
{
	const char *const argv[] = { "/usr/bin/perl", "-e", "sub f { my $n = shift; return $n < 2 ? $n : f($n - 1) + f($n - 2) } f(60)", NULL };

	(void)state;
	compare(argv);
}

static void test_python(void **state)
{
	const char *const argv[] = { "/usr/bin/python3", "-c", "import re\nwhile True: re.sub('(a|b)*c', lambda m: m[0][::-1], 'abab' * 50 + 'c' + str(sorted(range(500), key=lambda x: -x)))", NULL };

	(void)state;
	compare(argv);
}

static void test_shell(void **state)
{
	const char *const argv[] = { "/bin/sh", "-c", "f() { i=0; while [ $i -lt 1000 ]; do i=$((i + 1)); done; }; while :; do f; done", NULL };

	(void)state;
	compare(argv);
}

static void test_awk(void **state)
{
	const char *const argv[] = { "/usr/bin/awk", "BEGIN { while (1) for (i = 0; i < 1000; i++) s = s sprintf(\"%d\", length(s) % 7); }", NULL };

	(void)state;
	compare(argv);
}

/* This program itself: alloca, recursion, a handler's frame. */
static volatile sig_atomic_t rings;

static void handler(int signal)
{
	(void)signal;
	for (volatile int i = 0; i < 20000; i++)
		rings = rings + 1;
}

static __attribute__((noinline)) int deep(int n)
{
	volatile char *room = __builtin_alloca(16 + (size_t)n % 64);

	for (int i = 0; i < 300; i++)
		room[i % 16] = (char)i;
	return n > 0 ? deep(n - 1) + room[3] : room[5];
}

static void subject(void)
{
	signal(SIGALRM, handler);
	ualarm(1000, 300);
	for (;;)
		deep(40);
}

static void test_handler(void **state)
{
	const char *const argv[] = { "/proc/self/exe", "--subject", NULL };

	(void)state;
	compare(argv);
}

/* Whether its next instruction is one of the program's own, not of a library's.  The program is what is mapped first. */
static bool in_program(pid_t pid, const struct space *space)
{
	struct user_regs_struct r;
	const struct mapping *m;

	ptrace(PTRACE_GETREGS, pid, 0, &r);
	m = space_find(space, r.rip);
	return m && m->image == space->mappings[0].image;
}

/* At every instruction of a program that nobody here compiled, from its first on (_start, _init, prologues, epilogues), its stack is whole; so it is at
 * the linker's first instruction, which has no description. */
static void test_every_instruction(void **state)
{
	const char *const argv[] = { "/bin/sh", "-c", "i=0; while :; do i=$((i + 1)); done", NULL };
	struct images images = { 0 };
	int status, looks = 0, cut = 0;
	struct space space;
	struct frames f;
	pid_t pid = start(argv);

	(void)state;
	space_init(&space, pid, &images);
	assert_true(space_read(&space));
	assert_int_equal(by_walk(pid, &images, &f), WALK_WHOLE);
	for (int i = 0; i < MOST_STEPS && looks < STEPS; i++) {
		if (in_program(pid, &space)) {
			looks++;
			if (by_walk(pid, &images, &f) != WALK_WHOLE && cut++ < 10)
				printf("/bin/sh: %d frames, not whole: 0x%lx\n", f.n, f.n ? (unsigned long)(f.pc[f.n - 1] - space.mappings[0].bias) : 0);
		}
		ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
		if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
			break;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	space_free(&space);
	images_free(&images);
	assert_int_equal(looks, STEPS);
	assert_int_equal(cut, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_handler), cmocka_unit_test(test_perl), cmocka_unit_test(test_python), cmocka_unit_test(test_shell),
		cmocka_unit_test(test_awk), cmocka_unit_test(test_every_instruction),
	};

	if (argc > 1 && !strcmp(argv[1], "--subject"))
		subject();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
