"""export_viewers_test.py BUILD [PICTURES]: speedscope in headless Chromium and KCachegrind under Xvfb open what aprof export wrote.

A viewer that is not installed is left out; with none of them the status is 77, skipped.  The page of speedscope (npm) is looked for in
APROF_SPEEDSCOPE, in the npm packages of BUILD and of the source, and among npm's global ones.  With PICTURES, a folder, screenshots are kept there."""
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import limits

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
CHROMIUM = shutil.which('chromium') or shutil.which('chromium-browser') or shutil.which('google-chrome')
KCACHEGRIND = all(map(shutil.which, ['kcachegrind', 'xvfb-run', 'dbus-run-session', 'xwininfo', 'xwd']))


def speedscope():
    places = [os.environ.get('APROF_SPEEDSCOPE', '')]
    places += [str(p / 'node_modules' / 'speedscope') for root in (BUILD, ROOT) for p in (root, root / 'src/show/page')]
    places += ['/usr/local/lib/node_modules/speedscope', '/usr/lib/node_modules/speedscope']
    return next((p for p in places if p and pathlib.Path(p, 'dist/release/index.html').exists()), None)


SPEEDSCOPE = speedscope()


class Viewers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(self.folder.cleanup)
        self.cwd = pathlib.Path(self.folder.name)
        self.run_(BUILD / 'src/contract' / 'make-amon', '--seed', '3', '--routines', '12', '--threads', '3', '--calls', '2000', '--ticks', '1',
                  'amon.out')
        self.report = json.loads(self.run_(BUILD / 'aprof', 'report', '--json'))

    def run_(self, *command, **more):
        done = limits.run(command, 120, cwd=self.cwd, capture_output=True, text=True, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def whole(self):
        return self.report['run']['times']['contexts_ns'] + self.report['run']['times']['outside_ns']

    def chromium(self, *arguments):
        return self.run_(CHROMIUM, '--headless', '--no-sandbox', '--disable-gpu', '--window-size=1200,700',
                         '--virtual-time-budget=8000', '--allow-file-access-from-files', *arguments,
                         f'file://{SPEEDSCOPE}/dist/release/index.html#localProfilePath={self.cwd}/load.js',
                         env=dict(os.environ, HOME=str(self.cwd)))

    @unittest.skipUnless(CHROMIUM and SPEEDSCOPE, 'Chromium or speedscope is not installed')
    def test_speedscope(self):
        text = base64.b64encode(self.run_(BUILD / 'aprof', 'export', 'speedscope').encode()).decode()
        (self.cwd / 'load.js').write_text(f'speedscope.loadFileFromBase64("made", "{text}")')
        page = self.chromium('--dump-dom')
        profiles = re.findall(r'<tr title="([^"]*)"[^>]*>.*?<td[^>]*>([^<]*)</td></tr>', page)
        self.assertEqual(dict(profiles)['time'], f'{self.whole() / 1e9:.2f}s')
        self.assertEqual(dict(profiles)['calls'], f'{self.report["run"]["counts"]["calls"]:,}')
        self.assertEqual(len(profiles), 8)        # time and calls, of all threads and of each
        if PICTURES:
            self.chromium(f'--screenshot={PICTURES}/speedscope.png')

    @unittest.skipUnless(KCACHEGRIND, 'KCachegrind, Xvfb or dbus-run-session is not installed')
    def test_kcachegrind(self):
        self.run_(BUILD / 'aprof', 'export', 'callgrind', '-o', 'callgrind.out.made')
        (self.cwd / '.config').mkdir()
        (self.cwd / '.config' / 'kcachegriderc').write_text('[TipOfDay]\nRunOnStart=false\n')
        (self.cwd / '.config' / 'kcachegrindrc').write_text('[TipOfDay]\nRunOnStart=false\n')
        script = self.cwd / 'look'
        script.write_text('kcachegrind callgrind.out.made & viewer=$!\n'
                          'for i in $(seq 60); do xwininfo -root -tree >windows; grep -q "callgrind.out.made.*KCachegrind" windows && break; sleep 0.5; done\n'
                          'sleep 3; xwd -root -silent >screen.xwd\nkill $viewer\nwait $viewer\ntrue\n')
        self.run_('xvfb-run', '-a', '-s', '-screen 0 1280x800x24', 'dbus-run-session', '--', 'sh', script,
                  env=dict(os.environ, HOME=str(self.cwd), XDG_RUNTIME_DIR=str(self.cwd), LC_ALL='C.UTF-8'))
        self.assertRegex((self.cwd / 'windows').read_text(), r'callgrind\.out\.made.*KCachegrind')
        if PICTURES:
            shutil.copy(self.cwd / 'screen.xwd', PICTURES / 'kcachegrind.xwd')


def main():
    if not (CHROMIUM and SPEEDSCOPE) and not KCACHEGRIND:
        print('no viewer is installed')
        return 77
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(Viewers)
    return 0 if unittest.TextTestRunner().run(tests).wasSuccessful() else 1


if __name__ == '__main__':
    sys.exit(main())
