"""What a failed test says is wrong, out of all that it printed: tests/check shows that, as of a long log only the end is kept and read.

Each runner has its words for it.  A piece begins with one of BEGINS and ends before the first line that the rule's end matches; of a Python
traceback it keeps the frame that failed and the exception, whose path there is of no interest.  Output without such a piece shows its end."""
import re

SHOWN = 30                      # lines of one test
WIDTH = 400                     # characters of one line
ENTRY = re.compile(r"^  \S")    # of the list of the traps that fail
BEGINS = [
    # unittest: up to the next block, or the sums.
    (re.compile(r"^(FAIL|ERROR): "), re.compile(r"^(={20}|Ran \d+ tests? in )")),
    (re.compile(r"^Traceback \(most recent"), re.compile(r"^$|^Ran \d+ tests? in ")),
    # The traps' list stands at their end, indented, in front of the sums.
    (re.compile(r"^Fails:$"), re.compile(r"^\S|^$")),
    # cmocka: what differs, and where; then the case's name.
    (re.compile(r"^\[  ERROR   \]"), re.compile(r"^\[(?!   LINE)")),
    (re.compile(r"^\[   LINE   \]"), re.compile(r"^\[")),
    (re.compile(r"^\[  FAILED  \] \w+$"), re.compile(r"")),
    # TAP, and the reports of Node's runner.
    (re.compile(r"^\s*not ok\b"), re.compile(r"^\s*((not )?ok\b|# Subtest|\d+\.\.\d)")),
    (re.compile(r"^✖ (?!failing tests)"), re.compile(r"^[✖✔ℹ]")),
    # A unified diff, up to what is none of its lines.
    (re.compile(r"^--- .* expected$"), re.compile(r"^(?!\+\+\+ |@@ |[-+ ])|^--- .* expected$")),
    (re.compile(r".*\bERROR: (Address|Leak|Thread|Undefined)|.*\bruntime error: "), re.compile(r"^(SUMMARY: .*|=+)$")),
    (re.compile(r".*does not end:"), re.compile(r"^$")),
    (re.compile(r".*Assertion `.*' failed\.$"), re.compile(r"")),
]


def end_of(lines, begin, end):
    """Where the piece that begins at BEGIN ends."""
    return next((i for i in range(begin + 1, len(lines)) if end.match(lines[i])), len(lines))


def pieces(lines):
    """The pieces in order; none holds another."""
    found, i = [], 0
    while i < len(lines):
        end = next((end for begin, end in BEGINS if begin.match(lines[i])), None)
        stop = end_of(lines, i, end) if end else i + 1
        if end:
            found.append([line for line in lines[i:stop] if line.strip()])
        i = stop
    return found


def shortened(piece):
    """PIECE without the frames of a traceback that lead to the one that failed, and without rules."""
    piece = [line for line in piece if not re.match(r"^-{20,}$", line)]
    begins = [i for i, line in enumerate(piece) if line.startswith("Traceback ")]
    if not begins:
        return piece
    at = next((i for i in range(begins[-1] + 1, len(piece)) if not piece[i].startswith(" ")), len(piece))
    frames = [i for i in range(begins[-1], at) if re.match(r'  File "', piece[i])]
    return piece[:begins[0]] + piece[frames[-1] if frames else begins[-1]:]


def split(piece):
    """The traps of a list, each by itself; another piece alone."""
    if piece[0] != "Fails:":
        return [piece]
    starts = [i for i, line in enumerate(piece) if ENTRY.match(line)] + [len(piece)]
    return [piece[a:b] for a, b in zip(starts, starts[1:])]


def wrong_in(output):
    """The lines that matter of OUTPUT, SHOWN at most, each failure with the like share of them."""
    lines = output.splitlines()
    found = [shortened(part) for piece in pieces(lines) for part in split(piece)]
    found = [piece for i, piece in enumerate(found) if piece not in found[:i]]
    if not found:
        return "\n".join(line[:WIDTH] for line in lines[-SHOWN:])
    share, shown = max(SHOWN // len(found), 3), []
    for number, piece in enumerate(found):
        limit = min(share, SHOWN - 1 - len(shown))
        if limit < 1:
            return "\n".join(shown + ["... and %d more" % (len(found) - number)])
        shown += [line[:WIDTH] for line in (piece if len(piece) <= limit else piece[:limit - 1] + ["    ... %d lines more" % (len(piece) - limit + 1)])]
    return "\n".join(shown)
