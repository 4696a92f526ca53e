#!/usr/bin/env python3
"""sources_test.py BUILD - call stacks where perf events are refused: by a timer in the program, and by ptrace; and that neither is noticed."""
import itertools, json, os, random, re, shutil, signal, socket, subprocess, sys, tempfile, threading, time, unittest

import stacks_test as stacks        # takes BUILD from the command line

APROF, APROF_CC = stacks.APROF, stacks.APROF_CC
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}


def nobody_reaches_aprof():
    """Whether another user can run what was built: below /root, as a rule, nobody can."""
    try:
        return os.getuid() == 0 and subprocess.run([APROF, "--version"], capture_output=True, **NOBODY).returncode == 0
    except PermissionError:
        return False


AS_NOBODY = nobody_reaches_aprof()

# Everything that a signal, or a stop, could spoil: calls that sleep, errno, masks, actions, its own signal stack.
DELICATE = r"""
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>
static volatile long sink;
static int failed;
static void work(void) { for (int i = 0; i < 40000; i++) sink += i; }
static void check(int ok, const char *what) { if (!ok) { printf("%s: %s\n", what, strerror(errno)); failed = 1; } }
static void *quiet(void *arg)
{
	sigset_t all, old;
	sigfillset(&all);
	check(pthread_sigmask(SIG_SETMASK, &all, &old) == 0 && !sigismember(&old, SIGPROF), "first mask");
	check(pthread_sigmask(SIG_BLOCK, 0, &old) == 0 && sigismember(&old, SIGPROF), "full mask");
	for (int i = 0; i < 4000; i++) work();
	check(pthread_sigmask(SIG_UNBLOCK, &all, &old) == 0 && sigismember(&old, SIGPROF), "full mask, later");
	check(pthread_sigmask(SIG_BLOCK, 0, &old) == 0 && !sigismember(&old, SIGPROF) && !sigismember(&old, SIGINT), "empty mask");
	return arg;
}
int main(int argc, char **argv)
{
	struct timespec ms = { 0, 300000 };
	struct sigaction action;
	struct epoll_event event;
	int poller = epoll_create1(0), seconds = argc > 1 ? 3 : 1;
	static char other[64 << 10];
	stack_t stack = { .ss_sp = other, .ss_size = sizeof other };
	time_t end = time(0) + seconds;
	pthread_t t;
	sem_t sem;

	check(sigaltstack(&stack, 0) == 0, "sigaltstack");
	sem_init(&sem, 0, 0);
	check(sigaction(SIGPROF, 0, &action) == 0 && action.sa_handler == SIG_DFL && !(action.sa_flags & SA_SIGINFO), "action of SIGPROF");
	check(signal(SIGPROF, SIG_DFL) == SIG_DFL, "signal of SIGPROF");
	pthread_create(&t, 0, quiet, 0);
	while (time(0) < end) {
		struct timeval tv = { 0, 300 };
		struct timespec until;
		work(); errno = 0; check(nanosleep(&ms, 0) == 0, "nanosleep");
		work(); errno = 0; check(poll(0, 0, 1) == 0, "poll");
		work(); errno = 0; check(select(0, 0, 0, 0, &tv) == 0, "select");
		work(); errno = 0; check(epoll_wait(poller, &event, 1, 1) == 0, "epoll_wait");
		work(); errno = 0; check(usleep(200) == 0, "usleep");
		clock_gettime(CLOCK_REALTIME, &until); until.tv_nsec += 300000; if (until.tv_nsec >= 1000000000) { until.tv_nsec -= 1000000000; until.tv_sec++; }
		work(); errno = 0; check(sem_timedwait(&sem, &until) != 0 && errno == ETIMEDOUT, "sem_timedwait");
		errno = 4711; work(); check(errno == 4711, "errno");
	}
	pthread_join(t, 0);
	puts(failed ? "disturbed" : "undisturbed");
	return failed;
}
"""
# Its own use of SIGPROF: about a hundred ticks in a second of CPU time.
OWN_SIGPROF = r"""
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
static volatile sig_atomic_t ticks, wrong;
static void on_prof(int sig, siginfo_t *info, void *context) { (void)sig, (void)context; ticks++; wrong += info->si_code == SI_TIMER; }
volatile long sink;
__attribute__((noinline)) static void spin(void) { for (long i = 0; i < 1000000; i++) sink += i; }
int main(void)
{
	struct sigaction action = { .sa_sigaction = on_prof, .sa_flags = SA_SIGINFO | SA_RESTART }, old;
	struct itimerval every = { { 0, 10000 }, { 0, 10000 } };
	while (clock() < CLOCKS_PER_SEC / 5) spin();
	sigaction(SIGPROF, &action, &old);
	setitimer(ITIMER_PROF, &every, 0);
	while (clock() < CLOCKS_PER_SEC) spin();
	printf("%s %s\n", ticks > 40 && ticks < 130 && !wrong ? "right" : "wrong", old.sa_handler == SIG_DFL ? "default" : "other");
	return 0;
}
"""
# Handlers on signal stacks: what they interrupted is on another one.
SIGNAL_STACK = r"""
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static volatile long sink;
static __attribute__((noinline)) void spin(long n) { for (long i = 0; i < n; i++) sink += i; }
static void handler(int s) { spin(60000000); sink += s; }
static __attribute__((noinline)) void interrupted(void) { raise(SIGUSR1); sink++; }
static void *thread(void *arg)
{
	char *far = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = { .ss_sp = far + (512 << 10), .ss_size = 256 << 10 };
	sigaltstack(&stack, 0);
	for (int i = 0; i < 8; i++) interrupted();
	return arg;
}
int main(void)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	pthread_t t;
	sigaction(SIGUSR1, &action, 0);
	pthread_create(&t, 0, thread, 0);
	thread(0);
	pthread_join(t, 0);
	return 0;
}
"""
# Counts the signals that it gets, works, sleeps; ends by itself.
SIGNALLED = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static volatile sig_atomic_t got;
static volatile long sink;
static void count(int s) { (void)s; got++; }
static __attribute__((noinline)) void spin(long n) { for (long i = 0; i < n; i++) sink += i; }
static void *brief(void *arg) { spin(300000); return arg; }
int main(void)
{
	signal(SIGUSR1, count);
	puts("ready"); fflush(stdout);
	for (int i = 0; ; i++) {
		pthread_t t;
		char line[64];
		struct timespec ms = { 0, 1000000 };
		pthread_create(&t, 0, brief, 0);
		spin(2000000);
		nanosleep(&ms, 0);
		pthread_join(t, 0);
		if (got >= 200) { printf("got them\n"); return 7; }
		(void)line;
	}
}
"""
# Fibers: the first routine of each returns to nothing, to where nothing is mapped, to a place that no call stands before, or to assembly that has called it by
# a register, with something in the frame pointer; switched by code that no table describes.
FIBERS = r"""
#include <stdint.h>
#include <stdlib.h>
__asm__(".text\nflip:\n\tpush %rbp\n\tpush %rbx\n\tmov %rsp, (%rdi)\n\tmov %rsi, %rsp\n\tpop %rbx\n\tpop %rbp\n\tret\n"
	".type begin, @function\nbegin:\n\tcall *%rbx\n\tud2\njumped:\n\tjmp *%rbx\nbehind:\n\thlt\n");
