"""views_test.py BUILD: aprof hot, paths and annotate on programs in which each case of a bottleneck was planted."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import here
import limits
from terminal import plain, terminal

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
APROF = BUILD / 'aprof'

# The three cases: spin is heavy by itself, wasteful clears too much memory, and twelve routines go through one -> two -> three.
# Products, each of the one before, take as long on every processor; sums in memory take a third where that is kept in a register.
PLANTED = r'''
#include <stdlib.h>
#include <string.h>
static volatile long sink;
static char room[1 << 20];
__attribute__((noinline)) void spin(long n)
{
	long x = sink;

	for (long i = 0; i < n; i++)
		x = x * 1103515245 + i;
	sink = x;
}
__attribute__((noinline)) void wasteful(void)
{
	memset(room, (int)sink, sizeof room);
	sink += room[sink & 1023];
}
__attribute__((noinline)) void three(void) { long x = sink; for (int i = 0; i < 150000; i++) x = x * 1103515245 + i; sink = x; }
__attribute__((noinline)) void two(void) { three(); sink++; }
__attribute__((noinline)) void one(void) { two(); sink++; }
#define CALLER(n) __attribute__((noinline)) void caller##n(void) { one(); sink += n; }
CALLER(0) CALLER(1) CALLER(2) CALLER(3) CALLER(4) CALLER(5) CALLER(6) CALLER(7) CALLER(8) CALLER(9) CALLER(10) CALLER(11)
static void (*const callers[12])(void) = { caller0, caller1, caller2, caller3, caller4, caller5, caller6, caller7, caller8,
	caller9, caller10, caller11 };
int main(int argc, char **argv)
{
	long part = argc > 1 ? atol(argv[1]) : 1;

	for (int i = 0; i < 10; i++)
		spin(25000000 / part);
	for (int i = 0; i < 6000 / part; i++)
		wasteful();
	for (int i = 0; i < 600 / part; i++)
		callers[i % 12]();
	return 0;
}
'''

HEAVY = 'x = x * 1103515245 + i;'       # the line of spin that its time is on


def aprof(*arguments, cwd=None, **more):
    environment = {**os.environ, 'LC_ALL': 'C.UTF-8', **more.pop('env', {})}
    return limits.run([APROF, *arguments], 120, cwd=cwd, capture_output=True, text=True, env=environment, **more)


class Views(unittest.TestCase):
    def json(self, *arguments):
        done = aprof(*arguments, '--json', cwd=self.cwd)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def text(self, *arguments, **more):
        done = aprof(*arguments, cwd=self.cwd, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


def well_sampled(folder, share, *command, options=()):
    """Run COMMAND into amon.out, as sampled_well says; its output."""
    def run():
        done = aprof('run', '--no-report', *options, *command, cwd=folder)
        assert done.returncode == 0, done.stderr
        return done.stdout
    return sampled_well(folder, share, run)


def sampled_well(folder, share, run, data='amon.out'):
    """What RUN returns, which leaves DATA, when less than SHARE of the time is in no sample of its own; five times at most.
    Beside much else the sampler's thread may begin late, and waits for a processor; what runs meanwhile is hidden from it."""
    for _ in range(5):
        result = run()
        times = json.loads(aprof('report', '--json', data, cwd=folder).stdout)['run']['times']
        if times['unplaced_ns'] + times['unsure_ns'] < share * times['raw_ns']:
            break
    return result


class OnPlanted(Views):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.cwd = cls.home.name
        folder = pathlib.Path(cls.cwd)
        (folder / 'planted.c').write_text(PLANTED)
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-g', '-o', 'planted', 'planted.c'], cwd=folder, check=True)
        well_sampled(folder, 0.1, './planted')

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()


