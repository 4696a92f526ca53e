"""own_code_test.py BUILD: time in the monitor is the hooks', wherever the monitor is linked, and no report names its functions as the user's.

Where samples fall is luck, so they are put there: into the profile of a real run, one in each function of the monitor."""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import here
import limits

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
WAYS = here.ways(BUILD, here.BEST)
PROGRAM = r'''
__attribute__((noinline, no_instrument_function)) void aprof_like(void) { __asm__ volatile(""); }
__attribute__((noinline)) void work(void) { aprof_like(); __asm__ volatile(""); }
int main(void) { for (volatile int i = 0; i < 1000; i++) work(); return 0; }
'''
LIBRARY = '__attribute__((noinline)) void work(void) { __asm__ volatile(""); }\n'
USER = 'void work(void);\nint main(void) { for (volatile int i = 0; i < 1000; i++) work(); return 0; }\n'
WORDS = {'behind', 'count', 'longjmp', 'tick'}         # which reports say, too
REPORTS = [['report'], ['report', '--leaves'], ['report', '--lines', '--raw'], ['hot'], ['annotate', 'work'], ['tree'], ['export', 'pprof', '-o', '/dev/null']]


def run(*command, cwd, **more):
    done = limits.run(list(map(str, command)), 60, cwd=cwd, capture_output=True, text=True, env=dict(os.environ, **more))
    if done.returncode:
        raise AssertionError(f'{command}: status {done.returncode}\n{done.stdout}\n{done.stderr}')
    return done.stdout


def functions(path):
    """Name and link-time address of all functions of PATH."""
    lines = subprocess.run(['nm', path], capture_output=True, text=True).stdout.splitlines()
    return {name: int(address, 16) for address, kind, name in (line.split() for line in lines if line[0] != ' ') if kind in 'tTwW'}


def monitors(path):
    """Of those the monitor's: in its section, or all of its library."""
    found = functions(path)
    if 'libaprof' in path.name:
        return found
    low, high = found['__start_aprof_text'], found['__stop_aprof_text']
    return {name: address for name, address in found.items() if low <= address < high and not name.startswith('__start_')}


def chunks(data):
    at, used = 4096, struct.unpack_from('<Q', data, 16)[0]
    while at < used:
        _, kind, size, _, count, _, first = struct.unpack_from('<IIQIIII', data, at)
        yield kind, at + first, count
        at += size


def biases(data):
    """Of each module by its path: what an address in the process has more than in its file."""
    found = {}
    for kind, at, left in chunks(data):
        while kind == 1 and left:
            size = struct.unpack_from('<I', data, at)[0]
            found[data[at + 80:].split(b'\0', 1)[0].decode()] = struct.unpack_from('<Q', data, at + 32)[0]
            at, left = at + size, left - size
    return found


def add_samples(path, module, addresses):
    """Append a table with ten samples at each of the link-time ADDRESSES of MODULE, in the context of main()."""
    data = bytearray(path.read_bytes())
    bias = next(bias for where, bias in biases(data).items() if pathlib.Path(where).name == module)
    size = (64 + 16 * len(addresses) + 4095) & -4096
    used = struct.unpack_from('<Q', data, 16)[0]
    head = struct.pack('<IIQIIIIII24x', 0x6b6e6863, 5, size, 0, len(addresses), len(addresses), 64, 0, 0)
    slots = b''.join(struct.pack('<QII', (address + bias) % 2**64, 1, 10) for address in addresses)
    struct.pack_into('<Q', data, 16, used + size)
    path.write_bytes(data[:used] + (head + slots).ljust(size, b'\0'))


