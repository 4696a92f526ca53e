#!/usr/bin/env python3
"""read_amon.py [--names FILE] [--sites | --intervals | --value NAME] AMON.OUT... - print the contexts of profiles, as `aprof contexts` does:
entries, direct recursive calls, seconds, and the history with ' after each unmarked entry; or, with --sites,
the calls by call site: how many, caller, callee, and the address that they return to; or, with --intervals, of runs
that kept their times by interval: seconds of the run from and to, samples, seconds that they charged, and the history;
or, with --value, in the place of seconds what they have of the value NAME, in its unit.

An independent reader of the format of doc/format.md, by that document alone.  Routines are printed as
module+0xaddress; lines of FILE, `module+0xaddress NAME`, name them."""
import argparse, os, signal, struct, sys

PAGE, NONE, ROOT = 4096, 0xffffffff, 0x7fffff00
MODULES, ROUTINES, THREADS, CONTEXTS, RESET, PHASES, PHASE_COUNTS, SCRIPTS, SITES, SLICES, VALUES, AMOUNTS, ORIGINS = 1, 2, 3, 4, 7, 8, 9, 14, 15, 19, 23, 24, 25
PEAK = 8                                # a flag of values
SEVERAL = 2**64 - 1                     # call sites that were not told apart
PSEUDO = {ROOT + 1: "(elided)", ROOT + 2: "(lost)", ROOT + 3: "(monitor)", ROOT + 4: "(unplaced)"}
START, CLOCK, TSC_HZ = 48, 104, 120      # offsets in the header of these fields

def step(history, routine):
    """A1-A5: the history after a call of ROUTINE; entries are (routine, marked)."""
    if history and history[-1] == (routine, True):
        return history                                                          # A1
    folds = (routine, True) in history
    s = [(r, m and r != routine) for r, m in history] + [(routine, True)]       # A3, A2
    i = 1
    while folds and i + 1 < len(s):                                             # A4
        if s[i - 1][1] or s[i][1] or s[i + 1][1]:
            i += 1
        else:
            del s[i]
    for i in range(len(s) - 1, 0, -1):                                          # A5
        if folds and s[i] == s[i - 1] and not s[i][1]:
            del s[i]
    return tuple(s)

def chunks(data):
    """(kind, thread, offset of the items, whole items, offset of counters, base, value) of each chunk, in the file's order."""
    used, at = struct.unpack_from("<Q", data, 16)[0], PAGE
    sizes = {MODULES: 1, ROUTINES: 16, THREADS: 136, CONTEXTS: 32, RESET: 8, PHASES: 64, PHASE_COUNTS: 24, SCRIPTS: 1, SITES: 8, SLICES: 24, VALUES: 128, AMOUNTS: 32,
             ORIGINS: 16}
    while at < used and at + 64 <= len(data):
        magic, kind, size, thread, count, capacity, first, counters, base, value = struct.unpack_from("<IIQIIIIIII", data, at)
        if magic != 0x6b6e6863 or size == 0 or size % PAGE or at + size > used or count > capacity:
            sys.exit("corrupt at byte %d" % at)
        if kind in sizes:
            here = max(0, len(data) - at - (counters or first)) // sizes[kind]
            yield kind, thread, at + first, min(capacity if kind == SLICES else count, here), at + counters, base, value
        at += size

def modules(data, at, end):
    """(identity, basename, bias) of each module record."""
    while at + 80 <= end and at + struct.unpack_from("<I", data, at)[0] <= end:
        size, bias = struct.unpack_from("<I28xQ", data, at)
        id_size, path_size = struct.unpack_from("<B3xI", data, at + 40)
        path = data[at + 80:at + 80 + path_size].split(b"\0")[0].decode(errors="replace")
        start, end = struct.unpack_from("<QQ", data, at + 8)
        yield data[at + 48:at + 48 + id_size] or path, os.path.basename(path), bias, start, end
        at += size

def scripts(data, at, end):
    """(index of the routine, its name) of each record of a routine of a script."""
    while at + 24 <= end and at + struct.unpack_from("<I", data, at)[0] <= end:
        size, routine, line, name_size = struct.unpack_from("<4I", data, at)
        yield routine, data[at + 24:at + 23 + name_size].decode(errors="replace")
        at += size

