"""The self times of a program without hooks, by perf: what a profile is held against.

perf record interrupts the program at a rate of its CPU time, in kernel mode too, and keeps the stack.  A sample counts for
the innermost routine on it that has hooks in aprof's build: there aprof charges the time of libraries and of the kernel.
"""

import os
import re
import subprocess
from collections import Counter

from recipe import Trouble

SCRIPT = ["perf", "script", "--no-inline", "--no-demangle", "-F", "comm,ip,sym,dso", "-i"]

CLONE = re.compile(r"\.(constprop|isra|lto_priv|localalias|part|cold)(\.\d+)*")
HASH = re.compile(r"::h[0-9a-f]{16}$|\[[0-9a-f]{16}\]")     # Rust's, which aprof leaves out as its own tools do
FRAME = re.compile(r"\s+[0-9a-f]+ (.*) \((.*)\)$")


def routines_of(symbols):
    """The names that aprof prints for SYMBOLS, which are as linked: clones and pieces are their routine.  perf leaves out a
    routine's arguments when it demangles, and so cannot tell overloaded ones."""
    symbols = list(symbols)
    plain = "\n".join(CLONE.sub("", symbol) for symbol in symbols)
    try:
        done = subprocess.run(["c++filt"], input=plain, stdout=subprocess.PIPE, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as problem:
        raise Trouble(f"c++filt failed (package binutils): {problem}") from problem
    return {symbol: HASH.sub("", name) for symbol, name in zip(symbols, done.stdout.splitlines())}


def stacks(lines):
    """The stacks in what perf script printed, innermost frame first: lists of (symbol, file)."""
    stack = None
    for line in lines:
        frame = FRAME.match(line)
        if frame and stack is not None:
            stack.append((frame[1], frame[2]))
        elif not line.strip():
            if stack:
                yield stack
            stack = None
        elif not line[0].isspace():
            stack = []
    if stack:
        yield stack


def count(lines, program):
    """Counter of the stacks in what perf script printed: the names of the routines of PROGRAM, the executable, on each, innermost
    first, and last the file of the innermost frame of all."""
    linked = Counter()
    for stack in stacks(lines):
        linked[(*[symbol for symbol, file in stack if file == program], stack[0][1])] += 1
    names = routines_of({symbol for *symbols, _ in linked for symbol in symbols})
    counted = Counter()
    for (*symbols, file), n in linked.items():
        counted[(*[names[symbol] for symbol in symbols], file)] += n
    return counted


def fold(counted, routines, aliases=None):
    """Of what count() returned, two counters: samples by routine of ROUTINES, names of those with hooks; and samples outside them
    all, by file.  ALIASES: other names of the same code, by name, as aliases_in() says."""
    inside, outside = Counter(), Counter()
    for (*names, file), n in counted.items():
        known = (alias for name in names for alias in (name, *(aliases or {}).get(name, [])) if alias in routines)
        name = next(known, None)
        if name is None:
            outside[file] += n
        else:
            inside[name] += n
    return inside, outside


def aliases_of(lines):
    """By name as nm prints them in LINES, the other names of the same code: the compiler folds equal functions, and which of their names
    stands for all is a matter of taste."""
    places = {}
    for line in lines:
        address, kind, *symbol = line.split()
        if kind in "tTwW" and symbol:
            places.setdefault(address, []).append(symbol[0])
    names = routines_of({symbol for symbols in places.values() if len(symbols) > 1 for symbol in symbols})
    aliases = {}
    for symbols in places.values():
        same = sorted({names[symbol] for symbol in symbols if symbol in names})
        for name in same:
            aliases.setdefault(name, set()).update(set(same) - {name})
    return {name: sorted(others) for name, others in aliases.items() if others}


def debug_file(path):
    """Where Debian's packages have the symbols of the file at PATH, which perf reads, too; PATH if there are none."""
    done = subprocess.run(["readelf", "--notes", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace")
    found = re.search(r"Build ID: ([0-9a-f]{2})([0-9a-f]+)", done.stdout)
    debug = f"/usr/lib/debug/.build-id/{found[1]}/{found[2]}.debug" if found else path
    return debug if os.path.exists(debug) else path


def aliases_in(path):
    """aliases_of() the executable or library at PATH."""
    done = subprocess.run(["nm", "--defined-only", debug_file(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    if done.returncode:
        raise Trouble(f"nm failed: {done.stderr.strip()[:200]}")
    return aliases_of(done.stdout.splitlines())


def read(data, program):
    """count() of the file that perf record left at DATA."""
    done = subprocess.run([*SCRIPT, data], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    if done.returncode:
        raise Trouble(f"perf script failed: {done.stderr.strip()[:200]}")
    return count(done.stdout.splitlines(), program)
