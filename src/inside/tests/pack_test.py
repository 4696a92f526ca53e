#!/usr/bin/env python3
"""pack_test.py BUILD - what is left of program counters when a process ends: all of them, in little room, wherever it is killed meanwhile."""
import collections
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import unittest

from clock_amon import Amon

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
APROF = str(BUILD / 'aprof')
BOUND = 64 * 1024       # bytes of a small program's profile

# Two hundred and fifty contexts or so, and code enough for some thousand program counters.  It works for so many ms, and ends; with a file named it takes no more
# samples then, leaves a copy there, and says so.  It may fill the disk that it is on.
MAIN = '''
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <string.h>
#include "aprof.h"
static void fill(void)
{
	static char page[4096];
	int fd = open("disk/fill", O_CREAT | O_WRONLY, 0600);

	memset(page, 1, sizeof page);
	while (write(fd, page, sizeof page) > 0)
		;
	close(fd);
}
int main(int n, char **v)
{
	struct timespec now;
	sigset_t samples;

	sigemptyset(&samples);
	sigaddset(&samples, SIGPROF);
	do {
		for (int i = 0; i < 20; i++)
			f0(5);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < atol(v[1]));
	if (n == 4 && !strcmp(v[3], "late"))
		aprof_stop();		/* and what keeps phases stands behind the tables */
	sigprocmask(SIG_BLOCK, &samples, NULL);
	if (n > 2)
		aprof_flush(v[2]);
	if (n == 4 && !strcmp(v[3], "full"))
		fill();
	if (n == 3)
		raise(SIGUSR1);
	return 0;
}
'''

# Flushes all the time, from before the process ends on, which a library's destructor makes long.
FLUSHING = '''
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "aprof.h"
static sem_t begun;
static void *flush(void *arg)
{
	char name[40];

	for (int i = 0;; i++) {
		snprintf(name, sizeof name, "while/copy.%d", i);
		aprof_flush(name);
		sem_post(&begun);
	}
	return arg;
}
int main(int n, char **v)
{
	struct timespec now;
	pthread_t thread;

	do {
		for (int i = 0; i < 20; i++)
			f0(5);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < atol(v[1]));
	sem_init(&begun, 0, 0);
	pthread_create(&thread, NULL, flush, NULL);
	sem_wait(&begun);
	return 0;
}
'''
SLOW = '''
#include <time.h>
__attribute__((destructor)) static void wait(void) { nanosleep(&(struct timespec){ .tv_nsec = 15000000 }, NULL); }
'''


def source(seed, main=MAIN):
    """Routines with much straight code each, that call each other down to a depth."""
    draw = random.Random(seed)
    n = 30
    text = 'static volatile unsigned long s;\n' + ''.join(f'void f{i}(int);\n' for i in range(n))
    for i in range(n):
        body = ''.join(f'\ts ^= s * {draw.randrange(3, 999)}u + {draw.randrange(999)};\n\tif (s & {1 << draw.randrange(8)}) s += {draw.randrange(99)};\n'
                       for _ in range(80))
        calls = ''.join(f'\tif (d > 0) f{draw.randrange(n)}(d - 1);\n' for _ in range(3))
        text += f'__attribute__((noinline)) void f{i}(int d)\n{{\n{body}{calls}}}\n'
    return text + main


