"""mpi_test.py BUILD: jobs of Open MPI's and MPICH's, as far as they are installed: one profile for all ranks, nothing lost of ranks that die."""
import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = BUILD.parent if (BUILD.parent / "include/aprof.h").exists() else pathlib.Path(__file__).resolve().parent.parent
APROF = str(BUILD / "aprof")
KINDS = [kind for kind in ("openmpi", "mpich") if shutil.which("mpicc." + kind) and shutil.which("mpirun." + kind)]

# Each round rank HEAVY calls part ten times, the others once; part costs COST units of clock count.
PROGRAM = r'''
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <aprof.h>
#define ALONE __attribute__((noinline))
static volatile long sink;
ALONE static void part(void) { for (int i = 0; i < 100; i++) sink += i; aprof_add(1000); }
ALONE static void solve(int rank, int heavy) { for (int i = rank == heavy ? 10 : 1; i > 0; i--) part(); }
ALONE static void balanced(void) { for (int i = 0; i < 20; i++) part(); }
ALONE static void mark(int rank, int rounds) { char name[64]; FILE *f; snprintf(name, sizeof name, "rounds.%d", rank); f = fopen(name, "w"); fprintf(f, "%d\n", rounds); fclose(f); }
int main(int argc, char **argv)
{
    int rank, size, heavy = atoi(argv[1]), rounds = atoi(argv[2]), die = argc > 3 ? atoi(argv[3]) : -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < rounds; i++) {
        solve(rank, heavy);
        balanced();
        if (die >= 0 && i == rounds / 2) {
            mark(rank, i + 1);
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == die) raise(SIGKILL);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
'''

FORTRAN = '''
module parts
contains
  subroutine part(n)
    integer, intent(inout) :: n
    n = n + 1
  end subroutine
end module
program ring
  use parts
  %s
  integer :: i, n, ierr
  n = 0
  call MPI_Init(ierr)
  do i = 1, 10
    call part(n)
  end do
  call MPI_Finalize(ierr)
end program
'''


def environment(**more):
    plain = {name: value for name, value in os.environ.items() if not name.startswith("APROF")}
    return dict(plain, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_btl_base_warn_component_unused="0",
                HYDRA_LAUNCHER="fork", **more)


