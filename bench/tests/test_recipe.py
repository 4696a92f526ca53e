"""From a recipe to a table, on programs made up here: nothing is fetched."""

import os
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(BENCH, "lib"))

import measure  # noqa: E402
import profile_info  # noqa: E402
import recipe  # noqa: E402
import table  # noqa: E402


# Prints what heaptrack 1.4.0 does, around a program that it runs.
HEAPTRACK = """#!/bin/sh
shift 3
echo 'heaptrack output will be written to "/tmp/heaptrack.raw.zst"'
echo /usr/lib/heaptrack/libheaptrack_preload.so
echo 'starting application, this might take some time...'
"$@"
status=$?
echo 'Heaptrack finished! Now run the following to investigate the data:'
echo
echo '  zstd -dc < "/tmp/heaptrack.raw.zst" | heaptrack_interpret | zstd -c > "/tmp/heaptrack.zst"'
exit $status
"""


def setUpModule():
    for module in (recipe, measure):
        patch = mock.patch.object(module, "say")
        patch.start()
        unittest.addModuleCleanup(patch.stop)


class Recipes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.shop = recipe.Workshop(BENCH, folder.name, os.path.join(folder.name, "no-build"))

    def program(self, name):
        program = recipe.Program(self.shop, name, os.path.join(HERE, name + ".sh"))
        program.prepare()
        return program

    def sample(self, program, variants, rounds=2):
        samples = []
        built = {v: program.build(measure.VARIANTS[v].build) for v in variants}
        runner = measure.Runner(self.shop, program, built, timeout=60)
        measure.rounds(runner, variants, rounds, 1,
                       lambda v, n, s: samples.append({"variant": v, "round": n, **s}))
        return table.Results(samples)

    def test_the_variants_print_what_the_bare_program_prints(self):
        results = self.sample(self.program("made_up"), ["bare", "empty", "gprof"])
        for name in ("bare", "empty", "gprof"):
            self.assertIsNone(results.trouble(name))
            self.assertTrue(results.same_output(name))
            self.assertEqual(len(results.cpu(name)), 2)
        self.assertGreater(list(results.series("gprof", lambda s: s["data_bytes"]).values())[0], 0)
        self.assertGreater(list(results.series("bare", lambda s: s["rss_kib"]).values())[0], 100)

    def test_another_output_is_seen(self):
        results = self.sample(self.program("made_up"), ["bare", "empty"])
        results.samples["empty"][1]["output"] = "another"
        self.assertFalse(results.same_output("empty"))
        self.assertIn("DIFFERS", table.row(results, "empty"))

    def test_what_a_tool_says_of_itself_is_no_output_of_the_program(self):
        tools = tempfile.TemporaryDirectory()
        self.addCleanup(tools.cleanup)
        with open(os.path.join(tools.name, "heaptrack"), "w") as file:
            file.write(HEAPTRACK)
        os.chmod(file.name, 0o755)
        with mock.patch.dict(os.environ, PATH=tools.name + ":" + os.environ["PATH"]):
            results = self.sample(self.program("made_up"), ["bare", "heaptrack"])
        self.assertIsNone(results.trouble("heaptrack"))
        self.assertTrue(results.same_output("heaptrack"))

    def test_a_program_that_fails_is_reported_by_its_own_words(self):
        results = self.sample(self.program("failing"), ["bare"])
        self.assertEqual(results.trouble("bare"), "exit status 3: out of luck")
        self.assertEqual(len(results.samples["bare"]), 1)

    def test_what_is_built_is_not_built_again(self):
        program = self.program("made_up")
        first = program.build("bare")
        stamp = os.stat(first).st_mtime_ns
        self.assertEqual(program.build("bare"), first)
        self.assertEqual(os.stat(first).st_mtime_ns, stamp)
        self.assertNotEqual(program.build("empty"), first)

    def test_each_compiler_goes_with_its_own_for_cpp(self):
        pairs = {"gcc": "g++", "gcc-12": "g++-12", "clang": "clang++", "/opt/clang/bin/gcc -m64": "/opt/clang/bin/g++ -m64",
                 "/b/aprof-cc --aprof-way=cyg": "/b/aprof-c++ --aprof-way=cyg"}
        self.assertEqual({c: recipe.cxx_of(c) for c in pairs}, pairs)

    def test_aprofs_builds_are_of_the_compiler_that_is_compared(self):
        self.shop.aprof = os.path.join(self.shop.cache, "aprof")
        os.makedirs(self.shop.aprof)
        wrapper = os.path.join(self.shop.aprof, "aprof-cc")
        with open(wrapper, "w") as file:
            file.write('#!/bin/sh\necho "$APROF_CC $APROF_CXX" >&2\nshift\nexec $APROF_CC "$@"\n')
        os.chmod(wrapper, 0o755)
        program = self.program("made_up")
        first = program.build("inline")
        with open(os.path.dirname(first) + ".log") as file:
            self.assertIn("gcc g++\n", file.read())
        self.shop.compiler = "gcc -O1"
        self.assertNotEqual(program.build("inline"), first)

    def test_the_empty_hooks_are_the_ones_of_the_bench(self):
        with open(self.program("made_up").build("empty"), "rb") as file:
            self.assertIn(b"__cyg_profile_func_enter", file.read())

    def test_an_unknown_program_lists_those_that_are_there(self):
        with self.assertRaisesRegex(recipe.Trouble, "lua, .*zstd"):
            recipe.Program(self.shop, "nethack")

    def test_a_missing_tool_is_named_with_its_package(self):
        program = self.program("made_up")
        program.needs = ["no-such-command:its-package"]
        with self.assertRaisesRegex(recipe.Trouble, "apt-get install its-package"):
            program.check_needs()

    def test_every_recipe_can_be_described(self):
        for name in recipe.names(BENCH):
            program = recipe.Program(self.shop, name)
            self.assertTrue(program.title)
            for other in program.uses:
                self.assertIn(other, recipe.names(BENCH))


