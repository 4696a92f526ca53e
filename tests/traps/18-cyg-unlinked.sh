# Objects of way cyg linked without the monitor: an error, or where all hooks are called (-O0, Clang) they meet libc's empty ones: the
# program runs, and aprof run says that it has none.
#
# ways: cyg
echo 'int f(void) { return 0; } int main(void) { return f(); }' > p.c
$CC $OPT -c p.c -o p.o
if ! $BARE p.o -o p 2> errors; then
	grep -q 'undefined reference.*__aprof_enter' errors
	$CC p.o -o p
	./p
	test -f amon.out
	exit
fi
"$APROF" run -- ./p > out 2>&1 || true
grep -qi 'no hooks\|without hooks\|hooks' out
test ! -f amon.out
