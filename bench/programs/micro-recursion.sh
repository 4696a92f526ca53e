# Direct recursion (fib) and mutual recursion (even, odd) of 10,000 calls deep.
title="recursion, 96 M calls"

build() { $CC $CFLAGS -fno-optimize-sibling-calls -o program "$bench/micro/recursion.c" $LDFLAGS; }
run() { exec $launch "$program" 3000; }
