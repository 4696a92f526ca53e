"""One program, built by several ways with the same flags: what it does bare it must do by each, and the profiles must be equal.

    Program + flags  ->  an Outcome by each way  ->  differences

Inline and fentry hook the same routines, and both leave calls and jumps as the compiler made them; so their contexts, entries and
direct recursive calls are equal, number for number.  The hooks of way cyg forbid jumps to a routine's last call and may change what is
inlined; it takes part with -O0 and with -fno-optimize-sibling-calls, and is compared where it entered the same routines.

Outcomes are kept by a key of everything that they depend on, so that a run that was broken off goes on where it was, and only what
a change concerns is done again."""

import ctypes
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import zlib
from dataclasses import dataclass, field

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import here  # noqa: E402
import limits  # noqa: E402

HOOKED = ("inline", "fentry", "cyg")
MOVED = "moved"     # not a way of aprof's: bare, linked for other addresses than are usual, and run at random ones
ELSEWHERE = "-Wl,-Ttext-segment=0x10000000"
CPU = 20            # seconds of CPU time for a program, sanitized ones four times as much
COMPILER_CPU = 300  # seconds of CPU time for a compiler
MUCH = 4 << 20      # bytes of output that are looked at
SANITIZED = re.compile(r"-fsanitize=")
ENDLESS, ANOTHER_OUTPUT = "does not end", "another output"
HARMLESS = {"ambiguous"}    # notes that are no fault of a way's: see Outcome.notes


@dataclass(frozen=True)
class Language:
    """How programs of one language are compiled."""
    driver: str                 # GCC's command for it, as it is called beside `gcc`
    command: str                # aprof's, which is told the driver in `variable`
    variable: str
    clang: str = ""             # Clang's command, "": none


LANGUAGES = {
    "C": Language("gcc", "aprof-cc", "APROF_CC", "clang"),
    "C++": Language("g++", "aprof-c++", "APROF_CXX", "clang++"),
    "Fortran": Language("gfortran", "aprof-fc", "APROF_FC"),
    "D": Language("gdc", "aprof-cc", "APROF_CC"),
    "Go": Language("gccgo", "aprof-cc", "APROF_CC"),
    "Ada": Language("gcc", "aprof-cc", "APROF_CC"),
}


@dataclass
class Program:
    """What is compiled together and run."""
    name: str                       # corpus/path
    sources: list                   # paths; of Ada's the main program alone, gnatmake finds what it needs beside it
    flags: list = field(default_factory=list)
    libraries: list = field(default_factory=list)
    language: str = "C"
    arguments: list = field(default_factory=list)
    why_not: str = ""               # why it is not for this machine

    @property
    def corpus(self):
        return self.name.split("/", 1)[0]


@dataclass
class Outcome:
    """What a program did, built in one way."""
    trouble: str = ""       # why there is nothing else: it does not build, takes too long
    status: int = 0         # of its exit, or the negative number of its signal
    output: str = ""        # a digest of standard output and error
    shape: str = ""         # a digest of both without numbers
    text: str = ""          # the last of both, for people
    contexts: dict = field(default_factory=dict)    # history -> [entries, direct recursive calls]
    notes: dict = field(default_factory=dict)       # of things lost -> how often

    def routines(self):
        return {name for history in self.contexts for name in [history.split()[-1]]}

    def calls(self):
        return sum(entries + recursive for entries, recursive in self.contexts.values())


@dataclass
class Verdict:
    """A program with some flags."""
    name: str
    flags: str
    skipped: str = ""           # why nothing could be compared
    unsteady: str = ""          # what came out differently when it was done again in the same way
    placed: bool = False        # numbers that it prints depend on addresses, and were not compared
    differences: list = field(default_factory=list)     # (ways, lines)
    compared: tuple = ()        # the ways whose profiles were compared, or the one that had any
    beside: bool = False        # that by another compiler was, too
    routines: int = 0
    contexts: int = 0
    calls: int = 0              # by the first of them


class Kept:
    """Outcomes by key, in a file that several processes write."""

    def __init__(self, path):
        self.base = sqlite3.connect(path, timeout=600, isolation_level=None)
        self.base.execute("PRAGMA journal_mode=WAL")
        self.base.execute("PRAGMA synchronous=OFF")
        self.base.execute("CREATE TABLE IF NOT EXISTS outcomes (key TEXT PRIMARY KEY, value BLOB)")

    def get(self, key):
        """The outcome kept by KEY; None: there is none, or one of other fields, by an earlier version of this program."""
        row = self.base.execute("SELECT value FROM outcomes WHERE key = ?", (key,)).fetchone()
        fields = json.loads(zlib.decompress(row[0])) if row else {}
        return Outcome(**fields) if fields.keys() == Outcome().__dict__.keys() else None

    def put(self, key, outcome):
        self.base.execute("INSERT OR REPLACE INTO outcomes VALUES (?, ?)", (key, zlib.compress(json.dumps(outcome.__dict__).encode())))


