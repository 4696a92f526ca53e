"""The statistics of the bench, on values whose answers are known."""

import os
import random
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import stats  # noqa: E402


class Medians(unittest.TestCase):
    def test_odd_and_even_counts(self):
        self.assertEqual(stats.median([3, 1, 2]), 2)
        self.assertEqual(stats.median([4, 1, 3, 2]), 2.5)
        self.assertEqual(stats.median([7]), 7)

    def test_coverage_is_that_of_the_sign_test(self):
        # Published tables: n = 11, ranks 2 and 10: 98.8 %; n = 6, 1 and 6: 96.9 %.
        self.assertAlmostEqual(stats.coverage(11, 2), 0.98828125)
        self.assertAlmostEqual(stats.coverage(6, 1), 0.96875)

    def test_eleven_rounds_take_the_second_and_the_tenth(self):
        e = stats.estimate(range(1, 12))
        self.assertEqual((e.value, e.low, e.high, e.count), (6, 2, 10, 11))
        self.assertGreaterEqual(e.coverage, 0.95)

    def test_few_values_give_the_range_and_own_up(self):
        e = stats.estimate([5, 9, 7])
        self.assertEqual((e.value, e.low, e.high), (7, 5, 9))
        self.assertAlmostEqual(e.coverage, 0.75)
        self.assertEqual(stats.estimate([4]).coverage, 0)

    def test_the_interval_is_the_narrowest_that_covers(self):
        for count in range(6, 60):
            e = stats.estimate(range(1, count + 1))
            self.assertGreaterEqual(e.coverage, 0.95)
            if 2 * (e.low + 1) <= count:
                self.assertLess(stats.coverage(count, e.low + 1), 0.95)

    def test_an_outlier_moves_the_median_little(self):
        calm = [1.0 + i / 100 for i in range(11)]
        self.assertEqual(stats.median(calm[:-1] + [1000.0]), stats.median(calm))

    def test_the_interval_holds_the_true_median_as_often_as_it_says(self):
        source = random.Random(5)
        held = 0
        for _ in range(2000):
            e = stats.estimate([source.expovariate(1) for _ in range(11)])
            held += e.low <= 0.6931472 <= e.high
        self.assertGreater(held / 2000, 0.975)
        self.assertLess(held / 2000, 0.998)


class Comparisons(unittest.TestCase):
    def test_least_share_takes_the_best_round_of_each(self):
        # The second round is twice as slow, but for the one in the middle.
        bare, hooked, other = {0: 2.0, 1: 4.0}, {0: 3.0, 1: 2.5}, {0: 4.0, 1: 8.0}
        self.assertEqual(stats.least_share(hooked, bare, other), 0.25)
        self.assertIsNone(stats.least_share(hooked, bare, bare))

    def test_ratios_pair_the_rounds(self):
        # A machine that is twice as slow in the second round changes nothing.
        self.assertEqual(stats.ratios({0: 3.0, 1: 6.0}, {0: 2.0, 1: 4.0}), [1.5, 1.5])

    def test_a_round_without_its_partner_does_not_count(self):
        self.assertEqual(stats.ratios({0: 3.0, 4: 6.0}, {0: 2.0}), [1.5])

    def test_shares_of_what_the_reference_adds(self):
        bare, gprof = {0: 1.0, 1: 2.0}, {0: 3.0, 1: 4.0}
        self.assertEqual(stats.shares({0: 1.5, 1: 3.0}, bare, gprof), [0.25, 0.5])

    def test_a_reference_that_adds_nothing_gives_no_share(self):
        self.assertEqual(stats.shares({0: 1.5}, {0: 1.0}, {0: 1.0}), [])

    def test_geometric_mean(self):
        self.assertAlmostEqual(stats.geometric_mean([0.5, 2.0]), 1.0)
        e = stats.geometric_mean_estimate([[0.1, 0.2, 0.3], [0.8, 0.8, 0.8]])
        self.assertAlmostEqual(e.value, 0.4)
        self.assertTrue(0.28 <= e.low <= e.value <= e.high <= 0.49)

    def test_a_median_below_zero_does_not_undo_the_mean(self):
        self.assertGreater(stats.geometric_mean_estimate([[-0.1], [0.5]]).value, 0)


if __name__ == "__main__":
    unittest.main()
