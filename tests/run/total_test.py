#!/usr/bin/env python3
"""total_test.py BUILD - programs whose call stacks are sampled: their time is what the kernel says, or what is missing is printed, for its true reason."""
import json, os, re, signal, subprocess, time, unittest

from stacks_test import APROF, Recording, refused       # takes BUILD from the command line

SOURCES = ["perf"] * (not refused()) + ["timer", "ptrace"]

# MANY N: starts as many programs, one after another; prints the CPU time of itself, and of them, as the kernel has it, ns.
MANY = r"""
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
extern char **environ;
static long of(int who) { struct rusage r; getrusage(who, &r); return (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000000 + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1000; }
int main(int argc, char **argv)
{
	for (int i = atoi(argv[1]); i > 0; i--) {
		char *words[] = { "true", NULL };
		pid_t pid;
		if (posix_spawn(&pid, "/bin/true", NULL, NULL, words, environ) || waitpid(pid, NULL, 0) != pid) return 1;
	}
	printf("%ld %ld\n", of(RUSAGE_SELF), of(RUSAGE_CHILDREN));
	return 0;
}
"""
SPIN = r"""
#include <time.h>
static volatile unsigned sink;
static long cpu(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1000000000 + t.tv_nsec; }
__attribute__((noinline)) static void spin(long ms) { long end = cpu() + ms * 1000000; while (cpu() < end) for (int i = 0; i < 1000; i++) sink = sink * 5 + i; }
"""
FORKS = SPIN + r"""
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) { if (argc == 1) spin(300); else for (int i = atoi(argv[1]); i > 0; i--) { if (fork() == 0) { spin(1); exit(0); } wait(NULL); } return 0; }
"""
# Forty threads of 5 ms, one after another.
BRIEF = SPIN + r"""
#include <pthread.h>
__attribute__((noinline)) static void own(void) { spin(100); __asm__ volatile(""); }
__attribute__((noinline)) static void brief(void) { spin(5); __asm__ volatile(""); }
static void *thread(void *arg) { brief(); return arg; }
int main(void) { pthread_t t; own(); for (int i = 0; i < 40; i++) { if (pthread_create(&t, NULL, thread, NULL)) return 2; pthread_join(t, NULL); } return 0; }
"""
# 40 processes at once, each with four threads of 4 ms.
TREE = SPIN + r"""
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static void work(void) { spin(4); __asm__ volatile(""); }
static void *thread(void *arg) { work(); return arg; }
static long of(int who) { struct rusage r; getrusage(who, &r); return (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000000 + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1000; }
int main(void)
{
	pthread_t t[4];
	int depth = 3, status, bad = 0, first = getpid();
again:
	for (int i = 0; depth > 0 && i < 3; i++)
		if (fork() == 0) { depth--; goto again; }
	for (int i = 0; i < 4; i++) if (pthread_create(&t[i], NULL, thread, NULL)) return 3;
	for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
	while (wait(&status) > 0) bad |= status;
	if (getpid() == first) printf("%ld\n", of(RUSAGE_SELF) + of(RUSAGE_CHILDREN));
	return bad != 0;
}
"""
# Works on when its parent has ended.
DAEMON = SPIN + r"""
#include <stdio.h>
#include <unistd.h>
int main(void) { pid_t pid = fork(); if (pid) { printf("%d\n", pid); return 0; } setsid(); close(1); close(2); for (;;) spin(1000); }
"""
# SANDBOX HOW: works, allows itself no more than to write and to end, and works.
SANDBOX = SPIN + r"""
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile long n;
int main(int argc, char **argv)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 1, 0), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog program = { sizeof f / sizeof *f, f };

	spin(60);
	if (!strcmp(argv[1], "strict") && prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) return 2;
	if (strcmp(argv[1], "strict") && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return 2;
	if (!strcmp(argv[1], "prctl") && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 2;
	if (!strcmp(argv[1], "syscall") && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)) return 2;
	for (long i = 0; i < 300000000; i++) n += i;
	write(1, "done\n", 5);
	syscall(!strcmp(argv[1], "strict") ? SYS_exit : SYS_exit_group, 0);
	return 3;
}
"""
# SIGSTACK SIZE: handlers work on a signal stack of so many bytes beyond the least, with a page behind it that nobody may touch; their masks are what they were.
SIGSTACK = SPIN + r"""
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
static void handler(int sig) { (void)sig; spin(20); }
int main(int argc, char **argv)
{
	size_t size = (getauxval(AT_MINSIGSTKSZ) + (size_t)atoi(argv[1])) / 16 * 16, room = (size + 4095) / 4096 * 4096;
	char *at = mmap(NULL, room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction a = { .sa_handler = handler, .sa_flags = SA_ONSTACK }, b;
	stack_t s = { .ss_sp = at + 4096 + room - size, .ss_size = size };
	mprotect(at, 4096, PROT_NONE);
	sigaction(SIGUSR1, &a, NULL);
	if (sigaltstack(&s, NULL)) return 2;
	sigaction(SIGUSR2, &a, NULL);
	for (int i = 0; i < 10; i++) { spin(10); raise(i % 2 ? SIGUSR1 : SIGUSR2); }
	for (int sig = SIGUSR1; sig <= SIGUSR2; sig += SIGUSR2 - SIGUSR1) { sigaction(sig, NULL, &b); if (sigismember(&b.sa_mask, SIGPROF)) return 3; }
	return 0;
}
"""
# Who traces a process that has worked for long before its library can tell of a sample?
TRACED = SPIN + r"""
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	unsigned long all = ~0UL;
	char line[200];
	FILE *f;
	int by = -1;
	syscall(SYS_rt_sigprocmask, 0, &all, NULL, sizeof all);
	for (int i = 0; i < 30; i++) { spin(10); usleep(5000); }
	f = fopen("/proc/self/status", "r");
	while (fgets(line, sizeof line, f)) sscanf(line, "TracerPid: %d", &by);
	printf("%s\n", by ? "traced" : "alone");
	return 0;
}
"""
# Gives its processor up after each piece of work: nearly all of its time is work.
POLITE = SPIN + r"""
#include <sched.h>
int main(void) { for (int i = 0; i < 1500; i++) { spin(1); sched_yield(); } return 0; }
"""
MASTER = SPIN + r"""
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(void) { for (int i = 0; i < 2; i++) if (fork() == 0) { prctl(PR_SET_PDEATHSIG, SIGKILL); for (;;) spin(1000); } for (;;) pause(); }
"""