class Stopped:
    """What was counted while the program was stopped: phase 0, and if it goes on also what came since the mark."""
    def __init__(self, data, found):
        self.data = data
        self.chunks = {(thread, base): (at, count) for kind, thread, at, count, _, base, _ in found if kind == PHASE_COUNTS and count}
        self.goes_on = any(struct.unpack_from("<I", data, at + 56)[0] for kind, _, at, count, *_ in found if kind == PHASES and count)

    def entry(self, thread, base, i):
        at, count = self.chunks.get((thread, base), (0, 0))
        return struct.unpack_from("<QQ", self.data, at + 24 * i) if i < count else (0, 0)

    def counts(self, thread, item, calls, time):
        old = self.entry(thread, 0, item + 2)
        mark = self.entry(thread, NONE, item + 2) if self.goes_on else (calls, time)
        return old[0] + max(0, calls - mark[0]), old[1] + max(0, time - mark[1])

def place(mods, address):
    """ADDRESS as module+0xaddress, by the byte before it."""
    found = [m for m in sorted(mods, key=lambda m: m[3]) if m[3] < address]
    return "%s+0x%x" % (found[-1][1], address - found[-1][2]) if found and address <= found[-1][4] else "0x%x" % address

def slices(data, found):
    """(thread, item or NONE, first ns, ns after the last, ticks, time) of each slice, all intervals as long as the longest."""
    tables = [(thread, at, count, base) for kind, thread, at, count, _, base, _ in found if kind == SLICES and count]
    begun = [start for kind, _, at, count, *_ in found if kind == ORIGINS for start, in struct.iter_unpack("<Q8x", data[at:at + 16 * count])]
    levels = {thread: max(level for other, *_, level in tables if other == thread) for thread, *_ in tables}
    length = 4000000 << max(levels.values(), default=0)
    for thread, at, count, level in tables:
        offset = max(0, begun[thread] - struct.unpack_from("<Q", data, START)[0]) if thread < len(begun) else 0
        for interval, item, time, ticks in struct.iter_unpack("<IIQI4x", data[at:at + 24 * count]):
            if interval:
                middle = (2 * (interval - 1 >> levels[thread] - level) + 1) * (2000000 << levels[thread])
                begin = (offset + middle) // length * length
                yield thread, item, begin, begin + length, ticks, time

def read(data, contexts, names, sites, parts, value):
    """Add the file DATA to CONTEXTS, history -> [entries, recursive, time]; NAMES: (module, address) -> text; SITES: (caller, callee, place) -> calls;
    PARTS: (first ns, ns after the last, history) -> [ticks, time], by interval of the run."""
    if data[:8] != b"amon.out" or len(data) < PAGE or struct.unpack_from("<I", data, 8)[0] != 1:
        sys.exit("not an amon.out of version 1")
    clock, hz = struct.unpack_from("<I", data, CLOCK)[0], struct.unpack_from("<Q", data, TSC_HZ)[0]
    found, mods, routines, items = sorted(chunks(data), key=lambda c: (c[0], c[1], c[5])), [], [], {}
    used = struct.unpack_from("<Q", data, 16)[0]
    of_value = amounts(data, found, value) if value else None
    stopped = Stopped(data, found)
    beside = {(thread, base): (at, count) for kind, thread, at, count, _, base, _ in found if kind == SITES}
    resets = {thread: (at, count) for kind, thread, at, count, *_ in found if kind == RESET and count}  # the last one
    scripted = {i: name for kind, _, at, count, *_ in found if kind == SCRIPTS for i, name in scripts(data, at, at + count)}
    for kind, thread, at, count, counters, base, _ in found:
        if kind == MODULES:
            mods += modules(data, at, at + count)
        elif kind == ROUTINES:
            for address, module, flags in struct.iter_unpack("<QII", data[at:at + 16 * count]):
                key, name, bias = mods[module][:3] if module != NONE else (None, "", 0)
                offset = (address - bias) % 2**64
                routines.append((key, offset, flags))
                names[routines[-1]] = scripted.get(len(routines) - 1) or "%s+0x%x" % (name, offset) if module != NONE else "0x%x" % offset
        elif kind == CONTEXTS:
            histories = items.setdefault(thread, [])
            for i in range(count):
                parent, routine = struct.unpack_from("<II", data, at + 8 * i)
                calls, time = struct.unpack_from("<QQ", data, counters + 32 * i)
                at_reset, known = resets.get(thread, (0, 0))
                old = struct.unpack_from("<Q", data, at_reset + 8 * len(histories))[0] if len(histories) < known else 0
                off_calls, off_time = stopped.counts(thread, len(histories), calls, time)
                before = histories[parent] if parent != NONE else ()
                if routine < ROOT and routine >= len(routines):
                    if len(data) < used:
                        break                                   # it was cut off
                    routine = ROOT + 2                          # copied before its record was written
                called = routines[routine] if routine < ROOT else (None, routine, 0)
                names.setdefault(called, PSEUDO.get(routine, "?"))
                histories.append(step(before, called) if routine != ROOT else ())
                sums = contexts.setdefault(histories[-1], [0, 0, 0])
                calls = max(0, calls - old - off_calls) if routine != ROOT else 0
                sums[before == histories[-1]] += calls
                sites_at, known = beside.get((thread, base), (0, 0))
                site = struct.unpack_from("<Q", data, sites_at + 8 * i)[0] if i < known else 0
                if calls and site not in (0, SEVERAL):
                    key = (before[-1][0] if before else None, called, place(mods, site))
                    sites[key] = sites.get(key, 0) + calls
                time = max(0, time - off_time)
                time = time * 10**9 // hz if clock == 2 else time
                sums[2] += time if of_value is None else of_value.get((thread, base + i), 0)
    for thread, item, *interval, ticks, time in slices(data, found):
        if item != NONE and item >= len(items.get(thread, ())):
            continue                                            # it was cut off, or copied before the item was written
        history = items[thread][item] if item != NONE else (((None, ROOT + 3, 0), True),)
        names.setdefault((None, ROOT + 3, 0), PSEUDO[ROOT + 3])
        sums = parts.setdefault((*interval, history), [0, 0])
        sums[:] = sums[0] + ticks, sums[1] + time

