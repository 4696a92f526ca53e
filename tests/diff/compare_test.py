"""compare_test.py BUILD: aprof diff and aprof check on simulated runs (make-runs) and on a real program.

The simulated program takes 10 s a run, at 997 ticks a second; its first routine has 5 % of them.  Ticks are Poisson, and runs and routines
vary by 1 %."""
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import limits

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
TRIALS = 20
SLOW = r'\S*0x400040'                     # name of the first routine, which --slow slows down
FIRST_BUILD, SECOND_BUILD = b'made-by-make-amon--1'.hex(), b'made-by-make-amon--2'.hex()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.cwd = self.folder.name

    def make(self, name, count, *options):
        subprocess.run([BUILD / 'src/contract' / 'make-runs', *options, name, str(count)], cwd=self.cwd, check=True)
        return [f'{name}.{i + 1}.out' for i in range(count)]

    def aprof(self, *arguments, status=None):
        done = limits.run([BUILD / 'aprof', *arguments], 120, cwd=self.cwd, capture_output=True, text=True,
                          env=dict(os.environ, LC_ALL='C.UTF-8'))
        if status is not None:
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def check(self, base, new, *options):
        """Whether the check found it worse, and its lines."""
        done = self.aprof('check', '--max-regress', '5%', *options, *base, '--against', *new)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        lines = done.stdout.splitlines()
        if done.returncode == 0:
            self.assertRegex(done.stdout, r'(?m)^0 of \d+ routines got worse')
        return done.returncode == 1, lines


class Trials(Case):
    """What check promises, over 20 trials of five runs a side."""

    def trials(self, *options, seed):
        for trial in range(TRIALS):
            base = self.make('base', 5, '--seed', str(seed + trial))
            new = self.make('new', 5, '--seed', str(seed + 1000 + trial), *options)
            yield self.check(base, new)

    def test_a_planted_fifth_is_found(self):
        found = sum(worse and any(re.match(SLOW, line) for line in lines) for worse, lines in self.trials('--slow', '1.2', seed=1))
        self.assertGreaterEqual(found, 19)

    def test_equal_runs_raise_no_alarm(self):
        self.assertLessEqual(sum(worse for worse, _ in self.trials(seed=100000)), 1)

    def test_one_call_is_always_found(self):
        for worse, lines in self.trials('--calls', '1', seed=200000):
            self.assertTrue(worse)
            self.assertTrue(any(re.search(r'0x400080: calls 100 -> 101, \+1$', line) for line in lines), lines)

    def test_what_is_told_to_be_seen_is_seen(self):
        base = self.make('base', 5, '--seed', '7')
        growths = json.loads(self.aprof('check', '--json', *base, '--against', *self.make('same', 5, '--seed', '8'), status=0).stdout)
        told = next(s['growth'] for s in growths['smallest'] if s['share'] == 0.05)
        found = sum(worse for worse, _ in self.trials('--slow', str(1 + told), seed=300000))
        self.assertGreaterEqual(found, 17)          # 19 expected


class Errors(Case):
    """What is told as the standard error of a change is what equal runs differ by, whatever made the times."""
    SIDE, RUNS = 5, 60

    def ratio(self, *options):
        """Told errors over those between runs, the geometric mean of the routines of 1 to 20 %."""
        runs = self.make('run', self.RUNS, '--seconds', '2', '--vary', '0', *options)
        times, told = {}, {}
        for run in runs:
            for row in json.loads(self.aprof('report', '--flat', '--json', run).stdout)['flat']:
                times.setdefault(row['name'], []).append(row['self_ns'])
        for first in range(0, self.RUNS, 2 * self.SIDE):
            base, new = runs[first:first + self.SIDE], runs[first + self.SIDE:first + 2 * self.SIDE]
            for row in json.loads(self.aprof('diff', '--json', *base, '--against', *new).stdout)['routines']:
                told.setdefault(row['name'], []).append(row['self']['error_ns'])
        whole = sum(statistics.mean(values) for values in times.values())
        logs = [math.log(statistics.mean(told[name]) / (statistics.stdev(values) * math.sqrt(2 / self.SIDE)))
                for name, values in times.items() if 0.01 <= statistics.mean(values) / whole <= 0.2]
        self.assertGreater(len(logs), 15)
        return math.exp(statistics.mean(logs))

    def test_by_ticks(self):
        self.assertAlmostEqual(self.ratio(), 1, delta=0.07)

    def test_by_ticks_and_program_counters(self):
        self.assertAlmostEqual(self.ratio('--codes'), 1, delta=0.07)


