#!/usr/bin/env python3
"""sites_test.py BUILD [TEST...] - calls by call site (APROF_SITES=1, aprof run --sites, aprof-cc --aprof-sites) as the commands show them."""
import collections, json, os, re, subprocess, sys, unittest

sys.dont_write_bytecode = True           # the folder is the source's
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import here
import limits
from scratch import Scratch
from truth import agree

BUILD = os.path.abspath(sys.argv[1])

# Several calls of one routine in a line, a table, a tail call, direct recursion, and a caller without hooks between.
PROGRAM = r"""#include <stdlib.h>
#define N __attribute__((noinline, noclone))
static volatile long sink;
typedef long fn(int);
N long leaf(int n) { for (int i = 0; i < n; i++) sink += i; return n; }
N long other(int n) { return leaf(n / 2) + 1; }
N long tail(int n) { sink++; return leaf(n + 1); }
fn *volatile table[] = { leaf, other };
N long again(int n) { if (n < 1) return sink; sink = again(n - 1); sink += again(0); return sink + 1; }
N int by(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
N long work(int k)
{
	long s = leaf(1) + leaf(2) + leaf(3);
	s += table[k & 1](10);
	return s + tail(3) + 1;
}
int main(void)
{
	int some[] = { 3, 1, 2 };
	for (int i = 0; i < 100; i++)
		sink += work(i);
	sink += again(4);
	qsort(some, 3, sizeof *some, by);
	return 0;
}
"""



def at(line, text):
    """Where TEXT begins in LINE of PROGRAM: line and column, a tab being one."""
    return line, PROGRAM.splitlines()[line - 1].index(text) + 1


# By GCC at -O2, where tail's call is a jump: (caller, callee): {(line, column): calls}.
SITES = {
    ("work", "leaf"): {at(13, "leaf(1)"): 100, at(13, "leaf(2)"): 100, at(13, "leaf(3)"): 100, at(14, "table"): 50, at(15, "tail"): 100},
    ("work", "other"): {at(14, "table"): 50},
    ("work", "tail"): {at(15, "tail"): 100},
    ("other", "leaf"): {at(6, "leaf"): 50},
    ("main", "work"): {at(21, "work"): 100},
    ("again", "again"): {at(9, "again(n - 1)"): 4, at(9, "again(0)"): 4},
}


# A call in the caller's own file, and one in a file that is included in its middle.
LEAF = "N long leaf(long n) { sink += n; return n; }"
ELSEWHERE = r"""#define N __attribute__((noinline, noclone))
static volatile long sink;
%s
N long work(long n)
{
	long s = leaf(n) + 1;
#line 1000 "other.c"
	s += leaf(n + s) + leaf(n) + leaf(2 * n);
#line 9 "p.c"
	return s + 1;
}
int main(void)
{
	for (int i = 0; i < 10; i++)
		sink += work(i);
	return 0;
}
""" % LEAF


# Calls of one routine that ask for different amounts of work, in one line and in two.
TIMES = r"""#include <time.h>
#define N __attribute__((noinline, noclone))
static volatile long sink;
N long leaf(int n) { for (int i = 0; i < n; i++) sink += i; return n; }
N long both(int n) { return leaf(n) + leaf(4 * n) + 1; }
N long work(int n) { return both(n) + leaf(5 * n) + 2; }
int main(void)
{
	long s = 0;
	while (clock() < CLOCKS_PER_SEC) {
		s += work(10000);
		s += work(30000);
	}
	return s < 0;
}
"""

# As many calls from one place or from another.
TURNS = r"""#define N __attribute__((noinline, noclone))
static volatile long sink;
N long leaf(int n) { sink += n; return n; }
N long both(int other)
{
	long s = other ? 0 : leaf(1) + 1;
	s += other ? leaf(2) + 2 : 0;
	return s;
}
int main(int argc, char **argv)
{
	for (int i = 0; i < 10; i++)
		sink += both(argc > 1);
	return 0;
}
"""

