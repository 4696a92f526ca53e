"""How far two profiles of one program are apart, and how far they would be by chance.

A profile is a dict from routine to weight; only the shares count.  The total variation of two is half the sum of
the differences of their shares: the least part of the time that must be moved to make one of the other.
"""

import math
import statistics


def shares(profile):
    total = sum(profile.values())
    return {name: value / total for name, value in profile.items()} if total else {}


def total_variation(one, other):
    p, q = shares(one), shares(other)
    return sum(abs(p.get(name, 0) - q.get(name, 0)) for name in p.keys() | q.keys()) / 2


def variances(series):
    """By routine, the variance of its mean share in a SERIES of profiles."""
    rounds = [shares(profile) for profile in series]
    names = {name for one in rounds for name in one}
    return {name: statistics.variance([one.get(name, 0) for one in rounds]) / len(rounds) for name in names}


def deviations(ones, others):
    """By routine, the standard deviation of the difference of its mean shares in two series of profiles, each of two or more."""
    one, other = variances(ones), variances(others)
    return {name: math.sqrt(one.get(name, 0) + other.get(name, 0)) for name in one.keys() | other.keys()}


def noise(ones, others):
    """The total variation that the sums of two series of profiles of one and the same truth would have in the mean, by how far the
    profiles of each series are from one another: the mean of a normal variable without its sign is sqrt(2 / pi) standard deviations."""
    return sum(deviations(ones, others).values()) / math.sqrt(2 * math.pi)
