"""Whether each profile that a suite left reads clean: `aprof report` takes it, and its numbers add up.

Conserved in each file: the calls that an independent reader (doc/read_amon.py) finds in its contexts are those that the file
says, and those of the flat profile, but for entries of pieces (.part, .cold), which may be a call or a jump within one; the self times are the time
in contexts; the arcs into a routine carry its calls and its time, those out of it the time of its callees."""

import collections
import functools
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "doc", "read_amon.py")
BATCH = 64      # profiles read at a time
FEW = 100000    # contexts up to which the independent reader, a slow one, is asked too


@dataclass
class Reading:
    """What one or more profiles say, together."""
    files: int = 0
    calls: int = 0                              # as the files say, entries of pieces included
    notes: collections.Counter = field(default_factory=collections.Counter)   # of things lost or changed, and how often
    wrong: list = field(default_factory=list)   # what does not add up, a line each

    def add(self, other):
        self.files += other.files
        self.calls += other.calls
        self.notes.update(other.notes)
        self.wrong += other.wrong


def is_profile(path):
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(8) == b"amon.out"


def find(folders):
    """All profiles below FOLDERS, whatever their names."""
    paths = [os.path.join(folder, name) for top in folders for folder, _, names in os.walk(top) for name in names]
    return sorted(filter(is_profile, paths))


def read_all(aprof, paths):
    """All of PATHS, many at a time: a suite may leave thousands of small ones."""
    batches, reading = [paths[i:i + BATCH] for i in range(0, len(paths), BATCH)], Reading()
    with ThreadPoolExecutor(2) as pool:
        for one in pool.map(lambda batch: _read(aprof, batch), batches):
            reading.add(one)
    return reading


def _read(aprof, paths):
    """PATHS together; if that is not clean, by themselves, so that the wrong one is named."""
    reading = _read_together(aprof, paths)
    if not reading.wrong or len(paths) == 1:
        return reading
    each, alone = [_read_together(aprof, [path]) for path in paths], Reading()
    for one in each:
        alone.add(one)
    return alone if alone.wrong else reading


def _read_together(aprof, paths):
    reading, name = Reading(len(paths)), os.path.basename(paths[0]) + ("" if len(paths) == 1 else f" and {len(paths) - 1} more")
    done = _run([aprof, "report", "--json", "--", *paths])
    said = "".join(line for line in done.stderr.splitlines(True) if "these are profiles of several programs" not in line)
    if done.returncode or said:
        reading.wrong.append(f"{name}: aprof report: status {done.returncode}: {said.strip()}")
        return reading
    report = json.loads(done.stdout)
    run = report["run"]
    reading.calls = run["counts"]["calls"] or 0
    reading.notes.update({note["note"]: note["count"] for note in run["notes"] if not note["harmless"]})
    wrong = check(report) + (_read_again(report, paths) if run["counts"]["contexts"] <= FEW else [])
    if len(run["files"]) != len(paths):
        wrong.append(f"{len(run['files'])} files read, not {len(paths)}")
    reading.wrong += [f"{name}: {line}" for line in wrong]
    return reading


def _run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")


def _flat_calls(report):
    """None where none are counted: of stacks that were sampled."""
    return sum((row["calls"] or 0) + (row["recursive"] or 0) for row in report["flat"])


def check(report):
    """What does not add up in the JSON of a report, a line each."""
    wrong, times = [], report["run"]["times"]

    def same(what, found, expected):
        if found != expected:
            wrong.append(f"{what}: {found}, not {expected}")

    wrong += [f"{file['file']} is cut off" for file in report["run"]["files"] if file["truncated"]]
    if _flat_calls(report) > (report["run"]["counts"]["calls"] or 0):
        wrong.append("more calls in the flat profile than in the file")
    same("self times", sum(row["self_ns"] for row in report["flat"]), times["contexts_ns"])
    for entry in report["callgraph"]:
        name, parents = entry["name"], entry["parents"]
        same(f"calls into {name}", sum(arc["calls"] or 0 for arc in parents), entry["calls"] or 0)
        same(f"time into {name}", sum(arc["self_ns"] + arc["children_ns"] for arc in parents), entry["self_ns"] + entry["children_ns"])
        same(f"time out of {name}", sum(arc["self_ns"] + arc["children_ns"] for arc in entry["children"]), entry["children_ns"])
    return wrong


def _pieces_at(module):
    """Where the pieces of functions in MODULE, a program or library with symbols, begin and end."""
    found = os.stat(module)
    return _pieces_in(module, found.st_ino, found.st_size, found.st_mtime_ns)


@functools.lru_cache(None)
def _pieces_in(module, *_):
    """The same; the next build may have the same path."""
    rows = [line.split() for line in _run(["nm", "-S", module]).stdout.splitlines()]
    return [(int(row[0], 16), int(row[0], 16) + int(row[1], 16)) for row in rows
            if len(row) == 4 and re.search(r"\.(part|cold)(\.\d+)*(\.|$)", row[3])]


def _pieces(modules):
    """(name, begin, end) of the pieces of functions in MODULES.  A program that is gone was a copy of another of them, or it has no
    symbols for aprof either, and is read by itself."""
    known = {module: _pieces_at(module) for module in modules if os.path.exists(module)}
    everywhere = [piece for own in known.values() for piece in own]
    return {(os.path.basename(module), *piece) for module in modules for piece in known.get(module, everywhere)}


def in_piece(routine, pieces):
    """Is ROUTINE, as read_amon.py calls it, in one of PIECES?  Way fentry knows an address behind the beginning."""
    name, _, at = routine.rstrip("'").rpartition("+0x")
    return bool(name) and any(name == own and begin <= int(at, 16) < end for own, begin, end in pieces)


def _read_again(report, paths):
    done = _run([sys.executable, READER, *paths])
    if done.returncode:
        return [f"read_amon.py: {done.stderr.strip()}"]
    modules = {file["program"] for file in report["run"]["files"]} | {row["module"] for row in report["flat"] if row["module"]}
    pieces, calls, entered = _pieces(modules), 0, 0
    for line in done.stdout.splitlines():
        words = line.split()
        calls += int(words[0]) + int(words[1])
        entered += (int(words[0]) + int(words[1])) * in_piece(words[-1], pieces)
    expected = report["run"]["counts"]["calls"] or 0, _flat_calls(report)
    if calls != expected[0] or not calls - entered <= expected[1] <= calls:
        return [f"calls by read_amon.py: {calls}, without pieces {calls - entered}, not {expected[0]} and {expected[1]}"]
    return []
