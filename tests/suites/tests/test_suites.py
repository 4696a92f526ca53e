"""test_suites.py BUILD - what the runner of test suites makes of their output and of profiles, on made-up ones; nothing is fetched."""

import copy
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
SUITES = os.path.dirname(HERE)
sys.path[:0] = [SUITES, os.path.join(os.path.dirname(SUITES), "lib"), os.path.join(os.path.dirname(os.path.dirname(SUITES)), "bench", "lib")]

import contexts  # noqa: E402
import here  # noqa: E402
import outcome  # noqa: E402
import profiles  # noqa: E402
import together  # noqa: E402

TAP = """1..5
ok 1 - platform_output
# Output from process `platform_output`:
# uv_cwd: /tmp
ok 2 - pipe_ref # SKIP no pipes here
not ok 3 - tcp_connect_timeout
# exit code 134
not ok 4 - later # TODO not yet
ok 5 - timer-again
"""

GTEST = """[==========] Running 4 tests from 2 test suites.
[----------] 3 tests from Parser
[ RUN      ] Parser.Empty
[       OK ] Parser.Empty (0 ms)
[ RUN      ] Parser.Throws
parser_test.cpp:3: Failure
Value of: thrown
half a line[  FAILED  ] Parser.Throws, where GetParam() = 4 (12 ms)
[ RUN      ] Parser.Locale
[  SKIPPED ] Parser.Locale (0 ms)
[ RUN      ] Many/Typed.Works/0
[       OK ] Many/Typed.Works/0 (1 ms)
[==========] 4 tests from 2 test suites ran. (13 ms total)
[  PASSED  ] 2 tests.
[  FAILED  ] 1 test, listed below:
[  FAILED  ] Parser.Throws, where GetParam() = 4
"""

SQLITE = """select1-1.1... Ok
select1-1.1... Ok
.....................
....select1 with blanks... Ok
Time: select1.test 7 ms
Memory used:          now         24  max     403856  max-size      65544
io-5.5...
! io-5.5 expected: [8192]
! io-5.5 got:      [16384]
io-5.6... Omitted
Time: io.test 12 ms
1 errors out of 6 tests on vm Linux 64-bit little-endian
!Failures on these tests: io-5.5
"""


class Parsers(unittest.TestCase):
    def test_tap(self):
        results = outcome.tap(TAP)
        self.assertEqual(results.outcomes, {"platform_output": "passed", "pipe_ref": "skipped", "tcp_connect_timeout": "failed",
                                            "later": "skipped", "timer-again": "passed"})
        self.assertEqual(results.wrong, [])

    def test_tap_that_was_broken_off(self):
        self.assertEqual(outcome.tap(TAP.rsplit("ok 5", 1)[0]).wrong, ["4 of 5 planned tests ended"])

    def test_tap_without_numbers_and_plan(self):
        results = outcome.tap("not ok - one\nok - two\n")
        self.assertEqual(results.outcomes, {"one": "failed", "two": "passed"})
        self.assertEqual(results.wrong, ["2 of an unknown number of planned tests ended"])

    def test_gtest(self):
        results = outcome.gtest(GTEST)
        self.assertEqual(results.outcomes, {"Parser.Empty": "passed", "Parser.Throws": "failed", "Parser.Locale": "skipped",
                                            "Many/Typed.Works/0": "passed"})
        self.assertEqual(results.wrong, [])

    def test_gtest_that_died_in_a_test(self):
        results = outcome.gtest(GTEST.split("[  SKIPPED ]")[0])
        self.assertEqual(results.outcomes["Parser.Locale"], "failed")
        self.assertEqual(results.wrong, ["3 tests seen, the suite says nothing"])

    def test_sqlite(self):
        results = outcome.sqlite(SQLITE)
        self.assertEqual(results.outcomes, {"select1.test: select1-1.1": "passed", "select1.test: select1-1.1#2": "passed",
                                            "select1.test: select1 with blanks": "passed", "io.test: io-5.5": "failed",
                                            "io.test: io-5.6": "skipped"})
        self.assertEqual((results.told, results.wrong), ("1 errors out of 6 tests", []))

    def test_sqlite_that_was_broken_off(self):
        for cut, left in ("Time: io", 2), ("1 errors", 0):
            self.assertEqual(outcome.sqlite(SQLITE.split(cut)[0]).wrong,
                             [f"no line tells the number of errors, and {left} tests are of a file that did not end"])

    def test_nothing_is_never_complete(self):
        for parse in outcome.PARSERS.values():
            self.assertTrue(parse("").wrong)


