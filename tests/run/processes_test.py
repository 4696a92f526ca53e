"""processes_test.py BUILD: a run of many processes keeps few files while it goes on, and loses nothing if aprof run is killed meanwhile.

Environment: MANY, processes of the long run (800); KILLS, how often aprof run is killed (6); PROCESSES, of each such run (280)."""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import limits

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
APROF = BUILD / 'aprof'
MANY, KILLS, PROCESSES = (int(os.environ.get(name, usual)) for name, usual in (('MANY', 800), ('KILLS', 6), ('PROCESSES', 280)))
PILE = 256                                                              # HOUSEKEEPING_FILES of src/record/run/housekeeping.h
MOST = 2 * PILE + 64                                                    # files: as many as wake the thread, as many again meanwhile, and some that live

# A process of it calls leaf as often as its argument says.
TINY = r"""
#include <stdlib.h>
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
int main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--)
		leaf();
	return 0;
}
"""

# Forks N children, one after the other, of which number I calls leaf I % 10 times; writes a byte to descriptor FD for each that has ended.
# While there are more than MOST files in the directory of the run it stops: for ever, unless they become fewer.
FORKER = r"""
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))

__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) void child(int n) { for (; n > 0; n--) leaf(); }

PLAIN static int files(const char *directory)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	int n = 0;

	while (dir && (entry = readdir(dir))) {
		char path[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
		n += strncmp(entry->d_name, "added.", 6) == 0 ? files(path) : 1;
	}
	if (dir)
		closedir(dir);
	return n;
}

int main(int argc, char **argv)
{
	char *directory = strdup(getenv("APROF_OUT"));
	int fd = atoi(argv[2]), most = argc > 3 ? atoi(argv[3]) : 0;

	*strrchr(directory, '/') = 0;
	for (int i = 0; i < atoi(argv[1]); i++) {
		pid_t pid = fork();

		if (pid == 0) {
			child(i % 10);
			return 0;
		}
		waitpid(pid, NULL, 0);
		if (write(fd, ".", 1) != 1)
			return 1;
		while (most && i % 16 == 0 && files(directory) > most)
			usleep(1000);
	}
	return 0;
}
"""


