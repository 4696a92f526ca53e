"""generate.py - programs whose times are known: C that is made of the pieces of pieces.h, and tells by truth.h what each context spent.

    program(seed, threads) -> Program: a random one, of `threads` or more
    CASES: name -> a function that makes a Program, of a fault that was found once

A program runs its rounds until it had TRUTH_SECONDS of CPU time.  Each routine enters and leaves its context at the borders of its own code; what stands
between is its pieces and its calls."""
import random
from dataclasses import dataclass, field

HEAD = """#include <pthread.h>
#include "tests/time_truth/pieces.h"
#include "tests/time_truth/truth.h"
"""
MOST_THREADS = 8


@dataclass
class Program:
    """Routines as C, callees first."""
    routines: list = field(default_factory=list)    # (name, text)
    threads: list = field(default_factory=list)     # the routine that each thread begun by main is in, to its end
    setup: list = field(default_factory=list)       # statements of main, before the threads
    drivers: int = 0                                # threads that work until their time is up; the others go when these do
    throws: bool = False

    def routine(self, name, *statements):
        text = "\n".join("\t" + s for s in (f"truth_enter(IN_{name});", *statements, "truth_leave();"))
        self.routines.append((name, f"ROUTINE static void {name}(long n)\n{{\n{text}\n\t(void)n;\n}}\n"))

    def plain_routine(self, name, *statements):
        """The same without an argument, for those who call by pointer."""
        text = "\n".join("\t" + s for s in (f"truth_enter(IN_{name});", *statements, "truth_leave();"))
        self.routines.append((name, f"ROUTINE static void {name}(void)\n{{\n{text}\n}}\n"))

    def endless(self, name, *statements):
        """One that never returns: the body of a coroutine."""
        text = "\n".join("\t\t" + s for s in statements)
        self.routines.append((name, f"ROUTINE static void {name}(void)\n{{\n\ttruth_enter(IN_{name});\n\tfor (;;) {{\n{text}\n\t}}\n}}\n"))

    def thread(self, name, *statements, driver=True):
        """What a thread that main begins is in; with driver=None one that others begin."""
        text = "\n".join("\t" + s for s in (f"truth_enter(IN_{name});", *statements, "truth_leave();"))
        self.routines.append((name, f"ROUTINE static void *{name}(void *unused)\n{{\n{text}\n\treturn unused;\n}}\n"))
        if driver is not None:
            self.threads.append(name)
            self.drivers += driver

    def text(self):
        names = [name for name, _ in self.routines] + ["main"]
        out = [HEAD, f"enum {{ {', '.join('IN_' + name for name in names)} }};",
               f"static const char *const names[] = {{ {', '.join(chr(34) + name + chr(34) for name in names)} }};",
               f"enum {{ DRIVERS = {self.drivers} }};\n"]
        out += [text for _, text in self.routines]
        last, *begun = reversed([name for name in self.threads])
        lines = [f"pthread_t thread[{max(len(begun), 1)}];", f"truth_begin(names, {len(names)}, IN_main, argc, argv);", *self.setup]
        lines += [f"pthread_create(&thread[{i}], NULL, {name}, NULL);" for i, name in enumerate(begun)]
        lines += [f"{last}(NULL);"] + [f"pthread_join(thread[{i}], NULL);" for i in range(len(begun))]
        lines += ["(void)thread;", "truth_leave();", "truth_print();", "return 0;"]
        return "\n".join(out) + "\nint main(int argc, char **argv)\n{\n" + "\n".join("\t" + line for line in lines) + "\n}\n"


# ---- random programs ----

# The piece, what one of COUNT takes, ns, and how long it is to take each time, from .. to, us: what gives its processor up or does little is mostly short.
COMPUTING = [("spin", 0.35, 40, 800), ("mix", 1.5, 40, 800), ("walk", 2, 40, 600)]
CALLING = [("yield", 250, 0.2, 2), ("usage", 250, 0.2, 30), ("processor_clock", 220, 0.2, 30), ("parent_pid", 90, 0.2, 60), ("poll_nothing", 250, 0.2, 30), ("wake_nobody", 120, 0.2, 30),
           ("sleep_no_time", 1000, 0.5, 20), ("zeros", 4000, 5, 400),
           ("file", 25000, 30, 400), ("faults", 600, 20, 600), ("locked", 1.5, 1, 60)]
