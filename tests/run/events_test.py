#!/usr/bin/env python3
"""events_test.py BUILD - aprof run --value=EVENT: perf events by exact context and by call stack, against what the kernel told the program itself, of its threads and children, too."""
import json, os, subprocess, sys, unittest

from stacks_test import APROF, APROF_CC, Recording     # takes BUILD from the command line
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import truth

# One routine takes all faults, and another all switches, each called from two contexts; so do a thread and a child.
PROGRAM = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define N __attribute__((noinline, noclone))
enum { FEW, MANY, RARELY, OFTEN, CALLERS };
volatile long sink;
static struct { long faults, switches; } *told;		/* by caller, of all processes */

static inline __attribute__((always_inline)) struct rusage usage(void) { struct rusage u; getrusage(RUSAGE_THREAD, &u); return u; }
static inline __attribute__((always_inline)) void tell(int caller, struct rusage before)
{
	struct rusage now = usage();
	__atomic_fetch_add(&told[caller].faults, now.ru_minflt - before.ru_minflt, __ATOMIC_RELAXED);
	__atomic_fetch_add(&told[caller].switches, now.ru_nvcsw + now.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw, __ATOMIC_RELAXED);
}

N static void touch(long pages)
{
	char *p = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(p, pages * 4096, MADV_NOHUGEPAGE);
	for (long i = 0; i < pages; i++) { p[i * 4096] = 1; sink++; }
	munmap(p, pages * 4096);
}
N static void waits(int n) { for (int i = 0; i < n; i++) { struct timespec t = { 0, 20000 }; nanosleep(&t, NULL); sink++; } }
N static void few(void) { struct rusage b = usage(); touch(10000); tell(FEW, b); sink++; }
N static void many(void) { struct rusage b = usage(); touch(30000); tell(MANY, b); sink++; }
N static void rarely(void) { struct rusage b = usage(); waits(800); tell(RARELY, b); sink++; }
N static void often(void) { struct rusage b = usage(); waits(2400); tell(OFTEN, b); sink++; }
N static void *works(void *arg) { many(); rarely(); sink++; return arg; }

/* All on one processor, whose ring is full by and by while the one who reads it stands still. */
static void stays(void) { cpu_set_t one; CPU_ZERO(&one); CPU_SET(sched_getcpu(), &one); sched_setaffinity(0, sizeof one, &one); }
static void unseen(pid_t recorder) { kill(recorder, SIGSTOP); for (clock_t end = clock() + CLOCKS_PER_SEC / 2; clock() < end;) few(); }