class Planted(OnPlanted):
    def test_heavy(self):
        heavy = self.json('hot')['heavy'][0]
        self.assertEqual((heavy['name'], heavy['calls']), ('spin', 10))
        self.assertGreater(heavy['time_ns'], heavy['total_ns'] * 0.9)

    def test_library(self):
        if self.json('report')['run']['counts']['pc_samples'] == 0:
            self.skipTest('the kernel gives no program counters')
        library = self.json('hot')['library'][0]
        self.assertIn('memset', library['name'])
        self.assertEqual(library['callers'][0]['name'], 'wasteful')

    def test_sequence(self):
        sequence = self.json('hot')['sequence']
        self.assertEqual(sequence['path'], ['one', 'two', 'three'])
        self.assertEqual((sequence['contexts'], sequence['calls']), (12, 600))
        self.assertEqual(self.json('paths')['paths'][0]['path'], ['one', 'two', 'three'])

    def test_paths_are_shares_of_the_report(self):
        three = next(row for row in self.json('report')['flat'] if row['name'] == 'three')
        self.assertEqual(self.json('paths')['paths'][0]['time_ns'], three['total_ns'])

    def test_one_screen(self):
        for locale in 'C.UTF-8', 'C':
            status, shown = terminal([APROF, 'hot', 'planted', 'amon.out'], self.cwd, LC_ALL=locale)
            self.assertEqual(status, 0, shown)
            self.assertLess(plain(shown).count('\n'), 24, shown)
            lines = self.text('hot', 'planted', 'amon.out', env={'LC_ALL': locale}).split('\n')
            for line in lines + plain(shown).split('\n'):
                self.assertLessEqual(len(line), 80, line)
        self.assertIn('aprof annotate spin planted', '\n'.join(lines))
        self.assertNotIn('none', '\n'.join(lines))

    @here.long
    def test_the_screen_of_a_run_fits_the_terminal(self):
        """What matters less is left out: the cases stand close, then without the commands for more, then without callers."""
        for rows, callers, more in (24, False, False), (36, False, False), (48, True, True):
            with self.subTest(rows=rows):
                status, shown = sampled_well(self.cwd, 0.1, lambda: terminal([APROF, 'run', '--data=screen', './planted', '3'], self.cwd, lines=rows), 'screen')
                text = plain(shown)
                self.assertEqual(status, 0, text)
                self.assertLessEqual(text.count('\n'), rows, text)
                self.assertLessEqual(max(map(len, text.splitlines())), 80)
                self.assertTrue(not callers or '\n   for main' in text, text)
                self.assertTrue(not more or 'more: aprof annotate spin' in text, text)
                for words in 'most time in its own code', 'most time in all', '1. A heavy', 'spin at', '\nMore: aprof report':
                    self.assertIn(words, text)
                found = self.json('hot', 'screen')
                for words, there in ('A library routine', found['library']), ('A sequence', found['sequence']), ('A routine whose', found['one_callee']):
                    self.assertEqual(words in text, bool(there) and (more or words in text), text)

    def test_commands_of_hot_work(self):
        for line in self.text('hot').split('\n'):
            if line.startswith('   more: aprof '):
                command = line.removeprefix('   more: ')
                done = subprocess.run(command, shell=True, cwd=self.cwd, capture_output=True, text=True,
                                      env=dict(os.environ, PATH=f'{BUILD}:{os.environ["PATH"]}'))
                self.assertEqual(done.returncode, 0, f'{command}: {done.stderr}')
                self.assertTrue(done.stdout)


class Annotate(OnPlanted):
    """Source lines; main calls all others, two of them on one line each."""

    def routine(self, *arguments):
        return self.json('annotate', *arguments)['annotate'][0]

    def line_of(self, text):
        return 1 + next(i for i, line in enumerate(PLANTED.split('\n')) if text in line)

    def assert_conserved(self, routine):
        self.assertEqual(sum(line['self_ns'] for line in routine['lines']) + routine['plain_ns'] + routine['elsewhere_ns']
                         + routine['unknown_ns'], routine['self_ns'])
        self.assertEqual(sum(c['time_ns'] for c in routine['callees'] if c['place'] is None) + routine['self_ns'],
                         routine['total_ns'])
        self.assertEqual(sum(c['time_ns'] for c in routine['callees'] if c['place'] is not None), routine['plain_ns'])

    def test_conserved(self):
        rows = {row['name']: row for row in self.json('report')['flat']}
        routines = self.json('annotate', 'planted.c')['annotate']
        self.assertEqual({r['name'] for r in routines}, set(rows))
        for routine in routines:
            self.assert_conserved(routine)
            self.assertEqual(routine['self_ns'], rows[routine['name']]['self_ns'])
            self.assertEqual(routine['total_ns'], rows[routine['name']]['total_ns'])

    def test_samples_are_in_the_loop(self):
        if self.json('report')['run']['counts']['pc_samples'] == 0:
            self.skipTest('the kernel gives no program counters')
        loop = self.line_of(HEAVY)
        lines = {line['line']: line['ticks'] for line in self.routine('spin')['lines']}
        self.assertGreater(sum(n for line, n in lines.items() if loop - 1 <= line <= loop), 0.9 * sum(lines.values()))

    def test_calls_are_on_their_lines(self):
        callees = {c['name']: c for c in self.routine('main')['callees']}
        self.assertEqual(callees['spin']['call_lines'], [self.line_of('spin(25000000 / part)')])
        self.assertEqual(callees['wasteful']['call_lines'], [self.line_of('		wasteful();')])
        self.assertEqual((callees['spin']['calls'], callees['wasteful']['calls']), (10, 6000))
        text = self.text('annotate', 'main')
        self.assertRegex(text, r'(?m)^ +10 +[\d.]+ m?s +\d+  +spin\(25000000 / part\);$')
        self.assertRegex(text, r'(?m)^ +6000 +[\d.]+ m?s +\d+  +wasteful\(\);$')

    def test_plain_code(self):
        if self.json('report')['run']['counts']['pc_samples'] == 0:
            self.skipTest('the kernel gives no program counters')
        callee = self.routine('wasteful')['callees'][0]
        self.assertIn('memset', callee['name'])
        self.assertEqual(callee['call_lines'], [self.line_of('memset(room')])

    def test_not_found(self):
        done = aprof('annotate', 'nobody', cwd=self.cwd)
        self.assertEqual((done.returncode, done.stdout), (2, ''))
        self.assertIn('no routine and no source file', done.stderr)
        self.assertEqual(done.stderr.count('\n'), 1)
        self.assertIn('which routine', aprof('annotate', cwd=self.cwd).stderr)

    def test_part_of_a_name(self):
        self.assertEqual(self.text('annotate', 'spi'), self.text('annotate', 'spin'))

    def test_source_that_moved(self):
        folder = pathlib.Path(self.cwd)
        (folder / 'moved' / 'sub').mkdir(parents=True)
        moved = folder / 'moved' / 'sub' / 'planted.c'
        (folder / 'planted.c').rename(moved)
        try:
            done = aprof('annotate', 'spin', cwd=self.cwd)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stdout, r'^.*planted\.c: the source is not there; say --source-path=FOLDER\.  Its instructions:\n\nspin: ')
            self.assertEqual(self.routine('spin')['callees'], [])
            for option in '--source-path=moved/sub', f'--substitute={self.cwd}={self.cwd}/moved/sub':
                self.assertIn(HEAVY, self.text('annotate', option, 'spin'))
            done = aprof('annotate', '--substitute=planted', 'spin', cwd=self.cwd)
            self.assertIn('not of the form FROM=TO', done.stderr)
        finally:
            moved.rename(folder / 'planted.c')

    def test_source_that_changed(self):
        path = pathlib.Path(self.cwd) / 'planted.c'
        before = path.stat().st_mtime
        path.write_bytes(PLANTED.encode().replace(HEAVY.encode(), b'\x1b[31m\t\x00'))
        try:
            done = aprof('annotate', 'spin', cwd=self.cwd)
            self.assertIn('changed after the program was run', done.stderr)
            self.assertIn('\\x1b[31m', done.stdout)
            self.assertNotIn('\x1b', done.stdout)
        finally:
            path.write_text(PLANTED)
            os.utime(path, (before, before))


