"""mcount_test.py BUILD: programs built for gprof by plain -pg, run by aprof run as they are."""
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
import here
import limits

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()

THREADS = r'''
#include <pthread.h>
#include <stdio.h>
__attribute__((noinline)) int f(int a) { __asm__ volatile(""); return a + 1; }
__attribute__((noinline, noclone)) static long g(int n) { long s = 0; for (int i = 0; i < n; i++) s = f(s); return s; }
static void *work(void *arg) { (void)arg; return (void *)(g(1000000) + g(1000000)); }
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    puts("done");
    return 3;
}
'''

MAKEFILE = '''
CFLAGS = -O2
prog: main.o libparts.so
\t$(CC) $(CFLAGS) -o $@ main.o -L. -lparts -Wl,-rpath,'$$ORIGIN'
libparts.so: parts.c
\t$(CC) $(CFLAGS) -fPIC -shared -o $@ parts.c
'''
PARTS = r'''
__attribute__((noinline)) int twice(int n) { __asm__ volatile(""); return 2 * n; }
int sum(int n, int (*add)(int)) { int s = 0; for (int i = 0; i < n; i++) s += add(twice(i)); return s; }
'''
MAIN = r'''
#include <stdio.h>
#include <string.h>
int sum(int n, int (*add)(int));
static int half(int n) { __asm__ volatile(""); return n / 2; }
__attribute__((noinline)) int deep(int n) { __asm__ volatile("" : : : "memory"); return n ? deep(n - 1) + half(n) : sum(10, half); }
int main(int argc, char **argv) { printf("%d %s\n", deep(50), argc > 1 ? argv[1] : "-"); return argc > 1 && !strcmp(argv[1], "fail"); }
'''

STEPS = r'''
__attribute__((noinline)) int h(int a) { __asm__ volatile(""); return a + 1; }
__attribute__((noinline)) int f(int a) { __asm__ volatile("" : "+r"(a)); return h(a) + h(a); }
__attribute__((noinline, noclone)) static long g(int n) { long s = 0; for (int i = 0; i < n; i++) s += f(i); return s; }
__attribute__((noinline, noclone)) static long work(int n) { return g(n) - g(n); }
int main(void) { return work(1000) + 3 - 3; }
'''
GDB_STEPS = '''
set pagination off
break *f if $rdi == 100
run
set $i = 0
while $i < 150
  printf "STEP "
  x/i $rip
  bt
  stepi
  set $i = $i + 1
end
'''


def contexts(folder):
    """History -> (entries, recursive calls), without the times."""
    done = subprocess.run([BUILD / 'aprof', 'contexts', 'amon.out'], cwd=folder, capture_output=True, text=True, check=True)
    return {history: (entries, recursive) for entries, recursive, _, history in
            (line.split(' ', 3) for line in done.stdout.splitlines()) if (entries, recursive) != ('0', '0')}


