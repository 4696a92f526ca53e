#!/usr/bin/env python3
"""versions_test.py BUILD - aprof compare: two versions run in turn; what it answers, why, and what it leaves behind."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import limits

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
APROF, CC = str(BUILD / 'aprof'), str(BUILD / 'aprof-cc')

# Who is called how often, and works how much, is said when it is built.
SOURCE = '''
#include <signal.h>
#include <stdio.h>
static volatile unsigned sink;
static void work(unsigned n) { for (unsigned i = 0; i < n; i++) sink = sink * 1664525 + 1013904223; }
MORE
__attribute__((noipa)) void rehash(void) { work(100000 * HEAVY); }
__attribute__((noipa)) void grow(void) { for (int i = 0; i < 5; i++) rehash(); sink++; }
__attribute__((noipa)) void insert(int i) { if (i < GROWN) grow(); sink++; }
__attribute__((noipa)) void steady(void) { work(10000000); }
int main(int n, char **v)
{
	int c, sum = 0;

	for (int i = 0; i < 1000; i++)
		insert(i);
	steady();
	while ((c = getchar()) != EOF)
		sum += c;
	printf(n > 1 && v[1][0] == 'p' ? "%d %d\\n" : "%d\\n", sum, GROWN);
	if (n > 1 && v[1][0] == 'k' && GROWN > 20)
		raise(SIGSEGV);
	return n > 1 && v[1][0] == 'f' ? 3 : 0;
}
'''
USUAL = {'MORE': '', 'HEAVY': 1, 'GROWN': 20}


def write(folder, name, **changed):
    text = SOURCE
    for word, value in {**USUAL, **changed}.items():
        text = text.replace(word, str(value))
    (folder / name).write_text(text)


class Versions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.home.name)
        for name, changed in {'old': {}, 'called': {'GROWN': 100}, 'heavy': {'HEAVY': 6},
                              'moved': {'MORE': 'int other[3]; int more(int x) { return x * 7 + other[x & 1]; }'}}.items():
            write(cls.folder, f'{name}.c', **changed)
            subprocess.run([CC, '-O2', '-g', '-o', name, f'{name}.c'], cwd=cls.folder, check=True)

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()

    def compare(self, *words, status=None, cwd=None, **more):
        done = limits.run([APROF, 'compare', *words], cwd=cwd or self.folder, capture_output=True, text=True, **more,
                          env={**os.environ, 'TMPDIR': self.home.name, 'LC_ALL': 'C.UTF-8'})
        if status is not None:
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(list(self.folder.glob('aprof.*')), [])        # whatever became of it
        return done

    def verdict(self, *words, status, **more):
        return json.loads(self.compare('--json', *words, status=status, **more).stdout)['verdict']

    def test_called_more_often(self):
        """What takes the time is called by what is called more often: the reason is where that begins."""
        verdict = self.verdict('--rounds=5', './old', './called', status=1)
        self.assertEqual([verdict[key] for key in ('answer', 'reason', 'routine', 'caller', 'callee')], ['slower', 'calls', 'rehash', 'insert', 'grow'])
        self.assertIn('it is called 500 times, not 100', verdict['because'])
        self.assertIn('grow, which insert calls 100 times, not 20', verdict['because'])
        verdict = self.verdict('--rounds=5', './called', './old', status=0)
        self.assertEqual([verdict['answer'], verdict['routine']], ['faster', 'rehash'])

    def test_other_code(self):
        verdict = self.verdict('--rounds=5', './old', './heavy', status=1)
        self.assertEqual([verdict['reason'], verdict['routine'], verdict['caller']], ['code', 'rehash', None])
        verdict = self.verdict('--rounds=5', '--max-regress=100000%', './old', './heavy', status=0)
        self.assertEqual(verdict['answer'], 'slower')

    def test_equal(self):
        """Its code is elsewhere, and that is all.  Noise says otherwise once in a thousand times."""
        done = self.compare('--json', '--rounds=5', './old', './moved', status=0)
        found = json.loads(done.stdout)
        self.assertEqual(found['verdict']['answer'], 'none', found['verdict'])
        self.assertTrue({r['name']: r['same_code'] for r in found['routines']}['rehash'])

    def test_text_markdown_page(self):
        text = self.compare('--rounds=5', '--keep=kept', '-o', 'page.html', './old', './called', status=1).stdout
        self.assertRegex(text, r'\A *answer +slower by [\d.]+ % ±[\d.]+: .* → .*, means of\s+5 runs a side\n *because +rehash takes ')
        self.assertEqual(sorted(p.name for p in (self.folder / 'kept').glob('*.5')), ['base.5', 'new.5'])
        if (self.folder / 'page.html').exists():                       # aprof may be built without the page
            self.assertIn('<html', (self.folder / 'page.html').read_text()[:400])
        text = self.compare('--rounds=5', '--markdown', './old', './called', status=1).stdout
        self.assertTrue(text.startswith('**Slower by '), text)
        self.assertIn('| `rehash` |', text)

    def test_what_they_read_and_print(self):
        """Each run reads the file on standard input from its beginning; that the sides print different things is told."""
        (self.folder / 'input').write_text('abc')
        with open(self.folder / 'input') as file:
            done = self.compare('--json', '--rounds=2', '--keep=kept', './old', './moved', status=0, stdin=file)
        self.assertEqual((self.folder / 'kept' / 'base.out').read_text(), f'{sum(b"abc")}\n')
        self.assertEqual((json.loads(done.stdout)['verdict']['same_output'], done.stderr), (True, ''))
        done = self.compare('--json', '--rounds=2', './old', './called', '--', 'print')
        self.assertIs(json.loads(done.stdout)['verdict']['same_output'], False)
        self.assertEqual(done.stderr, 'aprof: warning: ./old and ./called print different things, each the same in each run: do they do the same work?\n')

    def test_as_many_as_noise_wants(self):
        runs = json.loads(self.compare('--json', './old', './heavy', status=1).stdout)['runs']
        self.assertIn(len(runs), range(10, 121))

    def test_what_cannot_be(self):
        for words, said in ((['./old'], 'compare: which two?'), (['./old', './called', './heavy'], 'compare: which two?'),
                            (['--git', 'HEAD~1', 'HEAD'], '--git: how is a commit built?'), (['--git', '--build=make', 'HEAD~1', 'HEAD'], '--git: what is run?'),
                            (['--build=make', './old', './called'], '--build: goes with --git'), (['./old', './none'], './none failed'),
                            (['./old', './called', '--', 'fail'], 'failed: status 3'),
                            (['./old', './called', '--', 'kill'], './called failed: killed by signal 11, Segmentation fault')):
            done = self.compare(*words, status=2)
            self.assertIn(said, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def repository(self):
        folder = self.folder / 'repository'
        if not folder.exists():
            folder.mkdir()
            git = ['git', '-c', 'user.name=a', '-c', 'user.email=a@localhost']
            subprocess.run(['git', 'init', '-q', '-b', 'main'], cwd=folder, check=True)
            for changed in ({}, {'GROWN': 100}, {'MORE': 'int broken('}):
                write(folder, 'p.c', **changed)
                subprocess.run(['git', 'add', 'p.c'], cwd=folder, check=True)
                subprocess.run([*git, 'commit', '-q', '-m', 'another'], cwd=folder, check=True)
        return folder

    def test_commits(self):
        folder = self.repository()
        build = ['--git', '--build=aprof-cc -O2 -o p p.c', '--rounds=5']
        verdict = self.verdict(*build, 'HEAD~2', 'HEAD~1', '--', './p', status=1, cwd=folder)
        self.assertEqual([verdict['answer'], verdict['caller']], ['slower', 'insert'])
        done = self.compare(*build, 'HEAD~2', 'HEAD', '--', './p', status=125, cwd=folder)
        self.assertRegex(done.stderr, r'\Aaprof: HEAD does not build: status \d+: .+\n\Z')
        done = self.compare(*build, 'HEAD~9', 'HEAD', '--', './p', status=2, cwd=folder)
        self.assertIn('HEAD~9 cannot be checked out', done.stderr)
        done = self.compare(*build, 'HEAD~2', 'HEAD~1', '--', './p', 'kill', status=125, cwd=folder)
        self.assertRegex(done.stderr, r'\Aaprof: HEAD~1 failed: killed by signal 11, .+\n\Z')
        left = subprocess.run(['git', 'worktree', 'list'], cwd=folder, capture_output=True, text=True).stdout
        self.assertEqual(len(left.splitlines()), 1, left)

    def test_bisect(self):
        """The commit that made it slower, with one behind it that does not build."""
        folder = self.repository()
        subprocess.run(['git', 'tag', '-f', 'good', 'main~2'], cwd=folder, check=True, capture_output=True)
        subprocess.run(['git', 'bisect', 'start', 'main', 'good'], cwd=folder, check=True, capture_output=True)
        done = limits.run(['git', 'bisect', 'run', APROF, 'compare', '--rounds=5', '--git', '--build=aprof-cc -O2 -o p p.c', 'good', 'HEAD', '--', './p'],
                          cwd=folder, capture_output=True, text=True)
        subprocess.run(['git', 'bisect', 'reset'], cwd=folder, capture_output=True)
        self.assertIn('is the first bad commit', done.stdout, done.stdout + done.stderr)

    def test_layouts(self):
        """Each build has its functions elsewhere, and the same code."""
        folder = self.repository()
        done = self.compare('--json', '--git', '--build=aprof-cc -O2 -o p p.c && nm p | grep -w rehash >>../layouts', '--layouts=5', '--keep=kept', 'HEAD~2', 'HEAD~2',
                            '--', './p', cwd=folder)
        if 'needs method inline' in done.stderr:
            self.skipTest('GCC has no plugin here')
        found = json.loads(done.stdout)
        self.assertEqual(len(found['runs']), 10)
        self.assertTrue({r['name']: r['same_code'] for r in found['routines']}['rehash'])
        self.assertGreater(len(set((folder / 'kept' / 'layouts').read_text().splitlines())), 3)


if __name__ == '__main__':
    unittest.main()
