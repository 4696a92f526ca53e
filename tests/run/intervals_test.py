#!/usr/bin/env python3
"""intervals_test.py BUILD [TEST...] - times by interval of the run (aprof run --intervals, APROF_INTERVALS=1) and parts of a run (--time-range)."""
import json, os, re, struct, subprocess, sys, time, unittest

sys.dont_write_bytecode = True           # the folder is the source's
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from scratch import Scratch

BUILD = os.path.abspath(sys.argv[1])
START = 56                               # offset of amon_header.start_monotonic
PAGE, NONE, PHASES, SLICES = 4096, 0xffffffff, 8, 19    # of doc/format.md
CONTRACT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "contract")
READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "doc", "read_amon.py")

# Works in early() for MS milliseconds of CPU time, then as long in late(), or with "ever" goes on; says when it went from one to the other.  With a number
# of THREADS each of them does so, the second of two waiting for the first; with "w" what comes later is another process's.
PROGRAM = r"""#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef PHASES
#include "aprof.h"
#define PHASE(name) aprof_phase(name)
#else
#define PHASE(name) (void)name
#endif
#define N __attribute__((noinline, noclone))
static volatile long sink;
static double clock_of(clockid_t c) { struct timespec t; clock_gettime(c, &t); return (double)t.tv_sec + (double)t.tv_nsec / 1e9; }
static double now(void) { return clock_of(CLOCK_MONOTONIC); }
N void leaf(long n) { for (long i = 0; i < n; i++) sink += i; }
N void early(void) { leaf(2000); sink++; }
N void late(void) { leaf(3000); sink++; }
N void sleeping(void) { usleep(300000); sink++; }
static double spent(void) { return clock_of(CLOCK_THREAD_CPUTIME_ID); }
N void first(double ms) { double end = spent() + ms / 1e3; while (spent() < end) early(); sink++; }
N void second(double ms) { double end = spent() + ms / 1e3; while (spent() < end) late(); sink++; }
N static void *thread(void *ms) { second(*(double *)ms); sink++; return NULL; }
int main(int argc, char **argv)
{
	double ms = atof(argv[1]);
	const char *what = argc > 2 ? argv[2] : "";
	pthread_t t;

	PHASE("one");
	first(ms);
	PHASE("two");
	printf("%.9f\n", now());
	fflush(stdout);
	if (*what == 't') {
		pthread_create(&t, NULL, thread, &ms);
		pthread_join(t, NULL);
	} else if (*what == 's') {
		sleeping();
		printf("%.9f\n", now());
		second(ms);
	} else if (*what == 'w') {
		if (fork())
			wait(NULL);
		else
			second(ms);
	} else {
		do
			second(ms);
		while (*what);
	}
	return 0;
}
"""


