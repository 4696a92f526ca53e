"""From a recipe to programs that can be run: fetch, prepare, build.

All that is made stands in the cache, in folders named by a hash of what it was
made from (the recipe, its sources, the compiler, the flags, aprof's libraries),
so that nothing is made twice and nothing stale is measured:

    source/PACKAGE/unpacked          by bench/fetch
    prepared/PROGRAM/KEY, current    what all variants of a program share
    built/PROGRAM/BUILD-KEY/program  one variant's executable

A folder is made under another name and renamed when complete.
"""

import glob
import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

from variants import BUILDS

QUIET = 20      # seconds after which a step that takes long begins to tell how far it is


class Trouble(Exception):
    """What cannot be done, in one line for the user."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def write(path, text):
    """TEXT, the results, becomes the file at PATH."""
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as problem:
        raise Trouble(f"{path}: {problem.strerror}") from None


def _digest(parts):
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def _contents(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _has_header(name):
    return any(glob.glob(os.path.join(folder, name)) for folder in ("/usr/include", "/usr/include/*", "/usr/local/include"))


class Workshop:
    """Where things are: the bench's folder, the cache, aprof's build."""

    def __init__(self, bench, cache, aprof, compiler="gcc", optimise="-O2"):
        self.bench = bench
        self.cache = cache
        self.aprof = aprof
        self.compiler = compiler
        self.optimise = optimise
        version = subprocess.run(shlex.split(compiler) + ["--version"], stdout=subprocess.PIPE, text=True, check=True)
        self.compiler_version = version.stdout.splitlines()[0]

    def environment(self, **more):
        """The program's environment: little of the user's own reaches it."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
        return {**kept, "LC_ALL": "C", "TZ": "UTC", "bench": self.bench, "cache": self.cache,
                "APROF_BENCH_CACHE": self.cache, **more}

    def helper(self, name):
        """Compile bench/NAME.c, once; the path of the executable."""
        source = os.path.join(self.bench, name + ".c")
        made = os.path.join(self.cache, "helpers", f"{name}-{_digest([_contents(source)])}")
        if not os.path.exists(made):
            os.makedirs(os.path.dirname(made), exist_ok=True)
            run_logged(["gcc", "-std=gnu17", "-O2", "-o", made + ".new", source], self.cache, None, made + ".log")
            os.rename(made + ".new", made)
        return made


def _without_runs(path):
    """The text of a recipe but for its title and its steps run and output, on which nothing that is built depends."""
    kept, inside = [], False
    with open(path) as file:
        for line in file:
            if re.match(r"(run|output)\(\) \{", line):
                inside = not line.rstrip().endswith("}")
            elif inside:
                inside = not line.startswith("}")
            elif not line.startswith("title="):
                kept.append(line)
    return "".join(kept)


def cxx_of(compiler):
    """The C++ compiler that goes with a C compiler, which may have options."""
    words = compiler.split(" ")
    folder, name = os.path.split(words[0])
    name = name.replace("aprof-cc", "aprof-c++").replace("gcc", "g++").replace("clang", "clang++")
    return " ".join([os.path.join(folder, name), *words[1:]])


def fc_of(compiler):
    """The Fortran compiler that goes with a C compiler: aprof's with aprof's, else GCC's."""
    words = compiler.split(" ")
    folder, name = os.path.split(words[0])
    return " ".join([os.path.join(folder, "aprof-fc"), *words[1:]]) if name == "aprof-cc" else "gfortran"


def _last_line(log):
    """Of a log that grows, cut to be shown."""
    with open(log, "rb") as file:
        file.seek(max(0, os.path.getsize(log) - 4000))
        lines = file.read().decode(errors="replace").splitlines()
    return lines[-1].strip()[:60] if lines else ""


def _wait(child, log):
    begin = time.monotonic()
    while child.poll() is None:
        try:
            child.wait(QUIET)
        except subprocess.TimeoutExpired:
            say(f"  {time.monotonic() - begin:.0f} s: {_last_line(log)}")


def run_logged(command, folder, environment, log):
    """Run COMMAND; when it fails, Trouble names the log that holds its output.  Tells how far a long one is."""
    with open(log, "w") as out:
        child = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                 stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        _wait(child, log)
    except BaseException:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        raise
    if child.returncode:
        raise Trouble(f"{shlex.join(map(str, command))} failed, see {log}")


