#!/usr/bin/env python3
"""below_test.py BUILD - exact contexts and call stacks of one run, in one file: --leaves splits a context's time by the code without hooks below it."""
import collections, json, os, re, signal, subprocess, sys, time, unittest

from stacks_test import APROF, APROF_CC, Recording, refused     # takes BUILD from the command line

# outer has two paths below it, of one part of the work and of three; one and two, which call it, have hooks.
PLAIN = r"""
#define N __attribute__((noinline, noclone))
volatile long sink;
N static void deep(long n) { for (long i = 0; i < n; i++) sink += i; }
N static void light(long n) { deep(n); sink++; }
N static void heavy(long n) { deep(3 * n); sink += 2; }
N void outer(long n) { light(n); heavy(n); sink++; }
N void again(int depth, long n) { deep(n); if (depth) again(depth - 1, n); sink++; }
N int weigh(long n) { deep(n); sink++; return 0; }
N void back(void (*f)(long), long n) { deep(n); f(n); sink++; }
"""
PROGRAM = r"""
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#define N __attribute__((noinline, noclone))
void outer(long n), again(int depth, long n), back(void (*f)(long), long n);
int weigh(long n);
extern volatile long sink;
static long turns = TURNS;
N void one(long n) { outer(n); sink++; }
N void two(long n) { outer(2 * n); sink += 2; }
N int compare(const void *a, const void *b) { weigh(3000); sink++; return *(const int *)a - *(const int *)b; }
N void sorts(void) { int a[64]; for (int i = 0; i < 64; i++) a[i] = i * 37 % 64; qsort(a, 64, sizeof *a, compare); }
N void recurs(int n) { again(5, 20000); if (n) recurs(n - 1); sink++; }
N void called(long n) { weigh(n); sink++; }
N void calls(void) { back(called, 100000); sink++; }
N static void *first(void *arg) { for (long i = 0; i < 2 * turns; i++) one(20000); return arg; }
N static void *second(void *arg) { for (long i = 0; i < turns; i++) weigh(400000); return arg; }
int main(int argc, char **argv)
{
	pthread_t t[2];
	for (long i = 0; i < turns; i++) { one(30000); two(30000); sorts(); recurs(3); calls(); }
	pthread_create(&t[0], 0, first, 0);
	pthread_create(&t[1], 0, second, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	if (argc > 1) for (write(1, "", 1);;) one(30000);
	return 0;
}
"""


