"""ingest_test.py BUILD: `aprof push` of pprof against a recorder that holds each request to what Pyroscope documents of POST /ingest, and Parca of WriteRaw."""
import base64
import email
import gzip
import http.server
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from protobuf import fields, packed  # noqa: E402

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
APROF, MAKE_AMON = BUILD / 'aprof', BUILD / 'src/contract' / 'make-amon'
FIELDS = {'units': ('samples', 'objects', 'bytes'), 'aggregation': ('sum', 'average'), 'sampled': (True, False)}


class Recorder(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.requests.append((self.path, self.headers, self.rfile.read(int(self.headers['Content-Length']))))
        self.send_response(self.server.status)
        self.send_header('Content-Length', str(len(self.server.said)))
        self.end_headers()
        self.wfile.write(self.server.said)

    def log_message(self, *_):
        pass


class Pushed(unittest.TestCase):
    """A profile, and a server that takes all."""
    FORMAT = ''

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='aprof-ingest-')
        self.addCleanup(folder.cleanup)
        self.cwd = pathlib.Path(folder.name)
        subprocess.run([MAKE_AMON, '--seed', '1', '--calls', '500', '--ticks', '0.3', 'made'], cwd=self.cwd, check=True)
        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Recorder)
        self.server.requests, self.server.status, self.server.said = [], 200, b''
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.host = f'127.0.0.1:{self.server.server_port}'

    def push(self, *args, url=None, status=0):
        done = subprocess.run([APROF, 'push', f'--format={self.FORMAT}', '--store', url or f'http://{self.host}', *args], cwd=self.cwd, capture_output=True, text=True,
                              env=dict(os.environ, LC_ALL='C.UTF-8', CLICKHOUSE_USER='nobody'))
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def exported(self):
        return gzip.decompress(subprocess.run([APROF, 'export', 'pprof', 'made'], cwd=self.cwd, capture_output=True, check=True).stdout)


