"""screen_test.py BUILD: what aprof shows on a terminal: the screen after a run, and the pager."""
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
from terminal import plain, terminal

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
APROF = BUILD / 'aprof'

# Long names of C++, output of its own on both streams, processes, and an end as its argument says.
PROGRAM = r'''
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>
static volatile long sink;
namespace a_library_with_a_long_name { namespace and_another_inside {
template <typename Key, typename Value> struct Container {
	std::map<Key, std::vector<Value>> values;
	__attribute__((noinline)) void insert_or_assign_and_count(const Key &key, const std::vector<Value> &v) { values[key] = v; for (int i = 0; i < 5000; i++) sink += i; }
};
template <typename C> __attribute__((noinline)) void fill_from_the_beginning(C &c, int n) {
	for (int i = 0; i < n; i++)
		c.insert_or_assign_and_count(std::to_string(i), { i, i + 1 });
}
} }
ROUTINES
__attribute__((noinline)) static void fill(int n) {
	a_library_with_a_long_name::and_another_inside::Container<std::string, int> c;
	a_library_with_a_long_name::and_another_inside::fill_from_the_beginning(c, n);
	CALLS
}
int main(int argc, char **argv) {
	const char *what = argc > 1 ? argv[1] : "";
	for (clock_t end = clock() + CLOCKS_PER_SEC / 10; clock() < end;)	// enough for samples, however fast the machine
		fill(600);
	for (int i = 0; i < 3 && !strcmp(what, "fork"); i++)
		if (fork() == 0) {
			fill(1000);
			exit(0);
		}
	while (wait(nullptr) > 0)
		;
	puts("its own output");
	fputs("its own errors\n", stderr);
	fflush(stdout);
	if (!strcmp(what, "abort"))
		abort();
	return argc > 2 ? atoi(argv[2]) : 0;
}
'''


class Base(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.home.cleanup)
        cls.cwd = pathlib.Path(cls.home.name)
        text = PROGRAM.replace('ROUTINES', ''.join(f'__attribute__((noinline)) static void routine{i}() {{ sink++; }}\n' for i in range(40)))
        (cls.cwd / 'prog.cc').write_text(text.replace('CALLS', ' '.join(f'routine{i}();' for i in range(40))))
        subprocess.run([BUILD / 'aprof-c++', '-O1', '-g', '-w', '-o', 'prog', 'prog.cc'], cwd=cls.cwd, check=True)
        (cls.cwd / 'other').write_bytes((cls.cwd / 'prog').read_bytes())
        (cls.cwd / 'other').chmod(0o755)

    def run_prog(self, *arguments, **more):
        return subprocess.run([APROF, 'run', *arguments], cwd=self.cwd, capture_output=True, text=True, env={**os.environ, 'LC_ALL': 'C.UTF-8'}, **more)