# What GCC 12 makes of "sink = 1" in a routine with the hooks of way inline: one probe, one exit, and what leads out of line.
PLAIN_CODE = """
movq %fs:56+aprof_tls@tpoff, R
leaq leaf(%rip), R
leaq (R,R), R
imulq $-1640531535, R, R
movq R, R
shrq $29, R
andq %fs:8+aprof_tls@tpoff, R
addq %fs:aprof_tls@tpoff, R
movq (R), R
cmpq R, 16(R)
jne L
cmpq R, 24(R)
jne L
incq (R)
movq R, %fs:56+aprof_tls@tpoff
movl $1, sink(%rip)
movq R, %fs:56+aprof_tls@tpoff
ret
movq R, R
leaq 1f(%rip), R
jmp *aprof_inline_miss@GOTPCREL(%rip)
movq R, R
jmp L
"""

# Of a program that mixes: compiled with TOLD, the part that tells its call sites.
THREADS = r"""#include <pthread.h>
long told(long n);
#ifdef TOLD
__attribute__((noinline)) long leaf(long n) { __asm__ volatile("" : "+r"(n)); return n; }
long told(long n) { return leaf(n) + leaf(n + 1) + 1; }
#else
__attribute__((noinline)) long untold(long n) { __asm__ volatile("" : "+r"(n)); return n; }
static void *start(void *arg)
{
	long s = 0;
	for (int i = 0; i < 10000; i++)
		s += untold(i) + told(i);
	return s ? arg : 0;
}
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], 0, start, t);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	return 0;
}
#endif
"""


