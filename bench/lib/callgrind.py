"""The calls that a callgrind output file counts.

Of the format (valgrind's manual, "Callgrind Format Specification") only what
says who called whom how often is read.  A name is given once in full, as in
`fn=(12) lua_call`, and from then on as `fn=(12)`; files of calling and called
functions share one numbering.  A `calls=` line belongs to the last `fn=` and
the last `cfn=`; the file of the called one is that of the caller unless `cfi=`
or `cfl=` says otherwise.  Callgrind gives the calls of a routine that is active
already to a second routine, `lua_call'2`; here they are the routine's own.
"""

import os
import re
from collections import Counter, namedtuple

# file: base name of the source, "" where unknown; name: the symbol.
Routine = namedtuple("Routine", "file name")

_NAMED = re.compile(r"(ob|fl|fi|fe|fn|cob|cfi|cfl|cfn)=\((\d+)\)(?: (.*))?$")
_RECURSIVE = re.compile(r"'\d+$")
_TABLE = {"ob": "ob", "cob": "ob", "fn": "fn", "cfn": "fn", "fl": "fl", "fi": "fl", "fe": "fl", "cfi": "fl", "cfl": "fl"}


def read_calls(lines):
    """(caller, callee) -> number of calls, jumps from one function into
    another included, which callgrind takes for calls."""
    names = {"ob": {}, "fl": {}, "fn": {}}
    at = {"fl": "", "fn": "", "cfl": None, "cfn": None}
    calls = Counter()
    for line in lines:
        match = _NAMED.match(line)
        if match:
            _enter(names, at, *match.groups())
        elif line.startswith("calls="):
            number = int(line[6:].split()[0])
            caller = Routine(at["fl"], at["fn"])
            callee = Routine(at["fl"] if at["cfl"] is None else at["cfl"], at["cfn"])
            calls[caller, callee] += number
            at["cfl"] = at["cfn"] = None
    return calls


def _enter(names, at, key, number, name):
    table = names[_TABLE[key]]
    if name is not None:
        table[number] = os.path.basename(name) if _TABLE[key] == "fl" else _RECURSIVE.sub("", name)
    value = table[number]
    if key in ("fl", "fn", "cfn"):
        at[key] = "" if value == "???" else value
    elif key in ("cfl", "cfi"):
        at["cfl"] = "" if value == "???" else value
    # fi and fe: code inlined from another file; the function is still fl's.


def _nameless(routine):
    return routine.name.startswith("0x")


def called(calls):
    """Routine -> how often it was called."""
    total = Counter()
    for (_, callee), number in calls.items():
        total[callee] += number
    return total


def hook_calls(calls, hook):
    """Routine -> how often it called HOOK, which it does once an entry.  Code that
    callgrind has no name for is left out if such code called it, and nobody else:
    the monitor measures its own hook there."""
    named = {callee for caller, callee in calls if not _nameless(caller)}
    total = Counter()
    for (caller, callee), number in calls.items():
        if callee.name == hook and (caller in named or not _nameless(caller)):
            total[caller] += number
    return total