class Screen(Base):
    """What aprof run prints when the program has ended."""

    def check_screen(self, text, command):
        """TEXT, without colours, is one screen: the head in eight lines at most, where the time is, and a line of commands."""
        lines = text.splitlines()
        begin = next(i for i, line in enumerate(lines) if line.startswith('command     '))
        hot = next((i for i, line in enumerate(lines) if 'most time in its own code' in line), None)
        self.assertIsNotNone(hot, text)
        self.assertLessEqual(hot - 1 - begin, 8, text)
        self.assertLessEqual(len(lines), 40, text)
        self.assertLessEqual(max(map(len, lines)), 80, text)
        self.assertTrue(lines[begin].startswith(f'command     {command}'), text)
        self.assertRegex(text, r'most time in its own code .*\n(.*\d.*\n){1,5}.*most time in all .*\n(.*\d.*\n){1,5}(\n(.*\n)+)?\nMore: aprof report; likewise [a-z, ]+\n$')
        self.assertNotRegex(text, '[Nn]one:')

    def test_streams_are_the_programs(self):
        done = self.run_prog('./prog', 'quick', '3')
        self.assertEqual((done.returncode, done.stdout), (3, 'its own output\n'))
        self.assertTrue(done.stderr.startswith('its own errors\n\ncommand '), done.stderr)
        self.check_screen(done.stderr, './prog quick 3')
        self.assertIn('; exit status 3\n', done.stderr)

    @here.long
    def test_how_it_ends(self):
        done = self.run_prog('./prog', 'abort')
        self.assertEqual(done.returncode, 128 + 6)
        self.check_screen(done.stderr, './prog abort')
        self.assertIn('killed by signal 6', done.stderr)
        done = self.run_prog('./prog', 'fork')
        self.check_screen(done.stderr, './prog fork')
        self.assertRegex(done.stderr, r'amon\.out: 4 processes, the first [-:0-9 ]+; 4 ended\n')
        self.assertRegex(done.stderr, r'more: aprof annotate \S+\n')

    def test_long_command(self):
        done = self.run_prog('./prog', 'word ' * 50)
        self.check_screen(done.stderr, "./prog 'word word")
        self.assertRegex(done.stderr, r'command .*\.\.\.\n')

    @here.long
    def test_several_programs(self):
        script = '; '.join(f'cp other p{i}; ./p{i}' for i in range(4))
        done = self.run_prog('sh', '-c', f'{script}; ./prog; ./prog; ./prog')
        self.assertRegex(done.stderr, r'Programs of this run: 5; .*\n.*\n.* 3  \S+/prog: amon\.out\n.*/p\d: amon\.out\.p\d\nand 3 more: amon\.out\.NAME\n')
        self.check_screen(done.stderr[done.stderr.index('Programs'):], './prog')

    def test_data_of_another_name(self):
        done = self.run_prog('--data=some data', './prog')
        self.assertIn("\nMore: aprof report 'some data'; likewise", done.stderr)
        self.assertRegex(done.stderr, r"more: aprof annotate .* 'some data'\n")

    def test_focus_and_threads_are_the_screens(self):
        done = self.run_prog('--focus=fill.*', '--thread=0', '--raw', './prog')
        self.assertEqual(done.stdout, 'its own output\n')
        self.assertIn('left in the times (--raw)', done.stderr)

    @here.long
    def test_report(self):
        for words in ['--report'], ['-b'], ['-p'], ['-q'], ['-Pmain'], ['-c'], ['--sort=calls'], ['--model=gprof'], ['--leaves'], ['--lines']:
            with self.subTest(words):
                done = self.run_prog(*words, './prog')
                self.assertEqual(done.stderr, 'its own errors\n')
                self.assertTrue(done.stdout.startswith('its own output\ncommand '), done.stdout[:100])
                self.assertRegex(done.stdout, r'\n(Flat profile|\s+Call graph)')
        done = self.run_prog('-o', 'report', '--color=auto', './prog')
        self.assertEqual((done.stdout, done.stderr), ('its own output\n', 'its own errors\n'))

    @here.long
    def test_on_a_terminal(self):
        status, shown = terminal([APROF, 'run', './prog'], self.cwd, lines=40)
        self.assertEqual(status, 0)
        self.assertRegex(shown, r'\x1b\[1;36m% time.*most time in its own code')
        self.check_screen(plain(shown), './prog')
        for lines in range(18, 26):
            status, shown = terminal([APROF, 'run', './prog', 'quick'], self.cwd, lines=lines)
            text = plain(shown)
            self.assertLessEqual(text[text.index('\ncommand '):].count('\n'), lines, text)
            self.assertRegex(text, r'most time in its own code .*\n(.*\d.*\n){1,5}.*most time in all .*\n(.*\d.*\n){1,5}')
        status, shown = terminal([APROF, 'run', '-o', 'report', './prog'], self.cwd)
        self.assertNotIn('\x1b', (self.cwd / 'report').read_text())

    @here.long
    def test_colour_is_that_of_its_stream(self):
        status, shown = terminal([APROF, 'run', './prog'], self.cwd, streams=[1])
        self.assertEqual(shown, 'its own output\n')
        status, shown = terminal([APROF, 'run', './prog'], self.cwd, streams=[2])
        self.assertIn('\x1b[1;36m', shown)
        status, shown = terminal([APROF, 'run', '--color=never', './prog'], self.cwd, streams=[2])
        self.assertNotIn('\x1b', shown)


