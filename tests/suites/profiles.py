"""Whether each profile that a suite left reads clean: `aprof report` takes it, and its numbers add up.

Conserved in each file: the calls that an independent reader (doc/read_amon.py) finds in its contexts are those that the file
says, and but for entries of pieces (.part, .cold), which are no calls, those of the flat profile; the self times are the time
in contexts; the arcs into a routine carry its calls and its time, those out of it the time of its callees."""

import functools
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field

READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "doc", "read_amon.py")
FEW = 100000    # contexts up to which the independent reader, a slow one, is asked too


@dataclass
class Profile:
    path: str
    calls: int = 0                              # as the file says, entries of pieces included
    contexts: int = 0
    notes: dict = field(default_factory=dict)   # of things lost or changed, and how often
    wrong: list = field(default_factory=list)   # what does not add up, a line each


def is_profile(path):
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(8) == b"amon.out"


def find(folders):
    """All profiles below FOLDERS, whatever their names."""
    paths = [os.path.join(folder, name) for top in folders for folder, _, names in os.walk(top) for name in names]
    return sorted(filter(is_profile, paths))


def read(aprof, path):
    profile = Profile(path)
    done = _run([aprof, "report", "--json", "--", path])
    if done.returncode or done.stderr:
        profile.wrong.append(f"aprof report: status {done.returncode}: {done.stderr.strip()}")
        return profile
    report = json.loads(done.stdout)
    counts = report["run"]["counts"]
    profile.calls, profile.contexts = counts["calls"], counts["contexts"]
    profile.notes = {note["note"]: note["count"] for note in report["run"]["notes"] if not note["harmless"]}
    profile.wrong += check(report)
    if profile.contexts <= FEW:
        profile.wrong += _read_again(report, path)
    return profile


def _run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")


def _flat_calls(report):
    return sum(row["calls"] + row["recursive"] for row in report["flat"])


def check(report):
    """What does not add up in the JSON of a report, a line each."""
    wrong, times = [], report["run"]["times"]

    def same(what, found, expected):
        if found != expected:
            wrong.append(f"{what}: {found}, not {expected}")

    if report["run"]["files"][0]["truncated"]:
        wrong.append("cut off")
    if _flat_calls(report) > report["run"]["counts"]["calls"]:
        wrong.append("more calls in the flat profile than in the file")
    same("self times", sum(row["self_ns"] for row in report["flat"]), times["contexts_ns"])
    for entry in report["callgraph"]:
        name, parents = entry["name"], entry["parents"]
        same(f"calls into {name}", sum(arc["calls"] for arc in parents), entry["calls"])
        same(f"time into {name}", sum(arc["self_ns"] + arc["children_ns"] for arc in parents), entry["self_ns"] + entry["children_ns"])
        same(f"time out of {name}", sum(arc["self_ns"] + arc["children_ns"] for arc in entry["children"]), entry["children_ns"])
    return wrong


@functools.lru_cache(None)
def _pieces(program):
    """What read_amon.py calls the pieces of functions in PROGRAM, an executable with symbols."""
    lines = _run(["nm", program]).stdout.splitlines()
    return {f"{os.path.basename(program)}+0x{int(line.split()[0], 16):x}" for line in lines
            if re.search(r"\.(part|cold)(\.\d+)*(\.|$)", line)}


def _read_again(report, path):
    done = _run([sys.executable, READER, path])
    if done.returncode:
        return [f"read_amon.py: {done.stderr.strip()}"]
    pieces, calls, entered = _pieces(report["run"]["files"][0]["program"]), 0, 0
    for line in done.stdout.splitlines():
        words = line.split()
        calls += int(words[0]) + int(words[1])
        entered += (int(words[0]) + int(words[1])) * (words[-1].rstrip("'") in pieces)
    expected = report["run"]["counts"]["calls"], _flat_calls(report)
    if (calls, calls - entered) != expected:
        return [f"calls by read_amon.py: {calls}, without pieces {calls - entered}, not {expected[0]} and {expected[1]}"]
    return []
