"""Medians and their intervals, of values measured in alternating rounds.

Run times are skewed and have outliers, so nothing here assumes a shape: the
interval of a median is that of the order statistics (as in the sign test).
Between the k-th smallest and the k-th largest of n independent values lies the
true median with probability 1 - 2 P(Binomial(n, 1/2) < k), whatever the
distribution.  Two builds are compared by the ratio of their times in one round,
since what disturbs a machine for a while disturbs both.
"""

import math
import random
from collections import namedtuple

# value: the median; low, high: its interval; coverage: the probability that the
# interval holds the true median; count: of the values.
Estimate = namedtuple("Estimate", "value low high coverage count")


def median(values):
    """The middle value, or the mean of the two middle ones; of at least one."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def coverage(count, rank):
    """How probably the true median lies from the rank-th smallest to the
    rank-th largest of count values."""
    below = sum(math.comb(count, i) for i in range(rank))
    return 1 - 2 * below / 2 ** count


def estimate(values, level=0.95):
    """The median with the narrowest order-statistics interval that covers at
    least LEVEL.  Fewer than six values cannot reach 0.95: then the interval is
    the whole range and coverage says what that is worth."""
    ordered = sorted(values)
    count = len(ordered)
    rank = 1
    while 2 * (rank + 1) <= count and coverage(count, rank + 1) >= level:
        rank += 1
    return Estimate(median(ordered), ordered[rank - 1], ordered[count - rank],
                    max(0.0, coverage(count, rank)), count)


def ratios(values, base):
    """VALUES over BASE, round by round; both are dicts from round to value."""
    return [values[r] / base[r] for r in sorted(values) if base.get(r)]


def shares(values, base, reference):
    """What VALUES add to BASE, as a share of what REFERENCE adds, by round."""
    common = [r for r in sorted(values) if r in base and r in reference]
    return [(values[r] - base[r]) / (reference[r] - base[r])
            for r in common if reference[r] != base[r]]


def least_share(values, base, reference):
    """The same of the least of each, over all rounds: on a machine whose speed changes from run to run that is steadier than any
    ratio of a round. None: REFERENCE adds nothing."""
    low = min(base.values())
    added = min(reference.values()) - low
    return (min(values.values()) - low) / added if added > 0 else None


def geometric_mean(values):
    """Of positive values."""
    return math.exp(sum(math.log(v) for v in values) / len(values))


def geometric_mean_estimate(lists, level=0.95, samples=2000, seed=1):
    """The geometric mean of the medians of several lists, with a bootstrap
    interval over their values.  A median that is not positive counts as 0.001:
    what costs nothing must not make the mean undefined."""
    source = random.Random(seed)

    def mean(groups):
        return geometric_mean([max(median(g), 0.001) for g in groups])

    drawn = sorted(mean([source.choices(group, k=len(group)) for group in lists])
                   for _ in range(samples))
    tail = int((1 - level) / 2 * samples)
    return Estimate(mean(lists), drawn[tail], drawn[samples - 1 - tail], level,
                    min(len(group) for group in lists))
