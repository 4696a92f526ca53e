"""export_test.py BUILD: every format of aprof export, opened by a program that others wrote, holds what the report says.

callgrind: callgrind_annotate; pprof: go tool pprof; folded: flamegraph.pl; dot: Graphviz; speedscope, firefox, json: jq; csv: Python's
reader.  A reader that is not installed skips its test.  The viewers with windows are in export_viewers_test.py."""
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import exports
import here
import limits

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
GOLDEN = pathlib.Path(__file__).resolve().parents[1] / 'golden'
FLAMEGRAPH = '/usr/share/perl5/Devel/NYTProf/flamegraph.pl'

# Names that other programs' formats might stumble over, in place of P, Q, R and S of the paper's program.
HOSTILE = [b'x;y "q" \\z <b>&amp; 17', b'=1+cmd|' b"' /C calc'!A0", b'gr\xc3\xbc\x1b[31mred', b'(3) %s\\n\\N{a|b}']
OUTSIDE = '(outside all routines)'


def run(*command, cwd, status=0, text=True, env=None):
    done = limits.run(command, 120, cwd=cwd, capture_output=True, text=text,
                      env=dict(os.environ, LC_ALL='C.UTF-8', HOME=cwd, **(env or {})))
    if done.returncode != status:
        raise AssertionError(f'{command}: status {done.returncode}\n{done.stdout}\n{done.stderr}')
    return done.stdout


def needs(program):
    return unittest.skipUnless(shutil.which(program) or os.access(program, os.X_OK | os.R_OK), f'{program} is not installed')


def paper_program(folder, names=()):
    """The program of the golden tests, its routines after the first renamed to NAMES."""
    source = (GOLDEN / 'paper.s').read_text()
    for i, name in enumerate(names):
        source = re.sub(rf'routine\t{"PQRS"[i]}\n', f'routine\t{"PQRS"[i] * len(name)}\n', source)
    (pathlib.Path(folder) / 'program.s').write_text(source)
    run(os.environ.get('CC', 'cc').split()[0], '-nostdlib', '-static', '-Wl,-Ttext=0x400000',
        '-Wl,--section-start=.note.gnu.build-id=0x500000', '-Wl,--build-id=0x' + b'made-by-make-amon--1'.hex(),
        '-Wl,-e,Main', '-o', 'program', 'program.s', cwd=folder)
    program = pathlib.Path(folder) / 'program'
    data = program.read_bytes()
    for i, name in enumerate(names):
        placeholder = b'\0' + b'PQRS'[i:i + 1] * len(name) + b'\0'
        assert placeholder in data
        data = data.replace(placeholder, b'\0' + name + b'\0')
    program.write_bytes(data)


# Many small routines in a short run: most contexts have no sample, and yet time, since their hooks' cost was taken from their callers.
SMALL = '''
#include <pthread.h>
#define R(n) __attribute__((noinline)) void small##n(int k) { volatile int x = k; for (int i = 0; i < 3; i++) x += i; if (k) a##n(k - 1); }
#define LIST X(0, 1) X(1, 2) X(2, 3) X(3, 4) X(4, 5) X(5, 6) X(6, 7) X(7, 0)
#define X(n, m) void small##n(int k); static void a##n(int k); 
LIST
#undef X
#define X(n, m) static __attribute__((noinline)) void a##n(int k) { small##m(k); if (k > 2) small##n(k - 2); } R(n)
LIST
#undef X
static void *work(void *end) { for (int i = 0; i < *(int *)end; i++) small0(i % 9); return 0; }
int main(void) { pthread_t t; int much = 400000, less = 40000; pthread_create(&t, 0, work, &less); work(&much); pthread_join(t, 0); return 0; }
'''


