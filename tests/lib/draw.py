"""What of a large matrix make check holds is drawn: by the day, so that weeks cover all of it, or by SEED in the environment, to have a day's
sample again.  Drawn from is only what make check-all holds."""
import os, random, time

SEED = os.environ.setdefault("SEED", time.strftime("%Y-%m-%d", time.gmtime()))       # those that this process starts have the same


def generator(what):
    """Numbers for WHAT: the same for the same SEED, whatever else is drawn."""
    return random.Random("%s %s" % (SEED, what))


def tell(drawn=True):
    if drawn:
        print("drawn by SEED=%s" % SEED, flush=True)


def one_of(what, choices, drawn=True):
    """CHOICES, or if they are to be DRAWN one of them, alone; it is told."""
    tell(drawn)
    return [generator(what).choice(choices)] if drawn else choices
