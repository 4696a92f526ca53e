"""simulate.py - what the contexts of a run must be, from its log, without any code of aprof's.

Two independent ways, one checked against the other: the steps A1-A5 of Spivey's paper, taken naively on lists; and the
definition of a context, from the real stack that is kept here: the set of items A[B]C, B being active, called
by A and calling C in its most recent activation."""


def step(history, routine):
    """A1-A5: the history, a tuple of (routine, marked), after a call of ROUTINE."""
    if history and history[-1][0] == routine:                       # A1: direct recursion
        return history
    s = list(history) + [(routine, True)]                           # A2
    for i in range(len(s) - 1):                                     # A3: only the last activation is marked
        if s[i][0] == routine:
            s[i] = (routine, False)
    changed = True
    while changed:
        changed = False
        for i in range(1, len(s) - 1):                              # A4: unmarked between unmarked
            if not s[i - 1][1] and not s[i][1] and not s[i + 1][1]:
                del s[i]
                changed = True
                break
        for i in range(1, len(s)):                                  # A5: adjacent equals
            if not changed and s[i] == s[i - 1] and not s[i][1]:
                del s[i]
                changed = True
                break
    return tuple(s)


def spelled(history):
    """HISTORY as reports have it."""
    return " ".join(routine + ("" if marked else "'") for routine, marked in history)


def items(entries):
    """The items A[B]C of ENTRIES, (routine, marked), at the marked ones."""
    names = [None] + [r for r, _ in entries] + [None]
    return {(names[i], names[i + 1], names[i + 2]) for i, (_, marked) in enumerate(entries) if marked}


def items_of_stack(stack):
    """The same from the real stack: direct recursion is one activation, and only the most recent one of each counts."""
    calls = [r for i, r in enumerate(stack) if i == 0 or stack[i - 1] != r]
    return items([(r, r not in calls[i + 1:]) for i, r in enumerate(calls)])


def events(data):
    at = 0
    while at < len(data):
        kind = data[at:at + 1]
        value = data[at + 1] if kind == b"e" else data[at + 1] << 8 | data[at + 2] if kind == b"u" else 0
        site = data[at + 2] << 8 | data[at + 3] if kind == b"e" else 0
        at += {b"e": 4, b"l": 1, b"u": 3}[kind]
        yield kind, value, site


def simulate(logs, names):
    """{history as text: [entries, recursive]}, {(caller, callee): calls}, {(caller, callee, site): calls} of the threads whose logs are LOGS."""
    contexts, arcs, sites, steps, checked = {}, {}, {}, {}, set()
    for data in logs:
        stack, histories = [], [()]
        for kind, value, site in events(data):
            if kind == b"l":
                stack.pop()
                histories.pop()
            elif kind == b"u":
                del stack[value:], histories[value + 1:]
            else:
                before = histories[-1]
                after = steps.get((before, value))
                if after is None:
                    after = steps[before, value] = step(before, value)
                arc = (names[stack[-1]] if stack else None, names[value])
                arcs[arc] = arcs.get(arc, 0) + 1
                sites[arc + (site,)] = sites.get(arc + (site,), 0) + 1
                stack.append(value)
                histories.append(after)
                contexts.setdefault(after, [0, 0])[before == after] += 1
                if after not in checked:
                    checked.add(after)
                    assert items(after) == items_of_stack(stack), "the simulation contradicts itself"
        assert not stack, "the log ends too early"
    return {" ".join(names[r] + ("" if m else "'") for r, m in h): n for h, n in contexts.items()}, arcs, sites
