"""The variants of a program that are compared: how each is built and run.

A build is a set of compiler flags; a variant is a build, run in some way.
Several variants share a build: those of aprof differ by the clock alone.
A new variant is one row of a table.
"""

import os
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Build:
    way: str = ""         # way of aprof-cc, "" for the plain compiler
    cflags: tuple = ()    # added at compile and link
    hooks: str = ""       # a source of bench/hooks, compiled plainly and linked
    ldflags: tuple = ()   # added at link; {build} is aprof's build folder


@dataclass(frozen=True)
class Variant:
    build: str                 # row of BUILDS
    caption: str               # one line for the legend
    environ: dict = field(default_factory=dict)  # added to the program's; {build} is aprof's build folder
    launch: str = ""           # words before the program; {build} is aprof's build folder
    tool: str = ""             # command that must be there, "" for none
    data: str = ""             # what it leaves in its folder, a glob
    chatter: str = ""          # what the tool itself prints among the program's output, a regular expression
    slow: bool = False         # run in the first few rounds only
    default: bool = True       # run when none is named

    def environment(self, build):
        return {name: value.replace("{build}", build) for name, value in self.environ.items()}


BUILDS = {
    "bare": Build(),
    "empty": Build(cflags=("-finstrument-functions",), hooks="empty.c"),
    "nop-fentry": Build(way="nop-fentry"),
    "nop-cyg": Build(way="nop-cyg"),
    "inline": Build(way="inline"),
    "inline-tsc": Build(way="inline", cflags=("--aprof-clock=tsc",)),
    "inline-sites": Build(way="inline", cflags=("--aprof-sites",)),
    "fentry": Build(way="fentry"),
    "cyg": Build(way="cyg"),
    "gprof": Build(cflags=("-pg",)),
    "mfentry": Build(cflags=("-pg", "-mfentry")),
    "contextual": Build(cflags=("-mllvm", "-profile-context-root=main"), ldflags=("-lclang_rt.ctx_profile-x86_64", "-lstdc++")),   # by bench/clang19
    "gcov": Build(cflags=("--coverage", "-fprofile-update=atomic")),    # counts of tests/realworld; no variant is measured with it
}


def _aprof(way, clock, default=True, build=""):
    return Variant(build or way, f"aprof, way {way}, clock {clock}", {"APROF_CLOCK": clock, "APROF_OUT": "amon.out"},
                   data="amon.out*", default=default)


def _sites(way, build):
    """Clock tick, with call sites told apart: by way inline that takes a build of its own, by the others a variable."""
    return Variant(build, f"aprof, way {way}, clock tick, with call sites told apart", {"APROF_CLOCK": "tick", "APROF_OUT": "amon.out", "APROF_SITES": "1"},
                   data="amon.out*", default=False)


def _intervals(way):
    return Variant(way, f"aprof, way {way}, clock tick, with times kept by interval",
                   {"APROF_CLOCK": "tick", "APROF_OUT": "amon.out", "APROF_INTERVALS": "1"}, data="amon.out*", default=False)


def _mcount(build, flags):
    return Variant(build, f"aprof, way mcount (monitor preloaded), of the {flags} build, clock tick",
                   {"LD_PRELOAD": "{build}/src/inside/libaprof-mcount.so", "APROF_CLOCK": "tick", "APROF_OUT": "amon.out"},
                   data="amon.out*")


_HEAP = {"LD_PRELOAD": "{build}/src/inside/libaprof-heap.so", "APROF_ALLOCATIONS": "contexts", "APROF_CLOCK": "tick", "APROF_OUT": "amon.out"}

# Before the program runs, and behind it; what it runs inherits its standard output.
_HEAPTRACK_SAYS = r'\Aheaptrack output will be written to "[^\n]*"\n(?:[^\n]*\n)?starting application, this might take some time\.\.\.\n|Heaptrack finished! Now run[^\n]*\n\n[^\n]*\n\Z'

