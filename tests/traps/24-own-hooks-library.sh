# The hooks of a program that is itself built with some stand in a shared library: those are called, and none of aprof's.
#
# ways: inline fentry
# cc: gcc
cat > hooks.c <<'EOF'
int entered, left;
void __cyg_profile_func_enter(void *routine, void *site) { entered++; }
void __cyg_profile_func_exit(void *routine, void *site) { left++; }
EOF
cat > main.c <<'EOF'
#include <stdio.h>
extern int entered, left;
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
int main(void)
{
	for (int i = 0; i < 10; i++)
		f();
	printf("%d %d\n", entered, left);
	return 0;
}
EOF
# Of the library as of the program: hooks there would be routines.
$BARE -shared -fPIC hooks.c -o libhooks.so
for pie in "-fPIE -pie" "-no-pie"; do
	$CC $OPT $pie -finstrument-functions main.c ./libhooks.so -o p
	rm -f amon.out
	test "$(./p)" = "11 10"
	"$APROF" report amon.out > report
	! grep '^warning' report
	grep -q '^calls  *11 in 2 contexts' report
done
