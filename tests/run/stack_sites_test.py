#!/usr/bin/env python3
"""stack_sites_test.py BUILD - call sites of sampled call stacks: times by the place that calls, in every command that shows them."""
import json, os, re, shutil, subprocess, sys, tempfile, unittest
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from truth import CLOCKS, agree

BUILD = os.path.abspath(sys.argv.pop(1))
APROF = os.path.join(BUILD, "aprof")

# Work by its size, which says where it is called: prints for each size the seconds of CPU time that it took.
MEASURED = CLOCKS + r"""
#include <stdio.h>
volatile unsigned long sink;
static double spent[64];
__attribute__((noinline)) static void work(long n)
{
	double begun = cpu_seconds();
	for (long i = 0; i < n; i++) sink += i;
	spent[n / 50000] += cpu_seconds() - begun;
}
static void spent_print(void)
{
	for (int i = 0; i < 64; i++)
		if (spent[i] > 0) printf("%d %f\n", i * 50000, spent[i]);
}
"""
# One routine is called twice on a line and once on another, with work as 1:3:4; and so it is in another thread, as 2:1.
TWO = MEASURED + r"""
#include <pthread.h>
__attribute__((noinline)) static void both(long n)
{
	work(n); work(3 * n);
	work(4 * n);
}
static void *thread(void *arg)
{
	for (int i = 0; i < 250; i++) {
		work(700000);
		work(350000);
	}
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
	for (int i = 0; i < 250; i++) both(200000);
	pthread_join(t, 0);
	spent_print();
}
"""
# Recursion through two routines, from two places each, and direct recursion.
RECURSION = r"""
volatile long sink;
__attribute__((noinline)) static void work(long n) { for (long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) static void odd(int n);
__attribute__((noinline)) static void even(int n)
{
	work(20000);
	if (n > 4) odd(n - 1);
	else if (n) odd(n - 2);
	sink++;
}
__attribute__((noinline)) static void odd(int n)
{
	work(60000);
	if (n > 0) even(n - 1);
	sink++;
}
__attribute__((noinline)) static void self(int n)
{
	if (n)
		self(n - 1);
	else
		work(500000);
	sink++;
}
int main(void) { for (int i = 0; i < 300; i++) { even(9); self(3); self(4); } return 0; }
"""
# What a signal interrupted called nobody; and neither did its handler's caller.
HANDLER = CLOCKS + r"""
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
volatile long sink, handled;
__attribute__((noinline)) static void spin(double seconds)
{
	double end = cpu_seconds() + seconds;
	while (cpu_seconds() < end)
		for (int i = 0; i < 10000; i++) sink += i;
}
__attribute__((noinline)) static void handler(int s)
{
	spin(0.002);
	spin(0.006);
	handled++;
	sink += s;
}
__attribute__((noinline)) static void busy(void) { while (handled < 30) sink++; }
int main(void)
{
	struct itimerval t = { { 0, 20000 }, { 0, 20000 } };		/* of CPU time: by the clock on the wall a busy machine had time for handlers alone */
	signal(SIGVTALRM, handler);
	setitimer(ITIMER_VIRTUAL, &t, NULL);
	busy();
	return 0;
}
"""
# The compiler puts `middle` into `outer`, twice, and `inner` into that.
INLINED = MEASURED + r"""
static inline __attribute__((always_inline)) void inner(long n)
{
	for (long i = 0; i < n; i++) sink -= i;
}
static double middles[3];
static inline __attribute__((always_inline)) void middle(long n)
{
	double begun = cpu_seconds();
	work(n);
	work(3 * n);
	inner(2 * n);
	middles[n / 100000] += cpu_seconds() - begun;
}
__attribute__((noinline)) static void outer(long n)
{
	middle(n);
	middle(2 * n);
}
int main(void)
{
	for (int i = 0; i < 100; i++) outer(100000);
	spent_print();
	for (int i = 1; i < 3; i++) printf("%d %f\n", -i, middles[i]);
	return 0;
}
"""
# Waits at three places, once for long, often and briefly, and now and then, and prints the seconds of each.
WAITS = CLOCKS + r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static double waited[3];
__attribute__((noinline)) static void wait(int n, int place) { double begun = wall_seconds(); usleep(n); waited[place] += wall_seconds() - begun; }
static int is_traced(void)
{
	char line[256];
	int tracer = 0;
	FILE *status = fopen("/proc/self/status", "r");
	while (fgets(line, sizeof line, status))
		sscanf(line, "TracerPid: %d", &tracer);
	fclose(status);
	return tracer;
}
int main(void)
{
	while (getenv("APROF_STACKS") && !is_traced())		/* by ptrace it is found some time after it began */
		usleep(1000);
	usleep(getenv("APROF_STACKS") ? 300000 : 0);		/* and looked at some time after that, on a busy machine */
	wait(250000, 0);
	for (int i = 0; i < 25; i++) {
		for (int j = 0; j < 20; j++)
			wait(200, 1);
		wait(30000, 2);
	}
	printf("%f %f %f\n", waited[0], waited[1], waited[2]);
	return 0;
}
"""


def line_of(text, wanted, nth=0):
    return [number for number, line in enumerate(text.split("\n"), 1) if wanted in line][nth]


def total(part):
    """The time of an arc, or of one of its places."""
    return part["self_ns"] + part["children_ns"]


class StackSites(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.path = self.directory.name

    def build(self, text, name="prog", options=()):
        with open(os.path.join(self.path, name + ".c"), "w") as file:
            file.write(text)
        subprocess.run(["cc", "-O1", "-g", *options, "-o", os.path.join(self.path, name), os.path.join(self.path, name + ".c"), "-lpthread"], check=True)
        return "./" + name

    def aprof(self, *arguments, status=0, **more):
        done = subprocess.run([APROF, *arguments], cwd=self.path, capture_output=True, text=True, **more)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout

    def record(self, text, *options, data="amon.out", env=None, **more):
        """What the program said."""
        return self.aprof("run", "--no-report", "--data=" + data, *options, self.build(text, **more), env=env)

    def callgraph(self, *arguments):
        return json.loads(self.aprof("report", "--sites", "--json", *arguments))["callgraph"]

    def arc(self, entries, caller, callee):
        entry = next(entry for entry in entries if entry["name"] == caller)
        return next(child for child in entry["children"] if child["name"] == callee)

    def measured(self, said):
        """What a program that has spent_print SAID."""
        return {int(size): float(spent) for size, spent in (line.split() for line in said.splitlines())}

    def are_shares(self, arc, true):
        """The places of ARC have the shares that TRUE has, times of the same run."""
        for site, time in zip(arc["sites"], true, strict=True):
            agree(self, total(site) / total(arc), time / sum(true), site["error_ns"] / total(arc), (arc["sites"], true))

    def check_sums(self, entries):
        """What all places of an arc have is what it has, at both of its ends."""
        checked = 0
        for entry in entries:
            for arc in entry["parents"] + entry["children"]:
                sites = arc.get("sites", [])
                if sites:
                    for what in "self_ns", "children_ns":
                        self.assertEqual(sum(site[what] for site in sites), arc[what], (entry["name"], arc["name"]))
                    checked += 1
        self.assertGreater(checked, 0)

    def test_lines(self):
        spent = self.measured(self.record(TWO))
        entries = self.callgraph()
        self.check_sums(entries)
        arc = self.arc(entries, "both", "work")
        line = line_of(TWO, "work(n); ")
        self.assertEqual([(site["line"], site["calls"]) for site in arc["sites"]], [(line, None), (line, None), (line + 1, None)])
        self.assertEqual(len({site["column"] for site in arc["sites"][:2]}), 2)
        self.are_shares(arc, [spent[size] for size in (200000, 600000, 800000)])

    def test_no_calls_anywhere(self):
        """Nobody counted the calls of a place: no command says that there were none."""
        self.record(TWO)
        for words in (["report", "--sites"], ["annotate", "both"], ["export", "dot", "--sites"]):
            self.assertNotRegex(self.aprof(*words), re.compile(r"\b0 calls|\b0/0\b|\b0 x\b|aprof_calls|s +\d+(\.\d+)? (m?s|0) +\d+ +at ", re.M), words)
        for words in (["report", "--sites", "--json"], ["annotate", "both", "--json"]):
            self.assertNotRegex(self.aprof(*words), r'"calls": ?\d', words)

    def test_annotate(self):
        self.record(TWO)
        line = line_of(TWO, "work(n); ")
        text = self.aprof("annotate", "both")
        self.assertIn(" time         of the calls that start on the line", text)
        self.assertNotIn("hooks", text)         # there are none
        for pattern in (rf"^ +[\d.]+ ms +:2 +-> work$", rf"^ +[\d.]+ ms +:11 +-> work$", rf"^ +[\d.]+ ms +{line + 1}  +work\(4 \* n\);$"):
            self.assertRegex(text, re.compile(pattern, re.M))
        callee, = (callee for callee in json.loads(self.aprof("annotate", "both", "--json"))["annotate"][0]["callees"] if callee["name"] == "work")
        self.assertEqual(sum(site["time_ns"] for site in callee["call_sites"]), callee["time_ns"])
        self.assertEqual(callee["call_lines"], [line, line + 1])

    def test_threads(self):
        """Each thread has its own."""
        spent = self.measured(self.record(TWO))
        whole = self.callgraph()
        first = line_of(TWO, "work(700000)")
        for thread in ("0", "1"):
            entries = self.callgraph("--thread=" + thread)
            self.check_sums(entries)
            names = {entry["name"] for entry in entries}
            if "thread" in names:
                arc = self.arc(entries, "thread", "work")
                self.assertEqual([site["line"] for site in arc["sites"]], [first, first + 1])
                self.are_shares(arc, [spent[700000], spent[350000]])
                self.assertEqual(arc["sites"], self.arc(whole, "thread", "work")["sites"])
            else:
                self.assertEqual(self.arc(entries, "both", "work")["sites"], self.arc(whole, "both", "work")["sites"])

    def test_exports(self):
        self.record(TWO)
        line, text = line_of(TWO, "work(n); "), self.aprof("export", "callgrind")
        costs = [(int(number), int(cost)) for number, cost in re.findall(r"\ncalls=1 \d+\n(\d+) (\d+)", text)]     # a line may call others, too
        arc = self.arc(self.callgraph(), "both", "work")
        self.assertIn((line + 1, arc["sites"][2]["self_ns"] + arc["sites"][2]["children_ns"]), costs)
        self.assertRegex(self.aprof("export", "dot", "--sites"), rf"prog.c:{line + 1}\\n[\d.]+ ms\"")

    def test_recursion(self):
        self.record(RECURSION)
        entries = self.callgraph()
        self.check_sums(entries)
        first = line_of(RECURSION, "if (n > 4)")
        self.assertEqual([site["line"] for site in self.arc(entries, "even", "odd")["sites"]], [first, first + 1])
        self.assertEqual(len(self.arc(entries, "main", "self")["sites"]), 2)
        entry = next(entry for entry in entries if entry["name"] == "self")
        self.assertNotIn("recursive_sites", entry)                      # direct recursion has no weight
        self.assertEqual([child["name"] for child in entry["children"]], ["work"])
        direct = json.loads(self.aprof("cycles", "--json"))["direct_recursion"]
        total = {row["name"]: row["total_ticks"] for row in json.loads(self.aprof("report", "--json"))["flat"]}
        self.assertEqual([(row["name"], row["calls"], row["samples"]) for row in direct], [("self", None, total["self"])])
        self.assertRegex(self.aprof("cycles"), r"(?m)^ +([\d,]+) of \1 samples in calls of itself: self$")

    def test_handler(self):
        self.record(HANDLER)
        entries = self.callgraph()
        self.check_sums(entries)
        line = line_of(HANDLER, "spin(0.002)")
        self.assertEqual([site["line"] for site in self.arc(entries, "handler", "spin")["sites"]], [line, line + 1])
        self.assertEqual(self.arc(entries, "busy", "(signal)")["sites"], [])
        self.assertEqual(self.arc(entries, "(signal)", "handler")["sites"], [])

    def test_inlined(self):
        """A routine that was inlined is called where its code stands, and calls where its source says."""
        spent = self.measured(self.record(INLINED, "--inlines"))
        os.unlink(os.path.join(self.path, "prog"))                      # the profile has the lines
        entries = self.callgraph()
        self.check_sums(entries)
        of_work = [spent[100000] + spent[200000], spent[300000] + spent[600000]]
        for caller, callee, first, true in ("outer", "middle", "middle(n);", [spent[-1], spent[-2]]), ("middle", "work", "work(n);", of_work):
            arc, line = self.arc(entries, caller, callee), line_of(INLINED, first)
            self.assertEqual([(site["line"], site["within"], site["through"]) for site in arc["sites"]], [(line, None, None), (line + 1, None, None)])
            self.are_shares(arc, true)
        self.assertEqual(self.arc(entries, "middle", "inner")["sites"], [])         # an inlined one in an inlined one: not told
        line = line_of(INLINED, "work(n);")
        self.assertRegex(self.aprof("annotate", "middle"), re.compile(rf" ms +{line}  +work\(n\);\n.* ms +{line + 1}  +work\(3 \* n\);$", re.M))
        costs = json.loads(self.aprof("annotate", "--json", "inner"))["annotate"][0]["lines"]
        self.assertEqual({cost["line"] for cost in costs}, {line_of(INLINED, "sink -= i")})

    def waiting(self, **environment):
        true = [float(word) for word in self.record(WAITS, "--clock=wall", env=dict(os.environ, **environment)).split()]
        arc = self.arc(self.callgraph(), "main", "wait")
        self.assertEqual([site["line"] for site in arc["sites"]], [line_of(WAITS, place) for place in ("wait(250000", "wait(200,", "wait(30000,")])
        self.are_shares(arc, true)

    def test_waiting(self):
        """Clock wall: who waits is charged by its place, too, as long as it waited, however often."""
        self.waiting()

    def test_waiting_by_looks(self):
        self.waiting(APROF_STACKS="ptrace")

    def test_stripped(self):
        """Nobody knows a line: places are addresses, those that the calls return to."""
        self.record(TWO, options=("-s",))
        places = [[site["address"] for site in arc["sites"]] for entry in self.callgraph() for arc in entry["children"] if arc["self_ns"]]
        code = subprocess.run(["objdump", "-d", "prog"], cwd=self.path, capture_output=True, text=True, check=True).stdout
        behind = {int(address, 16) for address in re.findall(r"\tcall .*\n +([0-9a-f]+):", code)}
        self.assertIn(3, [len(set(sites)) for sites in places])
        for sites in places:
            self.assertLessEqual(set(sites) - {None}, behind)
        self.assertRegex(self.aprof("report", "--sites"), r"\n +\d+±\d+ % .* at 0x[0-9a-f]+\n")

    def test_merge(self):
        self.record(TWO, data="one")
        self.record(TWO, data="two")
        self.aprof("merge", "--output=sum", "one", "two")
        key = lambda site: (site["line"], site["column"])
        sums = {}
        for name in ("one", "two"):
            for site in self.arc(self.callgraph(name), "both", "work")["sites"]:
                sums[key(site)] = sums.get(key(site), 0) + site["self_ns"]
        arc, both = self.arc(self.callgraph("sum"), "both", "work"), self.arc(self.callgraph("one", "two"), "both", "work")
        self.assertEqual(arc["sites"], both["sites"])
        self.assertEqual({key(site) for site in arc["sites"]}, set(sums))
        for site in arc["sites"]:
            self.assertLess(abs(site["self_ns"] - sums[key(site)]), 0.01 * arc["self_ns"])

    def test_compare(self):
        """Times alone are compared."""
        before = self.measured(self.record(TWO, data="one"))
        after = self.measured(self.record(TWO.replace("3 * n", "9 * n"), data="two"))
        text = self.aprof("diff", "--sites", "one", "two")
        self.assertNotRegex(text, r"\bcalls\b +\d|\b0 calls")
        self.assertRegex(text, r"both -> work at prog.c:\d+:11")
        worse = json.loads(self.aprof("check", "--sites", "--json", "one", "two", status=1))
        line = line_of(TWO, "work(n); ")
        found = {(found["site"]["line"], found["site"]["column"]) for found in worse["findings"] if found.get("caller") == "both" and found["time_worse"]}
        slower = {place for place, size in (((line, 2), 200000), ((line + 1, 2), 800000)) if after[size] > before[size]}     # the machine was, too
        self.assertEqual(found - slower, {(line, 11)})
        for found in worse["findings"]:
            self.assertEqual((found["base_calls"], found["new_calls"], found["calls_worse"]), (None, None, False))
        self.assertRegex(self.aprof("check", "--sites", "one", "two", status=1), r"both -> work at prog.c:\d+:11: self ")
        self.aprof("check", "--sites", "one", "one")

    def test_beside_hooks(self):
        """One run, two witnesses: what samples of the program's own monitor say of each place, and those from outside."""
        with open(os.path.join(self.path, "prog.c"), "w") as file:
            file.write(TWO)
        subprocess.run([os.path.join(BUILD, "aprof-cc"), "--aprof-sites", "-O1", "-g", "-fno-inline", "-o", "prog", "prog.c", "-lpthread"], cwd=self.path, check=True)
        spent = self.measured(self.aprof("run", "--stacks", "--no-report", "./prog"))
        hooks, stacks = self.callgraph("amon.out"), self.callgraph("--stacks", "amon.out")
        for caller, sizes in ("both", (200000, 600000, 800000)), ("thread", (700000, 350000)):
            exact, sampled = self.arc(hooks, caller, "work"), self.arc(stacks, caller, "work")
            self.assertEqual([site["line"] for site in sampled["sites"]], [site["line"] for site in exact["sites"]])
            for ours, theirs in zip(sampled["sites"], exact["sites"]):
                self.assertEqual((ours["calls"], theirs["calls"]), (None, 250))
            for arc in exact, sampled:
                self.are_shares(arc, [spent[size] for size in sizes])

    @unittest.skipUnless(shutil.which("perf"), "perf is not installed")
    def test_perf_data(self):
        """Stacks that perf recorded have their places, too, unwound or by frame pointers."""
        line = line_of(TWO, "work(n); ")
        for way, options in ("dwarf", ()), ("fp", ("-O0",)):
            prog = self.build(TWO, options=options)
            done = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "997", "--call-graph", way, "-o", "p.data", prog], cwd=self.path, capture_output=True, text=True)
            if done.returncode:
                self.skipTest("perf may not record here")
            entries = self.callgraph("p.data")
            self.check_sums(entries)
            arc = self.arc(entries, "both", "work")
            self.assertEqual([(site["line"], site["calls"]) for site in arc["sites"]], [(line, None), (line, None), (line + 1, None)])
            spent = self.measured(done.stdout)
            self.are_shares(arc, [spent[size] for size in (200000, 600000, 800000)])

    def test_files_without(self):
        """Stacks of other people's, without addresses, have none; and so it is said."""
        with open(os.path.join(self.path, "stacks.folded"), "w") as file:
            file.write("main;both;work 3\nmain;work 2\n")
        self.assertIn("call sites: none was kept with these call stacks\n", self.aprof("report", "--sites", "stacks.folded"))
        done = subprocess.run([APROF, "diff", "--sites", "stacks.folded", "stacks.folded"], cwd=self.path, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (2, "aprof: stacks.folded: no call sites were kept with its call stacks\n"))


if __name__ == "__main__":
    unittest.main()