VARIANTS = {
    "bare": Variant("bare", "the program as it is, -O2"),
    "nop-fentry": Variant("nop-fentry", "way fentry, hooks of libaprof_nop that do nothing"),
    "nop-cyg": Variant("nop-cyg", "way cyg, hooks of libaprof_nop that do nothing"),
    "empty": Variant("empty", "-finstrument-functions, two empty functions as hooks (the paper's dummy)"),
    "inline": _aprof("inline", "tick"),
    "inline-none": _aprof("inline", "none"),
    "inline-tsc": _aprof("inline", "tsc", default=False, build="inline-tsc"),  # a build of its own
    "inline-sites": _sites("inline", "inline-sites"),
    "inline-intervals": _intervals("inline"),
    "fentry": _aprof("fentry", "tick"),
    "fentry-sites": _sites("fentry", "fentry"),
    "fentry-tsc": _aprof("fentry", "tsc"),
    "fentry-none": _aprof("fentry", "none"),
    "cyg": _aprof("cyg", "tick"),
    "cyg-sites": _sites("cyg", "cyg"),
    "cyg-tsc": _aprof("cyg", "tsc"),
    "cyg-none": _aprof("cyg", "none"),
    "mcount": _mcount("gprof", "-pg"),
    "mcount-fentry": _mcount("mfentry", "-pg -mfentry"),
    "gprof": Variant("gprof", "-pg", data="gmon.out"),
    "gprof-fentry": Variant("mfentry", "-pg -mfentry", data="gmon.out"),
    "uftrace": Variant("gprof", "uftrace record of the -pg build", launch="uftrace record --no-pager -d uftrace.data",
                       tool="uftrace", data="uftrace.data/*", slow=True),
    "bare-perf": Variant("bare", "perf record of the bare build, every 0.1 ms, with its stacks", 
                         launch="perf record -q -e cpu-clock -c 100000 --call-graph dwarf,8192 -o perf.data --", tool="perf", data="perf.data",
                         default=False),
    "stacks": Variant("bare", "aprof run of the bare build: its call stacks, sampled; CPU with the recorder's, and its names read from the binaries",
                      launch="{build}/aprof run --no-report --data=amon.out --", data="amon.out*", default=False),
    "perf": Variant("bare", "perf record --call-graph dwarf of the bare build, at the same rate",
                    launch="perf record -q -e cpu-clock -F 997 --call-graph dwarf -o perf.data --", tool="perf", data="perf.data", default=False),
    "allocations": Variant("inline", "aprof, way inline, clock tick, with what is allocated, exactly, as aprof run --allocations has it", _HEAP, data="amon.out*", default=False),
    "allocations-stacks": Variant("bare", "aprof run --allocations of the bare build: time and allocations by call stacks, sampled",
                                  launch="{build}/aprof run --allocations --no-report --data=amon.out --", data="amon.out*", default=False),
    "heaptrack": Variant("bare", "heaptrack of the bare build", launch="heaptrack --raw -o heaptrack", tool="heaptrack", data="heaptrack*", chatter=_HEAPTRACK_SAYS, slow=True, default=False),
    "contextual": Variant("contextual", "LLVM's contextual profile below main, -profile-context-root; it is kept in memory, and not written",
                          launch="prlimit --as=8589934592", tool="prlimit", default=False),  # contexts of recursion are as many as calls
    "callgrind": Variant("bare", "valgrind --tool=callgrind of the bare build",
                         launch="valgrind -q --tool=callgrind --callgrind-out-file=callgrind.out",
                         tool="valgrind", data="callgrind.out*", slow=True),
}

@dataclass(frozen=True)
class Target:
    """Of what the reference adds to the run time of the bare program, the variant adds at most these shares."""
    variant: str
    reference: str
    each: float            # to any one program
    mean: float = None     # geometric mean of the programs, None for no limit
    titles: dict = field(default_factory=dict)  # limits of programs by title, in the place of `each`


# What issues and manual promise.
TARGETS = (
    Target("inline", "gprof", 0.3, 0.2, {"GCC 12's cc1, -O3": 0.5}),
    Target("inline", "empty", 1.0),
    Target("fentry", "gprof", 0.5, 0.5),
    Target("cyg", "gprof", 1.0, 1.0),
    Target("mcount", "gprof", 1.5, 1.5),
    Target("mcount-fentry", "gprof-fentry", 1.5, 1.5),
)

# The variant of the paper's two tables, and how many megabytes it may take beside the bare program's.
BEST = "inline"
MEMORY = 120

# A reference that adds less than LITTLE to a program is nothing to divide by:
# there a variant may add POINTS of the bare program's time.
LITTLE, POINTS = 0.10, 0.03


def defaults():
    return [name for name, variant in VARIANTS.items() if variant.default]


def needs_aprof(name):
    variant = VARIANTS[name]
    return bool(BUILDS[variant.build].way) or any("{build}" in value for value in variant.environ.values())


def is_there(name, aprof):
    """Whether variant NAME can run here: its tool, or aprof's wrapper."""
    tool = VARIANTS[name].tool
    if tool and not any(os.access(os.path.join(d, tool), os.X_OK) for d in os.get_exec_path()):
        return False
    return not needs_aprof(name) or os.access(os.path.join(aprof, "aprof-cc"), os.X_OK)
