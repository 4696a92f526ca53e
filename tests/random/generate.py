"""generate.py - random C (or C++) programs that call to and fro: mutual recursion, function pointers, threads, jumps, tail calls,
routines with arguments on the stack and results of all kinds, and in C++ objects whose constructors and destructors call and throw.

A program is a function of its seed and prints one checksum.  Compiled with -DTAILS a call in tail position takes the place of its
caller, as it does where the compiler turns it into a jump.  Compiled with -DPARTS=N -DPART=K it is the K-th of N objects, which
have every N-th routine each.  Compiled with -DLOG it also writes, for each thread, what
it does: a file log.N of bytes 'e' ROUTINE SITE (entered from the call that is marked SITE(number), 16 bits; 0: from outside), 'l' (left) and 'u' DEPTH (unwound
to the DEPTH-th frame, 16 bits)."""
import random, re

HEAD = r"""
#ifdef __cplusplus
#include <exception>
#endif
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
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
static __thread int call_site;
#define ENTER(r) int entry_site = call_site; (depth++, putc('e', log_file), putc(r, log_file), putc(call_site >> 8, log_file), putc(call_site & 255, log_file))
#define SITE(k) call_site = k;
#define SAME_SITE() call_site = entry_site
#define LEAVE() (depth--, putc('l', log_file))
#define DEPTH depth
#define HERE int here = depth
#define UNWOUND() (depth = here, putc('u', log_file), putc(here >> 8, log_file), putc(here & 255, log_file))
#define OPEN(n) open_log(n)
#define CLOSE() fclose(log_file)
static void open_log(int n) { char name[16]; sprintf(name, "log.%d", n); log_file = fopen(name, "wb"); }
#else
#define ENTER(r)
#define SITE(k)
#define SAME_SITE()
#define LEAVE()
#define DEPTH 0
#define HERE
#define UNWOUND()
#define OPEN(n)
#define CLOSE()
#endif

#ifndef PARTS
#define PARTS 1
#define PART 0
#endif

#ifdef TAILS
#define TAIL(k, call) { SAME_SITE(); LEAVE(); call; return; }
#else
#define TAIL(k, call) { SITE(k) call; KEEP(); LEAVE(); return; }
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
typedef double vector __attribute__((vector_size(16)));
struct five { uint64_t w[5]; };
struct pair { double x, y; };
"""

# Routines of other shapes than routine's: name, declaration, body, a call of it. INNER is a call of one of the table's.
SHAPES = [
    ("stacked", "void stacked(struct state *s, long a, long b, long c, long d, long e, long f, long g)",
     "%(inner)s s->sum += a * b + c * d + e * f + g; KEEP(); %(leave)s",
     "stacked(s, 1, 2, 3, 4, 5, 6, s->budget & 7);"),
    ("large", "struct five large(struct state *s, int k)",
     "struct five r = { { 1, 2, 3, 4, 5 } }; r.w[k & 3] += s->sum; %(inner)s %(leave)s return r;",
     "{ struct five r = large(s, 2); s->sum += r.w[2] * 3 + r.w[4]; }"),
    ("various", "double various(struct state *s, int n, ...)",
     "va_list args; double r = 0; va_start(args, n); for (int i = 0; i < n; i++) { %(inner)s r += va_arg(args, double); "
     "r += va_arg(args, int); r += (double)va_arg(args, long double); } va_end(args); %(leave)s return r;",
     "s->sum += (uint64_t)various(s, 2, 1.5, 7, 2.25L, s->level * 0.5, 9, 1e3L);"),
    ("precise", "long double precise(struct state *s, long double x)",
     "%(inner)s x = x * 3 + 0.5L; %(leave)s return x;",
     "s->sum += (uint64_t)precise(s, (long double)(s->budget & 63));"),
    ("vectors", "vector vectors(struct state *s, vector v)",
     "%(inner)s vector r = v * 2.0 + (vector){ 1.0, (double)(s->level & 3) }; %(leave)s return r;",
     "{ vector v = { 1.0, 2.0 }; v = vectors(s, v); s->sum += (uint64_t)(v[0] + v[1]); }"),
    ("pairs", "struct pair pairs(struct state *s, double x)",
     "struct pair p = { x, x + 1 }; %(inner)s p.y += s->level; %(leave)s return p;",
     "{ struct pair p = pairs(s, 0.5); s->sum += (uint64_t)(p.x * 2 + p.y); }"),
]

