# A program that works for a second; if the file DIFFER is in the cache it prints how it is launched, as none should.
title="made up"
counted=yes

build() {
    cat >made_up.c <<'END'
#include <stdio.h>
static volatile unsigned sum;
__attribute__((noinline)) static void leaf(unsigned n) { while (n--) sum += n; }
__attribute__((noinline)) static void twice(unsigned n) { leaf(n); leaf(n); }
__attribute__((noinline)) static int down(int n) { return n ? 1 + down(n - 1) : 0; }
int main(void)
{
    for (int i = 0; i < 3000; i++) twice(40000);
    printf("%u %d\n", sum, down(9));
    return 0;
}
END
    $CC $CFLAGS -o program made_up.c $LDFLAGS
}

run() {
    $launch "$program"
    [ ! -e "$cache/DIFFER" ] || echo "${launch##*/}"
}
