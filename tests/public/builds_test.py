#!/usr/bin/env python3
"""builds_test.py BUILD - builds that find aprof where it was installed: CMake's and Meson's with hooks by a line, and a reader of profiles by pkg-config."""
import json, os, pathlib, re, shutil, subprocess, sys, tempfile, unittest

sys.dont_write_bytecode = True
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = """
#ifdef __cplusplus
extern "C"
#endif
int twice(int x);
#ifndef MAIN
__attribute__((noinline)) int twice(int x) { return 2 * x; }
#else
int main(void) { int sum = 0; for (int i = 0; i < 1000; i++) sum += twice(i); return sum == 0; }
#endif
"""
CMAKE = """
cmake_minimum_required(VERSION 3.2)
project(tiny C CXX)
find_package(aprof 0.9 REQUIRED)
add_library(part STATIC part.c)
add_executable(prog main.cc)
target_link_libraries(prog part)
aprof_profile(prog part)
add_executable(reader heaviest.c)
target_link_libraries(reader aprof::libaprof)
"""
MESON = """
project('tiny', 'c')
executable('prog', 'part.c', 'main.c', dependencies: dependency('aprof'))
executable('reader', 'heaviest.c', dependencies: dependency('libaprof'))
"""


class Builds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="aprof-builds-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", cls.folder / "root"], check=True, stdout=subprocess.DEVNULL)
        cls.pc = next((cls.folder / "root").rglob("pkgconfig/aprof.pc")).parent
        cls.libdir = cls.pc.parent
        cls.prefix = next((cls.folder / "root").rglob("bin/aprof")).parent.parent
        cls.env = dict(os.environ, CC="gcc", CXX="g++", PKG_CONFIG_PATH=str(cls.pc), CMAKE_PREFIX_PATH=str(cls.prefix), LD_LIBRARY_PATH=str(cls.libdir))
        cls.env.pop("CFLAGS", None)

    def run_(self, *command, cwd):
        done = subprocess.run(command, cwd=cwd, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, (command, done.stdout))
        return done.stdout

    def project(self, name, main, **files):
        folder = self.folder / name
        folder.mkdir()
        (folder / "part.c").write_text(PROGRAM)
        (folder / main).write_text("#define MAIN\n" + PROGRAM)
        shutil.copy(ROOT / "doc/examples/heaviest.c", folder)
        for file, text in files.items():
            (folder / file.replace("__", ".")).write_text(text)
        return folder

    def check(self, folder):
        """It counts its calls, and its reader reads that."""
        self.run_(folder / "build/prog", cwd=folder)
        report = json.loads(self.run_(self.prefix / "bin/aprof", "report", "--json", "amon.out", cwd=folder))
        self.assertEqual({row["name"]: row["calls"] for row in report["flat"] if row["name"] == "twice"}, {"twice": 1000})
        self.assertIn("twice", self.run_(folder / "build/reader", "amon.out", cwd=folder))

    @unittest.skipUnless(shutil.which("cmake"), "no cmake here")
    def test_cmake(self):
        folder = self.project("cmake", "main.cc", CMakeLists__txt=CMAKE)
        self.run_("cmake", "-S", ".", "-B", "build", "-G", "Ninja", cwd=folder)
        self.run_("cmake", "--build", "build", cwd=folder)
        self.check(folder)

    @unittest.skipUnless(shutil.which("cmake"), "no cmake here")
    def test_cmake_version(self):
        folder = self.project("later", "main.cc", CMakeLists__txt=CMAKE.replace("aprof 0.9", "aprof 99"))
        done = subprocess.run(["cmake", "-S", ".", "-B", "build", "-G", "Ninja"], cwd=folder, env=self.env, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('requested version "99"', done.stderr)

    def test_meson(self):
        folder = self.project("meson", "main.c", meson__build=MESON)
        self.run_("meson", "setup", "build", cwd=folder)
        self.run_("ninja", "-C", "build", cwd=folder)
        self.check(folder)

    def test_pkg_config(self):
        folder = self.project("plain", "main.c")
        flags = self.run_("pkg-config", "--cflags", "--libs", "libaprof", cwd=folder).split()
        self.run_("gcc", "heaviest.c", "-o", "reader", *flags, cwd=folder)
        self.assertEqual(self.run_("pkg-config", "--modversion", "libaprof", cwd=folder), self.run_("pkg-config", "--modversion", "aprof", cwd=folder))

    def test_flags(self):
        """What pkg-config has, and so Meson's dependency, compiles as aprof-cc does."""
        said = lambda *command: sorted(re.sub(r"/[^ ]*/aprof\b/?", "", word) for word in self.run_(*command, cwd=self.folder).split() if word != "-idirafter")
        self.env["APROF_CC"] = "gcc"
        self.assertEqual(said("pkg-config", "--cflags", "aprof"), said(self.prefix / "bin/aprof", "config", "--cflags"))

    def test_python(self):
        """The module finds the library beside which it was installed: its path is that of the prefix, not of this folder."""
        module = next((self.folder / "root").rglob("aprof/_location.py"))
        self.assertEqual((self.folder / "root" / module.read_text().split('"')[-2].lstrip("/")).resolve().name, "libaprof.so.1.0.0")


if __name__ == "__main__":
    unittest.main()