def digest(*parts):
    sums = hashlib.sha256()
    for part in parts:
        sums.update(part if isinstance(part, bytes) else str(part).encode())
        sums.update(b"\0")
    return sums.hexdigest()[:24]


def contents(path):
    with open(path, "rb") as file:
        return file.read()


# ---- building and running ----

def tool(language, compiler):
    """The command of LANGUAGE that belongs to COMPILER, `gcc-13`: `g++-13`; of others what there is of its version.  None: there is none."""
    name = os.path.basename(compiler)
    if "clang" in name:
        return language.clang and compiler.replace("clang", language.clang)
    own = compiler[:-len(name)] + name.replace("gcc", language.driver)
    if not shutil.which(own):
        own = f"{own}-{here.major(compiler)}"
    return own if shutil.which(own) else None


def plainly():
    """For the child of a fork: no core, and the signals' defaults."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)


def fix_addresses(fixed=True):
    """Programs that this process starts from now on get the same addresses each time, or others."""
    ctypes.CDLL(None).personality(0x0040000 if fixed else 0)    # ADDR_NO_RANDOMIZE


def plainly_elsewhere():
    """As plainly(), and addresses are others each time."""
    plainly()
    fix_addresses(False)


def execute(command, folder, environment, seconds, prepare=plainly):
    """(status, output and error) of COMMAND and whatever it leaves running, which is ended.  If it did not end within so much CPU time:
    (None, what limits.py tells of that).  PREPARE is called in the child."""
    with tempfile.TemporaryFile() as out:
        try:
            status = limits.run(command, seconds, sweep=True, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                stderr=subprocess.STDOUT, preexec_fn=prepare).returncode
        except limits.Exceeded as e:
            return None, str(e).encode()
        out.seek(0)
        return status, out.read(MUCH)


def environment(folder, **more):
    return {"PATH": os.environ["PATH"], "HOME": folder, "TMPDIR": folder, "LC_ALL": "C", "TZ": "UTC",
            "ASAN_OPTIONS": "detect_leaks=0", **more}


def plain(output):
    """OUTPUT without what is another in each process: its number, addresses, and the bytes at one of them that UBSan prints."""
    output = re.sub(rb"==\d+==", b"==PID==", output)
    output = re.sub(rb"(note: pointer points here\n) [0-9a-f ]*\n *\^[ ~]*\n", rb"\1", output)
    return re.sub(rb"0x[0-9a-f]{6,}", b"0xADDRESS", output)


def shape(output):
    """OUTPUT without numbers, be they decimal or not, and the blanks beside them."""
    return re.sub(rb"[ -]*\b(0x)?[0-9a-fA-F]+\b *", b"#", output)


class Bench:
    """Where programs are built and run: the compilers, aprof, a folder, and what was done before."""

    def __init__(self, build, compiler, kept, scratch=None, beside=""):
        """BESIDE: another compiler, by which what is compiled as it is written is held against the first; "": none."""
        self.build, self.compiler = os.path.abspath(build), compiler
        self.beside = Bench(build, beside, kept, scratch) if beside else None
        self.aprof = os.path.join(self.build, "aprof")
        self.kept, self.scratch = kept, scratch
        self.version = subprocess.run([compiler, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[0]
        self.tools = {name: tool(language, compiler) for name, language in LANGUAGES.items()}
        self.stamps = {way: self._stamp(way) for way in HOOKED}

    def _stamp(self, way):
        """A digest of what aprof brings into a program built by WAY."""
        files = [self.aprof] + [os.path.join(self.build, "src/inside", name) for name in ("libaprof.a", "libaprof-monitor.so.1")]
        for kind in ("gcc", "llvm") if way == "inline" else ():
            folder = os.path.join(self.build, "src/compile", kind)
            files += [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".so")]
        return digest(way, *(contents(file) for file in files if os.path.exists(file)))

    def lacks(self, program):
        """Why PROGRAM cannot be compiled here, "" if it can."""
        return "" if self.tools[program.language] else f"no compiler of {program.language}"

    def key(self, program, flags, way):
        return digest(program.name, *(contents(source) for source in program.sources), *program.flags, "with", *program.arguments, "and",
                      *program.libraries, *flags, self.version, self.stamps.get(way, way))

    def command(self, program, flags, way, out):
        compiler, own = self.tools[program.language], [ELSEWHERE] if way == MOVED else []
        if way in HOOKED:
            compiler, own = os.path.join(self.build, LANGUAGES[program.language].command), [f"--aprof-way={way}", "--aprof-verify"]
        if program.language == "Ada":
            return self.gnatmake(program, [*flags, *program.flags], [compiler, *own], out)
        return [compiler, *own, *flags, *program.flags, "-w", "-o", out, *program.sources, *program.libraries]

    def gnatmake(self, program, flags, compiler, out):
        """gnatmake compiles what the program needs, and links it with what gnatbind wrote, both by COMPILER."""
        main = program.sources[0]
        return ["gnatmake", "-q", "-f", "--GCC=" + " ".join(compiler), "-aI" + os.path.dirname(main), main, "-o", out, "-cargs", *flags, "-w",
                "-bargs", "-E", "-largs", "--GCC=" + " ".join(compiler), *flags, *program.libraries]

    def outcome(self, program, flags, way, again=False):
        """What PROGRAM does by WAY; known or found out now.  AGAIN: run it anew, the known one is not asked."""
        key = self.key(program, flags, way)
        known = None if again else self.kept.get(key)
        if known:
            return known
        found = self._find_out(program, flags, way)
        if not again:
            self.kept.put(key, found)
        return found

    def _find_out(self, program, flags, way):
        folder = tempfile.mkdtemp(prefix="aprof-ways-", dir=self.scratch)
        try:
            return self._build_and_run(program, flags, way, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _build_and_run(self, program, flags, way, folder):
        work, written = os.path.join(folder, "work"), os.path.join(folder, "written")
        os.mkdir(work)
        os.mkdir(written)
        prog = os.path.join(folder, "prog")
        settings = environment(folder, XDG_CACHE_HOME=os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"),
                               **{LANGUAGES[program.language].variable: self.tools[program.language] or ""})
        status, said = execute(self.command(program, flags, way, prog), folder, settings, COMPILER_CPU)
        if status:
            return Outcome(trouble="does not build", text=said.decode(errors="replace")[-1000:])
        seconds = CPU * (4 if any(SANITIZED.match(flag) for flag in flags) else 1)
        status, said = execute(["../prog", *program.arguments], work, environment(work, APROF_OUT=os.path.join(written, "amon.out.%p")), seconds,
                               plainly_elsewhere if way == MOVED else plainly)
        if status is None:
            return Outcome(trouble=ENDLESS, text=said.decode(errors="replace"))
        outcome = Outcome(status=status, output=digest(plain(said)), shape=digest(shape(plain(said))),
                          text=said.decode(errors="replace")[-1000:])
        if way in HOOKED:
            self.read(outcome, sorted(os.path.join(written, name) for name in os.listdir(written)))
        return outcome

    def read(self, outcome, files):
        """The contexts and notes of FILES, the profiles of all processes, into OUTCOME."""
        if not files:
            outcome.trouble = "left no profile"
            return
        done = subprocess.run([self.aprof, "contexts", "--", *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        info = subprocess.run([self.aprof, "info", "--json", "--", *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode or info.returncode:
            outcome.trouble = "its profile cannot be read: " + (done.stderr + info.stderr).decode(errors="replace").strip()[:200]
            return
        outcome.contexts = contexts(done.stdout.decode(errors="replace"))
        outcome.notes = {note["note"]: note["count"] for note in json.loads(info.stdout)["run"]["notes"] if not note["harmless"]}


def contexts(text):
    """history -> [entries, direct recursive calls], of what `aprof contexts` prints."""
    found = {}
    for line in text.splitlines():
        entries, recursive, _, history = line.split(" ", 3)
        if int(entries) or int(recursive):
            found[history] = [int(entries), int(recursive)]
    return found


# ---- comparing ----

def differing(one, other):
    """Lines on the contexts in which two profiles part, the shortest histories first: there it began."""
    parts = [history for history in one.contexts.keys() | other.contexts.keys() if one.contexts.get(history) != other.contexts.get(history)]
    parts.sort(key=lambda history: (len(history.split()), history))
    say = lambda counts: "none" if counts is None else f"{counts[0]}+{counts[1]}"  # noqa: E731
    return [f"{say(one.contexts.get(h))}, {say(other.contexts.get(h))}: {h}" for h in parts]


def against_bare(bare, own):
    if own.trouble == ENDLESS:
        return [own.text]
    if own.trouble:
        return [own.trouble + (f": {own.text.strip().splitlines()[-1]}" if own.text.strip() else "")]
    lines = [f"status {own.status}, bare {bare.status}"] if own.status != bare.status else []
    lines += [ANOTHER_OUTPUT] if own.output != bare.output else []
    return lines + [f"note {note}, {count} times" for note, count in sorted(own.notes.items()) if note not in HARMLESS]


def takes_cyg(flags):
    return "-O0" in flags or "-fno-optimize-sibling-calls" in flags


def compare(bench, program, flags, ways=HOOKED):
    """The Verdict on PROGRAM with FLAGS."""
    verdict = Verdict(program.name, " ".join(flags), skipped=program.why_not or bench.lacks(program))
    if verdict.skipped:
        return verdict
    bare = bench.outcome(program, flags, "bare")
    if bare.trouble or bare.status == -signal.SIGILL:
        verdict.skipped = f"bare {bare.trouble or 'needs another processor'}"
        return verdict
    ways = [way for way in ways if way != "cyg" or takes_cyg(flags)]
    outcomes = {way: bench.outcome(program, flags, way) for way in ways}
    verdict.differences = found = judged(bare, outcomes)
    verdict.compared = comparable(outcomes)
    if verdict.compared:
        first = outcomes[verdict.compared[0]]
        verdict.routines, verdict.contexts, verdict.calls = len(first.routines()), len(first.contexts), first.calls()
    verdict.placed = other_numbers(bare, outcomes) and depends_on_addresses(bench, program, flags, bare)
    if verdict.placed:
        verdict.differences = found = without(ANOTHER_OUTPUT, found)
    if found:
        verdict.unsteady = unsteady(bench, program, flags, bare, outcomes)
    if not verdict.unsteady and bench.beside and as_written(program, flags):
        compare_beside(bench.beside, program, flags, outcomes.get("cyg"), verdict)
    if verdict.unsteady:
        verdict.differences = []
    return verdict


def as_written(program, flags):
    """Whether all compilers make the same calls of PROGRAM.  Of C++ they do not: each has destructors and initialisers of its own."""
    return program.language == "C" and flags == ["-O0"]


def compare_beside(bench, program, flags, first, verdict):
    """Hold way cyg by the compiler of BENCH against FIRST, that by GCC, if both gave hooks to the same routines: GCC gives them to those that are always
    inlined, too.  What it does not compile, or makes something else of, says nothing."""
    way = f"cyg by {bench.compiler}"
    bare = bench.outcome(program, flags, "bare")
    if not first or first.trouble or bare.trouble or (bare.status, bare.output) != (first.status, first.output):
        return
    own = bench.outcome(program, flags, "cyg")
    lines = against_bare(bare, own)
    if not lines and own.routines() == first.routines():
        verdict.beside = True
        lines = differing(first, own)
    if lines:
        verdict.unsteady = unsteady(bench, program, flags, bare, {"cyg": own})
        verdict.differences = verdict.differences + [((way,), lines)]


def comparable(outcomes):
    """The ways of OUTCOMES whose profiles may be compared: of cyg where it entered the routines that the first did."""
    sound = [way for way, own in outcomes.items() if not own.trouble]
    return tuple(way for way in sound if way != "cyg" or outcomes[way].routines() == outcomes[sound[0]].routines())


def judged(bare, outcomes):
    """(ways, lines) for each thing that should not be."""
    found = [((way,), lines) for way, own in outcomes.items() for lines in [against_bare(bare, own)] if lines]
    first, *others = comparable(outcomes) or [""]
    for way in others:
        lines = differing(outcomes[first], outcomes[way])
        if lines:
            found.append(((first, way), lines))
    return found


def without(line, found):
    """The differences FOUND without LINE."""
    left = [(ways, [other for other in lines if other != line]) for ways, lines in found]
    return [(ways, lines) for ways, lines in left if lines]


def other_numbers(bare, outcomes):
    """Whether some of OUTCOMES printed other numbers than BARE, and none anything else."""
    sound = [own for own in outcomes.values() if not own.trouble]
    return any(own.output != bare.output for own in sound) and all(own.shape == bare.shape for own in sound)


def depends_on_addresses(bench, program, flags, bare):
    """Whether PROGRAM prints something else, without aprof, when code, data, heap and stack are elsewhere: then aprof may move them, too."""
    moved = bench.outcome(program, flags, MOVED)
    return not moved.trouble and moved.status == bare.status and moved.output != bare.output


def unsteady(bench, program, flags, bare, outcomes, times=2):
    """What is another when it is done again in the same way: then a difference of ways says nothing."""
    for _ in range(times):
        for way, own in {"bare": bare, **outcomes}.items():
            again = bench.outcome(program, flags, way, again=True)
            for what in ("status", "output", "contexts"):
                if getattr(again, what) != getattr(own, what) and not own.trouble:
                    return f"{what} {'without aprof' if way == 'bare' else 'by way ' + way}"
    return ""