class Job(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="aprof-mpi-")
        self.addCleanup(shutil.rmtree, self.folder)

    def command(self, *command, status=0, **more):
        done = subprocess.run(command, cwd=self.folder, env=environment(**more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        if status is not None:
            self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done

    def compile(self, kind, source=PROGRAM, name="ring", suffix=".c", compiler=None, flags=("-O1",)):
        with open(os.path.join(self.folder, name + suffix), "w") as file:
            file.write(source)
        compiler = compiler or str(BUILD / ("aprof-fc" if suffix != ".c" else "aprof-cc"))
        self.command(("mpif90." if suffix != ".c" else "mpicc.") + kind, *flags, f"-I{ROOT}/include", "-o", name, name + suffix,
                     OMPI_CC=compiler, MPICH_CC=compiler, OMPI_FC=compiler, MPICH_FC=compiler)

    def mpirun(self, kind, ranks, *command, status=0, **more):
        return self.command("mpirun." + kind, *(("--oversubscribe",) if kind == "openmpi" else ()), "-n", str(ranks), *command, status=status, **more)

    def run_job(self, kind, ranks, *arguments, options=("--clock=count", "--no-report"), status=0, **more):
        return self.mpirun(kind, ranks, APROF, "run", *options, "./ring", *map(str, arguments), status=status, **more)

    def data(self, file="amon.out"):
        return json.loads(self.command(APROF, "export", "json", file).stdout)

    def calls(self, file="amon.out"):
        """Routine -> calls."""
        return {r["name"]: r["calls"] for r in json.loads(self.command(APROF, "report", "--json", file).stdout)["flat"] if not r["pseudo"]}

    def left(self):
        return sorted(os.path.relpath(path, self.folder) for path in glob.glob(self.folder + "/amon.out*"))

    def of_ranks(self):
        return sorted(glob.glob(self.folder + "/amon.out.ranks/*/*"))


def each_kind(test):
    def run(self):
        for kind in KINDS:
            with self.subTest(kind):
                test(self, kind)
    return run


class Whole(Job):
    @each_kind
    def test_one_file(self, kind):
        """Of 2, 4 and, no power of two, 5 ranks: each call, and nothing else is left."""
        self.compile(kind)
        for ranks in 2, 4, 5:
            self.run_job(kind, ranks, 1, 30)
            self.assertEqual(self.left(), ["amon.out"])
            parts = 30 * (10 + ranks - 1) + 30 * 20 * ranks
            self.assertEqual(self.calls(), {"main": ranks, "solve": 30 * ranks, "balanced": 30 * ranks, "part": parts})

    @each_kind
    def test_sum_of_files(self, kind):
        """The ranks' own files, added up by aprof merge, say the same."""
        self.compile(kind)
        self.run_job(kind, 4, 3, 20)
        common = self.calls(), self.command(APROF, "export", "folded", "--weight=calls", "amon.out").stdout, self.command(APROF, "export", "folded", "amon.out").stdout
        os.remove(self.folder + "/amon.out")
        self.run_job(kind, 4, 3, 20, APROF_MPI="no")
        self.assertEqual(self.left(), ["amon.out.ranks"])
        self.assertEqual(len(self.of_ranks()), 4)
        self.command(APROF, "merge", "-o", "amon.out", *self.of_ranks())
        self.assertEqual((self.calls(), self.command(APROF, "export", "folded", "--weight=calls", "amon.out").stdout,
                          self.command(APROF, "export", "folded", "amon.out").stdout), common)

    @each_kind
    def test_eight(self, kind):
        self.compile(kind)
        done = self.run_job(kind, 8, 5, 10, options=("--clock=count",))
        self.assertEqual(self.left(), ["amon.out"])
        self.assertEqual(self.calls()["part"], 10 * (10 + 7) + 10 * 20 * 8)
        self.assertEqual(done.stderr.count("command "), 1, "one report, not eight: " + done.stderr)

    @each_kind
    def test_gprofs_hooks(self, kind):
        """Built by plain -pg."""
        self.compile(kind, compiler="gcc", flags=("-O1", "-pg"))
        self.run_job(kind, 2, 0, 30, options=("--clock=none", "--no-report"))
        self.assertEqual(self.left(), ["amon.out"])
        self.assertEqual(self.calls()["part"], 30 * 11 + 30 * 20 * 2)

    @each_kind
    def test_without_hooks(self, kind):
        """Call stacks are sampled: those of both ranks."""
        busy = PROGRAM.replace("i < 100;", "i < 300000;").replace("aprof_add(1000);", "")
        self.compile(kind, source=busy, compiler="gcc")
        self.run_job(kind, 2, 0, 30, options=("--no-report",))
        self.assertEqual(self.left(), ["amon.out"])
        data = json.loads(self.command(APROF, "info", "--json", "amon.out").stdout)
        self.assertEqual(sum(c["processes"] for c in data["commands"]), 2)
        self.assertIn("part", self.calls())

    @unittest.skipUnless(shutil.which("gfortran"), "no gfortran")
    @each_kind
    def test_fortran(self, kind):
        """Whose MPI_Finalize is none of C's, by mpif.h and by mpi_f08."""
        for use in "include 'mpif.h'", "use mpi", "use mpi_f08":
            lines = FORTRAN % (use if use.startswith("include") else "!")
            if use.startswith("use"):
                lines = lines.replace("  use parts\n", "  use parts\n  %s\n" % use)
            self.compile(kind, source=lines, suffix=".f90", flags=("-O0",))
            self.run_job(kind, 2, options=("--clock=none", "--no-report"))
            self.assertEqual(self.left(), ["amon.out"], use)
            self.assertEqual([n for name, n in self.calls().items() if "part" in name], [20], use)
            os.remove(self.folder + "/amon.out")


class Imbalance(Job):
    def rows(self, *files):
        return json.loads(self.command(APROF, "report", "--imbalance", "--json", *files).stdout)

    @each_kind
    def test_planted(self, kind):
        """The heavy rank's part is the first line, with its rank, and each figure is as it was planted."""
        self.compile(kind)
        for ranks in 2, 4, 8:
            heavy = ranks - 1
            self.run_job(kind, ranks, heavy, 20)
            text = self.command(APROF, "report", "--imbalance", "--brief").stdout.splitlines()
            self.assertEqual(text[0], f"Imbalance over {ranks} ranks, seconds of a rank, by context")
            self.assertEqual(text[3].split()[4:], [str(heavy), "main", ">", "solve", ">", "part"])
            data = self.rows()
            self.assertEqual(data["ranks"], ranks)
            first, = [row for row in data["imbalance"] if row["history"] == ["main", "solve", "part"]]
            self.assertEqual(first, data["imbalance"][0])
            self.assertEqual([first[name] for name in ("ranks", "calls", "calls_least", "calls_most", "calls_rank", "time_rank")],
                             [ranks, 20 * (10 + ranks - 1), 20, 200, heavy, heavy])
            self.assertEqual((first["time_ns"], first["time_least_ns"], first["time_most_ns"]), tuple(1000000 * n for n in (20 * (10 + ranks - 1), 20, 200)))
            even, = [row for row in data["imbalance"] if row["history"] == ["main", "balanced", "part"]]
            self.assertEqual((even["calls_least"], even["calls_most"], even["calls_rank"]), (400, 400, 0))

    @each_kind
    def test_calls(self, kind):
        """Without times calls are compared; what only one rank does has a least of 0; a focus leaves the rest out."""
        source = PROGRAM.replace("MPI_Finalize();", "if (rank == 1) balanced();\n    MPI_Finalize();").replace("static void balanced", "static void once(void) { part(); }\nALONE static void balanced")
        self.compile(kind, source=source.replace("if (rank == 1) balanced()", "if (rank == 1) once()"))
        self.run_job(kind, 4, 2, 10, options=("--clock=none", "--no-report"))
        rows = self.rows()["imbalance"]
        self.assertEqual((rows[0]["history"], rows[0]["calls_rank"]), (["main", "solve", "part"], 2))
        once, = [row for row in rows if row["history"] == ["main", "once"]]
        self.assertEqual([once[name] for name in ("ranks", "calls", "calls_least", "calls_most", "calls_rank")], [1, 1, 0, 1, 1])
        self.assertEqual({row["history"][1] for row in self.rows("--focus=balanced", "amon.out")["imbalance"]}, {"balanced"})

    @each_kind
    def test_merged(self, kind):
        """Of two jobs the ranks are taken together; with a file of no job nothing is told, and a line says so."""
        self.compile(kind)
        self.run_job(kind, 2, 0, 10)
        shutil.copy(self.folder + "/amon.out", self.folder + "/one")
        self.run_job(kind, 2, 0, 20)
        self.command(APROF, "merge", "-o", "both", "one", "amon.out")
        data = self.rows("both")
        self.assertEqual((data["ranks"], data["imbalance"][0]["calls_least"], data["imbalance"][0]["calls_most"]), (4, 10, 200))
        self.assertEqual(self.rows("one", "amon.out"), dict(data, run=self.rows("one", "amon.out")["run"]))
        self.run_job(kind, 2, 0, 10, APROF_MPI="no")
        done = self.command(APROF, "merge", "-o", "mixed", "one", self.of_ranks()[0])
        done = self.command(APROF, "report", "--imbalance", "mixed", status=2)
        self.assertIn("no profile of an MPI job", done.stderr)


class Apart(Job):
    SOME = 'case ${OMPI_COMM_WORLD_RANK-$PMI_RANK} in %s) exec "$0" run --clock=none --no-report "$@";; *) APROF_OUT=none.%%p exec "$@";; esac'

    def some(self, kind, which):
        return self.mpirun(kind, 4, "sh", "-c", self.SOME % which, APROF, "./ring", "0", "10")

    @each_kind
    def test_some_ranks(self, kind):
        """Those without aprof run are not waited for, and what the others have goes where it can."""
        self.compile(kind)
        for which, whole, own in ("0", 1, []), ("0|2|3", 3, []), ("0|1|3", 2, ["3"]), ("2|3", 0, ["2", "3"]):
            shutil.rmtree(self.folder + "/amon.out.ranks", ignore_errors=True)
            for path in glob.glob(self.folder + "/amon.out"):
                os.remove(path)
            done = self.some(kind, which)
            self.assertEqual([path.split("/")[-2] for path in self.of_ranks()], own, which)
            if whole:
                self.assertEqual(self.calls()["main"], whole, which)
                self.assertIn(f"is of {whole} of the job's 4 ranks", done.stderr)
            else:
                self.assertIn("rank 2 keeps its own profile", done.stderr)

    @each_kind
    def test_killed(self, kind):
        """A rank dies: what each has up to then is in its file."""
        self.compile(kind)
        for dies in 0, 3:
            done = self.run_job(kind, 4, 1, 40, dies, status=None)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(self.left(), ["amon.out.ranks"], done.stderr)
            self.assertEqual(len(self.of_ranks()), 4)
            for path in self.of_ranks():
                rank = path.split("/")[-2]
                with open(f"{self.folder}/rounds.{rank}") as file:
                    rounds = int(file.read())
                calls = self.calls(path)
                self.assertGreaterEqual(calls["solve"], rounds)
                self.assertGreaterEqual(calls["part"], rounds * (20 + (10 if rank == "1" else 1)))
            self.command(APROF, "merge", "-o", "sum.out", *self.of_ranks())
            self.assertEqual(self.calls("sum.out")["main"], 4)

    @each_kind
    def test_next_job(self, kind):
        """The next job takes the place of one that did not end, a smaller one too."""
        self.compile(kind)
        self.run_job(kind, 4, 1, 4, 0, status=None)
        self.run_job(kind, 2, 1, 4)
        self.assertEqual(self.left(), ["amon.out"])
        self.assertEqual(self.calls()["main"], 2)

    @each_kind
    def test_no_mpi(self, kind):
        """A program that is no rank of MPI's: each process keeps its own profile, and rank 0 says so."""
        with open(self.folder + "/plain.c", "w") as file:
            file.write("__attribute__((noinline)) static void f(void) { __asm__ volatile(\"\"); }\nint main(void) { f(); return 3; }\n")
        self.command(str(BUILD / "aprof-cc"), "-O1", "-o", "plain", "plain.c")
        done = self.mpirun(kind, 2, APROF, "run", "--clock=none", "./plain", status=None)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr.count("keeps its own profile"), 1, done.stderr)
        self.assertEqual([self.calls(path)["f"] for path in self.of_ranks()], [1] * len(self.of_ranks()))
        self.assertIn(len(self.of_ranks()), (1, 2))  # a status that is not 0 may end the other before its first call


if __name__ == "__main__":
    if not KINDS:
        print("neither Open MPI nor MPICH is installed (mpicc.openmpi, mpicc.mpich): nothing to test")
        sys.exit(77)
    unittest.main()
