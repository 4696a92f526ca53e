#!/usr/bin/env python3
"""allocations_test.py BUILD - aprof run --allocations: calls, bytes, what is live at the end and at the peak, held to the byte against a counter in the same process (counter.c),
which runs bare as well; and by context, against what the program itself says."""
import json, os, signal, struct, subprocess, unittest

from stacks_test import APROF, APROF_CC, BUILD, Recording     # takes BUILD from the command line

HERE = os.path.dirname(os.path.abspath(__file__))
VALUES = "allocations", "allocated", "live", "peak"

# Each case is one thing that counters get wrong.
PROGRAM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define N __attribute__((noinline, noclone))

static void *kept[100000];

N static void keeps(int n, size_t size) { for (int i = 0; i < n; i++) kept[i] = malloc(size); }
N static void drops(int n) { for (int i = 0; i < n; i++) { free(kept[i]); kept[i] = NULL; } }
static void *volatile passing;		/* or the compiler leaves both calls out */
N static void passes(int n, size_t size) { for (int i = 0; i < n; i++) { void *p = malloc(size); passing = p; free(p); } }

static void plain(void)
{
	keeps(1000, 100);
	passes(500, 3000);
	drops(300);
	keeps(10, 7);			/* what was kept there is lost */
}

/* Grown, shrunk, made of nothing and into nothing, and refused: then the old one is still there. */
static void grown(void)
{
	volatile size_t too_much = SIZE_MAX / 2;
	char *p = NULL, *q;
	for (size_t n = 1; n < 200000; n = n * 3 / 2 + 1) p = realloc(p, n);
	for (size_t n = 100000; n > 10; n /= 2) p = realloc(p, n);
	q = realloc(p, too_much);
	if (q || errno != ENOMEM) abort();
	p = realloc(p, 12345);
	q = reallocarray(NULL, 10, 20);
	q = reallocarray(q, 30, 20);
	if (reallocarray(q, too_much, 20)) abort();
	free(q);
	q = realloc(malloc(50), 0);
	kept[0] = p;
}

static void odd(void)
{
	volatile size_t much = SIZE_MAX / 4;
	void *p;
	if (calloc(much, 8)) abort();
	if (malloc(SIZE_MAX - much)) abort();
	kept[0] = calloc(100, 30);
	kept[1] = malloc(0);
	kept[2] = memalign(256, 1000);
	kept[3] = aligned_alloc(64, 640);
	kept[4] = valloc(77);
	kept[5] = pvalloc(5000);
	if (posix_memalign(&p, 4096, 4097)) abort();
	kept[6] = p;
	kept[7] = strdup("twenty-one characters");
	kept[8] = malloc((size_t)5 << 30);
	for (int i = 0; i < 6; i += 2) free(kept[i]);
	free(kept[8]);
	free(NULL);
}

/* Threads that free what others made, and end. */
enum { THREADS = 8, EACH = 2000 };
static void *shared[THREADS][EACH];
static pthread_barrier_t barrier;

N static void *works(void *arg)
{
	intptr_t me = (intptr_t)arg;
	for (int i = 0; i < EACH; i++) shared[me][i] = malloc(10 + (size_t)me);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < EACH; i++) free(shared[(me + 1) % THREADS][i]);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < EACH; i++) passes(1, 30);
	return NULL;
}

static void threads(void)
{
	pthread_t t[THREADS];
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (intptr_t i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, works, (void *)i);
	for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
	keeps(2000, 500);		/* a peak of one thread alone, so that there is one truth */
}

/* Children free what their parent made, which is nobody's live bytes any more, and leave by all ways. */
static void forks(void)
{
	keeps(1000, 50);
	for (int i = 0; i < 4; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			drops(500);
			keeps(10 * (i + 1), 20);
			if (i == 1) _exit(0);
			if (i == 2) kill(getpid(), SIGKILL);
			exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	drops(100);
}

N static void on_signal(int sig) { (void)sig; passes(3, 40); kept[99] = malloc(123); }

static void signals(void)
{
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 50; i++) { passes(1, 10); raise(SIGUSR1); }
}

