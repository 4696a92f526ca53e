"""explorer_test.py BUILD: aprof view driven in tmux as its users drive it, at several sizes."""
import json
import os
import pathlib
import re
import shutil
import signal as signals
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import here

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
APROF = BUILD / 'aprof'

# work is heavy by itself; two callers; a recursion of two, and one of itself; and a name that would turn the terminal red.
PROGRAM = r'''
static volatile long sink;
__attribute__((noinline)) void work(long n)
{
	for (long i = 0; i < n; i++)
		sink += i;	/* the line that takes the time */
}
__attribute__((noinline)) void cheap(void) { for (int i = 0; i < 10; i++) work(1000); }
__attribute__((noinline)) void dear(void) { for (int i = 0; i < 10; i++) work(20000000); }
__attribute__((noinline)) void hostile(void) { sink++; }
__attribute__((noinline)) void odd(int n);
__attribute__((noinline)) void even(int n) { if (n > 0) odd(n - 1); sink++; }
__attribute__((noinline)) void odd(int n) { if (n > 0) even(n - 1); sink++; }
__attribute__((noinline)) void again(int n) { if (n > 0) again(n - 1); sink++; }
int main(void)
{
	cheap();
	dear();
	hostile();
	even(9);
	again(99);
	again(0);
	return 0;
}
'''

# Two threads, one of which works in `alone` only; MORE makes another build that works more; and a name too long for a row, but for its end.
THREADS = r'''
#include <pthread.h>
namespace a_namespace_of_some_length { namespace and_another_one_within_it {
volatile long sink;
__attribute__((noinline)) void work(long n) { for (long i = 0; i < n; i++) sink = sink + i; }
__attribute__((noinline)) void the_end_of_the_name(long n) { for (int i = 0; i < 10; i++) work(n); }
} }
using namespace a_namespace_of_some_length::and_another_one_within_it;
extern "C" __attribute__((noinline)) void alone() { for (int i = 0; i < 7; i++) work(10000000); }
extern "C" __attribute__((noinline)) void *begin(void *) { alone(); return nullptr; }
int main()
{
	pthread_t thread;
	pthread_create(&thread, nullptr, begin, nullptr);
	the_end_of_the_name(MORE * 10000000L);
	pthread_join(thread, nullptr);
}
'''

# It works on and on, a little at a time; once told to, it calls one more.
SERVER = r'''
#include <poll.h>
#include <stdio.h>
#include <unistd.h>
static volatile long sink;
__attribute__((noinline)) void work(long n) { for (long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void cheap(void) { for (int i = 0; i < 10; i++) work(1000); }
__attribute__((noinline)) void dear(void) { for (int i = 0; i < 10; i++) work(200000); }
__attribute__((noinline)) void late(void) { work(3000000); }
int main(void)
{
	struct pollfd told = { .fd = 0, .events = POLLIN };
	puts("ready");
	fflush(stdout);
	for (;;) {
		cheap();
		dear();
		if (poll(&told, 1, 0) > 0)
			late();
		usleep(20000);
	}
}
'''


