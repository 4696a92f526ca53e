"""Two samples of one run's time, held against each other: what agrees agrees, and a false attribution is found out."""

import collections
import os
import random
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import agreement  # noqa: E402

# Contexts of a program, and what each has of its time; `plain` has no hooks.
PROGRAM = {("main", "one", "spin"): 0.3, ("main", "three'", "one", "three"): 0.25, ("main", "sort", "plain"): 0.2, ("main",): 0.1,
           ("main", "one"): 0.06, ("main", "three"): 0.05, ("main", "sort"): 0.04}
HOOKED = {"main", "one", "three", "sort", "spin"}


def sampled(seed, n=20000):
    """N samples of PROGRAM."""
    generator = random.Random(seed)
    return collections.Counter(generator.choices(list(PROGRAM), PROGRAM.values(), k=n))


class Agreement(unittest.TestCase):
    def test_two_samples_of_one_program_agree(self):
        beyond = count = 0
        for seed in range(50):
            exact, stacks = agreement.Source(sampled(2 * seed), HOOKED), agreement.Source(sampled(2 * seed + 1), HOOKED)
            for kind in agreement.KINDS:
                rows = agreement.compare(exact, stacks, kind, 0.01)
                count += len(rows)
                beyond += sum(abs(row.z) > 2 for row in rows)
                self.assertLess(abs(rows[0].z), 5)
        self.assertLess(beyond / count, 0.08)             # 4.6 % of normal variables are

    def test_a_false_attribution_is_found_out(self):
        exact = agreement.Source(sampled(1), HOOKED)
        for seed in range(20):
            stacks = agreement.Source(sampled(2), HOOKED).falsified(random.Random(seed), 0.01)
            worst = max(abs(agreement.compare(exact, stacks, kind, 0.01)[0].z) for kind in agreement.KINDS)
            self.assertGreater(worst, 4.5, seed)

    def test_routines_without_hooks_are_passed_over(self):
        stacks = agreement.Source(collections.Counter({("_start", "main", "plain", "one", "plain"): 3, ("_start", "plain"): 9}), HOOKED)
        self.assertEqual(stacks.contexts, {("main", "one"): 3})
        self.assertEqual(stacks.n, 3)
        self.assertEqual(stacks.shares("arcs"), {("main", "one"): 1})

    def test_a_routine_counts_once_a_stack(self):
        stacks = agreement.Source(collections.Counter({("main", "three'", "one", "three"): 1, ("main",): 1}), HOOKED)
        self.assertEqual(stacks.shares("routines with callees"), {"main": 1, "three": 0.5, "one": 0.5})
        self.assertEqual(stacks.shares("routines alone"), {"main": 0.5, "three": 0.5})

    def test_summary(self):
        rows = agreement.compare(agreement.Source(sampled(1), HOOKED), agreement.Source(sampled(2), HOOKED), "contexts", 0.01)
        self.assertRegex(agreement.summary(rows), r"^6 \| \d+ % \| \d\.\d \| 0\.\d\d points$")
        self.assertEqual(agreement.summary([]), "0 | | | ")


if __name__ == "__main__":
    unittest.main()
