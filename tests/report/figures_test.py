"""figures_test.py BUILD: one figure for one thing: what every view says of a routine is what --json has, to the digits that it prints."""
import csv
import io
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
import limits

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
APROF = BUILD / 'aprof'
UNITS = {'ns': 1, 'us': 1e3, 'ms': 1e6, 's': 1e9, 'h': 3600e9}

# Much in libc, work before and after main in code without hooks, recursion, and calls that take next to nothing.
PROGRAM = r'''
#include <string.h>
static volatile long sink;
static char room[1 << 18];
__attribute__((noinline)) static void little(void) { sink++; }
__attribute__((noinline)) static void clear(int n) { while (n--) memset(room, n, sizeof room); }
__attribute__((noinline)) static void spin(long n) { long x = sink; for (long i = 0; i < n; i++) x = x * 1103515245 + i; sink = x; }
__attribute__((noinline)) static void odd(int n);
__attribute__((noinline)) static void even(int n) { spin(40000); if (n > 0) odd(n - 1); sink++; }
__attribute__((noinline)) static void odd(int n) { spin(20000); if (n > 0) even(n - 1); sink++; }
__attribute__((noinline)) static void deep(int n) { spin(1000); if (n > 0) deep(n - 1); sink++; }
#ifdef NO_HOOKS
__attribute__((constructor)) static void before(void) { spin(30000000); }
#endif
int main(int argc, char **argv)
{
	(void)argv;
	little();
	clear(12000 * argc);
	for (int i = 0; i < 300; i++) {
		even(8);
		deep(5);
		little();
	}
	return 0;
}
'''


def ns_of(text):
    number, unit = text.split() if text != '0' else ('0', 'ns')
    return float(number) * UNITS[unit]


