#!/usr/bin/env python3
"""import_test.py BUILD - other people's files, opened by every command: folded stacks, perf script, pprof, perf.data, callgrind.out; wrong ones are refused in one line.

Environment: MUTATIONS, wrong bytes that are tried of each file (3000)."""
import collections, gzip, json, lzma, os, pathlib, random, re, shutil, struct, subprocess, sys, tempfile, unittest

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from protobuf import fields, packed  # noqa: E402

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
APROF, APROF_CC, MAKE_AMON, MUTATE = (BUILD / name for name in ("aprof", "aprof-cc", "src/contract/make-amon", "src/read/import/mutate_import"))

SCRIPT = """\
# ========
# captured on    : Tue Nov 24 16:45:00 2026
# ========
my server 12  392/393   30582.836273:     250000 cpu-clock:u: 
\t           15389 std::map<int, int>::at(int const&)+0x219 (/opt/lib (new)/liba.so (deleted))
\t            122a main+0x18 (/tmp/w)
\t      7fff000000 [unknown] (/tmp/w)

my server 12  392/393   30582.837273:     250000 cpu-clock:u: 
\tffffffff81000000 clear_page ([kernel.kallsyms])
\t            122a main+0x18 (/tmp/w)
\t      7fff000000 [unknown] ([unknown])

worker   392/394 [001]  30582.837517:     500000 cpu-clock:u: 
\t            1154 spin (inlined)
\t            1154 main+0x1b (/tmp/w)
\t      7fff000000 [unknown] (/tmp/w)

other   400/400 [001]  30582.837517:     1 sched:sched_switch: prev_comm=x prev_pid=3
\t            1154 main+0x1b (/tmp/w)

"""
PLAIN = """\
               w   398 30584.999026:     250000 cycles:      7f1884c81f02 spin+0x122 (/tmp/w)
               w   398 30584.999271:     750000 cycles:      7f1884c81ab0 work+0x110 (/tmp/w)
"""
RECURSION = """
#include <stdio.h>
volatile long sink;
#define N __attribute__((noinline, noclone))
N void spin(long n) { for (long i = 0; i < n; i++) sink += i; }
N void odd(int n);
N void even(int n) { spin(20000); if (n) odd(n - 1); sink++; }
N void odd(int n) { spin(20000); if (n) even(n - 1); sink++; }
int main(void) { for (int i = 0; i < 300; i++) even(60); return 0; }
"""


def perf_rows(report):
    """[children %, self %, lines] of each function of a report of perf's: it has a line for samples of the user's, and one for those below in the kernel."""
    rows = {}
    for line in report.splitlines():
        if line.count("|") == 2 and line[0] != "#":
            children, self_, name = (word.strip() for word in line.split("|"))
            sums = rows.setdefault(name.split("] ", 1)[-1], [0, 0, 0])
            sums[:] = sums[0] + float(children.rstrip("%")), sums[1] + float(self_.rstrip("%")), sums[2] + 1
    return rows


def tree(nodes):
    """The tree of JSON without what is counted, and what is not known of a file of other people's."""
    return [(n["name"], n["total_ns"], n["self_ns"], tree(n.get("children", []))) for n in nodes]


