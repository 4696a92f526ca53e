"""The programs that tests/suites/ways holds against each other, none of which is ours.

| corpus | from |
|---|---|
| c-torture, dg-torture, eh, g++-torture, coroutines, gcc.dg, g++.dg, old-deja, i386, libstdc++ | GCC's own tests of C and C++, of Debian's package gcc-N-source |
| objc, fortran, d, go, ada | the same of other languages; D's are those of its reference compiler, Go's those of the Go project |
| libc++ | LLVM's own tests of its C++ library, of Debian's source package llvm-toolchain-N, by Clang alone; test-suite, LLVM's other one, Debian has not |
| uftrace | the test programs of uftrace, of Debian's source package |
| csmith | random programs by csmith, a package of Debian's, from given seeds |

Nothing is copied into the tree: what is fetched and made stands in the cache.  Of GCC's tests those take part that are to be run; whether one
passes is not asked, only whether it does the same each time."""

import functools
import glob
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass

import directives
from against import Program, digest     # whose path has what follows
import here
from recipe import Trouble, say

LIBRARIES = ["-lm", "-lpthread"]
# C of the time before prototypes, which Clang refuses from version 16 on.
OLD_C = ["-Wno-implicit-function-declaration", "-Wno-implicit-int", "-Wno-int-conversion", "-Wno-incompatible-function-pointer-types", "-Wno-return-mismatch"]


@dataclass(frozen=True)
class Folder:
    """Tests of GCC's: a folder of its source and what its .exp file gives to all of them."""
    path: str
    pattern: str                # of the files below it
    flags: tuple = ()
    all_run: bool = False       # those that do not say, too
    without: str = r"$^"        # files that are no tests or belong to another corpus
    says: object = directives.wanted    # what a test says of itself: text, flags of the compiler -> Wanted
    libraries: tuple = ()


TESTSUITE = "gcc/testsuite/"
LIBSTDCXX = "libstdc++-v3/testsuite/"
GCC = {
    "c-torture": [Folder(TESTSUITE + "gcc.c-torture/execute", "**/*.c", (), True, r"builtins/(.*-lib\.c|lib/)")],
    "dg-torture": [Folder(TESTSUITE + "gcc.dg/torture", "**/*.c"), Folder(TESTSUITE + "c-c++-common/torture", "*.c")],
    "eh": [Folder(TESTSUITE + "g++.dg/eh", "*.C")],
    "g++-torture": [Folder(TESTSUITE + "g++.dg/torture", "**/*.C")],
    "coroutines": [Folder(TESTSUITE + "g++.dg/coroutines", "**/*.C", ("-std=c++20", "-fcoroutines"))],
    "gcc.dg": [Folder(TESTSUITE + "gcc.dg", "*.c")],
    "g++.dg": [Folder(TESTSUITE + "g++.dg", "**/*.C", (), False, r"^(eh|torture|coroutines|gomp|tm|modules|cpp2a)/"),
               Folder(TESTSUITE + "g++.dg/cpp2a", "*.C", ("-std=c++20",))],
    "old-deja": [Folder(TESTSUITE + "g++.old-deja", "**/*.C", ("-fpermissive",))],
    "i386": [Folder(TESTSUITE + "gcc.target/i386", "*.c")],
    "libstdc++": [Folder(LIBSTDCXX + name, "**/*.cc", ("-std=gnu++17", "-I{source}/" + LIBSTDCXX + "util"))
                  for name in ("18_support", "20_util", "21_strings", "22_locale", "23_containers", "24_iterators", "25_algorithms",
                               "26_numerics", "27_io", "28_regex", "30_threads", "backward", "ext", "tr1")],
    "objc": [Folder(TESTSUITE + "objc/execute", "**/*.m", ("-fobjc-exceptions", "-I{here}"), True, libraries=("-lobjc",)),
             Folder(TESTSUITE + "objc.dg", "**/*.m", libraries=("-lobjc",)), Folder(TESTSUITE + "obj-c++.dg", "**/*.mm", libraries=("-lobjc",))],
    "fortran": [Folder(TESTSUITE + "gfortran.fortran-torture/execute", "*.f*", (), True),
                Folder(TESTSUITE + "gfortran.dg", "**/*.[fF]*", (), False, r"^(gomp|goacc|coarray|lto|vect|graphite)/")],
    "d": [Folder(TESTSUITE + "gdc.dg", "*.d"),
          Folder(TESTSUITE + "gdc.test/runnable", "*.d", ("-I{here}", "-I{here}/..", "-J{here}/extra-files"), True, says=directives.of_d)],
    "go": [Folder(TESTSUITE + "go.test/test", "**/*.go", says=directives.of_go)],
    "ada": [Folder(TESTSUITE + "gnat.dg", "*.adb")],
}
LIBCXX = "libcxx/test/"
LLVM = {"libc++": [Folder(LIBCXX + "std", "**/*.pass.cpp", ("-std=c++20", "-stdlib=libc++", "-I{source}/" + LIBCXX + "support"), True, says=directives.of_libcxx)]}
SUFFIXES = {".c": "C", ".m": "C", ".C": "C++", ".cc": "C++", ".cpp": "C++", ".mm": "C++", ".d": "D", ".go": "Go", ".adb": "Ada"}     # all others: Fortran
NAMES = [*GCC, *LLVM, "uftrace", "csmith"]
DEFAULT = [name for name in NAMES if not name.startswith("lib")]     # each of these takes as long as all the others
# Flags for the c-torture folders with an .exp file of their own.
BUILTINS = ("-fno-tree-dse", "-fno-tree-loop-distribute-patterns", "-fno-tracer", "-fno-ipa-ra", "-fno-inline-functions")
SEEDS = range(1, 301)       # of csmith
CSMITH = ["--max-funcs", "15", "--max-block-size", "3"]


