"""merge_test.py BUILD: many files to one: in any order and any parts the same bytes, by any number of threads, in memory that does not grow with their number."""
import ctypes
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import limits

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
APROF = BUILD / 'aprof'
MAKE_AMON, MAKE_RUNS = BUILD / 'src/contract' / 'make-amon', BUILD / 'src/contract' / 'make-runs'
READER = pathlib.Path(__file__).resolve().parents[2] / 'doc' / 'read_amon.py'


def contexts(path):
    """What the reader of doc/ finds in PATH, which shares no code with aprof: history -> entries and recursive calls, less those that nothing was in."""
    found = {}
    for line in subprocess.run([sys.executable, READER, path], check=True, capture_output=True, text=True).stdout.splitlines():
        entries, recursive, time, history = line.split(' ', 3)
        if int(entries) or int(recursive):
            found[history] = int(entries), int(recursive)
    return found


class Merge(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix='aprof-merge-')
        cls.addClassCleanup(cls.folder.cleanup)
        cls.cwd = pathlib.Path(cls.folder.name)
        cls.files = []
        for seed in range(1, 25):
            name = f'made.{seed}'
            limits.run([MAKE_AMON, '--seed', str(seed % 9), '--routines', '8', '--threads', str(1 + seed % 3), '--calls', str(100 * seed), '--recursion', '0.4',
                        *(['--reset', '150'] if seed % 4 == 0 else []), name], cwd=cls.cwd, check=True)
            cls.files.append(name)
        limits.run([MAKE_RUNS, '--routines', '40', 'run', '100'], cwd=cls.cwd, check=True)
        cls.runs = [f'run.{i}.out' for i in range(1, 101)]

    def merge(self, output, *files, cpus=None, status=0):
        """What merging FILES says, on CPUS alone."""
        done = limits.run([APROF, 'merge', '-o', output, *files], cwd=self.cwd, capture_output=True, text=True, env=dict(os.environ, LC_ALL='C.UTF-8'),
                          preexec_fn=(lambda: os.sched_setaffinity(0, cpus)) if cpus else None)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def same(self, one, other):
        self.assertTrue((self.cwd / one).read_bytes() == (self.cwd / other).read_bytes(), f'{one} and {other} differ')

    def test_order(self):
        """Operands in any order; few, whose threads stay apart, and many."""
        chance = random.Random(24)
        for n in 3, 16, 17, 24:
            self.merge('whole', *self.files[:n])
            for i in range(3):
                self.merge('other', *chance.sample(self.files[:n], n))
                self.same('whole', 'other')

    def test_parts(self):
        """A merge of merges, of few and many, is the merge; a merge of one alone is itself."""
        self.merge('whole', *self.files)
        self.merge('1', *self.files[:3])
        self.merge('2', *self.files[3:20])
        self.merge('3', self.files[20])
        self.merge('other', '3', *self.files[21:], '1', '2')
        self.same('whole', 'other')
        self.merge('again', 'whole')
        self.same('whole', 'again')

    def test_sums(self):
        """Calls are those of the single files, history by history, as another reader counts them."""
        wanted = {}
        some = [self.files[i] for i in (0, 1, 2, 3, 4, 5, 7)]
        for name in some:
            for history, (entries, recursive) in contexts(self.cwd / name).items():
                before = wanted.get(history, (0, 0))
                wanted[history] = before[0] + entries, before[1] + recursive
        self.merge('sum', *some)
        self.assertEqual(contexts(self.cwd / 'sum'), wanted)

    def test_ten_thousand(self):
        """10,000 files: by one thread and by all, in another order, the same; and each of them counts."""
        many = self.runs * 100
        self.assertEqual(self.merge('all', *many), '')
        self.merge('one', *reversed(many), cpus={min(os.sched_getaffinity(0))})
        self.same('all', 'one')
        one = contexts(self.cwd / self.runs[0])                         # each run makes the same calls
        self.assertEqual(contexts(self.cwd / 'all'), {history: (10000 * entries, 10000 * recursive) for history, (entries, recursive) in one.items()})
        self.assertIn('10000', limits.run([APROF, 'info', 'all'], cwd=self.cwd, capture_output=True, text=True, check=True).stdout)

    def peak(self, *files):
        """Peak resident size of merging FILES, in KB.  A shell starts it, since a process has the peak of who forked it, too."""
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)                         # PR_SET_CHILD_SUBREAPER
        started = subprocess.run(['sh', '-c', '"$@" >&2 & echo $!', 'sh', APROF, 'merge', '-o', 'out', *files], cwd=self.cwd, check=True, stdout=subprocess.PIPE)
        _, status, usage = os.wait4(int(started.stdout), 0)
        self.assertEqual(status, 0)
        return usage.ru_maxrss

    def test_memory(self):
        """Of 80 files of 10,000 contexts each no more memory is used than twice what their sum alone takes, though they are many times as large."""
        for seed in range(2):
            limits.run([MAKE_AMON, '--seed', str(seed + 1), '--routines', '300', '--callees', '4', '--calls', '0', '--max-contexts', '10000', f'large.{seed}'], cwd=self.cwd, check=True)
        many = [f'large.{i % 2}' for i in range(80)]
        self.merge('result', *many)
        alone, all_ = self.peak('result'), self.peak(*many)
        self.assertGreater(sum((self.cwd / name).stat().st_size for name in many), 1024 * alone)
        self.assertLess(all_, 2 * alone, f'{all_} KB, and {alone}')

    def test_first_at_fault(self):
        """Of several files that are no profiles the first is named, whoever reads it; nothing is written."""
        (self.cwd / 'text').write_text('no profile')
        (self.cwd / 'other').write_text('neither')
        files = [*self.runs, 'text', *self.runs, 'other', *self.runs]
        for cpus in None, {min(os.sched_getaffinity(0))}:
            self.assertIn('aprof: text: not an amon.out', self.merge('nothing', *files, cpus=cpus, status=2))
        self.assertFalse((self.cwd / 'nothing').exists())

    def test_cut_off(self):
        """Files that are cut off are named in the order in which they stand; of many some, and the number of the rest."""
        data = (self.cwd / self.files[0]).read_bytes()
        for i in range(12):
            (self.cwd / f'cut.{i:02}').write_bytes(data[:-4096])
        lines = self.merge('sum', *(f'cut.{i:02}' for i in range(12))).splitlines()
        self.assertEqual(lines[:8], [f'aprof: warning: cut.{i:02}: cut off; its whole part is added up' for i in range(8)])
        self.assertEqual(lines[8:], ['aprof: warning: and 4 more files are cut off'])

    PROGRAM = r"""
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
int main(int argc, char **argv)
{
	for (int i = atoi(argv[1]); i > 0; i--)
		leaf();
	if (argc > 2)
		kill(getpid(), SIGKILL);
	write(1, ".", 1);
	return 0;
}
"""
    SCRIPT = 'for i in $(seq 60); do ./program $i & [ $((i % 7)) != 0 ] || { ./program 1000 kill; } 2>/dev/null; done; wait'

    def test_run(self):
        """Of a run of many processes, some of them killed, one file is left, whose calls are those of all; what they print is what they print without."""
        (self.cwd / 'program.c').write_text(self.PROGRAM)
        limits.run([BUILD / 'aprof-cc', '-O2', '-o', 'program', 'program.c'], cwd=self.cwd, check=True)
        plain = limits.run(['sh', '-c', self.SCRIPT], cwd=self.cwd, capture_output=True, check=True).stdout
        done = limits.run([APROF, 'run', '--no-report', '--data=many', 'sh', '-c', self.SCRIPT], cwd=self.cwd, capture_output=True, check=True)
        self.assertEqual((done.stdout, plain), (b'.' * 60,) * 2)
        self.assertEqual([path.name for path in self.cwd.glob('many*')], ['many'])
        self.assertEqual(sorted(entries for entries, _ in contexts(self.cwd / 'many').values()), [60 + 8, sum(range(61)) + 8 * 1000])
        info = limits.run([APROF, 'info', 'many'], cwd=self.cwd, capture_output=True, text=True, check=True).stdout
        self.assertRegex(info, r' 60  program\n')
        self.assertRegex(info, r' 8  program kill\n')


if __name__ == '__main__':
    unittest.main()
