"""ingest_test.py BUILD: `aprof push --format=pprof` against a recorder that holds each request to what Pyroscope documents of POST /ingest."""
import base64
import email
import gzip
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse

sys.dont_write_bytecode = True
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
APROF, MAKE_AMON = BUILD / 'aprof', BUILD / 'format' / 'make-amon'
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


class Ingest(unittest.TestCase):
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
        done = subprocess.run([APROF, 'push', '--format=pprof', '--store', url or f'http://{self.host}', *args], cwd=self.cwd, capture_output=True, text=True,
                              env=dict(os.environ, LC_ALL='C.UTF-8', CLICKHOUSE_USER='nobody'))
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

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
        exported = subprocess.run([APROF, 'export', 'pprof', 'made'], cwd=self.cwd, capture_output=True, check=True).stdout
        self.assertEqual(gzip.decompress(profile), gzip.decompress(exported))
        self.assertIsNone(request[1]['Authorization'])

    def test_path_and_password(self):
        self.push('made', 'made', url=f'http://me:p%40ss@{self.host}/behind/a/')
        self.assertEqual(len(self.server.requests), 2)
        for path, headers, body in self.server.requests:
            self.documented(path, headers, body)
            self.assertTrue(path.startswith('/behind/a/ingest?'))
            self.assertEqual(base64.b64decode(headers['Authorization'].split()[1]), b'me:p@ss')

    def test_refused(self):
        self.server.status, self.server.said = 422, b'no such tenant\nmore'
        said = self.push('made', url=f'http://me:secret@{self.host}', status=2)
        self.assertEqual(said, f'aprof: http://{self.host}: refused: no such tenant\n')
        self.server.status, self.server.said = 503, b''
        self.assertIn('HTTP status 503', self.push('made', status=2))
        self.assertIn('is to be of the form', self.push('made', url='gopher://x', status=2))
        self.assertIn('not one of rows, pprof', self.push('--format=jfr', 'made', status=2))


if __name__ == '__main__':
    if 'push' not in subprocess.run([APROF, 'help'], capture_output=True, text=True).stdout:
        print('aprof was built without a store')
        sys.exit(77)
    unittest.main(verbosity=2)