void flip(void *save, void *to);
extern char begin[], jumped[], behind[];
static void *home, *at[4];
static volatile long sink;
static __attribute__((noinline)) void spin(int n) { for (int i = 0; i < n; i++) sink += i; }
static __attribute__((noinline)) void deep(int i, int n) { if (n) deep(i, n - 1); else { spin(300000); flip(&at[i], home); } sink++; }
#define BODY(i) static void body_##i(void) { for (;;) deep(i, 3); }
BODY(0) BODY(1) BODY(2) BODY(3)
static void *make(void (*body)(void), uintptr_t first, uintptr_t back)
{
	uintptr_t *p = (uintptr_t *)((char *)aligned_alloc(16, 32768) + 32768);
	*--p = 0x1234;
	*--p = 0x5678;
	if (back != 1)
		*--p = back;
	*--p = first ? first : (uintptr_t)body;
	*--p = 0x99;
	*--p = (uintptr_t)body;
	return p;
}
int main(void)
{
	at[0] = make(body_0, 0, 0);
	at[1] = make(body_1, 0, 0xdeaddeaddeaddead);
	at[2] = make(body_2, (uintptr_t)jumped, (uintptr_t)behind);
	at[3] = make(body_3, (uintptr_t)begin, 1);
	for (int i = 0; i < 400; i++)
		flip(&home, at[i % 4]);
	return 0;
}
"""
IDENTITY = r"""
#include <stdio.h>
#include <unistd.h>
volatile long sink;
int main(void) { for (long i = 0; i < 300000000; i++) sink += i; printf("%d %d\n", (int)getuid(), (int)geteuid()); return 5; }
"""
# Tells its number, and again and again its CPU time.
CLOCKED = r"""
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static volatile long sink;
static __attribute__((noinline)) void work(int depth) { for (int i = 0; i < 3000; i++) sink += i; if (depth) work(depth - 1); sink++; }
int main(int argc, char **argv)
{
	char text[64], temporary[4096];
	int fd, n = 0;
	(void)argc;
	snprintf(temporary, sizeof temporary, "%s.new", argv[1]);
	fd = open(temporary, O_RDWR | O_CREAT, 0600);
	for (;; n++) {
		struct timespec t;
		for (int i = 0; i < 10; i++) work((n + i) % 200);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
		snprintf(text, sizeof text, "%10d\n%14.6f\n", (int)getpid(), t.tv_sec + t.tv_nsec / 1e9);
		if (pwrite(fd, text, strlen(text), 0) < 0) return 1;
		if (n == 0) rename(temporary, argv[1]);
	}
}
"""
GO = """package main
import "fmt"
func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }
func main() { c := make(chan int); for i := 0; i < 3; i++ { go func() { c <- fib(37) }() }; fmt.Println(<-c + <-c + <-c) }
"""
BUSY = "int main(void) { volatile long x = 0; for (long i = 0; i < 300000000; i++) x += i; return 3; }\n"
PYTHON = """
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(27), len(sorted(str(i) for i in range(300000))))
"""
NODE = "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } let s = 0; for (let i = 0; i < 5; i++) s += fib(32); console.log(s)"
PERL = 'my %h; $h{$_ % 5003} .= chr(65 + $_ % 26) for 1 .. 900000; my $n = 0; $n += length $h{$_} for sort keys %h; print "$n\\n"'


class Source(stacks.Stacks):
    """What all tests of a source need; those of stacks_test.py are taken one by one."""
    SOURCE = None

    def setUp(self):
        super().setUp()
        os.chmod(self.path, 0o777)
        if self.SOURCE:
            os.environ["APROF_STACKS"] = self.SOURCE
        self.addCleanup(os.environ.pop, "APROF_STACKS", None)

    LONGER = (("(300000)", "(1500000)"), ("spin(2000)", "spin(10000)"), ("40000000 * n", "400000000 * n"), ("1500 * per_ms", "4000 * per_ms"))

    def build(self, text, *names, **more):
        """Fewer samples than of perf events, so more work."""
        for short, long in self.LONGER:
            text = text.replace(short, long)
        return super().build(text, *names, **more)

    def head(self, done):
        """Source and rate, as the head of the report tells, and whether 99 % of the stacks are whole, but for one."""
        by = re.search(r"call stacks were sampled\s+by\s+([^,]*),\s+(?:up\s+to\s+)?(\d+)\s+a\s+second", done.stderr)
        self.assertTrue(by, done.stderr)
        found = json.loads(self.aprof("report", "--json").stdout)["run"]["call_stacks"]
        return " ".join(by[1].split()), int(by[2]), found["truncated"] <= 1 + found["sampled"] / 100

    def parents(self, name, *arguments):
        whole = json.loads(self.aprof("report", "--json", *arguments).stdout)
        return {parent["name"] for entry in whole["callgraph"] if entry["name"] == name for parent in entry["parents"]}


def check_fibers(self):
    """The stack of a fiber ends where it begins: whole, below its first routine."""
    done = self.aprof("run", self.build(FIBERS))
    self.assertTrue(self.head(done)[2], done.stderr)
    for i in range(4):
        self.assertEqual(self.parents(f"body_{i}"), {"begin"} if i == 3 else {None})
        self.assertIn(f"body_{i}", self.parents("deep"))


def without_its_tests(base):
    """A class of BASE whose tests are not run again."""
    return type("Without", (base,), {name: None for name in dir(base) if name.startswith("test_")})


Source = without_its_tests(Source)


class Usual(Source):
    """By what there is: perf events, of which stacks_test.py has the rest."""
    test_fibers = check_fibers


class Timer(Source):
    SOURCE = "timer"
    test_fibers = check_fibers
    for name in ("shares", "threads", "deep", "handler", "processes", "children_with_hooks"):
        locals()["test_" + name] = getattr(stacks.Stacks, "test_" + name)
    del name

    def test_head(self):
        done = self.aprof("run", self.build(stacks.SHARES), status=3)
        source, rate, whole = self.head(done)
        self.assertEqual(source, "a timer in the program")
        self.assertTrue(50 <= rate <= 1000, rate)
        self.assertTrue(whole, done.stderr)
        info = json.loads(self.aprof("report", "--json").stdout)["run"]["clock"]
        self.assertEqual((info["source"], info["rate"]), ("timer", rate))

    def test_waiting_is_not_told(self):
        done = self.aprof("run", "--clock=wall", self.build(stacks.SHARES), status=2)
        self.assertEqual((done.stdout, done.stderr), ("", "aprof: --clock=wall: a timer in the program tells nothing of threads that wait; perf events and "
                                                          "ptrace do (APROF_STACKS)\n"))

    def test_rate(self):
        _, rate, _ = self.head(self.aprof("run", "--rate=50", self.build(stacks.SHARES), status=3))
        self.assertLessEqual(rate, 52)

    def test_time_is_the_cpu_time(self):
        """Whatever the kernel's clock, each sample stands for what its thread took."""
        prog = self.build("""
            #include <stdio.h>
            #include <time.h>
            volatile long sink;
            int main(void) { struct timespec t; while (clock() < CLOCKS_PER_SEC) for (long i = 0; i < 100000; i++) sink += i;
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); printf("%f\\n", t.tv_sec + t.tv_nsec / 1e9); return 0; }""")
        done = self.aprof("run", "--no-report", prog)
        whole = json.loads(self.aprof("report", "--json").stdout)["run"]["times"]["contexts_ns"] / 1e9
        self.assertLess(abs(whole - float(done.stdout)), 0.06)

    def test_nothing_is_noticed(self):
        done = self.aprof("run", self.build(DELICATE))
        self.assertEqual(done.stdout, "undisturbed\n")
        self.assertIn("quiet", self.flat())              # a thread that blocks all signals has its time

    def test_library_that_calls_early(self):
        """A library's constructor calls syscall(2) before ours has begun, as those of jemalloc and tcmalloc do; an error is told as libc tells it."""
        with open(os.path.join(self.path, "early.c"), "w") as file:
            file.write('''
                #include <errno.h>
                #include <sys/syscall.h>
                #include <unistd.h>
                __attribute__((constructor)) static void begins(void) { if (syscall(SYS_getpid) != getpid() || syscall(SYS_close, -1) != -1 || errno != EBADF) _exit(9); }''')
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "libearly.so", "early.c"], cwd=self.path, check=True)
        self.aprof("run", "--no-report", self.build(stacks.SHARES, options=("-O2", "-L" + self.path, "-Wl,--no-as-needed", "-learly", "-Wl,-rpath," + self.path)), status=3)

    def test_sigprof_of_its_own(self):
        """The program has it, as if nobody else had; its stacks are then followed by ptrace."""
        done = self.aprof("run", self.build(OWN_SIGPROF))
        self.assertEqual(done.stdout, "right default\n")
        self.assertGreater(sum(row["self_ns"] for row in self.flat().values()), 0.6e9)

    def test_signal_stacks(self):
        """What a handler on a stack of its own interrupted."""
        done = self.aprof("run", self.build(SIGNAL_STACK))
        self.assertTrue(self.head(done)[2])
        self.assertIn("interrupted", {name for raised in self.parents("(signal)") for name in self.above(raised)})

    def above(self, name):
        """NAME, its callers, and theirs."""
        seen, rest = set(), [name]
        while rest:
            found = rest.pop()
            if found not in seen:
                seen.add(found)
                rest.extend(self.parents(found))
        return seen

    def test_static(self):
        done = self.aprof("run", self.build(stacks.SHARES, options=("-O2", "-static")), status=3)
        self.assertEqual(self.head(done)[0], "ptrace")
        self.assertIn("spin", self.flat())

    def test_go(self):
        if not shutil.which("go"):
            self.skipTest("go is not installed")
        with open(os.path.join(self.path, "g.go"), "w") as file:
            file.write(GO)
        subprocess.run(["go", "build", "g.go"], cwd=self.path, check=True, env=dict(os.environ, HOME=self.path, GO111MODULE="off", GOFLAGS=""))
        self.assertTrue(self.head(self.aprof("run", "./g"))[2])

    def test_beside_hooks(self):
        self.aprof("run", "--stacks", "--no-report", self.build(stacks.SHARES, "hooked", APROF_CC), status=3)
        exact, sampled = self.flat(), self.flat("--stacks")
        for name in ("one", "three"):
            shares = [rows[name]["total_ns"] / rows["main"]["total_ns"] for rows in (exact, sampled)]
            self.assertLess(abs(shares[0] - shares[1]), 0.15, name)

    def test_environment_is_passed_on(self):
        os.environ["LD_PRELOAD"] = ""
        self.addCleanup(os.environ.pop, "LD_PRELOAD")
        done = self.aprof("run", "sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'")
        self.assertEqual(self.head(done)[0], "a timer in the program")


