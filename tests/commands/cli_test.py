"""cli_test.py BUILD: aprof as its users call it: options, statuses, messages, several processes, live files."""
import fcntl
import glob
import json
import os
import pathlib
import pty
import re
import shutil
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import here
import limits
from terminal import terminal

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
APROF = BUILD / 'aprof'
COMMANDS = ['run', 'report', 'tree', 'cycles', 'contexts', 'paths', 'compare-models', 'hot', 'annotate', 'view', 'info', 'html', 'export', 'compare', 'diff', 'check', 'merge', 'ps', 'reset']

# A routine with a cheap caller and a dear one; it waits for input when asked to, and ends as its argument says.
PROGRAM = r'''
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile long sink;
__attribute__((noinline)) void work(long n) { for (long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void cheap(void) { for (int i = 0; i < 100; i++) work(10); }
__attribute__((noinline)) void dear(void) { for (int i = 0; i < 100; i++) work(1000000); }
__attribute__((noinline)) void unused(void) { puts("unused"); }
int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	cheap();
	if (strcmp(what, "quick") != 0)
		dear();
	if (strcmp(what, "unused") == 0)
		unused();
	if (strcmp(what, "echo") == 0) {
		char line[100];
		if (fgets(line, sizeof line, stdin))
			printf("<%s>", line);
	}
	if (strcmp(what, "kill") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(what, "leave") == 0)
		_exit(5);
	if (strcmp(what, "exec") == 0)
		execl(argv[0], argv[0], "kill", NULL);
	if (strcmp(what, "become") == 0)
		execv(argv[2], argv + 2);
	if (strcmp(what, "loop") == 0) {
		puts("ready");
		fflush(stdout);
		for (;;)
			cheap();
	}
	return argc > 2 ? atoi(argv[2]) : 0;
}
'''


def aprof(*arguments, cwd=None, **more):
    environment = dict(os.environ, LC_ALL='C.UTF-8') | more.pop('env', {})
    environment.pop('NO_COLOR', None)
    return limits.run([APROF, *arguments], cwd=cwd, capture_output=True, text=True, env=environment, **more)


# Each walk is another history, as a rule: eight routines of 16 in an order by chance.
MANY_CONTEXTS = r"""
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static unsigned long seed = 1;
static unsigned left;
static void next(void);
#define F(n) __attribute__((noinline, noclone)) static void f##n(void) { if (--left) next(); __asm__ volatile(""); }
F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15)
static void (*const all[])(void) = { f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15 };
static inline __attribute__((always_inline)) void next(void)
{
	static unsigned last;
	unsigned i;
	do i = (seed = seed * 6364136223846793005UL + 1442695040888963407UL) >> 60; while (i == last);
	all[last = i]();
}
int main(int argc, char **argv)
{
	for (long i = atol(argv[1]); i > 0; i--) { left = 8; next(); }
	if (argc > 2) kill(getpid(), SIGKILL);
	return 0;
}
"""


def seconds(time):
    """Of a time as reports print it: `29.0 ms`."""
    number, unit = time.split()
    return float(number) * {'ns': 1e-9, 'us': 1e-6, 'ms': 1e-3, 's': 1, 'h': 3600}[unit]


class Help(unittest.TestCase):
    def options(self, command):
        shown = aprof(command, '--help')
        self.assertEqual(shown.returncode, 0, shown.stderr)
        return set(re.findall(r'--([a-z-]+)', shown.stdout.split('\n\n', 1)[1]))

    def manual(self, command):
        page = (ROOT / 'doc' / 'man' / f'aprof-{command}.1').read_text()
        return set(re.findall(r'^\.It (?:Fl \w (?:Ar \w+ )?, )?Fl -([a-z-]+)', page, re.M))

    def test_help_and_manual_agree(self):
        for command in COMMANDS:
            with self.subTest(command):
                self.assertEqual(self.options(command), self.manual(command))

    def test_each_name_has_a_manual_page(self):
        pages = {page.name: page.read_text() for page in (ROOT / 'doc' / 'man').glob('*.[13]')}
        listed = set(re.findall(r"'([^' ]+\.[13])'", (ROOT / 'doc/man/meson.build').read_text()))
        self.assertEqual(listed, set(pages))
        for page, text in pages.items():
            names = re.findall(r'(?m)^\.Nm (.*?)(?: ,)?$', text.partition('.Sh NAME\n')[2].partition('\n.Nd ')[0])
            if page.endswith('.1'):
                self.assertEqual({name.replace(' ', '-') + '.1' for name in names} - set(pages), set(), page)

    def test_manual_pages_fit_a_terminal(self):
        """groff, which man is, finds nothing to warn of on 80 columns; a page that is another's name has nothing of its own."""
        for page in sorted((ROOT / 'doc' / 'man').glob('*.[13]')):
            if not page.read_text().startswith('.so '):
                with self.subTest(page.name):
                    done = subprocess.run(['groff', '-mandoc', '-Tutf8', '-ww', '-rLL=80n', page], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                    self.assertEqual((done.returncode, done.stderr), (0, ''))

    def test_help_of_the_compiler_stands_behind_that_of_the_wrapper(self):
        both = aprof('cc', '--help').stdout
        self.assertTrue(both.startswith(aprof('cc', '--aprof-help').stdout))
        self.assertIn('--aprof-only=PATTERN', both)
        self.assertTrue(both.endswith(subprocess.run(['cc', '--help'], capture_output=True, text=True, env=dict(os.environ, LC_ALL='C.UTF-8')).stdout))

    def test_help_names_each_command(self):
        shown = aprof('help').stdout
        for command in COMMANDS:
            self.assertRegex(shown, rf'(?m)^  {command} ')

    def test_help_fits_a_terminal(self):
        """Whole on 80 columns, the text of an option never glued to its name; of the compilers aprof's own."""
        for command in COMMANDS + ['config', 'cc', 'c++', 'fc']:
            with self.subTest(command):
                shown = aprof('help', command)
                self.assertEqual(shown.returncode, 0, shown.stderr)
                self.assertTrue(shown.stdout.startswith('Usage: aprof'), shown.stdout[:60])
                self.assertLessEqual(max(len(line) for line in shown.stdout.splitlines()), 80)
                for line in shown.stdout.splitlines() if command in COMMANDS else []:
                    if line.startswith('  -'):
                        self.assertRegex(line, r'^(.{29} \S.*|  -\S+( \S+)?)$')

    def test_help_in_groups(self):
        """What people need first is first, and what only gprof has last; each option stands in one group."""
        groups = re.findall(r'(?ms)^([A-Z][^\n]*):\n(.*?)(?:\n\n|\Z)', aprof('report', '--help').stdout.partition('\n\n')[2])
        names = [name for name, _ in groups]
        self.assertEqual((names[0], names[-2:]), ('What is shown', ["More of gprof's options", 'Examples']))
        self.assertIn('--sort=KEY', groups[0][1])
        self.assertIn('--traditional', groups[-2][1])
        options = re.findall(r'(?m)^  (?:-\w, )?(--?[\w-]+)', '\n'.join(text for _, text in groups))
        self.assertEqual(len(options), len(set(options)))

    def test_examples_of_help(self):
        """Two where there is something to choose, of options that the command has."""
        for command in COMMANDS:
            with self.subTest(command):
                shown, examples = aprof('help', command).stdout.partition('\nExamples:\n')[::2]
                lines = examples.splitlines()
                self.assertEqual(len(lines), 0 if command == 'reset' else 2, examples)
                for line in lines:
                    words = line.split('  ')[1].split()
                    self.assertEqual(words[:2], ['aprof', command])
                    for word in words[2:]:
                        if word.startswith('-'):
                            self.assertIn(word.partition('=')[0], re.findall(r'--?[\w-]+', shown))

    def test_help_of_help(self):
        for words in ['help'], ['help', 'help'], ['help', '--help'], ['help', '-h'], ['--help'], ['-h']:
            self.assertEqual(aprof(*words).stdout, aprof('help').stdout)

    def test_version(self):
        self.assertRegex(aprof('--version').stdout, r'^aprof \d+\.\d+\.\d+\n$')


def on_terminal(test, columns, *words, **environment):
    """What aprof prints, `report -b` without WORDS, on a terminal of so many columns, and of no known height: without a pager."""
    return terminal([APROF, *(words or ('report', '-b'))], test.cwd, lines=0, columns=columns, **environment)[1]


class Mistakes(unittest.TestCase):
    def one_line(self, *arguments, **more):
        done = aprof(*arguments, **more)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, '')
        return done.stderr

    def test_messages(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn('did you mean `aprof report`', self.one_line('reprot', cwd=folder))
            self.assertIn('no amon.out here', self.one_line('report', cwd=folder))
            self.assertIn('-X: no such option', self.one_line('report', '-X', cwd=folder))
            self.assertIn('--colour: no such option', self.one_line('report', '--colour', cwd=folder))
            self.assertIn('--no: short for several options', self.one_line('report', '--no', cwd=folder))
            self.assertIn('`aprof help` lists them', self.one_line('help', 'nothing', cwd=folder))
            self.assertIn('--focus: needs a value', self.one_line('report', '--focus', cwd=folder))
            self.assertIn('neither a profile', self.one_line('report', '/etc/passwd', cwd=folder))
            self.assertIn('No such file', self.one_line('report', './nothing', cwd=folder))
            self.assertIn('not one of self', self.one_line('report', '--sort=name', cwd=folder))
            self.assertIn('not a whole number', self.one_line('tree', '--depth=1.5', cwd=folder))
            self.assertIn('which program', self.one_line('run', cwd=folder))
            self.assertIn('--focus=(: no regular expression', self.one_line('run', '--focus=(', 'true', cwd=folder))
            self.assertIn('--hide=(: no regular expression', self.one_line('run', '--hide=(', 'true', cwd=folder))
            for words in ['run', '--data='], ['run', '-o', ''], ['merge', '-o', ''], ['html', '--output='], ['export', '-o', '', 'json']:
                self.assertIn('takes the name of a file', self.one_line(*words, 'true', cwd=folder))
            self.assertIn('no such process', self.one_line('reset', '999999999', cwd=folder))
            self.assertIn('no profile open', self.one_line('reset', str(os.getpid()), cwd=folder))
            for words in [], ['report'], ['hot'], ['html'], ['export', 'json'], ['annotate', 'x'], ['merge', '-o', 'out'], ['diff'], ['check', '--against']:
                self.assertIn('no such process', self.one_line(*words, '999999999', cwd=folder))
                self.assertIn('no profile open', self.one_line(*words, str(os.getpid()), cwd=folder))
            self.assertIn('takes no operand', self.one_line('ps', 'x', cwd=folder))

    def test_hostile_name(self):
        self.assertNotIn('\x1b', self.one_line('report', './\x1b[31m'))

    def test_operands_that_are_no_profiles(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, 'nothing').touch()
            pathlib.Path(folder, 'folder').mkdir()
            for words in ['report'], ['diff', 'folder'], ['check', 'folder', '--against']:
                self.assertIn('folder: a directory', self.one_line(*words, 'folder', cwd=folder))
            self.assertIn('nothing: empty', self.one_line('tree', 'nothing', cwd=folder))

    def test_options_of_one_format(self):
        for option, format in ('--weight=calls', 'folded'), ('--table=arcs', 'csv'), ('--min-percent=3', 'dot'):
            self.assertIn(f'is for the format {format}, not for json', self.one_line('export', option, 'json'))

    def test_rate(self):
        for rate in '0', '-1', '1.5', '997x', '', '10001':
            self.assertIn('from 1 to 10000', self.one_line('run', '--rate', rate, 'true'))

    def test_outputs_that_are_slips_of_the_pen(self):
        """A program is never overwritten, nor a device replaced by a file, which root could do."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([BUILD / 'src/contract' / 'make-amon', '--paper', '3', 'amon.out'], cwd=folder, check=True)
            pathlib.Path(folder, 'prog').write_bytes(pathlib.Path('/bin/true').read_bytes())
            for words in ['merge', '-o', 'prog', 'amon.out'], ['export', '-o', 'prog', 'json'], ['html', '-o', 'prog'], \
                    ['run', '-o', 'prog', 'true'], ['run', '--data=prog', 'true']:
                self.assertIn('prog: is a program', self.one_line(*words, cwd=folder))
            self.assertEqual(pathlib.Path(folder, 'prog').read_bytes(), pathlib.Path('/bin/true').read_bytes())
            self.assertIn('No space left', self.one_line('merge', '-o', '/dev/full', 'amon.out', cwd=folder))
            os.mkfifo(f'{folder}/pipe')
            reader = subprocess.Popen(['cat', 'pipe'], cwd=folder, stdout=subprocess.PIPE)
            self.assertEqual(aprof('merge', '-o', 'pipe', 'amon.out', cwd=folder).returncode, 0)
            self.assertTrue(reader.communicate()[0].startswith(b'amon.out'))

    def test_places_that_cannot_be_written(self):
        """Said before the program has run for hours."""
        with tempfile.TemporaryDirectory() as folder:
            for words, why in (['--data=no/where'], 'No such file'), (['--data=.'], 'Is a directory'), (['-o', 'no/where'], 'No such file'):
                self.assertIn(why, self.one_line('run', *words, 'touch', 'ran', cwd=folder))
            self.assertFalse(pathlib.Path(folder, 'ran').exists())

    def test_full_disk_of_small_things(self):
        for words in ['help'], ['--version'], ['report', '--help'], ['config', '--version'], ['cc', '--aprof-help'], ['cc', '--help']:
            with open('/dev/full', 'w') as full:
                done = subprocess.run([APROF, *words], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn('No space left', done.stderr)

    def test_full_disk(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([BUILD / 'src/contract' / 'make-amon', '--paper', '3', 'amon.out'], cwd=folder, check=True)
            with open('/dev/full', 'w') as full:
                done = subprocess.run([APROF, 'report'], cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn('No space left', done.stderr)


class Made(unittest.TestCase):
    """On a made profile of several threads with recursion."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.cwd = self.folder.name
        subprocess.run([BUILD / 'src/contract' / 'make-amon', '--routines', '20', '--threads', '3', '--calls', '5000',
                        '--ticks', '1', '--contexts', 'counted', 'amon.out'], cwd=self.cwd, check=True)

    def json(self, *arguments):
        done = aprof(*arguments, '--json', cwd=self.cwd)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_conserved(self):
        report = self.json('report')
        times = report['run']['times']
        self.assertGreater(times['contexts_ns'], 0)
        self.assertEqual(sum(row['self_ns'] for row in report['flat']), times['contexts_ns'])
        for entry in report['callgraph']:
            total = entry['self_ns'] + entry['children_ns']
            self.assertEqual(sum(p['self_ns'] + p['children_ns'] for p in entry['parents']), total)
            self.assertEqual(sum(c['self_ns'] + c['children_ns'] for c in entry['children']), entry['children_ns'])
            self.assertEqual(sum(p['calls'] for p in entry['parents']), entry['calls'])

    def test_few_samples(self):
        """No share is off by more than all."""
        for calls, samples in (1, '1 sample'), (2, '2 samples'):
            subprocess.run([BUILD / 'src/contract' / 'make-amon', '--routines', '3', '--threads', '1', '--calls', str(calls), '--ticks', '1', 'few'], cwd=self.cwd, check=True)
            error = re.search(r'^error +of (.*): (.*(?:\n  .*)*)', aprof('info', 'few', cwd=self.cwd).stdout, re.M)
            self.assertEqual(error[1], samples)
            self.assertTrue(all(0 < float(points) < 100 for points in re.findall(r'(?:\+-|±)(\S+?),? ', error[2])), error[0])

    def test_tree_is_conserved(self):
        for extra in [], ['--depth=3'], ['--min-percent=2']:
            nodes = self.json('tree', *extra)['tree']
            below = [0] * len(nodes)
            for node in nodes[1:]:
                below[node['parent']] += node['total_ns']
            for node, children in zip(nodes, below):
                self.assertEqual(node['self_ns'] + children + node['rest_ns'], node['total_ns'])

    def test_contexts_are_the_counted_ones(self):
        found = aprof('contexts', cwd=self.cwd).stdout.splitlines()
        counted = (pathlib.Path(self.cwd) / 'counted').read_text().splitlines()
        figures = sorted(line.split(' ', 2)[:2] for line in found if not line.endswith(' -'))
        self.assertEqual(figures, sorted(line.split(' ', 2)[:2] for line in counted if line.split(' ')[3:] and not line.endswith(' -')))

    def test_options_that_need_contexts(self):
        (pathlib.Path(self.cwd) / 'gmon.out').write_bytes(b'gmon\1' + bytes(15))
        for option in '--focus=x', '--hide=x', '--thread=0', '--phase=x', '--time-range=0..1', '--model=cct', '--leaves', '--lines', '--inlines', '--sort=calls', '--imbalance', '--rank=0', '--mpi':
            done = aprof(option, APROF, 'gmon.out', cwd=self.cwd)
            self.assertEqual((done.returncode, done.stdout), (2, ''))
            self.assertRegex(done.stderr, rf'^aprof: {option.split("=")[0]}[^\n]*: not with a gmon.out: [^\n]*\n$')

    def test_names_that_mean_nothing(self):
        """gprof shows everything for -p and nothing for -q then, and says nothing; here nothing is shown, and one line says why."""
        note = r'aprof: {}: no routine and no source file of the profile is called so; [^\n]*\n'
        known = self.json('report')['flat'][0]['name']
        for words, unknown in (['-pnobody'], 'nobody'), (['-qnobody'], 'nobody'), (['-Pnobody'], 'nobody'), ([f'-q{known}/nobody'], 'nobody'), \
                (['--json', '-pnobody'], 'nobody'), ([f'-p{known}'], None), ([f'-q{known}/{known}'], None):
            with self.subTest(words):
                done = aprof('report', *words, cwd=self.cwd)
                self.assertEqual((done.returncode, bool(done.stdout)), (2, False) if unknown else (0, True))
                self.assertRegex(done.stderr, rf'^{note.format(unknown) if unknown else ""}$')

    def test_merge_refuses_gmon(self):
        (pathlib.Path(self.cwd) / 'gmon.out').write_bytes(b'gmon\1' + bytes(15))
        done = aprof('merge', '-o', 'twice', 'gmon.out', 'gmon.out', cwd=self.cwd)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r'^aprof: gmon.out: a gmon.out; sum such files with `aprof -s .*\n$')

    def test_symbol_table_must_have_symbols(self):
        (pathlib.Path(self.cwd) / 'gmon.out').write_bytes(b'gmon\1' + bytes(15))
        (pathlib.Path(self.cwd) / 'table').write_text('main\n12 D data\nxyz T wrong\n')
        for name, message in ('table', 'table: no lines such as'), ('nothing', 'nothing: cannot open: No such file'):
            done = aprof('-S', name, APROF, 'gmon.out', cwd=self.cwd)
            self.assertEqual((done.returncode, done.stderr.count('\n')), (2, 1), done.stderr)
            self.assertIn(message, done.stderr)

    def test_response_files(self):
        (pathlib.Path(self.cwd) / 'words').write_text('-p  "--bri"ef\t@more @nothing')
        (pathlib.Path(self.cwd) / 'more').write_text("\n'amon.out' ")
        (pathlib.Path(self.cwd) / '@nothing').symlink_to('amon.out')
        done = aprof('report', '@words', cwd=self.cwd)
        plain = aprof('report', '-p', '--brief', 'amon.out', '@nothing', cwd=self.cwd)
        self.assertEqual((done.returncode, done.stdout), (0, plain.stdout), done.stderr)
        (pathlib.Path(self.cwd) / 'words').write_text('-b @words')
        done = aprof('report', '@words', cwd=self.cwd)
        self.assertEqual((done.returncode, done.stderr), (2, 'aprof: more than 2000 response files: they name each other\n'))

    def test_merge_doubles(self):
        self.assertEqual(aprof('merge', '-o', 'twice', 'amon.out', 'amon.out', cwd=self.cwd).returncode, 0)
        once, twice, sums = (self.json('report', name) for name in ('amon.out', 'twice', 'amon.out'))
        calls = {row['name']: row['calls'] for row in once['flat']}
        self.assertEqual({row['name']: row['calls'] for row in twice['flat']}, {n: 2 * c for n, c in calls.items()})
        self.assertEqual(twice['run']['times']['raw_ns'], 2 * once['run']['times']['raw_ns'])
        self.assertEqual(aprof('-s', 'amon.out', 'amon.out', cwd=self.cwd).stdout, '')
        self.assertEqual(self.json('report', 'amon.sum')['flat'], twice['flat'])

    def test_threads_add_up(self):
        whole = sum(c['entries'] + c['recursive'] for c in self.json('contexts')['contexts'])
        parts = [sum(c['entries'] + c['recursive'] for c in self.json('contexts', f'--thread={i}')['contexts']) for i in range(3)]
        self.assertEqual(sum(parts), whole)
        self.assertTrue(all(parts))

    @here.long
    def test_every_json_member_is_documented(self):
        text = (ROOT / 'doc' / 'json.md').read_text()

        def members(value):
            if isinstance(value, dict):
                for key, inner in value.items():
                    yield key
                    yield from members(inner)
            elif isinstance(value, list):
                for inner in value:
                    yield from members(inner)
        for command in ['report', '--leaves'], ['tree'], ['cycles'], ['contexts'], ['paths'], ['compare-models'], ['hot'], ['info']:
            for member in set(members(self.json(*command))):
                self.assertRegex(text, rf'`{member}(\[\])?`')

    def test_colour_on_a_terminal_only(self):
        self.assertNotIn('\x1b', aprof('report', cwd=self.cwd).stdout)
        self.assertIn('\x1b[', aprof('report', '--color=always', cwd=self.cwd).stdout)
        self.assertIn('\x1b[', on_terminal(self, 80))
        self.assertNotIn('\x1b', on_terminal(self, 80, NO_COLOR='1'))

    def test_narrow_terminal(self):
        head = on_terminal(self, 44, NO_COLOR='1').split('Flat profile')[0]
        self.assertIn('clock', head)
        self.assertLessEqual(max(len(line) for line in head.splitlines()), 44)