class Intervals(Scratch):
    BUILD, PROGRAM = BUILD, PROGRAM

    def refused(self, *words):
        """The one line that says why."""
        lines = self.shell([os.path.join(BUILD, "aprof"), *words], status=2)[1].splitlines()
        return [line for line in lines if not line.startswith("aprof: try ")]

    def build(self, *words):
        self.shell([os.path.join(BUILD, "aprof-cc"), "--aprof-way=fentry", "-O2", "-g", "-fno-optimize-sibling-calls", *words, "-pthread", "p.c", "-o", "p"],
                   env={"APROF_CC": "gcc"})

    def is_met(self, profile="amon.out"):
        """Did looks come to the program all over its run?  Beside much else it is at work for moments, and the sampler waits for a processor, too."""
        run = json.loads(self.aprof("report", "--json", "--", profile))["run"]
        times = run["times"]
        return run["clock"]["clock"] == "wall" or times["unplaced_ns"] + times["unsure_ns"] < 0.02 * times["raw_ns"] and \
            sum(self.ticks(profile=profile).values()) > times["raw_ns"] / 1e7

    def until_met(self, run):
        """What RUN returns, which leaves amon.out."""
        for _ in range(5):
            result = run()
            if self.is_met():
                return result
        self.skipTest("others have the processors: looks do not meet the program")

    def run_it(self, *arguments, options=()):
        """Run it; the moments that it told, seconds of the run."""
        out = self.until_met(lambda: self.aprof("run", "--no-report", "--intervals", *options, "--", "./p", *arguments))
        return [self.of_the_run(line) for line in out.split()]

    def of_the_run(self, moment, profile="amon.out"):
        """The MOMENT that the program told, seconds of the run: its file was begun some time before main."""
        with open(os.path.join(self.cwd, profile), "rb") as file:
            return float(moment) - struct.unpack_from("<Q", file.read(64), START)[0] / 1e9

    def contexts(self, *options, profile="amon.out"):
        """ns by history."""
        return {c["history"]: c["time_ns"] for c in json.loads(self.aprof("contexts", "--json", *options, "--", profile))["contexts"] if c["time_ns"]}

    def ticks(self, *options, profile="amon.out"):
        return {c["history"]: c["ticks"] for c in json.loads(self.aprof("contexts", "--json", *options, "--", profile))["contexts"] if c["ticks"]}

    def whole(self, word, *options):
        """ns of all contexts in which WORD is active."""
        return sum(ns for history, ns in self.contexts(*options).items() if word in history.split())

    def interval(self, profile="amon.out"):
        """Its length in seconds."""
        run = json.loads(self.aprof("report", "--json", "-p", "--time-range=0..", "--", profile))["run"]
        return run["range"]["interval_ns"] / 1e9

    def check_sums(self, cuts, *options, off=0, profile="amon.out"):
        """Ranges that are cut at CUTS add up to the run, by context; but for OFF samples."""
        ends = ["", *map(str, cuts), ""]
        parts = ["--time-range=%s..%s" % pair for pair in zip(ends, ends[1:])]
        wholes = [read(*options, profile=profile) for read in (self.contexts, self.ticks)]
        sums = [{}, {}]
        for part in parts:
            for found, read in zip(sums, (self.contexts, self.ticks)):
                for history, n in read(*options, part, profile=profile).items():
                    found[history] = found.get(history, 0) + n
        self.assertGreater(len(wholes[1]), 1)
        for history in wholes[0].keys() | sums[0].keys():
            self.assertAlmostEqual(sums[0].get(history, 0), wholes[0].get(history, 0), delta=len(parts) + off * 1e7, msg=history)
        for history in wholes[1].keys() | sums[1].keys():
            self.assertAlmostEqual(sums[1].get(history, 0), wholes[1].get(history, 0), delta=off, msg=history)

    def told(self):
        """(from, to) in ns -> (samples, raw ns) of each interval, as aprof info has them."""
        return {(i["from_ns"], i["to_ns"]): (i["ticks"], i["raw_ns"]) for i in json.loads(self.aprof("info", "--json"))["intervals"]}

    def read(self):
        """(from, to) in ns, history -> (samples, raw ns), as the reader of the format has them; without the monitor's own."""
        ns = lambda text: round(float(text) * 1e9)
        lines = [line.split(" ", 4) for line in self.shell([sys.executable, READER, "--intervals", "amon.out"])[0].splitlines()]
        return {((ns(begin), ns(end)), history): (int(ticks), ns(time)) for begin, end, ticks, time, history in lines if history != "(monitor)"}

    def check_told(self):
        """aprof info and the reader of the format tell the same intervals, which are as long as all others, and in them what the contexts have."""
        told, read, sums = self.told(), self.read(), {}
        for (interval, _), (ticks, time) in read.items():
            old = sums.get(interval, (0, 0))
            sums[interval] = old[0] + ticks, old[1] + time
        self.assertGreater(len(told), 5)
        self.assertEqual(list(told), sorted(told))
        for begin, end in told:
            self.assertAlmostEqual(end - begin, self.interval() * 1e9, delta=1)
        for interval, (ticks, time) in told.items():
            self.assertEqual(sums[interval][0], ticks)
            self.assertAlmostEqual(sums[interval][1], time, delta=2)
        return told, read

    def test_told(self):
        """Whoever reads JSON, or the file itself, has the samples of each interval."""
        self.build()
        moment, = self.run_it("300", "t")
        told, read = self.check_told()
        self.assertEqual(sum(ticks for ticks, _ in told.values()), sum(self.ticks("--raw").values()))
        cut = [ticks for ((begin, end), _), (ticks, _) in read.items() if (begin + end) / 2e9 < moment]
        self.assertEqual(sum(cut), sum(self.ticks("--raw", "--time-range=..%.9f" % moment).values()))
        by_history = {}
        for (_, history), (ticks, _) in read.items():
            by_history[history] = by_history.get(history, 0) + ticks
        self.assertEqual(sorted(n for n in by_history.values() if n), sorted(self.ticks("--raw").values()))

    def test_told_without_the_monitor(self):
        """Time that found the thread in the monitor is in no context, and so in no interval."""
        self.build()
        self.run_it("100")
        self.check_told()
        before = self.told()
        first = min(before)
        self.give_to_the_monitor(first)
        told, _ = self.check_told()
        self.assertEqual(told, {interval: sums for interval, sums in before.items() if interval != first})

    def give_to_the_monitor(self, interval, profile="amon.out"):
        """Make the file as if all samples of INTERVAL had found the monitor."""
        begin, end = interval
        with open(os.path.join(self.cwd, profile), "r+b") as file:
            data, at = bytearray(file.read()), PAGE
            while at < struct.unpack_from("<Q", data, 16)[0]:
                _, kind, size, _, _, slots, start, _, level = struct.unpack_from("<IIQIIIIII", data, at)
                if kind == SLICES:
                    shift = (end - begin >> level).bit_length() - (4000000).bit_length()
                    for slot in range(at + start, at + start + 24 * slots, 24):
                        number = struct.unpack_from("<I", data, slot)[0]
                        if number and number - 1 >> shift == begin // (end - begin):
                            struct.pack_into("<I", data, slot + 4, NONE)
                at += size
            file.seek(0)
            file.write(data)

    def test_phases_of_work(self):
        """Each shows in its own range alone; all of them together are the run."""
        self.build()
        moment, = self.run_it("400")
        step = 3 * self.interval()
        before, after = "--time-range=..%.6f" % (moment - step), "--time-range=%.6f.." % (moment + step)
        for options in (), ("--raw",):
            self.assertGreater(self.whole("early", before, *options), 0.5 * self.whole("early", *options))
            self.assertEqual(self.whole("late", before, *options), 0)
            self.assertEqual(self.whole("early", after, *options), 0)
            self.assertGreater(self.whole("late", after, *options), 0.5 * self.whole("late", *options))
            self.check_sums([moment / 2, moment, moment + 0.1], *options)

    def test_calls_are_the_runs(self):
        self.build()
        self.run_it("200")
        calls = [[e["calls"] for e in json.loads(self.aprof("report", "--json", "-p", *options))["flat"] if e["name"] == "leaf"]
                 for options in ((), ("--time-range=0..0.1",))]
        self.assertEqual(calls[0], calls[1])
        self.assertIn("0 s to 0.1 s of the run, by intervals of", self.aprof("report", "-b", "-p", "--time-range=0..0.1"))
        self.assertIn("calls are of the whole run", re.sub(r"\s+", " ", self.aprof("report", "-b", "-p", "--time-range=0..0.1")))
        self.assertIn("by intervals of", re.sub(r"\s+", " ", self.aprof("info")))

    def test_commands(self):
        """Whatever shows a part of a run takes it."""
        self.build()
        moment, = self.run_it("300")
        part = "--time-range=..%.6f" % (moment - 3 * self.interval())
        for words in ("tree", "hot", "paths", "cycles", "report", "annotate"):
            arguments = [words, part] + (["leaf"] if words == "annotate" else [])
            self.assertTrue(self.aprof(*arguments), words)
        self.assertNotIn("late", self.aprof("export", "folded", part))
        self.assertIn("early", self.aprof("export", "folded", part))
        self.aprof("html", part, "-o", "page.html")
        self.aprof("diff", part, "amon.out", "amon.out")

    def test_threads(self):
        """A thread's part of a range, and the sums of each."""
        self.build()
        moment, = self.run_it("200", "t")
        step = 3 * self.interval()
        self.assertEqual(self.whole("second", "--time-range=..%.6f" % (moment - step)), 0)
        for thread in "0", "1":
            shares = [self.whole(word, "--thread=" + thread, "--time-range=%.6f.." % (moment + step)) for word in ("first", "second")]
            self.assertEqual(shares[0], 0)
        self.check_sums([moment])

    def run_killed(self):
        """The line of a program that is killed a second after it."""
        with subprocess.Popen(["./p", "300", "ever"], cwd=self.cwd, stdout=subprocess.PIPE, env=dict(os.environ, APROF_INTERVALS="1", APROF_OUT="amon.out")) as process:
            line = process.stdout.readline()
            time.sleep(1)
            process.kill()
        return line

    def test_killed(self):
        """The file of a process that was killed tells its intervals, too."""
        self.build()
        moment = self.of_the_run(self.until_met(self.run_killed))
        step = 3 * self.interval()
        self.assertGreater(self.whole("early", "--time-range=..%.6f" % (moment - step)), 0)
        self.assertEqual(self.whole("late", "--time-range=..%.6f" % (moment - step)), 0)
        self.assertEqual(self.whole("early", "--time-range=%.6f.." % (moment + step)), 0)
        self.check_sums([moment], off=1)
        self.check_told()

    def test_waiting(self):
        """By elapsed time: a wait stands where it was."""
        self.build()
        begun, ended = self.run_it("100", "s", options=["--clock=wall"])
        step = 3 * self.interval()
        self.assertGreater(self.whole("sleeping", "--time-range=%.6f..%.6f" % (begun + step, ended - step)), 1e8)
        self.assertEqual(self.whole("sleeping", "--time-range=..%.6f" % (begun - step)), 0)
        self.check_sums([begun, (begun + ended) / 2, ended])

    def test_stacks(self):
        """Call stacks of a program without hooks; its waiting, which is charged at its end, is spread over the time that it took."""
        self.shell(["gcc", "-O2", "-g", "-fno-optimize-sibling-calls", "-pthread", "p.c", "-o", "p"])
        self.aprof("run", "--no-report", "./p", "50")
        if not os.path.exists(os.path.join(self.cwd, "amon.out")):
            self.skipTest("call stacks cannot be sampled here")
        moment, = self.run_it("400")
        step = 3 * self.interval()
        self.assertGreater(self.whole("early", "--time-range=..%.6f" % (moment - step)), 0)
        unsure = json.loads(self.aprof("report", "--json"))["run"]["times"]["unsure_ns"]     # what no sample saw is shared as the others say
        self.assertLessEqual(self.whole("late", "--time-range=..%.6f" % (moment - step)), unsure)
        self.assertLessEqual(self.whole("early", "--time-range=%.6f.." % (moment + step)), unsure)
        self.check_sums([moment])
        begun, ended = self.run_it("100", "s", options=["--clock=wall"])
        step, middle = 3 * self.interval(), (begun + ended) / 2
        halves = [self.whole("sleeping", "--time-range=%.6f..%.6f" % pair) for pair in ((begun, middle), (middle, ended))]
        self.assertAlmostEqual(halves[0], (middle - begun) * 1e9, delta=2 * step * 1e9)
        self.assertAlmostEqual(halves[1], (ended - middle) * 1e9, delta=2 * step * 1e9)
        self.check_sums([begun, middle])

    def test_sums(self):
        """The sum of few processes tells when each of them worked, on one axis; that of many tells nothing, and says so once."""
        self.build()
        ms, parts = 100, [0]
        while not all(parts):                   # on a busy machine the sampler may not meet a short process at all
            ms *= 2
            out, said = self.until_met(lambda: self.shell([os.path.join(BUILD, "aprof"), "run", "--no-report", "--intervals", "./p", str(ms), "w"]))
            self.assertNotIn("times by interval", said)
            moment, step = self.of_the_run(out), 3 * self.interval()
            before, after = "--time-range=..%.6f" % (moment - step), "--time-range=%.6f.." % (moment + step)
            parts = [self.whole("early", before), self.whole("late", after)]
        self.assertEqual([self.whole("late", before), self.whole("early", after)], [0, 0])
        self.assertEqual(len({thread["pid"] for thread in json.loads(self.aprof("info", "--json"))["threads"]}), 2)
        self.check_sums([moment], "--raw", off=1)
        self.aprof("merge", "-o", "sum", "amon.out")
        self.assertEqual(self.contexts("--raw", before, profile="sum"), self.contexts("--raw", before))
        self.run_it("100")
        self.assertEqual(self.shell([os.path.join(BUILD, "aprof"), "merge", "-o", "sum", *["amon.out"] * 17])[1].count("times by interval"), 1)
        self.assertIn("does not have its time by interval", self.refused("tree", "--time-range=0..1", "sum")[0])

    def test_phases(self):
        """Each slice is of the phase in which it was charged."""
        self.build("-DPHASES", "-I" + CONTRACT)
        self.run_it("200", "t")
        found = {}
        with open(os.path.join(self.cwd, "amon.out"), "rb") as file:
            data, at, names = file.read(), PAGE, []
        while at < struct.unpack_from("<Q", data, 16)[0]:
            _, kind, size, _, count, slots, start = struct.unpack_from("<IIQIIII", data, at)
            if kind == PHASES:
                names = [data[at + start + 64 * i:at + start + 64 * i + 48].split(b"\0")[0].decode() for i in range(count)]
            for i in range(slots if kind == SLICES else 0):
                interval, _, time, _, phase = struct.unpack_from("<IIQII", data, at + start + 24 * i)
                if interval:
                    found[phase] = found.get(phase, 0) + time
            at += size
        told = {phase["phase"]: phase["contexts_ns"] for phase in json.loads(self.aprof("info", "--json"))["phases"]}
        self.assertEqual(names[1], "")
        self.assertNotIn(0, found)
        self.assertEqual({names[phase] for phase in found} - {""}, {"one", "two"})
        for phase in found:
            self.assertAlmostEqual(found[phase], told.get(names[phase], 0), delta=0.02 * sum(told.values()))

    def test_off(self):
        """Nothing is kept that nobody asked for."""
        self.build()
        self.aprof("run", "--no-report", "./p", "50")
        self.assertNotIn("by intervals of", re.sub(r"\s+", " ", self.aprof("info")))
        self.assertEqual(self.told(), {})
        self.assertEqual(self.read(), {})
        self.assertIn("does not have its time by interval", self.refused("report", "--time-range=0..1")[0])

    def test_refused(self):
        self.build()
        self.run_it("100")
        for part, why in (("1", "not of the form"), ("1..x", "not of the form"), ("-1..2", "not of the form"), ("2..1", "ends before it begins"),
                          ("1..1", "ends before it begins"), ("1e6..", "it begins at")):
            lines = self.refused("tree", "--time-range=" + part)
            self.assertEqual(len(lines), 1, lines)
            self.assertIn(why, lines[0])
        for other in "--leaves", "--lines", "--phase=x":
            self.assertIn("cannot be joined", self.refused("report", "--time-range=0..1", other)[0])
        self.assertIn("cannot be joined", self.refused("run", "--intervals", "--clock=tsc", "./p", "1")[0])


if __name__ == "__main__":
    del sys.argv[1]
    unittest.main(verbosity=2)