class Check(Case):
    def test_calls_that_are_fewer_do_no_harm(self):
        more, fewer = self.make('more', 2, '--calls', '5'), self.make('fewer', 2)
        worse, lines = self.check(more, fewer)
        self.assertFalse(worse)
        self.assertRegex(lines[0], r'0x400080: calls 105 -> 100, -5 \(fewer: no harm\)')

    def test_rules_for_calls(self):
        base, new = self.make('base', 2), self.make('new', 2, '--calls', '1')
        self.assertTrue(self.check(base, new)[0])
        self.assertFalse(self.check(base, new, '--calls=limit')[0])
        self.assertTrue(self.check(base, self.make('many', 2, '--calls', '10'), '--calls=limit')[0])
        self.assertFalse(self.check(base, new, '--calls=ignore')[0])

    def test_calls_that_vary_by_themselves(self):
        base, new = self.make('base', 4, '--loose', '40', '--seed', '5'), self.make('new', 4, '--loose', '40', '--seed', '6')
        self.assertFalse(any('0x4000c0' in line for line in self.check(base, new)[1]))
        done = json.loads(self.aprof('diff', '--json', *base, '--against', *new, status=0).stdout)
        row = next(r for r in done['routines'] if r['name'].endswith('0x4000c0'))
        self.assertFalse(row['calls']['steady'] or row['calls']['news'])

    def test_exact_clock(self):
        base, new = self.make('base', 5, '--exact'), self.make('new', 5, '--exact', '--seed', '9', '--slow', '1.2')
        self.assertTrue(self.check(base, new)[0])
        self.assertFalse(self.check(base, self.make('same', 5, '--exact', '--seed', '10'))[0])

    def test_one_run_a_side(self):
        worse, lines = self.check(self.make('base', 1, '--seconds', '200'), self.make('new', 1, '--seed', '2', '--seconds', '200', '--slow', '1.3'))
        self.assertTrue(worse and re.match(SLOW, lines[0]), lines)
        self.assertTrue(any('one run a side' in line for line in lines))
        worse, lines = self.check(self.make('base', 1, '--exact', '--vary', '0'), self.make('new', 1, '--exact', '--vary', '0', '--slow', '1.06'))
        self.assertTrue(worse)
        self.assertFalse(self.check(self.make('base', 1, '--exact', '--vary', '0'),
                                    self.make('new', 1, '--exact', '--vary', '0', '--slow', '1.04'))[0])

    def test_json_agrees(self):
        base, new = self.make('base', 5), self.make('new', 5, '--seed', '3', '--slow', '1.2', '--calls', '2')
        found = json.loads(self.aprof('check', '--json', *base, '--against', *new, status=1).stdout)
        self.assertEqual((found['schema'], found['worse'], found['base_runs'], found['new_runs']), ('aprof-compare-1', 2, 5, 5))
        slow, called = found['findings']
        self.assertTrue(slow['time_worse'] and not slow['calls_worse'] and slow['chance'] < 0.05)
        self.assertAlmostEqual(slow['new_ns'] / slow['base_ns'], 1.2, delta=0.1)
        self.assertTrue(called['calls_worse'] and called['new_calls'] == 102)

    def test_total_times(self):
        base, new = self.make('base', 5), self.make('new', 5, '--seed', '3', '--slow', '4')
        _, lines = self.check(base, new, '--metric=total')
        names = [line.split(':')[0] for line in lines]
        self.assertTrue(any(n.endswith('0x400000') for n in names) and any(n.endswith('0x400040') for n in names), names)
        self.assertIn('(the whole run)', names)

    def test_mistakes(self):
        base, other = self.make('base', 2), self.make('other', 1, '--exact')
        pathlib.Path(self.cwd, 'gmon.out').write_bytes(b'gmon' + bytes([1, 0, 0, 0]) + bytes(12))
        for arguments, said in (((), 'name the profiles'), ((base[0],), 'one side has no profile'), ((*base, base[0]), 'which of the 3'),
                                ((base[0], '--against'), 'one side has no profile'), ((base[0], '--against', base[1], '--against', base[0]), 'twice'),
                                ((base[0], '--against', other[0]), 'another clock'), ((base[0], '--against', 'nothing'), 'No such file'),
                                (('--max-regress=few', *base), 'not a number'), (('--calls=some', *base), 'not one of learn, exact'),
                                (('--metric=time', *base), 'not one of self'), ((base[0], '--against', '/etc/passwd'), 'neither a profile'),
                                ((base[0], '--against', 'gmon.out'), 'name the program, too')):
            done = self.aprof('check', *arguments, status=2)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stdout, '')
        self.assertIn('named no phases', self.aprof('diff', '--phase=none', *base, status=2).stderr)
        self.assertIn('not one of self, total, calls, percall', self.aprof('diff', '--sort=name', *base, status=2).stderr)


