"""Inclusive shares of the routines of one and the same run, by aprof and by perf.

perf record interrupts the program with the hooks at a rate of its CPU time and unwinds the stack; a routine's share is that of the
stacks that it is on.  aprof's are those of `aprof report --raw`, which leaves the cost of the hooks in, as perf's samples do.  Both are
estimates: by chance they differ by a few standard deviations of the difference of two shares, and by POINTS for what is no chance.
perf does not get to the outer end of every stack, and does not always say so: one that ends in a routine that somebody calls, of the program
or of a library, is cut. On that any routine may have been, so perf's share is between two.

Narrower is the error that the report states beside each share, which 95 of 100 are within.  Together with perf's own, of as much
confidence, it has most of them; how many is told, and no failure.

    what perf script prints, the JSON of a report -> what differs"""

import math
import os
import re
import subprocess
from collections import Counter
from dataclasses import dataclass, field

import sampled
from recipe import Trouble

HEAVIEST = 10       # routines that are compared
DEVIATIONS = 4      # by chance; of ten routines of ten programs one is beyond 4 in a hundred runs
POINTS = 0.03       # as in bench/records/accuracy.md
LATE = 0.1          # of the time, for which aprof's looks came late: a quieter moment may tell more
FEW = 100           # samples of which nothing can be said
STATED = 1.96       # standard deviations that a stated error is, for 95 of 100
UNKNOWN = "[unknown]"
BEGINS = re.compile(r"_start|main|sampler_start")         # routines of a program that nobody calls whom perf could find
LIBRARY_BEGINS = re.compile(r"__libc_start.*|start_thread|(__)?clone3?")  # the same of the C library, whatever its version
BEFORE = re.compile(r"ld[-.].*")    # the loader, at work before there is a program


def ends_early(outermost, program):
    """Is a stack with this OUTERMOST frame, (symbol, file), cut?"""
    symbol, file = outermost
    if file == program:
        return symbol == UNKNOWN or not BEGINS.fullmatch(symbol)
    of_library = file.startswith("/") and not BEFORE.fullmatch(os.path.basename(file))
    return symbol == UNKNOWN or (of_library and not LIBRARY_BEGINS.fullmatch(symbol.partition("@")[0]))


class Samples:
    """Samples by sets of routines."""

    def __init__(self):
        self.whole, self.cut = Counter(), Counter()     # frozenset of the program's routines on a stack -> samples

    def add(self, lines, program):
        """Those in what perf script printed in LINES, of PROGRAM, the executable."""
        linked = Counter((frozenset(symbol for symbol, file in stack if file == program), ends_early(stack[-1], program))
                         for stack in sampled.stacks(lines))
        names = sampled.routines_of({symbol for symbols, _ in linked for symbol in symbols})
        for (symbols, is_cut), n in linked.items():
            (self.cut if is_cut else self.whole)[frozenset(names[symbol] for symbol in symbols)] += n

    def read(self, path, program, only=False):
        """Those in the file that perf record left at PATH; ONLY of threads that have the PROGRAM's name."""
        command = [*sampled.SCRIPT, path, *(["--comms", os.path.basename(program)[:15]] if only else [])]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
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


@dataclass
class Comparison:
    """What came of one; nothing compared where there are too few samples."""
    compared: int = 0           # routines
    worst: float = 0.0          # the largest difference of two shares
    stated: int = 0             # routines that are within the stated errors
    wrong: list = field(default_factory=list)       # lines on what is beyond the tolerance


def of_report(report):
    """Rows by routine.  Routines of one name are one to perf, and may call each other: they are left out."""
    rows = [row for row in report["flat"] if not row["pseudo"]]
    met = Counter(row["name"] for row in rows)
    return {row["name"]: row for row in rows if met[row["name"]] == 1}


def ticks_of(report):
    return sum(row["self_ticks"] for row in report["flat"] if not row["pseudo"])


def late(report):
    """The part of the time for which aprof's looks came too late: it says so, and states errors that are as much wider."""
    times = report["run"]["times"]
    return times["unsure_ns"] / max(times["raw_ns"] + times["monitor_ns"] + times["unplaced_ns"], 1)


def deviation(share, samples):
    """The standard deviation of a SHARE of so many samples."""
    return math.sqrt(max(share * (1 - share), 0.01) / samples)


def tolerance(share, samples, ticks, error):
    """How far a SHARE by so many samples of perf's and ticks of aprof's, which states such an ERROR, may be off."""
    by_perf = deviation(share, samples)
    return max(DEVIATIONS * math.hypot(by_perf, deviation(share, ticks)) + POINTS, error + DEVIATIONS * by_perf)


def compare(report, samples):
    rows, whole, made = of_report(report), report["run"]["times"]["contexts_ns"], Comparison()
    total, ticks = samples.total({row["name"] for row in report["flat"] if not row["pseudo"]}), ticks_of(report)
    if min(total, ticks) < FEW:
        return made
    for name in sorted(rows, key=lambda name: (-rows[name]["total_ns"], name))[:HEAVIEST]:
        own, error = (rows[name][key] / whole for key in ("total_ns", "total_error_ns"))
        least, most = (n / total for n in samples.of(name))
        off = max(least - own, own - most, 0)
        made.compared += 1
        made.worst = max(made.worst, off)
        made.stated += off <= math.hypot(error, STATED * deviation(own, total))
        if off > tolerance(own, total, ticks, error):
            made.wrong.append(f"{name}: {100 * own:.1f} % by aprof, {100 * least:.1f} to {100 * most:.1f} % by perf")
    return made