class Plain(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='aprof-mcount-')
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, **files):
        for name, text in files.items():
            (pathlib.Path(self.folder) / name.replace('_', '.')).write_text(text)

    def run_here(self, *command, status=0, **env):
        done = limits.run(command, 120, cwd=self.folder, capture_output=True, text=True,
                          env=dict(os.environ, LC_ALL='C', **env))
        self.assertEqual(done.returncode, status, f'{command}\n{done.stdout}\n{done.stderr}')
        return done

    def compile(self, *flags, source=THREADS, out='prog'):
        self.write(prog_c=source)
        self.run_here('gcc', '-O2', '-o', out, *flags, 'prog.c', '-pthread')

    def aprof_run(self, *arguments, status=0, **env):
        return self.run_here(BUILD / 'aprof', 'run', *arguments, status=status, **env)

    def left(self, pattern):
        return sorted(path.name for path in pathlib.Path(self.folder).glob(pattern))

    def test_never_called(self):
        for flags in (['-pg'], ['-pg', '-mfentry'], ['-pg', '-no-pie', '-fno-pie']):
            with self.subTest(flags=flags):
                self.compile(*flags, source='void never(void) {}\nvoid nor(void) { never(); }\nint main(void) { return 0; }\n')
                done = self.aprof_run('-b', './prog')
                self.assertRegex(done.stdout, r'Routines never called: 2\n\n    never.*\n    nor.*\n')

    def test_threads_lose_nothing(self):
        for flags in (['-pg'], ['-pg', '-mfentry'], ['-pg', '-no-pie', '-fno-pie']):
            with self.subTest(flags=flags):
                self.compile(*flags)
                done = self.aprof_run('-bp', './prog', status=3)
                self.assertTrue(done.stdout.startswith('done\n'))
                self.assertRegex(done.stdout, r'\n *\S.* 4000000 .* f\n')
                self.assertEqual(self.left('gmon*'), [])
                self.assertEqual(contexts(self.folder), {'main': ('1', '0'), 'work': ('2', '0'), 'work g': ('4', '0'),
                                                         'work g f': ('4000000', '0')})

    def test_gprof_reads_what_aprof_leaves(self):
        self.compile('-pg')
        self.aprof_run('--no-report', './prog', status=3, APROF_GMON='1')
        self.assertEqual(self.left('gmon*'), ['gmon.out'])
        flat = self.run_here('gprof', '-bp', 'prog', 'gmon.out').stdout
        self.assertRegex(flat, r'Each sample counts as 0\.001 seconds')
        calls = {name: int(n) for n, name in re.findall(r' (\d+) +\S+ +\S+ +(\w+)$', flat, re.M)}
        self.assertEqual(calls, {'f': 4000000, 'g': 4})
        graph = self.run_here('gprof', '-bq', 'prog', 'gmon.out').stdout
        self.assertRegex(graph, r' 4000000/4000000 +g \[')
        ours = self.run_here(BUILD / 'aprof', '-bq', 'prog', 'gmon.out').stdout
        self.assertRegex(ours, r' 4000000/4000000 +g \[')
        seconds = sum(float(s) for s in re.findall(r'^ *\d+\.\d+ +\d+\.\d+ +(\d+\.\d+) ', flat, re.M))
        json = self.run_here(BUILD / 'aprof', 'export', 'csv', 'amon.out').stdout
        charged = sum(int(line.split(',')[6]) for line in json.splitlines()[1:-1]) / 1e9
        self.assertAlmostEqual(seconds, charged, delta=0.02)

    def test_gmon_takes_libcs_name(self):
        self.compile('-pg')
        self.aprof_run('--no-report', './prog', status=3, APROF_GMON='1', GMON_OUT_PREFIX='here')
        self.assertEqual(len(self.left('here.*')), 1)
        self.assertEqual(self.left('gmon*'), [])
        self.assertEqual(self.run_here(BUILD / 'aprof', 'export', 'gmon', '-o', 'out', 'amon.out').stdout, '')
        self.assertEqual((pathlib.Path(self.folder) / 'out').read_bytes(),
                         (pathlib.Path(self.folder) / self.left('here.*')[0]).read_bytes())

    def test_somebody_elses_makefile(self):
        """The same contexts as by the way that rebuilds, libraries included; and by them alone."""
        self.write(main_c=MAIN, parts_c=PARTS, Makefile=MAKEFILE)
        found = []
        for command in (['make', 'CFLAGS=-O2 -pg'], ['make', 'CFLAGS=-O2 -pg -mfentry'],
                        ['make', f'CC={BUILD}/aprof-cc --aprof-way=fentry']):
            for name in self.left('*.o') + self.left('prog') + self.left('*.so'):
                (pathlib.Path(self.folder) / name).unlink()
            self.run_here(*command)
            self.assertEqual(self.aprof_run('--no-report', './prog').stdout, '670 -\n')
            found.append(contexts(self.folder))
            self.assertTrue(self.aprof_run('-bp', './prog', 'fail', status=1).stdout.startswith('670 fail\n'))
        self.assertEqual(found[0], found[2])
        self.assertEqual(found[1], found[2])
        (pathlib.Path(self.folder) / 'main.o').unlink()
        (pathlib.Path(self.folder) / 'prog').unlink()
        self.run_here('gcc', '-O2', '-fPIC', '-shared', '-pg', '-o', 'libparts.so', 'parts.c')
        self.run_here('make')
        self.assertEqual(self.aprof_run('--no-report', './prog').stdout, '670 -\n')
        self.assertEqual(contexts(self.folder), {'sum': ('1', '0'), 'sum twice': ('10', '0')})

    def test_started_by_another_program(self):
        self.compile('-pg')
        done = self.aprof_run('-bp', 'sh', '-c', './prog; exit 5', status=5)
        self.assertRegex(done.stdout, r' 4000000 .* f\n')
        script = pathlib.Path(self.folder) / 'script'
        script.write_text('#!/bin/sh\nexec ./prog\n')
        script.chmod(0o755)
        self.assertRegex(self.aprof_run('-bp', './script', status=3).stdout, r' 4000000 .* f\n')

    def test_what_cannot_be_says_so(self):
        self.compile('-pg', '-static')
        done = self.aprof_run('./prog', status=3)
        self.assertEqual(done.stdout, 'done\n')
        self.assertRegex(done.stderr, r"^aprof: \./prog has gprof's hooks \(-pg\) and is static, .*\n$")
        self.compile('-pg', '-mfentry', '-mnop-mcount', '-mrecord-mcount', '-no-pie', '-fno-pie')
        done = self.aprof_run('./prog', status=3)
        self.assertRegex(done.stderr, r'^aprof: \./prog was built with -mnop-mcount: .*\n$')
        self.compile('-pg', '-mfentry', '-mrecord-mcount', '-no-pie', '-fno-pie')
        self.assertRegex(self.aprof_run('-bp', './prog', status=3).stdout, r' 4000000 .* f\n')

    def test_redirection_refused_is_told(self):
        self.compile('-pg')
        done = self.aprof_run('-b', './prog', status=3, APROF_REDIRECT='no')
        self.assertRegex(done.stdout, r' 4000000 .* f\n')
        self.assertIn('whose return could not be seen', ' '.join(done.stdout.split()))

    def test_address_sanitizer(self):
        self.compile('-pg', '-fsanitize=address')
        self.assertRegex(self.aprof_run('-bp', './prog', status=3).stdout, r' 4000000 .* f\n')

    def test_the_users_own_preloads_stay(self):
        self.compile('-pg')
        self.write(other_c='#include <unistd.h>\n__attribute__((constructor)) static void hello(void) { write(1, "hello\\n", 6); }\n')
        self.run_here('gcc', '-shared', '-fPIC', '-o', 'other.so', 'other.c')
        done = self.aprof_run('-bp', './prog', status=3, LD_PRELOAD=os.path.join(self.folder, 'other.so'))
        self.assertIn('hello\ndone\n', done.stdout)
        self.assertRegex(done.stdout, r' 4000000 .* f\n')

    @unittest.skipUnless(shutil.which('gdb'), 'gdb is not installed')
    def test_debuggers_see_through(self):
        """The frames of the monitor stand between the program's, and all of those are there."""
        self.compile('-pg', '-g')
        done = self.run_here('gdb', '-q', '-batch', '-nx', '-ex', f'set env LD_PRELOAD {BUILD}/src/inside/libaprof-mcount.so',
                             '-ex', 'break f if a == 100', '-ex', 'run', '-ex', 'bt', './prog')
        self.assertRegex(done.stdout, r'(?s)#0 +(0x\w+ in )?f \(.*\n#1 .* in g \(.*\n#2 .*aprof_mcount_returned.*\n#3 .* in work \(')

    @unittest.skipUnless(shutil.which('gdb'), 'gdb is not installed')
    @here.long
    def test_debuggers_see_through_every_instruction(self):
        """From the call of a patched routine to the return of what it called, through copies, hooks and the place of returns."""
        for flags in (['-pg'], ['-pg', '-mfentry'], ['-pg', '-no-pie', '-fno-pie'], ['-pg', '-mfentry', '-no-pie', '-fno-pie']):
            with self.subTest(flags=flags):
                self.compile(*flags, '-g', source=STEPS)
                self.write(steps_gdb=GDB_STEPS)
                done = self.run_here('gdb', '-q', '-batch', '-nx', '-ex', f'set env LD_PRELOAD {BUILD}/src/inside/libaprof-mcount.so',
                                     '-x', 'steps.gdb', './prog')
                steps = done.stdout.split('STEP ')[1:]
                self.assertEqual(len(steps), 150)
                for step in steps:
                    if re.match(r'.*\sjmp +\*-0x[0-9a-f]+\(%rip\)', step):
                        continue        # in code that is nobody's: from a call within 2 GB to a copy
                    self.assertRegex(step, r' g \((?s:.*) work \((?s:.*) main \(')
                first = ''.join(step.splitlines()[0] for step in steps)
                self.assertIn('<aprof_mcount_copies', first)
                self.assertIn('<aprof_mcount_returned', first)
                self.assertNotIn('<aprof_mcount_return>', first)


if __name__ == '__main__':
    limits.skip_blanks(BUILD)
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]], verbosity=0)