int main(int argc, char **argv)
{
	pthread_t t;
	pid_t recorder = getppid();
	if (argc > 1) stays();
	told = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	few(); many(); rarely(); often();
	pthread_create(&t, NULL, works, NULL);
	pthread_join(t, NULL);
	if (fork() == 0) {
		few(); often();
		if (argc > 1) unseen(recorder);
		_exit(0);
	}
	wait(NULL);
	if (argc > 1) kill(recorder, SIGCONT);
	printf("%ld %ld %ld %ld\n", told[FEW].faults, told[MANY].faults, told[RARELY].switches, told[OFTEN].switches);
	return 0;
}
"""
CALLERS = "few", "many", "rarely", "often"
EVENTS = "page-faults", "context-switches"


class Events(Recording):
    def built(self, compiler):
        with open(os.path.join(self.path, "prog.c"), "w") as file:
            file.write(PROGRAM)
        subprocess.run([compiler, "-O2", "-g", "-o", "prog", "prog.c", "-lpthread"], cwd=self.path, check=True)

    def recorded(self):
        """What the program was told, by caller, once its events are recorded: with samples of each, which the kernel, on a busy machine, may take a thousandth of."""
        for _ in range(8):
            done = subprocess.run([APROF, "run", *("--value=" + event for event in EVENTS), "--no-report", "./prog"], cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if "does not let this user" in done.stderr or "only perf events" in done.stderr:
                self.skipTest(done.stderr)
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = [row for row in self.contexts("page-faults", "--stacks") if row["ticks"] >= 5]
            if all(any(part in row["history"] for row in rows) for part in ("main few touch", "main many touch", "works many touch")):
                return dict(zip(CALLERS, map(int, done.stdout.split())))
        self.skipTest("the kernel takes too few samples of page faults")

    def contexts(self, value, *options):
        return json.loads(self.aprof("contexts", "--json", "--value", value, *options).stdout)["contexts"]

    def below(self, rows, caller):
        """What the contexts of CALLER and those below have, and by how much that may be off."""
        of = [row for row in rows if any(word.split("(")[0] == caller for word in row["history"].split())]
        return sum(row["time"] for row in of), sum((row["error"] or 0) ** 2 for row in of) ** 0.5

    def held(self, told, *options):
        """Each caller's share is what it was told, as near as is stated, and the sum is the kernel's."""
        for event, callers in zip(EVENTS, (CALLERS[:2], CALLERS[2:])):
            rows = self.contexts(event, *options)
            found, all_told = sum(row["time"] for row in rows), sum(told[caller] for caller in callers)
            times = json.loads(self.aprof("report", "--json", "-p", "--value", event, *options).stdout)["run"]["times"]
            whole = sum(times[part] for part in ("contexts", "outside", "monitor", "unplaced"))
            self.assertLess(whole, 1.1 * all_told + 500, rows)           # some come between what is told, and before main
            self.assertGreater(whole, 0.98 * all_told, (times, rows))
            for caller in callers:
                of, error = self.below(rows, caller)
                truth.agree(self, of / found, told[caller] / all_told, error / found, (event, caller, rows))
        self.assertGreater(sum(row["time_ns"] for row in self.contexts("cpu")), 0)

    def test_contexts(self):
        """By exact context, with its calls, which are exact, as all else of that profile is; several events in one run."""
        self.built(APROF_CC)
        told = self.recorded()
        self.held(told)
        rows = self.contexts("page-faults")
        self.assertEqual({row["history"]: row["entries"] for row in rows if row["history"].endswith("touch")}, {"main few touch": 2, "main many touch": 1, "works many touch": 1})
        self.assertLess(self.below(rows, "waits")[0], 100, rows)
        for history in "main few touch", "main many touch", "works many touch":
            self.assertGreater(sum(row["time"] for row in rows if row["history"] == history), 1000, history)
        info = json.loads(self.aprof("info", "--json").stdout)
        self.assertEqual([v["value"] for v in info["values"]], ["cpu", *sorted(EVENTS), "calls"])
        head = self.aprof("report", "--value=page-faults").stdout
        self.assertRegex(head, r"\nvalue +page-faults; [0-9,]+ samples")
        self.assertIn("sampled together with the contexts", head)

    def test_stacks_beside(self):
        """The stacks themselves have them, too, and plain code below contexts its part."""
        self.built(APROF_CC)
        told = self.recorded()
        self.held(told, "--stacks")
        flat = json.loads(self.aprof("report", "--json", "--leaves", "--value=context-switches").stdout)["flat"]
        waiting = sum(r["total"] for r in flat if r["name"] == "clock_nanosleep")
        self.assertGreater(waiting, 0.5 * (told["rarely"] + told["often"]), flat)

    def test_without_hooks(self):
        self.built("cc")
        self.held(self.recorded())

    def test_lost(self):
        """Of a child, while nobody reads, samples are lost: what came to it then is in no context, and nothing of it is the first process's, or there twice."""
        self.built(APROF_CC)
        run = subprocess.run([APROF, "run", *("--value=" + event for event in EVENTS), "--no-report", "./prog", "unseen"], cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if "does not let this user" in run.stderr or "only perf events" in run.stderr:
            self.skipTest(run.stderr)
        told = dict(zip(CALLERS, map(int, run.stdout.split())))
        for options in (), ("--stacks",):
            times = json.loads(self.aprof("report", "--json", "-p", "--value=page-faults", *options).stdout)["run"]["times"]
            self.assertLess(sum(times[part] for part in ("contexts", "outside", "monitor", "unplaced")), 1.1 * (told["few"] + told["many"]) + 500, times)
            self.assertGreater(times["unplaced"], 0.1 * told["few"], times)
        many, error = self.below(self.contexts("page-faults"), "many")
        self.assertLess(many, told["many"] + 4 * error + 500, error)

    def test_merged(self):
        """A sum has of each event what its files have."""
        self.built(APROF_CC)
        self.recorded()
        os.rename(os.path.join(self.path, "amon.out"), os.path.join(self.path, "one"))
        self.recorded()
        self.aprof("merge", "-o", "sum", "one", "amon.out")
        for event in EVENTS:
            parts = [sum(row["time_ns"] for row in self.contexts(event, name)) for name in ("one", "amon.out", "sum")]
            self.assertEqual(parts[0] + parts[1], parts[2])
        self.assertRegex(self.aprof("diff", "--value=page-faults", "one", "amon.out").stdout, "^base +one: [0-9.]+ k\n")

    def test_threads(self):
        """A thread's own contexts have what the kernel counted for it, to the last."""
        self.built(APROF_CC)
        self.recorded()
        works = sum(row["time"] for row in self.contexts("page-faults") if row["history"].startswith("works many"))
        self.assertTrue(30000 <= works < 30500, works)

    def test_refused(self):
        """One line, and nothing is run."""
        for event, words in ("nonsense", "no event is called so"), ("page-faults --value=page-faults", "given twice"):
            done = subprocess.run([APROF, "run", *("--value=" + event).split(), "touch", "ran"], cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertFalse(os.path.exists(os.path.join(self.path, "ran")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
