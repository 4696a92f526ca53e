"""How often each routine was entered, by gcov: what aprof's counts are held against.

A build with --coverage at -O0 counts the entries of every function in its own blocks, and knows nothing of hooks or contexts.  The same
work by the same source at -O0 enters each routine as often with aprof's hooks.

    files that a run left -> Counter of entries by routine -> lines on what differs"""

import json
import os
import subprocess
from collections import Counter

from recipe import Trouble


def counted(folder, built):
    """Counter of entries by the names that aprof prints.  FOLDER is the GCOV_PREFIX of a run, BUILT where the program was compiled."""
    entries, data = Counter(), _data_files(folder)
    if not data:
        raise Trouble("gcov: the build with --coverage left no counts")
    for path in data:
        _link_notes(path, folder, built)
        for file in _gcov(path)["files"]:
            for function in file["functions"]:
                entries[function["demangled_name"]] += function["execution_count"]
    return +entries


def _data_files(folder):
    return sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(".gcda"))


def _link_notes(path, folder, built):
    """gcov wants the compiler's notes beside the counts; those of BUILT, a folder that had another name while it was made."""
    notes = path[:-len("gcda")] + "gcno"
    original = "/" + os.path.relpath(notes, folder)
    made = built + ".new"
    if original.startswith(made + "/"):
        original = built + original[len(made):]
    if not os.path.exists(notes):
        os.symlink(original, notes)


def _gcov(path):
    done = subprocess.run(["gcov", "--json-format", "--stdout", os.path.basename(path)], cwd=os.path.dirname(path),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise Trouble(f"gcov: {path}: {done.stderr.strip()[:200]}") from None


def entered(report):
    """The same of the JSON of a report of aprof."""
    entries = Counter()
    for row in report["flat"]:
        if not row["pseudo"]:
            entries[row["name"]] += row["calls"] + row["recursive"]
    return +entries


def differing(aprof, gcov, timed=()):
    """Of two such counters the routines that are not the same, a line each, the largest difference first; those of TIMED may differ."""
    names = sorted((aprof.keys() | gcov.keys()).difference(timed), key=lambda name: (-abs(aprof[name] - gcov[name]), name))
    return [f"{name}: {aprof[name]} calls by aprof, {gcov[name]} by gcov" for name in names if aprof[name] != gcov[name]]