class Diff(Case):
    def setUp(self):
        super().setUp()
        self.base = self.make('base', 5)
        self.new = self.make('new', 5, '--seed', '3', '--slow', '1.4', '--calls', '7')

    def rows(self, kind, *options):
        return json.loads(self.aprof('diff', '--json', *options, *self.base, '--against', *self.new, status=0).stdout)[kind]

    def test_changes_add_up(self):
        whole = json.loads(self.aprof('diff', '--json', *self.base, '--against', *self.new, status=0).stdout)['whole']
        for kind in 'routines', 'contexts', 'arcs':
            rows = self.rows(kind)
            self.assertAlmostEqual(sum(r['self']['change_ns'] for r in rows), whole['change_ns'], delta=1)
            self.assertAlmostEqual(sum(r['self']['new_ns'] for r in rows), whole['new_ns'], delta=1)

    def test_news(self):
        news = [r['name'] for r in self.rows('routines') if r['self']['news']]
        self.assertRegex(news[0], SLOW)
        self.assertLessEqual(len(news), 3)
        calls = [(r['name'][-8:], r['calls']['change']) for r in self.rows('routines', '--sort=calls') if r['calls']['news']]
        self.assertEqual(calls, [('0x400080', 7)])

    def test_order(self):
        """Rows stand by the change of what --sort names, the greatest first, in whichever direction it is: of two runs in which each number is another."""
        for seed in '1', '2':
            subprocess.run([BUILD / 'src/contract' / 'make-amon', '--seed', seed, '--routines', '12', '--calls', '5000', '--ticks', '0.5', seed], cwd=self.cwd, check=True)
        changes = {'self': lambda r: r['self']['change_ns'], 'total': lambda r: r['total']['change_ns'], 'calls': lambda r: r['calls']['change'],
                   'percall': lambda r: r['self']['new_ns'] / r['calls']['new'] / (r['self']['base_ns'] / r['calls']['base']) - 1}
        orders = set()
        for key, change in changes.items():
            rows = json.loads(self.aprof('diff', '--json', '--sort=' + key, '1', '2', status=0).stdout)['routines']
            self.assertEqual(len([r for r in rows if r['calls']['news']]), 12)
            sizes = [abs(change(r)) for r in rows]
            self.assertEqual(sizes, sorted(sizes, reverse=True), key)
            orders.add(tuple(r['name'] for r in rows))
        self.assertEqual(len(orders), 4)

    def test_text(self):
        text = self.aprof('diff', *self.base, '--against', *self.new, status=0).stdout
        rows = re.findall(r'(?m)^ +[\d.]+ \w+ +([+~=][\d.]*(?: \w+)?) .*0x400040$', text)
        self.assertEqual(len(rows), 3)                 # a routine, an arc, a context
        self.assertRegex(rows[0], r'^\+[12]\d\d ms$')
        self.assertRegex(text, r'(?m)^.* 107 +\+7 .*0x400080$')
        self.assertRegex(text, r'in \d+ within noise')
        self.assertGreater(len(self.aprof('diff', '--all', '--top=0', *self.base, '--against', *self.new).stdout.splitlines()), 180)

    def test_page(self):
        done = self.aprof('diff', '--html', '-o', 'page.html', self.base[0], self.new[0])
        if done.returncode == 2:
            self.assertIn('built without the page', done.stderr)
            return
        self.assertIn('<html', pathlib.Path(self.cwd, 'page.html').read_text())
        self.assertIn('goes with --html', self.aprof('diff', '-o', 'page.html', self.base[0], self.new[0], status=2).stderr)

    def test_same_file(self):
        text = self.aprof('diff', self.base[0], self.base[0], status=0).stdout
        self.assertIn('Routines by change of self time: 0 of 61 changed', text)

    def build(self, name, address, build_id, files):
        """An ELF program whose routines are 64 bytes apart from ADDRESS on: of each (file, routines), those called helper are static."""
        objects = []
        for file, routines in files:
            source = f'\t.file "{file}"\n\t.text\n'
            for routine in routines:
                scope = '' if routine == 'helper' else f'\t.globl {routine}\n'
                source += f'{routine}:\t.space 64\n\t.type {routine},%function\n\t.size {routine},64\n{scope}'
            pathlib.Path(self.cwd, file).with_suffix('.s').write_text(source)
            objects.append(str(pathlib.Path(file).with_suffix('.s')))
        subprocess.run([os.environ.get('CC', 'cc').split()[0], '-nostdlib', '-static', f'-Wl,-Ttext={address}',
                        '-Wl,--section-start=.note.gnu.build-id=0x600000', f'-Wl,--build-id=0x{build_id}', '-Wl,-e,main',
                        '-o', name, *objects], cwd=self.cwd, check=True, stderr=subprocess.DEVNULL)

    def test_two_builds(self):
        names = ['main'] + [f'f{i}' for i in range(60)]
        self.build('old', '0x400000', FIRST_BUILD, [('all.c', names)])
        self.build('new', '0x500000', SECOND_BUILD, [('all.c', names[:60] + ['g'])])
        moved = self.make('moved', 5, '--moved', '--seed', '3', '--slow', '1.4')
        done = json.loads(self.aprof('diff', '--json', 'old', *self.base, '--against', 'new', *moved, status=0).stdout)
        rows = {r['name']: r for r in done['routines']}
        self.assertEqual(len(rows), 62)
        self.assertTrue(rows['f0']['self']['news'])
        self.assertEqual((rows['f59']['calls']['new'], rows['g']['calls']['base'], rows['g']['calls']['new']), (0, 0, 100))
        text = self.aprof('check', 'old', *self.base, '--against', 'new', *moved, status=1).stdout
        self.assertRegex(text, r'(?m)^f0: self .*\ng: calls 0 -> 100, \+100\nf59: calls 100 -> 0, -100 \(fewer: no harm\)$')
        # The files carry their names from now on, and what tells of the code of those with a part of the time.
        os.remove(os.path.join(self.cwd, 'old'))
        os.remove(os.path.join(self.cwd, 'new'))
        again = json.loads(self.aprof('diff', '--json', *self.base, '--against', *moved, status=0).stdout)
        least = done['whole']['new_ns'] / 250
        for row in again['routines'] + done['routines']:
            if row['same_code'] and row['self']['new_ns'] < least:
                row['same_code'] = None
        self.assertEqual(again['routines'], done['routines'])

    def test_names_of_one_side(self):
        self.build('new', '0x500000', SECOND_BUILD, [('all.c', ['main'] + [f'f{i}' for i in range(59)] + ['g'])])
        moved = self.make('moved', 5, '--moved', '--seed', '3', '--slow', '1.4')
        for command in 'diff', 'check':
            done = self.aprof(command, *self.base, '--against', 'new', *moved, status=2)
            self.assertRegex(done.stderr, r'base.1.out: its program is another build than that of moved.1.out, and 61 of its 61 routines have no name; ')

    def test_static_functions_of_one_name(self):
        rest = ('rest.c', [f'f{i}' for i in range(58)])
        self.build('old', '0x400000', FIRST_BUILD, [('main.c', ['main']), ('a.c', ['helper']), ('b.c', ['helper']), rest])
        self.build('new', '0x500000', SECOND_BUILD, [('main.c', ['main']), ('b.c', ['helper']), ('a.c', ['helper']), rest])
        moved = self.make('moved', 5, '--moved', '--seed', '3', '--calls', '3')
        done = json.loads(self.aprof('diff', '--json', 'old', *self.base, '--against', 'new', *moved, status=0).stdout)
        helpers = {r['file']: r['calls']['change'] for r in done['routines'] if r['name'] == 'helper'}
        self.assertEqual(helpers, {'a.c': 3, 'b.c': 0})


