"""store_test.py BUILD: `aprof push` and `aprof pull` against a ClickHouse server: what is pulled is what merge makes of the same files, whoever pushed it, and however often."""
import concurrent.futures
import http.server
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse
import urllib.request

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import clickhouse

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
APROF, MAKE_AMON = BUILD / 'aprof', BUILD / 'src/contract' / 'make-amon'
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


class Breaking(http.server.ThreadingHTTPServer):
    """Stands before SERVER, and kills who asks at the request number AT: when it has come, or, if AFTER, when the server has done what it says."""

    def __init__(self, server, at, after):
        self.server, self.at, self.after, self.count, self.victim, self.known = server, at, after, 0, None, threading.Event()
        super().__init__(('127.0.0.1', 0), Passing)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass                                                    # who asked is gone

    def kill(self):
        self.known.wait()
        os.kill(self.victim, signal.SIGKILL)


class Passing(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_POST(self):
        data = self.rfile.read(int(self.headers['Content-Length']))
        self.server.count += 1
        last = self.server.count == self.server.at
        if last and not self.server.after:
            self.server.kill()
            return
        with urllib.request.urlopen(urllib.request.Request(self.server.server.url + self.path, data=data)) as answer:
            body = answer.read()
        if last:
            self.server.kill()
            return
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


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
        self.merged = self.sums = None                          # what was merged last, and what is in it
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
        done = subprocess.run(words, cwd=self.cwd, capture_output=True, text=True, env=own)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def make(self, name, *options):
        subprocess.run([MAKE_AMON, *options, name], cwd=self.cwd, check=True)
        return name

    def of_program(self, name, number):
        """The made profile NAME is of program NUMBER, as its build-id says."""
        path = self.cwd / name
        path.write_bytes(path.read_bytes().replace(b'made-by-make-amon---', b'%020d' % number))
        return name

    def rows(self, table, final=False):
        return int(self.server.ask(f'SELECT count() FROM {self.database}.{table}{" FINAL" if final else ""}')[0][0])

    def pulled_is_merged(self, condition, files):
        self.aprof('pull', '-o', 'pulled', condition)
        if self.merged != files:
            self.aprof('merge', '-o', 'merged', *files, store=None)
            self.merged, self.sums = files, (contexts(self.cwd / 'merged'), self.table('merged', 'arcs'))
        self.assertTrue(self.sums[0])
        self.assertEqual((contexts(self.cwd / 'pulled'), self.table('pulled', 'arcs')), self.sums)

    def table(self, file, table):
        """Caller, callee and calls of the arcs in FILE; times are estimates in which program counters have a part."""
        lines = self.aprof('export', 'csv', '--table', table, file, store=None).stdout.splitlines()
        columns = lines[0].split(',')
        keep = [columns.index(name) for name in columns if 'time' not in name and '_ns' not in name]
        return [[line.split(',')[i] for i in keep] for line in sorted(lines)]

    def program(self):
        (self.cwd / 'prog.c').write_text(SOURCE)
        subprocess.run([APROF, 'cc', '-O2', '-g', '-o', 'prog', 'prog.c'], cwd=self.cwd, check=True)
        for i in range(3):
            subprocess.run([APROF, 'run', '--no-report', f'--data=run.{i}', './prog', str(10 + i)], cwd=self.cwd, check=True)
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

    def test_broken_off(self):
        """Killed before or behind each of its requests: what is whole counts, the rest does not; when it has been pushed again all is there, once."""
        files = [self.make(f'made.{seed}', '--seed', str(seed), '--routines', '7', '--calls', '1000', '--recursion', '0.3') for seed in range(3)]
        at = 0
        while True:
            at += 1
            for after in False, True:
                service = f'{at}{after}'
                for table in TABLES:
                    self.server.ask(f'TRUNCATE TABLE {self.database}.{table}')
                with Breaking(self.server, at, after) as broken:
                    url = f'http://127.0.0.1:{broken.server_port}/{self.database}'
                    pushing = subprocess.Popen([APROF, 'push', '--store', url, '--label', f'service={service}', *files], cwd=self.cwd, stderr=subprocess.DEVNULL)
                    broken.victim = pushing.pid
                    broken.known.set()
                    status = pushing.wait()
                    broken.shutdown()
                if status == 0:
                    self.assertGreater(at, 10)
                    return
                self.assertEqual(status, -signal.SIGKILL)
                seen = self.server.ask(f"SELECT count() FROM {self.database}.aprof_profiles WHERE service = '{service}'")[0][0]
                self.assertIn(int(seen), (0, len(files)))
                if int(seen):
                    self.pulled_is_merged(f'service = {service}', files)
                self.aprof('push', '--label', f'service={service}', *files)
                self.pulled_is_merged(f'service = {service}', files)
                doubled = self.server.ask(f"SELECT count() FROM (SELECT profile, context, caller, count() AS n FROM {self.database}.aprof_figures FINAL WHERE service = '{service}' "
                                          'GROUP BY profile, context, caller) WHERE n > 1')
                self.assertEqual(doubled, [['0']])

    def write_killed(self, chance, label, files):
        """Push FILES as SERVICE, killed some times at some moment, until it is done."""
        while True:
            pushing = subprocess.Popen([APROF, 'push', '--store', self.url, '--label', label, *files], cwd=self.cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            try:
                _, said = pushing.communicate(timeout=chance.expovariate(1) if chance.random() < 0.5 else None)
            except subprocess.TimeoutExpired:
                pushing.kill()
                pushing.communicate()
                continue
            self.assertEqual(pushing.returncode, 0, said)
            return

    def test_many_writers(self):
        """At one time, to one service, some of them killed: no row twice, none missing."""
        writers, each = int(os.environ.get('WRITERS', 12)), 3
        files = [[self.make(f'w{writer}.{i}', '--seed', str(writer * each + i), '--routines', '30', '--calls', '2000', '--recursion', '0.2') for i in range(each)] for writer in range(writers)]
        with concurrent.futures.ThreadPoolExecutor(writers) as pool:
            for done in [pool.submit(self.write_killed, random.Random(writer), 'service=all', files[writer]) for writer in range(writers)]:
                done.result()
        flat = [name for some in files for name in some]
        self.pulled_is_merged('service = all', flat)
        self.assertEqual(self.rows('aprof_profiles', final=True), len(flat))
        wanted = int(self.server.ask(f'SELECT sum(rows) FROM {self.database}.aprof_profiles FINAL')[0][0])
        self.assertEqual(self.rows('aprof_figures', final=True), wanted)
        self.assertEqual(int(self.server.ask(f'SELECT uniqExact(profile, context, caller) FROM {self.database}.aprof_figures')[0][0]), wanted)

    def rows_read(self, since, begins):
        """The most rows that a query read from moment SINCE on, of those that begin as BEGINS says."""
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline:
            self.server.ask('SYSTEM FLUSH LOGS')
            rows = self.server.ask(f"SELECT max(read_rows) FROM system.query_log WHERE type = 2 AND event_time >= toDateTime({since}) AND query LIKE '{begins}%'")
            if rows[0][0] != '0':
                return int(rows[0][0])
            time.sleep(0.2)
        self.fail(f'no query {begins} in the log')

    def test_reads_its_own(self):
        """A pull of one service reads the rows of its profiles and its program, and what shares their granules, which are made small here."""
        small = 'SETTINGS index_granularity = 64'
        self.server.ask(f'DROP DATABASE {self.database}')
        schema = self.aprof('push', '--schema', store=None).stdout
        self.server.make_tables(re.sub(r'(ORDER BY \([^()]*\));', rf'\1 {small};', schema), self.database)
        services = 40
        for i in range(services):
            names = [self.of_program(self.make(f's{i}.{k}', '--seed', str(100 * i + k), '--routines', '12', '--calls', '500'), i) for k in range(2)]
            self.aprof('push', '--label', f'service=s{i}', *names)
        since = self.server.ask('SELECT toUInt32(now())')[0][0]
        time.sleep(1.1)
        since = int(since) + 1
        self.pulled_is_merged('service = s7', ['s7.0', 's7.1'])
        image = self.server.ask(f"SELECT image FROM {self.database}.aprof_profiles WHERE service = 's7' LIMIT 1")[0][0]
        for table, mine, begins in (('aprof_figures', "service = 's7'", 'SELECT context, caller'), ('aprof_routines', f'image = {image}', 'SELECT routine, module'),
                                    ('aprof_modules', f'image = {image}', 'SELECT module, max'), ('aprof_contexts', f'image = {image}', 'SELECT context, parent')):
            own, all_, parts = (int(n) for n in self.server.ask(f'SELECT countIf({mine}), count(), uniqExact(_part) FROM {self.database}.{table}')[0])
            with self.subTest(table):
                self.assertGreaterEqual(all_, services * own // 4)
                others = (0 if table != 'aprof_contexts' else self.rows_read(since, 'SELECT context, caller')) + 2 * services
                self.assertLessEqual(self.rows_read(since, begins), own + 2 * 64 * parts + others)

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
        subprocess.run([APROF, 'run', '--no-report', '--clock=none', '--data=none', './prog', '5'], cwd=self.cwd, check=True)
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
        question = (ROOT / 'doc/format.md').read_text().rpartition('```sql\n')[2].partition('```')[0]
        for table in TABLES:
            question = question.replace(table, f'{self.database}.{table}')
        answer = {row[0]: row[1] for row in self.server.ask(question)}
        self.assertEqual(answer['fib'], str(self.cwd / 'prog.c'))
        self.assertIn(self.aprof('push', '--schema', store=None).stdout, (ROOT / 'doc/format.md').read_text())


if __name__ == '__main__':
    if not clickhouse.PROGRAM:
        print('no ClickHouse server here')
        sys.exit(77)
    if 'push' not in subprocess.run([APROF, 'help'], capture_output=True, text=True).stdout:
        print('aprof was built without a store')
        sys.exit(77)
    unittest.main(verbosity=2)
