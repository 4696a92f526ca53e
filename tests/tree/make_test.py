"""make_test.py - what make says on a machine that lacks what it needs: one line, and nothing is installed or built."""
import os, shutil, subprocess, sys, tempfile, unittest

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
THERE = ["make", "sh", "sed", "cut", "tr", "cat", "grep", "id", "cc", "g++", "as", "python3", "protoc", "protoc-c", "protoc-gen-c", "dpkg-query"]


class Make(unittest.TestCase):
    def test_names_what_is_missing_and_installs_nothing(self):
        with tempfile.TemporaryDirectory(prefix="aprof-make-") as folder:
            for name in THERE:
                if shutil.which(name):
                    os.symlink(shutil.which(name), os.path.join(folder, name))
            asked = os.path.join(folder, "asked")
            for name in ("apt-get", "sudo"):
                with open(os.path.join(folder, name), "w") as file:
                    file.write("#!/bin/sh\necho $0 $* >>%s\n" % asked)
                os.chmod(os.path.join(folder, name), 0o755)
            done = subprocess.run(["make", "--no-print-directory", "-C", ROOT], env={"PATH": folder}, capture_output=True, text=True)
            self.assertFalse(os.path.exists(asked), "something was to be installed")
            self.assertNotEqual(done.returncode, 0)
            lines = [line for line in (done.stdout + done.stderr).splitlines() if "***" not in line]
            self.assertEqual(len(lines), 1, lines)
            self.assertIn("missing: meson ninja-build pkg-config", lines[0])
            self.assertIn("`make deps`", lines[0])


if __name__ == "__main__":
    unittest.main()
