"""generate.py - random C (or C++) programs that call to and fro: mutual recursion, function pointers, threads, jumps.

A program is a function of its seed and prints one checksum.  Compiled with -DLOG it also writes, for each thread, what
it does: a file log.N of bytes 'e' ROUTINE (entered), 'l' (left) and 'u' DEPTH (unwound to the DEPTH-th frame, 16 bits)."""
import random

HEAD = r"""
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>
#if defined(__clang__)
#define FUNCTION __attribute__((noinline))
#else
#define FUNCTION __attribute__((noinline, noclone))
#endif
#define PLAIN __attribute__((noinline, no_instrument_function))
#define KEEP() __asm__ volatile("" : : : "memory")
#ifdef LOG
static __thread FILE *log_file;
static __thread int depth;
#define ENTER(r) (depth++, putc('e', log_file), putc(r, log_file))
#define LEAVE() (depth--, putc('l', log_file))
#define HERE int here = depth
#define UNWOUND() (depth = here, putc('u', log_file), putc(here >> 8, log_file), putc(here & 255, log_file))
#define OPEN(n) open_log(n)
#define CLOSE() fclose(log_file)
static void open_log(int n) { char name[16]; sprintf(name, "log.%d", n); log_file = fopen(name, "wb"); }
#else
#define ENTER(r)
#define LEAVE()
#define HERE
#define UNWOUND()
#define OPEN(n)
#define CLOSE()
#endif

struct state { uint64_t random, sum; int budget, level, catching; sigjmp_buf *catcher; };
typedef void routine(struct state *);
static inline __attribute__((always_inline, no_instrument_function)) unsigned choose(struct state *s, unsigned n)
{
	s->random = s->random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(s->random >> 33) % n;
}
#define MAY(percent) (choose(s, 100) < (percent) && s->budget > 0 && s->level < LEVELS)
static routine *const table[];
"""

SIGNALS = r"""
static volatile unsigned handled;
FUNCTION void signal_inner(void) { KEEP(); }
FUNCTION void signal_handler(int sig) { (void)sig; signal_inner(); handled++; KEEP(); }
static PLAIN void signals(int on)
{
	struct itimerval timer = { { 0, on ? 60 : 0 }, { 0, on ? 60 : 0 } };
	signal(SIGALRM, signal_handler);
	setitimer(ITIMER_REAL, &timer, NULL);
	if (!on)
		fprintf(stderr, "%u\n", handled);
}
"""


def call(rng, n, kinds):
    kind = rng.choice(kinds)
    if kind == "pointer":
        first = rng.randrange(n)
        return "table[%d + choose(s, %d)](s);" % (first, rng.randint(1, n - first))
    return "r%d(s);" % rng.randrange(n)


def body(rng, i, n, jumps, percent):
    lines = []
    for _ in range(rng.randint(1, 4)):
        target = call(rng, n, ["direct"] * 3 + ["pointer"]) if rng.random() > 0.15 else "r%d(s);" % i
        how = rng.choice(["if", "if", "for"])
        if how == "for":
            target = "for (unsigned i = choose(s, 3); i > 0; i--) { %s KEEP(); }" % target
        lines.append("\tif (MAY(%d)) { %s s->sum = s->sum * 31 + %d; }" % (percent, target, rng.randrange(1000)))
    if jumps and i % 3 == 0:                            # a catcher: what it calls may jump back here
        if jumps == "throw":
            lines.insert(rng.randrange(len(lines) + 1),
                         "\tif (MAY(60)) { HERE; int level = s->level; try { s->catching++; %s s->catching--; } "
                         "catch (int n) { s->catching--; UNWOUND(); s->level = level; s->sum += n; landed(s); } }" % call(rng, n, ["direct"]))
        else:
            lines.insert(rng.randrange(len(lines) + 1),
                         "\tif (MAY(60)) { HERE; volatile int level = s->level; sigjmp_buf env, *volatile old = s->catcher; "
                         "if (!sigsetjmp(env, 0)) { s->catcher = &env; %s s->catcher = old; } "
                         "else { s->catcher = old; UNWOUND(); s->level = level; landed(s); } }" % call(rng, n, ["direct"]))
    if jumps and i % 3 == 1:
        leave = "throw %d;" % i if jumps == "throw" else "siglongjmp(*s->catcher, 1);"
        lines.insert(rng.randrange(len(lines) + 1), "\tif (%s && choose(s, 100) < 25) { %s }"
                     % ("s->catching" if jumps == "throw" else "s->catcher", leave))
    return lines


def program(seed, jumps=None, signals=False, wide=False):
    """The text of program SEED.  JUMPS: None, "longjmp" or "throw" (C++).  WIDE: very many contexts."""
    rng = random.Random(seed)
    n = 30 if wide else rng.randint(3, 12)
    threads = 1 if wide else rng.choice([1, 1, 2, 4])
    out = ["#define LEVELS %d" % (40 if wide else rng.choice([12, 30, 60])), HEAD]
    if signals:
        out.append(SIGNALS)
    if jumps == "throw":
        out = [text.replace("static routine *const table[];", "extern \"C\" routine *const table[];") for text in out]
    out += ["extern \"C\" {" if jumps == "throw" else ""]
    out += ["routine %s;" % ", ".join("r%d" % i for i in range(n))]
    out += ["FUNCTION void landed(struct state *s) { ENTER(%d); s->sum++; KEEP(); LEAVE(); }" % n]
    percent = 90 if wide else rng.randint(40, 70)
    for i in range(n):
        out += ["FUNCTION void r%d(struct state *s)\n{\n\tENTER(%d);\n\ts->budget--;\n\ts->level++;" % (i, i)]
        out += body(rng, i, n, jumps, percent)
        out += ["\ts->level--;\n\tKEEP();\n\tLEAVE();\n}"]
    out += ["%sroutine *const table[] = { %s };" % ("" if jumps == "throw" else "static ", ", ".join("r%d" % i for i in range(n)))]
    out += ["static struct state states[%d];" % threads]
    out += ["FUNCTION void *start(void *arg)\n{\n\tstruct state *s = (struct state *)arg;\n\tOPEN((int)(s - states) + 1);\n\tENTER(%d);"
            "\n\twhile (s->budget > 0)\n\t\ttable[choose(s, %d)](s);\n\tKEEP();\n\tLEAVE();\n\tCLOSE();\n\treturn NULL;\n}" % (n + 1, n)]
    out += ["int main(void)\n{\n\tpthread_t t[%d];\n\tuint64_t sum = 0;\n\tOPEN(0);\n\tENTER(%d);" % (threads, n + 2)]
    out += ["\tsignals(1);" if signals else ""]
    budget = 60000 if wide else rng.randint(2000, 40000)
    out += ["\tfor (int i = 0; i < %d; i++) {\n\t\tstates[i].random = %du + i;\n\t\tstates[i].budget = %d;"
            "\n\t\tpthread_create(&t[i], NULL, start, &states[i]);\n\t}" % (threads, rng.getrandbits(31), budget)]
    out += ["\tfor (int i = 0; i < %d; i++) {\n\t\tpthread_join(t[i], NULL);\n\t\tsum = sum * 1000003 + states[i].sum;\n\t}" % threads]
    out += ["\tsignals(0);" if signals else ""]
    out += ["\tprintf(\"%llu\\n\", (unsigned long long)sum);\n\tKEEP();\n\tLEAVE();\n\tCLOSE();\n\treturn 0;\n}"]
    out += ["}" if jumps == "throw" else ""]
    names = ["r%d" % i for i in range(n)] + ["landed", "start", "main"]
    return "\n".join(out) + "\n", names, threads
