"""script_test.py BUILD [TEST...] - routines of scripts that an interpreter tells of (src/contract/aprof.h): against a simulation, by every way, and
in every report."""
import json, os, pathlib, random, re, subprocess, sys, tempfile, unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "lib"))
import here
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
APROF = str(BUILD / "aprof")
PLAIN = "plain"                     # no hooks: the monitor is preloaded
WAYS = [PLAIN, "fentry", "cyg"] + (["inline"] if here.has_way(BUILD, "inline") else [])


def step(history, routine):
    """A1-A5 of the paper; entries are (routine, marked)."""
    if history and history[-1] == (routine, True):
        return history
    folds = (routine, True) in history
    s = [(r, m and r != routine) for r, m in history] + [(routine, True)]
    i = 1
    while folds and i + 1 < len(s):
        if s[i - 1][1] or s[i][1] or s[i + 1][1]:
            i += 1
        else:
            del s[i]
    for i in range(len(s) - 1, 0, -1):
        if folds and s[i] == s[i - 1] and not s[i][1]:
            del s[i]
    return tuple(s)


class Stack:
    def __init__(self):
        self.open, self.base, self.here, self.begun = [], (), (), False


class Simulation:
    """What replay.c is to leave: context -> [entries, recursive calls, counted]."""
    def __init__(self, hooked):
        self.hooked, self.counts = hooked, {}
        self.stacks, self.before, self.now, self.use = [], [], (), Stack()
        self.use.begun = True

    def call(self, routine):
        before, self.now = self.now, step(self.now, routine)
        self.counts.setdefault(self.now, [0, 0, 0])[self.now == before] += 1
        return before

    def switch(self, to, under):
        left = self.use
        left.here = self.now
        left.base = left.base if left.open else self.now
        base = self.now if under else to.base
        if not to.begun or (under and base != to.base):
            to.begun, to.base, to.here = True, base if under else (), base if under else ()
            moved = []
            for routine, _, _ in to.open:
                after = step(to.here, routine)
                moved.append((routine, to.here, after))
                to.here = after
            to.open = moved
        self.use, self.now = to, to.here
        return left

    def run(self, ops, at=0):
        """From operation AT on; returns where it ended."""
        while at < len(ops):
            op, n = ops[at]
            at += 1
            s = self.use
            if op == "e":
                before = self.call("f%d" % n)
                s.open.append(("f%d" % n, before, self.now))
            elif op == "l" and s.open:
                self.now = s.open.pop()[1]
            elif op == "u" and s.open:
                first = s.open[0][1]
                del s.open[n:]
                self.now = s.open[-1][2] if s.open else first
            elif op == "a":
                self.counts.setdefault(self.now, [0, 0, 0])[2] += n
            elif op == "c":
                before = self.now
                if self.hooked:
                    self.call("nested")
                at = self.run(ops, at)
                self.now = before if self.hooked else self.now
            elif op == "x":
                return at
            elif op == "n":
                self.stacks.append(Stack())
            elif op in "sr":
                self.before.append(self.switch(self.stacks[n], op == "r"))
            elif op == "b":
                self.switch(self.before.pop(), False)
            elif op == "t":
                kept = self.now, self.use
                self.now, self.use = (), Stack()
                self.use.begun = True
                if self.hooked:
                    self.call("nested")
                at = self.run(ops, at)
                self.now, self.use = kept
        return at

    def contexts(self):
        return {" ".join(r + ("" if m else "'") for r, m in history) or "-": counts for history, counts in self.counts.items() if any(counts)}


def made(seed, length=400):
    """Random operations, of which each makes sense where it is."""
    draw, ops, calls, stacks, before = random.Random(seed), [], 0, 0, []
    open_in, use = [0], 0               # by stack: 0 is the thread's, stack N of the file N + 1
    while len(ops) < length:
        op = draw.choices("eluacxnsrbd", [12, 7, 2, 4, 3, 2, 1, 1, 2, 2, 1])[0]
        depth = open_in[use]
        if op == "e":
            ops.append((op, draw.randrange(4 if seed % 2 else 8)))
            open_in[use] += 1
        elif op == "l" and depth:
            ops.append((op, 0))
            open_in[use] -= 1
        elif op == "u" and depth:
            ops.append((op, draw.randint(0, depth)))
            open_in[use] = ops[-1][1]
        elif op == "a":
            ops.append((op, draw.randrange(1000)))
        elif op == "d":
            ops.append((op, depth))
        elif op == "c" and calls < 20:
            ops.append((op, 0))
            calls += 1
        elif op == "x" and calls:
            ops.append((op, 0))
            calls -= 1
        elif op == "n" and len(open_in) < 6:
            ops.append((op, 0))
            open_in.append(0)
        elif op in "sr" and len(open_in) > 1:
            to = draw.randrange(1, len(open_in))
            if to != use and to not in before:
                ops.append((op, to - 1))
                before.append(use)
                use = to
        elif op == "b" and before:
            ops.append((op, 0))
            use = before.pop()
    return ops