@functools.cache
def recorded():
    """The bytes of a profile of SMALL, in which a sample fell: on a busy machine there may be none in 40 ms."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / 'small.c').write_text(SMALL)
        run(BUILD / 'aprof-cc', '-O1', '-pthread', '-o', 'small', 'small.c', cwd=folder)
        for _ in range(10):
            run(BUILD / 'aprof', 'run', '--no-report', './small', cwd=folder)
            if json.loads(run(BUILD / 'aprof', 'report', '--json', cwd=folder))['run']['clock']['samples']:
                break
        return (pathlib.Path(folder) / 'amon.out').read_bytes()


class Profiles(unittest.TestCase):
    """Every test on four profiles: names that do harm, a random program of three threads, a run without time, and a real run."""

    MAKERS = {'hostile': ['--paper', '5'],
              'random': ['--seed', '3', '--routines', '12', '--threads', '3', '--calls', '2000', '--ticks', '1'],
              'timeless': ['--seed', '5', '--routines', '6', '--calls', '300', '--ticks', '0']}

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.cwd = self.folder.name
        paper_program(self.cwd, HOSTILE)
        for name, maker in self.MAKERS.items():
            run(BUILD / 'src/contract' / 'make-amon', *maker, f'{name}.amon', cwd=self.cwd)
        pathlib.Path(self.cwd, 'recorded.amon').write_bytes(recorded())

    def each(self):
        for name in [*self.MAKERS, 'recorded']:
            program = ['program'] if name == 'hostile' else []
            report = json.loads(run(BUILD / 'aprof', 'report', '--json', *program, f'{name}.amon', cwd=self.cwd))
            yield lambda fmt, *more: self.export(fmt, name, *more, *program, f'{name}.amon'), report

    def export(self, fmt, name, *arguments):
        run(BUILD / 'aprof', 'export', fmt, '-o', f'{name}.{fmt}', *arguments, cwd=self.cwd)
        return f'{name}.{fmt}'

    def whole(self, report):
        return exports.whole(report)

    def calls(self, report):
        return exports.calls(report)


def safe(name):
    """A name as aprof's text escapes it."""
    text = ''
    for c in name:
        text += {'\\': '\\\\'}.get(c, c if c.isprintable() else f'\\x{ord(c):02x}')
    return text


class Callgrind(Profiles):
    def annotate(self, path, *more):
        return exports.annotate(path, self.cwd, *more)

    @needs('callgrind_annotate')
    def test_costs_are_the_reports(self):
        for export, report in self.each():
            path = export('callgrind')
            if not self.whole(report):
                continue                          # callgrind_annotate refuses a file in which nothing cost anything
            total, self_costs = self.annotate(path)
            self.assertEqual(total, self.whole(report))
            self.assertEqual(sum(self_costs.values()), total)
            _, inclusive = self.annotate(path, '--inclusive=yes')
            for r in report['flat']:
                self.assertEqual(self_costs.get(safe(r['name']), 0), r['self_ns'], r['name'])
                self.assertEqual(inclusive.get(safe(r['name']), 0), r['total_ns'], r['name'])

    def test_calls(self):
        for export, report in self.each():
            self.assertEqual(exports.callgrind_calls(export('callgrind'), self.cwd), self.calls(report))


@needs('go')
class Pprof(Profiles):
    def test_values_are_the_reports(self):
        for export, report in self.each():
            samples, names = exports.pprof_samples(export('pprof'), self.cwd)
            self.assertEqual(sum(s[0] for s in samples), self.calls(report))
            self.assertEqual(sum(s[2] for s in samples), self.whole(report))
            for r in report['flat']:
                mine = {i for i, name in names.items() if name == safe(r['name'])}
                self.assertTrue(mine, r['name'])
                self.assertEqual(sum(s[2] for s in samples if s[3][0] in mine), r['self_ns'])
                self.assertEqual(sum(s[2] for s in samples if mine & set(s[3])), r['total_ns'])
                self.assertEqual(sum(s[0] for s in samples if s[3][0] in mine), r['calls'] + r['recursive'])

    def test_labels(self):
        path = self.export('pprof', 'random', 'random.amon')
        tags = exports.pprof(path, self.cwd, '-tags', '-sample_index=calls')
        self.assertRegex(tags, r'thread: Total 6000.0\n(\s+2000.0 \(33.33%\): thread-[012]\n){3}')
        self.assertRegex(tags, r'pid: Total 6000.0\n\s+6000.0 \( *100%\): 4711\n')

    def test_top(self):
        path = self.export('pprof', 'random', 'random.amon')
        self.assertIn('Type: time', exports.pprof(path, self.cwd, '-top'))


class Folded(Profiles):
    def test_sums(self):
        for export, report in self.each():
            stacks = list(exports.folded(export('folded'), self.cwd))
            self.assertEqual(sum(weight for _, weight in stacks), self.whole(report))
            for r in report['flat']:
                name = safe(r['name']).replace(';', '\\x3b')
                self.assertEqual(sum(w for stack, w in stacks if stack[-1] == name), r['self_ns'])
                self.assertEqual(sum(w for stack, w in stacks if name in stack), r['total_ns'])
            self.assertEqual(sum(w for _, w in exports.folded(export('folded', '--weight=calls'), self.cwd)), self.calls(report))

    @needs(FLAMEGRAPH)
    def test_flamegraph_draws_it(self):
        for export, report in self.each():
            picture = run('perl', FLAMEGRAPH, export('folded', '--weight=calls'), cwd=self.cwd)
            self.assertRegex(picture, rf'all \({self.calls(report):,} samples')


