# Objects with hooks, linked without the monitor: an error, where libc has no empty hooks of the same name.
#
# ways: fentry
echo 'int f(void) { return 0; } int main(void) { return f(); }' > p.c
$CC $OPT -c p.c -o p.o
! $BARE p.o -o p 2> errors
grep -q 'undefined reference.*aprof_' errors
$CC p.o -o p
./p
test -f amon.out
