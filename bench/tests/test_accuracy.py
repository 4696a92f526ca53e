"""What is read of perf script's output, how far two profiles are apart, and the tables made of it."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import random
import sys
import tempfile
import unittest
from collections import Counter

sys.dont_write_bytecode = True
BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(BENCH, "lib"))

import difference  # noqa: E402
import sampled  # noqa: E402
import stats  # noqa: E402
from recipe import Trouble  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("accuracy", os.path.join(BENCH, "accuracy"))
accuracy = importlib.util.module_from_spec(importlib.util.spec_from_loader("accuracy", LOADER))
LOADER.exec_module(accuracy)

# A sample in a clone, one in libc below a piece of f, one in the kernel below nothing of ours, one in a routine without hooks.
SCRIPT = """\
prog  1:
\t            1149 f.constprop.0 (/b/prog)
\t            1200 main (/b/prog)

prog  1:
\t           99000 memcpy (/lib/libc.so.6)
\t            1160 f.part.0.cold (/b/prog)
\t            1200 main (/b/prog)

prog  1:
\tffffffff81000000 asm_exc_page_fault ([kernel.kallsyms])
\t            1ab70 _start (/lib/ld.so)

prog  1:
\t            1300 plain (/b/prog)
\t            1400 _ZNK1SclEc.isra.0 (/b/prog)
"""


class Sampled(unittest.TestCase):
    def test_fold(self):
        counted = sampled.count(SCRIPT.splitlines(), "/b/prog")
        inside, outside = sampled.fold(counted, {"f", "main", "S::operator()(char) const"})
        self.assertEqual(inside, {"f": 2, "S::operator()(char) const": 1})
        self.assertEqual(outside, {"[kernel.kallsyms]": 1})

    def test_names(self):
        names = {"f": "f", "f.isra.0.part.1": "f", "_Z1gi.constprop.0": "g(int)", "a.b": "a.b",
                 "_ZN12_GLOBAL__N_11A1gEv": "(anonymous namespace)::A::g()"}
        self.assertEqual(sampled.routines_of(names), names)
        self.assertEqual(sampled.routines_of([]), {})


    def test_other_names(self):
        """The compiler keeps one of two equal functions, under both names."""
        aliases = sampled.aliases_of(["0010 t _Z1fi", "0010 t _Z1fj", "0020 T main", "0030 d table", "0030 d other", "0010 t f.part.0"])
        self.assertEqual(aliases, {"f": ["f(int)", "f(unsigned int)"], "f(int)": ["f", "f(unsigned int)"], "f(unsigned int)": ["f", "f(int)"]})
        stacks = {("f(int)", "main", "exe"): 3, ("plain", "exe"): 2}
        self.assertEqual(sampled.fold(stacks, {"f(unsigned int)", "main"}, aliases), ({"f(unsigned int)": 3}, {"exe": 2}))
        self.assertEqual(sampled.fold(stacks, {"f(unsigned int)", "main"}), ({"main": 3}, {"exe": 2}))


class Difference(unittest.TestCase):
    def test_variation(self):
        self.assertEqual(difference.total_variation({"a": 1, "b": 3}, {"a": 100, "b": 300}), 0)
        self.assertEqual(difference.total_variation({"a": 1}, {"b": 7}), 1)
        self.assertAlmostEqual(difference.total_variation({"a": 1, "b": 1}, {"a": 3, "b": 1}), 0.25)

    def test_noise_is_what_chance_makes(self):
        """Two series of samples of one truth differ, in the mean, by what noise() says of one such pair."""
        source = random.Random(2)
        truth = {str(i): 1 / (i + 1) for i in range(40)}
        names, weights = list(truth), list(truth.values())

        def draw(n):
            return Counter(source.choices(names, weights, k=n))

        seen = [difference.total_variation(draw(2000), draw(500)) for _ in range(100)]
        told = difference.noise([draw(200) for _ in range(10)], [draw(50) for _ in range(10)])
        self.assertAlmostEqual(told, sum(seen) / len(seen), delta=0.01)

    def test_what_is_always_wrong_is_no_noise(self):
        self.assertEqual(difference.noise([{"a": 3, "b": 1}] * 3, [{"a": 100}] * 2), 0)
        self.assertGreater(difference.noise([{"a": 3, "b": 1}, {"a": 1, "b": 3}], [{"a": 100}] * 2), 0.1)


def report(times, calls, runs):
    """As aprof makes one of so many runs."""
    flat = [{"name": name, "calls": runs * calls, "recursive": 0, "self_ns": runs * ns, "self_ticks": runs * ns // 10 ** 6, "pseudo": False}
            for name, ns in times.items()]
    return {"run": {"times": {"contexts_ns": runs * sum(times.values()), "raw_ns": 1_200_000_000}, "clock": {"hook_ps": 1500, "hook_samples": 12}, "counts": {"calls": 2 * calls}},
            "flat": flat}


def read(program, files, *options):
    """1.2 s with hooks, of which 1.03 s are charged, f with 0.1 s too much."""
    assert program == "exe"
    return report({"f": 730_000_000, "g": 470_000_000} if options else {"f": 630_000_000, "g": 400_000_000}, 50_000_000, len(files))


class Tables(unittest.TestCase):
    def samples(self, folder):
        """One program, 1 s bare."""
        lines = [{"machine": "m", "compiler": "c", "date": "d", "load": "0", "variant": "inline"}]
        for number in range(3):
            common = {"program": "p", "title": "P", "round": number, "system": 0.0}
            lines += [{**common, "variant": "bare", "user": 1.0, "info": {}},
                      {**common, "variant": "inline", "user": 1.2, "info": {"program": "exe", "profile": str(number)}},
                      {**common, "variant": "bare-perf", "user": 1.1, "info": {"stacks": [["f", "main", "exe", 5000], ["g", "libc", 5000], ["ld.so", 3]]}}]
        path = os.path.join(folder, "samples")
        with open(path, "w") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        return path

    def test_tables(self):
        with tempfile.TemporaryDirectory() as folder:
            text = accuracy.tables(self.samples(folder), read)
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| P") or line.startswith("| `")]
        times, profiles, first, _ = rows
        self.assertEqual(times[:3] + times[4:7], ["P", "100.0 M", "1.00", "2.00", "1.50", "12"])
        self.assertEqual(times[7:], ["1.030 [1.030, 1.030]", "5 %", "met"])
        self.assertEqual(profiles[:5], ["P", "30,000", "9", "3,090", "11.2"])
        self.assertEqual(profiles[-1], "missed")
        self.assertEqual(first[:4] + first[5:], ["`f`", "50.00", "61.17", "+11.17", "50.00", "10.0", "2.0"])

    def test_verdict(self):
        for estimate, expected in (((1.02, 0.9, 1.2), "met"), ((1.2, 1.04, 1.3), "not told"), ((1.2, 1.06, 1.3), "missed"),
                                   ((0.9, 0.8, 0.94), "missed"), ((0.9, 0.8, 0.96), "not told")):
            self.assertEqual(accuracy.verdict_of(stats.Estimate(*estimate, 0.95, 11), 0.05), expected)

    def test_too_few_rounds(self):
        """One round has no noise to tell by: the program is left out, and said to be."""
        with tempfile.TemporaryDirectory() as folder:
            path = self.samples(folder)
            with open(path) as file:
                lines = file.read().splitlines()
            with open(path, "w") as file:
                file.write("\n".join(lines[:4]))
            with contextlib.redirect_stderr(io.StringIO()) as told:
                text = accuracy.tables(path, read)
        self.assertIn("P left out", told.getvalue())
        self.assertNotIn("| P |", text)

    def test_wrong_samples(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.samples(folder)
            with open(path) as file:
                lines = file.read().splitlines()
            for wrong in ([lines[0].replace("inline", "bare-metal"), *lines[1:]], [*lines, lines[3].replace("stacks", "heaps")],
                          [lines[1]], ["no samples"], []):
                with open(path, "w") as file:
                    file.write("\n".join(wrong))
                self.assertRaises(Trouble, accuracy.tables, path, read)
            self.assertRaises(Trouble, accuracy.tables, os.path.join(folder, "none"), read)

    def test_put(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "doc")
            for section, name in (("", ""), ("clang", ": clang")):
                begin, end = accuracy.BEGIN % name, accuracy.END % name
                others = accuracy.BEGIN % ": other" + "\nother\n" + accuracy.END % ": other"
                for old in ("before\n", "old\n"):
                    with open(path, "w") as file:
                        file.write(f"a\n{others}\n{begin}\n{old}{end}\nb\n")
                    accuracy.put(path, "new\n", section)
                    with open(path) as file:
                        self.assertEqual(file.read(), f"a\n{others}\n{begin}\n\nnew\n\n{end}\nb\n")
            self.assertRaises(Trouble, accuracy.put, path, "new\n", "none")


if __name__ == "__main__":
    unittest.main()