def amounts(data, found, name):
    """(thread, item) -> amount of the value NAME; None: that is the times."""
    names = [data[at + 128 * i:at + 128 * i + 64].split(b"\0")[0].decode() for kind, _, at, count, *_ in found if kind == VALUES for i in range(count)]
    if name not in names:
        sys.exit("it has no value %s" % name)
    if names[0] == name:
        return None
    sums, number = {}, names.index(name)
    flags, state = [(struct.unpack_from("<I", data, at + 128 * i + 96)[0], struct.unpack_from("<Q", data, at + 128 * i + 104)[0])
                    for kind, _, at, count, *_ in found if kind == VALUES for i in range(count)][number]
    live = amounts(data, found, names[number - 1]) if flags & PEAK else {}
    for kind, thread, at, count, _, base, value in found:
        for i in range(count if kind == AMOUNTS and value == number else 0):
            amount, _, mark = struct.unpack_from("<3Q", data, at + 32 * i)
            kept = not flags & PEAK or (state % 2 == 0 and mark == state // 2)
            sums[thread, base + i] = sums.get((thread, base + i), 0) + (amount if kept else live.get((thread, base + i), 0))
    return sums

def seconds(ns):
    whole, part = "%d.%09d" % divmod(ns, 10**9), 6
    while part and whole.endswith("0"):
        whole, part = whole[:-1], part - 1
    return whole

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--names")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--sites", action="store_true")
    kinds.add_argument("--value")
    kinds.add_argument("--intervals", action="store_true")
    parser.add_argument("files", nargs="+")
    options, contexts, names, given, sites, parts = parser.parse_args(), {}, {}, {}, {}, {}
    if options.names:
        with open(options.names) as lines:
            given = dict(line.rstrip("\n").split(" ", 1) for line in lines)
    for file in options.files:
        with open(file, "rb") as f:
            head = f.read(PAGE)                                 # a file in use is longer than what is used of it
            read(head + f.read(max(0, int.from_bytes(head[16:24], "little") - PAGE)), contexts, names, sites, parts, options.value)
    name = lambda r: given.get(names[r], names[r])
    path = lambda history: [name(r).replace(" ", "\\x20") + ("" if m else "'") for r, m in history] or ["-"]
    if options.sites:
        for (caller, callee, at), calls in sites.items():
            print(calls, name(caller) if caller else "-", name(callee), at)
    elif options.intervals:
        for (begin, end, history), (ticks, time) in sorted(parts.items(), key=lambda part: part[0][:2]):
            print(seconds(begin), seconds(end), ticks, seconds(time), *path(history))
    else:
        for history, (entries, recursive, time) in contexts.items():
            if history or time:
                print(entries, recursive, time if options.value else seconds(time), *path(history))

signal.signal(signal.SIGPIPE, signal.SIG_DFL)     # die quietly when the output is not wanted
main()