SLEEPING = [("sleep_by_nanosleep", 100, 2000), ("sleep_by_poll", 100, 2000), ("sleep_by_epoll", 1000, 2000)]
JUMPS = ["jump", "signal", "context"]
SWITCHES = ["SWITCH_JUMP", "SWITCH_CONTEXT"]
GATES = ["GATE_FUTEX", "GATE_CONDITION", "GATE_PIPE", "GATE_SOCKET", "GATE_EVENT"]


def between(rng, least, most):
    """Log-uniform."""
    return least * (most / least) ** rng.random()


def piece(rng, kinds):
    name, each, least, most = rng.choice(kinds)
    return f"{name}({max(int(between(rng, least, most) * 1000 / each), 1)});"


class Maker:
    def __init__(self, seed, threads):
        self.rng, self.program = random.Random(f"truth {seed}"), Program()
        self.drivers = max(threads, self.rng.choice([1, 1, 1, 2, 2, 3, 4]))
        self.room = MOST_THREADS - self.drivers
        self.shared = []        # calls that any driver may make

    def chance(self, of_100):
        return self.rng.random() * 100 < of_100

    def leaves(self):
        rng = self.rng
        for i in range(rng.randint(2, 3)):
            self.program.routine(f"compute_{i}", "for (long i = 0; i < n; i++)", "\t" + piece(rng, COMPUTING))
            self.shared.append((f"compute_{i}", 3))
        for i in range(rng.randint(1, 3)):
            self.program.routine(f"call_{i}", piece(rng, CALLING), *[piece(rng, CALLING)] * self.chance(20))
            self.shared.append((f"call_{i}", 1))
        if self.chance(30):
            name, least, most = rng.choice(SLEEPING)
            self.program.routine("rest", f"{name}({int(between(rng, least, most))});")
            self.shared.append(("rest", 1))

    def jumps(self):
        """Plain code that catches, and works; with something after it that is short, or nothing."""
        rng = self.rng
        for kind in [rng.choice(JUMPS)] * self.chance(20) + ["throw"] * self.chance(15):
            self.program.throws |= kind == "throw"
            self.program.plain_routine(f"leave_{kind}", piece(rng, COMPUTING), f"leave_by_{kind}();")
            self.program.plain_routine(f"after_{kind}", "spin(20);")
            for i, count in enumerate((int(between(rng, 1e5, 3e6)), 0)):
                after = rng.choice(["NULL", f"after_{kind}"])
                self.program.routine(f"{kind}s_{i}", f"catch_{kind}(leave_{kind}, {count}, {after});", *[piece(rng, COMPUTING)] * self.chance(30))
                self.shared.append((f"{kind}s_{i}", 1))

    def coroutines(self):
        """Two coroutines of each thread, resumed by a routine each.  A hook in them tells that the stack is another, before they work."""
        if not self.chance(15):
            return
        rng = self.rng
        kind = rng.choice(SWITCHES)
        for i in range(2):
            self.program.endless(f"produce_{i}", "compute_0(1);", piece(rng, COMPUTING), "give_back();")
            count = rng.choice([0, int(between(rng, 1e5, 3e6))])
            self.program.routine(f"resume_{i}", f"resume({i}, {kind}, produce_{i}, {count});", *[piece(rng, COMPUTING)] * self.chance(30))
            self.shared.append((f"resume_{i}", 1))

    def brief_threads(self):
        """Of a millisecond or so."""
        if not self.chance(10):
            return
        rng = self.rng
        self.program.routine("brief_work", f"spin({int(between(rng, 1e6, 6e6))});")
        self.program.thread("brief", "brief_work(1);", driver=None)
        self.program.routine("begin_brief", "pthread_t thread;", "pthread_create(&thread, NULL, brief, NULL);", "pthread_join(thread, NULL);")
        self.shared.append(("begin_brief", 1))

    def children(self):
        if not self.chance(12):
            return
        rng = self.rng
        end = rng.choice(["truth_end(false);", "truth_end(true);", "truth_exec();"])
        self.program.routine("child", f"spin({int(between(rng, 1e6, 6e6))});")
        self.program.routine("spawn", "if (truth_fork() == 0) {", "\tchild(1);", "\t" + end, "}", "truth_wait();")
        if "exec" in end:
            self.program.setup = ["if (truth_child()) {", "\tchild(1);", "\ttruth_leave();", "\treturn 0;", "}"]
        self.shared.append(("spawn", 1))

    def middle(self):
        """Routines that call the leaves, each its own number of times."""
        rng, calls = self.rng, self.shared
        self.mids = []
        for i in range(rng.randint(2, 3)):
            chosen = rng.sample(calls, min(len(calls), rng.randint(2, 3)))
            own = [piece(rng, COMPUTING)] * self.chance(60)
            self.program.routine(f"mid_{i}", *own, *(f"{name}({rng.randint(1, most)});" for name, most in chosen))
            self.mids.append(f"mid_{i}")
        self.rest = [name for name, _ in calls]

    def partner(self, driver):
        """Another thread, that works for DRIVER: what to call for that, and how to stop it."""
        rng = self.rng
        kind = rng.choice(["channel", "channel", "queue", "stream"])
        if not self.room or not self.chance(40):
            return [], []
        self.room -= 1
        work = piece(rng, COMPUTING)
        if kind == "channel":
            self.program.setup.append(f"channel_make({driver}, {rng.choice(GATES)});")
            self.program.routine(f"ask_{driver}", f"ask({driver});")
            self.program.routine(f"serve_{driver}", work)
            self.program.thread(f"server_{driver}", f"while (serve_wait({driver})) {{", f"\tserve_{driver}(1);", f"\tserve_reply({driver});", "}", driver=False)
            return [f"ask_{driver}({1});"], [f"channel_stop({driver});"]
        if kind == "stream":
            self.program.setup.append(f"stream_make({driver});")
            self.program.routine(f"write_{driver}", f"stream_write({driver}, {rng.randint(1, 3)});")
            self.program.routine(f"taken_{driver}", piece(rng, [("spin", 0.35, 1, 100)]))
            self.program.thread(f"reader_{driver}", f"while (stream_read({driver}))", f"\ttaken_{driver}(1);", driver=False)
            return [f"write_{driver}(1);"], [f"stream_stop({driver});"]
        self.program.routine(f"push_{driver}", f"queue_push({driver}, {rng.randint(1, 3)});")
        self.program.routine(f"job_{driver}", work)
        for i in range(1 + (self.room > 0 and self.chance(50))):
            self.room -= i
            self.program.routine(f"pop_{driver}_{i}", f"while (work_wait({driver}))", f"\tjob_{driver}(1);")
            self.program.thread(f"worker_{driver}_{i}", f"pop_{driver}_{i}(1);", driver=False)
        return [f"push_{driver}(1);"], [f"queue_stop({driver});"]

    def driver(self, number, signals):
        rng = self.rng
        calls, stops = self.partner(number)
        round_ = [f"{rng.choice(self.mids)}(1);" for _ in range(rng.randint(1, 3))] + calls
        round_ += [f"{rng.choice(self.rest)}(1);"] * self.chance(50)
        rng.shuffle(round_)
        begin, end = ([f"signals_begin({signals}, on_signal);"], [f"signals_end({signals});"]) if signals else ([], [])
        self.program.thread(f"driver_{number}", *begin, "while (truth_more(DRIVERS)) {", *("\t" + call for call in round_), "}", *end, *stops)

    def make(self):
        rng = self.rng
        self.leaves()
        self.jumps()
        self.coroutines()
        self.children()
        self.brief_threads()
        self.middle()
        signals = rng.choice(["SIGNAL_TIMER"] + ["SIGNAL_ITIMER"] * (self.drivers == 1)) if self.chance(15) else None
        if signals:
            self.program.routines.append(("on_signal", "ROUTINE static void on_signal(int signal)\n{\n\tif (!truth_interrupted(IN_on_signal))\n\t\treturn;\n"
                                          f"\tspin({int(between(rng, 3e4, 9e5))});\n\ttruth_handled();\n\t(void)signal;\n}}\n"))
        for number in range(self.drivers):
            self.driver(number, signals)
        return self.program