class Below(Recording):
    def made(self, turns=100):
        for name, text in (("plain.c", PLAIN), ("prog.c", PROGRAM.replace("TURNS", str(turns)))):
            with open(os.path.join(self.path, name), "w") as file:
                file.write(text)
        subprocess.run(["cc", "-O2", "-g", "-shared", "-fPIC", "-o", "libplain.so", "plain.c"], cwd=self.path, check=True)
        subprocess.run([APROF_CC, "-O2", "-g", "-o", "prog", "prog.c", "-L.", "-lplain", "-Wl,-rpath,$ORIGIN", "-lpthread"], cwd=self.path, check=True)
        return "./prog"

    def record(self, **more):
        self.aprof("run", "--stacks", "--no-report", self.made(**more))
        self.assertEqual(sorted(name for name in os.listdir(self.path) if "amon" in name), ["amon.out"])

    def report(self, *options):
        return json.loads(self.aprof("report", "--json", *options).stdout)

    def contexts(self, *options):
        """By history, without marks: entries, recursive calls, time."""
        rows = collections.defaultdict(lambda: [0, 0, 0, 0])
        for row in json.loads(self.aprof("contexts", "--json", *options).stdout)["contexts"]:
            for i, key in enumerate(("entries", "recursive", "time_ns", "ticks")):
                rows[tuple(row["history"].split())][i] += row[key]
        return dict(rows)

    def below(self, rows, *history):
        """The time of the context HISTORY and of all that begins as it does, by what is next."""
        times = collections.Counter()
        for path, (_, _, ns, _) in rows.items():
            if path[:len(history)] == history:
                times[path[len(history)] if len(path) > len(history) else None] += ns
        return times

    def assertShare(self, part, whole, share, samples=100):
        self.assertLess(abs(part / whole - share), 4 * (share * (1 - share) / samples) ** 0.5 + 0.03, (part / whole, share))

    def test_what_is_said_of_self_times(self):
        """A legend that says that a time has more in it than it has is worse than none; and so is one of columns that are blank."""
        self.record(turns=20)
        for options, more, calls in (((), True, True), (("--leaves",), False, True), (("--stacks",), False, False)):
            text = self.aprof("report", *options).stdout
            self.assertEqual(2 * more, text.count("and in code without hooks that it called"), options)
            self.assertEqual(re.findall(r"(?m)^no hooks .*charged to callers", text) != [], more and "no hooks" in text, options)
            self.assertEqual([calls] * 4, [words in text for words in (" self/call   ", " calls       times", " called    times", "calls from there")], options)

    def test_without_program_counters(self):
        """A timer takes the stacks, and the monitor has no program counters: stacks split the times all the same, and nothing is said to lack."""
        os.environ["APROF_STACKS"] = "timer"
        try:
            self.record(turns=20)
        finally:
            del os.environ["APROF_STACKS"]
        self.assertEqual(self.report("--leaves")["run"]["counts"]["pc_samples"], 0)
        text = self.aprof("report", "--leaves").stdout
        self.assertIn("sampled together with the contexts, whose times they split", text)
        self.assertNotIn("nothing to split by", re.sub(r"\s+", " ", text))

    def test_paths(self):
        """Two paths of one part and of three, from two callers; what stands between routines with hooks stays out; recursion of either kind."""
        self.record(turns=150)
        rows = self.contexts("--leaves")
        samples = self.report("--leaves")["run"]["call_stacks"]["sampled"] / 4      # of each caller, at least; beside other work few
        for caller in ("one", "two"):
            times = self.below(rows, "main", caller, "outer")
            self.assertShare(times["light"], sum(times.values()), 0.25, min(samples, 100))
            self.assertEqual(set(self.below(rows, "main", caller)) - {None, "[kernel]"}, {"outer"})
            self.assertIn("deep", self.below(rows, "main", caller, "outer", "heavy"))
        self.assertIn("weigh", self.below(rows, "main", "sorts", "compare"))        # whatever qsort does between
        self.assertIn("weigh", self.below(rows, "main", "calls", "called"))
        self.assertIn("back", self.below(rows, "main", "calls"))
        self.assertEqual(self.below(rows, "main", "calls", "back").keys() - {"[kernel]", None}, {"deep"})
        self.assertIn("again", self.below(rows, "main", "recurs"))
        self.assertFalse(any("again" in path and path[-1] == "recurs" for path in rows))
        both = self.below(rows, "main", "one"), self.below(rows, "main", "two")
        self.assertShare(sum(both[0].values()), sum(both[0].values()) + sum(both[1].values()), 1 / 3)

    def test_equality(self):
        """What a context and the plain code below it have is what the context has without --leaves, to the nanosecond; calls are the same."""
        self.record()
        for more in ((), ("--raw",)):
            exact, split = self.contexts(*more), self.contexts("--leaves", *more)
            names = {name for path in exact for name in path}
            folded = collections.defaultdict(lambda: [0, 0, 0, 0])
            for path, figures in split.items():
                kept = path
                while kept and kept not in exact:
                    kept = kept[:-1]
                self.assertFalse(names & set(path[len(kept):]), path)
                if kept != path:
                    self.assertEqual(figures[:2], [0, 0], path)
                folded[kept] = [a + b for a, b in zip(folded[kept], figures)]
            self.assertEqual(dict(folded), exact)
            self.assertGreater(len(split), len(exact))
        exact, split = self.report(), self.report("--leaves")
        calls = lambda report: {row["name"]: row["calls"] for row in report["flat"] if row["calls"] is not None}
        self.assertEqual(calls(exact), calls(split))
        self.assertEqual(exact["run"]["times"], split["run"]["times"])
        self.assertEqual(exact["run"]["counts"]["calls"], split["run"]["counts"]["calls"])
        rows = {row["name"]: row for row in split["flat"]}
        self.assertIsNone(rows["deep"]["calls"])
        self.assertGreater(rows["deep"]["self_error_ns"] or 0, 0)
        for row in exact["flat"]:
            self.assertEqual(row["total_ns"], rows[row["name"]]["total_ns"])
        self.assertEqual(sum(row["self_ns"] for row in split["flat"]), sum(row["self_ns"] for row in exact["flat"]))
        for entry in split["callgraph"]:                # conservation: parents' shares are the routine's
            self.assertEqual(sum(parent["self_ns"] + parent["children_ns"] for parent in entry["parents"]), entry["self_ns"] + entry["children_ns"], entry["name"])
        told = split["run"]["call_stacks"]
        self.assertGreater(told["sampled"], 20)         # of two hundred; beside other work fewer
        few = 0.02 * told["sampled"]
        self.assertLess(told["truncated"] + told["strange"], few + 4 * few ** 0.5, told)

    def test_threads(self):
        """Each thread's time is split by its own stacks."""
        self.record()
        rows = self.contexts("--leaves")
        self.assertEqual(set(self.below(rows, "first", "one")) - {None, "[kernel]"}, {"outer"})
        self.assertEqual(set(self.below(rows, "second")) - {None, "[kernel]"}, {"weigh"})

    def test_where_it_shows(self):
        self.record()
        text = self.aprof("report", "--leaves").stdout
        self.assertRegex(text, r"\nstacks +[\d,]+ sampled together with the contexts")
        self.assertRegex(text, r"\n +[\d.]+ %? +[\d.]+ [mu]?s {20,}outer \[\d+\]\n")             # no calls
        self.assertNotRegex(text, r"in libplain.so")
        self.assertNotIn("heavy", self.aprof("tree").stdout)
        self.assertRegex(self.aprof("tree", "--leaves").stdout, r"\n.* outer\n(.*\n)?.* heavy\n.* deep\n")
        self.assertIn("main;two;outer;heavy;deep ", self.aprof("export", "--leaves", "folded").stdout)
        self.assertIn("deep", self.aprof("hot", "--leaves").stdout)
        self.assertRegex(self.aprof("export", "--leaves", "csv").stdout, r'\n"?deep"?,[^\n]*,,,\d+')
        self.aprof("html", "--leaves", "-o", "page.html")
        with open(os.path.join(self.path, "page.html")) as file:
            self.assertIn("heavy", file.read())
        self.assertIn("heavy", self.aprof("paths", "--leaves", "--min-percent=0", "--top=0").stdout)
        self.assertIn("in libplain.so: deep", self.aprof("report", "--leaves", "--model=gprof").stdout)     # which divides by calls, and there are none
        self.assertRegex(self.aprof("tree", "--leaves", "--hide=outer", "--hide=heavy", "--hide=light").stdout, r"\n.* one\n.* deep\n")
        self.assertRegex(self.aprof("report", "--leaves", "--model=cct").stdout, r"\n +[\d.]+ %? +[\d.]+ [mu]?s {20,}outer \[\d+\]\n")
        done = self.aprof("run", "--stacks", "--leaves", "./prog")
        self.assertIn("heavy", done.stderr + done.stdout)
        self.aprof("run", "--no-report", "--data=alone", "./prog")
        self.assertIn("--phase cannot be joined with --stacks", self.aprof("report", "--stacks", "--phase=one", status=2).stderr)
        self.assertIn("has no call stacks together with exact contexts", self.aprof("tree", "--leaves", "alone", status=2).stderr)
        self.assertIn("in libplain.so: deep", self.aprof("report", "--leaves", "alone").stdout)

    def test_files(self):
        """merge, diff, check; the names stay when the program is gone."""
        self.record()
        os.rename(os.path.join(self.path, "amon.out"), os.path.join(self.path, "a"))
        self.aprof("run", "--stacks", "--no-report", "--data=b", "./prog")
        self.aprof("merge", "-o", "both", "a", "b")
        times = lambda *words: sum(row["self_ns"] for row in self.report(*words)["flat"])
        self.assertEqual(times("--leaves", "both"), times("both"))
        self.assertEqual(self.report("--leaves", "both")["run"]["call_stacks"]["sampled"],
                         sum(self.report("--leaves", name)["run"]["call_stacks"]["sampled"] for name in "ab"))
        raw = lambda name: self.report("--raw", name)["run"]["times"]["raw_ns"]
        self.assertEqual(raw("both"), raw("a") + raw("b"))
        self.aprof("diff", "a", "b")
        self.assertIn("routines", self.aprof("check", "a", "--against", "b", "--max-regress=1000").stdout)
        self.aprof("diff", "--stacks", "a", "b")
        for name in ("prog", "libplain.so"):
            os.unlink(os.path.join(self.path, name))
        self.assertIn("heavy", self.aprof("tree", "--leaves", "both").stdout)

    def at_work(self, run):
        """The program of RUN, which has had half a second of CPU time since it told that it is on."""
        run.stdout.read(1)
        with open(f"/proc/{run.pid}/task/{run.pid}/children") as file:
            child = int(file.read().split()[0])
        with open(f"/proc/{child}/schedstat") as file:
            begun = int(file.read().split()[0])
        while True:
            time.sleep(0.1)
            with open(f"/proc/{child}/schedstat") as file:
                if int(file.read().split()[0]) > begun + 5e8:
                    return child

    def test_killed(self):
        """Program killed: one file all the same.  aprof run killed: two, which are joined where they are read, with a line that says so."""
        self.made(turns=5)
        env = dict(os.environ, TMPDIR=self.path)
        run = subprocess.Popen([APROF, "run", "--stacks", "--no-report", "./prog", "on"], cwd=self.path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.kill(self.at_work(run), signal.SIGKILL)
        run.communicate()
        self.assertIn("outer", self.aprof("tree", "--leaves").stdout)
        os.unlink(os.path.join(self.path, "amon.out"))
        run = subprocess.Popen([APROF, "run", "--stacks", "--no-report", "./prog", "on"], cwd=self.path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        child = self.at_work(run)
        run.kill()
        run.wait()
        os.kill(child, signal.SIGKILL)
        run.communicate()
        file = next(os.path.join(folder, name) for folder, _, names in os.walk(self.path) for name in names if name == f"amon.out.{child}")
        done = self.aprof("tree", "--leaves", file)
        self.assertRegex(done.stderr, r"note: call stacks of the same run are in \S+/stacks\.\d+\.\d+, and are joined with")
        self.assertIn("outer", done.stdout)
        self.aprof("merge", "-o", "sum", file)
        one, other = (self.contexts("--leaves", name) for name in ("sum", file))
        self.assertEqual(one.keys(), other.keys())
        for path in one:
            self.assertLess(abs(one[path][2] - other[path][2]), 10, path)


if __name__ == "__main__":
    why = refused()
    if why:
        print(why, end="")
        sys.exit(77)
    unittest.main()
