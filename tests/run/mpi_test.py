"""mpi_test.py BUILD: jobs of Open MPI's and MPICH's, as far as they are installed: one profile for all ranks, nothing lost of ranks that die."""
import contextlib
import glob
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = BUILD.parent if (BUILD.parent / "src/contract/aprof.h").exists() else pathlib.Path(__file__).resolve().parents[2]
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

# Each rank has a routine of its own, and tells in MARK.rank, which is its memory, who it is and how often it has called that.  Ranks spin in a
# barrier until the last of them gets a processor, so few of them make a job cheap.
DYING = r'''
#include <mpi.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#define ALONE __attribute__((noinline))
#define BARRIERS 5
static volatile long sink;
ALONE static void work_0(void) { sink++; }
ALONE static void work_1(void) { sink--; }
ALONE static void work_2(void) { sink += 2; }
ALONE static void work_3(void) { sink -= 2; }
static void (*const work[])(void) = { work_0, work_1, work_2, work_3 };
int main(int argc, char **argv)
{
    int rank, fd, rounds = atoi(argv[1]);
    char name[32];
    volatile int *mark;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "mark.%d", rank);
    fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || ftruncate(fd, 4096) != 0) return 1;
    mark = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    mark[0] = getpid();
    for (int i = 0; i < rounds; i++) {
        work[rank]();
        mark[1] = i + 1;
        if (i % (rounds / BARRIERS) == 0) MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
'''

# What Routines.expected counts.
TRAFFIC = r'''
#include <mpi.h>
#include <stdlib.h>
#define ALONE __attribute__((noinline))
static double a[4096], b[4096], window[16];
static MPI_Op op;
static MPI_Comm ring;
static MPI_Win win;
ALONE static void add(void *in, void *out, int *n, MPI_Datatype *type) { (void)type; for (int i = 0; i < *n; i++) ((double *)out)[i] += ((double *)in)[i]; }
ALONE static void halo(int rank, int size)
{
    MPI_Request r[2];
    MPI_Status s[2];
    MPI_Irecv(a, 100, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(b, 100, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, s);
}
ALONE static void pair(int rank, int size)
{
    MPI_Status s;
    if (rank % 2 == 0 && rank + 1 < size) MPI_Send(b, 7, MPI_INT, rank + 1, 2, MPI_COMM_WORLD);
    if (rank % 2) MPI_Recv(a, 50, MPI_INT, rank - 1, 2, MPI_COMM_WORLD, rank % 4 == 1 ? MPI_STATUS_IGNORE : &s);
    MPI_Sendrecv(a, 1, MPI_INT, MPI_PROC_NULL, 0, b, 9, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
ALONE static void whole(int rank, int size)
{
    int give[64], take[64], zero[64] = { 0 };
    MPI_Datatype types[64];
    for (int i = 0; i < size; i++) give[i] = i, take[i] = rank, types[i] = MPI_DOUBLE;
    MPI_Allreduce(a, b, 3, MPI_DOUBLE, op, MPI_COMM_WORLD);
    MPI_Alltoall(a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 5, MPI_INT, MPI_COMM_WORLD);
    MPI_Gather(rank ? (void *)a : MPI_IN_PLACE, 4, rank ? MPI_INT : MPI_DATATYPE_NULL, b, 4, rank ? MPI_DATATYPE_NULL : MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter(a, 3, rank ? MPI_DATATYPE_NULL : MPI_INT, rank ? (void *)b : MPI_IN_PLACE, 3, rank ? MPI_INT : MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    MPI_Alltoallv(a, give, zero, MPI_INT, b, take, zero, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallw(a, give, zero, types, b, take, zero, types, MPI_COMM_WORLD);
    MPI_Reduce_scatter(a, b, give, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(a, 11, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, ring);
    MPI_Win_fence(0, win);
    MPI_Put(a, 1, MPI_DOUBLE, (rank + 1) % size, 0, 1, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
}
int main(int argc, char **argv)
{
    int rank, size, rounds = atoi(argv[1]), period = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Op_create(add, 1, &op);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 0, &ring);
    MPI_Win_create(window, sizeof window, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int i = 0; i < rounds; i++) { halo(rank, size); pair(rank, size); whole(rank, size); }
    MPI_Win_free(&win);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
'''

