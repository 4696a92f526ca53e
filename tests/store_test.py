"""store_test.py BUILD: `aprof push` and `aprof pull` against a ClickHouse server: what is pulled is what merge makes of the same files, whoever pushed it, and however often."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

sys.dont_write_bytecode = True
import clickhouse
import limits

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parent.parent
APROF, MAKE_AMON = BUILD / 'aprof', BUILD / 'format' / 'make-amon'
TABLES = 'aprof_profiles', 'aprof_figures', 'aprof_contexts', 'aprof_routines', 'aprof_modules'
SOURCE = r'''
#include <stdlib.h>
#define ALONE __attribute__((noinline, noclone))
volatile long sink;
ALONE static void leaf(int n) { for (int i = 0; i < n; i++) sink += i; }
ALONE static int fib(int n) { leaf(10); return n < 2 ? n : fib(n - 1) + fib(n - 2); }
ALONE static void odd(int n);
ALONE static void even(int n) { leaf(50); if (n) odd(n - 1); else fib(5); leaf(1); }
ALONE static void odd(int n) { leaf(100); if (n) even(n - 1); leaf(1); }
int main(int argc, char **argv) { sink = fib(atoi(argv[1])); for (int i = 0; i < 30; i++) even(i % 7); return 0; }
'''


def contexts(path):
    """What the reader of doc/, which shares no code with aprof, finds in PATH: entries, recursive calls, seconds and history of each context, those of nothing left out."""
    lines = subprocess.run([sys.executable, ROOT / 'doc/read_amon.py', path], check=True, capture_output=True, text=True).stdout.splitlines()
    return sorted(line for line in lines if not line.startswith('0 0 0.000000000 '))


class Store(unittest.TestCase):
    """Each test has tables of its own, in a database of its name."""

    @classmethod
    def setUpClass(cls):
        cls.server = clickhouse.Server()
        cls.addClassCleanup(cls.server.close)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='aprof-store-')
        self.addCleanup(folder.cleanup)
        self.cwd = pathlib.Path(folder.name)
        self.database = self.id().rpartition('.')[2]
        self.url = f'{self.server.url}/{self.database}'
        self.server.make_tables(self.aprof('push', '--schema', store=None).stdout, self.database)

    def aprof(self, *args, store='', status=0, env=()):
        """aprof ARGS, with the test's store or STORE; None: none."""
        own = dict(os.environ, LC_ALL='C.UTF-8', **dict(env))
        for name in 'APROF_STORE', 'CLICKHOUSE_USER', 'CLICKHOUSE_PASSWORD':
            if name not in dict(env):
                own.pop(name, None)
        words = [APROF, args[0], *(['--store', store or self.url] if store is not None else []), *args[1:]]
        done = limits.run(words, cwd=self.cwd, capture_output=True, text=True, env=own)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def make(self, name, *options):
        limits.run([MAKE_AMON, *options, name], cwd=self.cwd, check=True)
        return name

    def rows(self, table, final=False):
        return int(self.server.ask(f'SELECT count() FROM {self.database}.{table}{" FINAL" if final else ""}')[0][0])

    def pulled_is_merged(self, condition, files):
        self.aprof('pull', '-o', 'pulled', condition)
        self.aprof('merge', '-o', 'merged', *files, store=None)
        self.assertTrue(contexts(self.cwd / 'merged'))
        self.assertEqual(contexts(self.cwd / 'pulled'), contexts(self.cwd / 'merged'))
        self.assertEqual(self.table('pulled', 'arcs'), self.table('merged', 'arcs'))

    def table(self, file, table):
        """Caller, callee and calls of the arcs in FILE; times are estimates in which program counters have a part."""
        lines = self.aprof('export', 'csv', '--table', table, file, store=None).stdout.splitlines()
        columns = lines[0].split(',')
        keep = [columns.index(name) for name in columns if 'time' not in name and '_ns' not in name]
        return [[line.split(',')[i] for i in keep] for line in sorted(lines)]

    def program(self):
        (self.cwd / 'prog.c').write_text(SOURCE)
        limits.run([APROF, 'cc', '-O2', '-g', '-o', 'prog', 'prog.c'], cwd=self.cwd, check=True)
        for i in range(3):
            limits.run([APROF, 'run', '--no-report', f'--data=run.{i}', './prog', str(10 + i)], cwd=self.cwd, check=True)
        return [f'run.{i}' for i in range(3)]

    def test_pull_is_merge(self):
        """Of made profiles: threads, recursion, resets, phases, stacks that were verified, bytes and ranks."""
        files = [self.make(f'made.{seed}', '--seed', str(seed % 7), '--routines', '8', '--threads', str(1 + seed % 3), '--calls', str(200 * seed), '--recursion', '0.4',
                           '--ticks', '0.3', *(['--reset', '150'] if seed % 4 == 0 else []), *(['--phases', '3'] if seed % 5 == 0 else [])) for seed in range(1, 25)]
        self.aprof('push', '--label', 'service=few', *files[:5])
        self.pulled_is_merged('service = few', files[:5])
        self.aprof('push', '--label', 'service=many', *files)
        self.pulled_is_merged('service = many', files)
        for i, options in enumerate((['--paper', '9', '--stacks'], ['--cc1', '3000'], ['--ranks', '4', '--calls', '500'])):
            name = self.make(f'other.{i}', *options)
            self.aprof('push', '--label', f'service=other{i}', name)
            self.pulled_is_merged(f'service = other{i}', [name])

    def test_pulled_again(self):
        """What was pulled can be pushed, and pulled is itself; and merged with others."""
        files = [self.make(f'made.{seed}', '--seed', str(seed), '--routines', '9', '--calls', '3000', '--recursion', '0.3') for seed in range(4)]
        self.aprof('push', '--label', 'service=a', *files)
        self.aprof('pull', '-o', 'first', 'service = a')
        self.aprof('push', '--label', 'service=b', 'first')
        self.aprof('pull', '-o', 'second', 'service = b')
        self.assertEqual((self.cwd / 'first').read_bytes(), (self.cwd / 'second').read_bytes())

    def test_names(self):
        """Names, files and lines come along; the program is not needed."""
        files = self.program()
        self.aprof('push', *files)
        os.remove(self.cwd / 'prog')
        self.pulled_is_merged('program = prog', files)
        shown = [json.loads(self.aprof('report', '--json', file, store=None).stdout)['flat'] for file in ('pulled', 'merged')]
        named = [sorted((routine['name'], routine['file'], routine['line'], routine['calls'], routine['recursive']) for routine in flat) for flat in shown]
        self.assertEqual(*named)
        self.assertIn(('fib', str(self.cwd / 'prog.c'), 6), [routine[:3] for routine in named[0]])
        self.assertIn('pulled: 3 processes', self.aprof('report', 'pulled', store=None).stdout)

    def test_labels(self):
        """By default they are the profile's own; conditions choose by them."""
        files = self.program()
        self.aprof('push', files[0])
        self.aprof('push', '--label', 'host=far', '--label', 'version=2.0', '--label', 'zone=eu', '--label', "odd=it's \\ \"odd\"\n", '--label', 'time=2020-02-03T04:05:06', files[1])
        self.aprof('push', '--label', 'zone=us', files[2])
        own = self.server.ask(f"SELECT service, host, program, clock, length(version) FROM {self.database}.aprof_profiles WHERE host != 'far' LIMIT 1")[0]
        self.assertEqual([own[0], *own[2:]], ['prog', 'prog', 'cpu', '12'])
        for condition, chosen in (('service = prog', files), ('host = far', files[1:2]), ('host != far', [files[0], files[2]]), ('version = 2.0', files[1:2]),
                                  ('label.zone = eu', files[1:2]), ('label.zone != eu', [files[0], files[2]]), ("label.zone = ''", files[:1]), ('time < 2020-02-04', files[1:2]),
                                  ('time = "2020-02-03 04:05:06"', files[1:2]), ('time > now-1d AND label.zone=us', files[2:]), ("label.odd = 'it''s \\ \"odd\"\n'", files[1:2])):
            with self.subTest(condition):
                self.pulled_is_merged(condition, chosen)
        self.aprof('pull', 'service', '=', 'prog')
        self.assertTrue((self.cwd / 'amon.out').exists())

    def test_again(self):
        """A profile that is there is not put again, nor is one that was given its symbols meanwhile; rows that were sent twice count once."""
        files = [self.make(f'made.{seed}', '--seed', str(seed), '--routines', '7', '--calls', '2000', '--recursion', '0.3') for seed in range(3)] + self.program()[:1]
        self.aprof('push', '--label', 'service=a', *files[:2])
        before = {table: self.rows(table) for table in TABLES}
        self.assertIn('2 of the profiles were in the store already', self.aprof('push', '--label', 'service=a', *files[:2]).stderr)
        self.assertEqual(before, {table: self.rows(table) for table in TABLES})
        self.aprof('push', '--label', 'service=a', files[2], files[2], files[3])
        self.aprof('report', files[3], store=None)
        self.assertIn('1 of the profiles was', self.aprof('push', '--label', 'service=a', files[3]).stderr)
        self.pulled_is_merged('service = a AND program = prog', files[3:])
        self.pulled_is_merged('service = a AND program != prog', files[:3])
        self.server.ask(f'OPTIMIZE TABLE {self.database}.aprof_figures FINAL')
        self.pulled_is_merged('service = a AND program != prog', files[:3])
        self.assertEqual(self.rows('aprof_profiles', final=True), 4)

    def test_unfinished(self):
        """A profile without the row that says that it is whole counts for nothing, until it is pushed again."""
        files = [self.make(f'made.{seed}', '--seed', str(seed), '--routines', '7', '--calls', '2000') for seed in range(2)]
        self.aprof('push', '--label', 'service=a', *files)
        self.server.ask(f'CREATE TABLE {self.database}.kept AS {self.database}.aprof_profiles ENGINE = MergeTree() ORDER BY service')
        self.server.ask(f'INSERT INTO {self.database}.kept SELECT * FROM {self.database}.aprof_profiles LIMIT 1')
        self.server.ask(f'DROP TABLE {self.database}.aprof_profiles')
        self.server.make_tables(self.aprof('push', '--schema', store=None).stdout.partition(';\n')[0].replace('aprof_profiles', f'{self.database}.aprof_profiles'))
        self.assertIn('no profile in the store is of this condition', self.aprof('pull', 'service = a', status=2).stderr)
        self.aprof('push', '--label', 'service=a', files[1])
        self.pulled_is_merged('service = a', files[1:])
        self.aprof('push', '--label', 'service=a', *files)
        self.pulled_is_merged('service = a', files)

    def test_refused(self):
        """One line each, and status 2; no password in any."""
        name = self.make('made', '--seed', '1', '--calls', '300')
        self.aprof('push', name)
        host = urllib.parse.urlsplit(self.url).netloc
        port = clickhouse.free_port()
        for args, store, said in ((['pull', 'servce = a'], '', 'condition, column 1: no such field'),
                                  (['pull', 'service = nobody'], '', 'no profile in the store is of this condition'),
                                  (['push', name], f'http://guarded:wrong@{host}', 'refused: Wrong password'),
                                  (['push', name], f'http://127.0.0.1:{port}', f'http://127.0.0.1:{port}: Couldn\'t connect'),
                                  (['push', name], f'{self.server.url}/nosuch', 'no such database'),
                                  (['push', name], f'{self.server.url}/system', "no tables of aprof's"),
                                  (['pull', 'service = a'], f'{self.server.url}/system', "no tables of aprof's"),
                                  (['push', name], 'ftp://user:wrong@host/', 'is to be of the form'),
                                  (['push', name], None, 'say where to and what'),
                                  (['push'], '', 'say where to and what'),
                                  (['pull'], '', 'say where from and what'),
                                  (['push', '--label', 'zone', name], '', 'not of the form NAME=VALUE'),
                                  (['push', '--label', 'a=1', '--label', 'a=2', name], '', 'a is given twice'),
                                  (['push', '--label', 'time=yesterday', name], '', 'no time'),
                                  (['push', 'nothing'], '', 'nothing: ')):
            with self.subTest(args=args, store=store):
                stderr = self.aprof(*args, store=store, status=2).stderr
                self.assertIn(said, stderr)
                self.assertNotIn('wrong', stderr.replace('Wrong', ''))
                self.assertEqual(len([line for line in stderr.splitlines() if 'try `aprof' not in line]), 1, stderr)

    def test_kinds(self):
        """Profiles by several clocks cannot be added up; a condition parts them."""
        self.program()
        limits.run([APROF, 'run', '--no-report', '--clock=none', '--data=none', './prog', '5'], cwd=self.cwd, check=True)
        self.aprof('push', 'run.0', 'none')
        said = self.aprof('pull', 'service = prog', status=2).stderr
        self.assertIn('several clocks', said)
        self.pulled_is_merged('service = prog AND clock = none', ['none'])
        self.pulled_is_merged('service = prog AND clock = cpu', ['run.0'])

    def test_password(self):
        """From the URL, quoted, or from the environment, as ClickHouse's own clients have it."""
        name = self.make('made', '--seed', '1', '--calls', '300')
        host = urllib.parse.urlsplit(self.url).netloc
        secret = urllib.parse.quote(clickhouse.PASSWORD, safe='')
        self.aprof('push', '--label', 'service=a', name, store=f'http://guarded:{secret}@{host}/{self.database}')
        user = {'CLICKHOUSE_USER': 'guarded', 'CLICKHOUSE_PASSWORD': clickhouse.PASSWORD, 'APROF_STORE': self.url}
        self.aprof('pull', '-o', 'pulled', 'service = a', store=None, env=user)
        self.assertIn('refused: Wrong password', self.aprof('pull', 'service = a', env={**user, 'CLICKHOUSE_PASSWORD': 'x'}, status=2).stderr)

    def test_injection(self):
        """Values are values."""
        name = self.make('made', '--seed', '1', '--calls', '300')
        evil = "x'; DROP TABLE aprof_profiles; --\\' \\"
        self.aprof('push', '--label', f'service={evil}', '--label', f'host={evil}', '--label', f'k={evil}', name)
        quoted = evil.replace("'", "''")
        self.pulled_is_merged(f"service = '{quoted}' AND host = '{quoted}' AND label.k = '{quoted}'", [name])
        self.aprof('pull', '-o', 'pulled', "service = 'a'' OR ''1'' = ''1'", status=2)

    def test_documented(self):
        """The schema, and a question in SQL that is answered: whose own time that is."""
        files = self.program()
        self.aprof('push', '--label', 'service=web', '--label', 'time=now', *files)
        question = (ROOT / 'doc/store.md').read_text().rpartition('```sql\n')[2].partition('```')[0]
        for table in TABLES:
            question = question.replace(table, f'{self.database}.{table}')
        answer = {row[0]: row[1] for row in self.server.ask(question)}
        self.assertEqual(answer['fib'], str(self.cwd / 'prog.c'))
        self.assertIn(self.aprof('push', '--schema', store=None).stdout, (ROOT / 'doc/store.md').read_text())


if __name__ == '__main__':
    if not clickhouse.PROGRAM:
        print('no ClickHouse server here')
        sys.exit(77)
    if 'push' not in subprocess.run([APROF, 'help'], capture_output=True, text=True).stdout:
        print('aprof was built without a store')
        sys.exit(77)
    unittest.main(verbosity=2)
