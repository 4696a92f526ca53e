"""Random scripts of Python that write down what they do, and the contexts that a profile of theirs must have.

A script appends to its list LOG what happens to its functions.  What waits, a generator or a coroutine, is told apart by an object, `me`:

    enter NAME ME       a call; ME is 0 for a function that never waits
    leave               the end of what is open
    wait                what is open waits, and with it those that wait for it
    give                an asynchronous generator gives a value to who waits for it, which goes on
    on NAME ME          ME goes on, and those that wait for it
    thrown NAME ME      ME alone goes on, with an exception
    hand ME NAME        what is entered or goes on next is what ME waits for
    back NAME ME        that has ended: ME goes on, if it is not open"""
import functools, random, sys, pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "random"))
import simulate  # noqa: E402

HEAD = """import asyncio, functools, itertools, json, sys
LOG, KEPT, TASKS, ALL = [], [], [], []
INLINED = sys.version_info >= (3, 12)       # what list comprehensions do is their function's
def wake(future):
    if not future.done(): future.set_result(None)
def pause():
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    loop.call_soon(wake, future)
    return future
"""
TAIL = """numbers = {}
json.dump([[word if isinstance(word, (str, int)) else numbers.setdefault(id(word), len(numbers) + 1) for word in event] for event in LOG], open("log.json", "w"))
"""


class Writer:
    """Makes one script.  Functions are f0..., or coroutines a0... in tasks; generators g0..., asynchronous ones in tasks."""
    def __init__(self, seed, tasks):
        self.draw, self.tasks, self.lines, self.made, self.listed = random.Random(seed), tasks, [HEAD], 0, set()
        self.functions, self.waiters, self.generators = (self.draw.randint(1, n) for n in (3, 4, 3))
        self.fuel = self.draw.choice([1500, 4000])

    def add(self, indent, *lines):
        self.lines += ["    " * indent + line for line in lines]

    def log(self, indent, *words):
        self.add(indent, "LOG.append((%s,))" % ", ".join(words))

    def call(self):
        return "f%d(n - 1)" % self.draw.randrange(self.functions)

    def generator(self):
        return "g%d(n - 1)" % self.draw.randrange(self.generators)

    def waited_for(self):
        """An expression by which what waits has another one run."""
        return "await a%d(n - 1)" % self.draw.randrange(self.waiters) if self.tasks else "yield from " + self.generator()

    def inside(self, indent, name, *lines, unless="False"):
        """LINES, within a call of NAME, of a function in C as a rule, UNLESS there is none."""
        self.add(indent, "%s or LOG.append(('enter', %r, 0))" % (unless, name), "try:")
        self.add(indent + 1, *lines)
        self.add(indent, "finally: %s or LOG.append(('leave',))" % unless)

    def receive(self, indent, own, word, *caught):
        """What stands behind a place where OWN waited: an exception that is thrown into it, or that comes from what it waited for, goes on or is CAUGHT."""
        event = "LOG.append((%r, %r, me))" % (word, own)
        for kind in caught:
            then = self.draw.choice(["pass", "pass", "return", "return", "raise", self.call(), "raise ValueError(n)"])
            self.add(indent, "except %s:" % kind)
            self.add(indent + 1, event, then)
        self.add(indent, "except BaseException:")
        self.add(indent + 1, event, "raise")

    def wait(self, indent, own):
        self.log(indent, "'give'" if self.tasks and own[0] == "g" and self.draw.random() < 0.5 else "'wait'")
        gives = "'give'" in self.lines[-1]
        self.add(indent, "try: " + ("yield n" if gives or not self.tasks else "await pause()"))
        self.receive(indent, own, "thrown", *(["asyncio.CancelledError" if self.tasks else "ValueError"] if self.draw.random() < 0.8 and not gives else []))
        self.add(indent, "else: LOG.append(('on', %r, me))" % own)

    def hand(self, indent, own, what):
        self.log(indent, "'hand'", "me", repr(own))
        self.add(indent, "try: " + what)
        self.receive(indent, own, "back", *(["ValueError"] if self.draw.random() < 0.4 else []))
        self.add(indent, "else: LOG.append(('back', %r, me))" % own)

    def generator_used(self, indent, own):
        """Some steps of a generator, and how it ends."""
        name = "x%d" % self.made
        self.add(indent, "%s = %s" % (name, self.generator()))
        if self.tasks:
            self.add(indent, "try:")
            self.hand(indent + 1, own, "await %s.__anext__()" % name)
            self.add(indent, "except StopAsyncIteration: pass")
            self.add(indent, "KEPT.append(%s)" % name)
            return
        for _ in range(self.draw.randint(1, 3)):
            self.inside(indent, "next", "next(%s, None)" % name)
        how = self.draw.randrange(5)
        if how == 0:
            self.inside(indent, "generator.close", "%s.close()" % name)
        elif how < 3:
            self.add(indent, "try:")
            self.inside(indent + 1, "generator.throw", "%s.throw(ValueError(n))" % name)
            self.add(indent, "except (ValueError, StopIteration): pass")
        elif how == 3:
            self.add(indent, "KEPT.append(%s)" % name)

    def callback(self, indent, own, function, call):
        """Functions in C that call: NAME(callback)."""
        self.add(indent, "def k%d(*ignored):" % self.made)
        self.inside(indent + 1, "%s.<locals>.k%d" % (own, self.made), "return %s or 0" % self.call())
        self.inside(indent, function, call % ("k%d" % self.made))

    def statement(self, indent, own, deep):
        self.made += 1
        waits, draw = own[0] != "f", self.draw
        kind = draw.choice([4, 5, 6, 7]) if waits and draw.random() < 0.4 else draw.randrange(12)
        if kind < 2:
            self.add(indent, "if n > %d: %s" % (draw.randint(0, 2), self.call()))
        elif kind == 2:
            self.add(indent, "if (n * 5 + len(LOG)) %% %d == 0: raise ValueError(n)" % draw.randint(3, 9))
        elif kind == 3 and deep < 2:
            self.add(indent, "try:")
            self.add(indent + 1, "pass")
            self.body(indent + 1, own, deep + 1)
            self.add(indent, "except ValueError: " + self.call())
            self.add(indent, "finally:")
            self.add(indent + 1, "if n > 1: " + self.call())
        elif kind < 6 and waits:
            self.wait(indent, own)
        elif kind < 8 and waits:
            self.hand(indent, own, self.waited_for())
        elif kind == 8 and (waits or not self.tasks):
            self.generator_used(indent, own)
        elif kind == 9 and self.tasks:
            self.add(indent, draw.choice(["if TASKS: TASKS[len(LOG) * 7 % len(TASKS)].cancel()", "ALL.append(asyncio.ensure_future(a0(n - 1)))"]) if waits else "pass")
        elif kind == 9:
            self.add(indent, "for v in %s:" % self.generator())
            self.add(indent + 1, self.call(), *draw.choice([["break"], []]))
        elif kind == 10:
            self.callback(indent, own, *draw.choice([("sorted", "sorted([1, 2], key=%s)"), ("_functools.reduce", "functools.reduce(%s, [1, 2, 3])")]))
        elif kind == 11 and own not in self.listed:    # two of a function would have one name
            self.listed.add(own)
            self.inside(indent, own + ".<locals>.<listcomp>", "[%s for _ in range(2)]" % self.call(), unless="INLINED")

    def body(self, indent, own, deep=0):
        for _ in range(self.draw.randint(1, 4)):
            self.statement(indent, own, deep)

    def function(self, own, kind, me):
        self.add(0, "%s %s(n):" % (kind, own))
        if me:
            self.add(1, "me = object()")
        if own[0] == "a":
            self.add(1, "if asyncio.current_task() not in TASKS: TASKS.append(asyncio.current_task())")
        self.log(1, "'enter'", repr(own), "me" if me else "0")
        self.add(1, "try:")
        self.add(2, "if n <= 0 or len(LOG) > %d: return" % self.fuel)
        self.body(2, own)
        if own[0] == "g":
            self.add(2, "if not n: yield")
        self.add(1, "finally: LOG.append(('leave',))")

    def script(self):
        for i in range(self.functions):
            self.function("f%d" % i, "def", False)
        for i in range(self.generators):
            self.function("g%d" % i, "async def" if self.tasks else "def", True)
        for i in range(self.waiters if self.tasks else 0):
            self.function("a%d" % i, "async def", True)
        if self.tasks:
            # What has not begun is not cancelled: it would be called, by CPython's word, and not run.
            self.add(0, "async def main():", "    for i in range(6): ALL.append(asyncio.ensure_future(a%d(5)))" % self.draw.randrange(self.waiters), "    for i in range(300):",
                     "        await pause()", "        if TASKS: TASKS[i * 5 % len(TASKS)].cancel()",
                     "    for task in TASKS: task.cancel()", "    await asyncio.gather(*ALL, return_exceptions=True)", "    del KEPT[:]", "asyncio.run(main())")
        else:
            self.add(0, "def root(n):", "    LOG.append(('enter', 'root', 0))", "    for i in range(6):", "        try: %s" % self.call(), "        except ValueError: pass",
                     "        del KEPT[:]", "    LOG.append(('leave',))", "root(%d)" % self.draw.randint(4, 6))
        return "\n".join(self.lines) + "\n" + TAIL