def programs(names, cache, bench, flags, cc="gcc"):
    """The programs of the corpora NAMES as CC compiles them with FLAGS, in the order of their names."""
    found = []
    for name in names:
        if name in GCC:
            found += tests(name, GCC[name], unpacked(cache, cc), flags)
        elif name in LLVM:
            found += tests(name, LLVM[name], llvm_source(cache, bench, cc), flags)
        elif name == "uftrace":
            found += uftrace(cache, bench)
        elif name == "csmith":
            found += csmith(cache)
        else:
            raise Trouble(f"no corpus {name}; there are: {', '.join(NAMES)}")
    return sorted(permitted(found, cc), key=lambda program: program.name)


def permitted(programs, cc):
    """PROGRAMS, with what CC has to be told to take them."""
    for program in programs:
        if "clang" in os.path.basename(cc) and program.language == "C":
            program.flags += OLD_C
    return programs


# ---- GCC's tests ----

INCLUDED = {TESTSUITE + "objc-obj-c++-shared"}      # by tests of other folders


def above(path):
    """The folder of GCC's source that is unpacked for the tests at PATH: tests may include what is beside them.  Of targets one is enough."""
    if path.startswith(LIBSTDCXX):
        return LIBSTDCXX.rstrip("/")
    return "/".join(path.split("/")[:4 if "gcc.target" in path else 3])


@functools.cache
def archive_for(cc, sources="/usr/src"):
    """Debian's source of GCC: of CC's version, or the first that there is."""
    major = here.major(cc)
    archives = sorted(glob.glob(f"{sources}/gcc-*/gcc-*.tar.xz"), key=os.path.basename)
    if not archives:
        raise Trouble(f"no source of GCC in {sources}: apt-get install gcc-{major or 12}-source")
    return next((archive for archive in archives if f"/gcc-{major}/" in archive), archives[0])


def unpacked(cache, cc):
    """GCC's source, the folders with tests of it, once."""
    archive = archive_for(cc)
    folders = sorted({above(folder.path) for corpus in GCC.values() for folder in corpus} | INCLUDED)
    folder = os.path.join(cache, "ways", f"{os.path.basename(archive)[:-len('.tar.xz')]}-{digest(*folders)[:8]}")
    if not os.path.isdir(folder):
        say(f"unpacking {archive}")
        shutil.rmtree(folder + ".new", ignore_errors=True)
        os.makedirs(folder + ".new")
        subprocess.run(["tar", "-x", "-f", archive, "-C", folder + ".new", "--strip-components=1", "--wildcards",
                        *("*/" + name for name in folders)], check=True)
        os.rename(folder + ".new", folder)
    return folder