class Comparison(unittest.TestCase):
    @staticmethod
    def results(**outcomes):
        results = outcome.Results()
        for name, own in outcomes.items():
            results.add(name, own)
        return results

    def test_a_test_differs_by_its_end_or_by_its_absence(self):
        bare = self.results(a="passed", b="failed", c="skipped", d="passed")
        self.assertEqual(outcome.differing(bare, bare), [])
        other = self.results(a="passed", b="passed", c="skipped", e="passed")
        self.assertEqual(outcome.differing(bare, other), ["b", "d", "e"])

    def test_only_the_bare_runs_tell_that_a_test_is_unsteady(self):
        passed, failed = self.results(a="passed"), self.results(a="failed")
        self.assertTrue(outcome.unsteady("a", [passed, failed, passed]))
        self.assertFalse(outcome.unsteady("a", [passed, passed]))


def arc(calls, self_ns, children_ns):
    return {"calls": calls, "self_ns": self_ns, "children_ns": children_ns}


# main calls f three times, f calls itself once.
REPORT = {
    "run": {"files": [{"file": "a", "truncated": False}], "counts": {"calls": 5}, "times": {"contexts_ns": 100}},
    "flat": [{"calls": 1, "recursive": 0, "self_ns": 30}, {"calls": 3, "recursive": 1, "self_ns": 70}],
    "callgraph": [
        {"name": "main", "calls": 1, "self_ns": 30, "children_ns": 70, "parents": [arc(1, 30, 70)], "children": [arc(3, 70, 0)]},
        {"name": "f", "calls": 3, "self_ns": 70, "children_ns": 0, "parents": [arc(3, 70, 0)], "children": []},
    ],
}


class Pieces(unittest.TestCase):
    def test_a_routine_is_in_a_piece_by_its_beginning_or_an_address_behind_it(self):
        pieces = {("prog", 0x1200, 0x1280)}
        for routine, inside in [("prog+0x1200", True), ("prog+0x1206'", True), ("prog+0x127f", True), ("prog+0x1280", False),
                                ("prog+0x11ff", False), ("other+0x1206", False), ("(lost)", False), ("0x1206", False)]:
            self.assertEqual(profiles.in_piece(routine, pieces), inside, routine)


    def test_another_build_at_the_same_path_is_read_anew(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "prog.o")
            for name, pieces in [("f.part.0", 1), ("f", 0)]:
                source = f'.text\n.globl "{name}"\n.type "{name}", @function\n"{name}": ret\n.size "{name}", .-"{name}"\n'
                subprocess.run(["gcc", "-c", "-x", "assembler", "-", "-o", program], input=source, text=True, check=True)
                self.assertEqual(len(profiles._pieces({program})), pieces)


class Conservation(unittest.TestCase):
    def test_a_clean_report(self):
        self.assertEqual(profiles.check(REPORT), [])

    def test_each_thing_that_does_not_add_up_is_named(self):
        for change, said in [
            (lambda r: r["run"]["files"][0].update(truncated=True), "a is cut off"),
            (lambda r: r["run"]["counts"].update(calls=4), "more calls in the flat profile than in the file"),
            (lambda r: r["run"]["times"].update(contexts_ns=101), "self times: 100, not 101"),
            (lambda r: r["callgraph"][1].update(calls=4), "calls into f: 3, not 4"),
            (lambda r: r["callgraph"][0]["parents"][0].update(self_ns=31), "time into main: 101, not 100"),
            (lambda r: r["callgraph"][0]["children"].clear(), "time out of main: 0, not 70"),
        ]:
            report = copy.deepcopy(REPORT)
            change(report)
            self.assertEqual(profiles.check(report), [said])