def program(seed, threads=1):
    return Maker(seed, threads).make()


# ---- what was found once ----

def gives_up(*statements, count=600000, setup=(), more=(), stop=()):
    """Computes for 0.2 ms, then does something that may cost the processor, and no time."""
    made = Program(setup=list(setup))
    made.routine("compute", f"spin({count});")
    made.routine("polite", *statements)
    for name, text in more:
        made.thread(name, *text, driver=False)
    made.thread("work", "while (truth_more(DRIVERS)) {", "\tcompute(1);", "\tpolite(1);", "}", *stop)
    return made


def yielding(threads):
    made = Program()
    made.routine("compute", "spin(600000);")
    made.routine("polite", "yield(1);")
    for i in range(threads):
        made.thread(f"work_{i}", "while (truth_more(DRIVERS)) {", "\tcompute(1);", "\tpolite(1);", "}")
    return made


def workers(threads):
    """A queue whose workers wait for jobs, as those of openjpeg do."""
    made = Program()
    made.routine("job", "spin(900000);")
    made.routine("take", "while (work_wait(0))", "\tjob(1);")
    made.routine("give", "queue_push(0, 1);")
    for i in range(threads):
        made.thread(f"worker_{i}", "take(1);", driver=False)
    made.thread("work", "while (truth_more(DRIVERS)) {", "\tspin(100000);", "\tgive(1);", "}", "queue_stop(0);")
    return made


