"""Random scripts of Python whose greenlets switch to one another, and the contexts that a profile of theirs must have.

A script appends to its list LOG a call of a function, (name, number of the greenlet), and the end of the one that was called last there, (None, number).  A
greenlet that goes on does so on behalf of the one that ran before, unless it was on its own behalf that that one ran."""
import pathlib, random, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "random"))
import simulate  # noqa: E402

HEAD = """import greenlet, json, os, sys
sys.setrecursionlimit(100000)
LOG, ALL = [], []
class Own:
    def __init__(self, of):
        self.number, self.greenlet = len(ALL), of
        ALL.append(self)
"""
CALLS = "greenlet.greenlet.switch", "greenlet.greenlet.throw"


class Writer:
    """Makes one script: functions f0..., some of which start greenlets, which begin with `start`, and go to others."""
    def __init__(self, seed):
        self.draw, self.lines = random.Random(seed), [HEAD]
        self.functions = self.draw.randint(2, 5)

    def add(self, indent, *lines):
        self.lines += ["    " * indent + line for line in lines]

    def call(self):
        return "f%d(n - 1, g)" % self.draw.randrange(self.functions)

    def go(self, indent, how, condition):
        self.add(indent, "to = ALL[%s %% len(ALL)]" % self.draw.choice(["len(LOG) * 7", "-1", "len(LOG)", "(g.number - 1)", "(g.number + 1)"]),
                 "if %s and not to.greenlet.dead and to is not g:" % condition)
        self.add(indent + 1, "LOG.append((%r, g.number))" % CALLS["throw" in how], "try: to.greenlet." + how, "finally: LOG.append((None, g.number))")

    def statement(self, indent, deep):
        kind = self.draw.randrange(9)
        if kind < 2:
            self.add(indent, "if n > %d: %s" % (self.draw.randint(0, 2), self.call()))
        elif kind == 2:
            self.add(indent, "if (n * 5 + len(LOG)) %% %d == 0: raise ValueError(n)" % self.draw.randint(5, 13))
        elif kind == 3 and deep < 2:
            self.add(indent, "try:")
            self.add(indent + 1, "pass")
            self.body(indent + 1, deep + 1)
            self.add(indent, "except ValueError: " + self.call())
        elif kind == 4:
            self.add(indent, "Own(greenlet.greenlet(start))")
        elif kind < 8:
            self.go(indent, "switch(*[] if to.greenlet else [to])", "True")
        else:
            self.go(indent, "throw(ValueError(n))", "to.greenlet")

    def body(self, indent, deep=0):
        for _ in range(self.draw.randint(1, 4)):
            self.statement(indent, deep)

    def script(self):
        fuel = self.draw.choice([1500, 4000])
        for i in range(self.functions):
            self.add(0, "def f%d(n, g):" % i)
            self.add(1, "LOG.append(('f%d', g.number))" % i, "try:")
            self.add(2, "if n <= 0 or len(LOG) > %d: return" % fuel)
            self.body(2)
            self.add(1, "finally: LOG.append((None, g.number))")
        for name, times in ("start", 1), ("root", 20):
            self.add(0, "def %s(g):" % name)
            self.add(1, "LOG.append((%r, g.number))" % name, "for n in [%d] * %d:" % (self.draw.randint(4, 6), times))
            self.add(2, "Own(greenlet.greenlet(start))" if name == "root" else "pass", "try: " + self.call(), "except ValueError: pass")
            self.add(1, "LOG.append((None, g.number))")
        self.add(0, "root(Own(greenlet.getcurrent()))", "with open('log.json', 'w') as file: json.dump(LOG, file)", "os._exit(0)")
        return "\n".join(self.lines) + "\n"


def script(seed):
    return Writer(seed).script()


class Greenlet:
    def __init__(self):
        self.open, self.base, self.here, self.resumer, self.begun = [], (), (), None, False


class Replay:
    """Contexts -> [entries, recursive calls], by a log."""
    def __init__(self, log):
        self.now, self.runs, self.counts, self.all = (), Greenlet(), {}, {}
        self.runs.begun, self.all[0] = True, self.runs
        for name, number in log:
            self.follow(self.all.setdefault(number, Greenlet()))
            if name:
                before, self.now = self.now, simulate.step(self.now, name)
                self.counts.setdefault(self.now, [0, 0])[self.now == before] += 1
                self.runs.open.append((name, before))
            else:
                self.now = self.runs.open.pop()[1]

    def follow(self, to):
        above = self.runs
        if to is above:
            return
        while above and above is not to:
            above = above.resumer
        left = self.runs
        left.here, left.base = self.now, left.base if left.open else self.now
        if not above:
            to.resumer = left
            if not to.begun or to.base != self.now:
                self.move(to)
        to.begun, self.runs, self.now = True, to, to.here

    def move(self, greenlet):
        """What is open in it counts as called by who is open now."""
        greenlet.base = greenlet.here = self.now
        for i, (name, _) in enumerate(greenlet.open):
            greenlet.open[i] = name, greenlet.here
            greenlet.here = simulate.step(greenlet.here, name)


def contexts(log):
    return {simulate.spelled(history): counts for history, counts in Replay(log).counts.items()}


def names(log):
    return {name for name, _ in log if name}