class Import(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()) if hasattr(self, "enterContext") else self.temporary())

    def temporary(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def write(self, name, content):
        (self.folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def run_(self, *command, status=0):
        done = subprocess.run([APROF, *command], cwd=self.folder, capture_output=True, text=True, env=dict(os.environ, LC_ALL="C.UTF-8"))
        self.assertEqual(done.returncode, status, (command, done.stdout, done.stderr))
        return done

    def out(self, *command):
        return self.run_(*command).stdout

    def json(self, command, *more):
        return json.loads(self.out(command, "--json", *more))

    def flat(self, name):
        return {r["name"]: r for r in self.json("report", name)["flat"]}

    def made(self, name, *options):
        subprocess.run([MAKE_AMON, *options, name], cwd=self.folder, check=True)
        return name

    def recorded(self):
        """A run with hooks, whose recursion folds."""
        self.write("w.c", RECURSION)
        subprocess.run([APROF_CC, "-O1", "-g", "-o", "w", "w.c"], cwd=self.folder, check=True)
        self.out("run", "--data=w.amon", "-o", "/dev/null", "./w")
        return "w.amon"

    def refused(self, name, *words):
        error = self.run_("report", name, status=2).stderr
        self.assertEqual(error.count("\n"), 1, error)
        for word in words:
            self.assertIn(word, error)


class Folded(Import):
    def test_round_trip(self):
        for name in self.recorded(), self.made("random.amon", "--routines", "5", "--threads", "2", "--calls", "900"):
            first = self.out("export", "folded", name)
            self.write("first.folded", first)
            self.assertEqual(self.out("export", "folded", "first.folded"), first)
            self.assertTrue(first)

    def test_same_tree_and_totals(self):
        name = self.recorded()
        self.write("w.folded", self.out("export", "folded", name))
        self.assertIn("(folded calls)", (self.folder / "w.folded").read_text())
        for there, here in ((self.flat(name), self.flat("w.folded")),):
            self.assertEqual({n: (r["self_ns"], r["total_ns"]) for n, r in there.items() if r["total_ns"]},
                             {n: (r["self_ns"], r["total_ns"]) for n, r in here.items()})
            self.assertEqual({r["calls"] for r in here.values()}, {None})

    def test_samples(self):
        name = self.write("a.txt", "# made by hand\nmain;parse 30\n\nmain;parse;next 69.5\nmain;a\\x3bb\\\\c 0.5\n")
        flat = self.flat(name)
        self.assertEqual({n: (r["self_ns"], r["self_ticks"]) for n, r in flat.items()},
                         {"main": (0, 0), "parse": (30, 30), "next": (70, 70)})
        self.assertIn("total       100, all of it in routines\nvalue       samples; 100 samples; a share of 10 % is", self.out("report", name))
        self.assertIn("folded stacks", self.out("info", name))

    def test_compressed(self):
        self.write("a", "main;parse 30\n")
        subprocess.run(["gzip", "a"], cwd=self.folder, check=True)
        self.assertEqual(self.flat("a.gz")["parse"]["self_ns"], 30)
        data = (self.folder / "a.gz").read_bytes()
        self.write("cut.gz", data[:-6])
        self.refused("cut.gz", "cut.gz", "byte")

    def test_every_command(self):
        name = self.write("a.folded", "main;a;b 3\nmain;c 5\nmain 1\n")
        self.write("b.folded", "main;a;b 3\nmain;c 9\nmain 1\n")
        for command in ("report", "tree", "cycles", "contexts", "paths", "hot", "info", "compare-models"):
            self.assertTrue(self.out(command, name), command)
            json.loads(self.out(command, "--json", name))
        for format_ in ("callgrind", "pprof", "speedscope", "firefox", "folded", "dot", "json", "csv"):
            self.out("export", format_, name, "-o", "out." + format_)
        self.out("html", "-o", "a.html", name)
        self.assertIn("c", self.out("diff", "--all", name, "b.folded"))
        self.out("merge", "-o", "sum.amon", name, "b.folded")
        sums = self.flat("sum.amon")
        self.assertEqual({n: r["self_ns"] for n, r in sums.items()}, {"main": 2, "a": 0, "b": 6, "c": 14})
        self.assertEqual(self.json("report", "sum.amon")["run"]["imported"]["format"], "folded stacks")

    def test_deep(self):
        name = self.write("deep.folded", ";".join(f"f{i}" for i in range(70000)) + " 7\n")
        self.assertEqual(self.flat(name)["f69999"]["self_ns"], 7)
        self.assertIn("(truncated)", self.flat(name))

    def test_wrong(self):
        self.refused(self.write("a", "main;a 1\n" * 1000 + "main;b\n" * 1001), "a: line 1001", "not a stack with a number behind it, as most of its lines", "main;b")
        self.refused(self.write("b", "main;a 9000000000000000000\n" * 3), "add up to more than 2^64")
        self.refused(self.write("c", "1 2\n3 4\n"), "neither a profile")
        self.refused(self.write("d", "a word and a number 4\n"), "neither a profile")
        self.refused(self.write("e", ""), "empty")
        for name, text in ("g", "main;a 1\nmain;b\nmain;c 2\n"), ("h", "main;a 1\nmain;c 2\nmain;b"):
            done = self.run_("report", "-b", self.write(name, text))
            self.assertIn("1 line that is not a stack with a number behind it is passed over; the first is line %d: main;b" % (text.count("\n", 0, text.index("main;b")) + 1),
                          done.stderr)
            self.assertIn("total       3,", done.stdout)
        self.assertIn("may be cut off", done.stderr)

    def test_one_unit(self):
        """However large the numbers of a file are, they are what those of the others are."""
        self.write("a", "main;a 9000\nmain;b 9500\n")
        self.write("b", "main;a 10000\nmain;b 10500\n")
        self.assertRegex(self.out("diff", "a", "b"), r"(?m)^change +\+2.00 k \(\+10.8 %\)")
        self.out("merge", "-o", "sum.amon", "a", "b")
        self.assertEqual({n: r["self_ns"] for n, r in self.flat("sum.amon").items()}, {"main": 0, "a": 19000, "b": 20000})

    def test_streams(self):
        """Standard input, and pipes as the shell makes them."""
        self.write("a", "main;a 1\nmain;b 2\n")
        for command in "cat a | %s report --flat -b -", "%s report --flat -b - <a", "bash -c '%s report --flat -b <(cat a)'":
            done = subprocess.run(command % APROF, shell=True, cwd=self.folder, capture_output=True, text=True)
            self.assertIn("total       3,", done.stdout, (command, done.stderr))
        self.assertIn("file        standard input: folded stacks", subprocess.run([APROF, "report", "-"], input="main;a 1\n", capture_output=True, text=True).stdout)
        done = subprocess.run([APROF, "report", "-"], input="", capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (2, "aprof: standard input: empty, so no profile\n"))
        done = subprocess.run(["bash", "-c", f"{APROF} diff <(cat a) <(sed s/1/4/ a)"], cwd=self.folder, capture_output=True, text=True)
        self.assertRegex(done.stdout, r"(?m)^change +\+3 \(")

    def test_mark(self):
        """Some editors begin a text with a mark."""
        flat = self.flat(self.write("a", "\ufeffmain;a 1\nmain;b 2\n"))
        self.assertEqual(flat["main"]["total_ns"], 3)
        for text in "main;a 1\nmain;b 2\n", "main;\U0001f600 1\r\nmain;b 2\r\n":
            for order in "utf-16", "utf-16-be":
                wide = self.write("wide", (b"\xfe\xff" if order == "utf-16-be" else b"") + text.encode(order))
                self.assertEqual({n: r["self_ns"] for n, r in self.flat(wide).items()}, {"main": 0, text[5]: 1, "b": 2})
        twice = self.write("twice", gzip.compress(lzma.compress(wide_bytes := (self.folder / "wide").read_bytes())))
        self.assertEqual((self.flat(twice)["b"]["self_ns"], len(wide_bytes) > 30), (2, True))

    def test_packed(self):
        """What holds files, and is not looked into, is told."""
        for content, kind in (b"PK\3\4" + bytes(40), "a zip archive"), (b"BZh9" + bytes(40), "compressed by bzip2"), (b"x" * 257 + b"ustar\0" + bytes(300), "a tar archive"):
            self.refused(self.write("a", content), "a: " + kind)

    def test_numbers(self):
        """As flamegraph.pl and awk take and print them; blanks before and behind, and a byte that is no text."""
        for text in "main;a\t1000\nmain;b\t2\n", "  main;a 1e3\n main;b 2.0  \n", "main;a 1.0e+03\nmain;b +2\n", "main;a 1000\nmain;b 2\n\x1a":
            self.assertEqual({n: r["self_ns"] for n, r in self.flat(self.write("a", text)).items()}, {"main": 0, "a": 1000, "b": 2}, text)

    def test_many_frames(self):
        many = ";".join(f"f{i % 300}" for i in range(60000))
        self.write("f", (many + ";" + ";".join(f"g{i}" for i in range(5000)) + " 1\n") * 2)
        self.out("report", "f")


# Names with numbers, positions relative to the last ones, an included file, a jump, a callee of the file at hand, two parts; costs left out are 0.
CALLGRIND = """\
# callgrind format
version: 1
creator: by hand
pid: 77
cmd: ./prog  -x a:b
part: 1
desc: I1 cache: none
positions: instr line
events: Ir Dr

ob=(1) /bin/prog
fl=(1) prog.c
fn=(1) main
0x1000 10 5 1
+4 +2 3
cob=(2) /lib/l.so
cfi=(2) leaf.c
cfn=(2) leaf
calls=2 0x5000 3
* * 40 2
cfn=(3) near(int, a::b)
calls=3 0x2000 20
+4 +1 100
jump=4 0x1000 10
0x1010 14
fn=(3)
0x2000 20 10
fi=(3) far.h
+4 5 7 1
fe=(1)
+4 22 3
cfn=(3)
calls=6 +0 20
* 22 60
cob=(2)
cfi=(2)
cfn=(2)
calls=4 0x5000 3
+4 +1 80

ob=(2)
fl=(2)
fn=(2)
0x5000 3 60 2
0x5004 4 60
totals: 148 4
part: 2
fn=(2)
0x5000 3 10
totals: 10 0
"""
CYCLE = """\
events: Time_(10ns) Memory_(bytes)
fl=a
fn=main
1 10 0
cfn=odd
calls=1 5
2 200 0
fn=odd
5 20 0
cfn=even
calls=7 9
6 900 0
fn=even
9 70 0
cfn=odd
calls=6 5
10 700 0
cfn=leaf
calls=7 20
11 110 0
fn=leaf
20 110 0
"""


class Callgrind(Import):
    def arcs(self, name):
        """(caller, callee) -> calls and time, of those that have a time."""
        return {(p["name"], e["name"]): (p["calls"], p["children_ns"]) for e in self.json("report", name)["callgraph"] if "name" in e for p in e["parents"]
                if p["children_ns"]}

    def test_fields(self):
        name = self.write("cg", CALLGRIND)
        flat = self.flat(name)
        self.assertEqual({n: (r["self_ns"], r["total_ns"], r["calls"], r["recursive"], r["module"], r["file"], r["line"]) for n, r in flat.items()}, {
            "main": (8, 148, 0, 0, "/bin/prog", "prog.c", 10), "near(int, a::b)": (20, 100, 3, 6, "/bin/prog", "prog.c", 20),
            "leaf": (130, 130, 6, 0, "/lib/l.so", "leaf.c", 3)})
        self.assertEqual(self.arcs(name), {("main", "leaf"): (2, 40), ("main", "near(int, a::b)"): (3, 100), ("near(int, a::b)", "leaf"): (4, 80),
                                           (None, "main"): (0, 148), (None, "leaf"): (0, 10)})
        report = self.run_("report", name)
        self.assertIn("value       Ir, in instructions\n            --value=NAME shows another value: Dr\n", report.stdout)
        self.assertIn("15 along 4 arcs; the file has no contexts", report.stdout)
        self.assertEqual({r["name"]: (r["self_ns"], r["total_ns"]) for r in self.json("report", "--value=Dr", name)["flat"]},
                         {"main": (1, 3), "near(int, a::b)": (1, 1), "leaf": (2, 2)})
        self.assertEqual([(f["pid"], f["program"]) for f in self.json("report", name)["run"]["files"]], [(77, "./prog")])
        self.assertNotIn("add up", report.stderr)
        self.assertIn("its lines add up to 148 Ir, which it says are 150", self.run_("report", self.write("b", CALLGRIND.replace("totals: 148", "totals: 150"))).stderr)

    def test_names_that_are_not_told(self):
        flat = self.flat(self.write("a", "events: cpu(ns)\nob=\nfl=\nfn=(1) work\n1 700\n\nob=\nfl=\nfn=(2) main\n2 300\ncob=\ncfl=\ncfn=(1)\ncalls=1 1\n2 700\n"))
        self.assertEqual({n: (r["self_ns"], r["total_ns"]) for n, r in flat.items()}, {"work": (700, 700), "main": (300, 1000)})

    def test_units(self):
        """Times are times whatever they are counted in, and nothing else is added to them, or compared."""
        for unit, nsec in ("ns", 1), ("us", 1000), ("µs", 1000), ("10ns", 10):
            self.assertEqual(self.flat(self.write("time", f"events: Time_({unit})\nfn=f\n1 5\n"))["f"]["self_ns"], 5 * nsec, unit)
        for head in "version: 1\ncreator: xdebug 2.9.8 (PHP 7.4.0)\n", "version: 0.9.6\n":                # Xdebug 2 does not say that its times are in us
            old = self.write("old", head + "events: Time Memory\n\nfl=a.php\nfn=f\n3 5 70\n")
            self.assertEqual([(v["value"], v["unit"]) for v in self.json("info", old)["values"]], [("Time", "ns"), ("Memory", "bytes")])
            self.assertEqual(self.flat(old)["f"]["self_ns"], 5000)
        self.assertEqual(self.json("info", self.write("other", "version: 1\ncreator: me\nevents: Time\nfn=f\n1 5\n"))["values"][0]["unit"], "count")
        bytes_ = self.write("bytes", "events: Memory_(bytes)\nfn=f\n1 5000\n")
        self.assertIn("total       5.000 kB,", self.out("report", bytes_))
        for command in ["merge", "-o", "sum"], ["diff"], ["report"]:
            words = [command[0], *command[1:], "time", *(["--against"] if command[0] == "check" else []), bytes_]
            error = self.run_(*words, status=2).stderr
            self.assertRegex(error, r"\Aaprof: bytes has Memory, in bytes, and time has Time, a time: unlike things are not (added up|compared)\n\Z")

    def test_cycle(self):
        """Of routines that call each other in a circle arcs have what the file says, and totals no more than the circle."""
        name = self.write("cg", CYCLE)
        self.assertEqual({n: (r["self_ns"], r["total_ns"]) for n, r in self.flat(name).items()},
                         {"main": (100, 2100), "odd": (200, 2000), "even": (700, 2000), "leaf": (1100, 1100)})
        self.assertEqual(self.arcs(name), {("main", "odd"): (1, 2000), ("odd", "even"): (7, 9000), ("even", "odd"): (6, 7000), ("even", "leaf"): (7, 1100),
                                           (None, "main"): (0, 2100)})
        self.assertIn("clock       Time, a time\n            --value=NAME shows another value: Memory\n", self.out("report", name))
        self.assertIn("Time (ns, exact), Memory (bytes, exact)", self.out("info", name))

    def test_circle_of_all(self):
        """A program whose routines are one circle, as by virtual calls, but are hardly ever under way twice: totals are what the calls cost."""
        name = self.write("cg", "events: Ir\nfn=main\n1 5\ncfn=a\ncalls=1 1\n1 600\ncfn=b\ncalls=1 1\n2 395\nfn=a\n1 100\ncfn=b\ncalls=2 1\n1 500\nfn=b\n"
                          "1 875\ncfn=a\ncalls=1 1\n1 20\n")
        self.assertEqual({n: r["total_ns"] for n, r in self.flat(name).items()}, {"main": 1000, "a": 620, "b": 895})

    def lines(self, routine, *files):
        """Line -> ns of its own, and the calls that stand there, as annotate has them."""
        (told,) = self.json("annotate", routine, *files)["annotate"]
        return {line["line"]: line["self_ns"] for line in told["lines"] if line["self_ns"]}, {(at, c["name"]) for c in told["callees"] for at in c["call_lines"]}

    def test_lines(self):
        """Costs of lines are kept, and where calls stand: annotate has them, and the export."""
        self.write("prog.c", "".join(f"line {i}\n" for i in range(1, 40)))
        self.write("far.h", "".join(f"far {i}\n" for i in range(1, 40)))
        name = self.write("cg", CALLGRIND)
        for file in name, "again", "sum.amon":
            if file == "again":
                self.out("export", "callgrind", name, "-o", file)
            elif file == "sum.amon":
                self.out("merge", "-o", file, name)
            costs, calls = self.lines("main", file)
            self.assertEqual(costs, {10: 5, 12: 3}, file)
            self.assertEqual(calls, {(12, "leaf"), (13, "near(int, a::b)")} if file != "again" else {(10, "leaf"), (10, "near(int, a::b)")}, file)
            costs, _ = self.lines("near", file)
            self.assertEqual(costs, {20: 10, 22: 3}, file)              # 7 are at a line of far.h
        self.assertIn("fi=(", (self.folder / "again").read_text())
        # Of each event its own.
        self.assertEqual([self.lines(n, "--value=Dr", name)[0] for n in ("main", "near")], [{10: 1}, {}])
        self.assertEqual(self.lines("main", "--value=Dr", name)[1], self.lines("main", name)[1])
        # Costs beyond 32 bits stay what they are beside each other.
        huge = self.write("huge", f"events: Ir\nfl=prog.c\nfn=main\n3 {6 << 33}\n4 {2 << 33}\n")
        self.assertEqual(self.lines("main", huge)[0], {3: 6 << 33, 4: 2 << 33})

    def test_page(self):
        """The page has routines and arcs, and no sheet of contexts."""
        self.out("html", "-o", "x.html", self.write("cg", CALLGRIND))
        self.assertIn(b"<title>aprof", (self.folder / "x.html").read_bytes())

    def test_calls_that_were_not_counted(self):
        """Readers take a cost behind calls=0 for the caller's own: each arc has a call, and aprof knows that it is none."""
        self.out("export", "callgrind", self.write("a.folded", "main;a;b 3000000000\nmain;c 5000000000\nmain 1000000000\n"), "-o", "cg")
        self.assertNotIn("calls=0", (self.folder / "cg").read_text())
        self.assertEqual({n: (r["self_ns"], r["total_ns"], r["calls"]) for n, r in self.flat("cg").items()},
                         {n: (r["self_ns"], r["total_ns"], r["calls"]) for n, r in self.flat("a.folded").items()})
        if shutil.which("callgrind_annotate"):
            shown = subprocess.run(["callgrind_annotate", "--auto=no", "--show-percs=no", "cg"], cwd=self.folder, capture_output=True, text=True, check=True).stdout
            self.assertEqual(dict(re.findall(r"^ *([\d,]+) +\?\?\?:(\w+)", shown, re.M)), {"5,000,000,000": "c", "3,000,000,000": "b", "1,000,000,000": "main"})

    def test_odd_lines(self):
        """Lines of other writers are passed over, and told."""
        name = self.write("cg", "events: Ir\nfn=main\n1 5\nfrfn=x\nsome words\ncfn=a\nrcalls=3 7\n1 40\nfn=a\n7 40\n")
        error = self.run_("report", name).stderr
        self.assertIn("2 lines that are not of callgrind's format are passed over; the first is line 4: frfn=x", error)
        self.assertEqual(self.arcs(name)[("main", "a")], (3, 40))

    def test_every_command(self):
        a, b = self.write("a", CALLGRIND), self.write("b", CALLGRIND.replace("0x5000 3 60 2", "0x5000 3 6000 2").replace("totals: 148", "totals: 6088"))
        for command in ("report", "hot", "info"):
            self.assertTrue(self.out(command, a), command)
            self.json(command, a)
        self.assertNotIn("sequence", self.out("hot", a))
        for format_ in ("callgrind", "dot", "csv", "json"):
            self.out("export", format_, a, "-o", "out." + format_)
        self.assertEqual(self.out("export", "csv", "--table=arcs", a).splitlines()[1], '"main","leaf",2,,40,,40,0')
        self.assertIn("leaf", self.out("diff", "--all", a, b))
        self.out("merge", "-o", "sum.amon", a, b)
        self.assertEqual(self.flat("sum.amon")["leaf"]["self_ns"], 6200)
        self.assertEqual(self.arcs("sum.amon")[("main", "leaf")], (4, 80))
        for command in (("tree",), ("contexts",), ("paths",), ("cycles",), ("compare-models",), ("export", "folded"), ("export", "pprof"),
                        ("export", "csv", "--table=contexts"), ("report", "--focus=leaf"), ("report", "--comm=x")):
            error = self.run_(*command, a, status=2).stderr
            self.assertIn("without contexts", error, command)
        self.made("m.amon", "--paper", "5")
        self.assertIn("m.amon has CPU time, and a has Ir, in instructions: unlike things", self.run_("merge", "-o", "x.amon", a, "m.amon", status=2).stderr)

    def test_round_trip(self):
        """What aprof exports: times and calls of all routines and arcs."""
        for name in self.recorded(), self.made("random.amon", "--routines", "5", "--threads", "2", "--calls", "900"), self.made("paper.amon", "--paper", "5"):
            self.out("export", "callgrind", name, "-o", "cg")
            there, here = self.flat(name), self.flat("cg")
            self.assertEqual({n: (r["self_ns"], r["calls"], r["recursive"], r["file"], r["line"]) for n, r in there.items() if r["calls"]},
                             {n: (r["self_ns"], r["calls"], r["recursive"], r["file"], r["line"]) for n, r in here.items() if r["calls"]})
            self.assertEqual({n: r["total_ns"] for n, r in there.items()}, {n: r["total_ns"] for n, r in here.items()})
            self.out("export", "callgrind", "cg", "-o", "again")
            self.assertEqual(self.flat("again"), here)
            self.assertEqual(self.arcs("again"), self.arcs("cg"))

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
    def test_equals_callgrind_annotate(self):
        """Self and inclusive costs of a real run, of each routine; in a circle callgrind_annotate may count some twice or more."""
        self.write("w.c", RECURSION.replace("300; i++", "2; i++").replace("20000", "200"))
        subprocess.run(["cc", "-O1", "-g", "-o", "w", "w.c"], cwd=self.folder, check=True)
        subprocess.run(["valgrind", "-q", "--tool=callgrind", "--cache-sim=yes", "--collect-jumps=yes", "--dump-instr=yes", "--callgrind-out-file=cg", "./w"],
                       cwd=self.folder, check=True)
        members = {"odd", "even", "odd'2", "even'2"}
        flat = {}
        for r in self.json("report", "cg")["flat"]:
            flat.setdefault(r["name"], []).append(r)
        for option, key in ("--inclusive=no", "self_ns"), ("--inclusive=yes", "total_ns"):
            shown = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", "--show-percs=no", "--show=Ir", option, "cg"], cwd=self.folder,
                                   capture_output=True, text=True, check=True).stdout
            costs = {}                              # a line for each file whose code is in the routine
            for cost, name in re.findall(r"^ *([\d,]+) +[^:\n]*:(\S+?)(?: \[.*\])?$", shown, re.M):
                costs.setdefault(name, []).append(int(cost.replace(",", "")))
            same = {name: sum(c) if key == "self_ns" else max(c) for name, c in costs.items() if len(flat.get(name, [])) == 1 and name not in members}
            self.assertEqual({name: flat[name][0][key] for name in same}, same, option)
            self.assertGreater(len(same), 100)

    def test_wrong(self):
        for content, *words in ((CALLGRIND.replace("0x1000 10 5 1", "0x1000 10 5 1 7"), "line 14", "more costs than events"),
                                (CALLGRIND.replace("0x1000 10 5 1", "0x1000 ten"), "line 14", "no position"),
                                (CALLGRIND.replace("0x1000 10 5 1", "0x1000 10 five"), "no cost"), (CALLGRIND.replace("fn=(3)\n0x2000", "fn=(9)\n0x2000"), "not given before"),
                                (CALLGRIND.replace("version: 1", "version: 2"), "line 2", "version"),
                                (CALLGRIND.replace("calls=3 0x2000 20", "calls=x"), "number of calls"), (CALLGRIND[:CALLGRIND.index("* * 40")], "no costs after calls"),
                                ("events: Ir\n1 2\n", "line 2", "before the line `fn=`"), ("events:\n", "no event"), ("version: 1\ncmd: x\nevents: A\n", "without a stack"),
                                (CALLGRIND[:CALLGRIND.index("10 5 1")], "line 14", "cut off"), (CALLGRIND.replace("part: 2", "events: Dw"), "another event")):
            self.refused(self.write("a", content), "a: ", *words)


class Script(Import):
    def test_fields(self):
        name = self.write("a.txt", SCRIPT)
        report = self.json("report", name)
        flat = {r["name"]: r for r in report["flat"]}
        self.assertEqual({n: (r["self_ns"], r["total_ns"], r["total_ticks"]) for n, r in flat.items()}, {
            "std::map<int, int>::at(int const&)": (250000, 250000, 1), "main": (0, 1000000, 3), "clear_page": (250000, 250000, 1),
            "spin": (500000, 500000, 1), "[w]": (0, 750000, 2), "[unknown]": (0, 250000, 1)})
        self.assertEqual(flat["std::map<int, int>::at(int const&)"]["module"], "/opt/lib (new)/liba.so (deleted)")
        self.assertEqual(report["run"]["files"][0]["pid"], 392)
        threads = {(t["tid"], t["name"]) for t in self.json("info", name)["threads"]}
        self.assertEqual(threads, {(393, "my server 12"), (394, "worker"), (400, "other")})
        self.assertIn("CPU time", report["run"]["imported"]["unit"])
        other = self.json("report", "--value=sched:sched_switch", name)
        self.assertEqual({r["name"]: (r["self_ns"], r["self_ticks"]) for r in other["flat"] if r["self_ns"]}, {"main": (1, 1)})
        self.assertEqual(other["run"]["value"], {"value": "sched:sched_switch", "unit": "count", "sampled": True})

    def test_without_module(self):
        """What has no module can be exported to callgrind, and opened again."""
        self.out("export", "callgrind", self.write("a.txt", SCRIPT), "-o", "cg")
        self.assertEqual(self.flat("cg")["[unknown]"]["total_ns"], 250000)

    def test_cut_off(self):
        for name, text in ("a.txt", SCRIPT.rstrip("\n")), ("a.folded", "a;b 3\na 12"):
            self.assertIn("its last line, %d, has no end" % len(text.split("\n")), self.run_("report", self.write(name, text)).stderr)

    def test_without_call_chains(self):
        flat = self.flat(self.write("a.txt", PLAIN))
        self.assertEqual({n: r["self_ns"] for n, r in flat.items()}, {"spin": 250000, "work": 750000})
        self.assertIn("total       1.000 M cycles, all of it in routines\nvalue       cycles; 2 samples", self.out("report", "a.txt"))

    def test_wrong(self):
        done = self.run_("report", self.write("a", SCRIPT + "nothing that perf prints\n"))
        self.assertIn("1 line that is not a sample or a frame as perf script prints them is passed over; the first is line 22: nothing that perf prints", done.stderr)
        self.refused(self.write("b", "app 7 1.000000: 250000 cycles: \n\n" * 3), "do not say where they were: perf script -F +ip,sym")

    def test_names_like_numbers(self):
        """Threads whose names look like addresses, or end with numbers; without names, or numbers; and processes that are none."""
        line = "%s     %d.001000:     250000 cpu-clock:  401000 f+0x1 (/l)\n"
        for name in "dd", "ed", "bc", "Worker 2", "7":
            text = "".join(line % (f"{name:>16} 7", second) for second in range(30))
            report = self.json("report", self.write("a.txt", text))
            self.assertEqual({r["name"]: r["total_ticks"] for r in report["flat"]}, {"f": 30}, name)
            self.assertEqual({(t["tid"], t["name"]) for t in self.json("info", "a.txt")["threads"]}, {(7, name)})
        for whose in "", "sort", "392/393", "sort -1", "sort -1/-1", "sort 7 [003]":
            report = self.json("report", self.write("a.txt", line % (whose, 5) + line % (whose, 6)))
            self.assertEqual({r["name"]: r["total_ticks"] for r in report["flat"]}, {"f": 2}, whose)

    def test_hybrid(self):
        """Each kind of cores has an event of its own: they are one value."""
        line = "app 7 1.000000:     %d %s:  401000 %s+0x1 (/app)\n"
        for core, atom, name in ("cpu_core/cycles/", "cpu_atom/cycles/", "cycles"), ("cpu_core/cycles/u", "cpu_atom/cycles/u", "cycles:u"):
            file = self.write("a.txt", line % (300, core, "f") + line % (200, atom, "f") + line % (100, atom, "g"))
            self.assertEqual({n: r["self_ns"] for n, r in self.flat(file).items()}, {"f": 500, "g": 100})
            self.assertEqual(self.json("report", file)["run"]["value"]["value"], name)

    def test_any_fields(self):
        """Whatever of its fields perf was asked for: none that says whose a sample is, what it is of, what was at work."""
        frames, line, once = "\t          401000 f+0x1 (/l)\n\t          402000 main+0x1 (/l)\n\n", "401000 f+0x1 (/l)", {"f": (1, 1), "main": (0, 1)}
        times = lambda stack, n: {name: (own * n, total * n) for name, (own, total) in stack.items()}
        for head, amount in (("", 1), ("app \n", 1), ("cycles: \n", 1), ("app cycles: \n", 1), ("   250000 \n", 1), ("    250000 \n", 250000), ("app     250000 cycles: \n", 250000),
                             ("app 7/7 [000] d..1. 1.000000: 250000 cycles: \n", 250000), ("1.000000: \n", 1), ("app     7 \n", 1), ("  100 1.000000: 250000 cycles: \n", 250000)):
            self.assertEqual({n: (r["self_ns"], r["total_ns"]) for n, r in self.flat(self.write("a", head + frames)).items()}, times(once, amount), head)
        for text, amount in ((f"          {line}\n", 1), (f"app 7/7 1.000000: 250000 page-faults:     7f0012345000 {line}\n", 250000),
                             (f"app 7/7 1.000000: 250000 cycles:  {line} insn: 48 89 c7\n", 250000), (f"app 7/7 1.000000: 250000 cycles:  {line}  main+0x3/f+0x0/P/-/-/0 \n", 250000),
                             (f"app 7/7 1.000000: 250000 cycles:  {line} ABI:2    AX:0x1    BX:0x2\n", 250000),
                             (f"app 7/7 1.000000: PERF_RECORD_MMAP2 7/7: [0x1(0x2) @ 0 fd:01 1 1]: r-xp /app\napp 7/7 1.000000: 250000 cycles:  {line}\n", 250000)):
            self.assertEqual({n: (r["self_ns"], r["total_ns"]) for n, r in self.flat(self.write("a", text * 2)).items()}, {"f": (2 * amount, 2 * amount)}, text)
        self.assertEqual(set(self.flat(self.write("a", "app 7/7 1.000000: 250000 cycles: \n\t401000 f+0x1 (/l)\n  a b.c:20\n\t402000 main+0x1 (/l)\n\n"))), {"f", "main"})
        self.refused(self.write("Makefile", "all: deps\n\tcc -o a\n\tadd it\n"), "neither a profile")

    def test_more_lines(self):
        """Where frames are in the source, bytes of instructions, branches; and comments without end before the first sample."""
        text = "app 7/7 1.000000: 250000 cycles:\n\t401000 f+0x1 (/app)\n  a.c:10\n\t insn: 48 89 e5\n\t402000 main+0x1 (/app)\n  a.c:20 (discriminator 2)\n" \
               " 0x401000/0x402000/P/-/-/0  0x401000/0x402000/P/-/-/0\n\n"
        done = self.run_("report", "--json", self.write("a.txt", "# a word on processors: %s\n" % "0" * 400 + text * 2))
        self.assertEqual({r["name"]: (r["self_ticks"], r["total_ticks"]) for r in json.loads(done.stdout)["flat"]}, {"f": (2, 2), "main": (0, 2)})
        self.assertEqual(done.stderr, "")

    @unittest.skipUnless(shutil.which("perf"), "perf is not installed")
    def test_equals_perf_report(self):
        self.write("w.c", RECURSION)
        subprocess.run(["cc", "-O1", "-g", "-fno-omit-frame-pointer", "-o", "w", "w.c"], cwd=self.folder, check=True)
        if subprocess.run(["perf", "record", "-q", "-g", "-o", "p.data", "./w"], cwd=self.folder, capture_output=True).returncode:
            self.skipTest("perf may not record here")
        script = subprocess.run(["perf", "script", "-i", "p.data"], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        report = subprocess.run(["perf", "report", "-i", "p.data", "--children", "-g", "none", "--stdio", "-F", "overhead_children,overhead,sym", "-t", "|"],
                                cwd=self.folder, capture_output=True, text=True, check=True).stdout
        flat, rows = self.json("report", self.write("p.txt", script))["flat"], perf_rows(report)
        times = {name: [sum(r[key] for r in flat if r["name"] == name) for key in ("self_ns", "total_ns")] for name in {r["name"] for r in flat}}
        whole = sum(self_ns for self_ns, _ in times.values())       # the linker's _start is another one than the program's
        compared = rows.keys() & times.keys()
        for name in compared:
            children, self_, n = rows[name]
            self.assertAlmostEqual(100 * times[name][0] / whole, self_, delta=0.011 * n, msg=name)
            self.assertAlmostEqual(100 * times[name][1] / whole, children, delta=0.011 * n, msg=name)
        self.assertGreater(len(compared), 3, report)


class Weights(Import):
    """Samples that do not stand for as much as each other, as perf's are by default, whose period it changes all the time."""
    SHARES = ("work", .40), ("hash", .28), ("parse", .06), ("copy", .16), ("rare", .06), ("tiny", .04)

    def samples(self, n, seed):
        """(function, period) of N samples: the period grows at first, and then wavers; one function has longer ones."""
        draw, period, out = random.Random(seed), 1, []
        for i in range(n):
            name = draw.choices([name for name, _ in self.SHARES], [share for _, share in self.SHARES])[0]
            period = 1 + int(period * 1.9) if i < 20 else int(3000000 * (0.3 + 1.4 * draw.random()) * (12 if name == "parse" else 1))
            out.append((name, period))
        return out

    def script(self, name, samples):
        return self.write(name, "".join(f"app 7/7 {i}.000000: {period} cycles: \n\t401000 {function}+0x1 (/app)\n\t402000 main+0x1 (/app)\n\n"
                                        for i, (function, period) in enumerate(samples)))

    def errors(self, *names):
        report = self.json("report", "-p", *names)
        whole = report["run"]["times"]["contexts_ns"]
        return {r["name"]: (100 * r["self_ns"] / whole, 100 * r["self_error_ns"] / whole) for r in report["flat"]}

    def test_errors_are_the_bootstraps(self):
        samples, draw, shares = self.samples(1200, 1), random.Random(2), collections.defaultdict(list)
        for _ in range(400):
            sums = collections.Counter()
            for function, period in draw.choices(samples, k=len(samples)):
                sums[function] += period
            for function, _ in self.SHARES:
                shares[function].append(100 * sums[function] / sums.total())
        errors = self.errors(self.script("a", samples))
        for function in "work", "hash", "parse":
            ordered = sorted(shares[function])
            width = (ordered[389] - ordered[10]) / 2
            self.assertAlmostEqual(errors[function][1] / width, 1, delta=0.2, msg=(function, errors[function], width))

    def test_halves_are_alike(self):
        """Nothing changed between two random halves of one recording."""
        samples, draw, alarms = self.samples(800, 3), random.Random(4), 0
        for _ in range(20):
            draw.shuffle(samples)
            self.script("base", samples[:400])
            self.script("new", samples[400:])
            done = subprocess.run([APROF, "check", "--max-regress", "5%", "new", "--against", "base"], cwd=self.folder, capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            alarms += done.returncode
        self.assertLessEqual(alarms, 1)

    def test_one_has_nearly_all(self):
        """One sample is one sample, whatever it stands for."""
        samples = [("b" if i % 2 else "a", 250000) for i in range(1000)]
        samples[500] = ("a", 10**13)
        share, error = self.errors(self.script("a", samples))["a"]
        self.assertGreater(share, 99.9)
        self.assertGreater(error, 50)

    def test_kept_in_a_sum(self):
        """What samples stand for goes along, and adds up."""
        self.script("a", self.samples(200, 5))
        self.script("b", self.samples(200, 6))
        self.out("merge", "-o", "sum.amon", "a", "b")
        apart = self.errors("sum.amon")
        self.out("merge", "-o", "again.amon", "sum.amon")
        self.assertEqual(self.errors("again.amon"), apart)
        self.assertEqual(self.errors("a", "b"), apart)


def pprof(data):
    """What a profile of pprof's says, without its numbers of things: values and labels of each sample and stack, with all that is told of each frame."""
    top = list(fields(gzip.decompress(data)))
    strings = [v.decode() for n, v in top if n == 6]
    named = lambda number: {m[1]: m for m in (dict(fields(v)) for n, v in top if n == number)}
    mappings, functions = named(3), named(5)
    frames = {}
    for location in (dict(fields(v)) for n, v in top if n == 4):
        function, mapping = functions[dict(fields(location[4]))[1]], mappings.get(location.get(2), {})
        frames[location[1]] = (strings[function.get(2, 0)], strings[function.get(4, 0)], function.get(5, 0), location.get(3, 0),
                               strings[mapping.get(5, 0)], strings[mapping.get(6, 0)])
    samples = []
    for sample in (list(fields(v)) for n, v in top if n == 2):
        labels = sorted((strings[m[1]], strings[m.get(2, 0)], m.get(3, 0)) for m in (dict(fields(v)) for n, v in sample if n == 3))
        stack = [frames[i] for n, v in sample if n == 1 for i in packed(v)]
        samples.append((labels, stack, [i for n, v in sample if n == 2 for i in packed(v)]))
    return sorted(samples)


def message(*items):
    """A protobuf message of (number, value); a list is a message within."""
    def number(n):
        n, out = n & (1 << 64) - 1, b""
        while n > 127:
            out, n = out + bytes([n & 127 | 128]), n >> 7
        return out + bytes([n])
    out = b""
    for field, value in items:
        value = message(*value) if isinstance(value, list) else value.encode() if isinstance(value, str) else value
        out += number(field << 3) + number(value) if isinstance(value, int) else number(field << 3 | 2) + number(len(value)) + value
    return out


# Two types of samples; a location with an inlined function, one without a line; numbers of things that are far apart.
STRINGS = ["", "cpu", "nanoseconds", "alloc", "bytes", "main", "f.go", "inlined", "outer", "/bin/p"]
PPROF = ([(1, [(1, 3), (2, 4)]), (1, [(1, 1), (2, 2)])]
         + [(2, [(1, b"\x07\x63"), (2, b"\x05\x40")]), (2, [(1, 8), (1, 7), (1, 99), (2, 1), (2, 100)])]
         + [(3, [(1, 1 << 40), (2, 0x1000), (3, 0x9000), (4, 0x200), (5, 9)])]
         + [(4, [(1, 99), (2, 1 << 40), (3, 0x1100), (4, [(1, 11), (2, 3)])]), (4, [(1, 7), (3, 5), (4, [(1, 12), (2, 4)]), (4, [(1, 13), (2, 9)])])]
         + [(4, [(1, 8), (2, 1 << 40), (3, 0x1234)])]
         + [(5, [(1, 11), (2, 5), (4, 6), (5, 2)]), (5, [(1, 12), (2, 7), (4, 6)]), (5, [(1, 13), (2, 8), (4, 6)])]
         + [(6, s) for s in STRINGS])


class Pprof(Import):
    def round_trip(self, name):
        self.out("export", "pprof", name, "-o", "first.pb.gz")
        self.out("export", "pprof", "first.pb.gz", "-o", "second.pb.gz")
        first, second = ((self.folder / f).read_bytes() for f in ("first.pb.gz", "second.pb.gz"))
        self.assertEqual(pprof(first), pprof(second))
        self.assertTrue(pprof(first))

    def test_round_trip(self):
        self.round_trip(self.recorded())
        self.round_trip(self.made("paper.amon", "--paper", "5"))
        self.round_trip(self.made("random.amon", "--routines", "5", "--threads", "3", "--calls", "900"))

    def test_calls_stay(self):
        name = self.made("random.amon", "--routines", "5", "--threads", "3", "--calls", "900")
        self.out("export", "pprof", name, "-o", "a.pb.gz")
        there, here = self.flat(name), self.flat("a.pb.gz")
        self.assertEqual({n: (r["calls"] + r["recursive"], r["self_ns"], r["total_ns"], r["self_ticks"]) for n, r in there.items()},
                         {n: (r["calls"] + r["recursive"], r["self_ns"], r["total_ns"], r["self_ticks"]) for n, r in here.items()})

    @unittest.skipUnless(os.path.exists("/bin/sleep"), "no program")
    def test_types_and_inlined_lines(self):
        for name, data in ("plain.pb", message(*PPROF)), ("packed.pb.gz", gzip.compress(message(*PPROF))):
            done = self.run_("report", "--json", self.write(name, data))
            self.assertEqual(done.stderr, "")
            report = json.loads(done.stdout)
            self.assertEqual({r["name"]: (r["self_ns"], r["total_ns"], r["file"], r["calls"]) for r in report["flat"]},
                             {"main": (0, 164, "f.go", None), "inlined": (64, 164, "f.go", None), "outer": (0, 164, "f.go", None),
                              "0x434": (100, 100, None, None)})
            self.assertEqual(report["run"]["imported"], {"format": "pprof", "unit": "CPU time"})
            self.assertEqual({r["name"]: r["self_ns"] for r in self.json("report", "--value=alloc", name)["flat"]}, {"main": 0, "inlined": 5, "outer": 0, "0x434": 1})
            self.assertIn("total       6 B, all of it in routines", self.out("report", "--value=alloc", name))
            tree = self.out("tree", name)
            self.assertRegex(tree, r"(?s) main\n.* outer\n.* inlined\n.* 0x434\n")

    def test_no_times(self):
        """What is no time is told as one by nobody; and what is exported is of the value, in its unit."""
        name, scale = self.write("a.pb", message(*PPROF)), re.compile(r"\d (?:ns|us|µs|ms|s|h)\b|seconds")
        for command in ("report",), ("report", "-T"), ("hot",), ("tree",), ("paths",), ("cycles",), ("contexts",), ("compare-models",), ("info",), ("export", "dot"), \
                ("export", "csv"), ("export", "callgrind"), ("export", "speedscope"), ("export", "firefox"):
            shown = self.out(*command, "--value=alloc", name)
            self.assertIsNone(scale.search(shown), (command, shown))
        self.assertIn("alloc (bytes", self.out("info", name))
        for command in ("diff", "--all"), ("check",):
            done = subprocess.run([APROF, *command, "--value=alloc", name, *(["--against"] if command == ("check",) else []), name], cwd=self.folder,
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, scale.search(done.stdout)), (0, None), done.stdout + done.stderr)
        self.assertIn('"unit":"bytes"', self.out("export", "speedscope", "--value=alloc", name).replace(" ", ""))
        self.assertIn("self_bytes,total_bytes", self.out("export", "csv", "--value=alloc", name))
        for format_, file in ("callgrind", "b.cg"), ("pprof", "b.pb.gz"):
            self.out("export", format_, "--value=alloc", name, "-o", file)
            there = self.json("report", file)
            self.assertEqual(there["run"]["value"], {"value": "alloc", "unit": "bytes", "sampled": format_ == "pprof"})
            self.assertEqual({r["name"]: r["self_ns"] for r in there["flat"] if r["self_ns"]}, {"inlined": 5, "0x434": 1})
        self.assertIn("of another value: alloc", self.run_("export", "gmon", "--value=alloc", name, "-o", "x", status=2).stderr)

    def test_calls_are_a_value(self):
        name = self.made("random.amon", "--routines", "5", "--threads", "2", "--calls", "900")
        report = self.json("report", "--value=calls", name)
        self.assertEqual(report["run"]["times"]["contexts_ns"], report["run"]["files"][0]["calls"])
        self.assertEqual({r["name"]: r["self_ns"] for r in report["flat"]}, {r["name"]: r["calls"] + r["recursive"] for r in report["flat"]})
        self.assertIn("it has no value bytes, but cpu, calls", self.run_("report", "--value=bytes", name, status=2).stderr)

    def test_values_add_up(self):
        """A sum keeps all values; one of several files is compared and added with its like, whatever each shows first."""
        a = self.write("a.pb", message(*PPROF))
        b = self.write("b.pb", message(*[f for f in PPROF if f != (6, "/bin/p")], (6, "/bin/p"), (14, 3)))       # prefers alloc
        self.assertIn("unlike things", self.run_("merge", "-o", "sum.amon", a, b, status=2).stderr)
        self.out("merge", "-o", "sum.amon", a, a)
        for value, sums in ("cpu", {"inlined": 128, "0x434": 200}), ("alloc", {"inlined": 10, "0x434": 2}):
            self.assertEqual({r["name"]: r["self_ns"] for r in self.json("report", f"--value={value}", "sum.amon")["flat"] if r["self_ns"]}, sums)
            self.out("merge", f"--value={value}", "-o", "one.amon", a, b)
            self.assertEqual({r["name"]: r["self_ns"] for r in self.flat("one.amon").values() if r["self_ns"]}, sums)
            self.assertIn("0 of 4 changed", self.out("diff", f"--value={value}", a, b))

    def test_labels(self):
        """Samples with a label alone; info lists the labels."""
        n = len(STRINGS)
        labelled = [(2, [(1, 8), (2, 1), (2, 10 ** k), (3, [(1, n), (2, n + k)]), (3, [(1, n + 4), (3, 7 * k)])]) for k in (1, 2)]
        name = self.write("p", message(*[f for f in PPROF if f[0] != 2], *labelled, *((6, s) for s in (b"request", b"GET /", b"PUT", b"", b"size"))))
        self.assertEqual(self.json("info", name)["labels"], [{"label": text, "samples": 1} for text in ("request=GET /", "request=PUT", "size=14", "size=7")])
        self.assertIn("         1  request=GET /\n", self.out("info", name))
        for labels, time in (("request=PUT",), 100), (("size=7",), 10), (("size=7", "request=GET /"), 10), ((), 110):
            report = json.loads(self.out("report", "--json", *("--label=" + label for label in labels), name))
            self.assertEqual([(r["name"], r["self_ns"]) for r in report["flat"]], [("0x434", time)], labels)
        self.assertIn("no sample has the label", self.run_("report", "--label=size=7", "--label=request=PUT", name, status=2).stderr)
        self.assertIn("have no labels", self.run_("tree", "--label=a=b", self.write("a", "main;a 3\n"), status=2).stderr)

    def test_without_symbols(self):
        """Addresses without functions are those of the program that the file names, where that is here."""
        at = {name: 0x555500000000 + a for name, a in Perf.program(self).items()}
        strings = STRINGS + [str(self.folder / "w").encode()]
        fields_ = ([(1, [(1, 3), (2, 4)]), (1, [(1, 1), (2, 2)]), (3, [(1, 1), (2, 0x555500000000), (3, 0x555500009000), (5, len(STRINGS))])]
                   + [(4, [(1, i + 1), (2, 1), (3, at[name] + 4)]) for i, name in enumerate(("spin", "even", "main"))]
                   + [(2, [(1, 1), (1, 2), (1, 3), (2, 1), (2, 100)])] + [(6, s) for s in strings])
        name = self.write("p", message(*fields_))
        self.assertEqual({r["name"]: (r["self_ns"], r["total_ns"]) for r in self.json("report", name)["flat"]}, {"spin": (100, 100), "even": (0, 100), "main": (0, 100)})

    def test_wrong(self):
        for cut in range(len(message(*PPROF))):
            done = subprocess.run([APROF, "report", self.write("cut", message(*PPROF)[:cut])], cwd=self.folder, capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 2), done.stderr)
        bad = [f for f in PPROF if f[0] != 4]
        self.refused(self.write("a", message(*bad)), "sample 1 has location 7", "byte")
        self.refused(self.write("b", message(*PPROF, (2, [(1, 99), (2, 1)]))), "sample 3", "1 values of 2")
        self.refused(self.write("c", message(*PPROF, (2, [(1, 99), (2, 1), (2, -5)]))), "sample 3", "negative")
        self.refused(self.write("d", message(*PPROF, (4, b"\x08"))), "location 4", "malformed or cut off")


# sample_type: IP TID TIME CALLCHAIN PERIOD
PERF_TYPE = 1 | 2 | 4 | 1 << 5 | 1 << 8


def record(kind, misc, body, time=None):
    """A record of perf.data; TIME: with the end that all records have."""
    if time is not None:
        body += b"\0" * (-len(body) % 8) + struct.pack("<IIQ", 0, 0, time)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def perf_data(*records, magic=b"PERFILE2", size=104):
    attr = struct.pack("<IIQQQQQ", 1, 128, 0, 250000, PERF_TYPE, 0, 1 << 18) + b"\0" * 80       # cpu-clock
    attrs = attr + struct.pack("<QQ", 0, 0)
    data = b"".join(records)
    header = magic + struct.pack("<QQQQQQQQ", size, len(attrs), 104, len(attrs), 104 + len(attrs), len(data), 0, 0) + b"\0" * 32
    return header + attrs + data


def comm(pid, tid, name, time, misc=0):
    return record(3, misc, struct.pack("<II", pid, tid) + name.encode() + b"\0", time)


def mmap2(pid, start, length, offset, path, time):
    return record(10, 2, struct.pack("<IIQQQ", pid, pid, start, length, offset) + b"\0" * 24 + struct.pack("<II", 5, 2) + path.encode() + b"\0", time)


def perf_sample(pid, tid, time, chain, period=250000, misc=2):
    return record(9, misc, struct.pack("<QIIQQQ", chain[1], pid, tid, time, period, len(chain)) + struct.pack(f"<{len(chain)}Q", *chain))


USER, KERNEL = (1 << 64) - 512, (1 << 64) - 128
ATTR, FEATURE, COMPRESSED, COMPRESSED_2 = 64, 80, 81, 83


def zstd(*blocks):
    """A frame of zstd's with BLOCKS: bytes as they are, or (byte, how many of it)."""
    body = b"".join(struct.pack("<I", (i == len(blocks) - 1) | isinstance(b, tuple) << 1 | (b[1] if isinstance(b, tuple) else len(b)) << 3)[:3] +
                    (bytes([b[0]]) if isinstance(b, tuple) else b) for i, b in enumerate(blocks))
    return struct.pack("<IBB", 0xFD2FB528, 0, 0x58) + body          # a window of 2 MB, no size


def perf_pipe(*records):
    """What perf record -o - writes: all in records."""
    attr = struct.pack("<IIQQQQQ", 1, 128, 0, 250000, PERF_TYPE, 0, 1 << 18) + b"\0" * 80
    return struct.pack("<8sQ", b"PERFILE2", 16) + record(ATTR, 0, attr + struct.pack("<Q", 7)) + b"".join(records)


def mmap2_of(pid, start, path, build_id, time=200):
    """The same as mmap2, which tells the build-id."""
    return record(10, 2 | 1 << 14, struct.pack("<IIQQQ", pid, pid, start, 0x1000, 0x1000) + struct.pack("<B3x20s", len(build_id), build_id) + struct.pack("<II", 5, 2) +
                  path.encode() + b"\0", time)


class Perf(Import):
    def program(self):
        self.write("w.c", RECURSION)
        subprocess.run(["cc", "-O1", "-g", "-fno-omit-frame-pointer", "-o", "w", "w.c"], cwd=self.folder, check=True)
        symbols = subprocess.run(["nm", "w"], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        return {line.split()[2]: int(line.split()[0], 16) for line in symbols.splitlines() if " T " in line}

    def made(self, *more):
        return perf_data(*self.records(), *more)

    def records(self):
        """Those of a process that forks and becomes another program; those of another processor come first."""
        at, path = {name: 0x555500000000 + a for name, a in self.program().items()}, str(self.folder / "w")
        return (
            perf_sample(5, 6, 400, [KERNEL, 0xffffffff81000000, 0xffffffff81000010, USER, at["spin"] + 4, at["main"] + 8], misc=1),
            comm(5, 5, "perf-exec", 0), comm(5, 5, "w", 100, 1 << 13), mmap2(5, 0x555500001000, 0x1000, 0x1000, path, 200),
            perf_sample(5, 5, 300, [USER, at["spin"], at["even"] + 8, at["main"] + 8]), comm(5, 6, "worker", 350),
            record(7, 0, struct.pack("<IIIIQ", 8, 5, 8, 5, 410), 410), perf_sample(8, 8, 420, [USER, at["odd"], at["main"] + 8]),
            comm(8, 8, "other", 430, 1 << 13), perf_sample(8, 8, 440, [USER, at["odd"]], 1000000), record(2, 0, struct.pack("<QQ", 0, 7), 450),
            record(68, 0, b""))

    def test_records(self):
        self.hold(self.write("p.data", self.made()))

    def hold(self, name):
        report = self.json("report", name)
        flat = {r["name"]: (r["self_ns"], r["total_ns"]) for r in report["flat"]}
        self.assertEqual(flat, {"[kernel]": (250000, 250000), "spin": (250000, 500000), "main": (0, 750000), "even": (0, 250000), "odd": (250000, 250000),
                                "[unknown]": (1000000, 1000000)})
        self.assertEqual([(f["pid"], f["program"]) for f in report["run"]["files"]], [(5, "w"), (8, "w"), (8, "other")])
        threads = [(t["tid"], t["name"]) for t in self.json("info", name)["threads"]]
        self.assertEqual(threads, [(5, "w"), (6, "worker"), (8, "w"), (8, "other")])
        self.assertEqual([(n["note"], n["count"]) for n in report["run"]["notes"]], [("lost_stack", 7)])
        self.assertIn("CPU time", report["run"]["imported"]["unit"])
        self.out("merge", "-o", "sum.amon", name)
        self.assertEqual(self.flat("sum.amon")["spin"]["total_ns"], 500000)

    def test_compressed(self):
        """perf record -z: what a compressed record has begins and ends within records, and others stand between."""
        plain = self.records()
        data = b"".join(plain[1:])
        for kind, name in (COMPRESSED, "a"), (COMPRESSED_2, "b"):
            parts = [zstd(data[:101], data[101:333]), zstd(data[333:])]
            if kind == COMPRESSED_2:
                parts = [struct.pack("<Q", len(part)) + part + b"\0" * (-len(part) % 8) for part in parts]
            self.hold(self.write(name, perf_data(record(kind, 0, parts[0]), plain[0], record(kind, 0, parts[1]))))
        self.refused(self.write("c", perf_data(record(COMPRESSED, 0, b"x" * 30))), "compressed record", "corrupt", "byte 248")
        self.refused(self.write("d", perf_data(record(COMPRESSED_2, 0, struct.pack("<Q", 99) + b"x" * 30))), "type 83", "malformed")
        self.refused(self.write("e", perf_data(record(COMPRESSED, 0, zstd(data + struct.pack("<IHH", 9, 2, 4))))), "type 9 and 4 bytes", "when all are inflated")
        # 3 GB of 60 KB
        self.refused(self.write("f", perf_data(*[record(COMPRESSED, 0, zstd(*[(0, 1 << 17)] * 5000))] * 3)), "grows beyond all measure")
        whole = perf_data(record(COMPRESSED, 0, zstd(plain[0] + data)), record(COMPRESSED, 0, zstd(data)))
        self.assertIn("cut off in a record of type 81", self.run_("report", self.write("g", whole[:-9])).stderr)

    def test_pipe(self):
        """perf record -o -: the header is 16 bytes, and the rest stands in records."""
        records = self.records()
        self.hold(self.write("p", perf_pipe(*records)))
        self.hold(self.write("z", perf_pipe(record(COMPRESSED, 0, zstd(b"".join(records))))))
        named = record(FEATURE, 0, struct.pack("<QIII", 12, 1, 128, 0) [:16] + b"\0" * 128 + struct.pack("<II", 0, 16) + b"cycles:u\0\0\0\0\0\0\0\0")
        self.assertIn("cycles:u, in cycles", self.json("report", self.write("n", perf_pipe(named, *records)))["run"]["imported"]["unit"])
        self.refused(self.write("a", perf_pipe()[:16]), "no event")
        self.refused(self.write("b", perf_pipe(record(ATTR, 0, b"\0" * 8))), "type 64", "malformed")

    def test_precise(self):
        """A sample is of its own address, where that is another than the one where the processor was interrupted."""
        at, path = {name: 0x555500000000 + a for name, a in self.program().items()}, str(self.folder / "w")

        def sample(ip, *chain):
            return record(9, 2, struct.pack("<QIIQQQ", ip, 5, 5, 300, 250000, 1 + len(chain)) + struct.pack(f"<{1 + len(chain)}Q", USER, *chain))

        head = comm(5, 5, "w", 100, 1 << 13), mmap2(5, 0x555500001000, 0x1000, 0x1000, path, 200)
        for ip, chain, stack in (("spin", ("even", "main"), {"main": (0, 1), "even": (0, 1), "spin": (1, 1)}),          # spin had returned
                                 ("even", ("even", "main"), {"main": (0, 1), "even": (1, 1)}),
                                 ("even", ("spin", "even", "main"), {"main": (0, 1), "even": (1, 1)})):                  # it called spin later
            flat = self.flat(self.write("p", perf_data(*head, sample(at[ip] + 4, *(at[name] + 8 for name in chain)))))
            self.assertEqual({n: (r["self_ns"] // 250000, r["total_ns"] // 250000) for n, r in flat.items()}, stack)

    def test_threads(self):
        """Some threads and processes alone."""
        name = self.write("p.data", self.made())
        for options, flat in ((["--comm=worker"], {"[kernel]": (250000, 250000), "spin": (0, 250000), "main": (0, 250000)}),
                              (["--process=8"], {"odd": (250000, 250000), "main": (0, 250000), "[unknown]": (1000000, 1000000)}),
                              (["--pid=8", "--comm=other"], {"[unknown]": (1000000, 1000000)}),
                              (["--process=other", "--comm=w"], None), (["--comm=nobody"], None)):
            done = subprocess.run([APROF, "report", "--json", *options, name], cwd=self.folder, capture_output=True, text=True)
            if flat is None:
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), options)
                self.assertIn("no thread is meant by --", done.stderr)
            else:
                self.assertEqual({r["name"]: (r["self_ns"], r["total_ns"]) for r in json.loads(done.stdout)["flat"] if r["total_ns"]}, flat, options)
        self.made_threads()

    def made_threads(self):
        """The same of our own files: counts of calls are of these threads, too."""
        subprocess.run([MAKE_AMON, "--routines", "5", "--threads", "2", "--calls", "900", "random.amon"], cwd=self.folder, check=True)
        names = [t["name"] for t in self.json("info", "random.amon")["threads"]]
        whole, one = (sum(r["calls"] + r["recursive"] for r in self.json("report", *options, "random.amon")["flat"]) for options in ([], ["--comm=" + names[0]] if names[0] else []))
        self.assertTrue(0 < one <= whole)

    def test_inlined(self):
        """What the compiler put into a function is a frame of its own, and has its lines."""
        (self.folder / "i.c").write_text("""volatile long sink;
static inline __attribute__((always_inline)) void deep(long n)
{
	sink += n;
}
static inline __attribute__((always_inline)) void add(long n)
{
	for (long i = 0; i < n; i++)
		deep(i);
}
__attribute__((noinline)) void spin(long n) { sink++; add(n); }
int main(void)
{
	spin(3);
	sink++;
}
""")
        subprocess.run(["cc", "-O2", "-g", "-o", "i", "i.c"], cwd=self.folder, check=True)
        listed = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "i"], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        inside = {name: [int(a, 16) for a in re.findall(r"(?m)^ *([\da-f]+):", re.search(rf"(?s)<{name}>:\n(.*?)\n\n", listed)[1])] for name in ("spin", "main")}
        names = lambda a: subprocess.run(["addr2line", "-ifse", "i", hex(a)], cwd=self.folder, capture_output=True, text=True, check=True).stdout.split()[::2]
        at = next(a for a in inside["spin"] if names(a) == ["deep", "add", "spin"])
        called = int(re.search(r"call .*<spin>\n *([\da-f]+):", listed)[1], 16)
        where, base = str(self.folder / "i"), 0x555500000000
        name = self.write("p", perf_data(comm(5, 5, "i", 100, 1 << 13), mmap2(5, base + 0x1000, 0x1000, 0x1000, where, 200), perf_sample(5, 5, 300, [USER, base + at, base + called])))
        self.assertEqual({n: (r["self_ns"], r["total_ns"]) for n, r in self.flat(name).items()}, {"main": (0, 250000), "spin": (0, 250000), "add": (0, 250000), "deep": (250000, 250000)})
        (told,) = self.json("annotate", "deep", name)["annotate"]
        self.assertEqual({(line["line"], line["ticks"]) for line in told["lines"] if line["ticks"]}, {(4, 1)})
        # Addresses of pprof's and gperftools' are looked up in the same way.
        self.write("pprof", message(*[(1, [(1, 1), (2, 2)]), (3, [(1, 1), (2, base), (3, base + 0x9000), (5, 3)]), (4, [(1, 1), (2, 1), (3, base + at)]), (2, [(1, 1), (2, 7)])],
                                    *[(6, s) for s in (b"", b"n", b"count", where.encode())]))
        self.assertEqual({r["name"] for r in self.json("report", "pprof")["flat"]}, {"spin", "add", "deep"})
        words = lambda *numbers: b"".join(n.to_bytes(8, "little") for n in numbers)
        self.write("gperf", words(0, 3, 0, 1000, 0, 1, 1, base + at, 0, 1, 0) + f"{base + 0x1000:x}-{base + 0x2000:x} r-xp 00001000 00:00 0 {where}\n".encode())
        self.assertEqual({r["name"] for r in self.json("report", "gperf")["flat"]}, {"spin", "add", "deep"})

    def test_lines(self):
        """Samples are at lines of the source, of the programs that are here."""
        at, path = {name: 0x555500000000 + a for name, a in self.program().items()}, str(self.folder / "w")
        name = self.write("p", perf_data(comm(5, 5, "w", 100, 1 << 13), mmap2(5, 0x555500001000, 0x1000, 0x1000, path, 200),
                                         *[perf_sample(5, 5, 300 + i, [USER, at["spin"] + i, at["even"] + 8, at["main"] + 8]) for i in range(8)]))
        (told,) = self.json("annotate", "spin", name)["annotate"]
        self.assertEqual({(line["line"], line["ticks"]) for line in told["lines"] if line["ticks"]}, {(5, 8)})

    def build_id(self):
        notes = subprocess.run(["readelf", "-n", "w"], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        return bytes.fromhex(re.search(r"Build ID: (\w+)", notes)[1])

    def kept(self, id_, where, ending):
        path = self.folder / where / ".build-id" / id_.hex()[:2] / (id_.hex()[2:] + ending)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def run_with(self, env, *command):
        return subprocess.run([APROF, *command], cwd=self.folder, capture_output=True, text=True, env=dict(os.environ, LC_ALL="C.UTF-8", **env), check=True).stdout

    def test_kept_files(self):
        """A program that is gone is found by its build-id: as perf has kept it, or a debug package has its symbols."""
        at = {name: 0x555500000000 + a for name, a in self.program().items()}
        id_, path = self.build_id(), str(self.folder / "w")
        chain = [USER, at["spin"] + 4, at["even"] + 8, at["main"] + 8]
        name = self.write("p", perf_data(comm(5, 5, "w", 100, 1 << 13), mmap2_of(5, 0x555500001000, path, id_), perf_sample(5, 5, 300, chain)))
        subprocess.run(["objcopy", "--only-keep-debug", "w", "symbols"], cwd=self.folder, check=True)
        (self.folder / "w").rename(self.folder / "program")
        self.write("w", "another file by now")
        for ending, file in ("/elf", "program"), ("", "program"), (".debug", "symbols"):
            kept = self.kept(id_, "home/.debug", ending)
            shutil.copy(self.folder / file, kept)
            flat = json.loads(self.run_with({"HOME": str(self.folder / "home")}, "report", "--json", name))["flat"]
            self.assertEqual({r["name"]: r["total_ns"] for r in flat}, {"main": 250000, "even": 250000, "spin": 250000}, ending)
            shutil.rmtree(self.folder / "home")
        self.assertNotIn("spin", self.run_with({"HOME": str(self.folder)}, "report", name))

    def test_kernel(self):
        """Functions of the kernel by the symbols that perf has kept of it; it ran elsewhere than these have it."""
        id_ = bytes(range(1, 21))
        kept = self.kept(id_, "home/.debug", "/kallsyms")
        kept.write_text("ffffffff81000000 T _text\nffffffff81000100 T clear_page\nffffffff81000200 t do_fault\nffffffff81000300 D data\nffffffff81000400 T next\n")
        shift = 0x2000000
        kernel = record(10, 1 | 1 << 14, struct.pack("<IIQQQ", 0xffffffff, 0, 0xffffffff81000000 + shift, 0x1000000, 0xffffffff81000000 + shift) +
                        struct.pack("<B3x20s", 20, id_) + struct.pack("<II", 5, 2) + b"[kernel.kallsyms]_text\0", 0)
        chain = [KERNEL, 0xffffffff81000104 + shift, 0xffffffff81000400 + shift, USER, 0x1234]
        name = self.write("p", perf_data(kernel, perf_sample(5, 5, 300, chain[:2] + [chain[2]] + chain[3:], misc=1)))
        flat = json.loads(self.run_with({"HOME": str(self.folder / "home")}, "report", "--json", name))["flat"]
        self.assertEqual({r["name"]: (r["self_ns"], r["total_ns"]) for r in flat},
                         {"clear_page": (250000, 250000), "do_fault": (0, 250000), "[kernel]": (0, 250000), "[unknown]": (0, 250000)})
        self.assertNotIn("clear_page", self.run_with({"HOME": str(self.folder)}, "report", name))

    def test_made_at_run_time(self):
        """/tmp/perf-PID.map, of a process that is over."""
        pid = 0x7ffff000 + os.getpid() % 4096
        path = pathlib.Path(f"/tmp/perf-{pid}.map")
        records = (comm(pid, pid, "java", 100, 1 << 13), mmap2(pid, 0x7f0000000000, 0x10000, 0, "//anon", 200),
                   perf_sample(pid, pid, 300, [USER, 0x7f0000000110, 0x7f0000000205]), perf_sample(pid, pid, 310, [USER, 0x7f0000000900]))
        name = self.write("p", perf_data(*records))
        self.assertEqual(set(self.flat(name)), {"[anonymous memory]"})
        path.write_text("7f0000000100 80 Lmain;::inner\n7f0000000200 80 Lmain;::outer\n")
        self.addCleanup(path.unlink)
        self.assertEqual({n: (r["self_ns"], r["total_ns"]) for n, r in self.flat(name).items()},
                         {"Lmain;::inner": (250000, 250000), "Lmain;::outer": (0, 250000), "[anonymous memory]": (250000, 250000)})

    def test_wrong(self):
        whole = self.made()
        n = len(whole)
        for cut, words in ((5, f"cut off in a record, at byte {n - 8}"), (10, "cut off in a record of type 2 and 40 bytes, at byte")):
            self.assertIn(words, self.run_("report", self.write("a", whole[:-cut])).stderr)
        self.refused(self.write("c", self.made(struct.pack("<IHH", 9, 2, 4))), "type 9 and 4 bytes", "malformed", f"byte {n}")
        self.refused(self.write("d", self.made(record(9, 2, struct.pack("<QIIQQQ", 1, 2, 3, 4, 5, 1 << 61)))), "type 9", "malformed", f"byte {n}")
        self.refused(self.write("f", perf_data(magic=b"2ELIFREP")), "order of bytes")
        self.refused(self.write("g", perf_data()), "perf.data without a stack")
        self.refused(self.write("h", whole[:60]), "header", "cut off")
        done = self.run_("report", self.write("i", self.made(record(63, 0, b""), record(30, 0, b""))))
        self.assertIn(f"2 records of types that are not known skipped, the first of type 63, at byte {n}", done.stderr)

    def test_another_build(self):
        name = self.write("p.data", self.made())
        self.out("report", name)
        (self.folder / "w").unlink()
        done = self.run_("report", name)
        self.assertIn("0x", done.stdout)
        self.assertIn("w", done.stderr + done.stdout)

    def compare(self, *options):
        """Self and children of every user's symbol as perf report has them; clones are the function that they are made from here."""
        self.program()
        if subprocess.run(["perf", "record", "-q", *options, "-o", "p.data", "./w"], cwd=self.folder, capture_output=True).returncode:
            self.skipTest("perf may not record here")
        report = subprocess.run(["perf", "report", "-i", "p.data", "--children", "--no-inline", "-g", "none", "--stdio", "-F", "overhead_children,overhead,sym", "-t", "|"],
                                cwd=self.folder, capture_output=True, text=True, check=True).stdout
        flat, rows = {}, perf_rows(report)
        for r in self.json("report", "p.data")["flat"]:
            sums = flat.setdefault(r["name"], [0, 0])
            flat[r["name"]] = [sums[0] + r["total_ns"], sums[1] + r["self_ns"]]
        whole = sum(self_ for _, self_ in flat.values())
        # How a stack of the libraries is unwound is each one's own affair, and so is whether main is found below it.
        rows = {name: row for name, row in rows.items() if name in ("spin", "even", "odd", "main")}
        self.assertEqual(len(rows), 4, report)
        elsewhere = 100 - sum(self_ for _, self_, _ in rows.values())
        for name, (children, self_, n) in rows.items():
            self.assertAlmostEqual(100 * flat[name][1] / whole, self_, delta=0.011 * n, msg=name)
            self.assertAlmostEqual(100 * flat[name][0] / whole, children, delta=0.011 * n + (elsewhere if name == "main" else 0), msg=name)

    @unittest.skipUnless(shutil.which("perf"), "perf is not installed")
    def test_equals_perf_report(self):
        self.compare("-g")

    @unittest.skipUnless(shutil.which("perf"), "perf is not installed")
    def test_equals_perf_report_unwound(self):
        self.compare("--call-graph", "dwarf,4096")


class Gmon(Import):
    def test_every_command(self):
        """With its program a gmon.out is shown by all that needs no contexts; times of arcs are shared out by calls."""
        self.write("w.c", RECURSION)
        subprocess.run(["cc", "-O1", "-g", "-pg", "-o", "w", "w.c"], cwd=self.folder, check=True)
        subprocess.run(["./w"], cwd=self.folder, check=True)
        self.assertEqual(self.refused_("annotate", "even", "gmon.out"), "aprof: gmon.out: a gmon.out has addresses only; name the program, too\n")
        arcs = {tuple(line.split(",")[:3]) for line in self.out("export", "csv", "--table=arcs", "w", "gmon.out").splitlines()[1:]}
        self.assertEqual({a for a in arcs if a[0] in ('"main"', '"even"')},
                         {('"main"', '"even"', "300"), ('"even"', '"odd"', "9000"), ('"even"', '"spin"', "9300")})
        view, flat = ({r["name"]: r for r in json.loads(self.out(*command, "w", "gmon.out"))["flat"]} for command in (("report", "--json"), ("export", "json")))
        for routine in "spin", "even":           # gprof's bins at the ends of routines count twice
            for key in "self_ns", "total_ns":
                self.assertAlmostEqual(flat[routine][key], view[routine][key], delta=0.02 * flat["main"]["total_ns"])
        self.assertEqual(flat["spin"]["calls"], 18300)
        (told,) = json.loads(self.out("annotate", "--json", "even", "w", "gmon.out"))["annotate"]
        self.assertEqual({(c["name"], c["calls"]) for c in told["callees"]}, {("spin", 9300), ("odd", 9000)})
        self.out("html", "-o", "x.html", "w", "gmon.out")
        self.out("hot", "w", "gmon.out")
        self.out("export", "callgrind", "-o", "cg", "w", "gmon.out")
        self.assertEqual({n: r["calls"] for n, r in self.flat("cg").items() if r["calls"]}, {n: r["calls"] for n, r in flat.items() if r["calls"]})
        self.assertIn("without contexts", self.refused_("tree", "w", "gmon.out"))
        self.assertIn("Routines by change of self time: 0 of 4 changed", self.out("diff", "w", "gmon.out", "gmon.out"))
        self.out("check", "w", "gmon.out", "gmon.out")
        (self.folder / "w").rename(self.folder / "a.out")
        self.out("annotate", "even", "gmon.out")

    def refused_(self, *command):
        return self.run_(*command, status=2).stderr


class Mutations(Import):
    program, records = Perf.program, Perf.records

    def test_wrong_bytes(self):
        files = [self.write("a", "main;a 3\nmain;b;c 4\nmain;b;main;b 5\n(outside all routines) 6\n" * 3), self.write("b", SCRIPT), self.write("c", PLAIN)]
        subprocess.run(["gzip", "-k", "a"], cwd=self.folder, check=True)
        subprocess.run([MUTATE, os.environ.get("MUTATIONS", "3000"), *files, "a.gz", self.write("d", message(*PPROF)), self.write("e", Perf.made(self)), self.write("f", CALLGRIND), self.write("g", CYCLE),
                        self.write("h", perf_pipe(record(COMPRESSED, 0, zstd(b"".join(self.records()))))), self.write("i", perf_pipe(*self.records()))], cwd=self.folder, check=True)


if __name__ == "__main__":
    unittest.main()
