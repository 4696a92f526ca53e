"""How far two profiles of one program are apart, and how far they would be by chance.

A profile is a dict from routine to weight; only the shares count.  The total variation of two is half the sum of
the differences of their shares: the least part of the time that must be moved to make one of the other.
"""

import math
import random


def shares(profile):
    total = sum(profile.values())
    return {name: value / total for name, value in profile.items()} if total else {}


def total_variation(one, other):
    p, q = shares(one), shares(other)
    return sum(abs(p.get(name, 0) - q.get(name, 0)) for name in p.keys() | q.keys()) / 2


def poisson(source, mean):
    """A Poisson variable; beyond 50 by the normal one."""
    if mean > 50:
        return max(0, round(source.gauss(mean, math.sqrt(mean))))
    limit, count, product = math.exp(-mean), 0, source.random()
    while product > limit:
        count += 1
        product *= source.random()
    return count


def noise(sampled, charged, ticks, tick, draws=200, seed=1):
    """The mean total variation of a sampled profile and a charged one if both were of the same truth, with as many samples as they
    have.  SAMPLED are the samples of the one, CHARGED the times of the other; TICKS are the samples that its times come from,
    those of the hooks included, for what is subtracted is noise all the same, and TICK is what each stands for, in the unit of CHARGED.
    The truth is taken to be the mean of both."""
    source = random.Random(seed)
    p, q = shares(sampled), shares(charged)
    truth = {name: (p.get(name, 0) + q.get(name, 0)) / 2 for name in p.keys() | q.keys()}
    n, scale, total = sum(sampled.values()), sum(charged.values()), 0.0
    for _ in range(draws):
        one = {name: poisson(source, share * n) for name, share in truth.items()}
        other = {}
        for name, share in truth.items():
            mean = ticks.get(name, 0)
            other[name] = max(0.0, share * scale + (poisson(source, mean) - mean) * tick)
        total += total_variation(one, other)
    return total / draws