class Trouble(unittest.TestCase):
    """Whatever goes wrong: valid JSON or nothing on standard output, status 2, one line that says why."""

    VIEWS = ['report', 'hot', 'tree', 'cycles', 'paths', 'compare-models', 'contexts', 'info', 'annotate', 'annotate P']

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.cwd = pathlib.Path(self.folder.name)
        self.make('--paper', '3', 'amon.out')
        whole = (self.cwd / 'amon.out').read_bytes()
        for size in 3000, 4096, 6000, len(whole) - 100:
            (self.cwd / f'cut{size}').write_bytes(whole[:size])
        (self.cwd / 'corrupt').write_bytes(whole[:4096] + b'\xff' * (len(whole) - 4096))
        (self.cwd / 'short').write_bytes(whole[:20])
        (self.cwd / 'empty').touch()
        (self.cwd / 'text').write_text('mine\n')
        (self.cwd / 'gmon').write_bytes(b'gmon\1' + bytes(15))

    def make(self, *arguments):
        subprocess.run([BUILD / 'src/contract' / 'make-amon', *arguments], cwd=self.cwd, check=True)

    def attempts(self):
        """Each command on each file, and with each option that finds nothing."""
        files = sorted(path.name for path in self.cwd.iterdir()) + ['missing', '.']
        nothing = ['--focus=nobody', '--thread=99', '--phase=none', '--time-range=0..1', '--only=nobody', '--sort=none', '--depth=-1']
        for view in self.VIEWS:
            some = files if view == 'report' else ['cut4096', 'cut6000', 'corrupt', 'missing']
            yield from (view.split() + (['P'] if view == 'annotate' else []) + [file] for file in some)
            yield from (view.split() + [option] for option in nothing)
        for file in files:
            yield from (['diff', 'amon.out', file], ['diff', file, 'amon.out'], ['check', 'amon.out', '--against', file])
        yield from (['diff', 'amon.out', 'amon.out', option] for option in nothing)
        yield from (['check', 'amon.out', '--against', 'amon.out', option] for option in nothing + ['--max-regress=x'])

    def valid(self, done):
        """What is on standard output, whatever the status."""
        if done.stdout:
            json.loads(done.stdout)
        self.assertIn(done.returncode, (0, 2))
        cut = 'so it is not the whole profile; its whole part is ' in done.stderr
        self.assertTrue(cut or (done.returncode == 0) == bool(done.stdout), done.stderr)
        if done.returncode:
            reasons = [line for line in done.stderr.splitlines() if not re.match('aprof: (warning|note|try)', line)]
            if cut and len(reasons) > 1:            # why it is shown in no part either
                reasons = [line for line in reasons if 'its whole part is ' not in line]
            self.assertEqual(len(reasons), 1, done.stderr)
            self.assertTrue(reasons[0].startswith('aprof: '))

    @here.long
    def test_json_is_valid_or_not_there(self):
        for words in self.attempts():
            with self.subTest(' '.join(words)):
                self.valid(aprof(*words, '--json', cwd=self.cwd))
        for file in sorted(path.name for path in self.cwd.iterdir()) + ['missing', '.']:
            with self.subTest('export ' + file):
                self.valid(aprof('export', 'json', file, cwd=self.cwd))

    def test_unknown_routine(self):
        done = aprof('annotate', '--json', 'nobody', cwd=self.cwd)
        self.assertEqual((done.returncode, done.stdout), (2, ''))
        self.assertIn('nobody: no routine and no source file', done.stderr)

    def test_nowhere_to_write(self):
        """A full disk, a closed output, a limit on the size of files: status 2 and a line, no signal; and no half of a file."""
        views = [[*view.split(), *json_too] for view in self.VIEWS[:-2] for json_too in ([], ['--json'])]
        views += [['diff', 'amon.out', 'amon.out'], ['check', 'amon.out', '--against', 'amon.out'], ['export', 'json'], ['export', 'pprof']]
        for words in views:
            for where in '>/dev/full', '>&-', '>limited':
                with self.subTest(' '.join(words) + where):
                    limit = 'ulimit -f 0; ' if where == '>limited' else ''
                    done = subprocess.run(['sh', '-c', f'{limit}exec "$@" {where}', 'sh', APROF, *words], cwd=self.cwd, stderr=subprocess.PIPE, text=True)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn('aprof: cannot write', done.stderr)
        for words in ['report', '-s'], ['merge', '-o', 'new', 'amon.out'], ['export', '-o', 'new', 'json'], ['html', '-o', 'new']:
            before = sorted(os.listdir(self.cwd))
            done = subprocess.run(['sh', '-c', 'ulimit -f 1; exec "$@"', 'sh', APROF, *words], cwd=self.cwd, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout, sorted(os.listdir(self.cwd))), (2, '', before), done.stderr)

    def test_names_that_nobody_gave(self):
        """Somebody else's file stays; by a name that was given it goes."""
        for name, words in ('amon.sum', ['report', '-s']), ('amon.html', ['html']), ('gmon.sum', ['-s', str(APROF), 'gmon']):
            with self.subTest(name):
                (self.cwd / name).write_text('mine\n')
                done = aprof(*words, cwd=self.cwd)
                self.assertEqual((done.returncode, done.stdout, (self.cwd / name).read_text()), (2, '', 'mine\n'), done.stderr)
                self.assertRegex(done.stderr, rf'^aprof: {name}: a file of somebody else.s, which is not replaced; [^\n]*\n$')
                (self.cwd / name).write_text('')
                for again in range(2):
                    done = aprof(*words, cwd=self.cwd)
                    self.assertTrue(done.returncode == 0 or 'without the page' in done.stderr, done.stderr)
        self.assertEqual(aprof('merge', '-o', 'text', 'amon.out', cwd=self.cwd).returncode, 0)
        self.assertEqual((self.cwd / 'text').read_bytes()[:8], b'amon.out')