class Program:
    """One recipe and all that is made of it."""

    def __init__(self, shop, name, path=None):
        self.shop = shop
        self.name = name
        self.path = path or os.path.join(shop.bench, "programs", name + ".sh")
        if not os.path.exists(self.path):
            raise Trouble(f"no recipe {self.path}; there are: {', '.join(names(shop.bench))}")
        about = self._describe()
        self.title = about["title"] or name
        self.packages = about["packages"].split()
        self.needs = about["needs"].split()
        self.uses = about["uses"].split()
        self.results = about["results"]     # form of what a test suite prints, "" for a program of the bench
        self.counted = bool(about["counted"])   # every run enters each routine as often as any other
        self.timed = about["counted"].partition(" but ")[2].split()     # but for these
        self.sampled = bool(about["sampled"])   # it has no hooks: its stacks are sampled
        self.prepared = ""

    def step(self, step):
        return [os.path.join(self.shop.bench, "recipe.sh"), step, self.path]

    def _describe(self):
        done = subprocess.run(self.step("describe"), env=self.shop.environment(prepared="", program="", launch=""),
                              stdout=subprocess.PIPE, text=True)
        if done.returncode:
            raise Trouble(f"the recipe {self.path} cannot be read")
        return dict(line.split("=", 1) for line in done.stdout.splitlines())

    def check_needs(self):
        """Each need is a command or a header (.h, .hpp), or THAT:PACKAGE where the names differ."""
        for need in self.needs:
            command, _, package = need.partition(":")
            if not (_has_header(command) if command.endswith((".h", ".hpp")) else shutil.which(command)):
                raise Trouble(f"{self.name} needs {command}: apt-get install {package or command}")

    def fetch(self):
        for package in self.packages:
            done = subprocess.run([os.path.join(self.shop.bench, "fetch"), package], stdout=subprocess.DEVNULL,
                                  env={**os.environ, "APROF_BENCH_CACHE": self.shop.cache})
            if done.returncode:
                raise Trouble(f"{self.name}: the source package {package} could not be fetched")

    def _versions(self):
        folders = [os.path.join(self.shop.cache, "source", p, kind)
                   for p in self.packages for kind in ("*.dsc", "*.deb")]
        return sorted(os.path.basename(f) for pattern in folders for f in glob.glob(pattern))

    def _compilers(self):
        """What compilers of their own the recipe's needs are."""
        return [subprocess.run([need, "-vV"], stdout=subprocess.PIPE, text=True).stdout for need in self.needs if need == "rustc" and shutil.which(need)]

    def _key(self, *more):
        folder = "micro" if self.name.startswith("micro") else self.name
        own = [f for kind in ("*.c", "*.patch") for f in glob.glob(os.path.join(self.shop.bench, folder, kind))]
        files = [os.path.join(self.shop.bench, "recipe.sh"), *sorted(own)]
        return _digest([_without_runs(self.path)] + [_contents(f) for f in files] + self._versions() + self._compilers() + [self.shop.compiler_version, *more])

    def _make(self, folder, step, environment):
        """Run STEP in a new folder that gets its name FOLDER when all went well."""
        fresh = folder + ".new"
        shutil.rmtree(fresh, ignore_errors=True)
        os.makedirs(fresh)
        run_logged(self.step(step), fresh, environment, folder + ".log")
        os.rename(fresh, folder)

    def prepare(self, done=()):
        """Fetch the sources and run the recipe's prepare step, and before it
        those of the recipes that it uses."""
        if self.name in done:
            raise Trouble(f"the recipes {', '.join(done)} use one another")
        others = [Program(self.shop, name) for name in self.uses]
        for other in others:
            other.prepare((*done, self.name))
        self.check_needs()
        self.fetch()
        folder = os.path.join(self.shop.cache, "prepared", self.name, self._key(*[o.prepared for o in others]))
        if not os.path.isdir(folder):
            say(f"{self.name}: preparing")
            # Paths that a configure script records must be the final ones.
            os.makedirs(os.path.dirname(folder), exist_ok=True)
            self._make(folder, "prepare", self.shop.environment(prepared=folder, program="", launch=""))
        self.prepared = folder
        self._point("current", folder)

    def _point(self, link, folder):
        path = os.path.join(os.path.dirname(folder), link)
        if os.path.lexists(path):
            os.unlink(path)
        os.symlink(os.path.basename(folder), path)

    def build(self, name):
        """Build row NAME of BUILDS; the path of the executable."""
        build = BUILDS[name]
        compiler, cflags, ldflags, stamps = self._tools(build)
        key = self._key(self.prepared, compiler, cflags, ldflags, *stamps)
        folder = os.path.join(self.shop.cache, "built", self.name, f"{name}-{key}")
        if not os.path.exists(os.path.join(folder, "program")):
            say(f"{self.name}: building {name}")
            environment = self.shop.environment(CC=compiler, CFLAGS=cflags, LDFLAGS=ldflags, program="", launch="", CXX=cxx_of(compiler), FC=fc_of(compiler),
                                                APROF_CC=self.shop.compiler, APROF_CXX=cxx_of(self.shop.compiler),
                                                CXXFLAGS=cflags, prepared=self.prepared)
            self._make(folder, "build", environment)
        return os.path.join(folder, "program")

    def _tools(self, build):
        """Compiler, flags at compile and at link, and hashes of what they bring in."""
        shop, stamps = self.shop, []
        compiler, ldflags = shop.compiler, list(build.ldflags)
        if build.way:
            compiler = f"{shop.aprof}/aprof-cc --aprof-way={build.way}"
            stamps = [shop.compiler] + [_contents(f) for kind in ("libaprof*.[ao]", "aprof_gcc*.so", "aprof_llvm*.so", "aprof-cyg.h")
                      for f in sorted(glob.glob(f"{shop.aprof}/**/{kind}", recursive=True)) if os.path.isfile(f)] + [_contents(f"{shop.aprof}/aprof-cc")]
        if build.hooks:
            ldflags.append(self._hooks(build.hooks))
        return compiler, " ".join([shop.optimise, *build.cflags]), " ".join(ldflags), stamps

    def _hooks(self, name):
        source = os.path.join(self.shop.bench, "hooks", name)
        made = os.path.join(self.shop.cache, "helpers", f"hooks-{_digest([_contents(source)])}.o")
        if not os.path.exists(made):
            os.makedirs(os.path.dirname(made), exist_ok=True)
            run_logged(["gcc", "-O2", "-c", "-o", made, source], self.shop.cache, None, made + ".log")
        return made


def default_cache():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.environ.get("APROF_BENCH_CACHE") or os.path.join(home, "aprof-bench")


def names(bench):
    """Of all recipes."""
    found = glob.glob(os.path.join(bench, "programs", "*.sh"))
    return sorted(os.path.splitext(os.path.basename(f))[0] for f in found)