class Figures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.home.cleanup)
        cls.cwd = pathlib.Path(cls.home.name)
        (cls.cwd / 'prog.c').write_text(PROGRAM)
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-g', '-fno-optimize-sibling-calls', '-o', 'exact', 'prog.c'], cwd=cls.cwd, check=True)
        subprocess.run(['gcc', '-O1', '-g', '-fno-optimize-sibling-calls', '-DNO_HOOKS', '-o', 'sampled', 'prog.c'], cwd=cls.cwd, check=True)
        for name in 'exact', 'sampled':
            cls.aprof('run', '--no-report', f'--data={name}.out', f'./{name}')
            setattr(cls, name, json.loads(cls.aprof('report', '--json', f'{name}.out')))

    @classmethod
    def aprof(cls, *words):
        done = limits.run([APROF, *words], 120, cwd=cls.cwd, capture_output=True, text=True, env={**os.environ, 'LC_ALL': 'C.UTF-8'})
        assert done.returncode == 0, done.stderr
        return done.stdout

    def each(self):
        """(file, what --json has of it, the time of the run, its routines by their names, of which each has one)."""
        for name in 'exact', 'sampled':
            report = getattr(self, name)
            times = report['run']['times']
            names = [r['name'] for r in report['flat']]
            yield f'{name}.out', report, times['contexts_ns'] + times['outside_ns'], {r['name']: r for r in report['flat'] if names.count(r['name']) == 1}

    def close(self, text, ns, what):
        """TEXT is NS to three digits, or a bound that it keeps."""
        text = text.strip()
        if text.startswith('<'):
            self.assertLess(ns, ns_of(text[1:]) / 2 + 1, what)
        else:
            self.assertLessEqual(abs(ns_of(text) - ns), 0.006 * ns + 0.006, (text, ns, what))

    def share(self, text, ns, run, decimals, what):
        if not text.strip().startswith(('<', '~')):
            self.assertLessEqual(abs(float(text) - 100 * ns / run), 0.51 * 10 ** -decimals, (text, ns, run, what))

    def test_flat(self):
        for data, _, run, flat in self.each():
            rows = re.findall(r'(?m)^ *(<?[\d.]+) +(?:±[\d.]+ +)?([\d.]+ \w+|0) +(<?[\d.]+ \w+|0) +(?:(\d+) +(<?[\d.]+ \w+|0) +(<?[\d.]+ \w+|0) +)?(\w+)$', self.aprof('report', '-b', '-p', data))
            self.assertLessEqual(set(re.findall(r'(?m)^\w+$', '\n'.join(flat))), {row[-1] for row in rows})
            for share, _, own, calls, each, all_, name in rows:
                if name not in flat:
                    continue
                r = flat[name]
                self.share(share, r['self_ns'], run, 2, name)
                self.close(own, r['self_ns'], name)
                if calls:
                    self.assertEqual(int(calls), r['calls'])
                    self.close(all_, r['total_ns'] / r['calls'], name)

    def test_graph(self):
        for data, _, run, flat in self.each():
            rows = re.findall(r'(?m)^\[\d+\] +([\d.]+) +(<?[\d.]+ \w+|0) +(<?[\d.]+ \w+|0) .*? (\w+) \[\d+\]$', self.aprof('report', '-b', '-q', data))
            self.assertGreater(len(rows), 5)
            for share, own, below, name in rows:
                if name not in flat:
                    continue
                self.share(share, flat[name]['total_ns'], run, 1, name)
                self.close(own, flat[name]['self_ns'], name)
                self.close(below, flat[name]['total_ns'] - flat[name]['self_ns'], name)

    def test_hot(self):
        for data, report, run, flat in self.each():
            hot = json.loads(self.aprof('hot', '--json', data))
            self.assertEqual(hot['time_ns'], run)
            own = [r['total_ns'] is not None and flat.get(r['name']) for r in hot['by_own']]
            for found, r in zip(hot['by_own'], own):
                if r:
                    self.assertLessEqual(found['time_ns'], r['self_ns'])
                    self.assertEqual((found['total_ns'], found['calls']), (r['total_ns'], r['calls']))
            for found in (r for r in hot['by_total'] if r['name'] in flat):
                self.assertEqual((found['time_ns'], found['error_ns']), (flat[found['name']]['total_ns'], flat[found['name']]['total_error_ns']))
            table = self.aprof('hot', data).split('most time in all')[1].splitlines()[1:6]
            for line, found in zip(table, hot['by_total']):
                share, time, name = re.match(r' *(<?[\d.]+)(?: +±[\d.]+)? +(<?[\d.]+ \w+)  (\S+)', line).groups()
                self.assertEqual(name, found['name'])
                self.share(share, found['time_ns'], run, 2, line)
                self.close(time, found['time_ns'], line)

    def test_own_code_and_libraries_are_the_self_time(self):
        """What the first screen leaves to libraries is said there, and is what report --leaves has."""
        for data, _, run, flat in self.each():
            split = {r['name']: r for r in json.loads(self.aprof('report', '--leaves' if data == 'exact.out' else '-p', '--json', data))['flat']}
            for found in json.loads(self.aprof('hot', '--json', data))['by_own']:
                if found['total_ns'] is not None and found['name'] in flat:
                    r = split[found['name']]
                    self.assertLessEqual(abs(found['time_ns'] + sum(part['self_ns'] for part in r.get('parts', [])) - r['self_ns']), 5)

    def test_tree(self):
        for data, _, run, flat in self.each():
            for words in [], ['--bottom-up']:
                sums = {}
                nodes = json.loads(self.aprof('tree', '--json', *words, data))['tree']
                self.assertEqual(nodes[0]['total_ns'], run)
                for node in nodes[1:]:
                    key = node['name'] if not words or node['parent'] == 0 else None
                    sums[key] = sums.get(key, 0) + (node['self_ns'] if not words else node['total_ns'])
                for name, r in flat.items():
                    self.assertEqual(sums.get(name, 0), r['self_ns'], name)

    def test_csv(self):
        for data, report, run, flat in self.each():
            rows = list(csv.DictReader(io.StringIO(self.aprof('export', 'csv', data))))
            self.assertLessEqual(set(flat), {row['name'] for row in rows})
            for row in (row for row in rows if row['name'] in flat):
                r = flat[row['name']]
                self.assertEqual([int(row[key]) for key in ('self_ns', 'total_ns')], [r['self_ns'], r['total_ns']])
            self.assertEqual(sum(int(row['self_ns']) for row in rows), run)

    def test_samples(self):
        for data, report, run, flat in self.each():
            hot = json.loads(self.aprof('hot', '--json', data))
            head = self.aprof('report', '-b', '-p', data)
            counted = int(re.search(r'([\d,]+) samples;', head)[1].replace(',', ''))
            self.assertEqual(counted, report['run']['clock']['samples'])
            self.assertEqual(counted, hot['samples'])
            each = float(re.search(r'Each sample counts as ([\d.e-]+) seconds', head)[1])
            raw = report['run']['times']['raw_ns']
            self.assertLess(abs(each * 1e9 * counted - raw), 0.01 * raw)

    def test_cycles(self):
        """Recursion is seen wherever it was, also by stacks alone."""
        for data, _, run, flat in self.each():
            found = json.loads(self.aprof('cycles', '--json', data))['cycles']
            self.assertIn({'even', 'odd'}, [{r['name'] for r in c['cycle']} for c in found])



