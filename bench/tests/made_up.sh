# A program that no package has: it prints its argument, and the time of day,
# which is not its result.
title="made up"

prepare() { echo 42 >number; }

build() {
    cat >hello.c <<'EOF'
#include <stdio.h>
#include <time.h>
__attribute__((noinline)) static int twice(int x) { return 2 * x; }
int main(int argc, char **argv)
{
    printf("%s %d\n", argc > 1 ? argv[1] : "", twice(argc));
    printf("time %ld\n", (long)clock());
    return 0;
}
EOF
    compile_and_link -DHELLO=1 -- hello.c
}

run() { exec $launch "$program" "$(cat "$prepared/number")"; }

output() { grep -v '^time' stdout; }
