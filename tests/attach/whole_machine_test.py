#!/usr/bin/env python3
"""whole_machine_test.py BUILD - aprof attach --all: programs that run and that begin, each by its name.  It samples whatever runs beside."""
import glob, json, os, signal, subprocess, sys, time, unittest

sys.path[1:1] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", folder) for folder in ("lib", "run")]
import stacks_test as stacks


def cut(graph):
    """Time of the stacks of user's code that were not followed to their start, ns; a thread that ends in the kernel has none any more."""
    children = graph.get("(truncated)", {"children": []})["children"]
    return sum(child["self_ns"] + child["children_ns"] for child in children if child["name"] != "[kernel]")


# A process of it works for 3 ms.
SHORT = r"""
#include <time.h>
__attribute__((noinline)) void work(void) { while (clock() < 3 * (CLOCKS_PER_SEC / 1000)) ; }
int main(void) { work(); return 0; }
"""
PILE = 256                                                              # HOUSEKEEPING_FILES of src/record/run/housekeeping.h


class WholeMachine(stacks.Recording):
    def started(self, *command, **options):
        """A process that does not outlive the test."""
        process = subprocess.Popen(command, cwd=self.path, **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def recorder_of_all(self):
        recorder = self.started(stacks.APROF, "attach", "--all", "--no-report", "--data=all", stderr=subprocess.PIPE, text=True, env=dict(os.environ, TMPDIR=self.path))
        self.addCleanup(recorder.stderr.close)
        self.until(lambda: recorder.poll() is not None or glob.glob(self.path + "/aprof.*/stacks.*"))
        if recorder.poll() is not None and "--all: the kernel does not let" in recorder.stderr.read():
            self.skipTest("perf events for the whole machine are not permitted")
        return recorder

    def all_of(self, recorder):
        """What RECORDER leaves now, by programs of this test, of which others may run with the same name: the rows of each by routines, flat and of the call
        graph."""
        recorder.send_signal(signal.SIGINT)
        said = recorder.stderr.read()
        self.assertEqual(recorder.wait(), 0, said)
        self.assertLessEqual(said.count("may not be read"), 1)
        found = {}
        for file in glob.glob(self.path + "/all*"):
            run = json.loads(self.aprof("report", "--json", file).stdout)
            folder, program = os.path.split(run["run"]["files"][0]["program"])
            if folder == os.path.realpath(self.path):
                found[program] = tuple({row["name"]: row for row in run[part]} for part in ("flat", "callgraph"))
        return found

    def test_whole_machine(self):
        """Programs that run, and one that begins meanwhile, each by its name."""
        for name in ("alpha", "beta", "gamma"):
            self.build(stacks.FOREVER, name)
        running = [self.started("./" + name) for name in ("alpha", "beta")]
        recorder = self.recorder_of_all()
        running.append(self.started("sh", "-c", "exec ./gamma"))
        for process in running:
            self.until(lambda: self.recorded(process.pid) > 0.3e9)
        found = self.all_of(recorder)
        for name in ("alpha", "beta", "gamma"):
            rows, graph = found[name]
            self.assertGreater(rows["turn"]["self_ns"], 0.8 * sum(row["self_ns"] for row in rows.values()), name)
            self.assertLess(cut(graph), 0.05 * rows["turn"]["self_ns"], name)

    def test_whole_machine_told_late(self):
        """Of a process with threads that end, the recorder is told when all of it is gone."""
        self.build(stacks.FOREVER, "alpha")
        process = self.started("./alpha")
        recorder = self.recorder_of_all()
        self.until(lambda: self.recorded(process.pid) > 0.1e9)
        recorder.send_signal(signal.SIGSTOP)
        time.sleep(1)
        process.kill()
        process.wait()
        recorder.send_signal(signal.SIGCONT)
        rows, graph = self.all_of(recorder)["alpha"]
        self.assertEqual(len(glob.glob(f"{self.path}/aprof.*/stacks.{process.pid}.*")), 0)
        self.assertLess(cut(graph), 0.05 * rows["turn"]["self_ns"])

    def test_whole_machine_of_many(self):
        """Programs that end are added up while others are sampled: few files, all of their time."""
        self.build(SHORT, "short")
        recorder = self.recorder_of_all()
        for _ in range(3 * PILE):
            self.assertEqual(self.started("./short").wait(), 0)
        self.until(lambda: len(glob.glob(self.path + "/aprof.*/stacks.*")) < 2.5 * PILE)        # later on a busy machine, of whose other programs there are more
        rows, _ = self.all_of(recorder)["short"]
        self.assertLessEqual(len(glob.glob(self.path + "/all*short*")), 1)       # none where it is the heaviest, which is all
        self.assertGreater(sum(row["self_ns"] for row in rows.values()), 0.75 * 3 * PILE * 3e6)

    def until(self, condition):
        deadline = time.monotonic() + 600
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.3)
        self.assertTrue(condition())

    def recorded(self, pid):
        """The time that a live file of process PID has, ns."""
        times = [0]
        for file in glob.glob(f"{self.path}/aprof.*/stacks.{pid}.*"):
            if not file.endswith(".new"):
                times.append(json.loads(self.aprof("report", "--json", file).stdout)["run"]["times"]["raw_ns"])
        return max(times)


if __name__ == "__main__":
    why = stacks.refused()
    if why:
        print("skipped: " + why.strip())
        sys.exit(77)
    unittest.main()
