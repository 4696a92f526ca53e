# Calls marked as tail calls, held against the jumps that are emitted: an exit stands before a jump, and only there.
#
# Each routine t_* of the program calls another in tail position; which of them leave by a jump is read from the machine
# code, and so are the contexts that there must be.
# ways: inline fentry
# opt: -O2 -Os
# need: objdump
command -v python3 >/dev/null || { echo needs python3; exit 77; }
cat >tails.c <<'C'
#define HOOKED __attribute__((noinline, noclone))
struct large { long w[9]; };
HOOKED long one(long a) { __asm__ volatile(""); return a; }
HOOKED long six(long a, long b, long c, long d, long e, long f) { __asm__ volatile(""); return a + f; }
HOOKED long seven(long a, long b, long c, long d, long e, long f, long g) { __asm__ volatile(""); return a + g; }
HOOKED struct large give(long a) { struct large l = { { a } }; __asm__ volatile("" : : : "memory"); return l; }
HOOKED long take(struct large l) { __asm__ volatile(""); return l.w[1]; }
HOOKED long look(long *p) { __asm__ volatile("" : : : "memory"); return *p; }
HOOKED double sum(int n, ...) { __asm__ volatile(""); return n; }
HOOKED int narrow(int a) { __asm__ volatile(""); return a; }
HOOKED long double precise(long a) { __asm__ volatile(""); return a; }
HOOKED long t_registers(long a) { return six(a, 1, 2, 3, 4, 5); }
HOOKED long t_stack(long a) { return seven(a, 1, 2, 3, 4, 5, 6); }
HOOKED long t_own_stack(long a, long b, long c, long d, long e, long f, long g) { return seven(b, a, c, d, e, f, g + 1); }
HOOKED struct large t_large(long a) { return give(a + 1); }
HOOKED long t_by_value(long a) { struct large l = { { a, a } }; return take(l); }
HOOKED long t_escapes(long a) { long v = a; return look(&v); }
HOOKED double t_varargs(int n) { return sum(n, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0); }
HOOKED long t_widens(long a) { return narrow((int)a); }
HOOKED long double t_precise(long a) { return precise(a); }
HOOKED long t_frame(long n) { char room[n + 1]; room[n] = 1; __asm__ volatile("" : : "r"(room) : "memory"); return one(room[n]); }
HOOKED void t_nothing(long a) { one(a); }
HOOKED long t_either(long a) { if (a & 1) return six(a, 1, 2, 3, 4, 5); return seven(a, 1, 2, 3, 4, 5, 6); }
int main(void)
{
	volatile long sink = t_registers(1) + t_stack(2) + t_own_stack(1, 2, 3, 4, 5, 6, 7) + t_large(3).w[0] + t_by_value(4) +
		t_escapes(5) + (long)t_varargs(3) + t_widens(6) + (long)t_precise(7) + t_frame(8) + t_either(1) + t_either(2);
	t_nothing(sink);
	return 0;
}
C
$CC $OPT -w tails.c -o tails
./tails
cat >check.py <<'P'
import re, subprocess, sys
code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "tails"], capture_output=True, text=True).stdout
kinds = {}
for name, body in re.findall(r"^[0-9a-f]+ <(t_\w+)>:\n((?:.+\n)+)", code, re.M):
    for how, callee in re.findall(r"\b(jmp|call)\s+[0-9a-f]+ <([a-z]+)>", body):
        kinds.setdefault((name, callee), set()).add(how)
wanted = {"main"}
for (name, callee), how in kinds.items():
    wanted |= {"main " + name, "main " + ("" if how == {"jmp"} else name + " ") + callee}
    if len(how) > 1:
        sys.exit("%s both calls %s and jumps to it" % (name, callee))
lines = subprocess.run([sys.argv[1], "contexts", "amon.out"], capture_output=True, text=True).stdout.splitlines()
found = {line.split(" ", 3)[3] for line in lines} - {"-"}         # the root: time by clock tsc
jumps = sorted(name for (name, callee), how in kinds.items() if how == {"jmp"})
if found != wanted or (not sys.argv[2:] and "t_registers" not in jumps) or "t_stack" in jumps or len(kinds) < 13:
    sys.exit("jumps in %s\nnot there: %s\nthere: %s" % (jumps, sorted(wanted - found), sorted(found - wanted)))
P
python3 check.py "$APROF" $MAY_CALL	# none need be a jump