class Names(unittest.TestCase):
    """One name for one thing: a variant for some processors has its public name in every view, with its own beside; other programs' files have the linker's."""

    FOLDED = {'__memset_avx2_unaligned_erms': 600, '__memcmp_evex_movbe': 300, '__memcmp_sse4_1': 90, '__ieee754_pow_fma': 40, '__my_avx2x': 30, 'work': 20}
    SHOWN = {'memset (__memset_avx2_unaligned_erms)', 'memcmp (__memcmp_evex_movbe)', 'memcmp (__memcmp_sse4_1)', 'pow (__ieee754_pow_fma)', '__my_avx2x', 'work', 'main'}

    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.home.cleanup)
        cls.cwd = pathlib.Path(cls.home.name)
        (cls.cwd / 'x.folded').write_text(''.join(f'main;work{"" if name == "work" else ";" + name} {n}\n' for name, n in cls.FOLDED.items()))

    def aprof(self, *words, **more):
        done = limits.run([APROF, *words, 'x.folded'], 120, cwd=self.cwd, capture_output=True, text=True, env={**os.environ, 'LC_ALL': 'C.UTF-8', **more})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_json(self):
        report = json.loads(self.aprof('report', '--json'))
        self.assertEqual({r['name'] for r in report['flat']}, self.SHOWN)
        self.assertEqual({r['name'] for r in report['callgraph']}, self.SHOWN)
        self.assertEqual({r['name'] for r in json.loads(self.aprof('tree', '--json'))['tree'][1:]}, self.SHOWN)
        hot = json.loads(self.aprof('hot', '--json'))
        self.assertLessEqual({r['name'] for r in hot['by_own'] + hot['by_total']}, self.SHOWN)
        self.assertEqual(hot['by_own'][0]['name'], 'memset (__memset_avx2_unaligned_erms)')

    def test_text(self):
        for words in ['report', '-p'], ['report', '-q'], ['tree'], ['hot'], ['tree', '--bottom-up']:
            shown = self.aprof(*words)
            self.assertIn('memset (__memset_avx2_unaligned_erms)', shown)
            self.assertNotIn('_erms', shown.replace('(__memset_avx2_unaligned_erms)', ''))
        narrow = self.aprof('report', '-p', '-b', '--names=short', COLUMNS='80')
        self.assertLessEqual(max(map(len, narrow.splitlines())), 84)        # of a name 24 columns are always shown
        self.assertRegex(narrow, r'(?m)  memset \(__memset_\w+\.\.\.\)$')
        self.assertRegex(narrow, r'(?m)  memcmp \(__memcmp_evex')
        self.assertRegex(narrow, r'(?m)  memcmp \(__memcmp_sse4_1\)$')

    def test_named(self):
        for name in 'memset', '__memset_avx2_unaligned_erms', 'memset (__memset_avx2_unaligned_erms)':
            tree = json.loads(self.aprof('tree', '--json', '--focus', name))['tree']
            self.assertEqual([r['name'] for r in tree[1:]], ['main', 'work', 'memset (__memset_avx2_unaligned_erms)'])
        tree = json.loads(self.aprof('tree', '--json', '--focus', 'memcmp'))['tree']
        self.assertEqual(len(tree), 5)

    def test_exports(self):
        self.assertEqual(dict(line.split(';')[-1].split() for line in self.aprof('export', 'folded').splitlines()), {name: str(n) for name, n in self.FOLDED.items()})
        self.assertIn('__memcmp_evex_movbe\n', self.aprof('export', 'callgrind'))
        self.assertIn('"__memcmp_sse4_1"', self.aprof('export', 'speedscope'))
        self.assertIn('memcmp (__memcmp_evex_movbe)', self.aprof('export', 'csv'))

if __name__ == '__main__':
    unittest.main()
