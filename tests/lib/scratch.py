"""Tests with a folder of their own, in which a program stands as p.c, and commands are run."""
import os, subprocess, tempfile, unittest

import limits


class Scratch(unittest.TestCase):
    BUILD = PROGRAM = None               # the build folder, and p.c

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="aprof-test-")
        self.addCleanup(folder.cleanup)
        self.cwd = folder.name
        with open(os.path.join(self.cwd, "p.c"), "w") as file:
            file.write(self.PROGRAM)

    def shell(self, command, env=(), status=0):
        """What COMMAND prints, and says on standard error."""
        done = limits.run(command, 240, cwd=self.cwd, capture_output=True, text=True, env=dict(os.environ, **dict(env)))
        self.assertEqual(done.returncode, status, "%s\n%s" % (command, done.stderr))
        return done.stdout, done.stderr

    def aprof(self, *words, **keys):
        return self.shell([os.path.join(self.BUILD, "aprof"), *words], **keys)[0]