class Optimised(Views):
    """Code that the compiler put into a routine; a source named by a path that is relative to another folder."""

    def test_calls_of_inlined_routines(self):
        with tempfile.TemporaryDirectory() as name:
            self.cwd = name
            folder = pathlib.Path(name)
            (folder / 'build').mkdir()
            (folder / 'small.c').write_text(
                '__attribute__((noinline)) int leaf(int n) { __asm__ volatile("" : "+r"(n)); return n + 1; }\n'
                'static inline __attribute__((always_inline)) int inlined(int n)\n{\n	return leaf(n) * 3;\n}\n'
                '__attribute__((noinline)) int top(int n)\n{\n	n++;\n	n = inlined(n) + 1;\n	return n;\n}\n'
                'int main(void) { return top(1) < 0; }\n')
            subprocess.run([BUILD / 'aprof-cc', '-O2', '-g', '-o', 'small', '../small.c'], cwd=folder / 'build', check=True)
            self.assertEqual(aprof('run', '--no-report', 'build/small', cwd=folder).returncode, 0)
            routine = self.json('annotate', 'top')['annotate'][0]
            self.assertEqual([(c['name'], c['call_lines']) for c in routine['callees']], [('leaf', [9])])
            self.assertEqual((routine['first_line'], routine['last_line']), (6, 11))
            self.assertRegex(self.text('annotate', 'top'), r'(?m)^ +1 +[\d.]+( [num]?s)? +9  +n = inlined\(n\) \+ 1;$')


    def test_own_time_by_inlined_functions(self):
        """Of functions that the compiler put into a routine, one into the other, each has what samples found there, and all are within its own time."""
        with tempfile.TemporaryDirectory() as name:
            self.cwd = name
            folder = pathlib.Path(name)
            (folder / 'inlines.c').write_text(
                'static volatile long sink;\n'
                '#define IN static inline __attribute__((always_inline))\n'
                'IN void mix(long n) { long x = sink; for (long i = 0; i < n; i++) x = x * 1103515245 + i; sink = x; }\n'
                'IN void outer(long n) { for (long i = 0; i < n; i++) sink += i ^ sink; mix(3 * n); }\n'
                '__attribute__((noinline)) int top(long n)\n{\n	outer(n);\n	mix(n);\n	for (long i = 0; i < n; i++)\n		sink ^= i;\n	return 1;\n}\n'
                'int main(void) { for (int i = 0; i < 300; i++) top(80000); return 0; }\n')
            subprocess.run([BUILD / 'aprof-cc', '-O1', '-g', '-o', 'inlines', 'inlines.c'], cwd=folder, check=True)
            well_sampled(folder, 0.1, './inlines', options=('--rate=2000',))       # some parts have few samples at the usual rate
            if self.json('report')['run']['counts']['pc_samples'] == 0:
                self.skipTest('the kernel gives no program counters')
            top = next(r for r in self.json('report', '-p', '--inlines')['flat'] if r['name'] == 'top')
            parts = {tuple(part['inlined']): part for part in top['parts']}
            self.assertEqual(set(parts), {('outer',), ('outer', 'mix'), ('mix',)})
            self.assertEqual({chain[-1] for chain in parts}, {part['name'] for part in top['parts']})
            self.assertLess(sum(part['self_ns'] for part in top['parts']), top['self_ns'])
            self.assertGreater(parts['outer', 'mix']['self_ns'], parts['mix',]['self_ns'])
            self.assertRegex(self.text('report', '-p', '--inlines'), r'(?m) inlined: outer -> mix$')
            self.assertRegex(self.text('report', '-q', '--inlines'), r'(?m) inlined: mix$')
            lines = [part for part in next(r for r in self.json('report', '-p', '--inlines', '--lines')['flat'] if r['name'] == 'top')['parts'] if part['inlined'] is None]
            self.assertTrue(lines and all(5 <= part['line'] <= 12 for part in lines), lines)


