#!/usr/bin/env python3
"""rows_test.py BUILD - who builds on aprof sees what its reports print: the C example and the Python one, of amon.out, perf.data and pprof, against
`aprof report --json`; and the library's header, names, manual page and pkg-config file."""
import ctypes, json, os, pathlib, re, shutil, subprocess, sys, unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[1:1] = [str(HERE.parent / "commands"), str(HERE.parent / "lib")]
import here  # noqa: E402
import import_test  # noqa: E402 - takes BUILD
from import_test import APROF, APROF_CC, BUILD, USER, comm, mmap2, perf_data, perf_sample  # noqa: E402

LIBRARY = BUILD / "src/public/libaprof.so.1"
EXAMPLES = ROOT / "doc/examples"


def nm(*options):
    done = subprocess.run(["nm", "-D", *options, LIBRARY], capture_output=True, text=True, check=True)
    return [line.split() for line in done.stdout.splitlines()]


class Made(import_test.Perf):
    """Files of each kind, made as the tests of imports make them, which are not run here."""

    def setUp(self):
        super().setUp()
        self.env = dict(os.environ, LD_LIBRARY_PATH=str(LIBRARY.parent), LC_ALL="C.UTF-8")

    def example(self):
        """The C example, compiled as a user would."""
        program = self.folder / "heaviest"
        if not program.exists():
            subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", ROOT / "src/public", EXAMPLES / "heaviest.c", "-o", program,
                            "-L", LIBRARY.parent, "-laprof"], check=True)
        return program

    def module(self):
        """A fresh virtual environment that has the module aprof."""
        venv = self.folder / "venv"
        if not venv.exists():
            if subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv]).returncode:
                self.skipTest("no python3-venv here")
            packages = next(venv.glob("lib/python3*/site-packages"))
            shutil.copytree(ROOT / "python/aprof", packages / "aprof", ignore=shutil.ignore_patterns("__pycache__", "*.in"))
            shutil.copy(BUILD / "python/_location.py", packages / "aprof")
        return venv / "bin/python"

    def print_of(self, *command):
        done = subprocess.run(command, cwd=self.folder, env=dict(self.env, APROF_LIBRARY=str(LIBRARY)), capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        return done.stdout


for inherited in [name for name in dir(Made) if name.startswith("test_")]:
    setattr(Made, inherited, None)


# Twelve routines, each heavier than the one before.
MANY = """
volatile long sink;
#define PARTS(DO) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12)
#define DEFINE(n) __attribute__((noinline, noclone)) void part##n(void) { for (long i = 0; i < n * 10000; i++) sink += i; }
#define CALL(n) part##n();
PARTS(DEFINE)
int main(void) { for (int i = 0; i < 30; i++) { PARTS(CALL) } return 0; }
"""


class Rows(Made):
    def many(self):
        """A run of MANY with hooks, and exact times."""
        self.write("many.c", MANY)
        subprocess.run([APROF_CC, "--aprof-clock=tsc", "-O1", "-o", "many", "many.c"], cwd=self.folder, check=True)
        self.out("run", "--clock=tsc", "--data=many.amon", "-o", "/dev/null", "./many")
        return "many.amon"

    def check_ten(self, name):
        """Ten rows, and more than one that is left out."""
        report = self.check(name)
        self.assertEqual(len(report), 10)
        self.assertGreater(report[-1]["self_ns"], 0)
        self.assertEqual({row["name"] for row in report[:6]} - {f"part{n}" for n in range(1, 13)}, set())

    def check(self, name):
        report = self.json("report", name)["flat"][:10]
        contexts = {}
        for context in self.json("contexts", name)["contexts"]:
            path = tuple(reversed(re.sub(r"'(?= |$)", "", context["history"] or "").split()))
            contexts[path] = contexts.get(path, 0) + context["time_ns"]
        expected = [f"{row['self_ns']}\t{row['name']}" for row in report]
        of_c, of_python = self.print_of(self.example(), name), self.print_of(self.module(), EXAMPLES / "heaviest.py", name)
        self.assertEqual(of_c.splitlines()[:len(report)], expected)
        self.assertEqual(of_python, of_c)
        heaviest = [line.split("\t") for line in of_c.splitlines()[len(report):]]
        times = [int(time) for time, *path in heaviest if path and int(time)]
        self.assertEqual(times, sorted((contexts[path] for path in contexts if path), reverse=True)[:len(times)])
        self.assertGreaterEqual(len(times), 3)
        for time, *path in heaviest:
            self.assertEqual(contexts.get(tuple(name.replace(" ", "\\x20") for name in path), 0), int(time))
        return report

    def test_amon_out(self):
        self.assertIn("even", [row["name"] for row in self.check(self.recorded())])
        self.check_ten(self.many())

    def test_perf_data(self):
        self.check(self.write("p.data", self.made()))
        self.write("many.c", MANY)
        subprocess.run(["cc", "-O1", "-o", "many", "many.c"], cwd=self.folder, check=True)
        symbols = subprocess.run(["nm", "many"], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        at = {words[2]: 0x555500000000 + int(words[0], 16) for words in map(str.split, symbols.splitlines()) if words[-2] == "T"}
        samples = [perf_sample(5, 5, 300 + n, [USER, at[f"part{n}"] + 4, at["main"] + 8], 250000 * n) for n in range(1, 13)]
        self.check_ten(self.write("many.data", perf_data(comm(5, 5, "many", 100, 1 << 13), mmap2(5, 0x555500001000, 0x1000, 0x1000, str(self.folder / "many"), 200), *samples)))

    def test_pprof(self):
        self.out("export", "pprof", "-o", "p.pb.gz", self.recorded())
        self.assertGreaterEqual(len(self.check("p.pb.gz")), 3)
        self.out("export", "pprof", "-o", "many.pb.gz", self.many())
        self.check_ten("many.pb.gz")

    @here.long
    def test_picture(self):
        """Where matplotlib is, of whichever Python: the example makes a picture."""
        python = next((name for name in (sys.executable, "/usr/bin/python3") if os.path.exists(name) and subprocess.run(
            [name, "-c", "import matplotlib"], stderr=subprocess.DEVNULL).returncode == 0), None)
        if not python:
            self.skipTest("no matplotlib here")
        packages = next(self.module().parent.parent.glob("lib/python3*/site-packages"))
        self.env.update(PYTHONPATH=str(packages), MPLBACKEND="Agg", MPLCONFIGDIR=str(self.folder))
        self.print_of(python, EXAMPLES / "heaviest.py", self.write("p.data", self.made()), "--picture", "p.svg")
        self.assertIn("spin", (self.folder / "p.svg").read_text())

    @here.long
    def test_gmon_out(self):
        self.write("w.c", import_test.RECURSION)
        subprocess.run(["gcc", "-O1", "-pg", "-o", "a.out", "w.c"], cwd=self.folder, check=True)
        subprocess.run(["./a.out"], cwd=self.folder, check=True)
        report = [(row["name"], row["calls"], row["recursive"], row["self_ns"], row["total_ns"]) for row in self.json("report", "a.out", "gmon.out")["flat"]]
        program = """import aprof
p = aprof.open("gmon.out", program="a.out")
print([(r.name, r.calls, r.recursive, r.self, r.total) for r in p.routines if r.listed])
print(sum(a.calls for a in p.arcs if p.routines[a.callee].name == "spin"))
try:
    p.contexts
except aprof.UsageError as error:
    print(error)"""
        rows, calls, error = self.print_of(self.module(), "-c", program).splitlines()
        self.assertEqual(rows, str(report))
        self.assertEqual(int(calls), dict((row[0], row[1]) for row in report)["spin"])
        self.assertIn("routines and arcs alone", error)


class Library(Made):
    def test_header(self):
        """It stands alone, in C99 and in C++."""
        for compiler, language, standard in ("cc", "c", "c99"), ("c++", "c++", "c++11"):
            subprocess.run([compiler, "-x", language, "-std=" + standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I", ROOT / "src/public", "-"],
                           input="#include <aprof/profile.h>\nint main(void) { return aprof_version() == 0; }\n", text=True, check=True)

    def test_names(self):
        """What it shows is what the header declares, all of one version; it needs nothing that prints."""
        declared = set(re.findall(r"\b(aprof_\w+)\(", re.sub(r"(?s)/\*.*?\*/", "", (ROOT / "src/public/aprof/profile.h").read_text())))
        shown = {words[-1] for words in nm("--defined-only") if words[1] != "A"}
        self.assertEqual({name + "@@LIBAPROF_1" for name in declared}, shown)
        self.assertGreater(len(declared), 30)
        needed = {words[-1].partition("@")[0] for words in nm("--undefined-only")}
        self.assertEqual(needed & {"printf", "puts", "putchar", "perror", "abort", "_exit", "vprintf", "dprintf", "__printf_chk", "syslog"}, set())

    @here.long
    def test_a_reader_has_no_hooks(self):
        """A program that reads profiles is not taken for one that is profiled."""
        self.example()
        subprocess.run([APROF, "run", "--no-report", "--data=h.amon", "-o", "/dev/null", "./heaviest", self.recorded()], cwd=self.folder, env=self.env, check=True,
                       stdout=subprocess.DEVNULL)
        self.assertEqual({row["calls"] for row in self.json("report", "h.amon")["flat"]} - {None}, set())

    def test_manual(self):
        """The manual page lists each table and column, and none else."""
        manual = (ROOT / "doc/man/libaprof.3").read_text()
        section = manual[manual.index(".Sh TABLES"):manual.index(".Ss Threads")]
        of_profile, of_comparison = section.split("Of a comparison:")
        program = ("import aprof, json, sys; p = aprof.open(sys.argv[1]); c = aprof.compare(sys.argv[1], sys.argv[1])\n"
                   "print(json.dumps([{n: list(h.table(n).columns) for n in names.split()} for h, names in "
                   "((p, 'routines arcs contexts tree findings values runs'), (c, 'verdict routines arcs contexts runs'))]))")
        told = json.loads(self.print_of(self.module(), "-c", program, self.recorded()))
        common = told[1]["routines"][told[1]["routines"].index("base"):]
        for text, tables in (of_profile, told[0]), (of_comparison, told[1]):
            items = re.split(r"(?m)^\.It Cm (\w+)\n", text)
            self.assertEqual(items[1::2], list(tables))
            for name, item in zip(items[1::2], items[2::2]):
                listed = [word for line in re.findall(r"(?m)^\.Va (.*)$", item[item.rindex("Columns:"):]) for word in line.rstrip(" .").replace(",", "").split()]
                listed += common if "what all items have." in item else []
                self.assertEqual(listed, tables[name], name)



if __name__ == "__main__":
    unittest.main()