class Sites(Scratch):
    BUILD, PROGRAM = BUILD, PROGRAM

    def build(self, way="fentry", words=("-O2",), sources=("p.c",), program="p"):
        self.shell([os.path.join(BUILD, "aprof-cc"), "--aprof-way=" + way, *words, "-fno-inline", "-g", *sources, "-o", program], env={"APROF_CC": "gcc"})

    def places(self, entry, callee):
        if entry["name"] == callee:
            return entry["recursive_sites"]
        return next(child["sites"] for child in entry["children"] if child["name"] == callee)

    def skip_without_plugin(self):
        if not here.has_way(BUILD, "inline"):
            self.skipTest("aprof was built without its plugin")

    def build_inline(self, *words, **keys):
        """By way inline, with code that tells its call sites; skipped where aprof has no plugin."""
        self.skip_without_plugin()
        self.build("inline", ["--aprof-sites", "--aprof-verify", *words], **keys)

    def check_calls(self, profile="amon.out", tails=True):
        """The calls of each place are SITES's."""
        entries = {e["name"]: e for e in json.loads(self.aprof("report", "--sites", "--json", "--", profile))["callgraph"]}
        for (caller, callee), wanted in SITES.items():
            if (caller, callee) == ("work", "leaf") and not tails:
                wanted = {place: calls for place, calls in wanted.items() if place != at(15, "tail")}
            found = {(p["line"], p["column"]): p["calls"] for p in self.places(entries[caller], callee)}
            self.assertEqual(found, wanted, (caller, callee))
        for entry in entries.values():
            for child in entry["children"]:
                self.assertEqual(sum(p["calls"] for p in child["sites"]), child["calls"], (entry["name"], child["name"]))

    def test_inline(self):
        for words in (["-O0"], ["-O1"], ["-O2"], ["-O3"], ["-O2", "-static"], ["-O2", "-flto"], ["-O2", "--aprof-clock=tsc"], ["-O0", "--aprof-clock=tsc"]):
            with self.subTest(words=words):
                self.build_inline(*words)
                self.shell(["./p"])
                self.check_calls(tails=words[0] in ("-O2", "-O3"))

    def hooks_of(self, *words):
        """The instructions of a leaf that stores a word, by how often each is there, registers and labels being nameless."""
        with open(os.path.join(self.cwd, "leaf.c"), "w") as file:
            file.write("volatile int sink; void leaf(void) { sink = 1; }\n")
        self.build("inline", ["-O2", "-S", *words], sources=["leaf.c"], program="leaf.s")
        with open(os.path.join(self.cwd, "leaf.s")) as file:
            lines = [re.sub(r"^\t?1:\t?", "", line).split() for line in file if re.match(r"(1:)?\t[a-z]|1:", line)]
        return collections.Counter(" ".join(re.sub(r"%r(?!ip)\w+", "R", re.sub(r"\.L\w+", "L", word)) for word in words) for words in lines if words)

    def test_plain_code(self):
        """Without --aprof-sites a routine has these instructions of the hooks and no others; GCC's scheduler may move them."""
        self.build_inline("-O2")                # or skip
        plain, sites = self.hooks_of(), self.hooks_of("--aprof-sites")
        self.assertFalse([line for line in plain if "sites" in line or re.search(r"\b(80|88)\+aprof_tls", line)])
        self.assertTrue(any("aprof_inline_miss_sites@" in line for line in sites))
        if here.major() == "12":
            self.assertEqual(plain, collections.Counter(PLAIN_CODE.strip().split("\n")))

    @here.long
    def test_inline_verified(self):
        """Stacks, held against contexts as it runs, fit."""
        with open(os.path.join(self.cwd, "m.c"), "w") as file:
            file.write("#include <time.h>\nlong work(int k);\n"
                       "int main(void) { long s = 0; while (clock() < CLOCKS_PER_SEC) { s += work(1); s += work(2); } return s < 0; }\n")
        self.build_inline("-O2", "-c", "-Dmain=other_main", sources=["p.c"], program="p.o")
        self.build("inline", ["-O2", "--aprof-sites"], sources=["m.c", "p.o"], program="m")
        self.aprof("run", "--verify", "-o", "/dev/null", "./m")
        calls = [p["calls"] for e in json.loads(self.aprof("report", "--sites", "--json"))["callgraph"] if e["name"] == "main" for p in self.places(e, "work")]
        self.assertEqual(len(calls), 2)
        self.assertEqual(calls[0], calls[1])

    def check_times(self, json_text):
        """Times by place sum to the arc's; of TIMES each caller's calls take what the work that it asks for takes."""
        entries = {e["name"]: e for e in json.loads(json_text)["callgraph"]}
        for entry in entries.values():
            for arc in entry["children"] + entry["parents"]:
                if arc["sites"] and all(p["self_ns"] is not None for p in arc["sites"]) and sum(p["calls"] for p in arc["sites"]) == arc["calls"]:
                    for what in ("self_ns", "children_ns"):
                        self.assertEqual(sum(p[what] for p in arc["sites"]), arc[what], (entry["name"], arc))
        for caller, callee, shares in (("both", "leaf", [1 / 5, 4 / 5]), ("main", "work", [1 / 4, 3 / 4])):
            places = self.places(entries[caller], callee)
            times = [p["self_ns"] + p["children_ns"] for p in places]
            for place, time, share in zip(places, times, shares):
                agree(self, time / sum(times), share, place["error_ns"] / sum(times), places)
                self.assertTrue(0 < place["error_ns"] < sum(times) / 4, place)

    @here.long
    def test_times(self):
        """Time by call site: by each way, of a merged file, and with the program gone."""
        with open(os.path.join(self.cwd, "t.c"), "w") as file:
            file.write(TIMES)
        for way in ("fentry", "cyg"):
            with self.subTest(way=way):
                self.build(way, sources=["t.c"], program="t")
                self.shell(["./t"], env={"APROF_SITES": "1"})
                self.skip_without_samples()
                self.check_times(self.aprof("report", "--sites", "--json", "--", "amon.out"))
        self.build_inline("-O2", sources=["t.c"], program="t")
        self.shell(["./t"])
        before = self.aprof("report", "--sites", "--json", "--", "amon.out")
        self.check_times(before)
        self.aprof("merge", "-o", "sum", "amon.out", "amon.out")
        self.check_times(self.aprof("report", "--sites", "--json", "--", "sum"))
        callees = {c["name"]: c for c in json.loads(self.aprof("annotate", "--json", "both", "--", "amon.out"))["annotate"][0]["callees"]}
        sites = callees["leaf"]["call_sites"]
        self.assertEqual(sum(s["time_ns"] for s in sites), callees["leaf"]["time_ns"])
        agree(self, sites[1]["time_ns"], 4 / 5 * callees["leaf"]["time_ns"], sites[1]["error_ns"], sites)
        self.assertNotIn("~", "".join(line for line in self.aprof("annotate", "-b", "both", "--", "amon.out").splitlines() if "-> leaf" in line))
        self.aprof("export", "callgrind", "-o", "cg", "--", "amon.out")
        costs = self.costs_by_line(os.path.join(self.cwd, "cg"))
        arc = next(c for e in json.loads(before)["callgraph"] if e["name"] == "main" for c in e["children"] if c["name"] == "work")
        lines = {line: cost for (caller, callee, line), cost in costs.items() if (caller, callee) == ("main", "work")}
        self.assertEqual(sum(lines.values()), arc["self_ns"] + arc["children_ns"])
        self.assertEqual(len([line for line, cost in lines.items() if cost]), 2)

    @here.long
    def test_cycles(self):
        """Code that tells its call sites and reads the cycle counter: the time is charged where it belongs."""
        with open(os.path.join(self.cwd, "t.c"), "w") as file:
            file.write(TIMES)
        self.build_inline("-O2", "--aprof-clock=tsc", sources=["t.c"], program="t")
        self.shell(["./t"])
        report = json.loads(self.aprof("report", "--sites", "--json", "--", "amon.out"))
        self.assertEqual(report["run"]["clock"]["clock"], "tsc")
        flat = {r["name"]: r["self_ns"] for r in report["flat"]}
        self.assertGreater(flat["leaf"] / sum(flat.values()), 0.8, flat)
        arc = next(c for e in report["callgraph"] if e["name"] == "work" for c in e["children"] if c["name"] == "leaf")
        self.assertAlmostEqual(arc["self_ns"] / flat["leaf"], 1 / 2, delta=0.3)       # time in which others had the processor is in it
        self.assertEqual([len(self.places(e, "leaf")) for e in report["callgraph"] if e["name"] == "both"], [2])

    def skip_without_samples(self):
        """Where the machine gives no samples of program counters there is no time by call site."""
        if json.loads(self.aprof("info", "--json", "--", "amon.out"))["run"]["counts"]["pc_samples"] < 200:
            self.skipTest("no samples of program counters")

    def costs_by_line(self, path):
        """Of a file of callgrind: {(caller, callee, line): inclusive cost of calls}."""
        names, costs, caller, callee = {}, {}, None, None
        with open(path) as file:
            text = file.read().splitlines()
        for i, line in enumerate(text):
            if found := re.match(r"(c?)fn=\((\d+)\)(?: (.*))?", line):
                names.setdefault(found[2], found[3])
                caller, callee = (caller, names[found[2]]) if found[1] else (names[found[2]], None)
            elif re.match(r"calls=(\d+) ", line):
                at_line, cost = map(int, text[i + 1].split())
                costs[caller, callee, at_line] = costs.get((caller, callee, at_line), 0) + cost
        return costs

    def test_inline_library(self):
        """A shared library with hooks, called by a program with hooks, and by one that has none."""
        with open(os.path.join(self.cwd, "m.c"), "w") as file:
            file.write("long work(int k);\nint main(void) { long s = 0; for (int i = 0; i < 10; i++) { s += work(i); s += work(i); } return s < 0; }\n")
        self.build_inline("-O2", "-fPIC", "-shared", "-Dmain=other_main", sources=["p.c"], program="libp.so")
        for words in (["--aprof-sites"], []):
            with self.subTest(main_tells=bool(words)):
                self.build("inline", ["-O2", *words], sources=["m.c", "./libp.so", "-Wl,-rpath,."], program="m")
                self.shell(["./m"])
                entries = {e["name"]: e for e in json.loads(self.aprof("report", "--sites", "--json", "--", "amon.out"))["callgraph"]}
                self.assertEqual([p["calls"] for p in self.places(entries["main"], "work")], [10, 10])
                self.assertEqual(sum(p["calls"] for p in self.places(entries["work"], "leaf")), 90)

    def test_inline_threads(self):
        """Threads that begin before and after the first such code is entered, beside code that tells nothing."""
        with open(os.path.join(self.cwd, "m.c"), "w") as file:
            file.write(THREADS)
        self.build_inline("-O2", "-c", "-DTOLD", sources=["m.c"], program="told.o")
        self.build("inline", ["-O2", "-pthread"], sources=["m.c", "told.o"], program="m")
        self.shell(["./m"])
        entries = {e["name"]: e for e in json.loads(self.aprof("report", "--sites", "--json", "--", "amon.out"))["callgraph"]}
        self.assertEqual([p["calls"] for p in self.places(entries["told"], "leaf")], [40000, 40000])
        self.assertEqual([p["calls"] for p in self.places(entries["start"], "told")], [40000])
        self.assertEqual(next(c["calls"] for c in entries["start"]["children"] if c["name"] == "untold"), 40000)
        self.assertEqual(self.places(entries["start"], "untold"), [])

    def test_report(self):
        self.build()
        self.aprof("run", "--sites", "-o", "/dev/null", "./p")
        entries = {e["name"]: e for e in json.loads(self.aprof("report", "--sites", "--json"))["callgraph"]}
        for (caller, callee), wanted in SITES.items():
            found = {(p["line"], p["column"]): p["calls"] for p in self.places(entries[caller], callee)}
            self.assertEqual(found, wanted, (caller, callee))
        marks = {(p["line"], p["column"]): (p["by_pointer"], p["through"]) for p in self.places(entries["work"], "leaf")}
        self.assertEqual(marks[at(13, "leaf(1)")], (False, None))
        self.assertEqual(marks[at(14, "table")], (True, None))
        self.assertEqual(marks[at(15, "tail")], (False, "tail"))
        for entry in entries.values():
            for child in entry["children"]:
                self.assertEqual(sum(p["calls"] for p in child["sites"]), child["calls"])
        plain = self.places(entries["main"], "by")
        self.assertTrue(plain and all(p["within"] and os.path.basename(p["module"]).startswith("libc") for p in plain), plain)
        text = self.aprof("report", "-q", "-b", "--sites")
        self.assertIn("at p.c:14:7, through a pointer", text)
        self.assertIn("at p.c:15:13, by way of tail", text)

    def test_same_contexts(self):
        self.build()
        self.shell(["./p"], env={"APROF_SITES": "1", "APROF_OUT": "with"})
        self.shell(["./p"], env={"APROF_OUT": "without"})
        contexts = [re.sub(r"(?m)^(\d+ \d+) \S+", r"\1", self.aprof("contexts", "--", name)) for name in ("with", "without")]
        self.assertEqual(*(sorted(text.splitlines()) for text in contexts))

    def test_carried(self):
        """The program is gone: what is known of its places is in the profile."""
        self.build()
        self.aprof("run", "--sites", "-o", "/dev/null", "./p")
        before = self.aprof("report", "-q", "-b", "--sites", "--json")
        os.remove(os.path.join(self.cwd, "p"))
        after = json.loads(self.aprof("report", "-q", "-b", "--sites", "--json"))["callgraph"]
        self.assertEqual(after, json.loads(before)["callgraph"])

    def test_annotate(self):
        self.build()
        self.aprof("run", "--sites", "-o", "/dev/null", "./p")
        callees = {c["name"]: c for c in json.loads(self.aprof("annotate", "--json", "work"))["annotate"][0]["callees"]}
        for callee in ("leaf", "other", "tail"):
            found = {(s["line"], s["column"]): s["calls"] for s in callees[callee]["call_sites"]}
            self.assertEqual(found, SITES["work", callee])
        rows = re.findall(r"(\d+) +[\d.]+(?: \w+)? *~? +:(\d+) +-> leaf", self.aprof("annotate", "-b", "work"))
        self.assertEqual(rows[:3], [("100", str(at(13, "leaf(%d)" % i)[1])) for i in (1, 2, 3)])

    def test_callgrind(self):
        self.build()
        self.aprof("run", "--sites", "-o", "/dev/null", "./p")
        self.aprof("export", "callgrind", "-o", "cg")
        names, lines, caller, callee = {}, {}, None, None
        with open(os.path.join(self.cwd, "cg")) as file:
            text = file.read().splitlines()
        for i, line in enumerate(text):
            if found := re.match(r"(c?)fn=\((\d+)\)(?: (.*))?", line):
                names.setdefault(found[2], found[3])
                caller, callee = (caller, names[found[2]]) if found[1] else (names[found[2]], None)
            elif found := re.match(r"calls=(\d+) ", line):
                key = caller, callee, int(text[i + 1].split()[0])
                lines[key] = lines.get(key, 0) + int(found[1])
        for line, calls in {13: 300, 14: 50, 15: 100}.items():
            self.assertEqual(lines["work", "leaf", line], calls)
        self.assertEqual(sum(n for (a, b, _), n in lines.items() if (a, b) == ("work", "leaf")), 450)

    def test_callgrind_of_another_file(self):
        """A call that stands in an included file is on no line of the caller's own file, for which a viewer would take its number."""
        with open(os.path.join(self.cwd, "p.c"), "w") as file:
            file.write(ELSEWHERE)
        self.build()
        self.aprof("run", "--sites", "-o", "/dev/null", "./p")
        self.aprof("export", "callgrind", "-o", "cg")
        with open(os.path.join(self.cwd, "cg")) as file:
            text = file.read()
        own = ELSEWHERE.splitlines().index("N long work(long n)") + 1
        found = {int(line): int(calls) for calls, line in re.findall(r"(?m)^calls=(\d+) %d\n(\d+) " % (ELSEWHERE.splitlines().index(LEAF) + 1), text)}
        self.assertEqual(set(found) - {own, own + 1}, {own + 2}, text)
        self.assertEqual((found[own + 2], sum(found.values())), (10, 40))

    def test_dot(self):
        self.build()
        self.aprof("run", "--sites", "-o", "/dev/null", "./p")
        text = self.aprof("export", "dot", "--sites", "--min-percent=0")
        edges = [(edge, int(re.search(r"aprof_calls=(\d+)", edge)[1])) for edge in re.findall(r"r\d+ -> r\d+\s*\[[^]]*\]", text)]
        for line, calls in {13: [100, 100, 100], 14: [50, 50], 15: [100, 100]}.items():
            self.assertEqual(sorted(n for edge, n in edges if "p.c:%d" % line in edge), calls)
        self.assertNotIn("p.c:13", self.aprof("export", "dot", "--min-percent=0"))

    def recorded(self, name, text, *words):
        """The profile NAME.out of a program of TEXT, built where p.c stands."""
        with open(os.path.join(self.cwd, "p.c"), "w") as file:
            file.write(text)
        self.build(program=name)
        self.shell(["./" + name, *words], env={"APROF_SITES": "1", "APROF_OUT": name + ".out"})
        return name + ".out"

    def changes(self, *profiles):
        """Of each call site whose calls changed: caller, callee, line; calls of both sides."""
        diff = json.loads(self.aprof("diff", "--sites", "--json", *profiles))
        arcs = {(a["caller"], a["callee"]): a["calls"] for a in diff["arcs"]}
        for key, calls in arcs.items():
            sites = [s["calls"] for s in diff["call_sites"] if (s["caller"], s["callee"]) == key]
            for side in ("base", "new"):
                self.assertEqual(sum(s[side] for s in sites), calls[side], (key, side))
        for time in ("self", "total"):
            self.assertAlmostEqual(sum(s[time]["change_ns"] for s in diff["call_sites"]), sum(a[time]["change_ns"] for a in diff["arcs"]), delta=1)
        return {(s["caller"], s["callee"], s["site"] and s["site"]["line"]): (s["calls"]["base"], s["calls"]["new"])
                for s in diff["call_sites"] if s["calls"]["news"]}

    @here.long
    def test_diff(self):
        """A program that was edited: lines moved, a call of three in a line stands in the next, and one asks for more."""
        old = self.recorded("old", PROGRAM)
        self.assertEqual(self.changes(old, old), {})
        moved = self.recorded("moved", "/* by */\n\n" + PROGRAM.replace(" + leaf(3);", ";\n\ts += leaf(3);"))
        self.assertEqual(self.changes(old, moved), {})
        more = self.recorded("more", "/* by */\n\n" + PROGRAM.replace("again(4)", "again(5)"))
        self.assertEqual(self.changes(old, more), {("again", "again", 11): (4, 5)})
        text = self.aprof("diff", "--sites", old, more)
        self.assertRegex(text, r"Call sites by change of self time: 2 of 1\d changed")
        self.assertRegex(text, r" 5 +\+1 +again -> again at p.c:11:\d+\n")
        self.assertNotIn("Call sites", self.aprof("diff", old, more))

    @here.long
    def test_check(self):
        """As many calls of everything, but from another place: only call sites tell."""
        program = TURNS
        base, new = self.recorded("base", program), self.recorded("new", program, "other")
        self.assertIn("\n0 of ", "\n" + self.aprof("check", base, "--against", new))
        text = self.aprof("check", "--sites", base, "--against", new, status=1)
        self.assertRegex(text, r"(?m)^both -> leaf at p.c:7:\d+: calls 0 -> 10, \+10$")
        self.assertRegex(text, r"(?m)^both -> leaf at p.c:6:\d+: calls 10 -> 0, -10 \(fewer: no harm\)$")
        self.assertRegex(text, r"(?m)^0 of \d+ routines and 1 of \d+ call sites got worse")
        found = json.loads(self.aprof("check", "--json", "--sites", base, "--against", new, status=1))
        self.assertEqual([(f["caller"], f["site"]["line"], f["calls_worse"]) for f in found["findings"]], [("both", 7, True), ("both", 6, False)])
        self.assertIn("0 of ", self.aprof("check", "--sites", "--calls=ignore", base, "--against", new))

    def test_not_told(self):
        base = self.recorded("base", TURNS)
        self.shell(["./base"], env={"APROF_OUT": "plain.out"})
        for command in (["diff", "--sites", base, "plain.out"], ["check", "--sites", "plain.out", "--against", base]):
            done = limits.run([os.path.join(BUILD, "aprof"), *command], 120, cwd=self.cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertRegex(done.stderr.decode(), r"^aprof: plain.out: calls were not counted by site; .*\n$")

    def test_untold(self):
        self.build("cyg")
        self.aprof("run", "-o", "/dev/null", "./p")
        self.assertIn("call sites: none is known", self.aprof("report", "-q", "-b", "--sites"))

    @here.long
    def test_nothing_but_samples(self):
        """Code that does not tell its call sites, in a run that asks for them: samples of calls from nowhere are no reason to write so below each arc."""
        with open(os.path.join(self.cwd, "p.c"), "w") as file:
            file.write(TIMES)
        self.skip_without_plugin()
        self.build("inline")
        self.aprof("run", "--sites", "-o", "/dev/null", "./p")
        text = self.aprof("report", "-q", "-b", "--sites")
        self.assertIn("call sites: none is known; for inline hooks build with aprof-cc --aprof-sites", text)
        self.assertNotIn("at places that are not known", text)


unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
