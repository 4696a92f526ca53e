"""Inclusive shares of the routines of one and the same run, by aprof and by perf.

perf record interrupts the program with the hooks at a rate of its CPU time and unwinds the stack; a routine's share is that of the
stacks that it is on.  aprof's are those of `aprof report --raw`, which leaves the cost of the hooks in, as perf's samples do.  Both are
estimates: by chance they differ by a few standard deviations of the difference of two shares, and by POINTS for what is no chance.
perf does not get to the outer end of every stack: on one that is cut any routine may have been, so perf's share is between two.

    what perf script prints, the JSON of a report -> lines on what differs"""

import math
import subprocess
from collections import Counter

import sampled
from recipe import Trouble

HEAVIEST = 10       # routines that are compared
DEVIATIONS = 4      # by chance; of ten routines of ten programs one is beyond 4 in a hundred runs
POINTS = 0.03       # as in doc/accuracy.md
LATE = 0.1          # of aprof's looks, beyond which they are no fair sample
FEW = 100           # samples of which nothing can be said
UNKNOWN = "[unknown]"


class Samples:
    """Samples by sets of routines."""

    def __init__(self):
        self.whole, self.cut = Counter(), Counter()     # frozenset of the program's routines on a stack -> samples

    def add(self, lines, program):
        """Those in what perf script printed in LINES, of PROGRAM, the executable."""
        linked = Counter((frozenset(symbol for symbol, file in stack if file == program), stack[-1][0] == UNKNOWN)
                         for stack in sampled.stacks(lines))
        names = sampled.routines_of({symbol for symbols, _ in linked for symbol in symbols})
        for (symbols, is_cut), n in linked.items():
            (self.cut if is_cut else self.whole)[frozenset(names[symbol] for symbol in symbols)] += n

    def read(self, path, program):
        """Those in the file that perf record left at PATH."""
        done = subprocess.run([*sampled.SCRIPT, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        if done.returncode:
            raise Trouble(f"perf script failed: {done.stderr.strip()[:200]}")
        self.add(done.stdout.splitlines(), program)

    def total(self, routines):
        """Samples with one of ROUTINES, those with hooks, and the cut ones."""
        return sum(n for on, n in self.whole.items() if on & routines) + sum(self.cut.values())

    def of(self, name):
        """Samples with the routine NAME: at least, at most."""
        least, most = (sum(n for on, n in kind.items() if (name in on) == there)
                       for kind, there in ((self.whole + self.cut, True), (self.cut, False)))
        return least, least + most


def of_report(report):
    """Inclusive nanoseconds by routine, and all.  Routines of one name are one to perf, and may call each other: they are left out."""
    rows = [row for row in report["flat"] if not row["pseudo"]]
    met = Counter(row["name"] for row in rows)
    return {row["name"]: row["total_ns"] for row in rows if met[row["name"]] == 1}, report["run"]["times"]["contexts_ns"]


def ticks_of(report):
    return sum(row["self_ticks"] for row in report["flat"] if not row["pseudo"])


def late(report):
    """Of aprof's looks, the share that came late: where all processors are busy it looks when the program sleeps, and says so."""
    count = sum(note["count"] for note in report["run"]["notes"] if note["note"] == "overrun")
    return count / max(count + ticks_of(report), 1)


def tolerance(share, samples, ticks):
    """How far a SHARE by so many samples of perf's and ticks of aprof's may be off."""
    spread = max(share * (1 - share), 0.01)
    return DEVIATIONS * math.sqrt(spread * (1 / samples + 1 / ticks)) + POINTS


def differing(report, samples):
    """(routines compared, the largest difference, lines on what is beyond the tolerance); no routine where there are too few samples."""
    times, whole = of_report(report)
    total, ticks = samples.total({row["name"] for row in report["flat"] if not row["pseudo"]}), ticks_of(report)
    if min(total, ticks) < FEW:
        return 0, 0.0, []
    names, worst, lines = sorted(times, key=lambda name: (-times[name], name))[:HEAVIEST], 0.0, []
    for name in names:
        own, (least, most) = times[name] / whole, (n / total for n in samples.of(name))
        off = max(least - own, own - most, 0)
        worst = max(worst, off)
        if off > tolerance(own, total, ticks):
            lines.append(f"{name}: {100 * own:.1f} % by aprof, {100 * least:.1f} to {100 * most:.1f} % by perf")
    return len(names), worst, lines