class Total(Recording):
    def run_by(self, source, *words, status=0, before=(), **more):
        done = subprocess.run([*before, APROF, "run", "--no-report", "--data=data", *words], cwd=self.path, capture_output=True, text=True,
                              env=dict(os.environ, APROF_STACKS=source), **more)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def times(self, name):
        """Seconds in contexts and in none, and processes, of a profile."""
        info = json.loads(self.aprof("info", "--json", name).stdout)
        times = info["run"]["times"]
        return times["contexts_ns"] + times["hooks_ns"], times["unplaced_ns"], sum(command["processes"] for command in info["commands"]) or len(info["run"]["files"])

    def test_brief_programs(self):
        """Of many programs that are over at once each is there, and their time."""
        self.build(MANY)
        for source in [source for source in SOURCES if source != "ptrace"]:
            with self.subTest(source):
                own, children = map(int, self.run_by(source, "./prog", "200").stdout.split())
                found = [name for name in ("data", "data.true") if os.path.exists(os.path.join(self.path, name)) and
                         json.loads(self.aprof("info", "--json", name).stdout)["run"]["files"][0]["program"].endswith("/true")]
                placed, unplaced, processes = self.times(found[0])
                self.assertEqual(processes, 200)
                other = self.times("data.prog" if found[0] == "data" else "data")
                self.assertAlmostEqual((placed + unplaced + sum(other[:2])) / (own + children), 1, delta=0.04)
                for name in os.listdir(self.path):
                    if name.startswith("data"):
                        os.unlink(os.path.join(self.path, name))

    def test_brief_programs_that_nobody_sees(self):
        self.build(MANY)
        done = self.run_by("ptrace", "./prog", "300")
        self.assertRegex(done.stderr, r"are of processes that nobody tells of: they ended before ptrace could look at them|\d\.\d+ s are in no routine")
        self.assertNotRegex(done.stderr, "too little|permitted|rebuild")

    def test_programs_with_hooks_tell_themselves(self):
        """Alone, and below a program that is sampled, of which more may be missing than is told of in silence."""
        hooked = self.build(SPIN + "int main(void) { spin(60); return 0; }", "hooked", os.path.join(os.path.dirname(APROF), "aprof-cc"))
        for source in SOURCES:
            for words in [hooked], ["sh", "-c", f"{hooked}; {hooked}; :"]:
                with self.subTest(source=source, words=words):
                    self.assertNotIn("hooked used", self.run_by(source, *words).stderr)

    @unittest.skipIf("perf" not in SOURCES, "perf events are not permitted here")
    def test_brief_processes_are_sampled(self):
        """Though each ends within the period of the samples."""
        self.run_by("perf", self.build(FORKS), "500")
        placed, unplaced, processes = self.times("data")
        self.assertEqual(processes, 501)
        self.assertGreater(self.flat("data")["spin"]["total_ns"], 0.4 * (placed + unplaced))

    @unittest.skipIf("perf" not in SOURCES, "perf events are not permitted here")
    def test_brief_threads_have_what_they_used(self):
        """A sample stands for two thirds of each; its last part is theirs, too, and no sample, and in the errors."""
        self.build(BRIEF)
        self.run_by("perf", "--rate=300", "./prog")
        rows = self.flat("data")
        self.assertAlmostEqual(rows["brief"]["total_ns"] / 2e8, 1, delta=0.08)
        self.assertAlmostEqual(rows["own"]["total_ns"] / 1e8, 1, delta=0.12)
        self.assertGreater(rows["brief"]["total_error_ns"], 4e7)
        self.assertIn("is shared as other samples of its process say", " ".join(self.aprof("report", "data").stdout.split()))

    def test_a_tree_of_brief_threads(self):
        """Each ends soon after its last sample, and most wait for a processor."""
        self.build(TREE)
        for source in [source for source in SOURCES if source != "ptrace"]:
            with self.subTest(source):
                used = int(self.run_by(source, "./prog").stdout)
                placed, unplaced, processes = self.times("data")
                self.assertEqual(processes, 40)
                self.assertAlmostEqual((placed + unplaced) / used, 1, delta=0.04)
                self.assertAlmostEqual(self.flat("data")["work"]["total_ns"] / (160 * 4e6), 1, delta=0.25)

    def test_few_descriptors(self):
        """There are fewer than threads, of which each has one as long as there are many."""
        self.build(TREE)
        done = self.run_by("ptrace", "./prog", before=("sh", "-c", 'ulimit -n 100; exec "$@"', "sh"))
        self.assertNotIn("could not be sampled", done.stderr)

    def test_no_file(self):
        """A limit on files, or one on memory, is no lack of CPU time."""
        self.build(FORKS)
        for source in SOURCES:
            with self.subTest(source):
                done = self.run_by(source, "./prog", status=2, before=("sh", "-c", 'ulimit -f 1; exec "$@"', "sh"))
                self.assertRegex(done.stderr, r"^aprof: no profile could be written in \S+: File too large \(.*ulimit -f\)\n$")

    def test_full_disk(self):
        disk = os.path.join(self.path, "disk")
        os.mkdir(disk)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", disk], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", disk])
        self.build(FORKS)
        with open(os.path.join(disk, "full"), "wb") as file:
            file.write(bytes(4096))
        for source in SOURCES:
            with self.subTest(source):
                done = subprocess.run([APROF, "run", "--no-report", "./prog"], cwd=self.path, capture_output=True, text=True,
                                      env=dict(os.environ, APROF_STACKS=source, TMPDIR=disk))
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, r"No space left on device \(TMPDIR names another place\)\n$")

    def test_daemon(self):
        self.build(DAEMON)
        for source in SOURCES:
            with self.subTest(source):
                done = self.run_by(source, "./prog")
                os.kill(int(done.stdout), signal.SIGKILL)
                self.assertRegex(done.stderr, "aprof: note: 1 process of this run is still running, ")
                self.assertNotIn("rebuild", done.stderr)

    def test_sandbox(self):
        """What filters its system calls lives, and is sampled by others."""
        self.build(SANDBOX)
        for source in SOURCES:
            for how in "strict", "prctl", "syscall":
                with self.subTest(source=source, how=how):
                    if subprocess.run(["./prog", how], cwd=self.path, capture_output=True).returncode:
                        self.skipTest("no filters here")
                    self.assertEqual(self.run_by(source, "./prog", how).stdout, "done\n")

    def test_small_signal_stacks(self):
        self.build(SIGSTACK)
        for size in "256", "1024", "4096", "8192":
            with self.subTest(size):
                self.run_by("timer", "./prog", size)

    def test_one_owner(self):
        """Whose library is there nobody else takes, though it has no samples yet."""
        self.assertEqual(self.run_by("timer", self.build(TRACED)).stdout, "alone\n")

    def test_who_waits_for_a_processor_is_not_charged(self):
        """Pinned beside a loop: a look mostly finds it waiting in the kernel, where it spends next to nothing."""
        self.build(POLITE)
        cpu = str(min(os.sched_getaffinity(0)))
        loop = subprocess.Popen(["taskset", "-c", cpu, "sh", "-c", "while :; do :; done"])
        self.addCleanup(loop.wait)
        self.addCleanup(loop.kill)
        shares = []
        while len(shares) < 3 and min(shares, default=1) > 0.3:
            self.run_by("ptrace", "taskset", "-c", cpu, "./prog")
            rows = self.flat("data")
            shares.append(rows["sched_yield"]["total_ns"] / rows["main"]["total_ns"] if "sched_yield" in rows else 0)
        self.assertLess(min(shares), 0.3)

    def attach(self, program, *options):
        process = subprocess.Popen([program], cwd=self.path)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        time.sleep(0.3)
        return subprocess.run([APROF, "attach", "--no-report", "--data=data", "--seconds=0.5", *options, str(process.pid)], cwd=self.path, capture_output=True, text=True)

    def test_attach_to_a_master(self):
        """It waits, and its children work."""
        done = self.attach(self.build(MASTER))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"aprof: note: 2 processes below it that ran already are not in it, and used \d\.\d+ s of CPU time meanwhile: name them, too \(\d+ \d+\)\n")
        self.assertRegex(done.stderr, r"aprof: no call stack was sampled: \S+/prog used \d+\.\d ms of CPU time meanwhile; --clock=wall tells")
        self.assertNotIn("rebuild", done.stderr)


if __name__ == "__main__":
    unittest.main()