class Profiles(unittest.TestCase):
    def test_the_seconds_of_gprofs_flat_profile(self):
        listing = ("Flat profile:\n\nEach sample counts as 0.01 seconds.\n"
                   "  %   cumulative   self              self     total\n"
                   " time   seconds   seconds    calls  ms/call  ms/call  name\n"
                   " 66.7       0.20     0.20       10    20.00    20.00  f\n"
                   " 33.3       0.30     0.10                             main\n")
        self.assertEqual(profile_info.of_gprof(listing), {"charged": 0.30})
        self.assertEqual(profile_info.of_gprof(""), {})

    def test_the_figures_of_aprofs_report(self):
        report = {"run": {"counts": {"calls": 200, "contexts": 5, "transitions": 7, "mean_history": 2.5,
                                     "longest_history": 4, "probe_misses": 10},
                          "times": {"contexts_ns": 1500000000}},
                  "flat": [{"pseudo": False}, {"pseudo": True}, {"pseudo": False}]}
        info = profile_info.of_aprof(report)
        self.assertEqual((info["calls"], info["charged"], info["routines"]), (200, 1.5, 2))
        self.assertAlmostEqual(info["hit_rate"], 0.95)


class Tables(unittest.TestCase):
    @staticmethod
    def results(**cpu):
        return table.Results([{"variant": v, "round": r, "user": t, "system": 0.0, "wall": t, "rss_kib": 1000,
                               "data_bytes": None, "output": "x", "info": {}}
                              for v, times in cpu.items() for r, t in enumerate(times)])

    def test_a_target_is_met_missed_or_open(self):
        flat = [1.0] * 11
        for cost, word in ((1.3, "met"), (1.9, "missed")):
            text = table.verdict({"p": self.results(bare=flat, gprof=[2.0] * 11, fentry=[cost] * 11)})
            self.assertIn(f"| {word} ", text)
        wide = [1.3, 1.35, 1.4, 1.45, 1.5, 1.55, 1.6, 1.65, 1.7, 1.75, 1.8]
        self.assertIn("| open", table.verdict({"p": self.results(bare=flat, gprof=[2.0] * 11, fentry=wide)}))

    def test_where_gprof_costs_nothing_points_are_judged(self):
        text = table.verdict({"p": self.results(bare=[1.0] * 11, gprof=[1.01] * 11, fentry=[1.02] * 11)})
        self.assertIn("0.02 [0.02, 0.02] | 0.02         | 0.03", text)
        self.assertIn("| met ", text)

    def test_a_program_may_have_a_limit_of_its_own_and_memory_is_judged(self):
        results = self.results(bare=[1.0] * 11, gprof=[2.0] * 11, inline=[1.4] * 11)
        text = table.verdict({"p": results, "GCC 12's cc1, -O3": results})
        self.assertRegex(text, r"\| p +\| 0.40 \[0.40, 0.40\] +\| 0.40 +\| 0.3 +\| missed")
        self.assertRegex(text, r"cc1, -O3 +\| 0.40 \[0.40, 0.40\] +\| 0.40 +\| 0.5 +\| met")
        self.assertRegex(text, r"geometric mean +\| 0.40 \[0.40, 0.40\] +\| 0.40 +\| 0.2 +\| missed")
        for sample in results.samples["inline"].values():
            sample["rss_kib"] += 130 * 1024
        self.assertRegex(table.verdict({"p": results}), r"\| p +\| 136 MB +\| - +\| 120 MB +\| missed")

    def test_what_the_profile_says_stands_in_the_row(self):
        results = self.results(bare=[1.0] * 11, fentry=[1.5] * 11)
        results.samples["fentry"][0]["info"] = {"calls": 29000000, "contexts": 1234, "hit_rate": 0.995}
        cells = table.row(results, "fentry")
        self.assertEqual(cells[5:9], ["29.0 M", "1,234", "-", "99.50%"])

    def test_the_papers_tables(self):
        results = self.results(bare=[1.0] * 11, fentry=[1.5] * 11, gprof=[3.0] * 11)
        results.samples["fentry"][0]["info"] = {"calls": 29000000, "charged": 1.02, "mean_history": 7.25}
        results.samples["bare"][0]["info"] = {"text_bytes": 204800}
        lines = table.papers_tables({"p": results}, "fentry").splitlines()
        self.assertRegex(lines[4], r"^\| p +\| 200 +\| - +\| 29\.0 M +\| - +\| - +\| 7\.2 ")
        self.assertRegex(lines[10], r"^\| p +\| 1\.00 +\| 1\.02 +\| 1\.50 +\| \+50 % \[\+50 %, \+50 %\] +\| - +\| 3\.00 +"
                                    r"\| \+200 % \[\+200 %, \+200 %\] +\| - +\|$")
        self.assertEqual(table.papers_tables({"p": results}, "cyg"), "")

    def test_an_interval_stands_beside_every_median(self):
        self.assertEqual(table.spread([1.0] * 6 + [3.0] * 5), "1.00 [1.00, 3.00]")
        self.assertEqual(table.spread([]), "-")


if __name__ == "__main__":
    unittest.main()