class Held(unittest.TestCase):
    """Two ways' contexts; a run is written as counts of entries by test and history."""

    @staticmethod
    def hold(first, other):
        runs = [[{test: contexts.Contexts({h: (n, 0) for h, n in own.items()}) for test, own in run.items()} for run in runs]
                for runs in (first, other)]
        return contexts.hold(("one", "two"), *runs)

    def test_equal_runs(self):
        held = self.hold([{"t": {"main": 1, "main f": 3}}], [{"t": {"main f": 3, "main": 1}}])
        self.assertEqual((held.tests, held.equal, held.contexts, held.calls, held.unsteady, held.differing), (1, 1, 2, 4, {}, {}))

    def test_what_differs_is_named_the_shortest_history_first(self):
        held = self.hold([{"t": {"main": 1, "main f g": 2}}], [{"t": {"main": 1, "main f": 4}}])
        self.assertEqual(held.differing, {"t": ["0+0, 4+0: main f", "2+0, 0+0: main f g"]})
        self.assertEqual((held.equal, held.contexts), (0, 3))

    def test_a_test_that_one_way_alone_has_differs(self):
        self.assertEqual(self.hold([{"t": {"main": 1}}], [{}]).differing, {"t": ["1+0, 0+0: main"]})

    def test_what_varies_by_both_ways_is_unsteady_and_the_rest_is_compared(self):
        run = lambda n, f=5: {"t": {"main": n, "f": f}}  # noqa: E731
        held = self.hold([run(1), run(2), run(3)], [run(4), run(5), run(6)])
        self.assertEqual((held.unsteady, held.differing, held.contexts), ({"t": ["1+0, 4+0: main"]}, {}, 1))
        held = self.hold([run(1), run(2), run(3)], [run(4, 6), run(5, 6), run(6, 6)])
        self.assertEqual((held.unsteady, held.differing), ({"t": ["1+0, 4+0: main"]}, {"t": ["5+0, 6+0: f"]}))

    def test_what_varies_by_one_way_alone_differs_if_the_other_never_has_it(self):
        run = lambda n: {"t": {"main": n}}  # noqa: E731
        self.assertTrue(self.hold([run(1)] * 3, [run(2), run(2), run(3)]).differing)
        self.assertEqual(self.hold([run(1)] * 3, [run(2), run(2), run(1)]).unsteady, {"t": ["1+0, 2+0: main"]})

    def test_the_first_part_of_a_profiles_name_is_its_test(self):
        self.assertEqual([contexts.test_of(f"/a:b/{name}") for name in ("tail-2:wait.sh:tail.17", "amon.out.17", "t:x.y.1")], ["tail-2:wait.sh", "", "t"])


