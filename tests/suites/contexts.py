"""The contexts that a suite's processes were in, test by test, and whether two ways counted the same.

A profile named TEST:ANYTHING is of that test; those of all its processes are summed.  Ways that hook the same routines count the
same entries and direct recursive calls in each context, if the test does the same each time.  What it does not (time, process
numbers, what comes first) shows in runs by one and the same way: such contexts are unsteady, and told apart.

    profiles of a run -> {test: Contexts}; runs by two ways -> Held"""

import os
import subprocess
import zlib
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

ALIKE = ("inline", "fentry")    # the ways that hook the same routines
MOST = 400                      # profiles on one command line


class Contexts:
    """history -> (entries, direct recursive calls); kept small, for a run has many."""

    def __init__(self, counts):
        lines = sorted(f"{entries} {recursive} {history}" for history, (entries, recursive) in counts.items())
        self.count = len(lines)
        self.calls = sum(entries + recursive for entries, recursive in counts.values())
        self._packed = zlib.compress("\n".join(lines).encode(), 1)

    def __eq__(self, other):
        return self._packed == other._packed

    def counts(self):
        return parse(zlib.decompress(self._packed).decode())


def parse(text):
    """history -> (entries, recursive) of lines `ENTRIES RECURSIVE HISTORY`."""
    rows = (line.split(" ", 2) for line in text.splitlines())
    return {history: (int(entries), int(recursive)) for entries, recursive, history in rows}


def test_of(path):
    """The test that left the profile at PATH, "" if its name says none."""
    return os.path.basename(path).rpartition(":")[0]


def by_test(aprof, paths):
    """{test: Contexts} of the profiles PATHS that say of which test they are."""
    groups = defaultdict(list)
    for path in paths:
        if test_of(path):
            groups[test_of(path)].append(path)
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(groups, pool.map(lambda own: total(aprof, own), groups.values())))


def total(aprof, paths):
    """The sum of PATHS.  A file that cannot be read is profiles.py's to tell."""
    sums = {}
    for i in range(0, len(paths), MOST):
        done = subprocess.run([aprof, "contexts", "--", *paths[i:i + MOST]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              errors="surrogateescape")
        for line in done.stdout.splitlines():
            entries, recursive, _, history = line.split(" ", 3)
            if (entries, recursive) != ("0", "0"):
                old = sums.get(history, (0, 0))
                sums[history] = old[0] + int(entries), old[1] + int(recursive)
    return Contexts(sums)


# ---- comparing ----

@dataclass
class Held:
    """Two ways held against each other."""
    ways: tuple
    tests: int = 0              # that left profiles by both ways
    equal: int = 0              # in each context, at once
    contexts: int = 0           # compared, counted once a test
    calls: int = 0              # in all contexts by the first way, of its first run
    unsteady: dict = field(default_factory=dict)    # test -> lines on the contexts that were not twice the same
    differing: dict = field(default_factory=dict)   # test -> lines on the contexts that differ, the shortest first


def hold(ways, first, other):
    """Held of the runs FIRST by one way and OTHER by another, lists of {test: Contexts}; the later ones, of some tests by themselves."""
    held = Held(ways)
    for test in sorted(first[0].keys() | other[0].keys()):
        held.tests += 1
        own = [[run[test] for run in runs if test in run] for runs in (first, other)]
        held.calls += own[0][0].calls if own[0] else 0
        if own[0] and own[1] and own[0][0] == own[1][0]:
            held.equal += 1
            held.contexts += own[0][0].count
        else:
            _hold_test(held, test, *([run.counts() for run in runs] or [{}] for runs in own))
    return held


def _hold_test(held, test, first, other):
    """Context by context, a test that was not equal at once."""
    unsteady, differing = [], []
    for history in set().union(*first, *other):
        one, two = ([run.get(history, (0, 0)) for run in runs] for runs in (first, other))
        if len({*one, *two}) == 1:
            held.contexts += 1
        elif _is_unsteady(set(one[1:]), set(two[1:])):
            unsteady.append((history, one[0], two[0]))
        else:
            held.contexts += 1
            differing.append((history, one[-1], two[-1]))
    if unsteady:
        held.unsteady[test] = _lines(unsteady)
    if differing:
        held.differing[test] = _lines(differing)


def _is_unsteady(one, two):
    """Do counts of a context in repeated runs, by each way, say nothing of the ways?  What varies by one way alone does."""
    return bool(one & two) or (len(one) > 1 and len(two) > 1)


def _lines(parting):
    parting.sort(key=lambda row: (len(row[0].split()), row[0]))
    return [f"{one[0]}+{one[1]}, {two[0]}+{two[1]}: {history}" for history, one, two in parting]
