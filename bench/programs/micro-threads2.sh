# 50 million calls in each of two threads at once.
title="50 M calls in each of two threads at once"

build() { $CC $CFLAGS -pthread -o program "$bench/micro/threads.c" $LDFLAGS; }
run() { exec $launch "$program" 2 25000000; }