def lost(kind, last):
    """Plain code that catches and then works: all of the time is dear's, whatever comes next."""
    made = Program(throws=kind == "throw")
    made.plain_routine("thrower", "spin(20);", f"leave_by_{kind}();")
    made.plain_routine("leaf", "spin(20);")
    made.routine("dear", f"catch_{kind}(thrower, 3000000, NULL);")
    made.routine("cheap", f"catch_{kind}(thrower, 0, leaf);" if last == "catches" else "leaf();")
    made.thread("work", "while (truth_more(DRIVERS)) {", "\tdear(1);", "\tcheap(1);", "}")
    return made


def coroutines(kind):
    """What a routine's plain code works when it comes back from another stack is its own."""
    made = Program()
    for i in range(2):
        made.endless(f"produce_{i}", "spin(20);", "give_back();")
    made.routine("dear", f"resume(0, {kind}, produce_0, 3000000);")
    made.routine("cheap", f"resume(1, {kind}, produce_1, 0);")
    made.thread("work", "while (truth_more(DRIVERS)) {", "\tdear(1);", "\tcheap(1);", "}")
    return made


def children(end):
    """Of 0.9 ms each."""
    made = Program()
    made.routine("burn", "spin(2700000);")
    made.routine("spawn", "if (truth_fork() == 0) {", "\tburn(1);", f"\t{end};", "}", "truth_wait();")
    if end == "truth_exec()":
        made.setup = ["if (truth_child()) {", "\tburn(1);", "\ttruth_leave();", "\treturn 0;", "}"]
    made.thread("work", "for (int i = 0; i < 400; i++)", "\tspawn(1);")
    return made


CASES = {
    "yield": lambda: gives_up("yield(1);"),
    "getrusage": lambda: gives_up("usage(1);"),
    "clock": lambda: gives_up("processor_clock(1);"),
    "pipe": lambda: gives_up("stream_write(0, 1);", setup=["stream_make(0);"], more=[("reader", ["while (stream_read(0))", "\t;"])], stop=["stream_stop(0);"]),
    "four-yield": lambda: yielding(4),
    "queue": lambda: workers(2),
    "longjmp": lambda: lost("jump", "catches"),
    "longjmp-then-call": lambda: lost("jump", "calls"),
    "throw": lambda: lost("throw", "catches"),
    "throw-then-call": lambda: lost("throw", "calls"),
    "siglongjmp": lambda: lost("signal", "catches"),
    "setcontext": lambda: lost("context", "catches"),
    "coroutines": lambda: coroutines("SWITCH_JUMP"),
    "swapcontext": lambda: coroutines("SWITCH_CONTEXT"),
    "children": lambda: children("truth_end(false)"),
    "children-_exit": lambda: children("truth_end(true)"),
    "children-exec": lambda: children("truth_exec()"),
}