class Together(unittest.TestCase):
    """What was kept, against the files of single processes; these are made up, of one program."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        subprocess.run([os.path.join(BUILD, "src/contract", "make-runs"), "run", "20"], cwd=folder.name, check=True)
        self.aprof = os.path.join(BUILD, "aprof")
        self.single = sorted(os.path.join(folder.name, name) for name in os.listdir(folder.name))
        self.sum = os.path.join(folder.name, "sum")
        subprocess.run([self.aprof, "merge", "-o", self.sum, *self.single], check=True)

    def wrong(self, kept, single):
        return "\n".join(together.compare(self.aprof, kept, single).wrong)

    def test_the_sum(self):
        sums = together.compare(self.aprof, [self.sum], self.single)
        self.assertEqual((sums.processes, sums.programs, sums.wrong), (20, 1, []))
        self.assertEqual(sums.calls, sums.single)

    def test_a_process_that_is_not_in_it(self):
        self.assertRegex(self.wrong([self.sum], self.single[1:]), r"(?s)kept are 20 processes of 19\n.*contexts differ: kept \d+\+\d+, single files \d+\+\d+: ")

    def test_more_than_one_profile_of_a_program(self):
        self.assertIn("2 profiles kept, not one", self.wrong([self.sum, self.single[0]], self.single))
        self.assertIn("0 profiles kept, not one", self.wrong([], self.single))


class Run(unittest.TestCase):
    """The whole of it, on a project made up here."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = folder.name
        os.chmod(self.cache, 0o777)
        with open(os.path.join(self.cache, "runs"), "w") as file:
            os.chmod(file.fileno(), 0o666)

    def run_suites(self, *arguments, folder=HERE, ways="cyg"):
        if any(c.isspace() for c in BUILD):
            self.skipTest("makefiles and recipes cannot carry the path of aprof, which has a blank")
        command = [sys.executable, os.path.join(SUITES, "run"), "--folder", folder, "--build", BUILD, "--ways", ways, *arguments]
        done = subprocess.run(command, env={**os.environ, "APROF_BENCH_CACHE": self.cache}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        return done.returncode, done.stdout, done.stderr

    def test_what_differs_fails_and_what_is_unsteady_is_told(self):
        status, out, err = self.run_suites("--projects", "made_up", "--repeat", "4")
        self.assertEqual(status, 1, err)
        cells = [cell.strip() for cell in out.splitlines()[2].strip("|").split("|")]
        # Bare it is run 1, with aprof 2; then both by turns: thirds fails in the runs 3, 6 and 9.
        self.assertEqual(cells, ["made up", "cyg -O2", "5", "3", "2", "1", "1", "0", "1", "1", "11", "FAILED"])
        self.assertIn("made up, cyg -O2: failed in both: fails\n", out)
        self.assertIn("DIFFERS: alone: bare passed 5 times; with aprof failed 5 times\n", out)
        self.assertTrue(out.endswith("0 passed, 1 failed\n"), out)

    def test_an_unsteady_test_is_no_difference(self):
        with open(os.path.join(self.cache, "runs"), "w") as file:
            file.write("\n" * 1)       # bare is run 2, with aprof 3
        recipe = os.path.join(self.cache, "steady.sh")
        with open(os.path.join(HERE, "made_up.sh")) as file:
            text = file.read().replace('is_alone()', "1")
        with open(recipe, "w") as file:
            file.write(text)
        status, out, err = self.run_suites("--repeat", "3", folder=self.cache)
        self.assertEqual(status, 0, out + err)
        self.assertIn("unsteady, without aprof too: thirds\n", out)
        self.assertTrue(out.endswith("1 passed, 0 failed\n"), out)

    def test_ways_are_held_against_each_other(self):
        if not here.has_way(BUILD, "inline", "gcc"):
            self.skipTest("no way inline here")
        status, out, err = self.run_suites("--projects", "ways", "--repeat", "2", ways="inline,fentry")
        self.assertEqual(status, 1, err)
        cells = [cell.strip() for cell in out.splitlines()[6].strip("|").split("|")]
        self.assertEqual(cells, ["ways", "inline, fentry -O2", "3", "1", "1", "1", "5", "13", "1", "FAILED"], out)
        self.assertIn("ways, inline and fentry -O2: unsteady: 1 unsteady contexts: 2+0, 3+0: main f\n", out)
        self.assertIn("DIFFERS: planted: 1+0, 2+0: main f\n", out)
        self.assertTrue(out.endswith("2 passed, 1 failed\n"), out)

    def test_under_one_run(self):
        """The sum of 340 processes, most of which were added up, and their files removed, while the suite went on."""
        status, out, err = self.run_suites("--projects", "crowd", "--together")
        self.assertEqual(status, 0, out + err)
        cells = [cell.strip() for cell in out.splitlines()[5].strip("|").split("|")]
        calls = str(20 * (15 + 15 * 16 // 2) + 2 * (20 + 20 * 21 // 2))
        self.assertEqual(cells[:9], ["crowd", "cyg -O2, under aprof run", "20", "0", "340", "2", "4", f"{int(calls):,}", f"{int(calls):,}"], out)
        self.assertTrue(out.endswith("2 passed, 0 failed\n"), out)

    def test_a_suite_that_cannot_run_is_trouble(self):
        with open(os.path.join(self.cache, "broken.sh"), "w") as file:
            file.write("title=broken\nresults=tap\nbuild() { compile_and_link -- nowhere.c; }\nrun() { :; }\n")
        status, out, _ = self.run_suites(folder=self.cache)
        self.assertEqual(status, 2)
        self.assertIn("not run: ", out)
        self.assertTrue(out.endswith("0 passed, 1 failed\n"), out)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main()
