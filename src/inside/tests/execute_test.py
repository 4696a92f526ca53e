"""execute_test.py BUILD PROGRAM: what is executed by PROGRAM (execute.c) is not told to preload a library of ours that it cannot, and else all of its environment."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
BUILD, PROGRAM = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
del sys.argv[1:3]
WAYS = ["execve", "execv", "execvp", "execvpe", "fexecve", "execl", "execlp", "execle", "posix_spawn", "posix_spawnp", "vfork"]
LIBRARIES = [name for name in ("libaprof-mcount.so", "libaprof-stacks.so") if (BUILD / "src/inside" / name).exists()]
ENV = "/usr/bin/env"


class Executed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="aprof-execute-")
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.other = self.path / "other.so"
        subprocess.run(["cc", "-shared", "-o", self.other, "-x", "c", "/dev/null"], check=True)

    def run_(self, way, *words, **environment):
        done = subprocess.run([PROGRAM, way, *words], cwd=self.path, capture_output=True, text=True,
                              env={"PATH": os.environ["PATH"], "APROF_OUT": str(self.path / "amon.out"), "WORD": "a=b c", **environment})
        self.assertEqual((done.returncode, done.stderr), (0, ""), way)
        return dict(line.split("=", 1) for line in done.stdout.splitlines())

    def test_what_is_there_is_passed_on(self):
        for library in LIBRARIES:
            wanted = f"{self.other}:{BUILD / 'src/inside' / library}"
            for way in WAYS:
                found = self.run_(way, ENV, LD_PRELOAD=wanted)
                self.assertEqual((found["LD_PRELOAD"], found["WORD"]), (wanted, "a=b c"), way)

    def test_what_is_gone_is_not(self):
        """No word on standard error, and others' names stay."""
        for library in LIBRARIES:
            for way in WAYS:
                for before, after in (([], []), ([self.other], [self.other])) if way == "execve" else (([], [self.other]),):
                    gone = shutil.copy(BUILD / "src/inside" / library, self.path / library)
                    found = self.run_(way, ENV, LD_PRELOAD=":".join([*map(str, before), str(gone), *map(str, after)]), GONE=str(gone))
                    self.assertEqual(found.get("LD_PRELOAD", ""), ":".join(map(str, before + after)), way)
                    self.assertEqual(found["WORD"], "a=b c")

    def test_another_libc(self):
        """Its loader dies of our libraries; so does that of a script's interpreter."""
        if not shutil.which("musl-gcc"):
            self.skipTest("no musl-gcc here")
        (self.path / "p.c").write_text('extern char **environ; int puts(const char *); int main(void) { for (char **e = environ; *e; e++) puts(*e); return 0; }')
        subprocess.run(["musl-gcc", "-o", "p", "p.c"], cwd=self.path, check=True)
        (self.path / "script").write_text(f"#! {self.path}/p\n")
        (self.path / "script").chmod(0o755)
        for library in LIBRARIES:
            for program in "p", "script":
                for way in WAYS[:5] if program == "p" else WAYS[:4]:
                    found = self.run_(way, str(self.path / program), LD_PRELOAD=str(BUILD / "src/inside" / library))
                    self.assertNotIn("LD_PRELOAD", found)
                    self.assertEqual(found["WORD"], "a=b c")

    def test_a_missing_program_is_missing(self):
        for library in LIBRARIES:
            for way in "execve", "execvp":
                done = subprocess.run([PROGRAM, way, "/none"], cwd=self.path, capture_output=True, env={"LD_PRELOAD": str(BUILD / "src/inside" / library), "APROF_OUT": "x"})
                self.assertEqual(done.returncode, 97)


if __name__ == "__main__":
    unittest.main(verbosity=1)
