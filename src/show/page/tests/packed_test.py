"""packed_test.py BUILD: the profile that stands in a page, read by another reader; and what `aprof html` says to mistakes.

Without the page in the build, that it says so."""
import base64
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zlib

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[4] / 'tests/lib'))
import limits

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
HAS_PAGE = (BUILD / 'src/show/page' / 'page.html').exists()
ROUTINE = ['calls', 'recursive', 'self', 'total', 'self_ticks', 'total_ticks', 'self_measured', 'self_each', 'total_measured', 'total_each',
           'module', 'file', 'line', 'pseudo']
ARC = ['from', 'to', 'calls', 'self1', 'child1', 'self2', 'child2', 'measured', 'each', 'folded']
NODE = ['children', 'link', 'self', 'calls', 'recursive', 'ticks', 'measured', 'each']
CYCLE = ['length', 'calls', 'time']
SLICE = ['thread', 'node', 'interval', 'time', 'ticks', 'phase']
SHARE = ['thread', 'node', 'calls', 'recursive', 'time', 'ticks', 'measured', 'each']
LEAF = ['routine', 'plain', 'time', 'ticks']
LEAF_COUNT = ['node', 'leaf', 'ticks']


class Packed:
    """What stands in PAGE: .sides, each its JSON object with the columns as lists."""

    def __init__(self, page):
        data = re.search(rb'id="profile">([A-Za-z0-9+/=]*)</script>', page).group(1)
        self.bytes = zlib.decompress(base64.b64decode(data, validate=True))
        size = int.from_bytes(self.bytes[:4], 'little')
        self.at = 4 + size
        self.about = json.loads(self.bytes[4:self.at])
        self.sides = [self.side(about) for about in self.about['sides']]
        assert self.at == len(self.bytes)

    def number(self):
        value = shift = 0
        while True:
            byte = self.bytes[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def columns(self, count, names):
        return {name: [self.number() for _ in range(count)] for name in names}

    def side(self, about):
        count = about['counts']
        side = dict(about, routine=self.columns(count['routines'], ROUTINE), arc=self.columns(count['arcs'], ARC),
                    node=self.columns(count['nodes'], NODE), cycle=self.columns(count['cycles'], CYCLE))
        side['cycle_entry'] = [self.number() for _ in range(count['cycle_entries'])]
        side['share'] = self.columns(count['shares'], SHARE)
        side['slice'] = self.columns(count['slices'], SLICE)
        side['leaf'] = self.columns(count['leaves'], LEAF)
        side['leaf_count'] = self.columns(count['leaf_counts'], LEAF_COUNT)
        if 'judged' in self.about:
            side['judged'] = {kind: [self.number() for _ in range(count[kind])] for kind in ('routines', 'arcs', 'nodes')}
        return side


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cwd = pathlib.Path(folder.name)
        self.make('amon.out', '--seed', '3', '--routines', '15', '--threads', '3', '--calls', '4000', '--ticks', '0.6')

    def make(self, name, *arguments):
        subprocess.run([BUILD / 'src/contract' / 'make-amon', *arguments, name], cwd=self.cwd, check=True)

    def aprof(self, *arguments):
        return limits.run([BUILD / 'aprof', *arguments], cwd=self.cwd, capture_output=True)

    def refused(self, words, *arguments):
        done = self.aprof('html', *arguments)
        self.assertEqual(done.returncode, 2)
        self.assertIn(words, done.stderr.decode())

    def json(self, *arguments):
        return json.loads(self.aprof(*arguments, '--json').stdout)


@unittest.skipIf(HAS_PAGE, 'this build has the page')
class Without(Page):
    def test_says_so(self):
        self.refused('was built without the page: install Node.js and npm')
        self.assertFalse((self.cwd / 'amon.html').exists())


@unittest.skipUnless(HAS_PAGE, 'this build has no page')
class With(Page):
    def page(self, *arguments):
        done = self.aprof('html', *arguments, '-o', '-')
        self.assertEqual(done.returncode, 0, done.stderr)
        return Packed(done.stdout)

    def conserved(self, side):
        routine, arc, times = side['routine'], side['arc'], side['times']
        self.assertEqual(sum(routine['self']), times['time_ns'])
        self.assertEqual(sum(side['node']['self']), times['time_ns'] + times['outside_ns'])
        self.assertEqual(sum(side['node']['ticks']), times['ticks'] + times['outside_ticks'])
        self.assertEqual(sum(side['node']['calls']), sum(routine['calls']))
        self.assertEqual(sum(side['node']['recursive']), sum(routine['recursive']))
        measured, each = side['node']['measured'], side['node']['each']
        self.assertAlmostEqual(sum(measured), times['measured_ns'], delta=len(measured))
        self.assertAlmostEqual(sum(m * e for m, e in zip(measured, each)) / max(1, times['measured_ns'] * times['each_ns']), bool(times['each_ns']), delta=1e-3)
        self.assertAlmostEqual(sum(routine['self_measured']) + measured[0], times['measured_ns'], delta=len(measured))
        self.assertEqual(sum(side['node']['children']), len(side['node']['children']) - 1)
        for r, total in enumerate(routine['total']):
            incoming = [i for i, to in enumerate(arc['to']) if to == r]
            outgoing = [i for i, source in enumerate(arc['from']) if source == r + 1]
            self.assertEqual(sum(arc['self2'][i] + arc['child2'][i] for i in incoming), total)
            self.assertEqual(routine['self'][r] + sum(arc['self1'][i] + arc['child1'][i] for i in outgoing), total)
            self.assertEqual(sum(arc['calls'][i] for i in incoming), routine['calls'][r])

        self.leaves_conserved(side)

    def leaves_conserved(self, side):
        leaf, count, link = side['leaf'], side['leaf_count'], side['node']['link']
        for i, ticks in enumerate(leaf['ticks']):
            of_leaf = [k for k, number in enumerate(count['leaf']) if number == i + 1]
            self.assertEqual(sum(count['ticks'][k] for k in of_leaf), ticks, 'samples by context are those by routine')
            self.assertEqual({link[count['node'][k]] >> 2 for k in of_leaf} - {leaf['routine'][i]}, set())
        for r, time in enumerate(side['routine']['self']):
            self.assertLessEqual(sum(t for t, of in zip(leaf['time'], leaf['routine']) if of == r), time)

    def as_reported(self, side, file, *options):
        leaves = [] if '--thread' in options else ['--leaves']
        flat = {row['name']: row for row in self.json('report', *leaves, *options, file)['flat']}
        for r, name in enumerate(side['names']):
            row = flat.get(name, {})
            for column in ['calls', 'recursive']:
                self.assertEqual(side['routine'][column][r], row.get(column, 0), name)
            for column in ['self', 'total']:
                self.assertEqual(side['routine'][column][r], row.get(column + '_ns', 0), name)
            leaf = side['leaf']
            parts = [(side['plain'][plain]['name'], time, ticks) for of, plain, time, ticks in zip(*(leaf[column] for column in LEAF)) if of == r]
            self.assertEqual(parts, [(part['name'], part['self_ns'], part['ticks']) for part in row.get('parts', [])], name)

    def test_ranks(self):
        """How uneven an MPI job's ranks are in each routine: what the report has of its contexts, added up; of what is no job, nothing."""
        self.make('job', '--seed', '3', '--routines', '15', '--calls', '4000', '--ticks', '0.6', '--ranks', '4')
        side, = self.page('job').sides
        report = self.json('report', '--imbalance', 'job')
        beyond = dict.fromkeys(side['names'], 0)
        for row in report['imbalance']:
            beyond[row['history'][-1]] += row['time_most_ns'] - row['time_ns'] / report['ranks']
        self.assertGreater(sum(side['beyond']), 0)
        for name, value in zip(side['names'], side['beyond']):
            self.assertAlmostEqual(value, beyond[name], delta=1)
        self.assertNotIn('beyond', self.page('amon.out').sides[0])

    def test_slices(self):
        """What samples charged by interval is the run's time with hooks, sample by sample; of two sides, and of one range, there are none."""
        sliced = ['--seed', '3', '--routines', '15', '--threads', '2', '--calls', '900', '--ticks', '0.6', '--intervals', '1']
        self.make('amon.out', *sliced)
        side = self.page('amon.out').sides[0]
        slices = side['slice']
        self.assertEqual(side['interval_ns'], 8000000)
        self.assertEqual(sum(slices['time']), side['run']['times']['raw_ns'])
        self.assertEqual(sum(slices['ticks']), side['times']['ticks'] + side['times']['outside_ticks'])
        self.assertLess(max(slices['interval']), 1000)
        self.assertLess(max(slices['node']), side['counts']['nodes'])
        self.assertEqual(set(slices['thread']), {0, 1})
        both, = self.page('amon.out', 'amon.out').sides     # each from its own beginning, which is the same
        self.assertEqual(both['interval_ns'], 8000000)
        self.assertEqual(set(both['slice']['thread']), {0, 1, 2, 3})
        for column in 'time', 'ticks', 'interval':
            self.assertEqual(sum(both['slice'][column]), 2 * sum(slices[column]), column)
        for operands in ['amon.out', '--against', 'amon.out'], ['--time-range=0..1', 'amon.out']:
            for side in self.page(*operands).sides:
                self.assertEqual((side['interval_ns'], side['counts']['slices']), (0, 0), operands)

    def test_one(self):
        side, = self.page('amon.out').sides
        self.conserved(side)
        self.as_reported(side, 'amon.out')
        report = self.json('report', 'amon.out')
        self.assertEqual(side['run'], report['run'])

    def test_threads(self):
        side, = self.page('amon.out').sides
        for thread in range(3):
            of_thread = [i for i, t in enumerate(side['share']['thread']) if t == thread]
            times = self.json('report', '--thread', str(thread), 'amon.out')['run']['times']
            self.assertEqual(sum(side['share']['time'][i] for i in of_thread), times['contexts_ns'] + times['outside_ns'])
        shares, nodes = side['share']['measured'], side['node']['measured']
        self.assertAlmostEqual(sum(shares), sum(nodes), delta=len(shares) + len(nodes))

    def test_two(self):
        self.make('new.out', '--seed', '4', '--routines', '18', '--calls', '3000', '--ticks', '0.6')
        sides = self.page('amon.out', '--against', 'new.out').sides
        self.assertEqual([side['label'] for side in sides], ['amon.out', 'new.out'])
        judged = [dict(zip(side['names'], side['judged']['routines'])) for side in sides]
        both = judged[0].keys() & judged[1].keys()
        self.assertTrue(any(judged[0][name] for name in both))
        self.assertEqual([judged[0][name] for name in both], [judged[1][name] for name in both])
        for side in sides:
            self.conserved(side)
            self.as_reported(side, side['label'])

    def test_options(self):
        name = self.json('report', 'amon.out')['flat'][3]['name']
        for options in [['--focus', re.escape(name)], ['--raw'], ['--thread', '1']]:
            with self.subTest(options):
                side, = self.page(*options, 'amon.out').sides
                self.conserved(side)
                self.as_reported(side, 'amon.out', *options)

    def test_cycles(self):
        side, = self.page('amon.out').sides
        cycles, at = self.json('cycles', 'amon.out')['cycles'], 0
        self.assertEqual(side['cycle']['time'], [c['time_ns'] for c in cycles])
        for cycle in cycles:
            entries = side['cycle_entry'][at:at + len(cycle['cycle'])]
            self.assertEqual([(side['names'][e >> 1], bool(e & 1)) for e in entries], [(e['name'], e['link_known']) for e in cycle['cycle']])
            at += len(entries)

    def test_default_output(self):
        done = self.aprof('html')
        self.assertEqual((done.returncode, done.stdout), (0, b'amon.html: open it in a browser\n'))
        Packed((self.cwd / 'amon.html').read_bytes())

    def test_page_asks_for_nothing(self):
        page = self.aprof('html', '-o', '-').stdout.decode()
        self.assertIn("default-src 'none'", page)
        self.assertNotRegex(page, r'<(script|link|img)[^>]* (src|href)=(?!"data:)')

    def test_mistakes(self):
        self.refused('is a profile; choose another name', '-o', 'amon.out')
        self.refused('name what to compare with', '--against')
        self.refused('given twice', 'amon.out', '--against', 'amon.out', '--against', 'amon.out')
        self.refused('cannot write', '-o', 'no-such-folder/page.html')
        self.refused('No space left', '-o', '/dev/full')
        self.refused('cannot open', 'missing')


unittest.main(verbosity=1)