class Pager(Base):
    """What is longer than the screen."""
    PAGER = 'sed s/^/paged:/'

    def setUp(self):
        self.run_prog('--no-report', './prog')
        self.whole = subprocess.run([APROF, 'report', '-b'], cwd=self.cwd, capture_output=True, text=True, env={**os.environ, 'LC_ALL': 'C.UTF-8'}).stdout

    def shown(self, *words, **more):
        status, shown = terminal([APROF, *words], self.cwd, **more)
        self.assertEqual(status, 0, shown)
        return plain(shown)

    def paged(self, *words, **more):
        lines = self.shown(*words, **more).splitlines()
        return bool(lines) and all(line.startswith('paged:') for line in lines)

    def test_what_is_longer_is_paged(self):
        self.assertTrue(self.paged('report', '-b', PAGER=self.PAGER))
        self.assertTrue(self.paged('report', '-b', PAGER='cat', APROF_PAGER=self.PAGER))
        self.assertTrue(self.paged('report', '-b', PAGER=self.PAGER, streams=[1]))
        for words in ['tree'], ['info'], ['diff', '--all', 'amon.out', 'amon.out'], ['hot']:
            with self.subTest(words):
                self.assertTrue(self.paged(*words, PAGER=self.PAGER, lines=5))
        self.assertTrue(self.paged('hot', PAGER=self.PAGER, lines=24, columns=20))      # its lines take several rows

    @here.long
    def test_what_fits_is_not(self):
        for more in dict(lines=len(self.whole) + 99), dict(APROF_PAGER=''), dict(APROF_PAGER='cat'), dict(TERM='dumb'):
            with self.subTest(more):
                self.assertFalse(self.paged('report', '-b', **{'PAGER': self.PAGER, **more}))
        self.assertFalse(self.paged('report', '-b', '--no-pager', PAGER=self.PAGER))
        self.assertFalse(self.paged('hot', PAGER=self.PAGER, lines=25))
        rows = self.shown('hot', PAGER='').count('\n')
        self.assertFalse(self.paged('hot', PAGER=self.PAGER, lines=rows + 1))
        self.assertTrue(self.paged('hot', PAGER=self.PAGER, lines=rows))
        done = subprocess.run([APROF, 'report', '-b'], cwd=self.cwd, capture_output=True, text=True, env={**os.environ, 'PAGER': self.PAGER})
        self.assertNotIn('paged:', done.stdout)

    def test_all_of_it_arrives(self):
        shown = self.shown('report', '-b', '--wide', PAGER='tr a-z a-z', columns=4000)
        listings = lambda text: text[text.index('Flat profile'):text.index('Index by')]      # what is before and behind is as wide as the terminal
        self.assertEqual(listings(shown), listings(self.whole))

    @here.long
    def test_a_pager_that_is_left_is_no_error(self):
        self.assertEqual(self.shown('report', '-b', PAGER='true'), '')
        self.assertEqual(self.shown('report', '-b', PAGER='head -n 1').count('\n'), 1)
        self.assertIn('\n', self.shown('report', '-b', PAGER='exit 3'))

    def test_a_pager_that_is_not_there(self):
        shown = self.shown('report', '-b', PAGER='no-such-pager -x')
        self.assertIn('PAGER=no-such-pager -x: no such program; nothing is paged', shown)
        self.assertIn('Flat profile', shown)

    def test_less(self):
        if subprocess.run(['which', 'less'], capture_output=True).returncode:
            self.skipTest('no less here')
        shown = self.shown('report', keys=b'q')
        self.assertIn('command     ./prog', shown)
        self.assertNotIn('Call graph', shown)

    def test_a_run(self):
        status, shown = terminal([APROF, 'run', '--report', './prog', 'quick', '4'], self.cwd, PAGER=self.PAGER)
        self.assertEqual(status, 4)
        self.assertRegex(plain(shown), r'^its own output\nits own errors\npaged:command ')
        status, shown = terminal([APROF, 'run', '--report', '--no-pager', './prog'], self.cwd, PAGER=self.PAGER)
        self.assertNotIn('paged:', shown)
        status, shown = terminal([APROF, 'run', './prog'], self.cwd, PAGER=self.PAGER, lines=5)
        self.assertNotIn('paged:', shown)


if __name__ == '__main__':
    unittest.main()
