#!/usr/bin/env python3
"""Limits of CPU time, not of patience: what limits.py lets end, what it ends, and what it says of that."""
import os, shutil, signal, subprocess, sys, time, unittest
from unittest import mock

sys.dont_write_bytecode = True
import limits

LIMITS = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "limits.py")]
SPIN = "import time\nwhile time.process_time() < %g: pass\n"
MARK = "limits-test-%d" % os.getpid()


def python(text):
    """A command that runs TEXT, known by MARK."""
    return [sys.executable, "-c", text, MARK]


def left():
    """The processes with MARK."""
    return [pid for pid, p in limits.processes().items() if p.state != "Z" and MARK in limits.read("/proc/%d/cmdline" % pid) and pid != os.getpid()]


def exceeded(test, text, stacks=lambda pid: [], **options):
    """What is told of a command that does not keep its limits, by default without stacks; nobody is left."""
    with mock.patch("limits.stacks", stacks), test.assertRaises(limits.Exceeded) as caught:
        limits.run(python(text), stdout=subprocess.PIPE, stderr=subprocess.PIPE, **dict({"every": 0.1}, **options))
    for _ in range(100):            # an orphan is waited for by somebody else
        if not left():
            break
        time.sleep(0.05)
    test.assertEqual(left(), [])
    return str(caught.exception)


class LikeRun(unittest.TestCase):
    """What ends is as by subprocess.run."""

    def test_outputs_and_status(self):
        text = "import sys\nprint(sys.stdin.read() * 3)\nprint('b', file=sys.stderr)\nsys.exit(3)"
        for options in {"text": True}, {"text": True, "every": 0.001, "idle": 100}:
            done = limits.run(python(text), input="a" * 100000, capture_output=True, **options)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "a" * 300000 + "\n", "b\n"))

    def test_signal(self):
        self.assertEqual(limits.run(["sh", "-c", "kill -USR1 $$"]).returncode, -signal.SIGUSR1)

    def test_check(self):
        with self.assertRaises(subprocess.CalledProcessError) as caught:
            limits.run(["sh", "-c", "echo no; exit 4"], check=True, stdout=subprocess.PIPE)
        self.assertEqual((caught.exception.returncode, caught.exception.output), (4, b"no\n"))

    def test_no_such_command(self):
        with self.assertRaises(FileNotFoundError):
            limits.run(["/nowhere/" + MARK])


class Slow(unittest.TestCase):
    """Time that passes is not what is limited."""

    def test_sleeps(self):
        self.assertEqual(limits.run(python("import time\ntime.sleep(1.5)"), cpu=0.6, idle=5, every=0.1).returncode, 0)

    def test_starts_often_what_takes_little(self):
        text = "import subprocess, time\nfor i in range(12): subprocess.run(['true']); time.sleep(0.15)"
        self.assertEqual(limits.run(python(text), cpu=5, idle=1, every=0.1).returncode, 0)


class Spent(unittest.TestCase):
    """CPU time of all processes, whoever waits for them."""

    def test_alone(self):
        self.assertIn("s of CPU time of 0.5", exceeded(self, SPIN % 100, cpu=0.5))

    def test_children_that_ended(self):
        text = "import subprocess, sys\nwhile True: subprocess.run([sys.executable, '-c', '''%s''', sys.argv[1]])" % (SPIN % 0.2)
        self.assertIn("s of CPU time of 1", exceeded(self, text, cpu=1))

    def test_orphans_that_ended(self):
        """Nobody in the group waits for them."""
        text = "import os, time\nwhile True:\n if not os.fork():\n  if not os.fork():\n   exec('''%s''')\n  os._exit(0)\n os.wait(); time.sleep(.4)"
        self.assertIn("s of CPU time of 1", exceeded(self, text % (SPIN % 0.3), cpu=1))

    def test_thread(self):
        text = "import threading, time\ndef spin():\n%s\nthreading.Thread(target=spin).start()" % "".join(" %s\n" % l for l in (SPIN % 100).splitlines())
        self.assertIn("s of CPU time of 0.5", exceeded(self, text, cpu=0.5))

    def test_who_left_the_session(self):
        """A child in a session of its own, whose parent stays."""
        text = "import os\nif not os.fork(): os.setsid(); exec('''%s''')\nos.wait()" % (SPIN % 100)
        self.assertIn("s of CPU time of 0.5", exceeded(self, text, cpu=0.5))

    def test_who_left_altogether(self):
        """He was seen before he had no parent any more."""
        text = "import os, time\nif not os.fork(): os.setsid(); time.sleep(1.6); exec('''%s''')\ntime.sleep(1.5)" % (SPIN % 100)
        self.assertIn("s of CPU time of 0.8", exceeded(self, text, cpu=0.8))

    def test_last_resort(self):
        text = "import time\nwhile True: time.sleep(0.05); sum(range(100000))"
        self.assertIn("1 s passed", exceeded(self, text, cpu=100, wall=1.2))