class Unoptimised(Views):
    """Where debug information tells no call sites, names in the source do."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cwd = folder.name
        source = pathlib.Path(self.cwd) / 'small.c'
        source.write_text('int leaf(int n) { return n + 1; }\n'
                          'int top(int n)\n{\n'
                          '	/* leaf(1) is not called here */ const char *s = "leaf(2)";\n'
                          '	return leaf(n) + *s;\n}\n'
                          'int twice(int n)\n{\n	n = leaf(n);\n	return leaf(n);\n}\n'
                          'int main(void) { return top(1) + twice(2) < 0; }\n')
        subprocess.run([BUILD / 'aprof-cc', '-O0', '-g', '-o', 'small', 'small.c'], cwd=self.cwd, check=True)
        self.assertEqual(aprof('run', '--no-report', './small', cwd=self.cwd).returncode, 0)

    def test_by_name(self):
        self.assertEqual(self.json('annotate', 'top')['annotate'][0]['callees'][0]['call_lines'], [5])
        self.assertEqual(self.json('annotate', 'twice')['annotate'][0]['callees'][0]['call_lines'], [9, 10])
        self.assertRegex(self.text('annotate', 'twice'), r'(?m)^ +2 +[\d.]+( [mnu]?s)? *~ +9  +n = leaf\(n\);$')

    def test_without_debug_information(self):
        subprocess.run([BUILD / 'aprof-cc', '-O0', '-o', 'small', 'small.c'], cwd=self.cwd, check=True)
        aprof('run', '--no-report', './small', cwd=self.cwd)
        done = aprof('annotate', 'top', cwd=self.cwd)
        self.assertEqual((done.returncode, done.stdout), (2, ''))
        self.assertIn('compile with -g', done.stderr)


# heavy has nine callers; rare three, each once; often three, all the time; shared() is hooked, in a library; top5 sorts all for five.
# Tells the CPU seconds that heavy worked for each of its callers: how fast a machine is changes while it runs.
CASES = r'''
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
void shared(long n);
static volatile long sink;
static int items[100000];
__attribute__((noinline)) static int compare(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }
__attribute__((noinline)) static void top5(void) { qsort(items, 100000, sizeof *items, compare); sink += items[99999] + items[99995]; }
__attribute__((noinline)) static void heavy(long n) { for (long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) static void rare(long n) { for (long i = 0; i < n; i++) sink ^= i; }
__attribute__((noinline)) static void often(long n) { for (long i = 0; i < n; i++) sink |= i; }
__attribute__((no_instrument_function)) static double spent(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec + t.tv_nsec / 1e9; }
// heavy is the heaviest whatever an iteration costs: one processor takes three times as long for the same loop elsewhere.
#define CALLER(n) __attribute__((noinline)) static void caller##n(void) { double start = spent(); heavy(n * 6000000); printf("%.9f\n", spent() - start); }
CALLER(1) CALLER(2) CALLER(3) CALLER(4) CALLER(5) CALLER(6) CALLER(7) CALLER(8) CALLER(9)
#define USER(name, n) __attribute__((noinline)) static void name(void) { rare(20000000); for (int i = 0; i < 2000; i++) often(10000); shared(20000000); sink += n; }
USER(one, 1) USER(two, 2) USER(three, 3)
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1) {
		for (int k = 0; k < 40; k++) {
			for (int i = 0; i < 100000; i++)
				items[i] = rand() % 1000000;
			top5();
		}
		return 0;
	}
	caller1(); caller2(); caller3(); caller4(); caller5(); caller6(); caller7(); caller8(); caller9();
	one(); two(); three();
	return 0;
}
'''


# sorter and tail have libc sort, the latter behind a jump; main prints, and calls libc for nothing else.
SORTS = r'''
#include <stdio.h>
#include <stdlib.h>
static int items[100000];
__attribute__((noinline)) static int compare(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }
__attribute__((noinline)) static void fill(void) { for (unsigned i = 0; i < 100000; i++) items[i] = (int)(i * 2654435761u >> 4); }
__attribute__((noinline)) void sorter(void) { fill(); qsort(items, 100000, sizeof *items, compare); fill(); }
__attribute__((noinline)) void tail(void) { fill(); qsort(items, 100000, sizeof *items, compare); }
int main(int argc, char **argv)
{
	for (int k = 0; k < 100; k++)
		if (argc > 1 && *argv[1] == 't')
			tail();
		else
			sorter();
	printf("%d\\n", items[7]);
	return 0;
}
'''


# What a library does for its public(), and a program that calls two of its functions.
PUBLIC = r'''
static volatile long sink;
__attribute__((noinline)) static void inner(long n) { for (long i = 0; i < n; i++) sink += i; }
void public(long n) { inner(n); sink++; }
void other(long n) { sink += n; }
'''
CALLER = r'''
void public(long), other(long);
__attribute__((noinline)) static void work(void) { for (int i = 0; i < 600; i++) { public(300000); other(i); } }
int main(void) { work(); return 0; }
'''


class PublicNames(Views):
    """A library's routine that no program can name is called as the program called it, with debug information of the program and without."""

    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.cwd = cls.home.name
        (pathlib.Path(cls.cwd) / 'sorts.c').write_text(SORTS)
        for name, flags in ('plain', []), ('debug', ['-g']), ('static', ['-g', '-static']):
            subprocess.run([BUILD / 'aprof-cc', '-O2', *flags, '-o', name, 'sorts.c'], cwd=cls.cwd, check=True)
            for which in 'sorter', 'tail':
                done = aprof('run', '--rate=4000', '--no-report', '-o', '/dev/null', '--data', f'{name}-{which}.out', f'./{name}', which, cwd=cls.cwd)
                assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()

    def leaves_of(self, routine, profile):
        """The names by which the routine called its leaves in a library, or in a program that has it within, that are no chance, the heaviest first."""
        report = self.json('report', '--leaves', profile)
        if report['run']['counts']['pc_samples'] == 0:
            self.skipTest('the kernel gives no program counters')
        row = next(r for r in report['flat'] if r['name'] == routine)
        ticks = {}
        for leaf in row['parts']:
            if leaf['place'].startswith(('lib', 'static')):
                name = leaf['called'] or leaf['name']
                ticks[name] = ticks.get(name, 0) + leaf['ticks']
        return [name for name in sorted(ticks, key=lambda name: -ticks[name]) if ticks[name] >= 10]

    @here.long
    def test_the_public_name(self):
        for name in 'plain', 'debug', 'static':
            for which, caller in ('sorter', 'sorter'), ('tail', 'main'):
                leaves = self.leaves_of(caller, f'{name}-{which}.out')
                self.assertTrue({'qsort', 'qsort_r'} & set(leaves), (name, which, leaves))
                self.assertFalse([leaf for leaf in leaves if 'msort' in leaf or leaf in ('(no symbols)', 'printf')], (name, which, leaves))
                hot = self.json('hot', f'{name}-{which}.out')
                self.assertIn('qsort', [r['name'] for r in hot['library']], (name, which))

    def test_where_the_program_is_gone(self):
        """What the profile carries of its symbols tells the calls, too."""
        for name in 'plain', 'static':
            os.rename(pathlib.Path(self.cwd) / name, pathlib.Path(self.cwd) / 'away')
            try:
                leaves = self.leaves_of('sorter', f'{name}-sorter.out')
                self.assertTrue({'qsort', 'qsort_r'} & set(leaves), (name, leaves))
            finally:
                os.rename(pathlib.Path(self.cwd) / 'away', pathlib.Path(self.cwd) / name)

    def test_where_the_library_is_gone(self):
        folder = pathlib.Path(self.cwd)
        (folder / 'public.c').write_text(PUBLIC)
        (folder / 'caller.c').write_text(CALLER)
        subprocess.run(['gcc', '-O2', '-shared', '-fPIC', '-o', 'libpublic.so', 'public.c'], cwd=folder, check=True)
        subprocess.run([BUILD / 'aprof-cc', '-O2', '-o', 'caller', 'caller.c', './libpublic.so'], cwd=folder, check=True)
        done = aprof('run', '--no-report', '--data', 'caller.out', './caller', cwd=folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        os.rename(folder / 'libpublic.so', folder / 'away')
        self.assertEqual(self.leaves_of('work', 'caller.out')[:1], ['public'])


# An interpreter's loop: nearly half of the time is its own, and all of the rest that of small helpers.
LOOP = '\n'.join(f'__attribute__((noinline)) unsigned h{n}(unsigned x) {{ for (int i = 0; i < 40; i++) x = x * 1664525u + {n}; return x; }}' for n in range(12)) + r'''
__attribute__((noinline)) unsigned loop(unsigned n)
{
	unsigned x = n;

	while (n--) {
		for (int i = 0; i < 30; i++)
			x = x * 22695477u + 1;
		switch (n % 12) {''' + ''.join(f' case {n}: x += h{n}(x); break;' for n in range(12)) + r''' }
	}
	return x;
}
int main(void) { return loop(2500000) & 1; }
'''

# A library with hooks and assembly in it, in a function of its own and under a local name; of C it calls one function of the system's.
BURN = r'''
	.text
	.globl burn
	.type burn,@function
burn:	mov %rdi,%rcx
1:	imul %rax,%rax
	dec %rcx
	jnz 1b
	ret
	.size burn,.-burn
	.type smoulder,@function
smoulder: mov %rdi,%rcx
2:	imul %rax,%rax
	dec %rcx
	jnz 2b
	ret
	.size smoulder,.-smoulder
	.globl vector
	.data
vector:	.quad burn, smoulder
	.section .note.GNU-stack,"",@progbits
'''
UPDATE = r'''
#include <string.h>
extern void (*volatile vector[2])(long);
__attribute__((noinline)) void dispatch(long n) { vector[0](n); vector[1](n / 2); }
void update(char *d, const char *s, unsigned n, long work) { memcpy(d, s, n); for (int i = 0; i < 3; i++) dispatch(work); }
'''
UPDATES = r'''
void update(char *d, const char *s, unsigned n, long work);
int main(int argc, char **argv) { char a[256], b[256] = { 1 }; for (int i = 0; i < 60000; i++) update(a, b, argc * 100, 1000); return a[3]; }
'''
# A routine whose last call is a jump, and what it calls; and one that does both.
TAILS = r'''
static volatile long sink;
__attribute__((noinline)) void grind(long n) { long x = sink; for (long i = 0; i < n; i++) x = x * 1103515245 + i; sink = x; }
__attribute__((noinline)) void deliver(long n) { sink += n; grind(n); }
__attribute__((noinline)) void step(long n) { deliver(n); sink++; }
int main(void) { for (int i = 0; i < 60000; i++) { step(1000); sink--; } return 0; }
'''


class Places(Views):
    """The first screen begins with where the time is, whatever it is."""

    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.cwd = cls.home.name
        cls.addClassCleanup(cls.home.cleanup)
        for name, text in ('loop.c', LOOP), ('burn.s', BURN), ('update.c', UPDATE), ('updates.c', UPDATES), ('tails.c', TAILS):
            (pathlib.Path(cls.cwd) / name).write_text(text)
        for words in (['-O2', '-o', 'loop', 'loop.c'], ['-O2', '--aprof-callers', '-shared', '-fPIC', '-o', 'libupdate.so', 'update.c', 'burn.s'],
                      ['-O2', '-o', 'updates', 'updates.c', './libupdate.so'], ['-O2', '-o', 'tails', 'tails.c'], ['-O2', '--aprof-callers', '-o', 'kept', 'tails.c']):
            subprocess.run([BUILD / 'aprof-cc', *words], cwd=cls.cwd, check=True)
        for name in 'loop', 'updates', 'tails', 'kept':
            well_sampled(cls.cwd, 0.1, f'./{name}', options=('-o', '/dev/null'))
            os.rename(f'{cls.cwd}/amon.out', f'{cls.cwd}/{name}.out')

    def lines_of(self, *words, **more):
        """The rows of both tables, by their headings."""
        text = self.text('hot', *words, **more)
        begin = text.index('most time in its own code')
        own, total = text[begin:].split('most time in all', 1)
        return text, own.splitlines()[1:6], total.splitlines()[1:6]

    def test_a_loop_that_calls_is_first(self):
        hot, flat = self.json('hot', 'loop.out'), self.json('report', 'loop.out')['flat']
        self.assertEqual(hot['by_own'][0]['name'], 'loop')
        self.assertEqual(hot['heavy'][0]['name'], 'loop')
        self.assertEqual([r['name'] for r in hot['by_total']], [r['name'] for r in sorted(flat, key=lambda r: (-r['total_ns'], r['name']))[:5]])
        text, own, total = self.lines_of('loop.out')
        self.assertIn('  loop  ', own[0])
        self.assertIn('  main ', total[0] + total[1])
        self.assertNotIn('none', text)

    def test_assembly_has_its_own_name(self):
        if self.json('report', 'updates.out')['run']['counts']['pc_samples'] == 0:
            self.skipTest('the kernel gives no program counters')
        hot = self.json('hot', 'updates.out')
        self.assertEqual([(r['name'], r['module'], r['in_library'], r['callers'][0]['name']) for r in hot['by_own'][:2]],
                         [(name, 'libupdate.so', False, 'dispatch') for name in ('burn', 'smoulder')])
        self.assertFalse([r for r in hot['library'] if r['place'] == 'libupdate.so' and r['name'] != 'dispatch'], hot['library'])
        text, own, _ = self.lines_of('updates.out')
        self.assertRegex(own[0], r'  burn +libupdate\.so +dispatch$')
        leaves = next(r for r in self.json('report', '--leaves', 'updates.out')['flat'] if r['name'] == 'dispatch')['parts']
        self.assertEqual([leaf['name'] for leaf in leaves[:2]], ['burn', 'smoulder'])
        self.assertNotIn('memcpy', text)

    def test_tail_calls(self):
        """The caller that the source has is told beside the profile's, and is the profile's where the compiler was asked to keep it."""
        found = self.json('hot', 'tails.out')['by_own'][0]
        self.assertEqual((found['name'], found['callers'][0]['name'], found['tail_called_by']), ('grind', 'step', 'deliver'))
        text, own, _ = self.lines_of('tails.out')
        self.assertRegex(own[0], ' step by deliver$')
        self.assertIn('aprof-cc --aprof-callers', text)
        found = self.json('hot', 'kept.out')['by_own'][0]
        self.assertEqual((found['name'], found['callers'][0]['name'], found['tail_called_by']), ('grind', 'deliver', None))
        self.assertNotIn('--aprof-callers', self.text('hot', 'kept.out'))
        for data, by in ('tails.out', 'deliver'), ('kept.out', None):
            grind = next(e for e in self.json('report', '-q', data)['callgraph'] if e['name'] == 'grind')
            self.assertEqual([(c['name'], c.get('tail_called_by')) for c in grind['parents']], [('step' if by else 'deliver', by)])
            self.assertEqual({c.get('tail_called_by') for e in self.json('report', '-q', data)['callgraph'] for c in e['children'] if c['name'] == 'grind'}, {by})
            for words in [], ['--bottom-up']:
                nodes = self.json('tree', *words, data)['tree']
                self.assertEqual({n.get('tail_called_by') for n in nodes} - {None}, {by} - {None})
        self.assertRegex(self.text('report', '-q', 'tails.out'), r'(?m)60000/60000 +step \[\d+\] by deliver \[\d+\]$(.|\n)*by NAME ')
        self.assertRegex(self.text('tree', 'tails.out'), r'(?m) grind by deliver$')
        self.assertNotIn('by NAME', self.text('report', '-q', 'kept.out') + self.text('tree', 'kept.out'))

    def test_both_tables_fit_any_width(self):
        for columns in 60, 80, 133, 200:
            status, shown = terminal([APROF, 'hot', '--no-pager', 'updates.out'], self.cwd, columns=columns, lines=24)
            text = plain(shown)
            self.assertEqual(status, 0, text)
            self.assertLessEqual(max(map(len, text.splitlines())), columns, text)
            if columns >= 80:
                self.assertLessEqual(text.count('\n'), 24, text)
            else:               # broken at words
                self.assertEqual(text.split(), plain(terminal([APROF, 'hot', '--no-pager', 'updates.out'], self.cwd, lines=24)[1]).split())

    def test_instructions_where_there_is_no_source(self):
        """What "more" says, and what has no hooks: without debug information the instructions are shown, with the time at the loop."""
        done = self.text('annotate', 'loop', 'loop.out')
        self.assertRegex(done, r'\n +\d+[^\n]* (im)?ul')
        routine = self.json('annotate', 'loop', 'loop.out')['annotate'][0]
        told = sum(i['self_ns'] for body in routine['code'] for i in body['instructions'])
        self.assertLess(abs(told - routine['self_ns']), 0.1 * routine['self_ns'])
        if self.json('report', 'updates.out')['run']['counts']['pc_samples']:
            burn = self.text('annotate', 'burn', 'updates.out')
            hot = max(re.findall(r'(?m)^ *([\d.]+)(?:±[\d.]+)? %(.*)', burn), key=lambda line: float(line[0]))[1]
            self.assertRegex(hot, 'imul|dec|jne')

    def test_more_is_a_command_that_works(self):
        for name in 'loop.out', 'updates.out':
            said = [line.removeprefix('   more: ') for line in self.text('hot', name).split('\n') if line.startswith('   more: aprof ')]
            for command in said:
                done = subprocess.run(command, shell=True, cwd=self.cwd, capture_output=True, text=True, env=dict(os.environ, PATH=f'{BUILD}:{os.environ["PATH"]}'))
                self.assertEqual((done.returncode, bool(done.stdout)), (0, True), f'{command}: {done.stderr}')


class Hot(Views):
    """Who is asked for what, in the cases of aprof hot."""

    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.cwd = cls.home.name
        folder = pathlib.Path(cls.cwd)
        (folder / 'cases.c').write_text(CASES)
        (folder / 'shared.c').write_text('static volatile long sink;\nvoid shared(long n) { for (long i = 0; i < n; i++) sink ^= i; }\n')
        for command in [['-shared', '-fPIC', '-o', 'libshared.so', 'shared.c'], ['-o', 'cases', 'cases.c', './libshared.so']]:
            subprocess.run([BUILD / 'aprof-cc', '-O2', '-g', *command], cwd=folder, check=True)
        cls.worked = [float(line) for line in well_sampled(folder, 0.01, './cases', options=('-o', '/dev/null')).split()]
        done = aprof('run', '--no-report', '-o', '/dev/null', '--data', 'top5.out', './cases', 'sort', cwd=folder)
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()

    def callers_of(self, name):
        return next(r for r in self.json('hot')['heavy'] if r['name'] == name)['callers']

    def test_all_callers_of_the_heavy_one(self):
        callers = self.callers_of('heavy')
        self.assertEqual({c['name'] for c in callers}, {f'caller{i}' for i in range(1, 10)})
        self.assertEqual([c['calls'] for c in callers], [1] * 9)
        self.assertEqual(callers, sorted(callers, key=lambda c: -c['time_ns']))
        self.assertTrue(all(c['error_ns'] > 0 for c in callers))
        self.assertIn(callers[0]['name'], ('caller6', 'caller7', 'caller8', 'caller9'))    # by samples, of which a fast machine has few
        self.assertRegex(self.text('hot'), rf"(?m)^   for {callers[0]['name']} \d+±\d+ % \(1 call\), .*, \d more$")

    def test_callers_cover_the_truth(self):
        callers = {c['name']: c for c in self.callers_of('heavy')}
        self.assertEqual(len(self.worked), 9)
        whole = sum(c['time_ns'] for c in callers.values())
        times = self.json('report')['run']['times']
        untold = times['unplaced_ns'] + times['unsure_ns']        # any one of them may have had it
        off = [abs(callers[f'caller{i + 1}']['time_ns'] - whole * worked / sum(self.worked)) > callers[f'caller{i + 1}']['error_ns'] + untold
               for i, worked in enumerate(self.worked)]
        self.assertLessEqual(sum(off), 3, (callers, self.worked))

    def test_few_calls_are_not_asked_about(self):
        named = [r['name'] for r in self.json('hot')['library'] if not r['name'].startswith('(')]    # the kernel is there, too, on a busy machine
        self.assertEqual(named, ['often'])
        self.assertIn('do its callers need all these calls?\n   often at cases.c:', self.text('hot'))

    def test_the_projects_library_is_none(self):
        shared = next(r for r in self.json('hot')['heavy'] if r['name'] == 'shared')
        self.assertEqual((shared['place'], len(shared['callers'])), ('libshared.so', 3))

    def test_one_callee(self):
        hot = self.json('hot', 'top5.out')
        if self.json('report', 'top5.out')['run']['counts']['pc_samples'] == 0:
            self.skipTest('the kernel gives no program counters')
        self.assertEqual((hot['one_callee']['name'], hot['one_callee']['callee']), ('top5', 'qsort'))
        self.assertEqual(hot['library'][0]['name'], 'qsort')
        self.assertIn('\n   top5 -> qsort\n', self.text('hot', 'top5.out'))
        self.assertNotIn('msort', self.text('hot', 'top5.out').split('\n1. ')[1])

    def test_chance_is_no_finding(self):
        for name in 'amon.out', 'top5.out':
            hot = self.json('hot', name)
            for found in hot['heavy'] + hot['library']:
                self.assertGreater(found['time_ns'], found['error_ns'], found)
            if hot['sequence']:
                self.assertGreater(hot['sequence']['time_ns'], hot['sequence']['error_ns'])



class Beginnings(Views):
    """The routines with most time in all are those that somebody wrote, and not what a program begins through."""

    def by_total(self, stack):
        with tempfile.TemporaryDirectory() as self.cwd:
            (pathlib.Path(self.cwd) / 'x.folded').write_text(f'{stack};work 900\n{stack};other 100\n')
            return [row['name'] for row in self.json('hot', 'x.folded')['by_total']]

    def test_runtimes(self):
        for stack, first in (('_start;__libc_start_main;__libc_start_call_main;main', 'main'), ('main;MAIN__;solve', 'MAIN__'), ('runtime.goexit;runtime.main;main.main', 'main.main'),
                             ('main;std::rt::lang_start_internal;std::rt::lang_start::{{closure}};std::sys::backtrace::__rust_begin_short_backtrace;app::main', 'app::main'),
                             ('clone3;start_thread;std::sys::pal::unix::thread::Thread::new::thread_start;core::ops::function::FnOnce::call_once{{vtable.shim}};app::run', 'app::run'),
                             ('clone_all;each', 'clone_all')):
            self.assertEqual(self.by_total(stack)[0], first, stack)
        self.assertLessEqual({'main', 'prepare', 'std::panic::catch_unwind', 'app::main'}, set(self.by_total('main;prepare;std::panic::catch_unwind;app::main')))
        self.assertNotIn('(truncated)', self.by_total('(truncated);deep'))

if __name__ == '__main__':
    unittest.main()
