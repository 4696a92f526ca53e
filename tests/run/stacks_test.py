#!/usr/bin/env python3
"""stacks_test.py BUILD - aprof run on programs without hooks: call stacks, sampled by perf events, as all commands show them."""
import contextlib, glob, json, os, pathlib, re, shutil, signal, subprocess, sys, tempfile, threading, time, unittest
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from truth import CLOCKS, agree

BUILD = os.path.abspath(sys.argv.pop(1))
APROF, APROF_CC = (os.path.join(BUILD, name) for name in ("aprof", "aprof-cc"))

# Three times as much work for `three` as for `one`, by one routine; recursion through two routines.
SHARES = r"""
#include <stdio.h>
#define NOT_INLINED __attribute__((noinline, noclone))
volatile long sink;
NOT_INLINED void spin(long n) { for (long i = 0; i < n; i++) sink += i; }
NOT_INLINED void one(long n) { spin(n); sink++; }
NOT_INLINED void three(long n) { spin(3 * n); sink++; }
NOT_INLINED void odd(int n);
NOT_INLINED void even(int n) { spin(2000); if (n) odd(n - 1); sink++; }
NOT_INLINED void odd(int n) { spin(2000); if (n) even(n - 1); sink++; }
int main(void) { for (int i = 0; i < 400; i++) { one(300000); three(300000); even(200); } puts("done"); return 3; }
"""
THREADS = r"""
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>
static double seconds[3];
static void *work(void *arg)
{
    long n = (long)arg;
    volatile long sink = 0;
    struct timespec t;
    prctl(PR_SET_NAME, n == 1 ? "first" : "second");
    for (long i = 0; i < 40000000 * n; i++) sink += i;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    seconds[n] = t.tv_sec + t.tv_nsec / 1e9;
    return 0;
}
int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, work, (void *)(i + 1));
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    printf("%f %f\n", seconds[1], seconds[2]);
}
"""
DEEP = r"""
volatile long sink;
__attribute__((noinline)) int deep(int n) { volatile char room[64]; room[n % 64] = 1; for (int i = 0; i < 300; i++) sink++; return n ? deep(n - 1) + room[0] : 0; }
int main(void) { for (int i = 0; i < 200; i++) deep(5000); return 0; }
"""
HANDLER = r"""
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
volatile long sink;
static long per_ms;     /* turns */
static __attribute__((noinline)) void spin(long n) { for (long i = 0; i < n; i++) sink += i; }
static __attribute__((noinline)) void handler(int s) { spin(5 * per_ms); sink += s; }
static __attribute__((noinline)) void work(void) { spin(1500 * per_ms); sink++; }
int main(void)
{
    struct itimerval t = { { 0, 31300 }, { 0, 31300 } };        /* of CPU time: by the clock on the wall a busy machine had time for handlers alone */
    clock_t before = clock();
    spin(50000000);
    per_ms = 50000000 / ((clock() - before) / (CLOCKS_PER_SEC / 1000) + 1);
    signal(SIGVTALRM, handler);
    setitimer(ITIMER_VIRTUAL, &t, 0);
    work();
    return 0;
}
"""
PROCESSES = r"""
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
volatile long sink;
int main(int argc, char **argv)
{
	(void)argc;
	for (int i = 0; i < 3; i++)
		if (fork() == 0) {
			for (long k = 0; k < 50000000; k++) sink++;
			_exit(0);
		}
	while (wait(0) > 0) ;
	if (argv[1]) execl(argv[1], argv[1], (char *)0);
	return 0;
}
"""
FOREVER = r"""
#include <pthread.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
volatile long sink;
static __attribute__((noinline)) void turn(long n) { for (long i = 0; i < n; i++) sink += i; }
static void *early(void *arg) { prctl(PR_SET_NAME, "early"); for (;;) turn(100000); return arg; }
static void *late(void *arg) { prctl(PR_SET_NAME, "late"); for (int i = 0; i < 100; i++) turn(100000); return arg; }
int main(void) { pthread_t t; pthread_create(&t, 0, early, 0); for (;;) { pthread_create(&t, 0, late, 0); pthread_join(t, 0); } }
"""
# Works for a while in one routine each time that it is told to; before the last it maps much, and a library last, in whose routine it works from then on.
MAPS = r"""
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
static void map_often(const char *path)
{
	for (int i = 0, fd = open(path, O_RDONLY); i < 1000; i++)
		munmap(mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0), 4096);
}
__attribute__((noinline)) void before(double s) { double end = clock() + s * CLOCKS_PER_SEC; while (clock() < end) ; }
int main(int argc, char **argv)
{
	void (*behind)(double) = 0;
	double s;
	for (char c; scanf(" %c %lf", &c, &s) == 2; puts("done"), fflush(stdout))
		if (c == 'w') before(s);
		else if (c == 'm') map_often(argv[1]), behind = (void (*)(double))dlsym(dlopen(argv[1], RTLD_NOW), "behind");
		else behind(s);
	return 0;
}
"""
MAPPED = r"""
#include <time.h>
__attribute__((noinline)) void behind(double s) { double end = clock() + s * CLOCKS_PER_SEC; while (clock() < end) ; }
"""
# Waits in two routines, in one of them longer, as its arguments say (how, ms, ms), and tells the seconds that it was in each.
WAITS = r"""
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define NOT_INLINED __attribute__((noinline, noclone))
static int how, ends[2];
static double spent[2];
static volatile long sink;
static struct timespec ms[2];
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
static void pass(int i)
{
	struct timespec t = ms[i];
	int word = 0;
	char c;
	if (how == 's') nanosleep(&t, 0);
	else if (how == 'f') syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &t, 0, 0);
	else if (read(ends[0], &c, 1) != 1) abort();
}
NOT_INLINED void more(void) { pass(0); sink++; }
NOT_INLINED void less(void) { pass(1); sink++; }
static void *writer(void *arg)
{
	for (int i = 0; i < 600; i++) { nanosleep(&ms[i % 2], 0); if (write(ends[1], "x", 1) != 1) abort(); }
	return arg;
}
static void turn(void (*f)(void), int i) { double begun = now(); f(); spent[i] += now() - begun; }
int main(int argc, char **argv)
{
	pthread_t t;
	if (argc < 4 || pipe(ends) != 0) abort();
	how = argv[1][0];
	for (int i = 0; i < 2; i++) ms[i].tv_nsec = atol(argv[2 + i]) * 1000000;
	if (how == 'r') pthread_create(&t, 0, writer, 0);
	for (int i = 0; i < 300; i++) { turn(more, 0); turn(less, 1); }
	printf("%f %f\n", spent[0], spent[1]);
	return 0;
}
"""
# One thread sleeps for good, one waits for what never happens with a time limit and tells when it was woken at another time, one works and sleeps.
WAITERS = r"""
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#define NOT_INLINED __attribute__((noinline, noclone))
static volatile long sink;
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
NOT_INLINED static int in_epoll(int p) { struct epoll_event e; int n = epoll_wait(p, &e, 1, 300); sink++; return n; }
NOT_INLINED static void for_good(void) { sleep(1000); sink++; }
static void *limited(void *arg) { int p = epoll_create1(0); prctl(PR_SET_NAME, "limited"); for (;;) { double begun = now(); if (in_epoll(p) != 0 || now() - begun < 0.299) puts("disturbed"); } return arg; }
static void *sleeper(void *arg) { prctl(PR_SET_NAME, "sleeper"); for_good(); puts("disturbed"); return arg; }
int main(void)
{
	pthread_t t;
	setvbuf(stdout, 0, _IOLBF, 0);
	pthread_create(&t, 0, limited, 0);
	pthread_create(&t, 0, sleeper, 0);
	usleep(100000);
	puts("ready");
	for (;;) { for (long i = 0; i < 100000; i++) sink++; poll(0, 0, 10); }
}
"""
WORKS_ON = r"""
#include <stdio.h>
#include <unistd.h>
static void work(long n) { for (volatile long i = 0; i < n; i++) { } }
int main(void)
{
	int ready[2], pid = pipe(ready) == 0 ? fork() : -1;

	if (pid == 0) {
		setsid();
		for (int i = 0; i < 3; i++) close(i);
		work(100000000);
		for (write(ready[1], "", 1);;) work(100000000);
	}
	read(ready[0], &(char){ 0 }, 1);
	printf("%d\n", pid);
	return 0;
}
"""
GO_HEAP = """package main
import "fmt"
type node struct{ l, r *node; v int }
//go:noinline
func build(d int) *node { if d == 0 { return &node{v: 1} }; return &node{build(d-1), build(d-1), d} }
//go:noinline
func sum(n *node) int { if n == nil { return 0 }; return n.v + sum(n.l) + sum(n.r) }
func main() {
	out := make(chan int)
	for i := 0; i < 4; i++ { go func() { t := 0; for k := 0; k < 20; k++ { t += sum(build(16)) }; out <- t }() }
	fmt.Println(<-out + <-out + <-out + <-out)
}
"""
SCRIPT = """
function inner(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i % 7 + s); return s; }
function fast() { inner(1000); }
function slow() { inner(3000); }
for (let i = 0; i < 30000; i++) { fast(); slow(); }
"""
# Code made at run time that a jitdump, or a perf map with an older function at the same place, tells of, at once, at the exit, or not; it spins until the time is over.
MAKER = r"""
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xcf, 0x75, 0xfc, 0x5d, 0xc3 };	/* push rbp; mov rbp, rsp; dec edi; jnz; pop rbp; ret */
static void dump(unsigned char *at)
{
	struct { uint32_t magic, version, size, machine, pad, pid; uint64_t time, flags; } head = { 0x4a695444, 1, 40, 62, 0, (uint32_t)getpid(), 0, 0 };
	struct { uint32_t id, size; uint64_t time, address, n, at; int32_t line, column; char file[8]; } lines = { 2, 56, 0, (uint64_t)at, 1, (uint64_t)at, 12, 0, "made.src" };
	struct { uint32_t id, size; uint64_t time; uint32_t pid, tid; uint64_t vma, address, n, index; char name[16]; } load = { 0, 72, 0, (uint32_t)getpid(), (uint32_t)getpid(), (uint64_t)at, (uint64_t)at, sizeof code, 1, "dumped routine" };
	char path[64];
	int fd;

	memcpy(lines.file, "made.s\0", 8);
	snprintf(path, sizeof path, "jit-%d.dump", getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (write(fd, &head, sizeof head) < 0 || mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return;
	if (write(fd, &lines, sizeof lines) < 0 || write(fd, &load, sizeof load) < 0)
		return;
	close(fd);
}
static void map(unsigned char *at)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	fprintf(f, "%lx 100 older\n%lx a mapped routine, with a blank\n%lx 10 below\n", (long)at, (long)at, (long)at - 16);
	fclose(f);
}
int main(int argc, char **argv)
{
	unsigned char *at = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*made)(unsigned);
	clock_t begun;

	(void)argc;
	memcpy(at, code, sizeof code);
	mprotect(at, 4096, PROT_READ | PROT_EXEC);
	memcpy(&made, &at, sizeof made);
	if (argv[1][0] == 'd')
		dump(at);
	else if (argv[1][0] == 'm')
		map(at);
	for (begun = clock(); clock() - begun < CLOCKS_PER_SEC / 2;) made(1000000);
	if (argv[1][0] == 'm') {
		char path[64];
		snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
		unlink(path);
	} else if (argv[1][0] == 'e') {
		map(at);
	} else if (argv[1][0] == 'n') {
		printf("%d %lx\n", getpid(), (long)at);
	}
	return 0;
}
"""
JAVA = """
public class J {
    static volatile double sink;
    static double hot(int n) { double s = 0; for (int i = 1; i < n; i++) s += Math.sqrt(i % 7 + s) / i; return s; }
    static void fast() { sink = hot(20000); }
    static void slow() { sink = hot(60000); }
    public static void main(String[] a) { for (int i = 0; i < 4000; i++) { fast(); slow(); } }
}
"""
# Of outer's own code one part in ten is the loop of Step<1>::run, three that of Step<3>::run; two are that of a lambda; four are in callee, which an inlined
# function calls.
INLINED = r"""
namespace work {
volatile long sink;
template <int N> struct Step { static inline __attribute__((always_inline)) void run(long n) { for (long i = 0; i < n * N; i++) sink = sink + i; } };
static inline __attribute__((always_inline)) void middle(long n) { Step<1>::run(n); sink = sink + 1; Step<3>::run(n); }
__attribute__((noinline)) void callee(long n) { for (long i = 0; i < n; i++) sink = sink + i; }
static inline __attribute__((always_inline)) void calls(long n) { callee(n); sink = sink + 1; }
__attribute__((noinline)) void outer(long n)
{
	auto twice = [](long k) __attribute__((always_inline)) { for (long i = 0; i < 2 * k; i++) sink = sink + i; };
	middle(n);
	calls(4 * n);
	twice(n);
}
}
int main() { for (int i = 0; i < 400; i++) work::outer(100000); return 0; }
"""
SERVER = """
import sys
for line in sys.stdin:
    print(int(line) ** 2, flush=True)
"""
# Refuses perf_event_open, as containers do.
REFUSE = r"""
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int c, char **v)
{
	struct sock_filter f[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog p = { 4, f };
	(void)c;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p)) return 99;
	execvp(v[1], v + 1);
	return 127;
}
"""


