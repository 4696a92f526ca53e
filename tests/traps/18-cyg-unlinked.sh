# Objects of way cyg linked without the monitor meet libc's empty hooks: the program runs, and aprof run says that it has none.
#
# ways: cyg
echo 'int f(void) { return 0; } int main(void) { return f(); }' > p.c
$CC $OPT -c p.c -o p.o
$BARE p.o -o p
"$APROF" run -- ./p > out 2>&1 || true
grep -qi 'no hooks\|without hooks\|hooks' out
test ! -f amon.out
