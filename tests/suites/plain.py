"""Own shares of a program's routines: as aprof states them of the program with hooks, and as perf samples them in the one without.

These are other runs of another build, which do the same work.  perf record interrupts the program at a rate of its CPU time, in the kernel too; a sample
counts for the innermost routine on its stack that has hooks in the other build, since there aprof charges the time of libraries and of the kernel
(bench/lib/sampled.py).  Of each of aprof's runs the ten heaviest routines are claims.  One holds if perf's share, of all its runs, is
within the error that is stated and perf's own, which is that of its samples, or what its runs differ by if that is more."""

import math
from collections import Counter
from dataclasses import dataclass, field

import sampled

HEAVIEST = 10       # routines
STATED = 1.96       # standard deviations that an error is, for 95 of 100
DEVIATIONS = 5      # that no claim may be off by
HELD = 0.9          # of the claims must hold
FEW = 100           # samples of which nothing can be said


@dataclass
class Comparison:
    claims: int = 0
    held: int = 0
    worst: str = ""                                 # the claim that is farthest off
    wrong: list = field(default_factory=list)       # lines on what is beyond the tolerance
    width: float = 0.0                              # the mean error stated


def stated(report):
    """routine -> (its own share of the run, the error).  Routines of one name are one to perf: they are left out."""
    whole = max(report["run"]["times"]["contexts_ns"] + report["run"]["times"]["outside_ns"], 1)
    rows = [row for row in report["flat"] if not row["pseudo"]]
    met = Counter(row["name"].partition("(")[0] for row in rows)
    return {row["name"]: (row["self_ns"] / whole, (row["self_error_ns"] or 0) / whole) for row in rows if met[row["name"].partition("(")[0]] == 1}


def with_fortran(aliases, counters):
    """ALIASES, and beside the symbols of Fortran's routines, which end with an underscore, the names that aprof prints."""
    symbols = {name for counter in counters for *names, _ in counter for name in names if name.endswith("_")}
    return {**aliases, **{symbol: [*aliases.get(symbol, []), symbol[:-1]] for symbol in symbols}}


def shares_by_perf(counters, routines, aliases):
    """A function from a routine to (its share, its standard deviation); None where there are too few samples.  COUNTERS: of each run of the plain program, as
    sampled.read has them."""
    aliases = with_fortran(aliases, counters)
    rounds = [sampled.fold(counter, routines, aliases)[0] for counter in counters]
    totals = [sum(inside.values()) for inside in rounds]
    total = sum(totals)
    if min(totals, default=0) < FEW:
        return None

    def share_of(name):
        shares = [inside[name] / n for inside, n in zip(rounds, totals)]
        mean = sum(inside[name] for inside in rounds) / total
        between = sum((share - mean) ** 2 for share in shares) / max(len(shares) - 1, 1) / len(shares)
        return mean, math.sqrt(max(between, mean * (1 - mean) / total, (1 / total) ** 2))

    return share_of


def compare(reports, counters, aliases):
    """What came of REPORTS, a run of the program with hooks each; claims is 0 where there is too little."""
    made, far, widths = Comparison(), 0.0, []
    share_of = shares_by_perf(counters, {row["name"] for report in reports for row in report["flat"] if not row["pseudo"]}, aliases)
    for report in reports if share_of else []:
        rows = stated(report)
        for name in sorted(rows, key=lambda name: (-rows[name][0], name))[:HEAVIEST]:
            (own, error), (true, deviation) = rows[name], share_of(name)
            within = max(math.hypot(error, STATED * deviation), 1e-4)
            off = abs(own - true) / within
            line = f"{name}: {100 * own:.1f} ± {100 * error:.1f} % by aprof, {100 * true:.1f} ± {100 * STATED * deviation:.1f} by perf"
            made.claims, made.held = made.claims + 1, made.held + (off <= 1)
            widths.append(error)
            if off > far:
                far, made.worst = off, line
            if off > DEVIATIONS / STATED:
                made.wrong.append(line)
    made.width = sum(widths) / max(len(widths), 1)
    if made.held < HELD * made.claims and not made.wrong:
        made.wrong.append(f"{made.held} of {made.claims} within the stated error; {made.worst}")
    return made