def tests(corpus, folders, source, flags):
    """Those of FOLDERS below SOURCE."""
    found = []
    for folder in folders:
        top = os.path.join(source, folder.path)
        for path in glob.iglob(os.path.join(top, folder.pattern), recursive=True):
            inside = os.path.relpath(path, top)
            program = None if re.search(folder.without, inside) else test_at(corpus, folder, path, source, flags)
            if program:
                found.append(program)
    return found


def test_at(corpus, folder, path, source, flags):
    """The test at PATH, None if it is not to be run."""
    with open(path, errors="replace") as file:
        wanted = folder.says(file.read(), flags)
    if wanted.action != "run" and not (folder.all_run and not wanted.action):
        return None
    here = os.path.dirname(path)
    sources = [path, *(os.path.join(here, name) for name in wanted.sources)]
    own = [flag.replace("{source}", source).replace("{here}", here) for flag in folder.flags]
    if os.path.basename(here) == "builtins":
        sources += [path[:-2] + "-lib.c", os.path.join(here, "lib", "main.c")]
        own += BUILTINS
    name = os.path.relpath(path, os.path.join(source, os.path.dirname(folder.path)))
    return Program(f"{corpus}/{name}", [s for s in sources if os.path.exists(s)], own + wanted.options, [*folder.libraries, *LIBRARIES],
                   language=SUFFIXES.get(os.path.splitext(path)[1], "Fortran"), arguments=wanted.arguments, why_not=wanted.why_not)


# ---- LLVM's tests ----

@functools.cache
def fetched(package, cache, bench):
    """Where the source of PACKAGE is; "": it could not be fetched.  Asked once."""
    folder = os.path.join(cache, "source", package, "unpacked")
    if not os.path.isdir(folder + "/") and subprocess.run([os.path.join(bench, "fetch"), package], stdout=subprocess.DEVNULL,
                                                          env={**os.environ, "APROF_BENCH_CACHE": cache}).returncode:
        return ""
    return folder


def llvm_source(cache, bench, cc):
    """That of the Clang CC."""
    major = here.major(cc)
    if "clang" not in os.path.basename(cc):
        raise Trouble(f"libc++ is Clang's, and {cc} is another compiler: --cc clang")
    folder = os.path.exists(f"/usr/lib/llvm-{major}/include/c++/v1") and fetched(f"llvm-toolchain-{major}", cache, bench)
    if not folder:
        raise Trouble(f"no libc++, or no source of it: apt-get install libc++-{major}-dev libc++abi-{major}-dev")
    return os.path.realpath(folder)


# ---- uftrace's programs ----

def uftrace(cache, bench):
    folder = fetched("uftrace", cache, bench)
    if not folder:
        say("the programs of uftrace are left out: its source package could not be fetched")
        return []
    paths = glob.glob(os.path.join(folder, "tests", "s-*.c")) + glob.glob(os.path.join(folder, "tests", "s-*.cpp"))
    return [Program("uftrace/" + os.path.basename(path), [path], [], [*LIBRARIES, "-ldl", "-lrt"], language="C++" if path.endswith(".cpp") else "C") for path in paths]


# ---- csmith ----

def csmith(cache):
    if not shutil.which("csmith") or not os.path.exists("/usr/include/csmith/csmith.h"):
        raise Trouble("no csmith: apt-get install csmith libcsmith-dev")
    with tempfile.TemporaryDirectory(prefix="aprof-csmith-") as own:    # csmith leaves a file where it runs
        version = subprocess.run(["csmith", "--version"], stdout=subprocess.PIPE, cwd=own).stdout
    folder = os.path.join(cache, "ways", "csmith-" + digest(version, *CSMITH)[:8])
    os.makedirs(folder, exist_ok=True)
    return [Program(f"csmith/{seed}", [os.path.join(folder, f"{seed}.c")], ["-I/usr/include/csmith"], LIBRARIES) for seed in SEEDS]


def write(program):
    """Have csmith make PROGRAM, if it is one of its and not there yet; several processes may at once."""
    path = program.sources[0]
    if program.corpus == "csmith" and not os.path.exists(path):
        own = f"{path}.{os.getpid()}"
        subprocess.run(["csmith", "--seed", program.name.split("/")[1], "--output", own, *CSMITH], check=True, cwd=os.path.dirname(path),
                       stdout=subprocess.DEVNULL)
        os.rename(own, path)