class Pack(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.home.name)
        (cls.folder / 'many.c').write_text(source(3))
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-w', f'-I{HERE}/../../contract', '-o', 'many', 'many.c', f'-L{BUILD}/src/inside'], cwd=cls.folder, check=True)
        subprocess.run(['cc', '-O2', f'-I{HERE}/../..', '-o', 'steps', HERE / 'pack_steps.c'], cwd=cls.folder, check=True)

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()

    def run_many(self, name, *command, **settings):
        file = self.folder / name
        done = subprocess.run(command, cwd=self.folder, env={**os.environ, 'APROF_OUT': str(file), 'APROF_RATE': '10000', **settings}, capture_output=True, text=True)
        return file, done

    def read(self, file):
        return Amon(file, self.folder / 'many')

    def samples(self, file):
        found = collections.Counter()
        for pc in self.read(file).pcs:
            found[pc.thread, pc.pc, pc.context] += pc.count
        return found

    def samples_by_aprof(self, file):
        done = subprocess.run([APROF, 'report', '--json', file], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)['run']['counts']['pc_samples']

    def need_counters(self, file):
        if self.read(file).pc_source == 0:
            self.skipTest('no program counters are to be had here')

    def test_small_and_all_there(self):
        """As the process leaves it and as aprof run does; by a reader that shares no code with who wrote it."""
        file, done = self.run_many('plain.out', './many', '4000', 'flushed.out')
        self.assertEqual(done.returncode, -signal.SIGUSR1)      # killed with its tables, which the copy has, too
        self.need_counters(file)
        flushed = self.folder / 'flushed.out'
        self.assertGreater(os.stat(flushed).st_size, 2 * BOUND)
        file, done = self.run_many('ended.out', './many', '4000', APROF_RATE='1000')
        self.assertEqual(done.returncode, 0)
        self.assertIn(len(self.read(file).contexts), range(200, 400))
        self.assertLessEqual(os.stat(file).st_size, BOUND)
        self.assertGreater(len(self.samples(file)), 1100)
        self.assertEqual(sum(self.samples(file).values()), self.samples_by_aprof(file))
        subprocess.run([APROF, 'run', '--rate=1000', '--no-report', '--data', 'run.out', './many', '4000'], cwd=self.folder, check=True)
        self.assertLessEqual(os.stat(self.folder / 'run.out').st_size, BOUND)
        self.assertGreater(len(self.samples(self.folder / 'run.out')), 1100)
        merged = self.folder / 'merged.out'
        subprocess.run([APROF, 'merge', '-o', merged, flushed], check=True)
        self.assertEqual(sorted(self.samples(flushed).values()), sorted(self.samples(merged).values()))

    def test_no_room_on_disk_for_what_is_not_used(self):
        """Something stands behind the tables."""
        file, done = self.run_many('late.out', './many', '2500', 'copy.out', 'late')
        self.assertEqual(done.returncode, 0)
        self.need_counters(file)
        self.assertEqual(self.samples(file), self.samples(self.folder / 'copy.out'))
        size = os.stat(file)
        self.assertLess(size.st_blocks * 512, size.st_size - BOUND)

    def test_full_disk_that_costs_nothing(self):
        """There is no room to pack in: the tables stay, nothing is lost, and so nothing is said."""
        disk = self.folder / 'disk'
        disk.mkdir()
        script = ('mount -t tmpfs -o size=2m none disk && APROF_RATE=10000 APROF_OUT=disk/full.out ./many 2500 disk/copy.out full; status=$?;'
                  'rm -f disk/fill; cp disk/full.out disk/copy.out . && exit $status')
        if subprocess.run(['unshare', '-Urm', 'mount', '-t', 'tmpfs', 'none', disk], capture_output=True).returncode:
            self.skipTest('no mounts for ordinary users here')
        done = subprocess.run(['unshare', '-Urm', 'sh', '-c', script], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        file = self.folder / 'full.out'
        self.need_counters(file)
        self.assertGreater(os.stat(file).st_size, 2 * BOUND)    # as it was: not packed
        self.assertEqual(self.samples(file), self.samples(self.folder / 'copy.out'))
        self.assertNotIn('disk_full', self.read(file).notes)

    def test_flushed_while_it_ends(self):
        """A copy that another thread makes meanwhile has all of them once, or the tables stay as they are.  Chance decides whether the two meet."""
        (self.folder / 'flushing.c').write_text(source(3, FLUSHING))
        (self.folder / 'slow.c').write_text(SLOW)
        (self.folder / 'while').mkdir()
        subprocess.run(['cc', '-shared', '-fPIC', '-o', 'libslow.so', 'slow.c'], cwd=self.folder, check=True)
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-w', f'-I{HERE}/../../contract', '-o', 'flushing', 'flushing.c', '-pthread', '-L.', '-Wl,--no-as-needed', '-lslow',
                        '-Wl,-rpath,$ORIGIN'], cwd=self.folder, check=True)
        for _ in range(3):
            file, done = self.run_many('last.out', './flushing', '600')
            self.assertEqual(done.returncode, 0, done.stderr)
            self.need_counters(file)
            last, copies = self.samples(file), list((self.folder / 'while').iterdir())
            self.assertGreater(len(copies), 0)
            for copy in copies:
                for sample, count in self.samples(copy).items():
                    self.assertLessEqual(count, last[sample], copy)
                copy.unlink()

    def test_killed_at_every_step(self):
        file, done = self.run_many('stepped.out', './steps', self.folder / 'stepped.out', './many', '2500', 'before.out', APROF_RATE='500')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.need_counters(file)
        copies, before = int(done.stdout), self.samples(self.folder / 'before.out')
        self.assertGreater(len(before), 512)
        kinds = set()
        for i in range(copies):
            self.assertEqual(self.samples(f'{file}.{i}'), before, i)
            kinds.add(os.stat(f'{file}.{i}').st_size)
        self.assertGreater(copies, 8)
        self.assertEqual(len(kinds), 3, kinds)          # before, with the chunk behind, without what is not in use
        for i in {0, copies // 2, copies - 1}:
            self.assertEqual(self.samples_by_aprof(f'{file}.{i}'), sum(before.values()))
        self.assertLess(os.stat(file).st_size, os.stat(self.folder / 'before.out').st_size)
        self.assertEqual(self.samples(file), before)


if __name__ == '__main__':
    unittest.main(verbosity=2)
