"""What the tests of a suite came to: parsed from what it printed, and compared.

A parser makes of a suite's standard output a Results: the outcome of each test, by name, and what is wrong with the output
as a whole.  A name that comes again gets a number, name#2, so that every test is compared and counted.  Not one of them
takes a suite that was broken off for one that passed: each knows how its format says that it is complete."""

import collections
import re

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


class Results:
    def __init__(self):
        self.outcomes = {}      # name -> PASSED, FAILED or SKIPPED
        self.wrong = []         # what is wrong with the output, a line each
        self.told = ""          # the suite's own sum, of tests without a name of their own too
        self._seen = collections.Counter()

    def add(self, name, outcome):
        self._seen[name] += 1
        again = self._seen[name]
        self.outcomes[name if again == 1 else f"{name}#{again}"] = outcome

    def names(self, outcome):
        return sorted(name for name, own in self.outcomes.items() if own == outcome)

    def count(self, outcome):
        return sum(own == outcome for own in self.outcomes.values())


def tap(text):
    """The Test Anything Protocol: `ok 3 - name`, `not ok 4 - name`, `ok 5 - name # SKIP why`, and the plan `1..N`."""
    results, plan = Results(), None
    for line in text.splitlines():
        found = re.fullmatch(r"(not )?ok\b *\d* *-? *([^#]*?) *(#.*)?", line)
        if found:
            directive = (found[3] or "").lstrip("# ").upper()
            skipped = directive.startswith(("SKIP", "TODO"))
            results.add(found[2], SKIPPED if skipped else FAILED if found[1] else PASSED)
        elif re.fullmatch(r"1\.\.\d+", line):
            plan = int(line[3:])
    if plan != len(results.outcomes):
        results.wrong.append(f"{len(results.outcomes)} of {'an unknown number of' if plan is None else plan} planned tests ended")
    return results


def gtest(text):
    """GoogleTest: `[       OK ] Suite.Test (0 ms)`; its list of failures at the end has no times.  What was begun and has no
    outcome died with the program."""
    results, begun = Results(), []
    outcomes = {"OK": PASSED, "FAILED": FAILED, "SKIPPED": SKIPPED}
    for line in text.splitlines():
        start = re.search(r"^\[ RUN      \] (\S+)$", line)
        # A test may print an unfinished line of its own before the outcome.
        end = re.search(r"\[ +(OK|FAILED|SKIPPED) +\] ([^\s,]+).* \(\d+ ms\)$", line)
        if start:
            begun.append(start[1])
        elif end:
            results.add(end[2], outcomes[end[1]])
    for name in begun:
        if name not in results.outcomes:
            results.add(name, FAILED)
    told = re.search(r"^\[={10}\] (\d+) tests? from \d+ test (?:suite|case)s? ran", text, re.M)
    if not told or int(told[1]) != len(results.outcomes):
        results.wrong.append(f"{len(results.outcomes)} tests seen, the suite says {told[1] if told else 'nothing'}")
    return results


def sqlite(text):
    """SQLite's tester.tcl: `name... Ok`, `name... Omitted`, or `name...` and then lines `! name expected: ...`; after the tests
    of a file `Time: FILE 12 ms`, and at the end `0 errors out of N tests`.  Tests that tester.tcl counts without a name of their
    own are in N alone.  A test is named with its file, `select1.test: select1-1.1`."""
    results, own, begun, sums = Results(), [], None, []
    for line in text.splitlines():
        # Tests with threads print dots of their own, as many as they come to.
        test = re.match(r"\.*([^.\s].*?)\.\.\.( Ok| Omitted)?$", line)
        file = re.match(r"Time: (\S+)", line)
        total = re.match(r"\d+ errors? out of \d+ tests", line)
        if test and test[2]:
            own.append((test[1], PASSED if test[2] == " Ok" else SKIPPED))
        elif test:
            begun = test[1]
        elif begun and line.startswith("! "):
            own.append((begun, FAILED))
            begun = None
        elif file:
            for name, end in own:
                results.add(f"{file[1]}: {name}", end)
            own = []
        elif total:
            sums.append(total[0])
    results.told = ", ".join(sums)
    if not sums or own:
        results.wrong.append(f"no line tells the number of errors, and {len(own)} tests are of a file that did not end")
    return results


PARSERS = {"tap": tap, "gtest": gtest, "sqlite": sqlite}


def differing(bare, other):
    """Names of the tests whose outcome is not the same, or that one of the two has not."""
    names = bare.outcomes.keys() | other.outcomes.keys()
    return sorted(name for name in names if bare.outcomes.get(name) != other.outcomes.get(name))


def unsteady(name, bare_runs):
    """Whether a test came to different ends without aprof: then its difference says nothing."""
    return len({run.outcomes.get(name) for run in bare_runs}) > 1
