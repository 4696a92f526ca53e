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


class Charged:
    """A charged profile and what it is made of, each by routine: CHARGED times, the TICKS (samples) behind them, of TICK seconds or
    nanoseconds each, those of the hooks included; what was SUBTRACTED of them, less than 0 where it was given; and how many SAMPLES of the
    program counter in hooks told how much that is, 0 for none: a calibration."""

    DRAWN = 10      # samples that the expectation weighs, as in profile/strata.c
    HIDDEN = 0.4    # of a wait that is given to the routine waited for, likewise

    def __init__(self, charged, ticks, tick, subtracted=None, samples=0):
        self.charged = charged
        self.ticks = ticks
        self.tick = tick
        self.subtracted = subtracted or {}
        self.sample = sum(value for value in self.subtracted.values() if value > 0) / samples if samples else 0

    def chance(self, name, source):
        """By how much the time of a routine is off in one draw.  Its ticks are divided as the samples of the program counter between its
        own code and hooks; what it was given is HIDDEN of as many samples more, in the contexts of others."""
        ticks = self.ticks.get(name, 0)
        if not self.sample:
            return (poisson(source, ticks) - ticks) * self.tick
        hooks = self.subtracted.get(name, 0) / self.sample
        if hooks <= 0:
            given = -hooks / self.HIDDEN
            return (poisson(source, ticks) - ticks) * self.tick + (poisson(source, given) - given) * self.HIDDEN * self.sample
        own = max(0, self.charged.get(name, 0)) / self.sample
        found, of = poisson(source, own), poisson(source, hooks)
        part = own / (own + hooks)
        return (poisson(source, ticks) * (found + self.DRAWN * part) / (found + of + self.DRAWN) - ticks * part) * self.tick


def noise(sampled, profile, draws=200, seed=1):
    """The mean total variation of a sampled profile and a charged one if both were of the same truth, with as many samples as they
    have.  The truth is taken to be the mean of both."""
    source = random.Random(seed)
    p, q = shares(sampled), shares(profile.charged)
    truth = {name: (p.get(name, 0) + q.get(name, 0)) / 2 for name in sorted(p.keys() | q.keys())}
    n, scale, total = sum(sampled.values()), sum(profile.charged.values()), 0.0
    for _ in range(draws):
        one = {name: poisson(source, share * n) for name, share in truth.items()}
        other = {name: max(0.0, share * scale + profile.chance(name, source)) for name, share in truth.items()}
        total += total_variation(one, other)
    return total / draws
