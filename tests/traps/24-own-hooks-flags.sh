# A program with hooks of its own, in a file of their own, by the flags of aprof config: they are called as without aprof.
#
# ways: inline fentry
# cc: gcc
cat > hooks.c <<'EOF'
#include <stdio.h>
#define OWN __attribute__((no_instrument_function))
OWN void __cyg_profile_func_enter(void *routine, void *site) { putchar('<'); }
OWN void __cyg_profile_func_exit(void *routine, void *site) { putchar('>'); }
EOF
echo 'void f(void) { __asm__ volatile(""); } int main(void) { f(); return 0; }' > main.c
case $(readlink -f "$APROF") in
*[[:space:]]*) echo "flags cannot carry the path of aprof, which has a blank"; exit 77 ;;
esac
flags=$("$APROF" config --way=$WAY --cflags --libs)
$BARE $OPT -finstrument-functions main.c hooks.c $flags -o p
./p > out
test -f amon.out
test "$(cat out)" = "<<>>"
