# Debug information changes no code (GCC's -fcompare-debug finds nothing), and hooks change no source position: breakpoints on
# routines are in the lines in which they are without hooks.
#
# ways: inline
# need: gdb
cat >p.c <<'C'
#include <stdio.h>
#include <setjmp.h>
static jmp_buf env;
__attribute__((noinline)) int tail(int x)
{
	return x * 3;
}
__attribute__((noinline)) int caller(int x)
{
	if (x > 5)
		longjmp(env, x);
	return tail(x + 1);
}
int main(int argc, char **argv)
{
	int volatile n = argc;
	if (setjmp(env))
		return 0;
	n = caller(n) + caller(9);
	return n;
}
C
cat >q.cc <<'C'
struct base { virtual ~base(); virtual int f(int) = 0; };
base::~base() {}
struct derived : base { int f(int x) override { if (x > 3) throw x; return x; } };
int g(base &b, int x) { try { return b.f(x); } catch (int n) { return n; } }
int main() { derived d; return g(d, 1) + g(d, 5) == 6 ? 0 : 1; }
C
case $BARE in
*clang*) ;;
*)	$BARE $OPT -fcompare-debug -c p.c
	$CC $OPT -fcompare-debug -c p.c
	${CC%-cc *}-c++ --aprof-way=inline $OPT -fcompare-debug -c q.cc ;;
esac
$CC $OPT -g p.c -o hooked
$BARE $OPT -g p.c -o bare
for program in bare hooked; do
	gdb -batch -ex 'break tail' -ex 'break caller' -ex 'break main' $program 2>/dev/null | sed 's/ at [^:]*:/:/' >$program.lines
done
cmp bare.lines hooked.lines || { cat bare.lines hooked.lines; exit 1; }
grep -q 'p.c, line 10' hooked.lines
