# A routine that can leave without a call saves no registers for its hooks on that way: the prologue is wrapped around the rest.
# ways: inline
# opt: -O2
# na(clang): the hooks save their registers where it is entered
# na(reads): reading the counter takes registers that must be saved
# need: objdump
command -v python3 >/dev/null || { echo needs python3; exit 77; }
cat >early.c <<'C'
#include <stdio.h>
#define HOOKED __attribute__((noinline, noclone))
long calls;
__attribute__((noinline, noipa)) long callee(long a, long b) { calls++; return a * b; }
__attribute__((noinline, noipa)) void leave(long a) { calls += a; }
/* Parameters are wanted behind the calls, a value from before, too. */
HOOKED long e_value(long a, long *b, int c, short d)
{
	if (*b > c)
		return a;
	*b = callee(a, *b) + d;
	return callee(c, *b) - a;
}
/* Both ways lead to one return. */
HOOKED long *e_shared(long *a, long n)
{
	if (n) {
		long got = callee(*a, n);
		*a = got + n;
	}
	return a;
}
HOOKED void e_nothing(long *a, long n)
{
	if (!n)
		return;
	callee(*a, n);
	*a += n;
}
/* Two ways out, and calls in a loop. */
HOOKED void e_loop(long *a, long n)
{
	if (n <= 0)
		return;
	if (a[0] < 0)
		return;
	for (long i = 0; i < n; i++)
		a[3] += callee(a[i], n);
}
/* The way out is a jump. */
HOOKED void e_jump(long *a, long n)
{
	if (n > 3) {
		leave(n);
		return;
	}
	*a = callee(*a, n) + n;
}
int main(void)
{
	long a[] = { 1, 2, 3, 4 }, n = 2, sum = 0;
	for (int i = 0; i < 6; i++) {
		sum += e_value(i, &n, i * 2, (short)i) + *e_shared(a, i & 1);
		e_loop(a, i - 2);
		e_nothing(a + 1, i & 2);
		e_jump(a + 2, i);
		n = i;
	}
	printf("%ld %ld %ld %ld %ld %ld\n", sum, n, a[0], a[1], a[2], a[3]);
	return calls == 0;
}
C
$BARE $OPT -w early.c -o bare
$CC $OPT -w early.c -o early
[ "$(./early)" = "$(./bare)" ] || { echo the program says something else; exit 1; }
$CC $OPT -g -w early.c -o early
[ "$(./early)" = "$(./bare)" ] || { echo the program with debug information says something else; exit 1; }
cat >check.py <<'P'
import re, subprocess, sys
code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "early"], capture_output=True, text=True).stdout
saved = {}
for name, body in re.findall(r"^[0-9a-f]+ <(e_\w+)>:\n((?:.+\n)+)", code, re.M):
    lines = [line.partition(":")[2].strip() for line in body.splitlines()]
    counts = next(i for i, text in enumerate(lines) if text.startswith("inc"))
    way = lines[:next(i for i, text in enumerate(lines) if i > counts and text.startswith("j"))]     # to the first branch behind the entry
    saved[name] = [text for text in way if re.match(r"push|sub .*%rsp$", text)]
if len(saved) != 5 or any(saved.values()):
    sys.exit("saved first: %s" % saved)
P
python3 check.py
