"""conditions.py - under what a program runs: what else is at work, on which processors, by which clock, and whether perf events are permitted.

A condition is SURROUNDINGS-SOURCE[-CLOCK], as beside-refused or idle-perf-wall; the clock is tick where none is named."""
import contextlib
import ctypes
import os
import struct
import subprocess
import sys
import time
from dataclasses import dataclass, field

PROCESSORS = sorted(os.sched_getaffinity(0))
ONE = PROCESSORS[-1]

SURROUNDINGS = {
    "idle": "nothing else",
    "beside": "a loop on each processor",
    "pinned": "on one processor, with a loop",
    "crowded": "more threads than processors, with a loop on each",
    "realtime": "by SCHED_FIFO, on one processor: the monitor's thread has to wait",
    "hogged": "a SCHED_FIFO loop has four fifths of each processor",
}
SOURCES = {
    "perf": "perf events are permitted",
    "refused": "the kernel refuses perf events, by a filter",
    "none": "APROF_PC=none",
    "timer": "APROF_PC=timer, perf events refused",
}
HOG = ["chrt", "--fifo", "10", sys.executable, "-c", """
import time
while True:
    end = time.monotonic() + 0.008
    while time.monotonic() < end:
        pass
    time.sleep(0.002)
"""]
CLOCKS = ("tick", "wall", "tsc")

DEFAULT = [f"{s}-{source}" for s in SURROUNDINGS for source in SOURCES if s != "hogged" or source in ("perf", "refused")] + \
          [f"{s}-{source}-wall" for s in ("idle", "beside", "pinned") for source in ("perf", "refused")] + ["idle-perf-tsc", "beside-perf-tsc"]


@dataclass
class Condition:
    name: str
    surroundings: str = field(init=False)
    source: str = field(init=False)
    clock: str = field(init=False)

    def __post_init__(self):
        self.surroundings, self.source, self.clock = (self.name.split("-") + ["tick"])[:3]
        if self.surroundings not in SURROUNDINGS or self.source not in SOURCES or self.clock not in CLOCKS:
            raise ValueError(f"no condition {self.name}")

    def threads(self):
        """That a program has at least."""
        return len(PROCESSORS) + 1 if self.surroundings == "crowded" else 1

    def command(self):
        """What stands before the program's."""
        return ["taskset", "-c", str(ONE)] if self.surroundings in ("pinned", "realtime") else []

    def environment(self):
        pc = {"none": "none", "timer": "timer"}.get(self.source, "auto")
        return {"APROF_CLOCK": self.clock, "APROF_PC": pc, **({"TRUTH_FIFO": "1"} if self.surroundings == "realtime" else {})}

    def before(self):
        """What the process does before it executes the program, or None."""
        return refuse_perf if self.source in ("refused", "timer") else None

    @contextlib.contextmanager
    def load(self):
        """The loops, while the context is open.  Raises PermissionError where one may not be."""
        where = {"beside": PROCESSORS, "crowded": PROCESSORS, "hogged": PROCESSORS, "pinned": [ONE]}.get(self.surroundings, [])
        loop = HOG if self.surroundings == "hogged" else ["sh", "-c", "while :; do :; done"]
        loops = [subprocess.Popen(["taskset", "-c", str(cpu), *loop], stderr=subprocess.DEVNULL) for cpu in where]
        try:
            time.sleep(0.2 * bool(loops))
            if any(loop.poll() is not None for loop in loops):
                raise PermissionError
            yield
        finally:
            for loop in loops:
                loop.kill()
                loop.wait()


# ---- a kernel that refuses perf events ----

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06          # BPF: a word of the call's data; jump if it is so; end
ALLOW, REFUSE = 0x7fff0000, 0x00050000 | 13     # SECCOMP_RET_ERRNO, EACCES
PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}[os.uname().machine]


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


FILTER = b"".join(struct.pack("HBBI", *step) for step in ((LOAD, 0, 0, 0), (EQUAL, 0, 1, PERF_EVENT_OPEN), (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)))
LIBC = ctypes.CDLL(None, use_errno=True)


def refuse_perf():
    """perf_event_open fails in this process, and in what it starts."""
    program = Program(len(FILTER) // 8, FILTER)
    if LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or LIBC.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "no filter of system calls")