class Ptrace(Source):
    SOURCE = "ptrace"
    test_fibers = check_fibers
    for name in ("shares", "threads", "handler", "children_with_hooks", "attach", "attach_ends_with_its_process", "attach_again_and_again", "attach_wrongly",
                 "attach_to_those_that_wait"):
        locals()["test_" + name] = getattr(stacks.Stacks, "test_" + name)
    del name

    def test_head(self):
        done = self.aprof("run", self.build(stacks.SHARES), status=3)
        source, rate, whole = self.head(done)
        self.assertEqual(source, "ptrace")
        self.assertTrue(20 <= rate <= 97, rate)
        self.assertTrue(whole, done.stderr)

    waits = stacks.Stacks.waits

    def test_waiting(self):
        """By looks: the error is that of some two hundred samples."""
        for way in ("sleep", "futex", "read"):
            self.waits(way, 12, 3)

    def test_ordinary_user_waits(self):
        """Who may not see the kernel's part of the time has ptrace."""
        if not AS_NOBODY:
            self.skipTest("no other user who can run what was built")
        os.environ.pop("APROF_STACKS")
        prog = self.build(stacks.WAITS, "waits")
        done = subprocess.run([APROF, "run", "--clock=wall", prog, "sleep", "2", "1"], cwd=self.path, capture_output=True, text=True, **NOBODY)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open("/proc/sys/kernel/perf_event_paranoid") as file:
            if int(file.read()) >= 2:
                self.assertEqual(self.head(done)[0], "ptrace")

    def test_deep(self):
        """Memory is read while the thread is held, so that no stack is too deep."""
        self.aprof("run", "--no-report", self.build(stacks.DEEP, options=("-O1", "-fno-optimize-sibling-calls")))
        rows = self.flat()
        self.assertGreater(rows["deep"]["self_ns"], 0.9 * sum(row["self_ns"] for row in rows.values()))
        self.assertLess(rows.get("(truncated)", {"total_ns": 0})["total_ns"], 0.9 * rows["deep"]["self_ns"])

    def test_signal_stacks(self):
        self.assertTrue(self.head(self.aprof("run", self.build(SIGNAL_STACK)))[2])

    def test_nothing_is_noticed(self):
        prog = self.build(DELICATE)
        for clock in ("cpu", "wall"):
            process = subprocess.Popen([prog, "long"], cwd=self.path, stdout=subprocess.PIPE, text=True)
            time.sleep(0.2)
            done = self.aprof("attach", "--clock=" + clock, "--seconds=1.5", str(process.pid))
            self.assertEqual((process.communicate()[0], process.returncode), ("undisturbed\n", 0))
            self.assertEqual(self.head(done)[0], "ptrace")

    def signalled(self):
        process = subprocess.Popen([self.build(SIGNALLED)], cwd=self.path, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def test_signals_arrive(self):
        """All of those that are sent, one by one, while threads come and go and are stopped; and its status is its own."""
        for clock in ("cpu", "wall"):
            process = self.signalled()
            recorder = subprocess.Popen([APROF, "attach", "--clock=" + clock, "--no-report", str(process.pid)], cwd=self.path)
            deadline = time.monotonic() + 600
            while process.poll() is None and time.monotonic() < deadline:
                process.send_signal(signal.SIGUSR1)
                time.sleep(0.005)
            self.assertEqual((process.wait(), process.stdout.read()), (7, "got them\n"))
            self.assertIn(recorder.wait(), (0, 2))

    def state(self, pid):
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0]

    def tracer(self, pid):
        """Which process traces PID; 0: none."""
        with open(f"/proc/{pid}/status") as file:
            return int(re.search(r"\nTracerPid:\t(\d+)\n", file.read())[1])

    def until(self, condition):
        deadline = time.monotonic() + 600
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertTrue(condition())

    def test_stopped_stays_stopped(self):
        process = self.signalled()
        recorder = subprocess.Popen([APROF, "attach", "--no-report", str(process.pid)], cwd=self.path)
        self.until(lambda: self.tracer(process.pid))
        process.send_signal(signal.SIGSTOP)
        self.until(lambda: self.state(process.pid) in "Tt")
        time.sleep(0.3)
        self.assertIn(self.state(process.pid), "Tt")
        recorder.send_signal(signal.SIGINT)
        self.assertIn(recorder.wait(), (0, 2))
        self.until(lambda: self.state(process.pid) == "T")
        process.send_signal(signal.SIGCONT)
        self.until(lambda: self.state(process.pid) in "RS")

    def test_recorder_killed(self):
        """Whatever becomes of the recorder, the process runs on, and nobody traces it."""
        process = self.signalled()
        for i in range(10):
            recorder = subprocess.Popen([APROF, "attach", "--no-report", str(process.pid)], cwd=self.path)
            time.sleep(0.05 * (i % 4) + 0.02)
            recorder.kill()
            recorder.wait()
        self.assertEqual(self.tracer(process.pid), 0)
        self.assertIn(self.state(process.pid), "RS")

    def test_another_users(self):
        if not AS_NOBODY:
            self.skipTest("no other user who can run what was built")
        process = self.signalled()
        done = subprocess.run([APROF, "attach", str(process.pid)], cwd=self.path, capture_output=True, text=True, **NOBODY)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rf"^aprof: {process.pid}: .*(another user's|ptrace_scope).*\n$")

    def test_traced_already(self):
        process = self.signalled()
        first = subprocess.Popen([APROF, "attach", "--no-report", str(process.pid)], cwd=self.path)
        self.until(lambda: self.tracer(process.pid))
        done = self.aprof("attach", str(process.pid), status=2)
        self.assertRegex(done.stderr, rf"^aprof: {process.pid}: .* process {first.pid}.* traces it already\n$|^aprof: {process.pid}: .*traces it already\n$")
        first.send_signal(signal.SIGINT)
        first.wait()


