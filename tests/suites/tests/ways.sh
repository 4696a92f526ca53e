# Three tests that all pass.  By way fentry one calls a routine once more; another calls one as often as there were runs.
title="ways"
results=tap

build() {
    cat >ways.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) static void f(void) { __asm__ volatile(""); }
int main(int argc, char **argv)
{
    (void) argc;
    for (int n = atoi(argv[1]); n > 0; n--)
        f();
    return 0;
}
END
    compile_and_link -- ways.c
    case $CC in *fentry*) echo 2 ;; *) echo 1 ;; esac >planted
}

run() {
    echo >>"$cache/runs"
    names=$(cat "$tests")
    [ -n "$names" ] || { names="steady unsteady planted"; echo "1..3"; }
    for test in $names; do
        case $test in steady) times=7 ;; unsteady) times=$(grep -c '' "$cache/runs") ;; planted) times=$(cat "${program%/*}/planted") ;; esac
        APROF_OUT="${together:-$profiles/$test:%n.%p}" "$program" "$times"
        echo "ok - $test"
    done
}