class Processes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix='aprof-processes-')
        cls.addClassCleanup(cls.folder.cleanup)
        cls.cwd = pathlib.Path(cls.folder.name)
        for name, text in ('tiny', TINY), ('forker', FORKER):
            (cls.cwd / f'{name}.c').write_text(text)
            limits.run([BUILD / 'aprof-cc', '-O2', '-o', name, f'{name}.c'], cwd=cls.cwd, check=True)

    def setUp(self):
        self.place = self.cwd / 'place'                                  # TMPDIR of aprof run
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()
        for path in self.cwd.glob('many*'):
            path.unlink()
        self.environment = dict(os.environ, TMPDIR=str(self.place), LC_ALL='C.UTF-8')

    def aprof(self, *words):
        done = limits.run([APROF, *words], cwd=self.cwd, env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def calls(self, name):
        """Routine -> its calls in the profile NAME."""
        found = {}
        for line in self.aprof('contexts', name).stdout.splitlines():
            entries, recursive, _, history = line.split(' ', 3)
            routine = history.split()[-1]
            if int(entries) or int(recursive):
                found[routine] = found.get(routine, 0) + int(entries) + int(recursive)
        return found

    def test_bounded(self):
        """Few files while many processes run; then one, whose calls are those of all."""
        n = MANY
        done = self.aprof('run', '--no-report', '--data=many', './forker', str(n), '1', str(MOST))
        self.assertEqual((done.stdout, done.stderr), ('.' * n, ''))
        calls = self.calls('many')
        self.assertEqual((calls['child'], calls['leaf']), (n, sum(i % 10 for i in range(n))))
        self.assertRegex(self.aprof('info', 'many').stdout, rf' {n + 1}  forker\n')
        self.assertEqual([path.name for path in self.cwd.glob('many*')], ['many'])
        self.assertEqual(list(self.place.iterdir()), [])

    def test_two_programs(self):
        """Each program has a file; the list of programs counts processes, not files."""
        n = PROCESSES
        read, write = os.pipe()
        with open(read, 'rb') as told:
            done = limits.run([APROF, 'run', '--report', '--data=many', 'sh', '-c', f'./tiny 7; ./forker {n} {write}; ./tiny 8'], cwd=self.cwd, env=self.environment,
                              capture_output=True, text=True, pass_fds=[write])
            os.close(write)
            self.assertEqual((done.returncode, len(told.read())), (0, n))
        self.assertRegex(done.stdout, rf'Programs of this run: 2(.|\n)* {n + 1}  {self.cwd}/forker: many')
        self.assertRegex(done.stdout, rf' 2  {self.cwd}/tiny: many')
        both = sorted(path.name for path in self.cwd.glob('many*'))
        self.assertEqual(len(both), 2)
        self.assertEqual(sorted(self.calls(name)['leaf'] for name in both), sorted([15, sum(i % 10 for i in range(n))]))

    def killed(self, after):
        """Kill aprof run when AFTER of its processes have ended; the program goes on.  The profile with all that is left."""
        read, write = os.pipe()
        with open(read, 'rb', buffering=0) as told:
            run = subprocess.Popen([APROF, 'run', '--no-report', '--data=many', './forker', str(PROCESSES), str(write)], cwd=self.cwd, env=self.environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=[write])
            os.close(write)
            seen = 0
            while seen < after:
                seen += len(told.read(1))
            run.send_signal(signal.SIGKILL)
            run.wait()
            while more := told.read(4096):                              # until nobody has the pipe any more
                seen += len(more)
        self.assertEqual(seen, PROCESSES)
        left = [path for path in self.place.iterdir() if path.suffix != '.done']
        if not left:
            return 'many'
        self.aprof('merge', '-o', 'merged', str(left[0]))
        self.aprof('merge', '-o', 'again', *(str(path) for path in left[0].iterdir() if path.name[0] != '.'))   # as a shell has them by *
        self.assertTrue((self.cwd / 'merged').read_bytes() == (self.cwd / 'again').read_bytes())
        return 'merged'

    def test_killed(self):
        """Whenever aprof run is killed, aprof merge of its directory has each process once."""
        chance = random.Random(os.environ.get('SEED', '24'))
        for i in range(KILLS):
            self.setUp()
            after = chance.randint(PILE - 20, PROCESSES)
            with self.subTest(after=after):
                calls = self.calls(self.killed(after))
                self.assertEqual((calls.get('child'), calls.get('leaf')), (PROCESSES, sum(i % 10 for i in range(PROCESSES))))

    def test_nothing_to_merge(self):
        done = limits.run([APROF, 'merge', '-o', 'merged', self.place], cwd=self.cwd, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (2, f'aprof: {self.place}: no profiles in this directory\n'))

    def test_killed_before_the_first(self):
        """The directory for a program's files was made, and nothing had been moved there."""
        self.aprof('run', '--no-report', '--data=one', './tiny', '3')
        (self.place / 'added.0').mkdir()
        done = limits.run([APROF, 'merge', '-o', 'merged', self.place / 'added.0'], cwd=self.cwd, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (2, f'aprof: {self.place}/added.0: no profiles in this directory\n'))
        self.aprof('merge', '-o', 'merged', str(self.place / 'added.0'), 'one')
        self.assertEqual(self.calls('merged'), self.calls('one'))

    def test_numbers_again(self):
        """A process that has the number of an earlier one does not take its profile's place."""
        spaces = ['unshare', '--map-root-user', '--pid', '--fork'] if os.geteuid() else ['unshare', '--pid', '--fork']
        if subprocess.run([*spaces, 'true'], capture_output=True).returncode != 0:
            self.skipTest('no namespaces of processes')
        words = ' '.join(spaces)
        self.aprof('run', '--no-report', '--data=many', 'sh', '-c', f'for i in 1 2 3 4 5; do {words} ./tiny $i; done')
        self.assertEqual(self.calls('many'), {'main': 5, 'leaf': 15})


if __name__ == '__main__':
    unittest.main()
