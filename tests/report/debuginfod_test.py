#!/usr/bin/env python3
"""debuginfod_test.py BUILD - names of stripped programs from a debuginfod server: Debian's own, on the loopback."""
import os, pathlib, shutil, socket, subprocess, sys, tempfile, time, unittest, urllib.error, urllib.request

sys.dont_write_bytecode = True
BUILD = os.path.abspath(sys.argv.pop(1))
APROF, APROF_CC = (os.path.join(BUILD, name) for name in ("aprof", "aprof-cc"))
SOURCE = r"""
volatile long sink;
static __attribute__((noinline, noclone)) void hidden(long n) { for (long i = 0; i < n; i++) sink += i; }
int main(void) { for (int i = 0; i < 300; i++) hidden(1000000); return 0; }
"""


class Debuginfod(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        (self.path / "served").mkdir()
        (self.path / "prog.c").write_text(SOURCE)

    def stripped(self, compiler):
        """A program whose symbols are on the server alone."""
        for command in ([compiler, "-O2", "-g", "-o", "prog", "prog.c"], ["objcopy", "--only-keep-debug", "prog", "served/prog.debug"], ["strip", "prog"]):
            subprocess.run(command, cwd=self.path, check=True)

    def server(self):
        """Its address, when it has read what it serves."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = subprocess.Popen(["debuginfod", "-F", "-t", "0", "-p", str(port), "-d", str(self.path / "index.sqlite"), str(self.path / "served")],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "DEBUGINFOD_URLS": ""})
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        url = f"http://127.0.0.1:{port}"
        notes = subprocess.run(["readelf", "-n", str(self.path / "prog")], capture_output=True, text=True, check=True).stdout
        asked = f"{url}/buildid/{notes.split('Build ID: ')[1].split()[0]}/debuginfo"
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(asked) as answer:
                    answer.read()
                    return url
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.2)
        self.fail("the server does not serve")

    def aprof(self, *arguments, url=""):
        environment = dict(os.environ, DEBUGINFOD_URLS=url, DEBUGINFOD_CACHE_PATH=str(self.path / "cache"), DEBUGINFOD_PROGRESS="")
        done = subprocess.run([APROF, *arguments], cwd=self.path, capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def names(self, compiler, *options):
        self.stripped(compiler)
        url = self.server()
        self.aprof("run", "--no-report", *options, "./prog")
        self.assertNotIn("hidden", self.aprof("report", "--flat"))
        self.assertFalse((self.path / "cache").exists())         # nobody was asked
        self.assertRegex(self.aprof("report", "--flat", url=url), r" hidden\b")
        self.assertTrue((self.path / "cache").exists())

    def test_names_are_kept(self):
        """What the server said when the profile was made is in the profile."""
        self.stripped("cc")
        self.aprof("run", "--no-report", "./prog", url=self.server())
        shutil.rmtree(self.path / "cache")
        self.assertRegex(self.aprof("report", "--flat"), r" hidden\b")

    def test_sampled_stacks(self):
        self.names("cc")

    def test_hooks(self):
        self.names(APROF_CC)

    def test_no_answer(self):
        """A server that is not there is no error."""
        self.stripped("cc")
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
            self.aprof("run", "--no-report", "./prog", url=url)
            self.assertRegex(self.aprof("report", "--flat", url=url), r" 0x[0-9a-f]+\n")

    def test_no_dependency(self):
        """libdw loads the library of debuginfod when it is to be asked."""
        needed = subprocess.run(["ldd", APROF], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("libdebuginfod", needed)


if __name__ == "__main__":
    if not shutil.which("debuginfod"):
        print("skipped: debuginfod is not installed")
        sys.exit(77)
    unittest.main()
