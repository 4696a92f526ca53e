"""clickhouse.py - a ClickHouse server of one's own: on the loopback, in a folder, with a configuration written there, gone with its folder.  For tests and benchmarks."""
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

PROGRAM = shutil.which('clickhouse-server', path=os.environ.get('PATH', '') + ':/usr/sbin:/usr/bin') or shutil.which('clickhouse')
PASSWORD = 'it\'s "secret" & \\ more'
CONFIG = '''<yandex>
  <logger><level>warning</level><log>{folder}/log</log><errorlog>{folder}/errors</errorlog></logger>
  <http_port>{http}</http_port><tcp_port>{tcp}</tcp_port><interserver_http_port>{other}</interserver_http_port>
  <listen_host>127.0.0.1</listen_host>
  <path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path>
  <mark_cache_size>67108864</mark_cache_size><max_concurrent_queries>{queries}</max_concurrent_queries>
  <users_config>{folder}/users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
  <query_log><database>system</database><table>query_log</table><flush_interval_milliseconds>200</flush_interval_milliseconds></query_log>
</yandex>
'''
USERS = '''<yandex>
  <profiles><default><log_queries>1</log_queries></default></profiles>
  <users>
    <default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
    <guarded><password>{password}</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></guarded>
  </users>
  <quotas><default/></quotas>
</yandex>
'''


def free_port():
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        return free.getsockname()[1]


def escaped(text):
    return text.replace('&', '&amp;').replace('<', '&lt;')


class Server:
    """`url` is where it answers; `queries` is how many it takes on at once."""

    def __init__(self, queries=100):
        self.folder = tempfile.TemporaryDirectory(prefix='aprof-clickhouse-')
        path = pathlib.Path(self.folder.name)
        for name in 'data', 'tmp':
            (path / name).mkdir()
        port = free_port()
        self.url = f'http://127.0.0.1:{port}'
        (path / 'config.xml').write_text(CONFIG.format(folder=path, http=port, tcp=free_port(), other=free_port(), queries=queries))
        (path / 'users.xml').write_text(USERS.format(password=escaped(PASSWORD)))
        command = [PROGRAM] if PROGRAM.endswith('-server') else [PROGRAM, 'server']
        with open(path / 'output', 'wb') as output:
            self.process = subprocess.Popen([*command, f'--config-file={path}/config.xml'], stdout=output, stderr=output, cwd=path)
        deadline = time.monotonic() + 120
        while True:
            try:
                self.ask('SELECT 1')
                return
            except (urllib.error.URLError, ConnectionError):
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError('the server does not answer: ' + (path / 'output').read_text(errors='replace')[-2000:]) from None
                time.sleep(0.1)

    def ask(self, sql):
        """The rows of the answer, each a list of strings."""
        with urllib.request.urlopen(urllib.request.Request(self.url, data=sql.encode())) as answer:
            return [line.split('\t') for line in answer.read().decode().splitlines()]

    def make_tables(self, schema, database=None):
        """Have the statements SCHEMA run, in a DATABASE that is new."""
        if database:
            self.ask(f'CREATE DATABASE {database}')
        for statement in schema.split(';\n'):
            if statement.strip():
                data = statement.encode()
                with urllib.request.urlopen(urllib.request.Request(self.url + (f'/?database={database}' if database else ''), data=data)) as answer:
                    answer.read()

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()
