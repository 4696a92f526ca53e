"""judge.py - what a program says of its times (truth.h) against what aprof states of the same run.

    truth(told, bare, clock) -> Truth: shares and by how much they may be off
    claims(report, truth) -> [Claim]: of each routine its own share of the run, and of each (caller, routine) its share of the routine's total

A claim holds if the true share is no farther off than the error that is stated, and what the truth itself is off by."""
import math
from collections import defaultdict, namedtuple

LEAST = 0.005               # of the run: what is less on both sides is no claim
BORDER_UNSURE = 0.3         # how well a border's cost is known, as a part of it
PROCESS_UNSURE = 0.25       # and what the bare program's forks and waits say of those with hooks
DEVIATIONS = 1.96           # of a normal distribution, for 95 of 100
OWN, DOUBT, PROCESS = range(3)

# run: seconds; own: routine -> seconds; arcs: (caller, routine) -> seconds, callees included; total: routine -> the same of all callers; unsure: the same
# keys -> seconds; border: seconds of the program that were borders
Truth = namedtuple("Truth", "run own arcs total unsure")

# what: a routine, or "routine < caller"; stated and width: the share and its error; alone: the error by the number of samples alone
Claim = namedtuple("Claim", "what true unsure stated width alone")


def holds(claim):
    return abs(claim.stated - claim.true) <= claim.width + claim.unsure + 1e-9


def path(nodes, i):
    names = []
    while i:
        names.append(nodes[i - 1]["name"])
        i = nodes[i - 1]["parent"]
    return tuple(reversed(names))


def process_costs(bare, clock):
    """What a border of kind PROCESS takes in the program without hooks, by path, ns."""
    return {path(bare["nodes"], i + 1): node[clock][PROCESS] / node["processes"] for i, node in enumerate(bare["nodes"]) if node["processes"]}


def times(told, bare, clock):
    """Of each node its own time and what that is off by, ns.  Of CPU time a border's first half is in truth who is left, and to aprof who is entered: it goes to the
    callee, like the second half of the border at its end."""
    nodes, costs = told["nodes"], process_costs(bare, clock) if bare else {}
    border = told["border_ns"] if clock == "cpu" else 0
    own, unsure = [0.0] * (len(nodes) + 1), [0.0] * (len(nodes) + 1)
    for i, node in enumerate(nodes, 1):
        crossing = node["entries"] * border
        of_processes = node["processes"] * costs.get(path(nodes, i), 0) if bare else node[clock][PROCESS]
        own[i] += node[clock][OWN] + node[clock][DOUBT] + of_processes + crossing
        unsure[i] += node[clock][DOUBT] + PROCESS_UNSURE * of_processes * bool(bare) + BORDER_UNSURE * crossing
        own[node["parent"]] -= crossing
        unsure[node["parent"]] += node[clock][DOUBT] + BORDER_UNSURE * crossing
    return own, unsure


def truth(told, bare, clock):
    """What TOLD says by CLOCK, cpu or wall; BARE is the same of a run without hooks, None where what forks and waits took counts as it was."""
    nodes = told["nodes"]
    own, unsure = times(told, bare, clock)
    within, within_unsure = own[:], unsure[:]
    for i in sorted(range(1, len(nodes) + 1), key=lambda i: -len(path(nodes, i))):
        within[nodes[i - 1]["parent"]] += within[i]
        within_unsure[nodes[i - 1]["parent"]] += within_unsure[i]
    made = Truth(sum(own[1:]), defaultdict(float), defaultdict(float), defaultdict(float), defaultdict(float))
    for i, node in enumerate(nodes, 1):
        name, caller = node["name"], nodes[node["parent"] - 1]["name"] if node["parent"] else None
        made.own[name] += own[i]
        made.arcs[caller, name] += within[i]
        made.total[name] += within[i]
        made.unsure[name] += unsure[i]
        made.unsure[caller, name] += within_unsure[i]
    return made


def by_samples(share, samples):
    """The half width of Wilson's interval, for 95 of 100, of a share that was counted in so many samples."""
    z = DEVIATIONS
    return z * math.sqrt(samples * share * (1 - share) + z * z / 4) / (samples + z * z) if samples > 0 else 1.0


def samples_of(report):
    run = report["run"]
    return max(run["clock"]["samples"], run["counts"]["pc_samples"])


def unplaced(report):
    """The part of the time that the report charges to nobody."""
    times = report["run"]["times"]
    return times["unplaced_ns"] / max(times["contexts_ns"] + times["outside_ns"] + times["monitor_ns"] + times["unplaced_ns"], 1)


def plain(name):
    """A routine's name as in the source: C++ has its types behind it."""
    return name.partition("(")[0] or name if name else name


def own_claims(report, made, samples):
    """An error that is not stated (clock tsc) is 0."""
    whole = max(report["run"]["times"]["contexts_ns"] + report["run"]["times"]["outside_ns"], 1)
    rows = {plain(row["name"]): (row["self_ns"] / whole, (row["self_error_ns"] or 0) / whole) for row in report["flat"]}
    for name in sorted(rows.keys() | made.own.keys()):
        true, (stated, width) = max(made.own.get(name, 0), 0) / made.run, rows.get(name, (0.0, 0.0))
        if max(true, stated) >= LEAST:
            yield Claim(name, true, made.unsure.get(name, 0) / made.run, stated, width, by_samples(true, samples))


def stated_arcs(report):
    """(caller, routine) -> share of the routine's total, its error, and the routine's total."""
    for entry in report["callgraph"]:
        whole = entry["self_ns"] + entry["children_ns"]
        for parent in entry["parents"]:
            if whole:
                yield (plain(parent["name"]), plain(entry["name"])), ((parent["self_ns"] + parent["children_ns"]) / whole, (parent["error_ns"] or 0) / whole, whole)


def arc_claims(report, made, samples):
    """Those of an only caller say nothing, and of a routine without time nothing is said."""
    run, stated = max(report["run"]["times"]["contexts_ns"], 1), dict(stated_arcs(report))
    known = {name for _, name in stated}
    several = {name for _, name in made.arcs if sum(of == name for _, of in made.arcs) > 1}
    for caller, name in sorted((key for key in made.arcs.keys() | stated.keys() if key[1] in several), key=str):
        total, (share, width, whole) = made.total[name], stated.get((caller, name), (0.0, 0.0, 0))
        if name not in known:
            continue
        true = max(made.arcs.get((caller, name), 0), 0) / total if total > 0 else 0.0
        if max(true * total / made.run, share * whole / run) >= LEAST:
            yield Claim(f"{name} < {caller}", true, made.unsure.get((caller, name), 0) / total, share, width, by_samples(true, samples * total / made.run))


def claims(report, made):
    samples = samples_of(report)
    return [*own_claims(report, made, samples), *arc_claims(report, made, samples)]