# An object whose constructor and destructor are routines that call and throw; %(made)d and %(gone)d are their numbers.  The destructor also runs
# on the way of an exception, when the log still has the frames that the exception left: it says first how deep its caller is.  Nothing may be
# thrown out of it then.
OBJECT = """
struct object { struct state *s; int level, here; FUNCTION object(struct state *s); FUNCTION ~object() noexcept(false); };
object::object(struct state *s) : s(s), level(s->level), here(DEPTH)
{
	ENTER(%(made)d); s->budget--; s->level++;
	if (MAY(40)) { %(first)s }
	if (s->catching && choose(s, 100) < 15) throw 1;
	s->level--; KEEP(); LEAVE();
}
object::~object() noexcept(false)
{
	bool unwinding = std::uncaught_exceptions() > 0;
	int catching = s->catching;
	UNWOUND(); s->level = level;
	ENTER(%(gone)d); s->budget--; s->level++;
	if (unwinding) s->catching = 0;
	if (MAY(40)) { %(last)s }
	s->catching = catching;
	if (catching && !unwinding && choose(s, 100) < 15) throw 2;
	s->level--; KEEP(); LEAVE();
}"""

OBJECTS = ["object::object(state*)", "object::~object()"]

SIGNALS = r"""
static volatile unsigned handled;
FUNCTION void signal_inner(void) { KEEP(); }
FUNCTION void signal_handler(int sig) { (void)sig; signal_inner(); __atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED); KEEP(); }
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
        return "SITE(@) table[%d + choose(s, %d)](s);" % (first, rng.randint(1, n - first))
    if kind == "shape":
        return "SITE(@) " + rng.choice(SHAPES)[3]
    if kind == "twice":
        r = rng.randrange(n)
        return "SITE(@) r%d(s); s->sum ^= s->budget; SITE(@) r%d(s);" % (r, r)
    return "SITE(@) r%d(s);" % rng.randrange(n)


def body(rng, i, n, jumps, percent):
    lines = []
    for _ in range(rng.randint(1, 4)):
        target = call(rng, n, ["direct"] * 4 + ["pointer", "shape", "twice"]) if rng.random() > 0.15 else "SITE(@) r%d(s);" % i
        how = rng.choice(["if", "if", "for"])
        if how == "for":
            target = "for (unsigned i = choose(s, 3); i > 0; i--) { %s KEEP(); }" % target
        lines.append("\tif (MAY(%d)) { %s s->sum = s->sum * 31 + %d; }" % (percent, target, rng.randrange(1000)))
    if jumps == "throw" and rng.random() < 0.5:
        lines.insert(rng.randrange(len(lines) + 1), "\tif (MAY(40)) { SITE(@) object o(s); %s s->sum++; }" % call(rng, n, ["direct", "pointer"]))
    if jumps and i % 3 == 0:                            # a catcher: what it calls may jump back here
        if jumps == "throw":
            lines.insert(rng.randrange(len(lines) + 1),
                         "\tif (MAY(60)) { HERE; int level = s->level; try { s->catching++; %s s->catching--; } "
                         "catch (int n) { s->catching--; UNWOUND(); s->level = level; s->sum += n; SITE(@) landed(s); } }" % call(rng, n, ["direct"]))
        else:
            lines.insert(rng.randrange(len(lines) + 1),
                         "\tif (MAY(60)) { HERE; volatile int level = s->level; sigjmp_buf env, *volatile old = s->catcher; "
                         "if (!sigsetjmp(env, 0)) { s->catcher = &env; %s s->catcher = old; } "
                         "else { s->catcher = old; UNWOUND(); s->level = level; SITE(@) landed(s); } }" % call(rng, n, ["direct"]))
    if jumps and i % 3 == 1:
        leave = "throw %d;" % i if jumps == "throw" else "siglongjmp(*s->catcher, 1);"
        lines.insert(rng.randrange(len(lines) + 1), "\tif (%s && choose(s, 100) < 25) { %s }"
                     % ("s->catching" if jumps == "throw" else "s->catcher", leave))
    return lines


def tail_target(rng, i, n):
    """A call from routine I that is not seen to be of itself: of that the compiler makes a loop."""
    if rng.random() < 0.3 and n > 2:
        first = rng.randrange(n - 1)
        return "table[%d + choose(s, %d)](s)" % (first, rng.randint(2, n - first))
    return "r%d(s)" % ((i + rng.randint(1, n - 1)) % n)


def ending(rng, i, n, jumps):
    """How a routine leaves: maybe by a tail call, which setjmp forbids; or by one that cannot become a jump."""
    lines = []
    if rng.random() < 0.4 and not (jumps == "longjmp" and i % 3 == 0):
        lines = ["\tif (MAY(%d)) { s->level--; TAIL(@, %s) }" % (rng.randint(20, 60), tail_target(rng, i, n))]
    elif rng.random() < 0.3:
        lines = ["\tif (MAY(30)) { s->level--; SITE(@) %s LEAVE(); return; }" % SHAPES[0][3]]
    return lines + ["\ts->level--;\n\tKEEP();\n\tLEAVE();\n}"]


def shape(rng, k, n, number):
    """The K-th of SHAPES, a routine of that NUMBER."""
    _, declaration, text, _ = SHAPES[k]
    inner = "if (MAY(%d)) { %s }" % (rng.randint(20, 50), call(rng, n, ["direct", "pointer"]))
    leave = "s->level--; KEEP(); LEAVE();"
    return "FUNCTION %s\n{\n\tENTER(%d); s->budget--; s->level++;\n\t%s\n}" % (declaration, number, text % {"inner": inner, "leave": leave})


def in_part(number, text):
    """TEXT, of the routine NUMBER, in the object that has it."""
    return "#if %d %% PARTS == PART\n%s\n#endif" % (number, text)


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
    out += ["%s;" % declaration for _, declaration, _, _ in SHAPES]
    out += ["void landed(struct state *s);", in_part(n, "FUNCTION void landed(struct state *s) { ENTER(%d); s->sum++; KEEP(); LEAVE(); }" % n)]
    if jumps == "throw":
        first, last = (call(rng, n, ["direct", "pointer"]) for _ in range(2))
        out.append(OBJECT % {"made": n + 3 + len(SHAPES), "gone": n + 4 + len(SHAPES), "first": first, "last": last})
    percent = 90 if wide else rng.randint(40, 70)
    for i in range(n):
        text = ["FUNCTION void r%d(struct state *s)\n{\n\tENTER(%d);\n\ts->budget--;\n\ts->level++;" % (i, i)]
        text += body(rng, i, n, jumps, percent)
        text += ending(rng, i, n, jumps)
        out.append(in_part(i, "\n".join(text)))
    out += [in_part(n + 3 + k, shape(rng, k, n, n + 3 + k)) for k in range(len(SHAPES))]
    out += ["%sroutine *const table[] = { %s };" % ("" if jumps == "throw" else "static ", ", ".join("r%d" % i for i in range(n)))]
    out += ["#if PART == 0", "static struct state states[%d];" % threads]
    out += ["FUNCTION void *start(void *arg)\n{\n\tstruct state *s = (struct state *)arg;\n\tOPEN((int)(s - states) + 1);\n\tENTER(%d);"
            "\n\twhile (s->budget > 0)\n\t\t{ SITE(@) table[choose(s, %d)](s); }\n\tKEEP();\n\tLEAVE();\n\tCLOSE();\n\treturn NULL;\n}" % (n + 1, n)]
    out += ["int main(void)\n{\n\tpthread_t t[%d];\n\tuint64_t sum = 0;\n\tOPEN(0);\n\tENTER(%d);" % (threads, n + 2)]
    out += ["\tsignals(1);" if signals else ""]
    budget = 60000 if wide else rng.randint(2000, 40000)
    out += ["\tfor (int i = 0; i < %d; i++) {\n\t\tstates[i].random = %du + i;\n\t\tstates[i].budget = %d;"
            "\n\t\tpthread_create(&t[i], NULL, start, &states[i]);\n\t}" % (threads, rng.getrandbits(31), budget)]
    out += ["\tfor (int i = 0; i < %d; i++) {\n\t\tpthread_join(t[i], NULL);\n\t\tsum = sum * 1000003 + states[i].sum;\n\t}" % threads]
    out += ["\tsignals(0);" if signals else ""]
    out += ["\tprintf(\"%llu\\n\", (unsigned long long)sum);\n\tKEEP();\n\tLEAVE();\n\tCLOSE();\n\treturn 0;\n}"]
    out += ["#endif", "}" if jumps == "throw" else ""]
    names = ["r%d" % i for i in range(n)] + ["landed", "start", "main"] + [s[0] for s in SHAPES] + (OBJECTS if jumps == "throw" else [])
    number = iter(range(1, 1 << 16))
    text = re.sub(r"\b(SITE|TAIL)\(@", lambda found: "%s(%d" % (found.group(1), next(number)), "\n".join(out) + "\n")
    return text, names, threads


def places(text):
    """Of each line of a program's TEXT its calls: (column behind which it stands, number), in order."""
    found = {}
    for number, line in enumerate(text.split("\n"), 1):
        for mark in re.finditer(r"\b(?:SITE|TAIL)\((\d+)", line):
            found.setdefault(number, []).append((mark.start() + 1, int(mark.group(1))))
    return found