class Dot(Profiles):
    @needs('dot')
    def test_graphviz_reads_it(self):
        for export, report in self.each():
            graph = exports.graphviz(export('dot', '--min-percent=0'), self.cwd)
            self.assertEqual(int(graph['aprof_time_ns']) + int(graph['aprof_outside_ns']), self.whole(report))
            nodes = graph['objects']
            for key in 'self_ns', 'total_ns', 'calls':
                self.assertEqual(sorted(int(n[f'aprof_{key}']) for n in nodes), sorted(r[key] for r in report['flat']))
            shown = [n['label'].split('\\ntotal ')[0].replace('\\\\', '\\') for n in nodes]
            self.assertEqual(sorted(shown), sorted(safe(r['name']) for r in report['flat']))
            arcs = sum(c['calls'] for e in report['callgraph'] for c in e['children'])
            self.assertEqual(sum(int(e['aprof_calls']) for e in graph.get('edges', [])), arcs)

    @needs('dot')
    def test_what_is_left_out_is_said(self):
        for export, report in self.each():
            graph = exports.graphviz(export('dot', '--min-percent=40'), self.cwd)
            shown = sum(int(n['aprof_self_ns']) for n in graph.get('objects', []))
            self.assertEqual(shown + int(graph['aprof_hidden_self_ns']), int(graph['aprof_time_ns']))

    @needs('dot')
    def test_picture(self):
        for export, _ in self.each():
            self.assertIn('<svg', run('dot', '-Tsvg', export('dot'), cwd=self.cwd))


class Json(Profiles):
    def jq(self, path, program):
        return json.loads(run('jq', '-c', program, path, cwd=self.cwd))

    @needs('jq')
    def test_json(self):
        for export, report in self.each():
            path = export('json')
            self.assertEqual(self.jq(path, '[.flat[].self_ns] | add'), report['run']['times']['contexts_ns'])
            self.assertEqual(self.jq(path, '[.contexts[] | .entries + .recursive] | add'), self.calls(report))
            self.assertEqual(self.jq(path, '.tree[0].total_ns'), self.whole(report))

    @needs('jq')
    @here.long
    def test_speedscope(self):
        for export, report in self.each():
            path = export('speedscope')
            self.assertEqual(self.jq(path, '[.profiles[0].weights[]] | add // 0'), self.whole(report))
            self.assertEqual(self.jq(path, '.profiles[0].endValue'), self.whole(report))
            self.assertEqual(self.jq(path, '[.profiles[1].weights[]] | add'), self.calls(report))
            self.assertTrue(self.jq(path, 'all(.profiles[]; (.samples | length) == (.weights | length))'))
            for r in report['flat']:
                total = '[.profiles[0] | .samples as $s | .weights as $w | range($s | length) | ' \
                        f'select($s[.] | index({self.frame(path, r["name"])})) | $w[.]] | add // 0'
                self.assertEqual(self.jq(path, total), r['total_ns'])
        threads = self.export('speedscope', 'random', 'random.amon')
        for i, what in enumerate(('time', 'calls')):
            self.assertEqual(self.jq(threads, f'[.profiles[2:][] | select(.name | startswith("{what} of thread")) | .weights[]] | add'),
                             self.jq(threads, f'.profiles[{i}].endValue'))

    def frame(self, path, name):
        data = json.loads(pathlib.Path(self.cwd, path).read_text())
        return [f['name'] for f in data['shared']['frames']].index(name)

    @needs('jq')
    def test_firefox(self):
        for export, report in self.each():
            path = export('firefox')
            weights = self.jq(path, '[.threads[].samples.weight[]] | add')
            if self.whole(report):
                self.assertEqual(self.jq(path, '[.threads[].samples.weightType] | unique'), ['tracing-ms'])
                self.assertAlmostEqual(weights * 1e6, self.whole(report), delta=1)
            else:
                self.assertEqual(weights, self.calls(report))
            self.firefox_is_sound(json.loads(pathlib.Path(self.cwd, path).read_text()), report)

    def firefox_is_sound(self, data, report):
        """Indices are within their tables, parents stand before children, and the totals of the functions are the report's."""
        totals = {}
        for t in data['threads']:
            for table in t.values():
                if isinstance(table, dict) and 'length' in table:
                    self.assertEqual({len(c) for c in table.values() if isinstance(c, list)}, {table['length']})
            for i, prefix in enumerate(t['stackTable']['prefix']):
                self.assertTrue(prefix is None or 0 <= prefix < i)
            for stack, weight in zip(t['samples']['stack'], t['samples']['weight']):
                seen = set()
                while stack is not None:
                    frame = t['stackTable']['frame'][stack]
                    seen.add(t['stringArray'][t['funcTable']['name'][t['frameTable']['func'][frame]]])
                    stack = t['stackTable']['prefix'][stack]
                for name in seen:
                    totals[name] = totals.get(name, 0) + weight
        for r in report['flat'] if self.whole(report) else []:
            self.assertAlmostEqual(totals[r['name']] * 1e6, r['total_ns'], delta=1)