static void plugin(void)
{
	for (int i = 0; i < 3; i++) {
		void *library = dlopen("./libplugin.so", RTLD_NOW);
		void (*makes)(int) = library ? (void (*)(int))dlsym(library, "makes") : NULL;
		if (!makes) abort();
		makes(100);
		dlclose(library);
	}
	if (dlopen("./nowhere.so", RTLD_NOW) || !dlerror()) abort();
}

static void again(char *self)
{
	keeps(10, 10);
	execl(self, self, "plain", (char *)0);
}

static void early(void) {}
static int is_early;
N static void at_last(void) { passes(7, 70); keeps(3, 30); }
N __attribute__((constructor)) static void at_first(int argc, char **argv) { if (argc > 1 && !strcmp(argv[1], "early")) { is_early = 1; keeps(40, 40); passes(4, 4); } }
N __attribute__((destructor)) static void very_last(void) { if (is_early) passes(5, 50); }

/* A rise, a fall, a lower rise; then what is live at the peak is not what is live at the end. */
static void peaks(void)
{
	keeps(100, 1000);
	drops(60);
	keeps(50, 10);
	passes(1000, 200);
}

static void shells(void)
{
	keeps(10, 10);
	if (system("true")) abort();
}

static void killed(void)
{
	keeps(100, 1000);
	drops(60);
	keeps(20, 10);
	raise(SIGKILL);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(void); } cases[] = {
		{ "plain", plain }, { "grown", grown }, { "odd", odd }, { "threads", threads }, { "forks", forks }, { "signals", signals }, { "plugin", plugin },
		{ "early", early }, { "peaks", peaks }, { "killed", killed }, { "shells", shells } };
	if (is_early) atexit(at_last);
	if (argc > 1 && !strcmp(argv[1], "again")) again(argv[0]);
	for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
		if (!strcmp(argv[1], cases[i].name)) { cases[i].run(); return 0; }
	return 1;
}
"""
PLUGIN = r"""
#include <stdlib.h>
void *made[300];
static int n;
__attribute__((constructor)) static void begins(void) { free(malloc(1000)); }
__attribute__((destructor)) static void ends(void) { for (int i = 0; i < n; i += 2) free(made[i]); }
void makes(int k) { while (k--) made[n++] = malloc(64); }
"""
CXX = r"""
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>
#define N __attribute__((noinline, noclone))
struct alignas(64) Wide { char text[192]; };
struct Thrower { char text[40]; Thrower() { throw 1; } };
static std::vector<void *> kept;
static std::string *global = new std::string(100, 'x');
N static void ones(int n) { for (int i = 0; i < n; i++) kept[i] = new char[i + 1]; }
static Wide *volatile wide;		// or the compiler leaves both out
N static void wides(int n) { for (int i = 0; i < n; i++) { wide = new Wide; delete wide; } }
N static void arrays(int n) { for (int i = 0; i < n; i++) { wide = new Wide[3]; delete[] wide; } }
N static void throws(int n) { for (int i = 0; i < n; i++) try { delete new Thrower; } catch (int) {} }
N static void refused(int n) { volatile size_t much = (size_t)1 << 60; for (int i = 0; i < n; i++) try { delete[] new char[much]; } catch (std::bad_alloc &) {} }
N static void quiet(int n) { volatile size_t much = (size_t)1 << 60; for (int i = 0; i < n; i++) if (::operator new(much, std::nothrow)) abort(); else ::operator delete(::operator new(24, std::nothrow), std::nothrow); }
int main(int argc, char **)
{
	kept.resize(200);
	ones(200); wides(10); arrays(5); throws(20);
	if (argc > 1) { refused(3); quiet(4); }	// which not every allocator bears
	for (int i = 0; i < 100; i++) delete[] static_cast<char *>(kept[i]);
	std::vector<std::shared_ptr<std::string>> all;
	for (int i = 0; i < 1000; i++) all.push_back(std::make_shared<std::string>(i % 40, 'y'));
	delete global;
	return 0;
}
"""

# By stacks: two of three bytes are made for one caller, and freed; what is kept, and the peak between, are known.
PLAIN = r"""
#include <stdlib.h>
#include <sys/mman.h>
#define N __attribute__((noinline, noclone))
static void *volatile kept[300000];
static int n;
volatile long sink;
N static void *gets_some(size_t size) { void *p = malloc(size); sink++; return p; }
N static void keeps(void) { kept[n++] = gets_some(200); sink++; }
N static void drops(void) { void *p = gets_some(600); sink++; free(p); }
N static void rises(void) { for (int i = 0; i < 60000; i++) { kept[200000 + i] = gets_some(1000); sink++; } for (int i = 0; i < 60000; i++) free(kept[200000 + i]); }
N static void touches(void)
{
	char *p = mmap(NULL, 20000 * 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(p, 20000 * 4096L, MADV_NOHUGEPAGE);
	for (long i = 0; i < 20000; i++) { p[i * 4096] = 1; sink++; }
	munmap(p, 20000 * 4096L);
}
int main(void)
{
	for (int i = 0; i < 100000; i++) { keeps(); drops(); if (i % 100 == 0) for (long k = 0; k < 30000; k++) sink += k; }
	rises();
	touches();
	return 0;
}
"""

ASKED = r"""
#include <aprof.h>
#include <stdlib.h>
#define N __attribute__((noinline, noclone))
static void *volatile kept[100];
static void *volatile passing;
N static void keeps(int from, int n) { for (int i = from; i < from + n; i++) kept[i] = malloc(100); }
N static void passes(int n) { for (int i = 0; i < n; i++) { passing = malloc(7); free(passing); } }
int main(void)
{
	keeps(0, 10);
	aprof_stop();
	keeps(10, 20);
	aprof_start();
	passes(3);
	aprof_reset();
	passes(5);
	for (int i = 5; i < 15; i++) free(kept[i]);
	return 0;
}
"""


class Allocations(Recording):
    def built(self, name, text, compiler, *flags):
        with open(os.path.join(self.path, name), "w") as file:
            file.write(text)
        subprocess.run([*compiler, "-O2", "-g", "-o", os.path.join(self.path, name.split(".")[0]), os.path.join(self.path, name), *flags], check=True)

    def setUp(self):
        super().setUp()
        subprocess.run(["cc", "-O2", "-g", "-shared", "-fPIC", "-o", os.path.join(self.path, "counter.so"), os.path.join(HERE, "counter.c")], check=True)
        with open(os.path.join(self.path, "plugin.c"), "w") as file:
            file.write(PLUGIN)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", os.path.join(self.path, "libplugin.so"), os.path.join(self.path, "plugin.c")], check=True)

    def counted(self, command, *libraries):
        """What the counter says of the processes of COMMAND together."""
        env = dict(os.environ, COUNTER=os.path.join(self.path, "counter"), LD_PRELOAD=":".join([os.path.join(self.path, "counter.so"), *libraries]))
        done = subprocess.run(command, cwd=self.path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        sums = [0] * 4
        for name in os.listdir(self.path):
            if name.startswith("counter.prog."):            # not those of aprof itself
                with open(os.path.join(self.path, name), "rb") as file:
                    sums = [a + b for a, b in zip(sums, struct.unpack("<4Q", file.read(32)))]
                os.unlink(os.path.join(self.path, name))
        return dict(zip(VALUES, sums))

    def contexts(self, value, *options):
        """By history, without marks: the amount of VALUE."""
        rows = {}
        for row in json.loads(self.aprof("contexts", "--json", "--value", value, *options).stdout)["contexts"]:
            history = tuple(row["history"].split())
            rows[history] = rows.get(history, 0) + row["time_ns"]
        return rows

    def recorded(self):
        return {value: sum(self.contexts(value).values()) for value in VALUES}

    def of(self, routine, value):
        return sum(amount for history, amount in self.contexts(value).items() if history and history[-1].split("(")[0] == routine)

    def held(self, *command):
        """The program alone, and under aprof, has the same counts by the counter; and aprof's are those."""
        alone = self.counted(command)
        beside = self.counted([APROF, "run", "--allocations", "--no-report", *command])
        recorded = self.recorded()
        self.assertEqual(recorded, beside)
        self.assertEqual(recorded, alone)
        return recorded

    def test_c(self):
        self.built("prog.c", PROGRAM, [APROF_CC], "-lpthread", "-ldl")
        for case in ("plain", "grown", "odd", "threads", "signals", "plugin", "early", "peaks"):
            with self.subTest(case):
                self.held("./prog", case)

    def test_forks(self):
        """Each process has its own: what it has from its parent is not its, also where it is killed."""
        self.built("prog.c", PROGRAM, [APROF_CC], "-lpthread", "-ldl")
        self.held("./prog", "forks")

    def test_exec(self):
        self.built("prog.c", PROGRAM, [APROF_CC], "-lpthread", "-ldl")
        self.aprof("run", "--allocations", "--no-report", "./prog", "again")
        self.assertEqual(self.of("keeps", "allocations"), 10 + 1010)

    def test_cxx(self):
        self.built("prog.cc", CXX, [os.path.join(BUILD, "aprof-c++")])
        self.held("./prog", "more")
        self.assertEqual(self.of("ones", "allocated"), 200 * 201 // 2)
        self.assertEqual(self.of("ones", "live"), sum(range(101, 201)))

    def test_contexts(self):
        """Who allocated it, not who freed it."""
        self.built("prog.c", PROGRAM, [APROF_CC], "-lpthread", "-ldl")
        self.aprof("run", "--allocations", "--no-report", "./prog", "peaks")
        self.assertEqual([self.of("keeps", value) for value in VALUES], [150, 100500, 40500, 100000])
        hot = self.aprof("hot", "--value", "allocated").stdout
        self.assertRegex(hot, r"bytes  most in its own code .*\n 66.56 .* passes ")
        self.assertNotRegex(hot, "most time|its time|samples")

    def test_gprof(self):
        """The monitor that is preloaded counts once a hook was called; a shell beside has no profile for it."""
        self.built("prog.c", PROGRAM, ["cc", "-pg"], "-lpthread", "-ldl")
        self.aprof("run", "--allocations", "--no-report", "./prog", "peaks")
        self.assertEqual([self.of("keeps", value) for value in VALUES], [150, 100500, 40500, 100000])
        hot = self.aprof("hot", "--value", "allocated").stdout
        self.assertRegex(hot, r"bytes  most in its own code .*\n 66.56 .* passes ")
        self.assertNotRegex(hot, "most time|its time|samples")
        self.aprof("run", "--allocations", "--no-report", "--data", "two", "./prog", "shells")
        self.assertEqual([name for name in os.listdir(self.path) if name.startswith("two")], ["two"])

    def test_killed(self):
        """What is in the file tells all at any moment, the peak too; to whoever reads it."""
        self.built("prog.c", PROGRAM, [APROF_CC], "-lpthread", "-ldl")
        env = dict(os.environ, LD_PRELOAD=os.path.join(BUILD, "src/inside/libaprof-heap.so"), APROF_ALLOCATIONS="contexts", APROF_OUT="raw")
        self.assertEqual(subprocess.run(["./prog", "killed"], cwd=self.path, env=env).returncode, -signal.SIGKILL)
        for value, expected in zip(VALUES, (120, 100200, 40200, 100000)):
            self.assertEqual(sum(self.contexts(value, "raw").values()), expected, value)
            lines = subprocess.run([os.path.join(HERE, "../../doc/read_amon.py"), "--value", value, "raw"], cwd=self.path, check=True, capture_output=True, text=True).stdout
            self.assertEqual(sum(int(line.split()[2]) for line in lines.splitlines()), expected, value)

    def test_untracked(self):
        """Where addresses cannot be kept all is counted, nothing is live, and the head says so."""
        self.built("prog.c", PROGRAM, [APROF_CC], "-lpthread", "-ldl")
        self.aprof("run", "--allocations", "--no-report", "sh", "-c", "ulimit -v 60000; exec ./prog plain")
        self.assertEqual([self.of(routine, value) for routine in ("keeps", "passes") for value in VALUES[:3]], [1010, 100070, 0, 500, 1500000, 0])
        head = self.aprof("report", "--value=live").stdout
        self.assertRegex(" ".join(head.split()), "it is not known when it was freed")

    def test_stopped_and_reset(self):
        """What was allocated while the program was stopped is nobody's, then and when it is freed; a reset leaves what is live, which is the first peak of the new interval."""
        self.built("prog.c", ASKED, [APROF_CC])
        self.aprof("run", "--allocations", "--no-report", "./prog")
        self.assertEqual([self.of("passes", value) for value in VALUES], [5, 35, 0, 7])
        self.assertEqual([self.of("keeps", value) for value in VALUES], [0, 0, 500, 1000])

    def test_other_allocators(self):
        """Whose operators are their own: the counter, which has none of these, is not asked."""
        self.built("prog.cc", CXX, [os.path.join(BUILD, "aprof-c++")])
        self.aprof("run", "--allocations", "--no-report", "./prog")
        expected = {routine: [self.of(routine, value) for value in VALUES] for routine in ("ones", "wides", "arrays", "throws")}
        self.assertEqual(expected["wides"][:3], [10, 1920, 0])
        found = [path for name in ("libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2.0")
                 for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib") for path in [os.path.join(folder, name)] if os.path.exists(path)]
        for library in found:
            with self.subTest(library):
                subprocess.run([APROF, "run", "--allocations", "--no-report", "./prog"], cwd=self.path, check=True, env=dict(os.environ, LD_PRELOAD=library))
                self.assertEqual({routine: [self.of(routine, value) for value in VALUES] for routine in expected}, expected)
        if not found:
            self.skipTest("neither jemalloc, tcmalloc nor mimalloc is here")

    def within(self, value, history_has, expected, share):
        found = sum(amount for history, amount in self.contexts(value).items() if history_has in history)
        self.assertLess(abs(found - expected), share * expected, (value, history_has, found, expected))

    def test_stacks(self):
        """Some of them stand for all: within five standard errors of some hundreds of samples; whoever takes the samples of time."""
        self.built("plain.c", PLAIN, ["cc"])
        for source in "perf", "timer", "ptrace":
            with self.subTest(source):
                done = subprocess.run([APROF, "run", "--allocations", "--no-report", "./plain"], cwd=self.path, env=dict(os.environ, APROF_STACKS=source),
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                if "not permitted" in done.stdout or "does not let" in done.stdout:
                    continue
                self.assertEqual(done.returncode, 0, done.stdout)
                self.within("allocated", "keeps", 20e6, 0.4)
                self.within("allocated", "drops", 60e6, 0.25)
                self.within("allocated", "rises", 60e6, 0.25)
                self.within("allocated", "touches", 81.92e6, 0.01)
                self.within("allocations", "rises", 60000, 0.25)
                self.within("live", "keeps", 20e6, 0.4)
                self.within("peak", "touches", 81.92e6, 0.01)
                self.assertEqual(self.of("malloc", "allocated"), 0)
                self.assertEqual(sum(amount for history, amount in self.contexts("live").items() if "rises" in history or "drops" in history), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
