"""Two samples of one run's time, held against each other: shares of routines, arcs and contexts, and what their differences may be."""

import collections
import math

KINDS = ("routines alone", "routines with callees", "arcs", "contexts")

Row = collections.namedtuple("Row", "z exact stacks what")


class Source:
    """What one source says: STACKS, a Counter of how often each was found, by the routines of HOOKED alone."""

    def __init__(self, stacks, hooked):
        self.contexts = collections.Counter()
        for stack, count in stacks.items():
            inner = tuple(name for name in stack if name.rstrip("'") in hooked)
            if inner:
                self.contexts[inner] += count
        self.n = sum(self.contexts.values())

    def shares(self, kind):
        """What the parts of KIND have of the time."""
        parts = collections.Counter()
        for stack, weight in self.contexts.items():
            for part in set(_parts(stack, kind)):
                parts[part] += weight
        return {part: weight / self.n for part, weight in parts.items()}

    def falsified(self, generator, least):
        """The same with two routines, each of LEAST of the time or more by itself, changing names."""
        heavy = sorted(name for name, share in self.shares(KINDS[0]).items() if share >= least)
        one, two = generator.sample(heavy, 2)
        names = {one: two, two: one}
        renamed = {tuple(names.get(name, name) for name in stack): count for stack, count in self.contexts.items()}
        return Source(renamed, {name.rstrip("'") for stack in renamed for name in stack})


def _parts(stack, kind):
    if kind == KINDS[3]:
        return [stack]
    stack = [name.rstrip("'") for name in stack]
    if kind == KINDS[0]:
        return [stack[-1]]
    if kind == KINDS[1]:
        return stack
    return [arc for arc in zip(stack, stack[1:]) if arc[0] != arc[1]]


def _z(a, b, n, m):
    """The difference of the shares A of N samples and B of M over its standard error."""
    p = (a * n + b * m) / (n + m)
    error = math.sqrt(max(p * (1 - p), 1 / (n + m)) * (1 / n + 1 / m))
    return (b - a) / error


def compare(exact, stacks, kind, least):
    """Rows of all parts of KIND that have LEAST of the time by either source, the largest z first."""
    a, b = exact.shares(kind), stacks.shares(kind)
    what = {part for shares in (a, b) for part, share in shares.items() if share >= least}
    rows = [Row(_z(a.get(part, 0), b.get(part, 0), exact.n, stacks.n), a.get(part, 0), b.get(part, 0), part) for part in what]
    return sorted(rows, key=lambda row: -abs(row.z))


def summary(rows):
    """The last cells of a row of the table."""
    if not rows:
        return "0 | | | "
    within = sum(abs(row.z) <= 2 for row in rows) / len(rows)
    most = max(abs(row.stacks - row.exact) for row in rows)
    return f"{len(rows)} | {100 * within:.0f} % | {abs(rows[0].z):.1f} | {100 * most:.2f} points"