JUMP = r'''
#include <mpi.h>
#include <setjmp.h>
#define ALONE __attribute__((noinline))
static jmp_buf back;
static void handler(MPI_Comm *comm, int *error, ...) { (void)comm; (void)error; longjmp(back, 1); }
ALONE static void wrong(void) { int n = 0; MPI_Send(&n, 1, MPI_INT, 1000000, 0, MPI_COMM_WORLD); }
int main(int argc, char **argv)
{
    MPI_Errhandler h;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(handler, &h);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, h);
    for (volatile int i = 0; i < 5; i++) {
        if (!setjmp(back)) wrong();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
'''

FORTRAN_TRAFFIC = '''
module parts
contains
  subroutine part(n, m, rank)
    use mpi
    integer, intent(inout) :: n(4), m(4)
    integer :: ierr, rank, status(MPI_STATUS_SIZE)
    call MPI_Allreduce(n, m, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Allreduce(MPI_IN_PLACE, m, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    if (rank == 0) call MPI_Send(n, 3, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, ierr)
    if (rank == 1) call MPI_Recv(m, 4, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    if (rank == 0) call MPI_Send(n, 2, MPI_INTEGER, 1, 8, MPI_COMM_WORLD, ierr)
    if (rank == 1) call MPI_Recv(m, 4, MPI_INTEGER, 0, 8, MPI_COMM_WORLD, status, ierr)
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, m, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  end subroutine
  subroutine part8(n, m, rank)
    use mpi_f08
    integer, intent(inout) :: n(4), m(4)
    integer :: rank
    type(MPI_Request) :: r(1)
    type(MPI_Status) :: s
    call MPI_Allreduce(n, m, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (rank == 0) call MPI_Isend(n, 3, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, r(1))
    if (rank == 1) call MPI_Irecv(m, 4, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, r(1))
    call MPI_Waitall(1, r, MPI_STATUSES_IGNORE)
    if (rank == 0) call MPI_Send(n, 3, MPI_INTEGER, 1, 9, MPI_COMM_WORLD)
    if (rank == 1) call MPI_Recv(m, 4, MPI_INTEGER, 0, 9, MPI_COMM_WORLD, s)
    if (rank == 0) call MPI_Send(n, 1, MPI_INTEGER, 1, 9, MPI_COMM_WORLD)
    if (rank == 1) call MPI_Recv(m, 4, MPI_INTEGER, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end subroutine
end module
program ring
  use parts
  use mpi
  integer :: i, n(4), m(4), ierr, rank
  n = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  do i = 1, 10
    call part(n, m, rank)
    call part8(n, m, rank)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  call MPI_Finalize(ierr)
end program
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
        self.command(("mpif90." if suffix != ".c" else "mpicc.") + kind, *flags, f"-I{ROOT}/src/contract", "-o", name, name + suffix,
                     OMPI_CC=compiler, MPICH_CC=compiler, OMPI_FC=compiler, MPICH_FC=compiler)

    def mpirun(self, kind, ranks, *command, status=0, **more):
        return self.command("mpirun." + kind, *(("--oversubscribe",) if kind == "openmpi" else ()), "-n", str(ranks), *command, status=status, **more)

    def run_job(self, kind, ranks, *arguments, options=("--clock=count", "--no-report"), status=0, **more):
        return self.mpirun(kind, ranks, APROF, "run", *options, "./ring", *map(str, arguments), status=status, **more)

    def data(self, file="amon.out"):
        return json.loads(self.command(APROF, "export", "json", file).stdout)

    def calls(self, file="amon.out"):
        """Routine -> calls, without those of MPI."""
        flat = json.loads(self.command(APROF, "report", "--json", file).stdout)["flat"]
        return {r["name"]: r["calls"] for r in flat if not r["pseudo"] and r["module"] != "script: MPI"}

    def traffic(self, *files):
        """(Routine of MPI, caller) -> calls, bytes, seconds waited or None."""
        rows = json.loads(self.command(APROF, "report", "--mpi", "--json", *files).stdout)["mpi"]
        return {(r["name"].removeprefix("MPI_"), r["caller"]): (r["calls"], r["bytes"], r["wait_ns"] and r["wait_ns"] / 1e9) for r in rows}

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
        def read():
            return [self.calls(), self.traffic(), *(self.command(APROF, "export", "folded", *weight, "amon.out").stdout for weight in (["--weight=calls"], []))]
        common = read()
        os.remove(self.folder + "/amon.out")
        self.run_job(kind, 4, 3, 20, APROF_MPI="ranks")
        self.assertEqual(self.left(), ["amon.out.ranks"])
        self.assertEqual(len(self.of_ranks()), 4)
        self.command(APROF, "merge", "-o", "amon.out", *self.of_ranks())
        self.assertEqual(read(), common)

    @each_kind
    def test_intervals(self, kind):
        """Of few ranks it is known of each when it worked."""
        self.compile(kind)
        for _ in range(5):      # on a busy machine a run may be over before it was looked at
            self.run_job(kind, 3, 1, 300, options=("--intervals", "--no-report"))
            info = json.loads(self.command(APROF, "info", "--json").stdout)
            ticks = sum(thread["ticks"] for thread in info["threads"])
            told = sum(interval["ticks"] for interval in info["intervals"])
            if ticks and told > 0.8 * ticks:
                break
        self.assertEqual({thread["rank"] for thread in info["threads"]}, {0, 1, 2})
        self.assertEqual(len({(thread["rank"], thread["pid"]) for thread in info["threads"]}), 3)
        self.assertGreater(ticks, 0)
        self.assertAlmostEqual(told, ticks, delta=0.2 * ticks)
        self.command(APROF, "report", "--time-range=0..")

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


class Routines(Job):
    """Calls of MPI."""
    ROUNDS = 20

    @staticmethod
    def expected(n):
        """Of TRAFFIC on N ranks."""
        r, pairs = Routines.ROUNDS, Routines.ROUNDS * (n // 2)
        all_ = r * n
        return {("Init", "main"): (n, 0), ("Irecv", "halo"): (all_, all_ * 800), ("Isend", "halo"): (all_, all_ * 800), ("Waitall", "halo"): (all_, 0),
                ("Send", "pair"): (pairs, pairs * 28), ("Recv", "pair"): (pairs, pairs * 28), ("Sendrecv", "pair"): (all_, 0),
                ("Allreduce", "whole"): (all_, all_ * 24), ("Alltoall", "whole"): (all_, all_ * 16 * n), ("Allgather", "whole"): (all_, all_ * 20),
                ("Gather", "whole"): (all_, r * (n - 1) * 16), ("Scatter", "whole"): (all_, r * (n - 1) * 12), ("Alltoallv", "whole"): (all_, all_ * 4 * n * (n - 1) // 2),
                ("Alltoallw", "whole"): (all_, all_ * 8 * n * (n - 1) // 2), ("Reduce_scatter", "whole"): (all_, all_ * 4 * n * (n - 1) // 2),
                ("Bcast", "whole"): (all_, all_ * 11), ("Neighbor_alltoall", "whole"): (all_, all_ * 2 * 4), ("Put", "whole"): (all_, all_ * 8),
                ("Win_fence", "whole"): (2 * all_, 0), ("Barrier", "whole"): (all_, 0), ("Cart_create", "main"): (n, 0), ("Win_create", "main"): (n, 0),
                ("Win_free", "main"): (n, 0), ("Comm_free", "main"): (n, 0)}

    @each_kind
    def test_exact(self, kind):
        """Each call, below who called it, with its bytes; two by two ranks, and where one is left over."""
        self.compile(kind, source=TRAFFIC)
        for ranks in 2, 3:
            self.run_job(kind, ranks, self.ROUNDS, options=("--clock=none", "--no-report"))
            self.assertEqual({arc: row[:2] for arc, row in self.traffic().items()}, self.expected(ranks))
            self.assertEqual(self.calls(), {"main": ranks, "halo": self.ROUNDS * ranks, "pair": self.ROUNDS * ranks, "whole": self.ROUNDS * ranks,
                                            "add": self.calls()["add"]})
            contexts = json.loads(self.command(APROF, "contexts", "--json", "amon.out").stdout)["contexts"]
            self.assertIn("main whole MPI_Allreduce add", [c["history"] for c in contexts], "what MPI calls back is below the call")

    @each_kind
    def test_one_rank(self, kind):
        self.compile(kind)
        self.run_job(kind, 1, 0, 5)
        self.assertEqual(self.traffic()["Barrier", "main"][:2], (5, 0))

    @each_kind
    def test_wait(self, kind):
        """On request the wait for a rank that comes late is told apart; and for MPI_Barrier, which is nothing else, it is not."""
        late = PROGRAM.replace("MPI_Barrier(MPI_COMM_WORLD);\n    }\n    MPI_Finalize",
                               "if (rank == 0) usleep(100000);\n        MPI_Bcast(&size, 1, MPI_INT, 1, MPI_COMM_WORLD);\n        MPI_Barrier(MPI_COMM_WORLD);\n    }\n    MPI_Finalize")
        self.compile(kind, source="#include <unistd.h>\n" + late)
        self.run_job(kind, 2, 0, 10, options=("--clock=wall", "--no-report"), APROF_MPI_WAIT="1")
        rows = self.traffic()
        self.assertEqual(rows["Bcast", "main"][:2], (20, 80))
        self.assertGreater(rows["Bcast", "main"][2], 0.1)
        self.assertIsNone(rows["Barrier", "main"][2])
        self.run_job(kind, 2, 0, 10)
        self.assertIsNone(self.traffic()["Bcast", "main"][2])

    @each_kind
    def test_jump(self, kind):
        """An error handler that jumps out of a call: those behind it count."""
        self.compile(kind, source=JUMP)
        self.run_job(kind, 2, options=("--clock=none", "--no-report"))
        rows = self.traffic()
        self.assertEqual((rows["Barrier", "main"][0], rows["Send", "wrong"][0]), (10, 10))

    @each_kind
    def test_without_hooks(self, kind):
        """Nothing is told, and no wrapper stands in a stack, but where a sample met its jump to what it wraps, or it looking for that."""
        busy = PROGRAM.replace("i < 100;", "i < 300000;").replace("aprof_add(1000);", "")
        self.compile(kind, source=busy, compiler="gcc")
        self.run_job(kind, 2, 0, 30, options=("--no-report",))
        self.assertIn("no call of MPI is in this profile", self.command(APROF, "report", "--mpi", status=2).stderr)
        flat = json.loads(self.command(APROF, "report", "--json").stdout)["flat"]
        own = [r for r in flat if "aprof-mpi" in (r["module"] or "")]
        wrappers = [r for r in own if r["name"].startswith("MPI_") and r["name"] != "MPI_Finalize"]
        looking = sum(r["total_ticks"] for r in own if r["name"] in ("real_function", "mpi_call_looks"))
        self.assertLessEqual(sum(r["total_ticks"] - r["self_ticks"] for r in wrappers), looking, own)
        self.assertLess(sum(r["total_ns"] for r in wrappers), 0.02 * sum(r["self_ns"] for r in flat))

    @unittest.skipUnless(shutil.which("gfortran"), "no gfortran")
    @each_kind
    def test_fortran(self, kind):
        """By module mpi and by mpi_f08, in place, and with statuses and without: what C would count."""
        self.compile(kind, source=FORTRAN_TRAFFIC, suffix=".f90", flags=("-O0", "-w"))
        self.run_job(kind, 2, options=("--clock=none", "--no-report"))
        rows = {(name, caller.split("::")[-1]): row[:2] for (name, caller), row in self.traffic().items()}
        self.assertEqual(rows, {("Init", "MAIN__"): (2, 0), ("Barrier", "MAIN__"): (20, 0), ("Allreduce", "part"): (40, 640), ("Send", "part"): (20, 200), ("Recv", "part"): (20, 200),
                                ("Allgather", "part"): (20, 80), ("Allreduce", "part8"): (20, 320), ("Isend", "part8"): (10, 120), ("Irecv", "part8"): (10, 160),
                                ("Waitall", "part8"): (20, 0), ("Send", "part8"): (20, 160), ("Recv", "part8"): (20, 160)})


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
            self.assertEqual(text[0], f"Imbalance over {ranks} ranks, count of a rank, by context")
            self.assertEqual(text[3].split()[-6:], [str(heavy), "main", ">", "solve", ">", "part"])
            data = self.rows()
            self.assertEqual(data["ranks"], ranks)
            first, = [row for row in data["imbalance"] if row["history"] == ["main", "solve", "part"]]
            self.assertEqual(first, data["imbalance"][0])
            self.assertEqual([first[name] for name in ("ranks", "calls", "calls_least", "calls_most", "calls_rank", "time_rank")],
                             [ranks, 20 * (10 + ranks - 1), 20, 200, heavy, heavy])
            self.assertEqual((first["time_ns"], first["time_least_ns"], first["time_most_ns"]), tuple(1000 * n for n in (20 * (10 + ranks - 1), 20, 200)))
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
    def test_of_rank(self, kind):
        """--rank leaves what that rank has the most of; together all ranks' rows are the table."""
        self.compile(kind)
        self.run_job(kind, 4, 2, 10)
        whole = self.rows()["imbalance"]
        for rank in range(4):
            self.assertEqual(self.rows(f"--rank={rank}")["imbalance"], [row for row in whole if row["time_rank"] == rank])
        self.assertIn(["main", "solve", "part"], [row["history"] for row in self.rows("--rank=2")["imbalance"]])
        text = self.command(APROF, "report", "--rank=2", "--brief").stdout.splitlines()
        self.assertEqual(text[0], "Imbalance over 4 ranks, count of a rank, by context, where rank 2 has the most")
        idle = next(rank for rank in range(4) if not self.rows(f"--rank={rank}", "--focus=part")["imbalance"])
        self.assertEqual(self.command(APROF, "report", f"--rank={idle}", "--focus=part", "--brief").stdout.splitlines()[2:], ["there is none"])
        self.assertIn("--rank=4: the ranks of this job are 0 to 3", self.command(APROF, "report", "--rank", "4", status=2).stderr)
        self.assertIn("--rank=x", self.command(APROF, "report", "--rank=x", status=2).stderr)

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


class Killed(Job):
    """A rank is killed at a random moment, from its MPI_Init on into the time behind its MPI_Finalize, KILLS times."""
    RANKS, ROUNDS = 4, 1000000
    PATIENCE = ["0", "0", "0", "1"]     # seconds from SIGTERM to SIGKILL that Open MPI gives the others when one has died, and waits for in any case

    def marks(self):
        """Of each rank that has begun its number and how often it has worked."""
        for rank in range(self.RANKS):
            path = pathlib.Path(self.folder, f"mark.{rank}")
            if path.exists() and path.stat().st_size == 4096:
                yield rank, struct.unpack("ii", path.read_bytes()[:8])

    def strike(self, kind, rank, delay, patience="1"):
        """Run the job, and kill RANK so many seconds after it has begun, or let it go on.  Was it there to be killed, and how long did it live from then on?"""
        for path in glob.glob(self.folder + "/mark.*"):
            os.remove(path)
        with open(self.folder + "/err", "w") as err:
            job = subprocess.Popen(["mpirun." + kind, *(("--oversubscribe",) if kind == "openmpi" else ()), "-n", str(self.RANKS), APROF, "run", "--clock=none", "--no-report",
                                    "./ring", str(self.ROUNDS)], cwd=self.folder, env=environment(OMPI_MCA_odls_base_sigkill_timeout=patience), stdout=err, stderr=err)
        pid = 0
        while not pid and job.poll() is None:
            time.sleep(0.001)
            pid = dict(self.marks()).get(rank, (0, 0))[0]
        begun, lived, struck = time.monotonic(), 0, False
        there = lambda: pid and job.poll() is None and pathlib.Path(f"/proc/{pid}").exists()  # noqa: E731
        while there() and (delay is None or lived < delay):
            time.sleep(0.001)
            lived = time.monotonic() - begun
        with contextlib.suppress(ProcessLookupError):
            if there():
                os.kill(pid, signal.SIGKILL)
                struck = True
        job.wait()
        return struck, lived

    def found(self):
        """Rank -> the most that any profile that is left has of its work."""
        most = dict.fromkeys(range(self.RANKS), 0)
        for path in glob.glob(self.folder + "/amon.out") + self.of_ranks():
            calls = self.calls(path)
            for rank in most:
                most[rank] = max(most[rank], calls.get(f"work_{rank}", 0))
        return most

    @each_kind
    def test_random(self, kind):
        """All that any rank did before is in a profile: of those that were not killed, and of the one that was."""
        draw, struck, tries, kills = random.Random(kind), 0, 0, int(os.environ.get("KILLS", 3))
        self.compile(kind, source=DYING)
        _, life = self.strike(kind, 0, None)
        while struck < kills and tries < 10 * kills:
            for path in glob.glob(self.folder + "/amon.out"):
                os.remove(path)
            rank, delay = draw.randrange(self.RANKS), draw.uniform(0, 1.2 * life)
            there, lived = self.strike(kind, rank, delay, draw.choice(self.PATIENCE))
            life = life if there or not lived else lived     # which depends on what else runs here
            struck, tries = struck + there, tries + 1
            did = {rank: rounds for rank, (_, rounds) in self.marks()}
            found = self.found()
            for of, rounds in did.items():
                self.assertGreaterEqual(found[of], rounds, (kind, rank, delay, did, found, self.left(), self.of_ranks(), pathlib.Path(self.folder, "err").read_text()))
        print(f"{kind}: {struck} ranks killed in {tries} jobs", file=sys.stderr)


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
