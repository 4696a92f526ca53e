# The hooks of a program that is itself built with some stand in a shared library, or are libc's empty ones: those are called, and none of aprof's.
#
# ways: inline fentry
# cc: gcc
cat > hooks.c <<'EOF'
int entered;
void __cyg_profile_func_enter(void *routine, void *site) { entered++; }
void __cyg_profile_func_exit(void *routine, void *site) { }
EOF
cat > main.c <<'EOF'
#include <stdio.h>
extern int entered __attribute__((weak));
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
int main(void)
{
	for (int i = 0; i < 10; i++)
		f();
	printf("%d\n", &entered ? entered : 0);
	return 0;
}
EOF
$BARE -shared -fPIC hooks.c -o libhooks.so
check()
{
	rm -f amon.out
	test "$(./p)" = "$1"
	"$APROF" report --json amon.out > report
	! grep -q 'warning' report
	"$APROF" report amon.out | grep -q '^calls  *11 in 2 contexts'
}
$CC $OPT -fPIE -finstrument-functions main.c ./libhooks.so -o p
check 11
$CC $OPT -fPIE -finstrument-functions main.c -o p
check 0
