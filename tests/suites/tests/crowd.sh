# 340 processes of two programs.  One of them becomes the other by exec: that is a process of each.
title="crowd"
results=tap

build() {
    cat >crowd.c <<'END'
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) static void f(void) { __asm__ volatile(""); }
int main(int argc, char **argv)
{
    for (int n = atoi(argv[1]); n > 0; n--)
        f();
    if (argc > 2)
        execv(argv[2], (char *[]){ argv[2], argv[1], NULL });
    return argc > 2;
}
END
    compile_and_link -- crowd.c
    cp program other
}

run() {
    [ -s "$tests" ] || echo "1..20"
    for test in $(seq 20); do
        export APROF_OUT="${together:-$profiles/$test:%n.%p}"
        for times in $(seq 15); do "$program" "$times" || exit; done
        "${program%/*}/other" "$test" "$program"
        echo "ok - $test"
    done
}