class Bytes(Profiles):
    def test_names_that_are_not_utf8(self):
        paper_program(self.cwd, [b'gr\xfc\xdf'])
        for fmt in 'callgrind', 'folded', 'dot', 'json', 'speedscope', 'firefox', 'csv':
            text = pathlib.Path(self.cwd, self.export(fmt, 'bytes', 'program', 'hostile.amon')).read_text(encoding='utf-8')
            self.assertIn('gr\\xfc\\xdf', text.replace('\\\\', '\\'))


class Csv(Profiles):
    def test_tables(self):
        for export, report in self.each():
            routines = exports.csv_rows(export('csv'), self.cwd)
            self.assertEqual(sum(int(r['self_ns']) for r in routines), self.whole(report))
            listed = {r['name']: r for r in routines}
            for r in report['flat']:
                name = safe(r['name'])
                row = listed["'" + name if name[0] in '=+-@' else name]
                for key in 'calls', 'recursive', 'self_ns', 'total_ns':
                    self.assertEqual(int(row[key]), r[key])
            arcs = exports.csv_rows(export('csv', '--table=arcs'), self.cwd)
            self.assertEqual(sum(int(a['calls']) for a in arcs), sum(r['calls'] for r in report['flat']))
            contexts = exports.csv_rows(export('csv', '--table=contexts'), self.cwd)
            self.assertEqual(sum(int(c['time_ns']) for c in contexts), self.whole(report))
            self.assertEqual(sum(int(c['entries']) + int(c['recursive']) for c in contexts), self.calls(report))


class Totals(Profiles):
    """All formats at once, as tests/realworld asks for them."""

    @here.long
    def test_are_the_reports(self):
        for name in 'random', 'recorded':
            report = json.loads(run(BUILD / 'aprof', 'report', '--json', f'{name}.amon', cwd=self.cwd))
            wrong, read = exports.totals(BUILD / 'aprof', [f'{name}.amon'], report, self.cwd)
            self.assertEqual(wrong, [])
            self.assertLessEqual({'folded', 'json', 'speedscope', 'firefox', 'csv'}, set(read))

    @here.long
    def test_a_difference_is_told(self):
        report = json.loads(run(BUILD / 'aprof', 'report', '--json', 'random.amon', cwd=self.cwd))
        report['flat'][0]['calls'] += 1
        report['run']['times']['outside_ns'] += 1000
        wrong, read = exports.totals(BUILD / 'aprof', ['random.amon'], report, self.cwd)
        self.assertEqual({line.split(':')[0] for line in wrong}, set(read))


class Limits(Profiles):
    """Options and mistakes."""

    def test_focus_and_thread(self):
        for more in ['--thread=1'], ['--focus=0x400040'], ['--thread=2', '--focus=0x4001.*', '--raw']:
            shown = json.loads(run(BUILD / 'aprof', 'tree', '--json', *more, 'random.amon', cwd=self.cwd))['tree'][0]['total_ns']
            folded = run(BUILD / 'aprof', 'export', 'folded', *more, 'random.amon', cwd=self.cwd)
            self.assertEqual(sum(int(line.rsplit(' ', 1)[1]) for line in folded.splitlines()), shown)
            self.assertEqual(json.loads(run(BUILD / 'aprof', 'export', 'speedscope', *more, 'random.amon', cwd=self.cwd))
                             ['profiles'][0]['endValue'], shown)

    def fails(self, *arguments):
        done = subprocess.run([BUILD / 'aprof', 'export', *arguments], cwd=self.cwd, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ''))
        return done.stderr

    def test_mistakes(self):
        self.assertIn('in which format?', self.fails())
        self.assertIn('no such format', self.fails('svg', 'random.amon'))
        self.assertIn('is a profile', self.fails('csv', '-o', 'random.amon', 'random.amon'))
        self.assertIn('cannot open', self.fails('csv', '-o', 'no/where', 'random.amon'))
        self.assertIn('not one of time', self.fails('folded', '--weight=ticks', 'random.amon'))
        self.assertIn('not one of routines', self.fails('csv', '--table=cycles', 'random.amon'))
        for fmt in 'csv', 'pprof', 'dot', 'firefox':
            self.assertIn('No space left', self.fails(fmt, '-o', '/dev/full', 'random.amon'))


if __name__ == '__main__':
    unittest.main()