def refused():
    """Why call stacks cannot be sampled here; None: they can."""
    with tempfile.TemporaryDirectory() as where:
        done = subprocess.run([APROF, "run", "--no-report", "--data=a", "sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"], cwd=where,
                              capture_output=True, text=True, env=dict(os.environ, APROF_STACKS="perf"))
        return done.stderr if "cannot be profiled" in done.stderr else None


class Recording(unittest.TestCase):
    """What tests of recorded programs have in common."""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.path = self.directory.name

    def build(self, text, name="prog", compiler="cc", options=("-O2",)):
        source = os.path.join(self.path, name + ".c")
        with open(source, "w") as file:
            file.write(text)
        subprocess.run([compiler, *options, "-g", "-o", os.path.join(self.path, name), source, "-lpthread"], check=True)
        return "./" + name

    def aprof(self, *arguments, status=0, **more):
        done = subprocess.run([APROF, *arguments], cwd=self.path, capture_output=True, text=True, **more)
        self.assertIn(done.returncode, status if isinstance(status, tuple) else (status,), done.stderr)
        return done

    def flat(self, *arguments):
        return {row["name"]: row for row in json.loads(self.aprof("report", "--flat", "--json", *arguments).stdout)["flat"]}


class Stacks(Recording):
    def test_shares(self):
        done = self.aprof("run", self.build(SHARES), status=3)
        self.assertEqual(done.stdout, "done\n")
        self.assertRegex(done.stderr, r"\ncalls +not counted, since it has no hooks: call stacks were sampled")
        self.assertRegex(done.stderr, r"\nstacks +[\d,]+ in \d+ contexts; (100|99\.\d+) % go back to the thread's start\n")
        whole = json.loads(self.aprof("report", "--json").stdout)
        rows = {row["name"]: row for row in whole["flat"]}
        run = sum(row["self_ns"] for row in rows.values())
        self.assertGreater(rows["spin"]["self_ns"], 0.9 * run)
        for entry in whole["callgraph"]:                # conservation: parents' shares are the routine's
            parents = sum(parent["self_ns"] + parent["children_ns"] for parent in entry["parents"])
            self.assertEqual(parents, entry["self_ns"] + entry["children_ns"], entry["name"])
        spin = next(entry for entry in whole["callgraph"] if entry["name"] == "spin")
        by = {parent["name"]: parent for parent in spin["parents"]}
        both = by["one"]["self_ns"] + by["three"]["self_ns"]
        error = (by["one"]["error_ns"] + by["three"]["error_ns"]) / (spin["self_ns"]) * 1.5
        self.assertLess(abs(by["three"]["self_ns"] / both - 0.75), max(error, 0.03))
        self.assertLess(rows["_start"]["total_ns"] - rows["main"]["total_ns"], 0.05 * run)    # what is before and behind main
        self.assertLess(rows["even"]["total_ns"], run)   # recursion is counted once

    def test_a_context_begins_by_name(self):
        """What makecontext began returns to a place of the monitor's, which is preloaded: it has a name."""
        self.aprof("run", "--no-report", self.build("""
            #include <ucontext.h>
            static ucontext_t here, there;
            static volatile long sink;
            __attribute__((noinline)) static void spin(void) { for (long i = 0; i < 300000000; i++) sink += i; }
            static void begin(void) { spin(); swapcontext(&there, &here); }
            int main(void)
            {
                static char stack[65536];

                getcontext(&there);
                there.uc_stack.ss_sp = stack;
                there.uc_stack.ss_size = sizeof stack;
                there.uc_link = &here;
                makecontext(&there, begin, 0);
                return swapcontext(&here, &there);
            }
        """))
        rows = self.flat()
        self.assertGreater(rows["begin"]["total_ns"], 0)
        self.assertEqual([name for name in rows if "+0x" in name and "libaprof" in name], [])

    def test_no_calls_anywhere(self):
        self.aprof("run", "--no-report", self.build(SHARES), status=3)
        for words in (["report"], ["tree"], ["paths"], ["cycles"], ["hot"], ["annotate", "spin"], ["export", "dot"]):
            text = self.aprof(*words).stdout
            self.assertNotRegex(text, re.compile(r"\b0 calls|\b0/0\b|\.\d+ +0 +\S+$", re.M), words)
        for words in (["report", "--json"], ["tree", "--json"], ["paths", "--json"], ["hot", "--json"], ["annotate", "--json", "spin"]):
            self.assertNotRegex(self.aprof(*words).stdout, r'"(calls|recursive)": ?\d', words)
        self.assertIn(",,", self.aprof("export", "csv").stdout)

    def test_files_compared(self):
        prog = self.build(SHARES)
        for name in ("a", "b"):
            self.aprof("run", "--no-report", "--data=" + name, prog, status=3)
        text = self.aprof("diff", "--all", "a", "b").stdout
        self.assertRegex(text, r"\n +\d+\.\d+ .* spin\b")
        heads = [line for line in text.splitlines() if line.endswith("per call  name")]
        self.assertEqual(len(set(heads)), 1)
        begin = heads[0].index("calls") + len("calls") - 10
        for line in text.splitlines():
            if re.search(r"\bspin$", line):
                self.assertEqual(line[begin:heads[0].index("name")].strip(), "", line)   # calls, and their changes
        self.aprof("check", "b", "--against", "a", "--max-growth=50%") if "--max-growth" in self.aprof("check", "--help").stdout else None
        merged = self.aprof("merge", "-o", "sum", "a", "b")
        self.assertEqual(merged.stderr, "")
        a, b, both = (self.flat(name) for name in ("a", "b", "sum"))
        self.assertEqual(both["spin"]["self_ns"], a["spin"]["self_ns"] + b["spin"]["self_ns"])

    def test_hooked_and_stacks_apart(self):
        self.aprof("run", "--no-report", "--data=a", self.build(SHARES), status=3)
        self.aprof("run", "--no-report", "--data=b", self.build(SHARES, "hooked", APROF_CC), status=3)
        for words in (["report", "a", "b"], ["diff", "a", "b"]):
            done = subprocess.run([APROF, *words], cwd=self.path, capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("call stacks were sampled, of the other calls were counted", done.stderr)

    def test_truth(self):
        """What a sampler says is what exact contexts say, of the same code run with hooks; and a false attribution is found out."""
        self.aprof("run", "--no-report", "--data=stacks", self.build(SHARES), status=3)
        self.aprof("run", "--no-report", "--data=exact", self.build(SHARES, "hooked", APROF_CC), status=3)
        stacks, exact = self.flat("stacks"), self.flat("exact")

        def differ(names):
            base = stacks["main"]["total_ns"]
            bad = []
            for name, other in names.items():
                a, b = stacks[name]["total_ns"] / base, exact[other]["total_ns"] / exact["main"]["total_ns"]
                n = min(stacks["main"]["total_ticks"], exact["main"]["total_ticks"])
                if abs(a - b) > 4 * (max(a * (1 - a), 0.01) * 2 / n) ** 0.5 + 0.02:
                    bad.append((name, a, b))
            return bad
        names = ["one", "three", "even", "odd", "spin"]
        self.assertEqual(differ({name: name for name in names}), [])
        self.assertNotEqual(differ({"one": "three", "three": "one"}), [])

    def test_beside_hooks(self):
        """--stacks: exact contexts and call stacks of one run; where stacks say that routines with hooks ran, the hooks' time is left out."""
        prog = self.build(SHARES, "hooked", APROF_CC)
        done = self.aprof("run", "--stacks", prog, status=3)
        for options in ((), ("--stacks",)):
            if sum(row["pc_samples"] for row in json.loads(self.aprof("contexts", "--json", *options).stdout)["contexts"]) <= 100:
                print(f"{options} has few samples; once more\n{done.stderr}{self.aprof('info', *options).stdout}", file=sys.stderr)     # beside much else
                done = self.aprof("run", "--stacks", prog, status=3)
                break
        self.assertEqual(done.stdout, "done\n")
        self.assertRegex(done.stderr, r"\ncalls +[\d,]+ in \d+ contexts\n")
        self.assertIn("note: its call stacks, sampled as well, are in amon.out, too; --leaves", done.stderr)
        self.assertEqual(glob.glob(self.path + "/amon.out*"), [self.path + "/amon.out"])
        head = self.aprof("report", "--stacks").stdout
        self.assertRegex(head, r"(?s)\ncalls +not counted here: .*together\s+with\s+exact\s+contexts\nstacks ")
        self.assertRegex(head, r"; exit status 3\n")

        def counted(options):
            rows = json.loads(self.aprof("contexts", "--json", *options).stdout)["contexts"]
            return [(row["history"].split(), row["pc_samples"]) for row in rows if row["pc_samples"]]
        names = {"main", "spin", "one", "three", "even", "odd"}
        shares = []
        for options in ((), ("--stacks",)):
            found = [([name for name in history if name.rstrip("'") in names], n) for history, n in counted(options) if "main" in history]
            whole = sum(n for _, n in found)
            self.assertGreater(whole, 100)
            shares.append({name: sum(n for path, n in found if path[-1:] == ["spin"] and path[-2:-1] == [name]) / whole for name in ("one", "three")})
        for name in ("one", "three"):
            self.assertLess(abs(shares[0][name] - shares[1][name]), 4 * (0.5 / 200) ** 0.5, shares)
        self.assertGreater(shares[1]["three"], shares[1]["one"] + 0.2)

    def test_the_monitor_waits_on_nobodys_behalf(self):
        """Clock wall: the monitor's thread in a program with hooks, which waits all the time, is no part of it."""
        prog = self.build("int main(void) { for (volatile long i = 0; i < 1000000000; i++) ; return 0; }", "one", APROF_CC)
        self.aprof("run", "--stacks", "--clock=wall", "--no-report", prog)
        run = json.loads(self.aprof("report", "--json", "--stacks").stdout)["run"]
        self.assertLess(run["times"]["raw_ns"], 1.1 * run["files"][0]["elapsed_ns"])

    def inlined(self, *options, **more):
        """The call graph's entries of INLINED by short names, and the whole time."""
        with open(os.path.join(self.path, "inlined.cc"), "w") as file:
            file.write(INLINED)
        subprocess.run(["c++", "-O2", "-g", "-o", "inlined", "inlined.cc"], cwd=self.path, check=True)
        self.aprof("run", "--no-report", *options, "./inlined", **more)
        whole = json.loads(self.aprof("report", "--json").stdout)
        short = lambda name: (re.findall(r"Step<\d>::run|operator|middle|callee|calls|outer|main", name or "") or [name])[-1]
        return {short(entry["name"]): [short(parent["name"]) for parent in entry["parents"]] for entry in whole["callgraph"]}, \
            {short(row["name"]): row for row in whole["flat"]}

    def test_inlined_functions(self):
        """--inlines: each is below the function that it was inlined into, with its part of the time, and above what it calls."""
        parents, rows = self.inlined("--inlines")
        for name, above in (("Step<1>::run", "middle"), ("Step<3>::run", "middle"), ("middle", "outer"), ("operator", "outer"), ("calls", "outer"), ("callee", "calls"),
                            ("outer", "main")):
            self.assertEqual(parents.get(name), [above], name)
        whole = rows["outer"]["total_ns"]
        for name, share in (("Step<1>::run", 0.1), ("Step<3>::run", 0.3), ("middle", 0.4), ("operator", 0.2), ("calls", 0.4), ("callee", 0.4)):
            self.assertLess(abs(rows[name]["total_ns"] / whole - share), 4 * (share / rows["outer"]["total_ticks"]) ** 0.5 + 0.02, name)
        self.assertLess(rows["outer"]["self_ns"], 0.02 * whole)
        os.unlink(os.path.join(self.path, "inlined"))           # the file has the names
        self.assertIn("work::Step<3>::run", self.aprof("report").stdout)

    def test_inlined_functions_unasked(self):
        parents, rows = self.inlined()
        self.assertEqual(parents["callee"], ["outer"])
        self.assertNotIn("middle", rows)

    def test_hooks_are_no_part_of_stacks(self):
        """A routine of a few instructions takes more time in its hooks than by itself."""
        prog = self.build("""
            __attribute__((noinline)) int one(int n) { __asm__ volatile(""); return n + 1; }
            int main(void) { int n = 0; for (long i = 0; i < 200000000; i++) n = one(n); return n == 1; }""", "small", APROF_CC)
        self.aprof("run", "--stacks", "--no-report", prog)
        times = json.loads(self.aprof("report", "--json", "--stacks").stdout)["run"]["times"]
        self.assertGreater(times["hooks_ns"], 0.2 * times["raw_ns"])
        self.assertEqual(times["hooks_ns"] + times["contexts_ns"] + times["outside_ns"], times["raw_ns"])
        raw = json.loads(self.aprof("report", "--raw", "--json", "--stacks").stdout)["run"]["times"]
        self.assertEqual((raw["hooks_ns"], raw["contexts_ns"]), (0, times["raw_ns"]))

    def test_beside_gprofs_hooks(self):
        prog = self.build(SHARES, "pg", options=("-O2", "-pg"))
        done = self.aprof("run", "--stacks", prog, status=3)
        self.assertRegex(done.stderr, r"--stacks: \S+ has gprof's hooks, so its return addresses are changed")
        self.assertIn("has no call stacks together with exact contexts", self.aprof("report", "--stacks", status=2).stderr)
        self.assertIn("--stacks cannot be joined with --verify", self.aprof("run", "--stacks", "--verify", prog, status=2).stderr)

    def test_stacks_where_there_are_no_hooks(self):
        """--stacks: call stacks of a program without hooks, as without it; of one that starts others, with hooks and without, those of all."""
        self.build(SHARES, "plain")
        self.build(SHARES, "hooked", APROF_CC)
        self.build(SHARES, "pg", options=("-O2", "-pg"))
        self.assertNotIn("hooks, so", self.aprof("run", "--stacks", "./plain", status=3).stderr)
        self.assertIn("spin", self.flat())
        done = self.aprof("run", "--stacks", "--no-report", "sh", "-c", "./plain; ./hooked; ./pg; true")
        self.assertRegex(done.stderr, r"^aprof: note: --stacks: \S+/pg has gprof's hooks")
        self.assertEqual(done.stderr.count("gprof's hooks"), 1)
        found = {}
        for file in glob.glob(self.path + "/amon.out*"):
            run = json.loads(self.aprof("report", "--json", file).stdout)["run"]
            found.setdefault(os.path.basename(run["files"][0]["program"]), set()).add("stacks" if run["counts"]["calls"] is None else "exact")
        self.assertEqual((found["plain"], found["hooked"], found["pg"]), ({"stacks"}, {"exact"}, {"exact"}))
        self.assertIn("spin", self.flat("--stacks", *(file for file in glob.glob(self.path + "/amon.out*") if file.endswith(".hooked"))))

    def test_several_processes_beside_hooks(self):
        prog = self.build(PROCESSES, "hooked", APROF_CC)
        self.aprof("run", "--stacks", "--no-report", prog)
        threads = json.loads(self.aprof("info", "--json", "--stacks").stdout)["threads"]
        self.assertGreaterEqual(len({thread["tid"] for thread in threads}), 3)
        self.assertNotIn("call_stacks", self.aprof("report", "--flat", "amon.out").stdout)

    def test_threads(self):
        """Each has the share of the time that it measured itself."""
        first, second = map(float, self.aprof("run", "--no-report", self.build(THREADS)).stdout.split())
        threads = json.loads(self.aprof("info", "--json").stdout)["threads"]
        ticks = {thread["name"]: thread["ticks"] for thread in threads}
        self.assertTrue({"first", "second"} <= set(ticks), threads)
        self.assertLess(abs(ticks["second"] / (ticks["first"] + ticks["second"]) - second / (first + second)), 0.15)
        self.assertIn("work", self.flat())

    def test_deep(self):
        """What lies beyond the copy of the stack is (truncated); its time is not lost."""
        done = self.aprof("run", self.build(DEEP, options=("-O1", "-fno-optimize-sibling-calls")))
        self.assertRegex(done.stderr, r"\nstacks +[\d,]+ in \d+ contexts?; [\d.]+ % go back")
        rows = self.flat()
        self.assertIn("(truncated)", rows)
        self.assertGreater(rows["deep"]["self_ns"], 0.9 * sum(row["self_ns"] for row in rows.values()))

    def test_handler(self):
        self.aprof("run", "--no-report", self.build(HANDLER))
        graph = {entry["name"]: entry for entry in json.loads(self.aprof("report", "--json").stdout)["callgraph"]}
        self.assertIn("handler", {parent["name"] for parent in graph["spin"]["parents"]})
        self.assertIn("work", {parent["name"] for parent in graph["spin"]["parents"]})
        self.assertEqual([parent["name"] for parent in graph["handler"]["parents"]], ["(signal)"])
        self.assertEqual([parent["name"] for parent in graph["(signal)"]["parents"]], ["spin"])
        cut = graph.get("(truncated)", {"children": []})        # a sample of the program's beginning, whose stack was not in memory yet
        self.assertFalse({child["name"] for child in cut["children"]} & {"main", "work", "spin", "handler", "(signal)"})

    def test_processes(self):
        self.build(SHARES, "other")
        done = self.aprof("run", "--report", self.build(PROCESSES), "./other", status=3)
        self.assertRegex(done.stdout, r"Programs of this run: 2;")
        self.assertRegex(done.stdout, r"\n +\d+\.\d+ {15,}1  \S*/other: amon\.out")
        prog = re.search(r"/prog: (\S+)\n", done.stdout)[1]
        threads = json.loads(self.aprof("info", "--json", prog).stdout)["threads"]
        self.assertGreaterEqual(len({thread["tid"] for thread in threads}), 3)

    def test_daemon(self):
        """What outlives the run is told of."""
        self.build(WORKS_ON)
        done = self.aprof("run", "./prog")
        self.addCleanup(os.kill, int(done.stdout), signal.SIGKILL)
        self.assertRegex(done.stderr, r"^aprof: note: 1 process of this run is still running, and what it does from now on is not recorded; .*\n\n")

    def test_children_with_hooks(self):
        """A shell that starts a program with hooks is not what the user looks for."""
        done = self.aprof("run", "--report", "sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; " + self.build(SHARES, compiler=APROF_CC), status=3)
        self.assertNotIn("Programs of this run", done.stdout)
        self.assertRegex(done.stdout, r"\ncalls +[\d,]+ in ")

    def attached(self, command, *arguments):
        """What aprof attach says of a process while it runs."""
        process = subprocess.Popen(command, cwd=self.path)
        try:
            time.sleep(0.3)
            return self.aprof("attach", *arguments, str(process.pid)), process.poll()
        finally:
            process.kill()
            process.wait()

    def test_attach(self):
        prog = self.build(FOREVER)
        done, ended = self.attached([prog], "--seconds=1")
        self.assertIsNone(ended)                         # it runs on
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\nfile +amon\.out: .*, [1-9]\d*(\.\d+)? s elapsed; ended\n")
        rows = self.flat()
        whole = sum(row["self_ns"] for row in rows.values())
        self.assertGreater(rows["turn"]["total_ns"], 0.9 * whole)
        names = {thread["name"] for thread in json.loads(self.aprof("info", "--json").stdout)["threads"]}
        self.assertTrue({"early", "late"} <= names, names)    # threads that were there, and those that began since
        self.assertNotIn("(truncated)", [name for name, row in rows.items() if row["total_ns"] > 0.02 * whole])

    def test_what_is_mapped_is_known_though_samples_are_lost(self):
        """Where samples come faster than they are read, what a process maps meanwhile is told all the same."""
        library = self.build(MAPPED, "mapped.so", options=("-O2", "-shared", "-fPIC"))
        process = subprocess.Popen([self.build(MAPS), library], cwd=self.path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        os.sched_setaffinity(process.pid, {min(os.sched_getaffinity(0))})     # each processor has room of its own

        def told(what, seconds):
            process.stdin.write(f"{what} {seconds}\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), "done\n")

        recorder = subprocess.Popen([APROF, "attach", "--no-report", str(process.pid)], cwd=self.path, stderr=subprocess.PIPE, text=True,
                                    env=dict(os.environ, TMPDIR=self.path, APROF_STACKS="perf"))
        while not glob.glob(self.path + "/aprof.*/stacks.*"):
            told("w", 0.05)
        recorder.send_signal(signal.SIGSTOP)
        told("w", 1.5)
        told("m", 0)
        recorder.send_signal(signal.SIGCONT)
        told("b", 1.5)
        process.stdin.close()
        self.assertEqual(process.wait(), 0)
        self.assertEqual((recorder.wait(), recorder.stderr.read()), (0, ""))
        recorder.stderr.close()
        process.stdout.close()
        notes = {note["note"]: note["count"] for note in json.loads(self.aprof("info", "--json").stdout)["run"]["notes"]}
        self.assertGreater(notes["lost_stack"], 100)
        rows = self.flat()
        self.assertGreater(rows["behind"]["total_ns"], 0.5e9)
        self.assertLess(rows.get("(truncated)", {"total_ns": 0})["total_ns"], 0.05 * rows["behind"]["total_ns"])

    def test_recorded_processes_are_listed(self):
        """aprof ps lists what is recorded, and a PID stands for its file, as with hooks."""
        recorder = subprocess.Popen([APROF, "run", "--no-report", self.build(FOREVER)], cwd=self.path, stderr=subprocess.DEVNULL)
        try:
            found = []
            while not found:
                time.sleep(0.1)
                listed = json.loads(self.aprof("ps", "--json").stdout)["processes"]
                found = [process for process in listed if process["program"].startswith(os.path.realpath(self.path))]
            self.assertEqual([(process["way"], process["calls"]) for process in found], [("stacks", None)])
            pid = found[0]["pid"]
            self.assertNotEqual(pid, recorder.pid)
            line = next(line for line in self.aprof("ps").stdout.splitlines() if line.split()[0] == str(pid))
            self.assertRegex(line, r"^ *\d+ +\d+:\d\d +- +\d+ +stacks/tick +\./prog ")
            text = self.aprof("report", str(pid)).stdout
            self.assertRegex(text, r";\s+running:\s+the\s+figures are those of now\n")
            self.assertRegex(text, r" turn\n")
        finally:
            if found:
                os.kill(found[0]["pid"], 9)
            recorder.wait()

    def waits(self, way, more, less):
        """A program that waits MORE and LESS ms, by WAY, in two routines: each has the share of the time that the program itself measured."""
        done = self.aprof("run", "--clock=wall", "--no-report", "--data=" + way, self.build(WAITS, "waits"), way, str(more), str(less))
        self.assertEqual(done.stderr, "")
        true = [float(word) for word in done.stdout.split()]
        rows = self.flat(way)
        found = [rows[name]["total_ns"] / 1e9 for name in ("more", "less")]
        agree(self, found[0] / sum(found), true[0] / sum(true), rows["more"]["total_error_ns"] / 1e9 / sum(found), (way, found, true))
        return true, found

    def test_waiting(self):
        for way in ("sleep", "futex", "read"):
            true, found = self.waits(way, 6, 4)
            for a, b in zip(true, found):
                self.assertLess(abs(a - b), 0.05 * a, (way, true, found))
        head = self.aprof("report", "read").stdout
        self.assertRegex(head, r"\nclock +wall: elapsed time, sleep included")
        self.assertRegex(head, r"\nstacks +[\d,]+ in \d+ contexts; (100|99\.\d+) % go back to the thread's start\n")
        self.assertEqual(json.loads(self.aprof("report", "--json", "read").stdout)["run"]["clock"]["clock"], "wall")

    def test_work_and_waiting(self):
        """CPU time is in it as well, as in the other clock; both are what the program measured."""
        prog = self.build(CLOCKS + SHARES.replace('puts("done");', 'printf("%f\\n", cpu_seconds());'))
        for clock in "cpu", "wall":
            true = float(self.aprof("run", "--clock=" + clock, "--no-report", prog, status=3).stdout)
            rows, elapsed = self.flat(), json.loads(self.aprof("report", "--json").stdout)["run"]["files"][0]["elapsed_ns"] / 1e9
            self.assertGreater(rows["spin"]["self_ns"] / 1e9, 0.9 * true)
            self.assertLess(rows["main"]["total_ns"] / 1e9, 1.05 * (true if clock == "cpu" else elapsed))

    def test_attach_to_those_that_wait(self):
        """Each thread has the same time, whether it came to a processor meanwhile or not, and nothing wakes it."""
        process = subprocess.Popen([self.build(WAITERS)], cwd=self.path, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.aprof("attach", "--clock=wall", "--seconds=2", "--no-report", str(process.pid))
        process.kill()
        self.assertEqual(process.stdout.read(), "")
        rows = self.flat()
        times = [rows[name]["total_ns"] / 1e9 for name in ("for_good", "in_epoll", "main")]
        elapsed = json.loads(self.aprof("report", "--json").stdout)["run"]["files"][0]["elapsed_ns"] / 1e9
        for time_of in times:                           # what is behind the last look is not known, however late that was
            self.assertTrue(elapsed - 0.5 < time_of < 1.05 * elapsed, (times, elapsed))         # main's time at work is sampled

    def test_clocks_that_stacks_have_not(self):
        done = self.aprof("attach", "--clock=tsc", str(os.getpid()), status=2)
        self.assertIn("aprof: --clock=tsc: call stacks are sampled by CPU time (cpu) or elapsed time (wall)\n", done.stderr)
        for clock, told in ("tsc", True), ("cpu", False):
            done = self.aprof("run", "--no-report", "--clock=" + clock, sys.executable, "-c", "sum(range(10000000))")
            self.assertEqual("is of hooks, which no program of this run has" in done.stderr, told)

    def names_of_hidden(self, *command):
        """COMMAND, which says on its output when it runs from files that nobody can open by their names: the routines of its profile, which are looked for
        until those of program and library have had samples."""
        process = subprocess.Popen(command, cwd=self.path, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        process.stdout.read(1)
        seen = set()
        for _ in range(10):
            self.aprof("attach", "--seconds=0.5", "--no-report", "--data=hidden", str(process.pid))
            seen |= set(self.flat("hidden"))
            if {"of_program", "of_library", "main"} <= seen:
                break
        process.kill()
        process.wait()
        return seen

    def test_files_that_are_gone(self):
        """A program and a library that were deleted, as by an upgrade, and a program of another mount namespace, have their names."""
        work = "volatile double x;\n__attribute__((noinline)) void %s(long n) { for (long i = 0; i < n; i++) x = x * 1.0000001 + i; }\n"
        program = work % "of_program" + """#include <stdio.h>
            #include <unistd.h>
            void of_library(long n);
            int main(int c, char **v) { for (int i = 1; i < c; i++) unlink(v[i]); puts(""); fflush(stdout); for (;;) { of_program(10000000); of_library(10000000); } }
            """
        for name, text in ("library.c", work % "of_library"), ("program.c", program):
            with open(os.path.join(self.path, name), "w") as file:
                file.write(text)
        subprocess.run("cc -O2 -shared -fPIC -o library.so library.c && cc -O2 -o here program.c ./library.so && cp here there", shell=True, cwd=self.path, check=True)
        if subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], stderr=subprocess.DEVNULL).returncode == 0:
            seen = self.names_of_hidden("unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt && cp there /mnt/inside && exec /mnt/inside")
            self.assertLessEqual({"of_program", "of_library", "main"}, seen)
        deleted = ["here"] + ["library.so"] * os.access(f"/proc/{os.getpid()}/map_files", os.R_OK) * (os.geteuid() == 0)
        seen = self.names_of_hidden("./here", *deleted)
        self.assertLessEqual({"of_program", "of_library", "main"}, seen)

    def test_attach_ends_with_its_process(self):
        process = subprocess.Popen(["sleep", "3"], cwd=self.path)
        threading.Thread(target=process.wait).start()
        self.assertIn("no call stack was sampled", self.aprof("attach", str(process.pid), status=2).stderr)

    def test_attach_wrongly(self):
        self.assertRegex(self.aprof("attach", "999999999", status=2).stderr, "^aprof: 999999999: no such process\n$")
        self.assertRegex(self.aprof("attach", "here", status=2).stderr, "^aprof: here: not the number of a process\n$")
        self.assertRegex(self.aprof("attach", status=2).stderr, "^aprof: attach: to which process")
        self.assertRegex(self.aprof("attach", "--seconds=0", "1", status=2).stderr, "not a number of seconds")
        process = subprocess.Popen([self.build(FOREVER, "hooked", APROF_CC)], cwd=self.path)
        try:
            pid = str(process.pid)
            while not any(other["pid"] == process.pid for other in json.loads(self.aprof("ps", "--json").stdout)["processes"]):
                time.sleep(0.05)
            done = self.aprof("attach", pid)
            self.assertIn(f"note: {pid} has hooks, so what follows is its own, exact profile", done.stderr)
            self.assertIn("A heavy routine", done.stdout)
            self.assertRegex(done.stdout, r"(?m)^ *[\d.]+.* turn +hooked ")
            self.aprof("attach", "--report", "-o", "report", pid)
            self.assertRegex(pathlib.Path(self.path, "report").read_text(), r"(?s); running: the figures\s.*\nFlat profile")
            other = subprocess.Popen([self.build(FOREVER, "plain")], cwd=self.path)
            try:
                done = self.aprof("attach", "--seconds=1", pid, str(other.pid))         # the one's exact profile, the other's stacks
                self.assertIn(f"note: {pid} has hooks, so what follows is its own, exact profile", done.stderr)
                self.assertRegex(done.stdout, r"(?m)^ *[\d.]+.* turn +hooked ")
                self.assertIn("call stacks were sampled", done.stderr)
                self.assertIn("turn", self.flat())
                done = self.aprof("attach", "--seconds=1", "--report", "-o", "others", str(other.pid), pid)
                self.assertIn(f"note: {pid} has hooks, and its profile is exact already: aprof report {pid} shows it", done.stderr)
                self.assertIn("turn", pathlib.Path(self.path, "others").read_text())
            finally:
                other.kill()
                other.wait()
        finally:
            process.kill()
            process.wait()

    def go_names(self, *link):
        """A program in Go that collects garbage, without symbols: the head of its report, and who called what runs on the threads' own stacks."""
        with open(os.path.join(self.path, "g.go"), "w") as file:
            file.write(GO_HEAP)
        subprocess.run(["go", "build", "-ldflags=-s -w", *link, "g.go"], cwd=self.path, check=True, env=dict(os.environ, HOME=self.path, GO111MODULE="off", GOFLAGS=""))
        done = self.aprof("run", "--data=a", "./g")
        rows = self.flat("a")
        self.assertGreater(rows["main.build"]["total_ns"], 0.2 * sum(row["self_ns"] for row in rows.values()))
        unnamed = sum(row["self_ns"] for name, row in rows.items() if name.startswith("0x"))
        self.assertLess(unnamed, 0.01 * sum(row["self_ns"] for row in rows.values()))
        callers = re.findall(r"([^;\n]*);runtime\.systemstack;([^;\n ]*)\.func\d+\b", self.aprof("export", "folded", "a").stdout)
        self.assertEqual({caller for caller, closure in callers if closure == "runtime.gcAssistAlloc"}, {"runtime.gcAssistAlloc"})
        stacks, whole = re.search(r"\nstacks +([\d,]+) in [\d,]+ contexts; ([\d.]+) % go back to the thread's start\n", done.stderr).groups()
        stacks = int(stacks.replace(",", ""))
        self.assertLess(stacks * (100 - float(whole)) / 100, 2 + stacks / 100)

    @unittest.skipUnless(shutil.which("go"), "go is not installed")
    def test_go(self):
        """Stripped, it has names by Go's own table, and its stacks go back beyond where its runtime switched to the thread's own stack."""
        self.go_names()
        self.go_names("-buildmode=pie")

    @unittest.skipUnless(shutil.which("node"), "Node.js is not installed")
    def test_functions_of_node(self):
        """JavaScript's functions by name, on whose behalf they ran, also when the map that told the names is gone."""
        with open(os.path.join(self.path, "s.js"), "w") as file:
            file.write(SCRIPT)
        self.aprof("run", "--no-report", "--data=a", "node", "--perf-basic-prof", "--no-turbo-inlining", "s.js")
        for name in glob.glob("/tmp/perf-*.map"):
            with contextlib.suppress(OSError):
                if "s.js" in pathlib.Path(name).read_text():
                    os.unlink(name)
        json_ = json.loads(self.aprof("report", "--json", "a").stdout)
        totals = {}
        for r in json_["flat"]:
            for name in re.findall(r"^JS:.(inner|fast|slow) .*s\.js:\d+:\d+$", r["name"]):
                totals[name] = totals.get(name, 0) + r["total_ns"]
                self.assertEqual(r["module"], "[jit]")
        self.assertEqual(set(totals), {"inner", "fast", "slow"})
        self.assertLess(totals["fast"], totals["slow"])
        self.assertRegex(self.aprof("tree", "a").stdout, r"JS:.slow .*\n(.*\n)?.*JS:.inner ")
        self.aprof("merge", "-o", "sum", "a", "a")
        self.assertIn("JS:*inner", self.aprof("report", "sum").stdout)

    def test_code_made_at_run_time(self):
        program = self.build(MAKER)
        self.aprof("run", "--no-report", "--data=map", program, "map")
        flat = self.flat("map")
        self.assertGreater(flat["mapped routine, with a blank"]["self_ns"], 0.9 * flat["main"]["total_ns"])
        self.assertFalse({"older", "below"} & flat.keys())
        self.aprof("run", "--no-report", "--data=dump", program, "dump")
        flat = self.flat("dump")
        self.assertGreater(flat["dumped routine"]["self_ns"], 0.9 * flat["main"]["total_ns"])
        self.assertEqual((flat["dumped routine"]["file"], flat["dumped routine"]["line"], flat["dumped routine"]["module"]), ("made.s", 12, "[jit]"))

    def test_code_named_afterwards(self):
        """A perf map that is written at the exit, or when the program is gone, names what was sampled before: in the file, so that it can go."""
        program = self.build(MAKER)
        self.aprof("run", "--no-report", "--data=exit", program, "exit")
        with contextlib.suppress(OSError):
            os.unlink("/tmp/perf-%d.map" % json.loads(self.aprof("info", "--json", "exit").stdout)["run"]["files"][0]["pid"])
        flat = self.flat("exit")
        self.assertGreater(flat["mapped routine, with a blank"]["self_ns"], 0.9 * flat["main"]["total_ns"])
        self.assertEqual(flat["mapped routine, with a blank"]["module"], "[jit]")
        pid, at = self.aprof("run", "--no-report", "--data=none", program, "none").stdout.split()
        flat = self.flat("none")
        self.assertGreater(flat["0x" + at]["self_ns"], 0.9 * flat["main"]["total_ns"])
        shutil.copy(os.path.join(self.path, "none"), os.path.join(self.path, "read-only"))
        os.chmod(os.path.join(self.path, "read-only"), 0o444)
        name = "/tmp/perf-%s.map" % pid
        self.addCleanup(lambda: os.path.exists(name) and os.unlink(name))
        pathlib.Path(name).write_text("%s a asked for later\n" % at)
        os.utime(name, (1, 1))
        self.assertIn("0x" + at, self.flat("none"))		# an earlier process's
        os.utime(name)
        for data in "read-only", "none":
            self.assertGreater(self.flat(data)["asked for later"]["self_ns"], 0.9 * flat["main"]["total_ns"])
        os.unlink(name)
        self.assertGreater(self.flat("none")["asked for later"]["self_ns"], 0.9 * flat["main"]["total_ns"])
        self.aprof("merge", "-o", "sum", "none", "exit")
        self.assertLessEqual({"asked for later", "mapped routine, with a blank"}, self.flat("sum").keys())

    def test_hints(self):
        """The head says in one line what would tell more, by what the program is; nothing where all is told."""
        def hint(*arguments):
            head = self.aprof("report", *arguments).stdout.partition("\n\n")[0]
            return re.findall(r"^hint +(.*)", re.sub(r"\n {8,}", " ", head), re.M)
        program = self.build(MAKER)
        self.aprof("run", "--no-report", "--data=none", program, "none")
        self.assertRegex(hint("none")[0], r"^(9\d|100) % of the time is in code made at run time, without names; a perf map")
        self.aprof("run", "--no-report", "--data=map", program, "map")
        self.assertEqual(hint("map"), [])
        self.aprof("run", "--no-report", "--data=named", self.build(SHARES), status=3)
        self.assertEqual(hint("named"), [])
        subprocess.run(["strip", "-o", "bare", "prog"], cwd=self.path, check=True)
        self.aprof("run", "--no-report", "--data=bare.out", "./bare", status=3)
        self.assertRegex(hint("bare.out")[0], r"% of the time is in routines of bare that have no name, since it is stripped; its debug package")
        shutil.copy(os.path.join(self.path, "prog"), os.path.join(self.path, "lua5.4"))
        self.aprof("run", "--no-report", "--data=script", "./lua5.4", status=3)
        self.assertRegex(hint("script")[0], r"% of the time is the interpreter's; aprof run --script shows")
        subprocess.run(["cc", "-O2", "-fomit-frame-pointer", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-o", "untold", "prog.c"], cwd=self.path, check=True)
        self.aprof("run", "--no-report", "--data=untold.out", "./untold", status=3)
        self.assertRegex(hint("untold.out")[0], r"% of the stacks are cut off, most in untold, code without unwind tables")

    @unittest.skipUnless(shutil.which("javac"), "no JDK is installed")
    def test_java_with_map_at_exit(self):
        """Java's methods by name, by the map that it writes when it ends."""
        with open(os.path.join(self.path, "J.java"), "w") as file:
            file.write(JAVA)
        subprocess.run(["javac", "J.java"], cwd=self.path, check=True)
        self.aprof("run", "--no-report", "--data=a", "java", "-XX:+PreserveFramePointer", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit", "-cp", ".", "J")
        with contextlib.suppress(OSError):
            os.unlink("/tmp/perf-%d.map" % json.loads(self.aprof("info", "--json", "a").stdout)["run"]["files"][0]["pid"])
        flat = self.flat("a")
        hot = sum(r["self_ns"] for name, r in flat.items() if "J.hot" in name)
        self.assertGreater(hot, 0.5 * sum(r["self_ns"] for r in flat.values()))
        self.assertLess(sum(r["self_ns"] for name, r in flat.items() if name.startswith("0x")), 0.05 * hot)

    def test_kernel(self):
        """The kernel's routines by name, below [kernel]; refused in one line where they are not told."""
        program = self.build(r"""
#include <unistd.h>
int main(void) { char b[4096]; int f[2]; if (pipe(f)) return 1; for (int i = 0; i < 300000; i++) if (write(f[1], b, 4096) < 0 || read(f[0], b, 4096) < 0) return 1; return 0; }
""")
        done = self.aprof("run", "--no-report", "--kernel", "--data=a", program)
        if "--kernel: " in done.stderr:
            self.assertEqual(done.stderr.count("--kernel: "), 1)
            self.skipTest(done.stderr)
        report = json.loads(self.aprof("report", "--json", "a").stdout)
        flat = {r["name"]: r for r in report["flat"]}
        writes = [r for r in report["flat"] if re.search("pipe_write$", r["name"])]
        self.assertTrue(writes, flat.keys())
        self.assertEqual(writes[0]["module"], "[kernel]")
        self.assertLess(flat["[kernel]"]["self_ns"], 0.05 * flat["[kernel]"]["total_ns"])
        self.assertRegex(self.aprof("tree", "a").stdout, r"\[kernel\]\n[^\n]*\b\w+_64\w*\n")
        self.aprof("run", "--no-report", "--data=b", program)
        plain = self.flat("b")
        self.assertFalse([name for name in plain if "pipe_write" in name])
        self.assertAlmostEqual(plain["[kernel]"]["total_ns"] / plain["main"]["total_ns"], flat["[kernel]"]["total_ns"] / flat["main"]["total_ns"], delta=0.15)
        hooked = self.build("int main(void) { return 0; }", "hooked", APROF_CC)
        for option in "--kernel", "--inlines":
            self.assertIn(option + ": of a program with hooks", self.aprof("run", "--no-report", option, hooked).stderr)

    def test_attach_again_and_again(self):
        """A server does not notice: every answer comes, and is right."""
        server = subprocess.Popen([sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self.path)
        answers, stop = [], threading.Event()

        def ask():
            while not stop.is_set():
                server.stdin.write(b"17\n")
                server.stdin.flush()
                answers.append(server.stdout.readline())
        client = threading.Thread(target=ask)
        client.start()
        for _ in range(15):
            self.aprof("attach", "--no-report", "--seconds=0.02", str(server.pid), status=(0, 2))      # there may be no sample in so short a time
        stop.set()
        client.join()
        server.stdin.close()
        self.assertEqual(server.wait(), 0)
        self.assertEqual(set(answers), {b"289\n"})
        server.stdout.close()

    def test_refused(self):
        """Who asks for perf events, and may not have them, is told what to do; sources_test.py has what is done unasked."""
        self.build(REFUSE, "refuse")
        done = subprocess.run(["./refuse", APROF, "run", self.build(SHARES)], cwd=self.path, capture_output=True, text=True, env=dict(os.environ, APROF_STACKS="perf"))
        self.assertEqual((done.returncode, done.stdout), (3, "done\n"))
        self.assertRegex(done.stderr, r"^aprof: \S+ has no hooks, so it cannot be profiled exactly, and the kernel does not let this user sample call stacks: a filter of system calls \(seccomp\) .*\n$")

    def test_nothing_to_sample(self):
        done = self.aprof("run", "true")
        self.assertRegex(done.stderr, r"^$|too little CPU time \(\d+\.\d ms\) for samples|\nstacks +\d in")

    def test_copied_elsewhere(self):
        """The file carries its names."""
        prog = self.build(SHARES)
        self.aprof("run", "--no-report", prog, status=3)
        before = self.aprof("tree").stdout
        os.unlink(os.path.join(self.path, prog))
        self.assertEqual(self.aprof("tree").stdout, before)


if __name__ == "__main__":
    why = refused()
    if why:
        print("skipped: " + why.strip())
        sys.exit(77)
    unittest.main()