class Real(unittest.TestCase):
    """On a program built by aprof-cc."""

    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.home.name)
        (folder / 'prog.c').write_text(PROGRAM)
        cls.program = folder / 'prog'
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-g', '-o', cls.program, folder / 'prog.c'], check=True)
        subprocess.run(['cc', '-O1', '-o', folder / 'plain', folder / 'prog.c'], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.cwd = self.folder.name

    def rows(self, *arguments):
        done = aprof(*arguments, '--json', cwd=self.cwd)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def entry(self, report, name):
        return next(entry for entry in report['callgraph'] if entry['name'] == name)

    def test_verify(self):
        """Stacks fit their contexts; where the plugin loses the exits before tail calls, as it once did, they do not: it is named where, and the
        status says so."""
        (pathlib.Path(self.cwd) / 'verify.c').write_text(r'''
            static volatile double sink;
            __attribute__((noinline)) void work(double x) { for (long i = 0; i < 100000; i++) sink += x; }
            __attribute__((noinline)) void length(unsigned long n) { work((double)n); }
            __attribute__((noinline)) void burn(void) { for (long i = 0; i < 100000; i++) sink += 1; }
            int main(void) { for (int i = 0; i < 500; i++) { length(i); burn(); } return 3; }''')
        plugin = list((BUILD / 'src/compile' / 'gcc').glob(f'aprof_gcc{here.major()}.so'))        # there may be those of other GCCs
        build = [BUILD / 'aprof-cc', '--aprof-way=inline', '-O2', '-o', 'verify', 'verify.c']
        built = subprocess.run(build, cwd=self.cwd, capture_output=True, text=True)
        if built.returncode or not plugin:
            self.skipTest(built.stderr)
        done = aprof('run', '--verify', '--json', './verify', cwd=self.cwd)
        self.assertEqual(done.returncode, 3, done.stderr)
        if json.loads(done.stdout)['run']['counts']['pc_samples'] == 0:
            self.skipTest('no program counters here')
        self.assertRegex(done.stderr, r'(?m)^aprof: \d+ stacks checked, 0 differ; \d+ could not be read, \d+\.\d %$')
        self.assertEqual(json.loads(done.stdout)['run']['stacks']['differ'], 0)
        stacks = json.loads(done.stdout)['run']['stacks']
        self.assertEqual('aprof: times by looks and by interrupts' in done.stderr, stacks['times_compared'] > 0, done.stderr)
        with open(os.path.join(self.cwd, 'unread.c'), 'w') as out:         # most of it in code without a description of its frames
            out.write('''
                __asm__("spin: push %rbx\\n push %rbp\\n1: dec %rdi\\n jnz 1b\\n pop %rbp\\n pop %rbx\\n ret");
                void spin(long n);
                __attribute__((noinline)) void work(void) { spin(800000); }
                int main(void) { for (int i = 0; i < 500; i++) work(); return 3; }''')
        subprocess.run([BUILD / 'aprof-cc', '--aprof-way=inline', '-O2', '-o', 'unread', 'unread.c'], cwd=self.cwd, check=True)
        done = aprof('run', '--verify', '--json', './unread', cwd=self.cwd)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r'(?m)^aprof: --verify: more than a tenth of the stacks could not be read')
        self.assertGreater(json.loads(done.stdout)['run']['stacks']['not_readable'], 0)
        subprocess.run([BUILD / 'aprof-cc', '-xc', '-o', 'short', '-'], input=b'int main(void) { return 3; }', cwd=self.cwd, check=True)
        done = aprof('run', '--verify', './short', cwd=self.cwd)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn('no stack was checked', done.stderr)
        subprocess.run(build + ['--aprof-verify=report', f'-fplugin-arg-{plugin[0].stem}-test=lose-exits'], cwd=self.cwd, check=True,
                       capture_output=True)
        done = aprof('run', '--report', '--verify', './verify', cwd=self.cwd)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertNotIn(' 0 differ', done.stderr)
        self.assertRegex(re.sub(r'\s+', ' ', done.stdout), 'in burn: the machine was in a context of burn; the stack parts from it with burn')

    def test_the_dear_caller_pays(self):
        aprof('run', '--no-report', self.program, cwd=self.cwd)
        work = self.entry(self.rows('report'), 'work')
        paid = {p['name']: p['self_ns'] for p in work['parents']}
        self.assertEqual(work['calls'], 200)
        self.assertGreater(paid['dear'], 0.9 * sum(paid.values()))

    @here.long
    def test_head_of_a_focus(self):
        """What the head says of the contexts kept is of them alone: their calls, their hooks, and their time as a share of the run's."""
        (pathlib.Path(self.cwd) / 'halves.c').write_text('''
            static volatile long sink;
            __attribute__((noinline)) void tiny(long n) { sink ^= n; }
            __attribute__((noinline)) void called(void) { for (long i = 0; i < 100000000; i++) tiny(i); }
            __attribute__((noinline)) void burn(void) { for (long i = 0; i < 30000000; i++) sink += i; }
            int main(void) { called(); burn(); return 0; }
        ''')
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-o', 'halves', 'halves.c'], cwd=self.cwd, check=True)
        aprof('run', '--no-report', './halves', cwd=self.cwd)
        whole = self.rows('report')['run']['times']
        part = self.rows('report', '--focus=burn')['run']['times']
        # burn enters no hook but its own, once: what it has of their cost is an error of samples, a part of its time, which is short.
        self.assertLess(part['hooks_ns'], max(whole['hooks_ns'], 1) / 2)
        head = aprof('report', '--focus=burn', cwd=self.cwd).stdout
        time, = re.findall(r'(?m)^time +([0-9.]+ \w+)', head)
        share, run = re.search(r"(?m)^focus +([0-9.]+) % of the run's ([0-9.]+ \w+);", head).groups()
        self.assertAlmostEqual(100 * seconds(time) / seconds(run), float(share), delta=1)         # all are rounded as they are printed
        self.assertRegex(head, r'(?m)^calls +1 in 1 context$')
        self.assertRegex(aprof('report', '--focus=called', cwd=self.cwd).stdout, r'(?m)^calls +100,000,001 in 2 contexts$')
        self.assertRegex(aprof('report', '--thread=0', cwd=self.cwd).stdout, r'(?m)^calls +100,000,003 in 4 contexts$')

    @here.long
    def test_gprof_shares_what_the_dear_caller_spent(self):
        """A routine with a cheap caller and a dear one, with a third of its work, under aprof and under gprof: over 99 % here, 50 there."""
        source = pathlib.Path(self.cwd) / 'average.c'
        source.write_text((ROOT / 'doc/examples/average.c').read_text().replace('work(1000000)', 'work(300000)'))
        here = {'cwd': self.cwd, 'check': True, 'capture_output': True, 'text': True}
        subprocess.run([BUILD / 'aprof-cc', '-O2', '-o', 'ours', source], **here)
        aprof('run', '--no-report', './ours', cwd=self.cwd)
        work = self.entry(self.rows('report', 'ours'), 'work')
        paid = {parent['name']: parent['self_ns'] for parent in work['parents']}
        self.assertGreater(paid['dear'], 0.9 * sum(paid.values()))
        subprocess.run(['gcc', '-pg', '-O2', '-o', 'theirs', source], **here)
        subprocess.run(['./theirs'], **here)
        graph = subprocess.run(['gprof', '-bq', 'theirs', 'gmon.out'], **here).stdout
        shares = {name: float(seconds) for seconds, name in re.findall(r'^ +([0-9.]+) +[0-9.]+ +1000/2000 +(cheap|dear) \[', graph, re.M)}
        self.assertEqual(shares.keys(), {'cheap', 'dear'})
        self.assertGreater(shares['dear'], 0)
        self.assertAlmostEqual(shares['cheap'], shares['dear'])

    def test_static_calls_that_were_not_made(self):
        aprof('run', '--no-report', self.program, 'quick', cwd=self.cwd)
        plain, more = (self.entry(self.rows('report', *option), 'main') for option in ([], ['-c']))
        arcs = {child['name']: (child['calls'], child['index']) for child in more['children']}
        self.assertEqual({name for name in arcs} - {child['name'] for child in plain['children']}, {'dear', 'unused'})
        self.assertEqual(arcs['unused'], (0, None))
        self.assertEqual(more['self_ns'], plain['self_ns'])
        for model in 'history', 'gprof', 'cct':
            text = aprof('-bcq', '--model', model, self.program, cwd=self.cwd).stdout
            self.assertRegex(text, r'\n +0 +0 +0/0 +unused\n')
            self.assertRegex(text, r'\n +0 +0 +0/100 +dear\n')

    def test_direct_recursion_is_no_transition(self):
        """A1 of the paper: of ten calls two make a transition, to main and to f, and eight find theirs, or stay where they are."""
        source = pathlib.Path(self.cwd) / 'deep.c'
        source.write_text('''
            __attribute__((noinline, noclone)) int f(int n) { volatile int k = n; return k <= 0 ? 0 : f(k - 1) + k; }
            int main(void) { return f(8) != 36; }
        ''')
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-o', 'deep', 'deep.c'], cwd=self.cwd, check=True)
        subprocess.run(['./deep'], cwd=self.cwd, check=True)
        self.assertRegex(aprof('info', 'deep', cwd=self.cwd).stdout,
                         r'(?m)^counts +10 calls, 2 contexts, 2 transitions; 80\.00 % of calls took one that\s+was there \(step B1\)$')
        run = self.rows('report', 'deep')['run']
        self.assertEqual([run['counts'][key] for key in ('calls', 'transitions', 'transition_hits')], [10, 2, 8])
        self.assertEqual(run['files'][0]['transitions'], 2)

    def test_entries_of_what_was_never_called(self):
        """As gprof -c -z has them: each with the calls to and from it that stand in the code."""
        source = pathlib.Path(self.cwd) / 'never.c'
        source.write_text('''
            __attribute__((noinline)) int leaf(int n) { volatile int s = n; return s; }
            __attribute__((noinline)) int used(int n) { return leaf(n) + 1; }
            __attribute__((noinline)) int never(int n) { return used(n) + leaf(n); }
            __attribute__((noinline)) int first(int n) { return never(n) + 1; }
            __attribute__((noinline)) int lonely(int n) { return n + 1; }
            int main(int argc, char **argv) { (void)argv; return used(0) + used(1) + (argc > 1 ? first(argc) : 0) - 3; }
        ''')
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-o', 'never', 'never.c'], cwd=self.cwd, check=True)
        subprocess.run(['./never'], cwd=self.cwd, check=True)
        expected = {
            'main': ([], ['first 0', 'used 2']), 'used': (['main 2', 'never 0'], ['leaf 2']), 'leaf': (['never 0', 'used 2'], []),
            'first': (['main 0'], ['never 0']), 'never': (['first 0'], ['leaf 0', 'used 0']), 'lonely': ([], [])}
        for model in 'history', 'gprof', 'cct':
            graph = self.rows('report', '-c', '-z', '--model', model, 'never')['callgraph']
            found = {entry['name']: [sorted(f'{arc["name"]} {arc["calls"]}' for arc in entry[side] if arc['name']) for side in ('parents', 'children')]
                     for entry in graph}
            self.assertEqual(found, {name: list(sides) for name, sides in expected.items()})
            numbers = {entry['name']: entry['index'] for entry in graph}
            self.assertEqual(sorted(numbers.values()), list(range(1, 7)))
            for entry in graph:
                self.assertEqual([numbers[arc['name']] for arc in entry['children']], [arc['index'] for arc in entry['children']])
        text = aprof('report', '-bczq', '-ffirst', 'never', cwd=self.cwd).stdout
        self.assertEqual(set(re.findall(r'(?m)^\[\d+\].* (\w+) \[', text)), {'used', 'leaf', 'first', 'never'})
        self.assertRegex(aprof('report', '-bczq', 'never', cwd=self.cwd).stdout, r'\n +<spontaneous>\n\[\d\] +0\.0 +0 +0 +0 +lonely \[\d\]\n---')
        self.assertNotIn('lonely', str(self.rows('report', '-c', 'never')['callgraph']))
        self.assertNotIn('lonely', str(self.rows('report', '-z', 'never')['callgraph']))

    @here.long
    def test_leaves_split_the_whole_self_time(self):
        """A routine that does nothing but fill memory: libc has its time, at whatever rate program counters are taken."""
        pathlib.Path(self.cwd, 'fill.c').write_text(r'''
            #include <string.h>
            static char room[1 << 20];
            int main(void) { for (int i = 0; i < 10000; i++) { memset(room, i, sizeof room); __asm__ volatile("" ::: "memory"); } }
        ''')
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-o', 'fill', 'fill.c'], cwd=self.cwd, check=True)
        aprof('run', '--no-report', './fill', cwd=self.cwd)
        row = next(row for row in self.rows('report', '--leaves', 'fill')['flat'] if row['name'] == 'main')
        if not row['parts']:
            self.skipTest('no program counters here')
        shares = sum(leaf['self_ns'] for leaf in row['parts'])
        self.assertGreater(shares, 0.9 * row['self_ns'])
        self.assertLessEqual(shares, row['self_ns'])

    @here.long
    def test_leaves_know_the_hooks(self):
        """Samples in hooks that way inline put into the routines are no samples of the routines' own code."""
        pathlib.Path(self.cwd, 'calls.c').write_text(r'''
            static volatile long n;
            __attribute__((noinline)) static void leaf(void) { n++; }
            int main(void) { for (int i = 0; i < 150000000; i++) leaf(); }
        ''')
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-o', 'calls', 'calls.c'], cwd=self.cwd, check=True)
        aprof('run', '--no-report', './calls', cwd=self.cwd)
        for option, rate in ([], 0), (['--raw'], 1):
            whole = json.loads(aprof('report', '--json', '--leaves', *option, 'calls', cwd=self.cwd).stdout)
            parts = [part for row in whole['flat'] for part in row['parts'] if part['name'] == '(hooks)']
            samples = whole['run']['clock']['hook_samples']
            if not samples:
                self.skipTest('no program counters here')
            self.assertEqual(sum(part['ticks'] for part in parts), rate * samples)

    @here.long
    def test_own_monitor_below_a_launcher(self):
        """What starts a program of ours has the monitor of way mcount preloaded, and so has the program, beside its own."""
        (pathlib.Path(self.cwd) / 'launched.c').write_text(r'''
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <sched.h>
            #include <signal.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <sys/mman.h>
            #include <sys/wait.h>
            #include <ucontext.h>
            #include <unistd.h>
            __attribute__((noinline)) int work(int n) { __asm__ volatile(""); return n; }
            int main(void)
            {
                struct sigaction act = { .sa_handler = SIG_IGN };
                static ucontext_t here, there;
                volatile int turns = 0;
                pid_t child;

                signal(SIGPIPE, SIG_IGN);
                sigaction(SIGUSR1, &act, NULL);
                getcontext(&there);
                if (turns++ == 0)
                    swapcontext(&here, &there);
                if ((child = vfork()) == 0)
                    _exit(0);
                waitpid(child, NULL, 0);
                printf("%d %d %d %d %d\n", turns, mlockall(0), unshare(0), setns(-1, 0), dlclose(dlopen(NULL, RTLD_NOW)));
                exit(work(3));
            }
        ''')
        for way in 'inline', 'fentry', 'cyg':
            built = subprocess.run([BUILD / 'aprof-cc', f'--aprof-way={way}', '-O1', '-o', 'launched', 'launched.c', '-ldl'],
                                   cwd=self.cwd, capture_output=True, text=True)
            if f'no method {way}' in built.stderr:
                continue
            self.assertEqual(built.returncode, 0, built.stderr)
            alone = subprocess.run(['./launched'], cwd=self.cwd, capture_output=True, text=True)
            done = aprof('run', '--no-report', 'sh', '-c', './launched; echo $?', cwd=self.cwd)
            self.assertEqual(done.stdout, f'{alone.stdout}3\n', way)
            self.assertEqual(self.entry(self.rows('report', 'launched', 'amon.out'), 'work')['calls'], 1)

    @here.long
    def test_the_kernel_has_its_part(self):
        """Program counters are of user mode: what a routine spends in system calls is not that of the few instructions around them."""
        (pathlib.Path(self.cwd) / 'asks.c').write_text('''
            #include <fcntl.h>
            #include <signal.h>
            #include <time.h>
            #include <unistd.h>
            static char buffer[1 << 20];
            static volatile long sink;
            static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }
            __attribute__((noinline)) void asks(int fd) { while (seconds() < 0.4) for (int i = 0; i < 20; i++) sink += read(fd, buffer, sizeof buffer); }
            __attribute__((noinline)) void thinks(void) { while (seconds() < 0.8) for (long i = 0; i < 1000000; i++) sink += i; }
            int main(int argc, char **argv)
            {
                (void)argv;
                asks(open("/dev/zero", O_RDONLY));
                thinks();
                return argc > 1 ? raise(SIGKILL) : 0;
            }
        ''')
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-g', '-o', 'asks', 'asks.c'], cwd=self.cwd, check=True)
        for _ in range(6):
            aprof('run', '--no-report', './asks', cwd=self.cwd)
            whole = self.rows('report', '--leaves', '--lines', 'asks')
            if whole['run']['counts']['pc_samples'] < 50:
                self.skipTest('no program counters here')
            rows = {row['name']: row for row in whole['flat']}
            kernel = {name: sum(part['self_ns'] for part in rows[name]['parts'] if part['place'] == '[kernel]') / rows[name]['self_ns']
                      for name in ('asks', 'thinks')}
            if kernel['asks'] > 0.7 or any(kernel.values()) and os.getloadavg()[0] <= os.cpu_count():
                break               # nothing, or not all, is said where samples are lacking, as on a busy machine
        if not any(kernel.values()) and os.getloadavg()[0] > os.cpu_count():
            self.skipTest('samples were lacking six times over on this busy machine')
        self.assertGreater(kernel['asks'], 0.7)
        self.assertLess(kernel['thinks'], 0.3)
        for row in rows.values():
            self.assertLessEqual(sum(part['self_ns'] for part in row['parts']), row['self_ns'])
        self.assertRegex(aprof('report', cwd=self.cwd).stdout, r';\s+\d+\s+%\s+in\s+the\s+kernel')
        self.assertRegex(aprof('hot', cwd=self.cwd).stdout, r'\(system calls, page faults\) +\[kernel\] +asks')
        self.assertRegex(aprof('annotate', 'asks', cwd=self.cwd).stdout, r'\[kernel\]')
        killed = aprof('run', '-b', '-p', './asks', 'kill', cwd=self.cwd).stdout
        self.assertRegex(killed, r';\s+\d+\s+%\s+in\s+the\s+kernel')

    def test_report_after_run(self):
        done = aprof('run', '-b', self.program, 'quick', '3', cwd=self.cwd)
        self.assertEqual(done.returncode, 3)
        self.assertIn('Flat profile', done.stdout)
        self.assertRegex(done.stdout, r'Routines never called: 2\n\n    dear  \(prog.c:\d+\)\n    unused  \(prog.c:\d+\)\n')
        self.assertNotIn('do not record which of their functions', done.stdout)
        again = aprof('-b', self.program, cwd=self.cwd)
        self.assertEqual(again.stdout, done.stdout)

    def test_code_that_reads_the_counter(self):
        (pathlib.Path(self.cwd) / 'reads.c').write_text('''
            __attribute__((noipa)) int leaf(int x) { return x + 1; }
            __attribute__((noipa)) int never(int x) { return leaf(x); }
            int plain(int x);
            int main(int argc, char **argv) { (void)argv; return argc == 9 ? never(1) : plain(leaf(0)) != 3; }
        ''')
        (pathlib.Path(self.cwd) / 'plain.c').write_text('int leaf(int); int plain(int x) { return leaf(x) + 1; }')
        for words in (['-c', 'plain.c'], ['--aprof-clock=tsc', '-o', 'reads', 'reads.c', 'plain.o']):
            built = subprocess.run([BUILD / 'aprof-cc', '--aprof-way=inline', '-O1', *words], cwd=self.cwd, capture_output=True, text=True)
            if 'no method inline' in built.stderr:
                self.skipTest('aprof was built without its plugin')
            self.assertEqual(built.returncode, 0, built.stderr)
        done = aprof('run', '--report', './reads', cwd=self.cwd)
        self.assertRegex(done.stdout, r'clock +tsc: elapsed time, by the cycle counter')
        self.assertRegex(done.stdout, r'warning +1 x a call, by inline hooks, of a routine that does not read the\s+cycle\s+counter')
        self.assertRegex(done.stdout, r'Routines never called: 2\s+never\s+plain')
        done = aprof('run', '--report', '--clock=tick', './reads', cwd=self.cwd)
        self.assertRegex(done.stdout, r'clock +tick: CPU time')
        self.assertRegex(done.stdout, r'\n[^\n]* 1 [^\n]*plain')

    def test_routines_left_out(self):
        source = pathlib.Path(self.cwd) / 'left.c'
        source.write_text('''
            __attribute__((noinline)) int leaf(int x) { return x + 1; }
            __attribute__((noinline)) int named(int x) { return leaf(x) + leaf(x + 1); }
            int main(void) { return named(1) == 5 ? 0 : 1; }
        ''')
        built = subprocess.run([BUILD / 'aprof-cc', '--aprof-way=inline', '--aprof-leaf=5', '--aprof-except=named', '-O1', '-o', 'left',
                                'left.c'], cwd=self.cwd, capture_output=True, text=True)
        if 'no method inline' in built.stderr:
            self.skipTest('aprof was built without its plugin')
        done = aprof('run', '--report', './left', cwd=self.cwd)
        self.assertRegex(' '.join(done.stdout.split()), r'no hooks 1 by name \(--aprof-only, --aprof-except\), 1 as small leaf routines \(--aprof-leaf\)')
        self.assertRegex(aprof('info', cwd=self.cwd).stdout, r'\nNo hooks, by name \(--aprof-only, --aprof-except\): 1\n\n  named\n'
                         r'\nNo hooks, as small leaf routines \(--aprof-leaf\): 1\n\n  leaf\n')
        subprocess.run(['./left'], cwd=self.cwd, env=dict(os.environ, APROF_CLOCK='tsc'))
        self.assertRegex(aprof('report', cwd=self.cwd).stdout, r'another clock was asked for: tsc needs\s+code that reads the counter')
        self.assertEqual(json.loads(aprof('report', '--json', cwd=self.cwd).stdout)['run']['left_out'],
                         [{'name': 'named', 'why': 'name'}, {'name': 'leaf', 'why': 'leaf'}])

    @here.long
    def test_time_of_what_was_left_out(self):
        """Whoever chose what has hooks is not told to compile all of it; seconds and shares are of the same time."""
        pathlib.Path(self.cwd, 'only.c').write_text('''
            static volatile long sink;
            __attribute__((noinline)) void burn(long n) { while (n-- > 0) sink += n; }
            int main(void) { burn(200000000); return 0; }
        ''')
        for option, told in ('--aprof-only=main', ': its functions without hooks, as was chosen'), ('--aprof-except=burn', 'as was chosen'):
            subprocess.run([BUILD / 'aprof-cc', option, '-O1', '-o', 'only', 'only.c'], cwd=self.cwd, check=True)
            aprof('run', '--no-report', './only', cwd=self.cwd)
            if self.rows('report')['run']['counts']['pc_samples'] < 20:
                self.skipTest('no program counters were sampled')
            info = ' '.join(aprof('info', cwd=self.cwd).stdout.split())
            self.assertIn(told, info)
            self.assertNotIn('compile all of it', info)
            head = aprof('report', cwd=self.cwd).stdout
            self.assertNotIn('compile all of it', head)
            whole = seconds(re.search(r'(?m)^time +([0-9.]+ \w+)', head)[1])
            time, share, only = re.search(r'(?m)^no hooks +([0-9.]+ \w+) \(([0-9.]+) %\), charged to callers: only ([0-9.]+) %', head).groups()
            self.assertAlmostEqual(100 * seconds(time) / whole, float(share), delta=1)     # all are rounded as they are printed
            self.assertGreater(float(only), 80)

    @here.long
    def test_whole_files_left_out(self):
        """Files that were left out are told by every way of GCC's, in programs and in libraries that have no hooks at all."""
        write = pathlib.Path(self.cwd)
        (write / 'burn.c').write_text('static volatile long sink; void burn(long n) { while (n-- > 0) sink += n; }')
        (write / 'only.c').write_text('void burn(long); int main(void) { burn(100000000); return 0; }')
        for way in 'inline', 'fentry', 'cyg':
            for shared in False, True:
                cc = [BUILD / 'aprof-cc', f'--aprof-way={way}', '--aprof-only=only.c', '-O1']
                part = ['-fPIC', '-shared', '-o', 'libburn.so'] if shared else ['-c', '-o', 'burn.o']
                built = subprocess.run(cc + part + ['burn.c'], cwd=self.cwd, capture_output=True, text=True)
                if 'no method' in built.stderr or 'without its GCC plugin' in built.stderr:
                    break
                self.assertEqual(built.returncode, 0, built.stderr)
                subprocess.run(cc + ['-o', 'only', 'only.c', './libburn.so' if shared else 'burn.o'], cwd=self.cwd, check=True)
                aprof('run', '--no-report', './only', cwd=self.cwd)
                if self.rows('report')['run']['counts']['pc_samples'] < 20:
                    self.skipTest('no program counters were sampled')
                self.assertEqual(self.rows('report')['run']['left_out'], [{'name': 'burn', 'why': 'file'}], way)
                info = ' '.join(aprof('info', cwd=self.cwd).stdout.split())
                self.assertIn('its functions without hooks, as was chosen', info)
                self.assertNotIn('aprof-cc', info)

    def test_names_as_linked(self):
        source = pathlib.Path(self.cwd) / 'names.cc'
        source.write_text('''
            namespace shop {
            __attribute__((noinline)) static int sum(int n, int step) { int s = 0; while (n-- > 0) s += step; return s; }
            __attribute__((noinline)) int buy(int n) { return sum(n, 7) - sum(2 * n, 7); }
            __attribute__((noinline)) int never(int n) { return n; }
            }
            extern "C" __attribute__((noinline)) int plain(int n) { return shop::buy(n) + 1; }
            int main(int argc, char **argv) { return argc > 5 ? shop::never(argc) : plain(1) == -6 ? 0 : 1; }
        ''')
        subprocess.run([BUILD / 'aprof-c++', '--aprof-way=fentry', '-O2', '-o', 'names', 'names.cc'], cwd=self.cwd, check=True)
        self.assertIn('_ZN4shopL3sumEii.constprop.0', subprocess.run(['nm', 'names'], cwd=self.cwd, capture_output=True, text=True).stdout)
        subprocess.run(['./names'], cwd=self.cwd, check=True)

        def names(*options):
            done = aprof('report', '--json', *options, cwd=self.cwd)
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            report = json.loads(done.stdout)
            return sorted(entry['name'] for entry in report['callgraph']), [entry['name'] for entry in report['never']]

        self.assertEqual(names(), (['main', 'plain', 'shop::buy(int)', 'shop::sum(int, int)'], ['shop::never(int)']))
        self.assertEqual(names('--no-demangle', '--demangle'), names())
        self.assertEqual(names('--no-demangle'), (['_ZN4shop3buyEi', '_ZN4shopL3sumEii', 'main', 'plain'], ['_ZN4shop5neverEi']))
        self.assertIn('_ZN4shopL3sumEii', names('--no-demangle', '--focus=_ZN4shopL.*')[0])
        done = aprof('report', '--no-demangle', '--focus', r'shop::buy\(int\)', cwd=self.cwd)
        self.assertIn('no routine and no source file of the profile is called so', done.stderr)
        flat = aprof('report', '-b', '--no-demangle', '-p_ZN4shop3buyEi', cwd=self.cwd).stdout
        self.assertRegex(flat, r'(?m) 1 .* _ZN4shop3buyEi$')
        self.assertNotIn('sum', flat)

    @here.long
    def test_names_as_typed(self):
        """One word means the same to every command that takes a routine's name."""
        source = pathlib.Path(self.cwd) / 'typed.cc'
        source.write_text('''
            namespace shop {
            struct Till { __attribute__((noinline)) int Add(int n) { volatile int s = 0; while (n-- > 0) s = s + n; return s; } };
            struct Stock { __attribute__((noinline)) int Add(int n) { return Till().Add(n) + 1; } };
            }
            int main() { return shop::Stock().Add(3000) == 0; }
        ''')
        subprocess.run([BUILD / 'aprof-c++', '-g', '-O1', '-o', 'typed', 'typed.cc'], cwd=self.cwd, check=True)
        subprocess.run(['./typed'], cwd=self.cwd, check=True)
        commands = [['report', '-b', '-p{}'], ['report', '-b', '-f{}'], ['report', '-b', '-k{}/Till::Add'], ['tree', '-b', '--focus={}'],
                    ['cycles', '--focus={}'], ['compare-models', '--only={}'], ['annotate', '{}'], ['export', '--focus={}', 'json']]
        for command in commands:
            def ask(word):
                return aprof(*(part.format(word) for part in command), cwd=self.cwd)
            with self.subTest(command):
                whole = ask('shop::Stock::Add(int)')
                self.assertEqual((whole.returncode, whole.stderr), (0, ''))
                for word in 'shop::Stock::Add', 'Stock::Add', 'Stock', 'stock', '_ZN4shop5Stock3AddEi', 'typed.cc:Stock::Add':
                    self.assertEqual(ask(word).stdout, whole.stdout, word)
                done = ask('Add')
                self.assertEqual((done.returncode, done.stdout), (2, ''))
                self.assertRegex(done.stderr, r'^aprof: .*Add: 2 names have that in them;.*\n(aprof:   shop::(Till|Stock)::Add\n){2}$')
                done = ask('Sold')
                self.assertEqual((done.returncode, done.stdout, done.stderr.count('\n')), (2, '', 1))

    def test_hot_names_what_annotate_takes(self):
        source = pathlib.Path(self.cwd) / 'twins.cc'
        source.write_text('''
            namespace company { namespace product { namespace storage { namespace detail {
            struct Table { __attribute__((noinline)) int Work(int n) { volatile int s = 0; while (n-- > 0) s = s + n; return s; } };
            struct Other { __attribute__((noinline)) int Work(int n) { return n + 1; } };
            } } } }
            int main() { using namespace company::product::storage::detail; return Table().Work(100000000) + Other().Work(1) == 3; }
        ''')
        subprocess.run([BUILD / 'aprof-c++', '-g', '-O1', '-o', 'twins-that-have-a-long-name', 'twins.cc'], cwd=self.cwd, check=True)
        subprocess.run(['./twins-that-have-a-long-name'], cwd=self.cwd, check=True)
        said = aprof('hot', 'twins-that-have-a-long-name', cwd=self.cwd).stdout
        word = re.search(r'more: aprof annotate (\S+)', said)[1]
        done = aprof('annotate', word, cwd=self.cwd)
        self.assertEqual((done.returncode, done.stderr), (0, ''), said)

    def test_long_names_on_a_terminal(self):
        source = pathlib.Path(self.cwd) / 'long.cc'
        source.write_text('''
            #include <map>
            namespace company { namespace storage {
            template<class Key, class Value> struct OrderedConcurrentHashTable {
                __attribute__((noinline)) int insert_without_rehash(std::map<Key, Value> const &from) { return (int)from.size(); }
            };
            } }
            int main() { std::map<int, long> m; return company::storage::OrderedConcurrentHashTable<int, long>().insert_without_rehash(m); }
        ''')
        subprocess.run([BUILD / 'aprof-c++', '-O1', '-o', 'long', 'long.cc'], cwd=self.cwd, check=True)
        subprocess.run(['./long'], cwd=self.cwd, check=True)
        whole = 'company::storage::OrderedConcurrentHashTable<int, long>::insert_without_rehash(std::map<'
        for words in ['report', '-bp'], ['report', '-bq'], ['tree', '-b', '--min-percent=0']:
            with self.subTest(words):
                self.assertIn(whole, aprof(*words, cwd=self.cwd).stdout)
                for option in '--wide', '--names=whole':
                    self.assertIn(whole, on_terminal(self, 80, *words, option, NO_COLOR='1'))
                short = aprof(*words, '--names=short', cwd=self.cwd).stdout
                self.assertNotIn(whole, short)
                self.assertIn('OrderedConcurrentHashTable::insert_without_rehash', short)
                lines = aprof(*words, '--names=short', '-b', cwd=self.cwd, env={**os.environ, 'COLUMNS': '80', 'LC_ALL': 'C.UTF-8'}).stdout.split('\n')
                self.assertTrue([line for line in lines if '...::insert_witho' in line], lines)
                self.assertLessEqual(max(map(len, lines)), 80)
                lines = on_terminal(self, 80, *words, NO_COLOR='1').split('\n')
                self.assertTrue([line for line in lines if '...::insert_witho' in line], lines)
                self.assertLessEqual(max(map(len, lines)), 80)

    def test_names_as_linked_of_what_was_left_out(self):
        source = pathlib.Path(self.cwd) / 'left.cc'
        source.write_text('''
            namespace shop { __attribute__((noinline)) int leaf(int x) { return x + 1; } }
            int main(void) { return shop::leaf(1) == 2 ? 0 : 1; }
        ''')
        built = subprocess.run([BUILD / 'aprof-c++', '--aprof-way=inline', '--aprof-leaf=5', '-O1', '-o', 'left', 'left.cc'],
                               cwd=self.cwd, capture_output=True, text=True)
        if 'no method inline' in built.stderr:
            self.skipTest('aprof was built without its plugin')
        subprocess.run(['./left'], cwd=self.cwd, check=True)
        self.assertIn('(--aprof-leaf): 1\n\n  shop::leaf(int)\n', aprof('report', '-i', cwd=self.cwd).stdout)
        self.assertIn('(--aprof-leaf): 1\n\n  _ZN4shop4leafEi\n', aprof('report', '-i', '--no-demangle', cwd=self.cwd).stdout)

    def command(self):
        """The command line in amon.out, as users and as programs read it."""
        text = re.search(r'(?m)^command     (.*)$', aprof('info', cwd=self.cwd).stdout)[1]
        self.assertIn(f'command     {text}\n', aprof('report', cwd=self.cwd).stdout)
        file = self.rows('info')['run']['files'][0]
        return text, file['command'], file['command_cut']

    def test_command_can_be_pasted(self):
        words = ['quick', '0', 'plain', 'a b', '', "it's", '$HOME', 'gr\xfcn', '\x1b[31m', '\u202e', b'\xff', 'blanks ' * 30, '']
        subprocess.run([self.program, *words], cwd=self.cwd, check=True)
        text, first, cut = self.command()
        self.assertEqual((text, cut), (first, False))
        self.assertEqual(text[len(str(self.program)):], r""" quick 0 plain 'a b' '' 'it'\''s' '$HOME' 'gr\xfcn' $'\033[31m' $'\342\200\256' $'\377' '%s' ''"""
                         .replace(r'\xfc', '\xfc') % ('blanks ' * 30))
        (pathlib.Path(self.cwd) / 'amon.out').unlink()
        subprocess.run(['bash', '-c', text], cwd=self.cwd, check=True)
        self.assertEqual(self.command(), (text, first, False))

    def test_command_that_does_not_fit(self):
        room = 1024 - len(f'{self.program}\0quick\x000\0')
        for words, kept, more in [
                (['x' * (room - 1)], 'x' * (room - 1), ''),
                (['x' * room], 'x' * (room - 1), ' ...'),
                (['x' * (room - 1), 'y'], 'x' * (room - 1), ' ...'),
                (['x' * 5000], 'x' * (room - 1), ' ...')]:
            with self.subTest(more, words=len(words)):
                subprocess.run([self.program, 'quick', '0', *words], cwd=self.cwd, check=True)
                line = f'{self.program} quick 0 {kept}'
                self.assertEqual(self.command(), (line + more, line, more != ''))

    def test_output_file(self):
        done = aprof('run', '-o', 'report', self.program, 'quick', cwd=self.cwd)
        self.assertEqual(done.stdout, '')
        self.assertIn('Call graph', (pathlib.Path(self.cwd) / 'report').read_text())

    def test_streams_pass(self):
        done = aprof('run', '--no-report', self.program, 'echo', cwd=self.cwd, input='hello')
        self.assertEqual(done.stdout, '<hello>')
        self.assertEqual(done.stderr, '')

    def test_statuses(self):
        def status(*arguments):
            return aprof('run', '--no-report', '--', *arguments, cwd=self.cwd).returncode
        self.assertEqual(status(self.program, 'quick', '7'), 7)
        self.assertEqual(status('sh', '-c', 'kill -9 $$'), 128 + 9)
        self.assertEqual(status('./nothing'), 127)
        self.assertEqual(status('no-such-command-at-all'), 127)
        self.assertEqual(status('/etc/passwd'), 126)

    def test_no_hooks(self):
        done = aprof('run', pathlib.Path(self.home.name) / 'plain', 'dear', '4', cwd=self.cwd)
        self.assertEqual(done.returncode, 4)
        self.assertIn('has no hooks', done.stderr)
        self.assertIn('aprof-cc builds it with hooks', re.sub(r'\s+', ' ', done.stderr))

    @here.long
    def test_all_routines_are_left_out(self):
        pathlib.Path(self.cwd, 'left.c').write_text(
            '#include <string.h>\nstatic char room[1 << 24];\n'
            'int main(int argc, char **argv) {\n'
            '    for (volatile long i = 0; i < (argc == 2 ? 300000000 : 9); i++);\n'
            '    for (volatile long i = 0; i < (argc > 2 ? 300 : 0); i++) memset(room, (int)i, sizeof room);\n'
            '    return 4; }')
        subprocess.run([BUILD / 'aprof-cc', '--aprof-only=nosuch', '-o', 'left', 'left.c'], cwd=self.cwd, check=True)
        for arguments in [], ['long'], ['and', 'memset']:
            done = aprof('run', './left', *arguments, cwd=self.cwd)
            told = re.sub(r'\s+', ' ', done.stderr)
            self.assertEqual(done.returncode, 4)
            # Of a run too short for samples that option is told of, of another one the reason: the option may not fit into the screen's head.
            self.assertRegex(told, '--aprof-only|nothing that could have hooks has any')
            self.assertNotIn('CC=aprof-cc', told)
            self.assertNotIn('aprof-cc builds it with hooks', told)

    def test_linked_with_the_monitor_but_no_hooks(self):
        pathlib.Path(self.cwd, 'linked.c').write_text('int main(void) { return 4; }')
        for flags, told in ([], 'has no hooks'), (['-pg'], 'was linked by aprof-cc'):
            subprocess.run(['cc', *flags, '-c', 'linked.c'], cwd=self.cwd, check=True)
            subprocess.run([BUILD / 'aprof-cc', '-o', 'linked', 'linked.o'], cwd=self.cwd, check=True)
            done = aprof('run', './linked', cwd=self.cwd)
            self.assertEqual(done.returncode, 4)
            self.assertIn(told, done.stderr)

    @here.long
    def test_a_file_grows_with_its_contexts(self):
        """It is short when the process is killed, and as long as it need be where contexts are many, wherever the process is by then."""
        pathlib.Path(self.cwd, 'many.c').write_text(MANY_CONTEXTS)
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-o', 'many', 'many.c'], cwd=self.cwd, check=True)
        for arguments, least, most in (['1000', 'kill'], 0, 16 << 20), (['90000', 'kill'], (16 << 20) + 1, 128 << 20):
            status = subprocess.run(['./many', *arguments], cwd=self.cwd).returncode
            self.assertEqual(status, -9)
            size = os.stat(os.path.join(self.cwd, 'amon.out')).st_size
            self.assertTrue(least <= size <= most, (arguments, size))
            report = json.loads(aprof('report', '--json', '--flat', cwd=self.cwd).stdout)
            rows = {row['name']: row for row in report['flat']}
            self.assertNotIn('(elided)', rows)
            self.assertEqual(sum(row['calls'] for name, row in rows.items() if name.startswith('f')), 8 * int(arguments[0]))

    def test_several_processes(self):
        script = f'{self.program} quick; {self.program} quick; {self.program} quick & wait'
        done = aprof('run', '--json', 'sh', '-c', script, cwd=self.cwd)
        report = json.loads(done.stdout)
        self.assertEqual(len(report['run']['files']), 3)
        self.assertEqual(self.entry(report, 'work')['calls'], 300)
        self.assertEqual(self.entry(self.rows('report'), 'work')['calls'], 300)

    def test_a_process_that_stays(self):
        """Of a daemon there is little to report when what started it ends."""
        script = f'{self.program} loop >ready 2>&1 & echo $! >pid; until grep -qs ready ready; do sleep 0.02; done'
        done = aprof('run', '-b', '-p', 'sh', '-c', script, cwd=self.cwd)
        os.kill(int(pathlib.Path(self.cwd, 'pid').read_text()), signal.SIGKILL)
        self.assertRegex(done.stderr, rf'(?m)^aprof: note: a process of {re.escape(str(self.program))} is still running, [^\n]*$')
        self.assertIn('running: the figures are those of now', ' '.join(done.stdout.split()))

    def test_many_processes(self):
        """What is added up is one file, of which aprof info tells no processes."""
        done = aprof('run', '-b', 'sh', '-c', f'for i in 1 2 3 4 5 6 7 8 9; do {self.program} quick; done', cwd=self.cwd)
        self.assertRegex(done.stdout, r'\nfile +amon.out: 9 processes, the first [-:0-9 ]+; 9 ended\n')
        for i in range(9):
            subprocess.run([self.program, 'quick'], cwd=self.cwd, env=dict(os.environ, APROF_OUT=f'amon.{i}'))
        done = aprof('report', '-b', self.program, *(f'amon.{i}' for i in range(9)), cwd=self.cwd)
        self.assertRegex(' '.join(done.stdout.split()), r' files amon.0 and 8 more \(aprof info --processes lists them\), the first [-:0-9 ]+; 9 ended ')

    @here.long
    def test_processes_by_command(self):
        """The sums of `prog quick` and of `prog slow` stand apart, when they are read and when they have been added up in a file."""
        script = f'{self.program} quick -v; {self.program} -v slow /x; {self.program} --n=3 slow; {self.program}'
        def found():
            return {c['command']: (c['processes'], c['calls']) for c in self.rows('info')['commands']}
        done = aprof('run', '-b', 'sh', '-c', script, cwd=self.cwd)
        name = self.program.name
        calls = {c: n for c, (_, n) in found().items()}
        self.assertEqual({c: p for c, (p, _) in found().items()}, {f'{name} quick': 1, f'{name} slow': 2, name: 1})
        self.assertEqual(sum(calls.values()), self.rows('report')['run']['counts']['calls'])
        self.assertEqual(calls[f'{name} slow'], 2 * calls[name])
        for text in done.stdout, aprof('report', '-b', cwd=self.cwd).stdout:
            self.assertRegex(text, r'\nfile +amon.out: 4 processes, the first ')
            self.assertRegex(' '.join(text.split()), rf' commands .*{name} slow [\d.]+ [mun]?s in 2')
        aprof('merge', '-o', 'twice', 'amon.out', 'amon.out', cwd=self.cwd)
        twice = {c['command']: c['processes'] for c in self.rows('info', 'twice')['commands']}
        self.assertEqual(twice, {f'{name} quick': 2, f'{name} slow': 4, name: 2})

    def test_threads_are_listed_on_request(self):
        aprof('run', '--no-report', self.program, 'quick', cwd=self.cwd)
        self.assertRegex(aprof('info', cwd=self.cwd).stdout, r'(?m)^threads +\d+; aprof info --threads lists them$')
        self.assertNotIn('Threads:', aprof('info', cwd=self.cwd).stdout)
        self.assertRegex(aprof('info', '--threads', cwd=self.cwd).stdout, r'(?m)^Threads: \d+$')

    @here.long
    def test_another_program_does_not_take_the_place(self):
        """The last profile is amon.out; that of another program stays, under its name, whoever writes the new one."""
        self.make_other()
        def programs():
            files = [f.name for f in pathlib.Path(self.cwd).glob('amon.out*')]
            return {f: os.path.basename(self.rows('info', f)['run']['files'][0]['program']) for f in files}
        name = self.program.name
        subprocess.run([self.program, 'quick'], cwd=self.cwd)
        subprocess.run(['./other', 'quick'], cwd=self.cwd)
        self.assertEqual(programs(), {'amon.out': 'other', f'amon.out.{name}': name})
        done = aprof('run', '--no-report', self.program, 'quick', cwd=self.cwd)
        self.assertIn('is amon.out.other now', done.stderr)
        self.assertEqual(programs(), {'amon.out': name, 'amon.out.other': 'other', f'amon.out.{name}': name})
        done = aprof('report', '-b', cwd=self.cwd)
        self.assertRegex(done.stderr, r'(?m)^aprof: note: .*\bamon.out.other of other\b.* here, too, and not read; name the files to read or add up$')
        held = subprocess.Popen([self.program, 'loop'], cwd=self.cwd, stdout=subprocess.PIPE)
        held.stdout.readline()
        process = subprocess.Popen(['./other', 'quick'], cwd=self.cwd)
        process.wait()
        held.kill()
        held.wait()
        self.assertEqual(programs()[f'amon.out.other.{process.pid}'], 'other')

    def make_other(self):
        """The program once more, as another one."""
        shutil.copy(self.program, pathlib.Path(self.cwd) / 'other')

    def test_several_programs(self):
        self.make_other()
        done = aprof('run', '-b', 'sh', '-c', f'./other quick; {self.program}', cwd=self.cwd)
        self.assertIn('Programs of this run: 2', done.stdout)
        self.assertEqual(self.entry(self.rows('report', 'amon.out'), 'work')['calls'], 200)
        self.assertEqual(self.entry(self.rows('report', 'amon.out.other'), 'work')['calls'], 100)

    @here.long
    def test_several_programs_verified(self):
        """The stacks of all are checked; each profile is kept."""
        self.make_other()
        for how in [], ['--no-report']:
            with self.subTest(how):
                done = aprof('run', '--verify', *how, 'sh', '-c', f'./other quick; {self.program}', cwd=self.cwd)
                self.assertNotIn('cannot open', done.stderr)
                self.assertEqual(self.entry(self.rows('report', 'amon.out'), 'work')['calls'], 200)
                self.assertEqual(self.entry(self.rows('report', 'amon.out.other'), 'work')['calls'], 100)
                for file in pathlib.Path(self.cwd).glob('amon.out*'):
                    file.unlink()

    @here.long
    def test_verified_by_clock_tick(self):
        """Code that reads the cycle counter is checked, too; by another clock there is nothing to check by."""
        source = pathlib.Path(self.cwd, 'prog.c')
        source.write_text(PROGRAM)
        if not here.has_way(BUILD, 'inline'):
            self.skipTest('aprof was built without its plugin')
        subprocess.run([BUILD / 'aprof-cc', '--aprof-clock=tsc', '-O1', '-w', '-o', 'cycles', source], cwd=self.cwd, check=True)
        self.assertRegex(aprof('run', '--verify', '--no-report', './cycles', cwd=self.cwd).stderr, r'[1-9]\d* stacks checked, 0 differ')
        done = aprof('run', '--verify', '--clock=wall', './cycles', cwd=self.cwd)
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, '', 2), done.stderr)
        self.assertIn('--verify cannot be joined with --clock=wall', done.stderr)

    def test_one_program_by_two_clocks(self):
        """Profiles whose times do not add up are kept apart."""
        done = aprof('run', '-b', 'sh', '-c', f'{self.program} quick; APROF_CLOCK=none {self.program} quick; {self.program} quick', cwd=self.cwd)
        self.assertIn('Programs of this run: 2', done.stdout)
        found = {self.rows('report', file)['run']['clock']['clock']: self.entry(self.rows('report', file), 'work')['calls']
                 for file in ('amon.out', f'amon.out.{self.program.name}')}
        self.assertEqual(found, {'tick': 200, 'none': 100})

    def test_what_cannot_be_read_is_kept_apart(self):
        """One profile of three is damaged before the run ends; of one program and of several."""
        scratch = pathlib.Path(self.cwd) / 'scratch'
        scratch.mkdir()
        self.make_other()
        damage = 'for file in "$TMPDIR"/aprof.*/amon.out.*; do dd if=/dev/zero of="$file" bs=1 seek=4096 count=64 conv=notrunc 2>/dev/null; break; done'
        for more in '', './other quick':
            with self.subTest(more):
                done = aprof('run', '--no-report', 'sh', '-c', f'{self.program} quick\n{damage}\n{self.program} quick\n{self.program} quick\n{more}',
                             cwd=self.cwd, env={'TMPDIR': str(scratch)})
                self.assertRegex(done.stderr, r'aprof: amon\.out(\.\w+)?\.unreadable: corrupt at byte 4096: .*\n.* cannot be read, is left out of the others, and is kept as')
                kept = [pathlib.Path(self.cwd) / name for name in ('amon.out', f'amon.out.{self.program.name}') if (pathlib.Path(self.cwd) / name).exists()]
                self.assertIn(200, [self.entry(self.rows('report', str(file)), 'work')['calls'] for file in kept])
                self.assertEqual(len(list(pathlib.Path(self.cwd).glob('amon.out*.unreadable'))), 1)
                for file in pathlib.Path(self.cwd).glob('amon.out*'):
                    file.unlink()

    @here.long
    def test_reader_that_goes_away(self):
        """A closed pipe may end the report, but not what is kept, nor leave anything in TMPDIR."""
        scratch = pathlib.Path(self.cwd) / 'scratch'
        self.make_other()
        scratch.mkdir()
        read, write = os.pipe()
        os.close(read)
        limits.run([APROF, 'run', '--report', 'sh', '-c', f'./other quick; {self.program}; {self.program} quick'], cwd=self.cwd, stdout=write,
                   env=dict(os.environ, TMPDIR=str(scratch)))
        os.close(write)
        self.assertEqual(list(scratch.iterdir()), [])
        self.assertEqual(self.entry(self.rows('report', 'amon.out'), 'work')['calls'], 300)
        self.assertEqual(self.entry(self.rows('report', 'amon.out.other'), 'work')['calls'], 100)

    def test_a_copy_that_is_gone(self):
        copy = pathlib.Path(self.cwd) / 'copy'
        copy.write_bytes(self.program.read_bytes())
        copy.chmod(0o755)
        for program, out in (copy, 'first'), (self.program, 'second'):
            subprocess.run([program, 'quick'], cwd=self.cwd, env=dict(os.environ, APROF_OUT=out), check=True)
        copy.unlink()
        done = aprof('report', '--json', 'first', 'second', cwd=self.cwd)
        self.assertEqual(done.stderr, '')
        self.assertEqual(self.entry(json.loads(done.stdout), 'work')['calls'], 200)

    def start_loop(self):
        environment = dict(os.environ, APROF_OUT=f'{self.cwd}/amon.out')
        process = subprocess.Popen([self.program, 'loop'], stdout=subprocess.PIPE, cwd=self.cwd, env=environment, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), 'ready\n')
        return process

    def thread_state(self):
        """Of the only thread, as programs and as users read it."""
        thread, = self.rows('info')['threads']
        return thread['state'], re.search(r'\n +0 +\d+ +\d+  (\S+(?: \S+)*)  ', aprof('info', '--threads', cwd=self.cwd).stdout)[1]

    def listed(self, process):
        """What aprof ps says of PROCESS, of which there may be others on the machine."""
        rows = json.loads(aprof('ps', '--json').stdout)['processes']
        self.assertEqual(rows, sorted(rows, key=lambda row: row['pid']))
        return next((row for row in rows if row['pid'] == process.pid), None)

    def test_ps(self):
        before = time.time_ns()
        process = self.start_loop()
        row = self.listed(process)
        self.assertEqual((row['program'], row['command'], row['clock'], row['file']), (str(self.program), f'{self.program} loop', 'tick',
                         f'{self.cwd}/amon.out'))
        self.assertIn(row['way'], ('inline', 'fentry', 'cyg'))
        self.assertGreater(row['contexts'], 3)
        while self.listed(process)['calls'] <= row['calls']:         # it may get no processor for a while
            time.sleep(0.05)
        self.assertTrue(before < row['start_ns'] < time.time_ns() and 0 < row['elapsed_ns'] < time.time_ns() - before)
        for member in ['processes', 'refused', *row]:
            self.assertRegex((ROOT / 'doc' / 'json.md').read_text(), rf'`{member}(\[\])?`')
        line, = [line for line in aprof('ps').stdout.splitlines() if line.split()[0] == str(process.pid)]
        self.assertRegex(line, rf'^ *{process.pid} +\d+:\d\d +[\d,]+ +\d+  {row["way"]}/tick +{self.program} loop +{self.cwd}/amon.out$')
        process.kill()
        process.wait()
        self.assertIsNone(self.listed(process))

    def test_live_needs_a_program_that_runs(self):
        aprof('run', '--no-report', self.program, 'quick', cwd=self.cwd)
        for words, why in ([], 'does not run'), (['-o', 'x'], 'not with -o'), (['amon.out', '--against', 'amon.out'], 'not with --against'):
            done = aprof('html', '--live', *words, cwd=self.cwd)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count('\n')), (2, '', 1), done.stderr)
            self.assertRegex(done.stderr, f'{why}|built without')

    def test_page_is_opened(self):
        """In the first browser that BROWSER lists, which is not waited for; who has none is told."""
        browser = pathlib.Path(self.cwd) / 'browser'
        browser.write_text('#!/bin/sh\necho "$1" >opened.new\nmv opened.new opened\n')
        browser.chmod(0o755)
        aprof('run', '--no-report', self.program, 'quick', cwd=self.cwd)
        done = aprof('html', '--open', '-o', 'page.html', cwd=self.cwd, env={'BROWSER': f'{browser}:nobody'})
        if 'built without' in done.stderr:
            return
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        end = time.monotonic() + 60
        while not (pathlib.Path(self.cwd) / 'opened').exists():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        self.assertEqual((pathlib.Path(self.cwd) / 'opened').read_text(), 'page.html\n')
        done = aprof('html', '--open', '-o', 'page.html', cwd=self.cwd, env={'BROWSER': '/not/there'})
        self.assertEqual(done.returncode, 2)
        self.assertIn('--open: /not/there: cannot be executed', done.stderr)
        done = aprof('html', '--open', '-o', '-', cwd=self.cwd)
        self.assertEqual((done.returncode, done.stdout), (2, ''))

    def test_live_bounds_its_connections(self):
        """As many as descriptors allow are served; the others are told why, and closed; when one of the first has gone there is room again."""
        few, process = 40, self.start_loop()
        server = subprocess.Popen([APROF, 'html', '--live', str(process.pid)], cwd=self.cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (few, few)))
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        address = server.stdout.readline().strip()
        if not address:
            self.assertIn('built without', server.stderr.read())
            self.skipTest('this aprof was built without --live')
        port = int(re.search(r':(\d+)/', address)[1])

        def ask():
            knock = socket.create_connection(('127.0.0.1', port))
            self.addCleanup(knock.close)
            knock.settimeout(60)
            knock.sendall(f'GET /{address.split("/", 3)[3]} HTTP/1.1\r\nHost: localhost\r\n\r\n'.encode())
            return knock, knock.recv(100).split(b'\r\n')[0]

        silent = [socket.create_connection(('127.0.0.1', port)) for _ in range(2 * few)]
        for knock in silent:
            self.addCleanup(knock.close)
        last, answer = ask()
        self.assertEqual(answer, b'HTTP/1.1 503 Service Unavailable')
        rest = b''
        while part := last.recv(1000):
            rest += part
        self.assertIn(b'Too many connections are open.\n', rest)
        self.assertLess(len(os.listdir(f'/proc/{server.pid}/fd')), few - 10)
        silent[-1].settimeout(60)
        self.assertTrue(silent[-1].recv(100).startswith(b'HTTP/1.1 503 '))
        for knock in silent:
            knock.close()
        while ask()[1] != b'HTTP/1.1 200 OK':       # until it has seen that they have gone
            time.sleep(0.05)

    def test_idle_threads_hide_no_busy_one(self):
        """By clock wall the times of all threads add up: the head says what the one that works does and waits for."""
        source = pathlib.Path(self.cwd) / 'idle.c'
        source.write_text('''
            #include <pthread.h>
            #include <time.h>
            #include <unistd.h>
            static pthread_barrier_t never;
            static volatile long sink;
            __attribute__((noinline)) void rest(void) { pthread_barrier_wait(&never); }
            static void *idle(void *none) { rest(); return none; }
            __attribute__((noinline)) void compute(void) { for (int i = 0; i < 40000000; i++) sink += i; }
            __attribute__((noinline)) void wait_for_job(void) { nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL); }
            int main(void)
            {
                pthread_t thread;
                pthread_barrier_init(&never, NULL, 100);
                for (int i = 0; i < 6; i++)
                    pthread_create(&thread, NULL, idle, NULL);
                for (int i = 0; i < 4; i++) {
                    compute();
                    wait_for_job();
                }
                _exit(0);
            }''')
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-pthread', '-o', 'idle', source], cwd=self.cwd, check=True)
        done = aprof('run', '--clock=wall', '--no-report', '--data=idle.out', './idle', cwd=self.cwd)
        self.assertEqual(done.returncode, 0, done.stderr)
        head = ' '.join(aprof('report', '--flat', 'idle.out', cwd=self.cwd).stdout.split())
        self.assertRegex(head, r'busy 1 of 7 threads; of its time \d+ % in (wait_for_job|compute) \(main\), \d+ % in (wait_for_job|compute) \(main\) calls ')

    def test_ps_on_a_terminal(self):
        process = self.start_loop()
        for columns in 80, 132:
            lines = on_terminal(self, columns, 'ps').splitlines()
            lines = [re.sub(r'\x1b\[[\d;]*m', '', line) for line in lines if 'aprof: ' not in line]
            self.assertTrue(any(line.split()[0] == str(process.pid) and line.endswith('amon.out') for line in lines), lines)    # names are cut by those of others
            self.assertLessEqual(max(map(len, lines)), columns)

    def test_ps_fits_whatever_the_numbers_are(self):
        """Columns that have no room beside a command and a file are left out."""
        process = self.start_loop()
        for columns in 60, 50, 40:
            lines = on_terminal(self, columns, 'ps').splitlines()
            lines = [re.sub(r'\x1b\[[\d;]*m', '', line) for line in lines if 'aprof: ' not in line]
            self.assertTrue(any(line.split()[0] == str(process.pid) for line in lines), lines)
            self.assertLessEqual(max(map(len, lines)), columns, lines)

    @here.long
    def test_pid_instead_of_a_file(self):
        """Every command that reads; a file of that name wins; a renamed, and by root a deleted file is found."""
        process = self.start_loop()
        here, pid = pathlib.Path(self.cwd), str(process.pid)
        with tempfile.TemporaryDirectory() as elsewhere:
            report = json.loads(aprof('report', '--json', pid, cwd=elsewhere).stdout)
            self.assertEqual(report['run']['files'][0]['file'], f'{here}/amon.out')
            self.assertEqual(self.entry(report, 'dear')['calls'], 1)
            for words in (['hot'], ['tree'], ['cycles'], ['contexts'], ['paths'], ['compare-models'], ['info'], ['annotate', 'work'], [], ['html', '-o', 'page.html'],
                          ['export', 'folded'], ['diff', pid], ['check', '--max-regress=1000', '--calls=ignore', pid, '--against'], ['merge', '-o', 'sum']):
                done = aprof(*words, pid, cwd=elsewhere)
                self.assertIn(done.returncode, (0, 1) if words[:1] == ['check'] else (0,), (words, done.stderr))
            self.assertEqual(sorted(os.listdir(elsewhere)), ['page.html', 'sum'])
            self.assertEqual(json.loads(aprof('report', '--json', '1', pid, cwd=elsewhere).stdout or '{}'), {})
            shutil.copy(self.program, f'{elsewhere}/{pid}')
            self.assertIn('no amon.out here', aprof('report', pid, cwd=elsewhere).stderr)
        (here / 'amon.out').rename(here / 'amon renamed')
        self.assertEqual(self.listed(process)['file'], f'{here}/amon renamed')
        self.assertEqual(aprof('info', pid).returncode, 0)
        (here / 'amon renamed').unlink()
        done = aprof('info', pid)
        if done.returncode:
            self.assertRegex(done.stderr, rf'^aprof: {pid}: [^\n]*deleted[^\n]*\n$')
        else:
            self.assertEqual(self.listed(process)['calls'] > 0, True)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which('setpriv'), 'nobody else to be')
    def test_ps_of_others(self):
        process = self.start_loop()
        def as_nobody(*words):
            return subprocess.run(['setpriv', '--reuid=65534', '--clear-groups', APROF, *words], cwd='/', capture_output=True, text=True)
        if as_nobody('--version').returncode:
            self.skipTest('nobody may not run aprof here')
        done = as_nobody('ps')
        self.assertEqual((done.returncode, done.stderr.count('\n')), (0, 1 if done.stdout else 2), done.stderr)
        self.assertRegex(done.stderr, r'aprof: note: \d+ processe?s? could not be looked into, of other users as a rule: root can\n$')
        done = as_nobody('report', str(process.pid))
        self.assertEqual((done.returncode, done.stderr), (2, f'aprof: {process.pid}: cannot look into the process: not yours\n'))

    def test_ps_of_a_container(self):
        """A process with a file system and PIDs of its own is found by ours, and its program by that file system."""
        script = f'mount -t tmpfs none /mnt && cp {self.program} /mnt/inner && mount -t proc proc /proc && cd /mnt && exec ./inner loop'
        words = ['unshare', '-m', '-p', '-f', '--kill-child', 'sh', '-c', script]
        if not shutil.which('unshare') or subprocess.run([*words[:4], 'mount', '-t', 'tmpfs', 'none', '/mnt'], stderr=subprocess.DEVNULL).returncode:
            self.skipTest('no namespaces here')
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), 'ready\n')
        inner = pathlib.Path(f'/proc/{process.pid}/task/{process.pid}/children').read_text().strip()
        if ' /mnt/inner\n' not in pathlib.Path(f'/proc/{inner}/maps').read_text():
            self.skipTest('we are in a chroot: files of another mount namespace have names here that lead nowhere')
        row, = [row for row in json.loads(aprof('ps', '--json').stdout)['processes'] if row['pid'] == int(inner)]
        self.assertEqual((row['program'], row['file']), ('/mnt/inner', f'/proc/{inner}/root/mnt/amon.out'))
        self.assertEqual(self.entry(self.rows('report', inner), 'dear')['calls'], 1)
        self.assertEqual(aprof('reset', inner).returncode, 0)

    def test_threads_that_ended_and_did_not(self):
        (pathlib.Path(self.cwd) / 'threads.c').write_text('''
            #include <pthread.h>
            #include <unistd.h>
            static void *quick(void *p) { return p; }
            static void *lasting(void *ready) { write(*(int *)ready, "r", 1); for (;;) pause(); }
            int main(void)
            {
                pthread_t one, other;
                int ready[2];
                char c;
                pipe(ready);
                pthread_create(&one, 0, lasting, ready + 1);
                read(ready[0], &c, 1);
                pthread_create(&other, 0, quick, 0);
                pthread_join(other, 0);
                return 0;
            }
        ''')
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-w', '-pthread', '-o', 'threads', 'threads.c'], cwd=self.cwd, check=True)
        subprocess.run(['./threads'], cwd=self.cwd, check=True)
        self.assertEqual([thread['state'] for thread in self.rows('info')['threads']], ['to_end', 'to_end', 'ended'])
        legend = 'not seen to end before its process'
        self.assertIn(legend, aprof('info', '--threads', cwd=self.cwd).stdout)
        self.assertNotIn(legend, aprof('info', '-b', '--threads', cwd=self.cwd).stdout)

    @here.long
    def test_running_reset_and_killed(self):
        process = self.start_loop()
        report = self.rows('report')
        self.assertEqual(report['run']['files'][0]['state'], 'running')
        self.assertEqual(self.thread_state(), ('live', 'live'))
        self.assertEqual(self.entry(report, 'dear')['calls'], 1)
        done = aprof('reset', str(process.pid), cwd=self.cwd)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn('dear', [row['name'] for row in self.rows('report')['flat']])
        while 'work' not in [row['name'] for row in self.rows('report')['flat']] or self.entry(self.rows('report'), 'work')['calls'] <= 100:
            time.sleep(0.1)
        process.send_signal(signal.SIGKILL)
        process.wait()
        report = self.rows('report')
        self.assertEqual(report['run']['files'][0]['state'], 'died')
        self.assertEqual(self.thread_state(), ('to_end', 'to the end'))
        self.assertGreater(self.entry(report, 'work')['calls'], 100)
        self.assertIn('incomplete', aprof('report', cwd=self.cwd).stdout)
        self.assertIn('incomplete', aprof('tree', cwd=self.cwd).stderr)
        with open(pathlib.Path(self.cwd) / 'amon.out', 'r+b') as file:
            file.seek(688)                          # amon_header.host
            file.write(b'elsewhere\0')
        self.assertEqual(self.rows('info')['run']['files'][0]['state'], 'unknown')
        self.assertEqual(self.thread_state(), ('unknown', 'unknown'))

    def states(self):
        """How the process stands, as each profile here says."""
        files = sorted(path.name for path in pathlib.Path(self.cwd).glob('amon*'))
        return {name: self.rows('info', name)['run']['files'][0]['state'] for name in files}

    def copy(self, one, other):
        subprocess.run(['cp', '--sparse=always', one, other], cwd=self.cwd, check=True)

    @here.long
    def test_exec_is_an_end(self):
        """Process and start time are the same, but who wrote the first profile is gone; so it is where the successor has no hooks."""
        process = subprocess.Popen([self.program, 'become', self.program, 'loop'], stdout=subprocess.PIPE, cwd=self.cwd, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), 'ready\n')
        second = f'amon.out.{process.pid}'
        self.assertEqual(self.states(), {'amon.out': 'died', second: 'running'})
        self.assertIn('exec', aprof('report', '-b', self.program, 'amon.out', cwd=self.cwd).stdout)
        self.assertEqual(aprof('reset', str(process.pid), cwd=self.cwd).returncode, 0)
        self.assertEqual(self.entry(self.rows('report', 'amon.out'), 'work')['calls'], 200)     # what is reset is the live one
        plain = subprocess.Popen([self.program, 'become', '/bin/cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self.cwd,
                                 env=dict(os.environ, APROF_OUT='amon.plain'))
        plain.stdin.write(b'x')
        plain.stdin.flush()
        self.assertEqual(plain.stdout.read(1), b'x')
        self.assertEqual(self.states()['amon.plain'], 'died')
        plain.communicate()

    def test_who_runs_by_any_name(self):
        """A file is told by what its process has mapped, so that it may be renamed, copied and deleted."""
        process = self.start_loop()
        here = pathlib.Path(self.cwd)
        (here / 'amon.out').rename(here / 'amon renamed')
        self.assertEqual(self.states(), {'amon renamed': 'running'})
        self.copy('amon renamed', 'amon copy')
        self.assertEqual(self.states()['amon copy'], 'running')
        os.link(here / 'amon renamed', here / 'amon link')
        (here / 'amon renamed').unlink()
        self.assertEqual(self.states()['amon link'], 'running')
        process.kill()
        process.wait()
        self.assertEqual(self.states(), {'amon copy': 'died', 'amon link': 'died'})

    def test_readers_are_no_writers(self):
        """Several may ask at once whether the process of a file runs, and do not take one another for it."""
        aprof('run', '--no-report', self.program, 'leave', cwd=self.cwd)
        asking = [subprocess.Popen([APROF, 'info', '--json'], cwd=self.cwd, stdout=subprocess.PIPE) for _ in range(20)]
        states = {json.loads(process.communicate()[0])['run']['files'][0]['state'] for process in asking}
        with open(f'{self.cwd}/amon.out') as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            states.add(self.rows('info')['run']['files'][0]['state'])
        self.assertEqual(states, {'died'})

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which('setpriv'), 'nobody else to be')
    def test_who_runs_is_not_ours(self):
        """Of another user's process nobody knows what it has mapped: pid and start time are believed."""
        process = self.start_loop()
        self.copy('amon.out', 'amon.copy')
        os.chmod(self.cwd, 0o755)
        os.chmod(f'{self.cwd}/amon.copy', 0o644)
        def as_nobody(*words):
            return subprocess.run(['setpriv', '--reuid=65534', '--clear-groups', *words], cwd=self.cwd, capture_output=True, text=True)
        def state():
            return re.search(r'(?m)^state +(\w+)', as_nobody(APROF, 'info', 'amon.copy').stdout)[1]
        if as_nobody(APROF, '--version').returncode or as_nobody('head', '-c1', 'amon.copy').returncode:
            self.skipTest('nobody may not run aprof here')
        self.assertEqual(state(), 'running')
        process.kill()
        process.wait()
        self.assertEqual(state(), 'incomplete')

    def test_annotate_has_no_line_of_nothing(self):
        aprof('run', '--no-report', self.program, cwd=self.cwd)
        done = aprof('annotate', 'work', cwd=self.cwd)
        self.assertIn('sink += i', done.stdout)
        self.assertNotRegex(done.stdout, r'(?m)^ *0 +(at|in) ')

    @here.long
    def test_how_it_ended(self):
        """The reports say what aprof run saw, and a profile that nobody cut at the end is no gigabyte."""
        for what, status, told in ('kill', 128 + 9, 'killed by signal 9 (Killed)'), ('leave', 5, 'exit status 5'):
            done = aprof('run', '-b', self.program, what, cwd=self.cwd)
            self.assertEqual(done.returncode, status)
            self.assertRegex(' '.join(done.stdout.split()), rf'; incomplete: [a-z_, ]*{re.escape(told)}')
            self.assertRegex(aprof('info', cwd=self.cwd).stdout, rf'(?s)\nstate +incomplete: .*\nstatus +{re.escape(told)}\n.*not known at the end')
            self.assertLess(os.path.getsize(f'{self.cwd}/amon.out'), 1 << 22)
        done = aprof('run', '-b', self.program, 'exec', cwd=self.cwd)
        self.assertEqual(' '.join(done.stdout.split()).count('killed by signal 9'), 1, done.stdout)
        self.assertNotIn('got another name', ' '.join(done.stdout.split()))     # of files that the user never saw
        aprof('run', '--no-report', self.program, 'quick', '3', cwd=self.cwd)
        self.assertRegex(aprof('info', cwd=self.cwd).stdout, r'\nstate +ended\nstatus +exit status 3\n')

    @here.long
    def test_cycles_of_no_end(self):
        """Clock tsc does not know what a thread spent since its last call if the process has no end, and says so."""
        source = pathlib.Path(self.cwd, 'prog.c')
        source.write_text(PROGRAM)
        subprocess.run([BUILD / 'aprof-cc', '--aprof-way=cyg', '-O1', '-w', '-o', 'cycles', source], cwd=self.cwd, check=True)
        for what, told in ('quick', False), ('leave', True):
            aprof('run', '--no-report', '--clock=tsc', './cycles', what, cwd=self.cwd)
            if ' Hz' not in aprof('info', cwd=self.cwd).stdout:
                self.skipTest('no invariant cycle counter')
            for command in 'info', 'report':
                shown = ' '.join(aprof(command, cwd=self.cwd).stdout.split())
                self.assertEqual('each thread spent since its last call or return' in shown, told, shown)

    def test_no_time(self):
        """Nothing is divided by no time, and what was not entered is not listed."""
        aprof('run', '--no-report', '--clock=none', self.program, 'quick', cwd=self.cwd)
        for words in ['diff', 'amon.out', 'amon.out'], ['tree'], ['hot'], ['export', 'csv'], ['report']:
            done = aprof(*words, cwd=self.cwd)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotRegex(done.stdout, r'nan|inf\b|\(lost\)')

    def test_report_where_nothing_can_be_kept(self):
        scratch = pathlib.Path(self.cwd) / 'scratch'
        scratch.mkdir()
        for command in self.program, 'sh':
            with self.subTest(command):
                words = ['quick'] if command == self.program else ['-c', f'{self.program} quick; {self.program} quick']
                done = aprof('run', '-b', command, *words, cwd='/proc', env={'TMPDIR': str(scratch)})
                self.assertIn('the profile is not kept there', done.stderr)
                self.assertIn('Flat profile', done.stdout)
                directory = re.search(r'(?m)^aprof: what is not kept is still in (.*)$', done.stderr)[1]
                calls = self.entry(self.rows('report', *map(str, pathlib.Path(directory).glob('amon.out.*'))), 'work')['calls']
                self.assertEqual(calls, 100 if command == self.program else 200)
                shutil.rmtree(directory)
        self.assertEqual(list(scratch.iterdir()), [])

    def test_least_memory(self):
        done = aprof('run', '--json', '--memory=1', self.program, 'quick', cwd=self.cwd)
        self.assertEqual(self.entry(json.loads(done.stdout), 'work')['calls'], 100)

    def test_verbose_says_why_there_is_none(self):
        for out, why in ('no/where', 'there is no such directory'), ('prog', ' is in '), ('/proc/x', 'there is no such directory'):
            done = subprocess.run([self.program, 'quick'], cwd=self.cwd, capture_output=True, text=True,
                                  env=dict(os.environ, APROF_OUT=out, APROF_VERBOSE='1'))
            self.assertRegex(done.stderr, rf'^aprof: [^\n]*{why}[^\n]*\n$')

    def on_its_terminal(self, *words, **environment):
        """What words print on a terminal of their own, and their status."""
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(self.cwd)
            os.environ.update(environment)
            os.execvp(words[0], words)
        text = b''
        try:
            while chunk := os.read(fd, 65536):
                text += chunk
        except OSError:
            pass
        return text.decode().replace('\r\n', '\n'), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def test_one_line_where_no_profile_can_be_left(self):
        """To a user before a terminal, once; to nobody else, and the program's status is its own."""
        lost = {'APROF_OUT': '/proc/x'}
        line = 'aprof: no profile could be written to /proc/x: there is no such directory\n'
        program = str(self.program)
        self.assertEqual(self.on_its_terminal(program, 'quick', '7', **lost), (line, 7))
        self.assertEqual(self.on_its_terminal(program, 'quick', '7', APROF_OUT='here'), ('', 7))
        for where in '2>file', '2>&-', '2>/dev/null', '2>/dev/full', '2>&1 | cat', '& wait $!':
            with self.subTest(where):
                text, _ = self.on_its_terminal('bash', '-m' if where[0] == '&' else '+m', '-c', f'"$0" quick 7 {where}', program, **lost)
                self.assertNotIn('aprof', text.replace(program, ''))
        self.assertEqual(pathlib.Path(self.cwd, 'file').read_text(), '')
        done = subprocess.run([program, 'quick', '7'], cwd=self.cwd, capture_output=True, text=True, env=dict(os.environ, **lost))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (7, '', ''))
        self.assertEqual(self.on_its_terminal(program, 'kill', **lost), ('', -signal.SIGKILL))
        pathlib.Path(self.cwd, 'fork.c').write_text(r'''
            #include <sys/wait.h>
            #include <unistd.h>
            __attribute__((noinline)) void work(void) { __asm__ volatile(""); }
            int main(void) { for (int i = 0; i < 3; i++) if (!fork()) { work(); return 0; } while (wait(NULL) > 0); return 5; }''')
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-o', 'fork', 'fork.c'], cwd=self.cwd, check=True)
        self.assertEqual(self.on_its_terminal('./fork', **lost), (line, 5))

    def test_children_that_leave_by_other_doors(self):
        """Of processes whose end nobody saw it is said how they may have come to it."""
        pathlib.Path(self.cwd, 'fork.c').write_text(r'''
            #include <sys/wait.h>
            #include <unistd.h>
            __attribute__((noinline)) void work(void) { __asm__ volatile(""); }
            int main(void) { for (int i = 0; i < 2; i++) if (!fork()) { work(); _exit(0); } while (wait(NULL) > 0); return 0; }''')
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-o', 'fork', 'fork.c'], cwd=self.cwd, check=True)
        head = re.sub(r'\s+', ' ', aprof('run', './fork', cwd=self.cwd, env={'COLUMNS': '80'}).stderr)
        self.assertRegex(head, r'amon.out: 3 processes, the first [-:0-9 ]+; 1 ended, of 2 not all ended \(killed, crashed, _exit or exec\) ')
        for words in ['report', '-b'], ['info']:
            self.assertRegex(re.sub(r'\s+', ' ', aprof(*words, cwd=self.cwd).stdout), r' not all of them ended \(killed, crashed, _exit or exec\) ')
        self.assertRegex(aprof('info', cwd=self.cwd).stdout, r'\nprocesses +3, the first: pid ')
        self.assertEqual(aprof('contexts', cwd=self.cwd).stderr, 'aprof: warning: amon.out: incomplete: not all of its processes ended\n')

    def test_header(self):
        """A program asks its profiler where aprof was never installed."""
        pathlib.Path(self.cwd, 'asks.c').write_text('#include <aprof.h>\nint main(void) { aprof_phase("one"); return !aprof_is_on(); }')
        subprocess.run([BUILD / 'aprof-cc', '-o', 'asks', 'asks.c'], cwd=self.cwd, check=True)
        where = aprof('config', '--includedir').stdout.strip()
        subprocess.run(['cc', f'-I{where}', '-c', 'asks.c'], cwd=self.cwd, check=True)
        carried = not re.search(r'\s', str(BUILD))     # flags cannot carry a path with a blank
        for compiler in filter(shutil.which, ['gcc', 'clang'] if carried else []):
            flags = aprof('config', '--cflags', env={'APROF_CC': compiler}).stdout.split()
            subprocess.run([compiler, *flags, '-o', 'asks', 'asks.c'], cwd=self.cwd, check=True)
            self.assertEqual(aprof('run', '--no-report', './asks', cwd=self.cwd).returncode, 0)
        subprocess.run([BUILD / 'aprof-cc', '-o', 'asks', 'asks.c'], cwd=self.cwd, check=True)
        self.assertEqual(aprof('run', '--no-report', './asks', cwd=self.cwd).returncode, 0)
        self.assertRegex(aprof('info', cwd=self.cwd).stdout, r' one( \*)?\n')

    def test_compilers_by_name(self):
        """aprof-clang and the like run that compiler, whatever the variables say; aprof by any other name is aprof."""
        pathlib.Path(self.cwd, 'one.c').write_text('int main(void) { return 0; }')
        for name in ['clang', 'clang++', 'gcc', 'g++', *(pathlib.Path(p).name for p in glob.glob('/usr/bin/gcc-[0-9]*'))]:
            if not shutil.which(name):
                continue
            link = pathlib.Path(self.cwd, f'aprof-{name}')
            link.symlink_to(APROF)
            done = subprocess.run([link, '--aprof-verbose', '-x', 'c++' if '++' in name else 'c', '-c', 'one.c'], cwd=self.cwd, capture_output=True, text=True,
                                  env=dict(os.environ, APROF_CC='nonsense', APROF_CXX='nonsense'))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, rf'(?m)^(\S*/)?{re.escape(name)} ')
        for name in 'clang', 'clang++':
            self.assertEqual(os.readlink(BUILD / f'aprof-{name}'), 'aprof')
        other = pathlib.Path(self.cwd, 'aprof-new')
        other.symlink_to(APROF)
        self.assertRegex(subprocess.run([other, '--version'], capture_output=True, text=True).stdout, '^aprof ')

    def test_stripped(self):
        """Addresses instead of names are explained, and the program as it was has the names."""
        subprocess.run(['strip', '-o', 'bare', self.program], cwd=self.cwd, check=True)
        done = aprof('run', '--report', './bare', 'quick', cwd=self.cwd)
        self.assertRegex(' '.join(done.stdout.split()), r'warning [^ ]*/bare; it is stripped, its functions are shown by address; name the program')
        self.assertNotIn(' work', done.stdout)
        done = aprof(self.program, cwd=self.cwd)
        self.assertNotIn('stripped', done.stdout)
        self.assertIn(' work', done.stdout)

    REPORTS = [['report'], ['report', '--json'], ['report', '-c', '--leaves'], ['report', '--lines'], ['annotate', 'work'], ['annotate', '--json', 'work'], ['hot'], ['paths'],
               ['tree'], ['contexts'], ['info'], ['export', 'folded'], ['export', 'callgrind'], ['export', 'json']]

    def seen(self, *files):
        """What all reports say of FILES."""
        found = {}
        for words in self.REPORTS:
            done = aprof(*words, *files, cwd=self.cwd)
            self.assertEqual(done.returncode, 0, done.stderr)
            found[' '.join(words)] = done.stdout + done.stderr
        return found

    @here.long
    def test_profile_outlives_its_program(self):
        """Names, lines, calls in the code, and which samples were in hooks, are in the file once it was read beside its program."""
        subprocess.run([BUILD / 'aprof-cc', '-g', '-O1', '-o', 'mine', self.program.with_suffix('.c')], cwd=self.cwd, check=True)
        mine, file = pathlib.Path(self.cwd, 'mine'), pathlib.Path(self.cwd, 'amon.out')
        ways = {
            'run': lambda: aprof('run', '--no-report', './mine', 'quick', cwd=self.cwd),
            'read': lambda: subprocess.run(['./mine', 'quick'], cwd=self.cwd),
            'killed': lambda: subprocess.run(['./mine', 'kill'], cwd=self.cwd),
        }
        for way, record in ways.items():
            with self.subTest(way):
                record()
                size = file.stat().st_size
                os.utime(file, ns=(5, 7))
                with_program = self.seen()
                self.assertEqual(file.stat().st_mtime_ns, 7)
                if way == 'run':
                    self.assertEqual(file.stat().st_size, size)
                self.assertIn('work', with_program['report'])
                mine.rename(mine.with_suffix('.away'))
                self.assertEqual(self.seen(), with_program)
                shutil.copy('/bin/true', mine)              # another build of it
                self.assertEqual(self.seen(), with_program)
                done = aprof('./mine', cwd=self.cwd)
                self.assertRegex(' '.join(done.stdout.split()), r'warning \./mine: not the file that was profiled: .*; the names are those that the profile carries')
                self.assertIn('work', done.stdout)
                self.assertEqual(aprof('merge', '-o', 'sum', 'amon.out', 'amon.out', cwd=self.cwd).stderr, '')
                self.assertRegex(aprof('report', 'sum', cwd=self.cwd).stdout, r'\] work\b')
                mine.with_suffix('.away').rename(mine)
                file.unlink()

    def test_profile_that_cannot_carry_names(self):
        """One that may not be written, is written still, or is of a program without symbols stays as it is."""
        subprocess.run([BUILD / 'aprof-cc', '-g', '-O1', '-o', 'mine', self.program.with_suffix('.c')], cwd=self.cwd, check=True)
        file = pathlib.Path(self.cwd, 'amon.out')
        subprocess.run(['./mine', 'quick'], cwd=self.cwd)
        before = file.read_bytes()
        with open(file) as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            self.assertIn('work', aprof('report', cwd=self.cwd).stdout)
            self.assertEqual(file.read_bytes(), before)
        self.assertIn('work', aprof('report', cwd=self.cwd).stdout)
        self.assertEqual(file.read_bytes()[:16], before[:16])
        self.assertEqual(file.read_bytes()[24:len(before)], before[24:])
        self.assertGreater(file.stat().st_size, len(before))

    @here.long
    def test_small_profiles_are_small(self):
        """A profile of some 250 contexts and one thread takes 64 KB at most, its symbols with it, and says all that the process wrote."""
        text = MANY_CONTEXTS.replace('for (long i = atol(argv[1]);', 'for (long k = 0; k < 20000; k++) for (long i = (seed = 1, atol(argv[1]));')
        self.assertNotEqual(text, MANY_CONTEXTS)
        prog = f'{self.cwd}/few'
        subprocess.run([BUILD / 'aprof-cc', '-O2', '-g', '-x', 'c', '-', '-o', prog], input=text, text=True, check=True)
        aprof('run', '--no-report', '--data=kept', prog, '35', cwd=self.cwd)
        contexts = len(json.loads(aprof('contexts', '--json', 'kept', cwd=self.cwd).stdout)['contexts'])
        self.assertTrue(200 < contexts < 350, contexts)
        self.assertLessEqual(os.path.getsize(f'{self.cwd}/kept'), 65536)
        subprocess.run([prog, '35'], cwd=self.cwd, check=True)
        own, kept = (json.loads(aprof('report', '--json', file, cwd=self.cwd).stdout) for file in ('amon.out', 'kept'))
        self.assertEqual([(row['name'], row['calls']) for row in sorted(own['flat'], key=lambda row: row['name'])],
                         [(row['name'], row['calls']) for row in sorted(kept['flat'], key=lambda row: row['name'])])
        self.assertEqual(own['run']['files'][0]['state'], kept['run']['files'][0]['state'])

    def test_limit_on_the_size_of_files(self):
        """A smaller profile where it fits; else a line that says why there is none, also of a process that was killed."""
        limited = lambda blocks, *words: subprocess.run(['sh', '-c', f'ulimit -f {blocks}; exec "$@"', 'sh', *words], cwd=self.cwd,
                                                        capture_output=True, text=True)
        done = limited(64, APROF, 'run', '--report', self.program, 'quick')
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertIn('work', done.stdout)
        for words, status in (['quick'], 2), (['kill'], 128 + signal.SIGKILL):
            pathlib.Path(self.cwd, 'amon.out').unlink(missing_ok=True)
            done = limited(1, APROF, 'run', self.program, *words)
            self.assertEqual((done.returncode, done.stdout, os.listdir(self.cwd)), (status, '', []))
            self.assertEqual(done.stderr, 'aprof: 1 process of this run could not leave its profile: File too large for the limit on the '
                             'size of files (ulimit -f)\n')
        done = limited(1, 'env', 'APROF_VERBOSE=1', self.program, 'quick')
        self.assertEqual((done.returncode, done.stderr.count('\n'), os.listdir(self.cwd)), (0, 1, []))
        self.assertIn('the limit on the size of files is too low', done.stderr)

    def test_file_of_somebody_else_is_kept(self):
        """A text called amon.out is no profile; one that --data names is replaced."""
        mine = pathlib.Path(self.cwd, 'amon.out')
        mine.write_text('mine\n')
        done = aprof('run', '--no-report', self.program, 'quick', cwd=self.cwd)
        other, = pathlib.Path(self.cwd).glob('amon.out.*')
        self.assertEqual((done.stderr, mine.read_text()), (f'aprof: note: amon.out is no profile, and is not replaced; this run is kept in {other.name}\n', 'mine\n'))
        done = aprof('report', cwd=self.cwd)
        self.assertEqual((done.returncode, done.stderr), (2, f'aprof: amon.out: not a profile, but {other.name} is; name the file to read\n'))
        other.unlink()
        for make in 'mkdir amon.out', 'mkfifo amon.out', 'ln -s nothing amon.out', 'ln -s amon.out amon.out':
            with self.subTest(make):
                mine.unlink()
                subprocess.run(make, shell=True, cwd=self.cwd, check=True)
                done = aprof('run', '--report', self.program, 'quick', cwd=self.cwd)
                other, = pathlib.Path(self.cwd).glob('amon.out.*')
                self.assertEqual((done.returncode, done.stderr), (0, f'aprof: note: amon.out is no profile, and is not replaced; this run is kept in {other.name}\n'))
                other.unlink()
                mine.rmdir() if make.startswith('mkdir') else mine.unlink()
                mine.write_text('')
        pathlib.Path(self.cwd, 'data').write_text('mine\n')
        self.assertEqual(aprof('run', '--no-report', '--data=data', self.program, 'quick', cwd=self.cwd).stderr, '')
        self.assertEqual(pathlib.Path(self.cwd, 'data').read_bytes()[:8], b'amon.out')

    def test_file_that_cannot_be_replaced(self):
        """As another user's in /tmp: here one that is a mount point."""
        pathlib.Path(self.cwd, 'amon.out').write_text('')
        mounted = ['unshare', '-Urm', 'sh', '-c', 'mount --bind amon.out amon.out && exec "$@"', 'sh']
        if subprocess.run([*mounted, 'true'], cwd=self.cwd, capture_output=True).returncode:
            self.skipTest('no mounts for ordinary users here')
        done = subprocess.run([*mounted, APROF, 'run', '--report', self.program, 'quick'], cwd=self.cwd, capture_output=True, text=True)
        other, = pathlib.Path(self.cwd).glob('amon.out.*')
        self.assertEqual(done.stderr, f'aprof: note: amon.out: cannot write: Device or resource busy; this run is kept in {other.name}\n')
        self.assertEqual((done.returncode, aprof('info', other.name, cwd=self.cwd).returncode), (0, 0))

    def test_what_is_added_up_is_told(self):
        """Files of different programs, and one that is cut off; not those of a copy."""
        pathlib.Path(self.cwd, 'other.c').write_text('int main(void) { return 0; }')
        subprocess.run([BUILD / 'aprof-cc', '-o', 'other', 'other.c'], cwd=self.cwd, check=True)
        shutil.copy(self.program, pathlib.Path(self.cwd, 'copy'))
        for data, *words in ('a', self.program, 'quick'), ('b', './other'), ('c', './copy', 'quick'):
            self.assertEqual(aprof('run', '--no-report', f'--data={data}', *words, cwd=self.cwd).returncode, 0)
        for words in ['report'], ['info'], ['merge', '-o', 'sum']:
            done = aprof(*words, 'a', 'b', cwd=self.cwd)
            self.assertRegex(done.stderr, r'^aprof: note: these are profiles of several programs, (prog and other|other and prog) for instance; they are added up\n$')
            self.assertEqual((done.returncode, aprof(*words, 'a', 'c', cwd=self.cwd).stderr), (0, ''))
        whole = pathlib.Path(self.cwd, 'a').read_bytes()
        pathlib.Path(self.cwd, 'cut').write_bytes(whole[:len(whole) // 2])
        done = aprof('merge', '-o', 'sum', 'cut', cwd=self.cwd)
        self.assertEqual((done.returncode, done.stderr), (0, 'aprof: warning: cut: cut off; its whole part is added up\n'))

    @here.long
    def test_held_file_is_kept(self):
        process = self.start_loop()
        done = aprof('run', '--no-report', self.program, 'quick', cwd=self.cwd)
        self.assertIn('is being written by a running process', done.stderr)
        process.kill()
        process.wait()
        self.assertEqual(self.rows('report')['run']['files'][0]['pid'], process.pid)

    def test_siblings_are_named(self):
        aprof('run', '--no-report', self.program, 'quick', cwd=self.cwd)
        aprof('run', '--no-report', '--data=amon.out.2', self.program, 'quick', cwd=self.cwd)
        self.assertIn('amon.out.2 is a profile here, too, and not read', aprof('report', cwd=self.cwd).stderr)
        for name in '3', '4', '5', '6':
            shutil.copy(pathlib.Path(self.cwd, 'amon.out'), pathlib.Path(self.cwd, f'amon.out.{name}'))
        self.assertRegex(aprof('report', cwd=self.cwd).stderr, r'^aprof: note: amon.out.2, amon.out.3, amon.out.4 and 2 more are profiles here, too, .*\n$')

    def test_term_is_passed_on(self):
        process = subprocess.Popen([APROF, 'run', '--no-report', self.program, 'loop'], stdout=subprocess.PIPE, cwd=self.cwd, text=True)
        self.assertEqual(process.stdout.readline(), 'ready\n')
        process.terminate()
        process.stdout.close()
        self.assertEqual(process.wait(20), 128 + signal.SIGTERM)
        self.assertEqual(self.entry(self.rows('report'), 'dear')['calls'], 1)

    @here.long
    def test_signals_of_a_program_are_passed_on(self):
        for sent in signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM:
            with self.subTest(sent.name):
                process = subprocess.Popen([APROF, 'run', '--no-report', self.program, 'loop'], stdout=subprocess.PIPE, cwd=self.cwd, text=True)
                self.assertEqual(process.stdout.readline(), 'ready\n')
                process.send_signal(sent)
                process.stdout.close()
                self.assertEqual(process.wait(20), 128 + sent)
                self.assertEqual(self.entry(self.rows('report'), 'dear')['calls'], 1)


unittest.main(verbosity=1)