def script(seed, tasks):
    return Writer(seed, tasks).script()


step = functools.cache(simulate.step)


class Replay:
    """Contexts -> [entries, recursive calls], by a log."""
    def __init__(self, log):
        self.now, self.open, self.counts = (), [], {}
        self.hands, self.handed = None, {}      # who waits for what comes next; ME to (ME, NAME) of who waits for it
        for event, *words in log:
            getattr(self, event)(*words)

    def enter(self, name, me):
        if self.hands and me:
            self.handed[me], self.hands = self.hands, None
        self.call(name, me)

    def call(self, name, me):
        before, self.now = self.now, step(self.now, name)
        self.counts.setdefault(self.now, [0, 0])[self.now == before] += 1
        self.open.append((me, before))

    def leave(self):
        me, self.now = self.open.pop()
        self.handed.pop(me, None)

    give = leave

    def wait(self):
        me, self.now = self.open.pop()
        while me in self.handed and self.open and self.open[-1][0] == self.handed[me][0]:
            me, self.now = self.open.pop()

    def on(self, name, me):
        if self.hands:
            self.handed[me], self.hands = self.hands, None
        else:
            for waits in reversed(self.all_that_wait(me)):
                self.call(waits[1], waits[0])
        self.call(name, me)

    def all_that_wait(self, me):
        found = []
        while me in self.handed:
            found.append(self.handed[me])
            me = found[-1][0]
        return found

    def thrown(self, name, me):
        if self.hands:                          # an asynchronous generator is closed: who waits for that is open
            self.handed[me], self.hands = self.hands, None
        self.call(name, me)

    def hand(self, me, name):
        self.hands = me, name

    def back(self, name, me):
        self.hands = None
        if not (self.open and self.open[-1][0] == me):
            self.call(name, me)


def contexts(log):
    return {simulate.spelled(history): counts for history, counts in Replay(log).counts.items()}


def names(log):
    """Of all that the log tells of."""
    return {words[0] if event != "hand" else words[1] for event, *words in log if words}
