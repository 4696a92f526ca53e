# 20 times qsort of a million random numbers, by a comparison of a few instructions.
title="qsort of random numbers"

build() { $CC $CFLAGS -o program "$bench/micro/qsort.c" $LDFLAGS; }
run() { exec $launch "$program" 20; }