class Silent(unittest.TestCase):
    """Servers that take a request and then say nothing, or talk on for ever."""
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='aprof-ingest-')
        self.addCleanup(folder.cleanup)
        self.cwd = pathlib.Path(folder.name)
        subprocess.run([MAKE_AMON, '--seed', '1', '--calls', '50', '--ticks', '0.3', 'made'], cwd=self.cwd, check=True)

    def serve(self, head, part=b''):
        """A server's URL: it answers each connection by HEAD, and PART again and again, if there is one; the other side closes it."""
        listening = socket.create_server(('127.0.0.1', 0))

        def answer(connection):
            with connection:
                try:
                    connection.recv(1 << 16)
                    connection.sendall(head)
                    while part or connection.recv(1 << 16):
                        connection.sendall(part)
                except OSError:
                    pass

        def accept():
            try:
                while True:
                    threading.Thread(target=answer, args=(listening.accept()[0],), daemon=True).start()
            except OSError:
                pass
        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        self.addCleanup(listening.close)
        self.addCleanup(thread.join)
        self.addCleanup(listening.shutdown, socket.SHUT_RDWR)
        return f'http://127.0.0.1:{listening.getsockname()[1]}'

    def said(self, *words):
        done = subprocess.run([APROF, *words], cwd=self.cwd, capture_output=True, text=True, timeout=250, env=dict(os.environ, LC_ALL='C.UTF-8'))
        self.assertEqual((done.returncode, done.stdout), (2, ''), done.stderr)
        return done.stderr

    def every(self):
        yield 'push', 'made'
        yield 'push', '--format=pprof', 'made'
        yield 'push', '--format=parca', 'made'
        yield 'pull', '-o', 'taken', 'service = web'

    def test_silence_is_bounded(self):
        url = self.serve(b'')
        for command, *words in self.every():
            said = self.said(command, '--store', url, '--timeout=0.5', *words)
            self.assertIn(f'{url}: silent for 0.5 seconds (--timeout)\n', said)
        self.assertFalse((self.cwd / 'taken').exists())

    def test_silence_within_an_answer_is_bounded(self):
        url = self.serve(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf')
        for command, *words in self.every():
            self.assertIn('silent for 0.5 seconds', self.said(command, '--store', url, '--timeout=0.5', *words))

    def test_answers_are_bounded(self):
        for status in b'200 OK', b'500 Trouble':
            url = self.serve(b'HTTP/1.1 ' + status + b'\r\n\r\n', b'x' * (1 << 20))
            for command, *words in self.every():
                self.assertRegex(self.said(command, '--store', url, *words), r'its answer is longer than \d+ MB')

    def test_timeouts_that_are_none(self):
        for bad in '0', '-1', 'nan', 'long', '':
            self.assertIn(f'--timeout={bad}: not a number of seconds above 0', self.said('pull', '--store', 'http://127.0.0.1:9', f'--timeout={bad}', 'service = web'))


class Pyroscope(Pushed):
    FORMAT = 'pprof'

    def documented(self, path, headers, body):
        """The query, and the parts of the form by name, of a request that is as it should be."""
        target = urllib.parse.urlsplit(path)
        self.assertTrue(target.path.endswith('/ingest'))
        query = urllib.parse.parse_qs(target.query, strict_parsing=True)
        self.assertTrue({'name', 'from', 'until', 'format'} <= set(query))
        self.assertEqual(query['format'], ['pprof'])
        self.assertLess(int(query['from'][0]), int(query['until'][0]))
        form = email.message_from_bytes(b'Content-Type: ' + headers['Content-Type'].encode() + b'\r\n\r\n' + body)
        self.assertEqual(form.get_content_type(), 'multipart/form-data')
        parts = {part.get_param('name', header='content-disposition'): part for part in form.get_payload()}
        self.assertEqual(set(parts), {'profile', 'sample_type_config'})
        self.assertTrue(all(part.get_filename() for part in parts.values()), 'a part is no file')
        config = json.loads(parts['sample_type_config'].get_payload(decode=True))
        self.assertEqual(set(config), {'time', 'calls', 'samples'})
        for kind in config.values():
            self.assertEqual(set(kind), {'units', 'aggregation', 'display-name', 'sampled'})
            for field, values in FIELDS.items():
                self.assertIn(kind[field], values)
        return query, parts['profile'].get_payload(decode=True)

    def test_request(self):
        self.push('--label', 'service=web', '--label', 'host=h', '--label', 'version=1.2', '--label', 'zone={eu,1}="x"', '--label', 'time=2026-11-01', 'made')
        (request,) = self.server.requests
        query, profile = self.documented(*request)
        self.assertEqual(query['name'], ['web{host=h,version=1.2,zone=_eu_1___x_}'])
        self.assertEqual(query['from'], ['1793491200'])
        self.assertEqual(dict(fields(gzip.decompress(profile)))[9], 1793491200 * 10**9)
        self.assertIsNone(request[1]['Authorization'])

    def test_path_and_password(self):
        self.push('made', 'made', url=f'http://me:p%40ss@{self.host}/behind/a/')
        self.assertEqual(len(self.server.requests), 2)
        for path, headers, body in self.server.requests:
            self.assertEqual(gzip.decompress(self.documented(path, headers, body)[1]), self.exported())
            self.assertTrue(path.startswith('/behind/a/ingest?'))
            self.assertEqual(base64.b64decode(headers['Authorization'].split()[1]), b'me:p@ss')

    def test_stacks_beside(self):
        """They are not sent, and that is said."""
        (self.cwd / 'busy.c').write_text('static volatile long s; int main(void) { for (long i = 0; i < 60000000; i++) s += i; }')
        subprocess.run([BUILD / 'aprof-cc', '-O1', '-o', 'busy', 'busy.c'], cwd=self.cwd, check=True)
        subprocess.run([APROF, 'run', '--stacks', '--no-report', './busy'], cwd=self.cwd, capture_output=True, check=True)
        self.assertEqual(self.push('amon.out'), 'aprof: note: amon.out: its exact contexts are sent, and not the call stacks that were sampled with them\n')
        self.assertEqual(len(self.server.requests), 1)

    def test_refused(self):
        self.server.status, self.server.said = 422, b'no such tenant\nmore'
        said = self.push('made', url=f'http://me:secret@{self.host}', status=2)
        self.assertEqual(said, f'aprof: http://{self.host}: refused: no such tenant\n')
        self.server.status, self.server.said = 503, b''
        self.assertIn('HTTP status 503', self.push('made', status=2))
        self.assertIn('is to be of the form', self.push('made', url='gopher://x', status=2))
        self.assertIn('not one of rows, pprof, parca', self.push('--format=jfr', 'made', status=2))


class Parca(Pushed):
    FORMAT = 'parca'

    def documented(self, path, headers, body):
        """The labels and the profile of a request that is as it should be."""
        self.assertEqual(headers['Content-Type'], 'application/json')
        self.assertTrue(path.endswith('/api/profiles/writeraw'))
        request = json.loads(body)
        self.assertEqual(set(request), {'series', 'normalized'})
        ((series,), normalized) = (request['series'], request['normalized'])
        self.assertIs(normalized, True)
        self.assertEqual(set(series), {'labels', 'samples'})
        labels = {label['name']: label['value'] for label in series['labels']['labels']}
        self.assertEqual(len(labels), len(series['labels']['labels']))
        for name in labels:
            self.assertRegex(name, '^[a-zA-Z_][a-zA-Z0-9_]*$')
        ((sample,),) = (series['samples'],)
        self.assertEqual(set(sample), {'rawProfile'})
        return labels, base64.b64decode(sample['rawProfile'], validate=True)

    def test_request(self):
        self.push('--label=service=web', '--label=host=h', '--label=version=1.2', '--label=a.zone-of={eu}="x"', '--label=time=2026-11-01', 'made')
        (request,) = self.server.requests
        labels, profile = self.documented(*request)
        self.assertEqual(labels, {'__name__': 'aprof', 'service': 'web', 'host': 'h', 'version': '1.2', 'a_zone_of': '{eu}="x"'})
        self.assertEqual(dict(fields(gzip.decompress(profile)))[9], 1793491200 * 10**9)

    def test_valid(self):
        """What Parca holds a profile to: numbers of mappings, functions and locations run from 1, the first string is empty, values are as many as types."""
        self.push('made', url=f'http://{self.host}/behind')
        (request,) = self.server.requests
        self.assertTrue(request[0].startswith('/behind/api/'))
        _, profile = self.documented(*request)
        self.assertEqual(gzip.decompress(profile), self.exported())
        found = {}
        for number, value in fields(gzip.decompress(profile)):
            found.setdefault(number, []).append(value)
        self.assertEqual(found[6][0], b'')
        for number in 3, 4, 5:
            self.assertEqual([dict(fields(message))[1] for message in found[number]], list(range(1, len(found[number]) + 1)))
        for sample in found[2]:
            self.assertEqual(len(packed(dict(fields(sample))[2])), len(found[1]))

    def test_lengths(self):
        """Data of each length modulo 3 is whole behind base64."""
        seen = set()
        for seed in range(2, 40):
            subprocess.run([MAKE_AMON, '--seed', str(seed), '--calls', '50', '--ticks', '0.3', 'made'], cwd=self.cwd, check=True)
            self.push('made')
            _, profile = self.documented(*self.server.requests[-1])
            self.assertEqual(gzip.decompress(profile), self.exported())
            seen.add(len(profile) % 3)
            if len(seen) == 3:
                return
        self.fail(f'only lengths of {seen}')

    def test_refused(self):
        self.server.status, self.server.said = 400, b'{"code":3,"message":"missing __name__ label","details":[]}'
        self.assertIn('refused: ', self.push('made', status=2))


if __name__ == '__main__':
    if 'push' not in subprocess.run([APROF, 'help'], capture_output=True, text=True).stdout:
        print('aprof was built without a store')
        sys.exit(77)
    unittest.main(verbosity=2)
