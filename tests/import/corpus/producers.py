"""producers.py - files that real profilers write, made here, and what their own readers say is in them.

PRODUCERS: a name, what it needs, and a function that makes its files in a folder: (file, [Figures, ...]) for each.  Figures are of one value: what the reader says of
it in all, and function by function, in its own unit; None where it does not say.  corpus_test.py holds aprof against them."""
import collections, csv, gzip, json, os, pathlib, pstats, re, shutil, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent
# unit: what one of the figures is of aprof's (1e6: ms of ns); within: how far one of them may be off, as the reader rounds it.
Figures = collections.namedtuple("Figures", "value total self inclusive unit within", defaults=(1, 0))
Producer = collections.namedtuple("Producer", "name needs make kept")
PRODUCERS = []


class Missing(Exception):
    """What is needed is not to be had here: why."""


def producer(*needs, kept=True):
    def add(function):
        PRODUCERS.append(Producer(function.__name__, needs, function, kept))
        return function
    return add


def run(folder, *command, env=None, **more):
    done = subprocess.run([str(c) for c in command], cwd=folder, capture_output=True, text=True, errors="replace", env=dict(os.environ, LC_ALL="C.UTF-8", HOME=str(folder), **(env or {})), **more)
    if done.returncode:
        raise Missing(f"{' '.join(map(str, command))}: status {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def built(folder, name, *options):
    """The program NAME, compiled where no file will tell of another place."""
    shutil.copy(HERE / name, folder)
    run(folder, "gcc", "-O1", "-g", "-fno-omit-frame-pointer", f"-fdebug-prefix-map={folder}=.", "-o", "prog", name, *options)
    return folder / "prog"


# ---- valgrind's callgrind, and what others write in its format ----

def annotated(folder, file, within=0, unit=lambda event: 1):
    """callgrind_annotate's figures of each event."""
    events = re.search(r"(?m)^events: *(.+?) *$", (folder / file).read_text(errors="replace"))[1].split()
    for event in events:
        costs = {}
        for option in "no", "yes":
            shown = run(folder, "callgrind_annotate", "--threshold=100", "--auto=no", "--show-percs=no", f"--show={event}", f"--sort={event}", f"--inclusive={option}", file)
            rows = costs[option] = {}
            for cost, name in re.findall(r"^ *([\d,]+) +[^\n]*?:((?:[^:\n]|::)+?)(?: \[[^\n]*\])?$", shown.split("file:function")[1], re.M):
                cost = int(cost.replace(",", ""))
                rows[name] = rows.get(name, 0) + cost if option == "no" else max(rows.get(name, 0), cost)
        # Of what calls itself it adds up each level's, to more than all of the program.
        costs["yes"] = {name: cost for name, cost in costs["yes"].items() if not re.search(r"'\d+('|$)", name)}
        # What it calls PROGRAM TOTALS is what the file says, which others than valgrind have wrong.
        yield Figures(event.split("_(")[0], sum(costs["no"].values()), costs["no"], costs["yes"], unit(event), within)


CALLGRIND_OPTIONS = {
    "plain": [], "instructions": ["--dump-instr=yes"], "jumps": ["--collect-jumps=yes"], "cache": ["--cache-sim=yes"], "branches": ["--branch-sim=yes", "--dump-instr=yes"],
    "names": ["--compress-strings=no"], "positions": ["--compress-pos=no", "--dump-instr=yes"], "lineless": ["--dump-line=no"], "bus": ["--collect-bus=yes"],
    "part": ["--toggle-collect=top"], "callers": ["--separate-callers=2"], "levels": ["--separate-recs=3"], "parts": ["--combine-dumps=yes", "--dump-every-bb=3000"],
    "all": ["--cache-sim=yes", "--branch-sim=yes", "--collect-jumps=yes", "--dump-instr=yes", "--collect-bus=yes"],
}


@producer("valgrind", "gcc")
def callgrind(folder):
    program = built(folder, "work.c", "-nostdlib", "-static")
    for name, options in CALLGRIND_OPTIONS.items():
        file = f"callgrind-{name}"
        run(folder, "valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={file}", *options, program)
        yield file, list(annotated(folder, file))


@producer("valgrind", "gcc")
def callgrind_threads(folder):
    """A file of each thread."""
    program = built(folder, "threads.c", "-pthread")
    run(folder, "valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=callgrind-threads", "--separate-threads=yes", "--toggle-collect=leaf", program)
    for file in sorted(f.name for f in folder.glob("callgrind-threads-*")):
        figures = list(annotated(folder, file))
        if figures[0].total:                                     # the first thread waits alone
            yield file, figures


@producer("valgrind", "gcc", "cg_annotate")
def cachegrind(folder):
    program = built(folder, "work.c", "-nostdlib", "-static")
    run(folder, "valgrind", "-q", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=cachegrind", program)
    events = re.search(r"(?m)^events: *(.+?) *$", (folder / "cachegrind").read_text())[1].split()
    shown = run(folder, "cg_annotate", "--auto=no", "--threshold=0", "--show-percs=no", "cachegrind")
    rows = re.findall(r"(?m)^ *([\d,. ]+?)  [^ ]*?:([\w?]+) *$", shown.split("file:function")[1])
    costs = [([0 if c == "." else int(c.replace(",", "")) for c in row.split()], name) for row, name in rows]
    totals = re.search(r"(?m)^ *([\d,. ]+?)  PROGRAM TOTALS", shown)[1].replace(",", "").split()
    yield "cachegrind", [Figures(event, int(totals[i]), {name: c[i] for c, name in costs}, None) for i, event in enumerate(events)]


@producer("perl", "nytprofcg", "callgrind_annotate")
def nytprof(folder):
    (folder / "work.pl").write_text("sub leaf { my $s = 0; $s += $_ for 1 .. $_[0]; $s }\nsub middle { leaf(200) + leaf(100) }\nsub top { middle() for 1 .. 20 }\ntop(); leaf(3000);\n")
    run(folder, "perl", "-d:NYTProf", "work.pl", env={"NYTPROF": "file=nytprof.out"})
    run(folder, "nytprofcg", "--file", "nytprof.out", "--out", "nytprof")
    yield "nytprof", list(annotated(folder, "nytprof"))


@producer("php", "callgrind_annotate")
def xdebug(folder):
    if "Xdebug" not in run(folder, "php", "-v") and "xdebug" not in run(folder, "php", "-m"):
        raise Missing("php has no Xdebug")
    (folder / "work.php").write_text("<?php function leaf($n) { $s = 0; for ($i = 0; $i < $n; $i++) $s += $i; return $s; }\nfunction middle() { return leaf(300) + leaf(50); }\n"
                                     "function top() { for ($i = 0; $i < 20; $i++) middle(); }\ntop(); leaf(9000);\n")
    run(folder, "php", "-d", "xdebug.mode=profile", "-d", f"xdebug.output_dir={folder}", "-d", "xdebug.profiler_output_name=xdebug", "-d", "xdebug.use_compression=0", "work.php")
    yield "xdebug", list(annotated(folder, "xdebug", unit=lambda event: 10 if "10ns" in event else 1))


# ---- Go's pprof ----

def topped(folder, file, index, unit, scale, *program):
    """pprof -top's figures of one value."""
    shown = run(folder, "go", "tool", "pprof", "-symbolize=none", "-top", "-nodecount=1000000", "-nodefraction=0", f"-sample_index={index}", f"-unit={unit}", *program, file,
                env={"PPROF_TMPDIR": str(folder), "GOCACHE": str(folder / "cache"), "GOFLAGS": "-mod=mod"})
    number = r"(-?[\d.]+)[a-zA-Z]*"
    total = float(re.search(rf"(?m)^Showing nodes accounting for .*? of {number} total", shown)[1])
    self_, inclusive = {}, {}
    for flat, cum, name in re.findall(rf"(?m)^ *{number} +[\d.]+% +[\d.]+% +{number} +[\d.]+%  (.+?)(?: \(inline\))?$", shown):
        self_[name], inclusive[name] = float(flat), float(cum)
    return Figures(index, total, self_, inclusive, scale, 0)


@producer("go")
def go(folder):
    (folder / "work.go").write_text((HERE / "goprofiles.go.txt").read_text())
    run(folder, "go", "build", "-o", "goprog", "work.go", env={"GOCACHE": str(folder / "cache"), "GOPATH": str(folder / "gopath"), "GO111MODULE": "off", "GOFLAGS": ""})
    run(folder, folder / "goprog")
    values = {"cpu": [("samples", "count", 1), ("cpu", "ns", 1)], "heap": [(f"{k}_{w}", "B" if w == "space" else "count", 1) for k in ("inuse", "alloc") for w in ("space", "objects")],
              "allocs": [("alloc_space", "B", 1), ("alloc_objects", "count", 1)], "goroutine": [("goroutine", "count", 1)], "threadcreate": [("threadcreate", "count", 1)],
              "block": [("contentions", "count", 1), ("delay", "ns", 1)], "mutex": [("contentions", "count", 1), ("delay", "ns", 1)]}
    for kind, indexes in values.items():
        figures = [topped(folder, f"go-{kind}", *index) for index in indexes]
        yield f"go-{kind}", figures
        if kind in ("heap", "goroutine", "mutex"):      # the same as ?debug=1 prints it, which leaves the runtime's functions out
            main = lambda costs: {n: c for n, c in costs.items() if n.startswith("main.")}
            yield f"go-{kind}-text", [f._replace(self=main(f.self), inclusive=main(f.inclusive), within=2 if kind == "heap" else 0) for f in figures]


# ---- perf ----

def sums(rows):
    """The sum by name: several files may have a function of one."""
    costs = collections.Counter()
    for name, cost in rows:
        costs[name] += cost
    return costs


def reported(folder, file, column):
    """perf report's figures of each event: what column says of functions by themselves, and shares of what they have in all."""
    def blocks(*fields):
        shown = run(folder, "perf", "report", "-i", file, "-g", "none", "--stdio", "-t", "|", *fields)
        for event, block in re.findall(r"(?s)# Samples: \S+ +of events? '(.*?)'\n(.*?)(?=# Samples:|\Z)", shown):
            yield event, [(name, float(n)) for n, name in re.findall(r"(?m)^ *([\d.]+)%? *\|.*?\] (.*?) *$", block)]
    own, shares = ({event: sums(rows) for event, rows in blocks(*fields)} for fields in (("--no-children", "-F", f"{column},sym"), ("--children", "-F", "overhead_children,sym")))
    for event, costs in own.items():
        total = sum(costs.values())
        yield event, total, costs, {name: share * total / 100 for name, share in shares[event].items()}


def perf_figures(folder, file, column, names):
    for event, total, own, inclusive in reported(folder, file, column):
        value, ours = names[event], {"leaf", "middle", "top", "main"}         # what is of libraries may have been inlined there
        yield Figures(value, total, {name: cost for name, cost in own.items() if name in ours}, None)
        yield Figures(value, total, None, {name: cost for name, cost in inclusive.items() if name in ours}, 1, 0.0001 * total)


PERF_FIELDS = {
    "default": [], "period": ["comm,pid,tid,time,event,period,ip,sym,dso"], "nobody": ["ip,sym"], "nobody-period": ["period,ip,sym"], "thread": ["tid,time,ip,sym,symoff,dso"],
    "source": ["comm,tid,time,event,ip,sym,dso,srcline"], "process": ["comm,pid,time,ip,sym"], "event": ["comm,tid,event,ip,sym"], "offset": ["comm,tid,time,period,event,ip,sym,dso,symoff"],
}


@producer("perf", "gcc")
def perf(folder):
    """What perf script prints, against perf report."""
    program = built(folder, "spin.c")
    run(folder, "perf", "record", "-q", "-g", "-F", "200", "-e", "cpu-clock:u", "-o", "perf.data", program)
    for name, fields in PERF_FIELDS.items():
        (folder / f"perf-script-{name}").write_text(run(folder, "perf", "script", "-i", "perf.data", *(["-F", *fields] if fields else [])))
        periods = not fields or "period" in fields[0]
        value = "samples" if not periods else "cpu" if not fields or "event" in fields[0] else "period"
        yield f"perf-script-{name}", list(perf_figures(folder, "perf.data", "period" if periods else "sample", {"cpu-clock:u": value}))


@producer("perf", "gcc", kept=False)
def perf_data(folder):
    """The file itself: of two events, compressed, from a pipe, with copies of stacks."""
    program, events = built(folder, "spin.c"), ["-e", "cpu-clock:u", "-e", "page-faults:u"]
    names = {"cpu-clock:u": "cpu", "page-faults:u": "page-faults:u"}
    record = lambda *options, **more: run(folder, "perf", "record", "-q", "-F", "200", *options, program, **more)
    record("-g", *events, "-o", "perf-data")
    yield "perf-data", list(perf_figures(folder, "perf-data", "period", names))
    record("-g", "-z", *events, "-o", "perf-zstd")
    yield "perf-zstd", list(perf_figures(folder, "perf-zstd", "period", names))
    record("-e", "cpu-clock:u", "-o", "perf-flat")
    yield "perf-flat", list(perf_figures(folder, "perf-flat", "period", names))
    record("--call-graph", "dwarf,8192", *events[:2], "-o", "perf-dwarf")
    yield "perf-dwarf", list(perf_figures(folder, "perf-dwarf", "period", names))
    run(folder, "sh", "-c", f"perf record -q -g -F 200 {' '.join(events)} -o - ./prog > perf-pipe")
    yield "perf-pipe", list(perf_figures(folder, "perf-pipe", "period", names))


def scripted(folder, file, program):
    """perf script's stacks, folded here, with the functions that addr2line says were inlined into PROGRAM's: of each function its samples."""
    own, inclusive, total, known = collections.Counter(), collections.Counter(), 0, {}

    def names(ip, name, dso, calls):
        at = int(ip, 16) - calls
        if not dso.endswith("/" + program.name):
            return [name]
        if at not in known:
            known[at] = run(folder, "addr2line", "-fie", program, hex(at)).split("\n")[:-1:2]
        return known[at]

    for block in re.split(r"\n\s*\n", run(folder, "perf", "script", "-i", file, "-F", "ip,sym,dso")):
        frames = [re.match(r"\s*([\da-f]+) (.*) \((.*)\)$", line).groups() for line in block.split("\n") if line.strip()]
        stack = [name for i, frame in enumerate(frames) for name in names(*frame, i > 0)]
        if stack:
            total += 1
            own[stack[0]] += 1
            inclusive.update(set(stack))
    return total, own, inclusive


@producer("perf", "gcc", "addr2line", kept=False)
def perf_inlined(folder):
    program = built(folder, "inlined.c", "-O2")
    run(folder, "perf", "record", "-q", "-g", "-c", "5000000", "-e", "cpu-clock:u", "-o", "perf-inlined", program)
    yield "perf-inlined", [Figures("cpu", *scripted(folder, "perf-inlined", program), 5000000)]


# ---- gprof ----

@producer("gprof", "gcc", kept=False)
def gprof(folder):
    program = built(folder, "spin.c", "-pg").rename(folder / "a.out")         # which is taken where none is named
    run(folder, program)
    shown = run(folder, "gprof", "-b", "-p", "a.out", "gmon.out")
    own = {name: float(seconds) for seconds, name in re.findall(r"(?m)^ *[\d.]+ +[\d.]+ +([\d.]+) .*?([\w.]+)$", shown)}
    graph = run(folder, "gprof", "-b", "-q", "a.out", "gmon.out")
    inclusive = {name: float(own) + float(below) for own, below, name in re.findall(r"(?m)^\[\d+\] +[\d.]+ +([\d.]+) +([\d.]+) .*?(\w+) \[\d+\]$", graph)}
    yield "gmon.out", [Figures(None, sum(own.values()), own, inclusive, 1e9, 0.011)]


# ---- gperftools ----

def gperf_text(folder, file, *options):
    """google-pprof --text: samples or bytes, function by function."""
    shown = run(folder, "google-pprof", "--text", "--nodecount=100000", "--nodefraction=0", *options, folder / "prog", file)
    self_, inclusive = {}, {}
    for flat, cum, name in re.findall(r"(?m)^ *([\d.]+) +[\d.]+% +[\d.]+% +([\d.]+) +[\d.]+% (.+)$", shown):
        self_[name], inclusive[name] = float(flat), float(cum)
    total = re.search(r"(?m)^Total: ([\d.]+)", shown)
    return float(total[1]), self_, inclusive


@producer("google-pprof", "gcc", kept=False)
def gperftools(folder):
    program = built(folder, "spin.c", "-Wl,--no-as-needed", "-lprofiler")
    run(folder, program, env={"CPUPROFILE": str(folder / "gperf-cpu"), "CPUPROFILE_FREQUENCY": "1000"})
    yield "gperf-cpu", [Figures("cpu", *gperf_text(folder, "gperf-cpu"), 1e6, 0.6)]


@producer("google-pprof", "gcc", kept=False)
def tcmalloc(folder):
    program = built(folder, "heap.c", "-Wl,--no-as-needed", "-ltcmalloc")
    run(folder, program, env={"HEAPPROFILE": str(folder / "gperf-heap")})
    file = sorted(folder.glob("gperf-heap.*.heap"))[-1].name
    yield file, [Figures("inuse_space", *gperf_text(folder, file, "--inuse_space", "--show_bytes"), 1, 0.6)]


# ---- folded stacks ----

def folded(folder, file):
    """The sum, and of each name what it has itself and in all, as flamegraph.pl draws them."""
    self_, inclusive, total = collections.Counter(), collections.Counter(), 0
    for line in (folder / file).read_text().splitlines():
        stack, count = line.rsplit(" ", 1)
        total += int(count)
        self_[stack.split(";")[-1]] += int(count)
        for name in set(stack.split(";")):
            inclusive[name] += int(count)
    return total, self_, inclusive


# ---- Python ----

@producer()
def cprofile(folder):
    (folder / "work.py").write_text("def leaf(n):\n    return sum(i * i for i in range(n))\n\ndef middle():\n    return leaf(300) + leaf(20)\n\nclass A:\n    def run(self):\n        return [middle() for _ in range(9)]\n"
                                    "\nclass B:\n    def run(self, n):\n        return n and self.run(n - 1)\n\nA().run(), B().run(7), leaf(900)\n")
    run(folder, sys.executable, "-m", "cProfile", "-o", "cprofile", "work.py")
    stats = pstats.Stats(str(folder / "cprofile")).stats
    self_, inclusive = collections.Counter(), {}
    for (file, line, name), (_, _, own, cumulative, _) in stats.items():
        name = re.sub("^<(.*)>$", r"{\1}", name) if file == "~" else name
        self_[name] += own
        inclusive[name] = cumulative if name not in inclusive else None          # several of one name
    yield "cprofile", [Figures("time", sum(self_.values()), dict(self_), {n: t for n, t in inclusive.items() if t is not None}, 1e9, 1e-8)]


@producer()
def sampled_folded(folder):
    """Folded stacks as py-spy writes them: `name (file:line)`, from samples of a thread."""
    (folder / "work.py").write_text((HERE / "sampler.py").read_text())
    run(folder, sys.executable, "work.py", "sampled-folded")
    yield "sampled-folded", [Figures("samples", *folded(folder, "sampled-folded"))]


# ---- Node ----

@producer("node")
def node(folder):
    (folder / "work.js").write_text("function leaf(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i); return s }\nfunction middle() { return leaf(9e5) + leaf(1e5) }\n"
                                    "const again = n => n ? again(n - 1) : leaf(3e6)\nfor (let i = 0; i < 60; i++) { middle(); again(5) }\n")
    run(folder, "node", "--cpu-prof", "--cpu-prof-name=node", "work.js")
    profile = json.loads((folder / "node").read_text())
    nodes = {n["id"]: n for n in profile["nodes"]}
    parents = {child: n["id"] for n in profile["nodes"] for child in n.get("children", [])}
    at, times = profile["startTime"], []
    for sample, delta in zip(profile["samples"], profile["timeDeltas"]):
        at += delta
        times.append((at, sample))
    times.sort(key=lambda t: t[0])
    ends = [t for t, _ in times[1:]] + [profile["endTime"]]
    self_, inclusive, total = collections.Counter(), collections.Counter(), 0
    for (begin, id_), end in zip(times, ends):
        name = lambda i: nodes[i]["callFrame"]["functionName"] or "(anonymous)"
        if name(id_) != "(root)":
            self_[name(id_)] += end - begin
        names, i = set(), id_
        while i is not None:
            names.add((name(i), nodes[i]["callFrame"]["lineNumber"]))
            i = parents.get(i)
        for n in {n for n, _ in names} - {"(root)"}:
            inclusive[n] += end - begin
        total += end - begin
    several = collections.Counter(name for name, _ in {(n["callFrame"]["functionName"] or "(anonymous)", n["callFrame"]["lineNumber"]) for n in profile["nodes"]})
    yield "node", [Figures("time", total, dict(self_), {n: t for n, t in inclusive.items() if several[n] == 1}, 1e3)]


# ---- heaptrack ----

@producer("heaptrack", "heaptrack_print", "gcc")
def heaptrack(folder):
    program = built(folder, "heap.c")
    run(folder, "heaptrack", "-o", folder / "track", program)
    data = next(folder.glob("track*"))
    for cost in "peak", "allocations", "leaked":
        shown = run(folder, "heaptrack_print", "-f", data, "-F", f"heaptrack-{cost}", "--flamegraph-cost-type", cost, "-p", "0", "-a", "0", "-T", "0")
        total, self_, inclusive = folded(folder, f"heaptrack-{cost}")
        calls = int(re.search(r"calls to allocation functions: (\d+)", shown)[1])
        yield f"heaptrack-{cost}", [Figures("samples", calls if cost == "allocations" else total, self_, inclusive, 1)]
