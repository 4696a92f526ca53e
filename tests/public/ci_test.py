#!/usr/bin/env python3
"""ci_test.py BUILD - doc/ci/measure.sh as a forge runs it: a bare repository, a clone of a job's, a change that calls more, one that does not."""
import os, pathlib, re, subprocess, sys, tempfile, unittest

sys.dont_write_bytecode = True
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
CI = ROOT / "doc/ci"
PROGRAM = """
volatile long sink;
__attribute__((noipa)) void work(int n) { for (int i = 0; i < n; i++) sink += i; }
__attribute__((noipa)) void part(void) { for (int i = 0; i < %d; i++) work(1000); }
int main(void) { for (int i = 0; i < 100; i++) part(); return 0; }
"""


class Ci(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="aprof-ci-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.env = dict(os.environ, PATH=f"{BUILD}:{os.environ['PATH']}", HOME=str(self.folder), GIT_CONFIG_NOSYSTEM="1", ROUNDS="2", BUILD="make", RUN="./prog",
                        **{f"GIT_{who}_{what}": "x@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")})
        self.git("init", "-q", "--bare", "-b", "main", "forge.git")
        self.git("clone", "-q", "forge.git", "author")
        self.commit(100)
        (self.folder / "author/Makefile").write_text("prog: prog.c\n\taprof-cc -O1 -g -o prog prog.c\n")
        self.commit(100)
        self.git("push", "-q", "origin", "HEAD:main", cwd="author")

    def git(self, *words, cwd="."):
        subprocess.run(["git", "-c", "init.defaultBranch=main", *words], cwd=self.folder / cwd, env=self.env, check=True, stderr=subprocess.DEVNULL)

    def commit(self, calls, comment=""):
        (self.folder / "author/prog.c").write_text(PROGRAM % calls + comment)
        self.git("add", "-A", cwd="author")
        self.git("commit", "-q", "-m", "change", cwd="author")

    def job(self, calls, comment=""):
        """A change is pushed while main goes on; a job clones, and measures.  Its status, and the folder that it leaves."""
        self.git("checkout", "-q", "-b", "change", cwd="author")
        self.commit(calls, comment)
        self.git("push", "-q", "origin", "change", cwd="author")
        self.git("checkout", "-q", "-B", "main", "origin/main", cwd="author")
        self.commit(7, "/* meanwhile */\n")
        self.git("push", "-q", "origin", "main", cwd="author")
        self.git("clone", "-q", "-b", "change", "forge.git", "job")
        done = subprocess.run([CI / "measure.sh"], cwd=self.folder / "job", env=dict(self.env, BASE="origin/main"), capture_output=True, text=True)
        return done, self.folder / "job/aprof-ci"

    def test_more_calls(self):
        done, out = self.job(150)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)work\b")
        comment = (out / "comment.md").read_text()
        self.assertIn("work", comment)
        self.assertTrue(comment.endswith("|\n"), comment)          # the table's last row, and nothing that would become one
        self.assertRegex(comment, r"15,?000")               # calls, not 10000: as they are since the branches parted, whatever main does now
        self.assertIn("<title>aprof</title>", (out / "page.html").read_text(errors="replace"))
        self.assertEqual(sorted(path.name for path in (out / "profiles").glob("*.[0-9]")), ["base.1", "base.2", "new.1", "new.2"])

    def test_no_change(self):
        """Of calls: what is measured of times may be noise."""
        self.env["MAX_REGRESS"] = "1000"
        done, out = self.job(100, "/* nothing */\n")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue((out / "comment.md").read_text())

    def test_it_cannot_be_built(self):
        self.env["BUILD"] = "false"
        self.assertEqual(self.job(100, "/* nothing */\n")[0].returncode, 2)

    def test_the_action(self):
        """It hands on each input, and runs what is there."""
        text = (CI / "action.yml").read_text()
        inputs = re.findall(r"(?m)^  ([\w-]+):\n    description", text)
        self.assertEqual(set(inputs), set(re.findall(r"inputs\.([\w-]+)", text)))
        for name in inputs:
            self.assertRegex((CI / "measure.sh").read_text(), r"\b%s\b" % name.upper().replace("-", "_"))
        self.assertTrue(os.access(CI / re.search(r"action_path \}\}/(\S+)", text)[1], os.X_OK))


if __name__ == "__main__":
    unittest.main()