class Hangs(unittest.TestCase):
    def test_where(self):
        """Both processes and each thread, what they wait for, and what was printed before."""
        text = "import os, threading, time\nprint('as far as here', flush=True)\nr, w = os.pipe()\n" \
               "if not os.fork(): os.read(r, 1)\nthreading.Thread(target=os.read, args=(r, 1)).start()\ntime.sleep(1000)"
        told = exceeded(self, text, limits.stacks, idle=2)
        self.assertIn("hangs, no CPU time for 2", told)
        self.assertEqual(told.count("  process "), 2, told)
        self.assertEqual(told.count(": state S, waits in "), 3, told)
        self.assertTrue(told.endswith("it had printed:\nas far as here\n"), told)
        if shutil.which("gdb") and "ptrace: " not in told:
            self.assertEqual(told.count("    Thread "), 3, told)
            self.assertRegex(told, "in .*(read|nanosleep|select)")

    def test_stopped(self):
        self.assertIn("state T", exceeded(self, "import os\nos.kill(os.getpid(), 19)", idle=0.5))

    def test_pipe_kept_open(self):
        """The command ended, but not who has its output."""
        told = exceeded(self, "import os, time\nif not os.fork(): time.sleep(1000)\ntime.sleep(.5)", idle=1)
        self.assertIn("hangs", told)

    def test_not_who_cannot_get_the_processor(self):
        """Who is able to run does not hang, though he uses nothing."""
        watch = limits.Watch(os.getpid(), 10, idle=1)
        watch.group.look()
        watch.quiet = 100
        self.assertEqual(watch.wrong(), "")


class Command(unittest.TestCase):
    def run_limits(self, *words, **options):
        return subprocess.run(LIMITS + list(words), capture_output=True, text=True, **options)

    def test_status(self):
        self.assertEqual(self.run_limits("--", "sh", "-c", "exit 77").returncode, 77)
        self.assertEqual(self.run_limits("sh", "-c", "kill -SEGV $$").returncode, -signal.SIGSEGV)
        self.assertEqual(self.run_limits("sh", "-c", "kill -KILL $$").returncode, -signal.SIGKILL)
        self.assertEqual(self.run_limits("/nowhere").returncode, 127)

    def test_limits(self):
        for words, environment in (("--cpu", "0.5", "--"), {}), ((), {"TEST_CPU_SECONDS": "0.5"}):
            done = self.run_limits(*words, "sh", "-c", "while :; do :; done", env=dict(os.environ, **environment))
            self.assertEqual(done.returncode, limits.GIVEN_UP)
            self.assertIn("s of CPU time of 0.5", done.stderr)

    def test_tells(self):
        done = self.run_limits("--tell", "1", "--", *python(SPIN % 0.4))
        self.assertRegex(done.stderr, r"\nlimits: 0\.[4-9] s of CPU time\n\Z")

    def test_asked_to_end(self):
        """Who ends the runner of a test ends the test."""
        runner = subprocess.Popen(LIMITS + python("import time\nprint(1, flush=True)\ntime.sleep(1000)"), stdout=subprocess.PIPE)
        runner.stdout.read(2)
        runner.terminate()
        self.assertEqual(runner.wait(), -signal.SIGTERM)
        runner.stdout.close()
        self.assertEqual(left(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