@unittest.skipUnless(shutil.which('tmux'), 'no tmux here')
class Explorer(unittest.TestCase):
    count = 0

    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.home.cleanup)
        cls.cwd = pathlib.Path(cls.home.name)
        (cls.cwd / 'prog.c').write_text(PROGRAM)
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-g', '-o', 'prog', 'prog.c'], cwd=cls.cwd, check=True)
        subprocess.run(['objcopy', '--redefine-sym', 'hostile=\x1b[31mred', 'prog'], cwd=cls.cwd, check=True)
        subprocess.run([APROF, 'run', '--no-report', './prog'], cwd=cls.cwd, check=True)
        report = subprocess.run([APROF, 'report', '--json'], cwd=cls.cwd, check=True, capture_output=True, text=True)
        told = json.loads(report.stdout)
        cls.flat = {row['name']: row for row in told['flat']}
        cls.whole = told['run']['times']['contexts_ns'] + told['run']['times']['outside_ns']

    def tmux(self, *arguments, check=True):
        return subprocess.run(['tmux', '-S', self.socket, '-f', '/dev/null', *arguments], check=check,
                              capture_output=True, text=True, env={**os.environ, 'LC_ALL': 'C.UTF-8'}).stdout

    def start(self, columns=80, lines=24, arguments='', **environment):
        """A shell in a terminal of that size, and aprof view in it."""
        Explorer.count += 1
        self.socket = self.cwd / f'socket{Explorer.count}'
        names = {'LC_ALL': 'C.UTF-8', 'PS1': '$ ', 'HISTFILE': '', **environment}
        words = ' '.join(f'{name}={value!r}' for name, value in names.items())
        self.tmux('new-session', '-d', '-x', str(columns), '-y', str(lines), '-c', str(self.cwd),
                  f'env -u NO_COLOR -u COLUMNS -u LINES {words} bash --noprofile --norc')
        self.addCleanup(subprocess.run, ['tmux', '-S', self.socket, 'kill-server'], capture_output=True)
        self.wait(r'\$')
        self.type(f'stty -g >before; {APROF} view {arguments}')

    def screen(self, *options):
        return self.tmux('capture-pane', '-p', *options)

    def wait(self, pattern, seconds=300):
        """Until the screen has PATTERN and is drawn, on a busy machine too; returns the screen."""
        end, screen = time.monotonic() + seconds, ''
        while True:
            before, screen = screen, self.screen()
            if re.search(pattern, screen, re.M) and screen == before:
                return screen
            if time.monotonic() > end:
                self.fail(f'no {pattern!r} on the screen:\n{screen}')
            time.sleep(0.02)

    def wait_selected(self, pattern, seconds=300):
        """Until the line under the cursor has PATTERN; returns it."""
        end = time.monotonic() + seconds
        while not re.search(pattern, selected := self.selected()):
            if time.monotonic() > end:
                self.fail(f'no {pattern!r} under the cursor: {selected!r}\n{self.screen()}')
            time.sleep(0.02)
        return selected

    def type(self, text):
        self.tmux('send-keys', '-l', text)
        self.tmux('send-keys', 'Enter')

    def keys(self, *keys):
        self.tmux('send-keys', *keys)

    def selected(self):
        """The line under the cursor: it is in reverse, and so are the first and the last."""
        lines = self.screen('-e').split('\n')
        found = [line for line in lines[2:] if re.search(r'\x1b\[(\d+;)*7(;\d+)*m', line)]
        return re.sub(r'\x1b\[[\d;]*m', '', found[0]) if found else ''

    def explorer(self):
        """The process in the terminal that runs aprof."""
        below = [int(self.tmux('display-message', '-p', '#{pane_pid}'))]
        for pid in below:
            if os.readlink(f'/proc/{pid}/exe') == str(APROF):
                return pid
            below += map(int, pathlib.Path(f'/proc/{pid}/task/{pid}/children').read_text().split())
        self.fail('aprof does not run')

    def quit(self):
        """q leaves, with status 0, the terminal as it was, and what stood there before."""
        self.keys('q')
        self.wait(r'\$\s*\Z')
        self.type('echo status $?; stty -g >after')
        self.wait(r'^status 0\n(.*\n)*\$\s*\Z')
        self.assertEqual((self.cwd / 'before').read_text(), (self.cwd / 'after').read_text())

    def test_pages_at_three_sizes(self):
        for columns, lines in (80, 24), (120, 40), (40, 12):
            with self.subTest(f'{columns}x{lines}'):
                self.start(columns, lines)
                screen = self.wait(r'\[1Routines\]')
                self.assertEqual(len(screen.split('\n')), lines + 1)
                self.wait_selected(' work')
                if columns >= 80:
                    row = next(line for line in screen.split('\n') if line.endswith(' work')).replace('±', '')
                    self.assertEqual(int(row.split()[-2]), self.flat['work']['calls'])
                    self.assertRegex(screen, r' 2\+99 again')        # as the call graph has it
                    number, unit = row.split()[2:4]
                    time = self.flat['work']['self_ns']
                    self.assertAlmostEqual(float(number) * {'ns': 1, 'us': 1e3, 'ms': 1e6, 's': 1e9}[unit], time, delta=time / 100)
                self.keys('Enter')
                screen = self.wait(r'\[2Callers\]')
                names = [line.split()[-1] for line in screen.split('\n')[2:-2] if line.strip()]
                self.assertEqual(names, ['cheap', 'dear', 'work'])
                self.wait_selected(r' work\s*$')
                self.keys('3')
                self.wait(r'\[3Top-down\](.|\n)*▸ main$')
                self.keys('E')
                self.wait(r'(?m)  ▾ dear$')
                self.keys('4')
                self.wait(r'\[4Bottom-up\](.|\n)*▸ work$')
                self.keys('g')		# the cursor follows main, if a sample fell into it
                self.wait_selected(r' work\s*$')
                self.keys('Right')
                self.wait(r'(?m)  ▸ dear$')
                self.keys('5')
                self.wait(r'\[5Cycles\](.|\n)*(even -> odd|odd -> even)')
                self.keys('6')
                self.wait(r'\[6Paths\]')
                self.keys('1', 'g', 'a')
                self.wait(r'\[7Source\]')
                self.wait('sink \\+= i;')
                self.keys('?')
                self.wait(r'\[\?Help\]')
                self.keys('BSpace')
                self.wait(r'\[7Source\]')
                self.quit()

    def share(self, name, kind):
        """How the report has the share of routine NAME by KIND: `12.34 ±1.2`, or a bound where it may be chance."""
        share, error = (100 * self.flat[name][f'{kind}_{what}'] / self.whole for what in ('ns', 'error_ns'))
        return share, error

    def test_shares_have_their_errors(self):
        self.start(120, 40)
        screen = self.wait(r'\[1Routines\]')
        self.assertRegex(screen, r'% self +± +\*self +% tot +± +total +calls name')
        rows = {line.split()[-1]: line for line in screen.split('\n')[2:-2] if line.strip()}
        for name, kind, column in ('work', 'self', 0), ('dear', 'total', -1):
            share, error = self.share(name, kind)
            shown, off = re.findall(r'([\d.]+) +±([\d.]+)', rows[name])[column]
            self.assertAlmostEqual(float(shown), share, delta=0.02)
            self.assertAlmostEqual(float(off), error, delta=0.06)
        self.assertRegex(rows['cheap'], r'^ *<\d')          # hardly any sample: a bound, not a figure
        for page, name in ('2', 'work'), ('3', 'main'), ('4', 'work'):
            self.keys(page)
            self.wait(rf'^ *[\d.]+ +±[\d.]+ .*{name}$')
        self.keys('6')
        self.wait(r'% time +± +time')
        self.quit()
        self.start(40, 12)
        screen = self.wait(r'\[1Routines\]')
        self.assertNotIn('±', screen)
        self.assertRegex(screen, r'(?m)^ *<\d.* cheap$')

    def test_source(self):
        self.start()
        self.wait(r'\[1Routines\]')
        self.keys('/')
        self.type('dear')
        self.wait('[2-8]/8')
        self.wait_selected(r' dear\s*$')
        self.keys('a')
        self.wait(r'-> work  10 calls, [\d.]+ m?s, [\d.]+±?[\d.]* %')
        self.keys('1', 'g')
        self.wait_selected(r' work\s*$')
        self.keys('a')
        self.wait(r'^ *\d+ +[\d.]+(±[\d.]+)? %.*sink \+= i')

    def test_search_sort_and_filter(self):
        self.start()
        self.wait(r'\*self')
        self.keys('s')
        self.wait(r'\*total.*\n(.* (work|dear|main)\n){3}')
        self.keys('/')
        self.type('^.* (odd|even)$')
        self.wait(r'[2-8]/8')
        first = self.wait_selected(r'(odd|even)\s*$').split()[-1]
        self.keys('n')
        self.wait_selected(r' even\s*$' if first == 'odd' else r' odd\s*$')
        self.keys('/')
        self.type('nowhere')
        self.wait('Pattern not found: nowhere')
        self.keys('/')
        self.type('*(')
        self.wait('not a regular expression|not found')
        self.keys('s')
        self.wait(r'\*calls')
        self.keys('&')
        self.type('^(che|de)a')
        self.wait('1/2')
        self.wait(r'name  &\^\(che\|de\)a')
        self.keys('&')
        self.type('')
        self.wait('1/8')

    def test_trees_unfold(self):
        self.start()
        self.wait('Routines')
        self.keys('3')
        self.wait('▸ main')
        self.keys('Enter', 'j')
        self.wait('  ▸ dear')
        self.keys('Right')
        self.wait('    +work')
        self.keys('Left', 'Left', 'Left')
        self.wait('▸ main')
        self.keys('E')
        self.wait('▾ dear')
        self.keys('C')
        self.wait('▸ main')

    def test_bytes_that_are_no_characters(self):
        """They are passed over, alone and within a character that is cut off; what is typed after them counts."""
        self.start()
        self.wait(r'\*self')
        self.tmux('send-keys', '-H', 'ff', 'fe')
        self.keys('s')
        self.wait(r'\*total')
        self.keys('/')
        self.tmux('send-keys', '-H', 'ff', 'c3')
        self.keys('d')
        self.tmux('send-keys', '-H', 'e2', '82')
        self.type('ear$')
        self.wait_selected(r' dear\s*$')
        self.keys('/')
        self.type('é')
        self.wait('Pattern not found: é')

    def test_resized_while_running(self):
        self.start()
        self.wait('Routines')
        for columns, lines in (120, 40), (40, 12), (20, 5), (3, 2), (1, 1), (2, 9), (80, 24):
            self.tmux('resize-window', '-x', str(columns), '-y', str(lines))
            time.sleep(0.1)
            self.keys('j', 'k', '2', 'G', '3', 'E', 'g', '7', '?', '1')
        self.assertEqual(len(self.wait(r'^ *\[?1Routines.*7Source').split('\n')), 25)
        self.quit()

    def test_plain_terminals(self):
        self.start(LC_ALL='C', TERM='vt100')
        self.wait('Routines')
        self.keys('3')
        self.wait(r'(?m)\+ main$')
        self.assertTrue(self.screen().isascii())
        self.assertNotRegex(self.screen('-e'), r'\x1b\[[\d;]*3[0-8]m')
        self.quit()

    def test_call_sites(self):
        """Below each arc the places of its calls, as the call graph has them; the cursor walks over them."""
        subprocess.run([BUILD / 'aprof-cc', '--aprof-way=fentry', '-O1', '-g', '-o', 'sited', 'prog.c'], cwd=self.cwd, check=True)
        subprocess.run(['./sited'], cwd=self.cwd, check=True, env={**os.environ, 'APROF_SITES': '1', 'APROF_OUT': 'sited.out'})
        graph = json.loads(subprocess.run([APROF, 'report', '--json', '--sites', 'sited.out'], cwd=self.cwd, check=True, capture_output=True, text=True).stdout)
        entry = next(e for e in graph['callgraph'] if e['name'] == 'again')
        wanted = [('%s:%d:%d' % (os.path.basename(s['file']), s['line'], s['column']), s['calls'])
                  for s in [s for caller in entry['parents'] for s in caller['sites']] + entry['recursive_sites']]
        self.assertGreater(len(wanted), 1)
        self.start(100, 40, 'sited.out')
        self.wait('Routines')
        self.keys('/', *'again', 'Enter', 'Enter')
        screen = self.wait(r'\[2Callers\](.|\n)*at prog.c')
        found = [(place, int(calls)) for calls, place in re.findall(r'(\d+) +at (prog\.c:\d+:\d+)', screen)]
        self.assertEqual(sorted(found), sorted(wanted))
        self.keys('Down')
        self.wait_selected(r' at prog\.c:\d+:\d+')

    def test_no_colour(self):
        for environment, coloured in ({'TERM': 'screen-256color'}, True), ({'TERM': 'screen-256color', 'NO_COLOR': '1'}, False):
            self.start(**environment)
            self.wait('1/8')
            self.assertEqual(bool(re.search(r'\x1b\[([\d;]*;)?3[0-8]', self.screen('-e'))), coloured)

    def test_hostile_name(self):
        self.start()
        self.wait('Routines')
        self.wait(r'\\x1b\[31mred')

    def test_mouse(self):
        self.start(TERM='screen')
        screen = self.wait('Routines').split('\n')
        line = next(i for i, text in enumerate(screen) if text.endswith(' dear'))

        def click(column, row, times=1):
            place = chr(33 + column) + chr(33 + row)
            self.tmux('send-keys', '-l', f'\x1b[M {place}\x1b[M#{place}' * times)
        click(10, line)
        self.wait(f'{line - 1}/8')
        self.wait_selected(r' dear\s*$')
        time.sleep(0.6)		# longer than between the two clicks that are Enter
        click(10, line, times=2)
        self.wait(r'\[2Callers\]')
        click(screen[0].index('3Down'), 0)
        self.wait(r'\[3Top-down\]')

    def test_stopped_and_continued(self):
        self.start()
        self.wait('Routines')
        self.keys('C-z')
        self.wait('Stopped')
        self.type('stty -g | diff before - && echo as before')
        self.wait('^as before')
        self.tmux('resize-window', '-x', '100', '-y', '30')
        self.type('fg')
        self.wait(r'\[1Routines\]')
        self.keys('3')
        self.assertEqual(len(self.wait('▸ main').split('\n')), 31)
        self.quit()

    def start_server(self):
        """A program that works for ever; aprof view of its PID is begun."""
        (self.cwd / 'server.c').write_text(SERVER)
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-g', '-o', 'server', 'server.c'], cwd=self.cwd, check=True)
        server = subprocess.Popen(['./server'], cwd=self.cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                  env={**os.environ, 'APROF_OUT': str(self.cwd / f'live.{Explorer.count}')})
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        self.addCleanup(server.stdin.close)
        self.addCleanup(server.stdout.close)
        self.assertEqual(server.stdout.readline(), 'ready\n')
        self.start(100, 24, str(server.pid))
        self.wait(r' live ')
        return server

    def calls_of(self, name):
        return int(next(line for line in self.screen().split('\n') if line.endswith(f' {name}')).split()[-2])

    def wait_more(self, name, calls):
        end = time.monotonic() + 300
        while self.calls_of(name) <= calls:
            self.assertLess(time.monotonic(), end, self.screen())
            time.sleep(0.1)

    def threaded(self):
        """Profiles of the program with two threads: two, and two more of the build that works more."""
        if (self.cwd / 'o2').exists():
            return
        (self.cwd / 'threads.cc').write_text(THREADS)
        builds = {'slow': (3, ('n1', 'n2')), 'quick': (1, ('o1', 'o2'))}
        for name, (more, _) in builds.items():
            subprocess.run([BUILD / 'aprof-c++', f'-DMORE={more}', '-O1', '-g', '-pthread', '-o', name, 'threads.cc'], cwd=self.cwd, check=True)
        for _ in range(5):      # beside other work two runs of one build may differ by more than the builds do
            for name, (_, runs) in builds.items():
                for run in runs:
                    subprocess.run([f'./{name}'], cwd=self.cwd, check=True, env={**os.environ, 'APROF_OUT': run})
            if any(r['self']['news'] for r in self.json('diff', '--json', 'o1', 'o2', '--against', 'n1', 'n2')['routines']):
                break

    def json(self, *arguments):
        return json.loads(subprocess.run([APROF, *arguments], cwd=self.cwd, check=True, capture_output=True, text=True).stdout)

    def rows(self):
        """The lines of the page, but for blank ones."""
        return [line for line in self.screen().split('\n')[2:-2] if line.strip()]

    def test_threads(self):
        """A thread is chosen, and all pages are about it alone, as with --thread; the first line brings all back."""
        self.threaded()
        threads = self.json('info', '--json', '--threads', 'o1')['threads']
        self.assertEqual(len(threads), 2)
        only = {r['name']: r for r in self.json('report', '-p', '--json', '--thread=1', 'o1')['flat']}
        self.start(100, 24, 'o1')
        self.wait('Routines')
        self.keys('9')
        self.wait(r'\[9Threads\]')
        self.assertEqual([int(re.search(r' tid (\d+)', row)[1]) for row in self.rows()[1:]], [t['tid'] for t in threads])
        self.wait_selected(r'\* all threads\s*$')
        self.keys('j', 'j', 'Enter')
        self.wait(r'\* 1 ')
        self.keys('1')
        self.wait(r'thread 1 ')
        found = {row.split()[-1]: row for row in self.rows()}
        self.assertEqual(set(name.split('::')[-1].split('(')[0] for name in found), {'alone', 'begin', 'work'})
        number, unit = found['alone'].split()[-4:-2]
        total = float(number) * {'ns': 1, 'us': 1e3, 'ms': 1e6, 's': 1e9}[unit]
        self.assertAlmostEqual(total, only['alone']['total_ns'], delta=total / 100)
        self.keys('3', 'E')
        self.wait('begin')
        self.assertNotIn('main', '\n'.join(self.rows()))
        self.keys('8')
        self.wait(r'for alone$')
        self.keys('9', 'g', 'Enter', '3')
        self.wait(r'main$')
        self.quit()

    def test_hot(self):
        """What aprof hot finds; Enter leads to the routine, at three sizes."""
        found = self.json('hot', '--json')
        for columns, lines in (120, 30), (80, 24), (40, 12):
            self.start(columns, lines)
            self.wait('Routines')
            self.keys('8')
            self.wait(r'\[8Hot\](.|\n)*most time in its own code')
            rows = self.rows()
            self.assertNotIn('none', '\n'.join(rows))
            self.assertEqual(rows[1].split()[-1], found['by_own'][0]['name'])
            callers = [c['name'] for c in found['by_own'][0]['callers'][:1]]
            self.assertEqual([row.split(' for ')[1].strip() for row in rows[2:2 + len(callers)]], callers)
            self.keys('j')
            self.wait_selected(rf' for {callers[0]}\s*$')
            self.keys('Enter')
            self.wait(rf'\[2Callers\](.|\n)*{callers[0]}')
            self.wait_selected(rf' {callers[0]}\s*$')
            self.keys('BSpace')
            self.wait(r'\[8Hot\]')
            self.quit()

    @here.long
    def test_changes(self):
        """Two sides: what diff says, by the same judgement; the other pages are of the new side, and with x of the base."""
        self.threaded()
        diff = self.json('diff', '--json', 'o1', 'o2', '--against', 'n1', 'n2')
        news = {r['name'].split('::')[-1].split('(')[0] for r in diff['routines'] if any(r[k]['news'] for k in ('self', 'total', 'calls'))}
        for columns, lines in (130, 40), (80, 30), (50, 40):
            self.start(columns, lines, 'o1 o2 --against n1 n2')
            screen = self.wait(r'\[0Changes\](.|\n)*Routines by change of self')
            count = int(re.search(r'self time?: *(\d+)', screen + ' time: 0')[1]) if columns > 60 else len(news)
            self.assertEqual(count, len(news))
            rows = [row.replace('   (same code, same calls)', '') for row in self.rows()]
            rows = [row for row in rows if re.search(r' (\S*::)?(work|alone|begin|main|the_end_of_the_name)$', row)]
            self.assertEqual({re.split(r'::| ', row)[-1] for row in rows[:len(news)]}, news)
            changed = [row for row in rows if re.search(r'[+-]\d', row)]
            self.assertEqual(len(changed), len([r for r in diff['routines'] if r['self']['news'] or r['calls']['news']
                                                or (columns > 64 and r['total']['news'])]))
            self.wait_selected(rf'(::| )({"|".join(news)})(   \(same code, same calls\))?\s*$')
            self.keys('G', 'Enter')
            self.wait(r'(?m)^▾ Contexts')
            self.keys('g', '/')
            self.type('alone$')
            self.wait_selected(r' alone\s*$')
            self.keys('Enter')
            self.wait(r'\[2Callers\](.|\n)* new: slow')
            self.keys('x')
            self.wait(r'\[2Callers\](.|\n)* base: quick')
            self.wait_selected(r' alone\s*$')
            self.tmux('resize-window', '-x', '60', '-y', '20')
            self.keys('0')
            self.wait(r'\[0Diff\]')
            self.quit()
        self.start(80, 24, 'o1 --against')
        self.wait('one side has no profile')

    def test_sides_are_means(self):
        """Beyond the first page a side is the mean of its runs, of which the threads are one each: of the same run twice it is that run."""
        for seed, name in (7, 'made'), (8, 'other'):
            subprocess.run([BUILD / 'src/contract/make-amon', '--seed', str(seed), '--routines', '4', '--threads', '2', '--calls', '301', '--ticks', '3', name],
                           cwd=self.cwd, check=True)
        screens = {}
        for sides in 'made made --against other', 'made --against other':
            self.start(140, 30, f'--raw {sides}')     # what hooks cost is estimated of all runs together
            self.wait(r'\[0Changes\]')
            self.keys('x')
            self.wait('base: .*mean of 2 runs' if sides.startswith('made made') else 'base: ')
            for key, page in ('1', 'Routines'), ('3', 'Top'), ('9', 'Threads'):
                self.keys(key)
                self.wait(rf'\[{key}{page}')
                screens.setdefault(sides, []).append([re.sub(r', tid \d+|±[\d.]+', '', row).rstrip() for row in self.rows()])
            self.quit()
        self.assertEqual(*screens.values())

    def test_figures_are_those_of_json(self):
        """Shares, times and calls of the routines, each to the digits that it has; what no sample tells is a bound."""
        subprocess.run([BUILD / 'src/contract/make-amon', '--seed', '7', '--routines', '12', '--calls', '4000', '--ticks', '0.02', '--recursion', '0.2', 'few'], cwd=self.cwd, check=True)
        report = self.json('report', '--json', 'few')
        flat = {r['name']: r for r in report['flat']}
        run = report['run']['times']['contexts_ns'] + report['run']['times']['outside_ns']
        self.start(120, 40, 'few')
        self.wait('Routines')
        rows = [re.fullmatch(r' *(<?[\d.]+)(?: +±[\d.]+)? +(<?[\d.]+ \w+|0) +(<?[\d.]+)(?: +±[\d.]+)? +(<?[\d.]+ \w+|0) +(\d+)(?:\+(\d+))? +(\w+) *', row) for row in self.rows()]
        self.assertTrue(all(rows), self.rows())
        self.assertEqual({row[7] for row in rows}, set(flat))
        for row in rows:
            r = flat[row[7]]
            for share, text, ns in (row[1], row[2], r['self_ns']), (row[3], row[4], r['total_ns']):
                if not share.startswith('<'):
                    self.assertAlmostEqual(float(share), 100 * ns / run, delta=0.0051, msg=row[0])
                number, unit = text.lstrip('<').split() if text != '0' else (0, 'ns')
                told = float(number) * {'ns': 1, 'us': 1e3, 'ms': 1e6, 's': 1e9}[unit]
                self.assertTrue(ns < told / 2 + 1 if text.startswith('<') else abs(told - ns) <= 0.006 * ns, (row[0], ns))
            self.assertEqual((int(row[5]), int(row[6] or 0)), (r['calls'], r['recursive']))
        self.quit()

    def test_ranks(self):
        """Of an MPI job a column says how uneven its ranks are, where there is room, as the report has it."""
        subprocess.run([BUILD / 'src/contract/make-amon', '--seed', '7', '--routines', '4', '--calls', '300', '--ticks', '3', '--ranks', '4', 'job'], cwd=self.cwd, check=True)
        report = json.loads(subprocess.run([APROF, 'report', '--imbalance', '--json', 'job'], cwd=self.cwd, check=True, capture_output=True, text=True).stdout)
        self.start(120, 24, 'job')
        screen = self.wait(r'calls +uneven +name$')
        for name in {row['history'][-1] for row in report['imbalance']}:
            beyond = sum(row['time_most_ns'] - row['time_ns'] / report['ranks'] for row in report['imbalance'] if row['history'][-1] == name)
            shown = re.search(rf'([\d.]+) ms +{name}$', screen, re.M)
            self.assertAlmostEqual(float(shown[1]), beyond / 1e6, delta=beyond / 1e8, msg=screen)
        self.keys('o', 'g', 'j', 'j', 'j', 'Enter', '1')
        self.wait(r'calls +name$')
        self.quit()

    @here.long
    def test_names_and_columns(self):
        """Names are fitted, with their ends, and whole when asked for; columns come and go, and never push the name out."""
        self.threaded()
        self.start(80, 24, 'o1')
        self.wait(r'(?m) \S*\.\.\.\S*the_end_of_the_name$')
        self.keys('/')
        self.type('some_length.*the_end_of')
        self.wait_selected(r'the_end_of_the_name\s*$')
        self.keys('w')
        self.wait(r'a_namespace_of_some')
        self.keys('w', 'o')
        self.wait(r'\[oColumns\]')
        self.keys('g', 'Enter', 'j', 'Enter', 'G', 'Enter', '1')
        self.wait(r'(?m)^\*%self +% tot +calls source +name$')
        self.wait(r'(?m) threads\.cc:\d+ +\S*main$')
        for kind in '2', '3', '4':
            self.keys(kind)
            self.wait(rf'\[{kind}(.|\n)*threads\.cc:\d+ ')
        self.keys('o', 'g', 'Enter', 'j', 'Enter', '1')
        self.wait(r'(?m)^% self +± +\*self +% tot +± +total +calls name$')     # there is no room for the source beside these
        self.keys('o')
        self.wait(r'\[-\] source')
        self.tmux('resize-window', '-x', '120', '-y', '24')
        self.wait(r'\[x\] source')
        self.quit()

    def test_last_line(self):
        """It says what keys do here, if there is room."""
        for columns, shown in (80, True), (30, False):
            self.start(columns, 24)
            self.wait('Routines')
            for page in '1234567890?':
                self.keys(page)
                time.sleep(0.2)
                self.assertEqual(self.screen().split('\n')[-2].endswith('? help'), shown)
        self.keys('?', 'G')
        self.assertTrue(all(len(line) <= 30 for line in self.screen().split('\n')))

    @here.long
    def test_live(self):
        """Figures grow; the cursor stays on its routine, filter, order and what was unfolded stay; r, p; the end is told."""
        server = self.start_server()
        self.keys('/')
        self.type(' cheap$')
        self.wait_selected(r' cheap\s*$')
        calls = self.calls_of('cheap')
        self.wait_more('cheap', calls)
        self.wait_selected(r' cheap\s*$')
        self.keys('s', '&')
        self.type('work|cheap|late')
        self.wait(r'\*total.*&work\|cheap\|late')
        self.assertNotRegex(self.screen(), ' late$')
        self.keys('p')
        self.wait(' paused ')
        calls = self.calls_of('cheap')
        server.stdin.write('x')             # from now on it also calls late, which is a routine of its own
        server.stdin.flush()
        time.sleep(3)
        self.assertEqual(self.calls_of('cheap'), calls)
        self.keys('p')
        self.wait(r'\*total.*&work\|cheap\|late(.|\n)* late$')
        self.wait_more('cheap', calls)
        self.keys('3', 'g', 'E', 'G')
        self.wait_selected(r'\+?work\s*$|\w\s*$')
        unfolded = [re.sub(r'^( *[\d.<±]+( [num]?s)?(?= ))* *', '', line) for line in self.wait(r'▾ main(.|\n)*▾ (dear|cheap|late)').split('\n')[2:-2]]
        selected = self.selected().split()[-1]
        before = self.screen()
        self.wait(r'live')
        end = time.monotonic() + 300
        while self.screen() == before:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)
        after = [re.sub(r'^( *[\d.<±]+( [num]?s)?(?= ))* *', '', line) for line in self.screen().split('\n')[2:-2]]
        self.assertEqual(sorted(after), sorted(unfolded))
        self.wait_selected(rf'{re.escape(selected)}\s*$')
        for page in '4', '5', '6', '7', '2':
            self.keys(page, 'r')
            self.wait(rf'\[{page}')
        server.kill()
        server.wait()
        self.wait(' ended ')
        self.keys('1', 'r')
        self.wait(r'\*total.*&work\|cheap\|late(.|\n)* late$')
        self.quit()

    def pid_below(self, parent, name):
        """The process NAME below PARENT, once it writes a profile."""
        end = time.monotonic() + 300
        while time.monotonic() < end:
            below = [parent]
            for pid in below:
                try:
                    below += map(int, pathlib.Path(f'/proc/{pid}/task/{pid}/children').read_text().split())
                    if pathlib.Path(f'/proc/{pid}/comm').read_text().strip() == name and 'amon.out' in pathlib.Path(f'/proc/{pid}/maps').read_text():
                        return pid
                except OSError:
                    continue
            time.sleep(0.02)
        self.fail(f'{name} does not run')

    def test_end_of_a_run(self):
        """What a process of aprof run left at its end is shown, though its file is gone by then."""
        (self.cwd / 'ends.c').write_text(SERVER.replace('for (;;)', 'while (poll(&told, 1, 0) == 0)'))
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-g', '-o', 'ends', 'ends.c'], cwd=self.cwd, check=True)
        run = subprocess.Popen([APROF, 'run', '--no-report', '--data=ends.out', './ends'], cwd=self.cwd, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.addCleanup(run.kill)
        self.start(arguments=str(self.pid_below(run.pid, 'ends')))
        self.wait(' live ')
        run.stdin.close()
        self.assertEqual(run.wait(), 0)
        screen = self.wait(' ended ')
        self.assertNotIn('not read any more', screen)
        flat = self.json('report', '--json', 'ends.out')['flat']
        self.assertEqual(self.calls_of('dear'), next(row['calls'] for row in flat if row['name'] == 'dear'))
        self.quit()

    def test_focus_and_hide(self):
        """Figures are those of --focus and --hide; F shows all; what is in force stands on the last line."""
        self.start(120, 40)
        self.wait(r'\[1Routines\]')
        self.keys('/')
        self.type(' dear$')
        self.wait_selected(r' dear\s*$')
        self.keys('f')
        self.wait('  focus dear')
        self.assertEqual(self.calls_of('work'), next(row['calls'] for row in self.json('report', '--json', '--focus=dear')['flat'] if row['name'] == 'work'))
        self.assertNotRegex(self.screen(), ' cheap$')
        self.keys('F')
        self.wait(' cheap$')
        self.assertNotIn('focus', self.screen())
        self.keys('/')
        self.type(' dear$')
        self.wait_selected(r' dear\s*$')
        self.keys('h')
        self.wait('  1 hidden')
        self.assertNotRegex(self.screen(), ' dear$')
        self.keys('3', 'g', 'E')
        self.wait(r'▾ main$(.|\n)*   work$')
        self.keys('2')
        self.wait(r'\[2Callers\]')
        self.keys('F', '1')
        self.wait(' dear$')
        self.keys('l')
        self.wait('  in prog')
        self.wait(' dear$')
        self.quit()

    def test_threads_by_key(self):
        self.threaded()
        self.start(100, 24, 'o1')
        self.wait(r'\[1Routines\]')
        self.keys('t')
        self.wait('  thread 0')
        self.keys('t')
        self.wait('  thread 1')
        self.keys('t')
        self.wait(r' quick [\d.]+ m?s  (?!thread)')
        self.keys('T')
        self.wait('  thread 1')
        self.quit()

    def test_q_leaves_help(self):
        self.start()
        self.wait(r'\[1Routines\]')
        self.keys('?')
        self.wait(r'\[\?Help\]')
        self.keys('q')
        self.wait(r'\[1Routines\]')
        self.quit()

    def test_pages_without_rows(self):
        """They say why; leaves have no mark of something below them; at 60 columns pages still have names."""
        self.start(60)
        self.wait(r'\[1Rout\]2Call 3Down 4Up 5Cycl 6Path 7Src 8Hot 9Thr ')
        self.keys('/')
        self.type(' work$')
        self.wait_selected(' work')
        self.keys('f', '/')
        self.type(' dear$')
        self.wait_selected(' dear')
        self.keys('h', '5')
        self.wait(r'No cycle was traversed: (.|\n)*is\s+a\s+part\s+of\s+the\s+run\s+alone:\s+F\s+shows\s+all\.')
        self.keys('F', '1', '&')
        self.type('nothing is called so')
        self.wait('No routine is to be seen')
        self.keys('&')
        self.type('')
        self.keys('3', 'g', 'E')
        screen = self.wait('▾ dear')
        self.assertRegex(screen, r'(?m) {3,}work$')
        self.assertNotRegex(screen, r'▾ work')
        self.quit()

    def test_selected_row_has_the_terminals_colours(self):
        """What is reversed is readable on light and dark if it has no colour of its own."""
        self.start(TERM='xterm-256color')
        self.wait_selected(' work')
        self.keys('3', 'g', 'E')
        self.wait('▾ dear')
        rows = [line for line in self.screen('-e').split('\n')[2:-2] if ' main' in line or ' dear' in line]
        reverse = [line for line in rows if re.search(r'\x1b\[(\d+;)*7(;\d+)*m', line)]
        self.assertEqual(len(reverse), 1)
        self.assertNotRegex(reverse[0], r'\x1b\[(\d+;)*(3[0-8]|9\d)(;\d+)*m')
        self.assertTrue(any(re.search(r'\x1b\[(\d+;)*31(;\d+)*m', line) for line in rows), 'the other one is hot')

    def test_page_to_a_file(self):
        self.start(60)
        self.wait(r'\[1Rout\]')
        self.keys('s', '&')
        self.type('work|dear')
        self.wait(r'&work\|dear')
        for wanted in 'written to seen.txt: 3 lines', 'seen.txt: cannot write: File exists':
            self.keys('P')
            self.type('seen.txt')
            self.wait(wanted)
        lines = (self.cwd / 'seen.txt').read_text().splitlines()
        self.assertEqual([line.split()[-1] for line in lines[1:]], [line.split()[-1] for line in self.screen().split('\n')[2:4]])
        self.quit()

    def test_killed(self):
        for signal, status in ('TERM', 143), ('INT', 130):
            self.start()
            self.wait('Routines')
            os.kill(self.explorer(), getattr(signals, f'SIG{signal}'))
            self.wait(r'\$\s*\Z')
            self.type('echo status $?; stty -g | diff before - && echo as before')
            self.wait(f'^status {status}')
            self.wait('^as before')

    def test_source_that_is_not_there(self):
        (self.cwd / 'prog.c').rename(self.cwd / 'gone.c')
        self.addCleanup((self.cwd / 'gone.c').rename, self.cwd / 'prog.c')
        self.start(120)
        self.wait('Routines')
        self.keys('a')
        self.wait('the source is not there; say --source-path=FOLDER')

    def test_no_terminal(self):
        for environment in {}, {'TERM': 'dumb'}:
            done = subprocess.run([APROF, 'view'], cwd=self.cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                  env={**os.environ, **environment})
            self.assertEqual((done.returncode, done.stdout), (2, ''))
            self.assertRegex(done.stderr, r'^aprof: view: standard input and output are no terminal.*\n$')

    def test_unknown_terminals(self):
        for terminal in 'dumb', 'no-such-terminal':
            self.start(TERM=terminal)
            self.wait(f'^aprof: TERM={terminal}: ')
            self.type('echo status $?')
            self.wait('^status 2')


if __name__ == '__main__':
    unittest.main()
