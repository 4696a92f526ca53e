"""Every way in which Python calls and leaves functions; prints what it computed."""
import functools
import math


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def even(n):
    return n == 0 or odd(n - 1)


def odd(n):
    return n != 0 and even(n - 1)


class Account:
    def __init__(self, total):
        self.total = total

    def __add__(self, other):
        return Account(self.total + other.total)

    def __enter__(self):
        return self

    def __exit__(self, *why):
        return why[0] is KeyError

    @property
    def root(self):
        return math.sqrt(self.total)

    @staticmethod
    def of(n):
        return Account(n)

    @classmethod
    def none(cls):
        return cls(0)


def throws(n):
    if n == 0:
        raise ValueError(n)
    throws(n - 1)


def catches(n):
    try:
        throws(n)
    except ValueError:
        return True
    finally:
        len("x")


def count(n):
    for i in range(n):
        yield i


def chain(n):
    yield from count(n)
    return n


def echo():
    got = None
    while True:
        try:
            got = yield got
        except KeyError:
            got = "thrown"


def left_open(n):
    for i in count(n):
        if i == 2:
            return i


async def wait(n):
    return n


async def several(n):
    return [await wait(i) for i in range(n)]


def drive(coroutine):
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value


@functools.lru_cache
def cached(n):
    return n if n < 2 else cached(n - 1) + cached(n - 2)


def local(n):
    def inner(m):
        return n + m
    return sorted(range(5), key=lambda m: -inner(m))


def main():
    words = []
    for i in range(10):
        words.append(str(i))
    e = echo()
    print(fib(14), even(20), catches(5), catches(0), ",".join(words))
    print(sum(count(10)), list(chain(3)), left_open(5), next(e), e.send(4), e.throw(KeyError))
    with Account.of(2) + Account.none() as a:
        print(a.root)
        raise KeyError
    print(drive(several(3)), cached(30), local(2), functools.reduce(lambda x, y: x * y, range(1, 6)))
    print([fib(i) for i in range(5)], {i: odd(i) for i in range(3)})
    print(getattr(a, "nothing", None), max([3, 1], key=lambda x: -x), eval("fib(3)"))


main()
