# 50 million calls in one thread.
title="50 M calls in one thread"

build() { $CC $CFLAGS -pthread -o program "$bench/micro/threads.c" $LDFLAGS; }
run() { exec $launch "$program" 1 25000000; }