class Refused(Source):
    """As an ordinary user, if there can be one, with perf_event_open refused by a filter, nothing asked for."""
    LONGER = ()                 # which source it is some samples tell as well as many

    def refused(self, *command, status=0):
        self.build(stacks.REFUSE, "refuse")
        more = NOBODY if AS_NOBODY else {}
        done = subprocess.run(["./refuse", APROF, *command], cwd=self.path, capture_output=True, text=True, **more)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def whole(self, *command):
        done = self.refused("run", *command)
        source, _, whole = self.head(done)
        self.assertTrue(whole, done.stderr)
        return source

    def test_programs(self):
        with open(os.path.join(self.path, "big"), "w") as file:
            file.writelines(f"{i * 7919 % 1000003}\n" for i in range(1000000))
        self.assertEqual(self.whole("sort", "big", "-o", "/dev/null"), "ptrace")    # it handles SIGPROF, to remove its files
        for name, *arguments in (("python3", "-c", PYTHON), ("perl", "-e", PERL), ("node", "-e", NODE)):
            if shutil.which(name):
                with self.subTest(name):    # what is long before its timer ticks is looked at by ptrace until then
                    self.assertIn("a timer in the program", self.whole(name, *arguments).split(" and "))

    def test_each_source_is_named(self):
        prog = self.build(stacks.SHARES)
        for source in "ptrace", "timer":
            self.aprof("run", "--no-report", f"--data={source}.out", prog, status=3, env=dict(os.environ, APROF_STACKS=source))
        for files, named in ((["ptrace.out"] * 2, "ptrace"), (["ptrace.out", "timer.out", "ptrace.out"], "ptrace and a timer in the program")):
            head = self.aprof("report", "-b", *files).stdout
            self.assertRegex(re.sub(r"\s+", " ", head), rf"call stacks were sampled by {named}, up to \d+ a second")

    def test_status_is_kept(self):
        done = self.refused("run", self.build(stacks.SHARES), status=3)
        self.assertEqual(done.stdout, "done\n")
        self.assertEqual(self.head(done)[0], "a timer in the program")

    def test_attach(self):
        more = NOBODY if AS_NOBODY else {}
        process = subprocess.Popen([self.build(stacks.FOREVER)], cwd=self.path, **more)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        done = self.refused("attach", "--seconds=1", str(process.pid))
        source, _, whole = self.head(done)
        self.assertEqual(source, "ptrace")
        self.assertTrue(whole, done.stderr)

    def test_neither(self):
        """Where ptrace is refused, too, one line says it of what the timer cannot serve."""
        self.build(stacks.REFUSE.replace("SYS_perf_event_open, 0, 1)", "SYS_perf_event_open, 1, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1)")
                   .replace("{ 4, f }", "{ 5, f }"), "neither")
        static, dynamic = self.build(BUSY, "static", options=("-O2", "-static")), self.build(BUSY, "dynamic")
        done = self.aprof_by("./neither", command=("run", static))
        self.assertRegex(done.stderr, r"^aprof: \S+ has no hooks, and its call stacks cannot be sampled: neither perf events nor ptrace is permitted here; .*\n$")
        done = self.aprof_by("./neither", command=("run", "sh", "-c", f"{static}; {dynamic}"))
        self.assertRegex(done.stderr, r"^aprof: note: the call stacks of 1 process could not be sampled: .*\n\n?(Programs of this run: (.+\n)+\n)?command +")

    def test_without_proc(self):
        """Perf events need none to follow a program; where they are refused one line says what is missing."""
        bare = "unshare", "-m", "sh", "-c", 'umount -l /proc && exec "$@"', "sh"
        if subprocess.run([*bare, "true"], capture_output=True).returncode != 0:
            self.skipTest("/proc cannot be taken away here")
        self.build(stacks.REFUSE, "refuse")
        for program in self.build(BUSY, "dynamic"), self.build(BUSY, "static", options=("-O2", "-static")):
            done = self.aprof_by(*bare, "./refuse", command=("run", program))
            self.assertRegex(done.stderr, r"\naprof: \S+ has no hooks, and its call stacks cannot be sampled: .* /proc, which ptrace needs, is not there; .*\n$")
        self.aprof_by(*bare, command=("run", "--no-report", program))
        self.assertIn("main", self.flat())
        for before in (), ("./refuse",):
            done = self.aprof_by(*bare, *before, command=("attach", "1"), status=2)
            self.assertEqual(done.stderr, "aprof: 1: /proc is not there, which lists its threads\n")

    def aprof_by(self, *before, command, status=3):
        done = subprocess.run([*before, APROF, *command], cwd=self.path, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_set_uid(self):
        """It keeps its rights, and one line says why there is no profile."""
        if not AS_NOBODY:
            self.skipTest("no other user who can run what was built")
        prog = self.build(IDENTITY)
        os.chmod(os.path.join(self.path, prog), 0o4755)
        user = {"cwd": self.path, "capture_output": True, "text": True, **NOBODY}
        alone = subprocess.run([prog], **user)
        for source in ("perf", "timer", "ptrace"):
            done = subprocess.run([APROF, "run", prog], **user, env=dict(os.environ, APROF_STACKS=source))
            self.assertEqual((done.returncode, done.stdout), (5, alone.stdout))
            if "does not let this user sample" not in done.stderr:
                self.assertRegex(done.stderr, r"^aprof: \S+ is set-uid, .*\n$" if alone.stdout.split()[1] == "0" else ".")


class Killed(Source):
    """Recorder or program killed at any moment: the file can be read, and lacks no more than what was in the ring, and what was not sampled yet.  KILLS=200
    for as many."""
    KILLS = int(os.environ.get("KILLS", "9"))
    # Seconds of CPU time that a ring holds: 16 stacks of perf events at least, mostly 250, of some 1 ms each; some 120 of the timer, of a tick of the kernel's;
    # ptrace has no ring, and looks 97 times a second; to that comes what the recorder waited for a processor.
    RING = {"perf": 0.26, "timer": 0.5, "ptrace": 0.1}

    def run_and_kill(self, source, whom, after):
        """The files that are left, and the CPU time of the program when it, or the recorder, was killed: the least that it can have been, and the most; and
        for how long the recorder had been kept from a processor."""
        temporary = tempfile.mkdtemp(dir=self.path)
        recorder = subprocess.Popen([APROF, "run", "--no-report", "--data=" + temporary + "/kept", "./clocked", temporary + "/cpu"], cwd=self.path,
                                    env=dict(os.environ, APROF_STACKS=source, TMPDIR=temporary), stderr=subprocess.DEVNULL)

        def clocked():
            with open(temporary + "/cpu") as file:
                pid, cpu = file.read().split()
            return int(pid), float(cpu)
        deadline = time.monotonic() + 600
        while not os.path.exists(temporary + "/cpu") and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(after)
        program, least = clocked()
        turns = self.scheduled(recorder.pid)[1]
        while self.scheduled(recorder.pid)[1] == turns:         # how long it waits now is known when it has had its turn
            time.sleep(0.001)
        time.sleep(random.random() * 0.02)
        late = self.scheduled(recorder.pid)[0]
        os.kill(program if whom == "program" else recorder.pid, signal.SIGKILL)
        recorder.wait()
        if whom == "recorder":
            os.kill(program, signal.SIGKILL)
        return self.left(temporary), least, clocked()[1], late

    def scheduled(self, pid):
        """For how many seconds the threads of PID have waited for a processor, and how often they have got one."""
        waited = turns = 0
        for name in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{name}/schedstat") as file:
                _, wait, count = map(int, file.read().split())
            waited, turns = waited + wait / 1e9, turns + count
        return waited, turns

    def left(self, temporary):
        return [os.path.join(where, name) for where, _, names in os.walk(temporary) for name in names if name.startswith(("kept", "stacks.")) and not name.endswith(".new")]

    def test_killed(self):
        self.build(CLOCKED, "clocked")
        sources = ["timer", "ptrace"] + ([] if stacks.refused() else ["perf"])
        read, most = 0, dict.fromkeys(sources, 0)
        for i in range(self.KILLS):
            source, whom, after = sources[i % len(sources)], ("program", "recorder")[i // len(sources) % 2], random.random() * 1.2
            with self.subTest(source=source, whom=whom, after=after):
                found, least, cpu, late = self.run_and_kill(source, whom, after)
                self.assertLessEqual(len(found), 1)
                recorded = json.loads(self.aprof("report", "--json", found[0]).stdout)["run"]["times"]["raw_ns"] / 1e9 if found else 0
                self.assertLess(recorded, cpu * 1.1 + 0.05)
                self.assertLess(least - recorded, self.RING[source] + 0.05 * least + late)
                most[source] = max(most[source], least - recorded)
                read += len(found)
        self.assertGreater(read, self.KILLS // 3)
        print(f"{self.KILLS} times killed, {read} files; s of CPU time that they lack at most: " + ", ".join(f"{name} {lack:.3f}" for name, lack in most.items()))


class Redis(Source):
    """Debian's server under load, attached to again and again: no request fails.  ATTACHES=1000 for as many times."""
    SOURCE = "ptrace"
    ATTACHES = int(os.environ.get("ATTACHES", "12"))

    def ask(self, port, stop, failed, done):
        """SET and GET until STOP; what is not answered, or wrongly, is appended to FAILED."""
        try:
            with socket.create_connection(("127.0.0.1", port)) as connection:
                answers = connection.makefile("rb")
                for i in itertools.count():
                    if stop.is_set():
                        break
                    key = f"k{threading.get_ident()}{i % 50}"
                    connection.sendall(f"SET {key} {i}\r\nGET {key}\r\n".encode())
                    lines = [answers.readline().strip() for _ in range(3)]
                    if lines[0] != b"+OK" or lines[2] != str(i).encode():
                        failed.append(lines)
                done.append(i)
        except OSError as error:
            failed.append(error)

    def test_attached_again_and_again(self):
        if not shutil.which("redis-server"):
            self.skipTest("redis-server is not installed")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = subprocess.Popen(["redis-server", "--port", str(port), "--save", "", "--io-threads", "2"], cwd=self.path, stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        for line in server.stdout:
            if "Ready to accept" in line:
                break
        stop, failed, done = threading.Event(), [], []
        clients = [threading.Thread(target=self.ask, args=(port, stop, failed, done)) for _ in range(4)]
        for client in clients:
            client.start()
        for i in range(self.ATTACHES):
            self.aprof("attach", "--clock=" + ("cpu", "wall")[i % 2], "--no-report", "--seconds=0.03", str(server.pid), status=(0, 2))
        stop.set()
        for client in clients:
            client.join()
        self.assertEqual(failed, [])
        self.assertEqual(len(done), len(clients))
        self.assertIsNone(server.poll())
        print(f"{self.ATTACHES} times attached, {2 * sum(done)} requests, none failed")


if __name__ == "__main__":
    if os.uname().machine != "x86_64":
        print("skipped: x86-64 only")
        sys.exit(77)
    unittest.main()