REAL = r'''
#include <stdlib.h>
static volatile long sink;
__attribute__((noinline)) void work(long n) { for (long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void other(long n) { for (long i = 0; i < n; i++) sink -= i; }
int main(int argc, char **argv)
{
	long scale = atol(argv[1]), extra = atol(argv[2]), slow = atol(argv[3]);
	for (int i = 0; i < 100 + extra; i++)
		work(scale * slow / 100);
	for (int i = 0; i < 400; i++)
		other(scale);
	return argc == 0;
}
'''


class Real(Case):
    def setUp(self):
        super().setUp()
        pathlib.Path(self.cwd, 'real.c').write_text(REAL)
        subprocess.run([BUILD / 'aprof', 'cc', '-O1', '-o', 'real', 'real.c'], cwd=self.cwd, check=True)

    def runs(self, name, count, *arguments):
        files = [f'{name}.{i}.out' for i in range(count)]
        for file in files:
            subprocess.run(['./real', *map(str, arguments)], cwd=self.cwd, env=dict(os.environ, APROF_OUT=file), check=True)
        return files

    def test_one_call(self):
        base = self.runs('base', 2, 100, 0, 100)
        worse, lines = self.check(base, self.runs('new', 2, 100, 1, 100))
        self.assertTrue(worse)
        self.assertTrue(any(re.match(r'work: calls 100 -> 101, \+1$', line) for line in lines), lines)
        self.assertFalse(any('calls ' in line for line in self.check(base, self.runs('same', 2, 100, 0, 100))[1]))

    def test_threads(self):
        """One run a side of a program with threads does not tell whether counts vary by themselves; two do."""
        text = REAL.replace('int main(', '#include <pthread.h>\nstatic void *idle(void *arg) { return arg; }\nint main(', 1)
        begin = text.index('{', text.index('int main(')) + 1
        text = text[:begin] + ' pthread_t t; pthread_create(&t, 0, idle, 0); pthread_join(t, 0); ' + text[begin:]
        pathlib.Path(self.cwd, 'real.c').write_text(text)
        subprocess.run([BUILD / 'aprof', 'cc', '-O1', '-pthread', '-o', 'real', 'real.c'], cwd=self.cwd, check=True)
        base, new, more = self.runs('base', 2, 100, 0, 100), self.runs('new', 2, 100, 1, 100), self.runs('more', 1, 100, 20, 100)
        worse, lines = self.check(base[:1], new[:1])
        self.assertFalse(worse, lines)
        self.assertTrue(any('the program has several threads, and one run a side' in line for line in lines), lines)
        self.assertTrue(self.check(base[:1], more)[0])
        self.assertTrue(self.check(base[:1], new[:1], '--calls=exact')[0])
        self.assertTrue(self.check(base, new)[0])

    @unittest.skipUnless(os.environ.get('APROF_SLOW_TESTS'), 'takes a minute of a quiet machine: APROF_SLOW_TESTS=1')
    def test_slower(self):
        scale = 3000000
        base = self.runs('base', 5, scale, 0, 100)
        worse, lines = self.check(base, self.runs('new', 5, scale, 0, 130))
        self.assertTrue(worse and re.match('work: self', lines[0]), lines)


if __name__ == '__main__':
    unittest.main()
