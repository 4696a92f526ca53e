"""The ten of the first screen against perf: the five with most time of their own, and the five with most in all (`aprof hot --json`).

perf record interrupts the program without hooks at a rate of its CPU time, in the kernel too, and unwinds the stack.  A sample's innermost symbol is whose own
time it is, by that name: of the program, of a library, or [kernel] as a whole; the table of jumps of a module is `(plt)`.  All symbols on a stack have it in all;
one that is cut may have been below any.  Each of the ten is a claim.  It holds if perf knows the name, and its share is within the stated error and perf's own."""

import math
import os
import re
import subprocess
from collections import Counter
from dataclasses import dataclass, field

import inclusive
import sampled
from recipe import Trouble

STATED = 1.96       # standard deviations that an error is, for 95 of 100
DEVIATIONS = 5      # that no claim may be off by
POINTS = 0.005      # for what is no chance: perf's symbols end where the next begins, and its interrupts are late by some instructions
HELD = 0.9          # of the claims must hold
FEW = 100           # samples of which nothing can be said
KERNEL = "[kernel]"
VARIANT = re.compile(r".* \((__\w+)\)")         # a library's for some processors: `memset (__memset_avx2_unaligned_erms)`
NAMELESS = re.compile(r"(.*\+)?0x[0-9a-f]+|\(no symbols\)")


@dataclass
class Comparison:
    claims: int = 0
    held: int = 0
    wrong: list = field(default_factory=list)       # lines on what is beyond the tolerance


def name_of(symbol, file, names):
    """What aprof calls the code of SYMBOL in FILE."""
    if file.startswith("[kernel") or file.startswith("[guest.kernel") or file.endswith(".ko"):
        return KERNEL
    if symbol.endswith("@plt"):
        return "(plt)"
    return names.get(symbol, symbol)


class Shares:
    """Of the stacks of some runs, whose own time it was, and who was active."""

    def __init__(self):
        self.own, self.whole, self.cut = Counter(), Counter(), Counter()
        self.files = set()      # of the code on the stacks

    def add(self, lines, program):
        met = [(tuple(stack), inclusive.ends_early(stack[-1], program)) for stack in sampled.stacks(lines)]
        names = sampled.routines_of({symbol for stack, _ in met for symbol, _ in stack})
        self.files |= {file for stack, _ in met for _, file in stack}
        for stack, is_cut in met:
            self.own[name_of(*stack[0], names)] += 1
            (self.cut if is_cut else self.whole)[frozenset(name_of(symbol, file, names) for symbol, file in stack)] += 1

    def read(self, path, program):
        """Add those in the file that perf record left at PATH, of the threads that have the PROGRAM's name."""
        done = subprocess.run([*sampled.SCRIPT, path, "--comms", os.path.basename(program)[:15]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        if done.returncode:
            raise Trouble(f"perf script failed: {done.stderr.strip()[:200]}")
        self.add(done.stdout.splitlines(), program)

    @property
    def n(self):
        return sum(self.own.values())

    def of_own(self, name):
        """Samples in NAME itself: at least, at most."""
        if NAMELESS.fullmatch(name):        # perf tells no such function from another
            return 0, self.own[inclusive.UNKNOWN]
        return (self.own[name],) * 2

    def of_total(self, name):
        """Samples with NAME active."""
        if NAMELESS.fullmatch(name):
            return 0, sum(n for on, n in self.whole.items() if inclusive.UNKNOWN in on) + sum(self.cut.values())
        least, most = (sum(n for on, n in kind.items() if (name in on) == there) for kind, there in ((self.whole + self.cut, True), (self.cut, False)))
        return least, least + most


def names_of(row, aliases):
    """The names that perf may have for ROW: its own, another of the same code, or that of all of the kernel."""
    if row["module"] == KERNEL:
        return [KERNEL]
    variant = VARIANT.fullmatch(row["name"])
    name = variant[1] if variant else row["name"]
    return [name, *aliases.get(name, [])]


def claim(row, whole, samples, of, aliases):
    """(what ROW is off by, in what its claim allows; a line on it)."""
    own, error = row["time_ns"] / whole, (row["error_ns"] or 0) / whole
    least, most = max((of(name) for name in names_of(row, aliases)), key=lambda pair: pair[1])
    least, most = least / samples.n, most / samples.n
    off = max(least - own, own - most, 0)
    within = math.hypot(error, STATED * inclusive.deviation(own, samples.n)) + POINTS
    return off / within, f"{row['name']}: {100 * own:.1f} ± {100 * error:.1f} % by aprof, {100 * least:.1f} to {100 * most:.1f} by perf"


def aliases_in(hot, samples, program):
    """Of PROGRAM, and of the libraries in SAMPLES that are on the first screen HOT."""
    modules = {row["module"] for table in ("by_own", "by_total") for row in hot[table]}
    libraries = {file for file in samples.files if os.path.basename(file) in modules and os.path.isfile(file)}
    merged = {}
    for path in libraries | {program}:
        for name, others in sampled.aliases_in(path).items():
            merged[name] = sorted({*merged.get(name, []), *others})
    return merged


def compare(hot, samples, aliases):
    """What came of HOT, the first screen's JSON; claims is 0 where there is too little.  ALIASES: as aliases_in() says."""
    made = Comparison()
    if samples.n < FEW or hot["samples"] < FEW:
        return made
    for table, of in ("by_own", samples.of_own), ("by_total", samples.of_total):
        for row in hot[table]:
            off, line = claim(row, hot["time_ns"], samples, of, aliases)
            made.claims, made.held = made.claims + 1, made.held + (off <= 1)
            if off > DEVIATIONS / STATED:
                made.wrong.append(f"{table[3:]} time: {line}")
    if made.held < HELD * made.claims and not made.wrong:
        made.wrong.append(f"{made.held} of {made.claims} within the stated error")
    return made