def run(command, cwd, status=0, **environ):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True,
                          env=dict(os.environ, LC_ALL="C.UTF-8", **environ))
    if status is not None and done.returncode != status:
        raise AssertionError("%s: status %d\n%s%s" % (command, done.returncode, done.stdout, done.stderr))
    return done


class Script(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.cwd = cls.folder.name
        for way in WAYS:
            compiler = ["gcc", "-I", ROOT / "src/contract"] if way == PLAIN else [BUILD / "aprof-cc", "--aprof-way=" + way]
            run([*compiler, "-O2", "-g", HERE / "replay.c", "-o", "replay-" + way, "-pthread"], cls.cwd)
        run([BUILD / "aprof-cc", "-O2", ROOT / "doc/examples/machine.c", "-o", "machine-hooked"], cls.cwd)
        run(["gcc", "-O2", "-I", ROOT / "src/contract", ROOT / "doc/examples/machine.c", "-o", "machine"], cls.cwd)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def profile(self, program, *arguments, data="amon.out", clock="count", status=0, options=()):
        return run([APROF, "run", "--no-report", "--clock=" + clock, "--data", data, *options, "./" + program, *arguments], self.cwd, status)

    def contexts(self, *files):
        """History -> [entries, recursive, counted]."""
        found = {}
        for line in run([APROF, "contexts", "-b", "--raw", *files], self.cwd).stdout.splitlines():
            if re.match(r"\d+ \d+ [\d.]+ ", line):
                entries, recursive, counted, history = line.split(" ", 3)
                found[history] = [int(entries), int(recursive), int(float(counted))]
        return {history: counts for history, counts in found.items() if any(counts)}

    def check_ops(self, way, ops, **more):
        pathlib.Path(self.cwd, "ops").write_text("".join("%s %d\n" % op for op in ops))
        self.profile("replay-" + way, "ops", **more)
        s = Simulation(way != PLAIN)
        if way != PLAIN:
            s.call("main")
            s.call("nested")
        s.run(ops)
        self.assertEqual(self.contexts(), s.contexts(), (way, ops))

    @here.long
    def test_simulation(self):
        for seed in range(12):
            for way in WAYS:
                with self.subTest(seed=seed, way=way):
                    self.check_ops(way, made(seed))

    def bytes(self, *files):
        """History -> bytes moved, where there are any."""
        data = json.loads(run([APROF, "contexts", "--json", *files], self.cwd).stdout)
        return {c["history"]: c["bytes"] for c in data["contexts"] if c.get("bytes")}

    @here.long
    def value_bytes(self):
        """The same, as a value of the profile."""
        data = json.loads(run([APROF, "contexts", "--json", "--value=bytes"], self.cwd).stdout)
        return {c["history"]: c["time"] for c in data["contexts"] if c["time"]}

    def test_bytes(self):
        """What is told to be moved stands with the context, through forks, sums and files; what is told while stopped, or before a reset, does not."""
        fork = [("e", 0), ("a", 3), ("f", 0), ("a", 5), ("e", 1), ("a", 7)]
        for ops in made(2), made(11), fork:
            for way in WAYS:
                self.check_ops(way, [more for op in ops for more in ([op, ("y", 3 * op[1])] if op[0] == "a" else [op])])
                expected = {h: 3 * c[2] for h, c in self.contexts().items() if c[2] and h != "-"}
                self.assertEqual({h: n for h, n in self.bytes().items() if h != ""}, expected, (way, ops))
                self.assertEqual(self.value_bytes(), self.bytes(), (way, ops))
        run([APROF, "merge", "-o", "sum", "amon.out", "amon.out"], self.cwd)
        self.assertEqual(self.bytes("sum"), {h: 2 * n for h, n in self.bytes().items()})
        for way in WAYS:
            self.check_ops(way, [("h", 1), ("e", 2), ("y", 5), ("p", 1), ("y", 70), ("p", 0), ("y", 8), ("l", 0)])
            self.assertEqual([n for h, n in self.bytes().items() if h.endswith("f2")], [13], way)
            pathlib.Path(self.cwd, "ops").write_text("e 2\ny 5\nz 0\ny 9\ne 3\ny 1\n")
            self.profile("replay-" + way, "ops")
            self.assertEqual([n for h, n in self.bytes().items()], [9, 1], way)

    def test_deep(self):
        """Deeper than any first stack; and back at once."""
        for way in WAYS:
            self.check_ops(way, [("e", i % 3) for i in range(5000)] + [("d", 5000), ("u", 1), ("e", 5)] + [("l", 0)] * 2)

    def test_other_clocks(self):
        ops = [op for op in made(3) if op[0] != "a"]
        for way in WAYS:
            for clock in "none", "tick", "tsc":
                pathlib.Path(self.cwd, "ops").write_text("".join("%s %d\n" % op for op in ops))
                self.profile("replay-" + way, "ops", clock=clock)
                s = Simulation(way != PLAIN)
                if way != PLAIN:
                    s.call("main"), s.call("nested")
                s.run(ops)
                self.assertEqual({h: c[:2] for h, c in self.contexts().items() if any(c[:2])}, {h: c[:2] for h, c in s.contexts().items() if any(c[:2])})


    def test_fork(self):
        """A child goes on in the contexts of its parent, coroutines too, in a file of its own that names its routines."""
        ops = [("e", 0), ("n", 0), ("e", 1), ("r", 0), ("e", 2), ("b", 0), ("f", 0), ("a", 5), ("e", 3), ("a", 7), ("l", 0), ("r", 0), ("a", 9), ("e", 4),
               ("a", 1), ("u", 1), ("a", 3), ("l", 0), ("b", 0), ("l", 0), ("a", 2), ("u", 0), ("a", 4)]
        for way in WAYS:
            with self.subTest(way=way):
                self.check_ops(way, ops)

    def test_threads(self):
        """A thread begins with nothing open; a coroutine that it resumes goes on under it."""
        ops = [("e", 0), ("n", 0), ("r", 0), ("e", 1), ("e", 2), ("b", 0), ("t", 0), ("e", 3), ("r", 0), ("a", 11), ("l", 0), ("a", 1), ("b", 0), ("a", 2), ("x", 0),
               ("a", 3), ("l", 0), ("t", 0), ("s", 0), ("a", 4), ("b", 0), ("x", 0), ("t", 0), ("d", 0), ("e", 5), ("x", 0), ("t", 0), ("d", 0), ("x", 0)]
        for way in WAYS:
            with self.subTest(way=way):
                self.check_ops(way, ops)

    def test_killed(self):
        for way in WAYS:
            with self.subTest(way=way):
                self.check_ops(way, made(5) + [("k", 0)], status=137)

    def test_layers(self):
        """Where no routine of a script recurs, its layer is what it would be without hooks; nothing is lost in any."""
        ops = []
        for n in range(8):
            ops += [("e", n), ("a", 100 + n)] + [("c", 0)] * 2 + [("a", 10)]
        pathlib.Path(self.cwd, "ops").write_text("".join("%s %d\n" % op for op in ops))
        script, native = Simulation(False), Simulation(True)
        script.run(ops)
        native.call("main"), native.call("nested")
        native.run([op for op in ops if op[0] != "e"])
        for way in WAYS[1:]:
            self.profile("replay-" + way, "ops")
            self.assertEqual(self.layer("script"), script.contexts())
            self.assertEqual(self.layer("native"), native.contexts())

    def layer(self, name):
        found = {}
        for line in run([APROF, "contexts", "-b", "--raw", "--layer", name], self.cwd).stdout.splitlines():
            if re.match(r"\d+ \d+ [\d.]+ ", line):
                entries, recursive, counted, history = line.split(" ", 3)
                found[history] = [int(entries), int(recursive), int(float(counted))]
        return {history: counts for history, counts in found.items() if any(counts)}

    def test_layers_recursive(self):
        """However routines recur: each layer has its own routines, all their calls, and all the time."""
        for seed in range(4):
            for way in WAYS[1:]:
                pathlib.Path(self.cwd, "ops").write_text("".join("%s %d\n" % op for op in made(seed)))
                self.profile("replay-" + way, "ops")
                both = self.flat("all")
                for name, of in ("script", lambda r: r.startswith("f")), ("native", lambda r: not r.startswith("f")):
                    layer = self.flat(name)
                    self.assertEqual({r: c for r, c in layer["calls"].items() if c}, {r: c for r, c in both["calls"].items() if of(r) and c})
                    self.assertEqual(layer["time"], both["time"])
                    self.assertEqual(layer["total"], layer["time"])

    def flat(self, layer):
        report = json.loads(run([APROF, "report", "--json", "--raw", "--layer", layer], self.cwd).stdout)
        routines, run_of = report["flat"], report["run"]["times"]
        return {"calls": {r["name"]: r["calls"] + r["recursive"] for r in routines}, "time": run_of["contexts_ns"] + run_of["outside_ns"],
                "total": sum(r["self_ns"] for r in routines) + run_of["outside_ns"]}

    def test_merge(self):
        """Names are in the file, whatever becomes of it."""
        ops = made(7)
        self.check_ops(PLAIN, ops)
        once = self.contexts()
        run([APROF, "merge", "-o", "sum", "amon.out", "amon.out"], self.cwd)
        self.assertEqual(self.contexts("sum"), {h: [2 * n for n in c] for h, c in once.items()})
        reader = run([sys.executable, ROOT / "doc/read_amon.py", "amon.out"], self.cwd).stdout
        read = [line.split(" ", 3) for line in reader.splitlines()]
        self.assertEqual(sorted(r[3] for r in read if any(float(n) for n in r[:3])), sorted(once))
        source = json.loads(run([APROF, "report", "--json"], self.cwd).stdout)["flat"][0]
        self.assertRegex("%s:%d %s" % (source["file"], source["line"], source["module"]), r"^/src/sim.s:[1-8] script: sim$")

    def test_machine(self):
        """The example: calls and instructions are exact, the same in each run, and with hooks of its own."""
        self.profile("machine", data="one")
        self.profile("machine", data="two")
        self.assertEqual(self.contexts("one"), self.contexts("two"))
        calls = {h: c[:2] for h, c in self.contexts("one").items()}
        self.assertEqual(calls, {"start": [1, 0], "start fib": [2, 21890], "start fail": [1, 5]})
        self.profile("machine-hooked", data="hooked")
        self.assertEqual(run([APROF, "contexts", "-b", "--raw", "--layer=script", "hooked"], self.cwd).stdout,
                         run([APROF, "contexts", "-b", "--raw", "one"], self.cwd).stdout)

    def test_check(self):
        """`aprof check` by the clock of instructions finds one added call."""
        ops = made(9) + [("u", 0), ("e", 1), ("a", 10), ("l", 0)]
        for name, more in ("base", []), ("same", []), ("new", [("e", 1), ("l", 0)]):
            pathlib.Path(self.cwd, "ops").write_text("".join("%s %d\n" % op for op in ops + more))
            self.profile("replay-plain", "ops", data=name)
        run([APROF, "check", "base", "--against", "same"], self.cwd)
        self.assertRegex(run([APROF, "check", "base", "--against", "new"], self.cwd, status=1).stdout, r"\bf1\b")

    def test_alone(self):
        """Where nobody profiles nothing happens."""
        pathlib.Path(self.cwd, "ops").write_text("d 0\nh 0\ne 1\nd 0\ny 3\nl 0\na 5\nn 0\nu 3\n")
        run(["./replay-plain", "ops"], self.cwd)
        self.assertEqual(run(["./machine"], self.cwd).stdout, "6765\n")

    def test_wrong(self):
        """A leave too many is noted; a layer that there is not is refused."""
        self.check_ops(PLAIN, [("e", 1), ("l", 0), ("l", 0), ("e", 2), ("l", 0)])
        self.assertIn("left that had not been entered", run([APROF, "info"], self.cwd).stdout)
        done = run([APROF, "report", "--layer=both"], self.cwd, status=2)
        self.assertTrue(done.stderr.startswith("aprof: --layer=both: not one of script, native, all\n"), done.stderr)


def main():
    unittest.main(verbosity=1)


main()