class OwnCode(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.cwd = pathlib.Path(self.folder.name)
        for name, text in {'one.c': PROGRAM, 'library.c': LIBRARY, 'user.c': USER}.items():
            (self.cwd / name).write_text(text)

    def build(self, way, *words):
        run(BUILD / 'aprof-cc', '--aprof-way=' + way, '-O1', '-g', *words, cwd=self.cwd)

    def check(self, program='prog', module=None, where=None, command=None):
        """Samples all over the monitor, which is linked into MODULE, the program as a rule, and stands with its names in the file WHERE."""
        names = monitors(where or self.cwd / (module or program))
        self.assertGreater(len(names), 100)
        run(*(command or ['./' + program]), cwd=self.cwd, APROF_OUT='amon.out', APROF_PC='none')
        add_samples(self.cwd / 'amon.out', module or program, sorted(set(names.values())))
        head = json.loads(run(BUILD / 'aprof', 'report', '--json', 'amon.out', cwd=self.cwd))['run']
        self.assertGreater(head['counts']['pc_in_hooks'], 1000)
        self.assertEqual((head['counts']['pc_without_hooks'], head['counts']['pc_samples']), (0, head['counts']['pc_in_hooks']))
        for words in REPORTS:
            text = run(BUILD / 'aprof', *words, 'amon.out', cwd=self.cwd)
            self.assertEqual(set(re.findall(r'[\w.]+', text)) & names.keys() - WORDS, set(), words)
            self.assertNotIn('no hooks  ', text)

    def test_programs(self):
        kinds = [[], ['-static'], ['-static-pie', '-fPIE'], ['-no-pie', '-fno-pie'], ['-flto'], ['-ffunction-sections', '-Wl,--gc-sections']]
        kinds += [['-fuse-ld=' + linker] for linker in ('gold', 'lld') if shutil.which('ld.' + linker)]
        for way in WAYS:
            for words in kinds:
                with self.subTest(way=way, words=words):
                    self.build(way, *words, 'one.c', '-o', 'prog')
                    self.check()

    def test_stripped(self):
        """By sections too; the names are in another file."""
        self.build(WAYS[0], '-static', 'one.c', '-o', 'whole')
        run('objcopy', '--strip-all', '-R', '.comment', 'whole', 'prog', cwd=self.cwd)
        data = bytearray((self.cwd / 'prog').read_bytes())
        struct.pack_into('<Q', data, 40, 0)                 # no table of sections
        struct.pack_into('<HH', data, 60, 0, 0)
        (self.cwd / 'prog').write_bytes(data)
        names = monitors(self.cwd / 'whole')
        run('./prog', cwd=self.cwd, APROF_OUT='amon.out', APROF_PC='none')
        add_samples(self.cwd / 'amon.out', 'prog', sorted(set(names.values())))
        counts = json.loads(run(BUILD / 'aprof', 'report', '--json', 'amon.out', cwd=self.cwd))['run']['counts']
        self.assertEqual((counts['pc_without_hooks'], counts['pc_samples']), (0, counts['pc_in_hooks']))

    def test_libraries(self):
        """Of a program without hooks a library has some; a program that hides its symbols takes the monitor's library."""
        library = BUILD / 'src/inside' / 'libaprof-monitor.so.1'
        for way in WAYS:
            with self.subTest(way):
                self.build(way, '-shared', '-fPIC', 'library.c', '-o', 'libwork.so')
                run('cc', 'user.c', '-o', 'prog', './libwork.so', cwd=self.cwd)
                self.check(module='libaprof-monitor.so.1', where=library)

    def test_by_any_name(self):
        """A library whose name only begins as the monitor's is a library."""
        run('cc', '-shared', '-fPIC', '-x', 'c', 'library.c', '-o', 'libaprofile.so', cwd=self.cwd)
        self.build(WAYS[0], 'user.c', '-o', 'prog', './libaprofile.so')
        run('./prog', cwd=self.cwd, APROF_OUT='amon.out', APROF_PC='none')
        add_samples(self.cwd / 'amon.out', 'libaprofile.so', [functions(self.cwd / 'libaprofile.so')['work']])
        counts = json.loads(run(BUILD / 'aprof', 'report', '--json', 'amon.out', cwd=self.cwd))['run']['counts']
        self.assertEqual((counts['pc_in_hooks'], counts['pc_without_hooks']), (0, 10))

    def test_preloaded(self):
        """Way mcount: it is preloaded, as by aprof run."""
        library = BUILD / 'src/inside' / 'libaprof-mcount.so'
        run('cc', '-pg', '-O1', '-g', 'one.c', '-o', 'prog', cwd=self.cwd)
        self.check(module=library.name, where=library, command=['env', f'LD_PRELOAD={library}', './prog'])

    def test_users_routines(self):
        """A routine that is called as the monitor's are is the user's."""
        for words in [], ['-static']:
            self.build(WAYS[0], *words, 'one.c', '-o', 'prog')
            run('./prog', cwd=self.cwd, APROF_OUT='amon.out', APROF_PC='none')
            found = functions(self.cwd / 'prog')
            add_samples(self.cwd / 'amon.out', 'prog', [found['aprof_like']])
            counts = json.loads(run(BUILD / 'aprof', 'report', '--json', 'amon.out', cwd=self.cwd))['run']['counts']
            self.assertEqual((counts['pc_in_hooks'], counts['pc_without_hooks']), (0, 10))


if __name__ == '__main__':
    unittest.main()
