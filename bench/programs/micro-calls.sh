# 87 million calls of tiny functions: 34.8 M rounds of pick, step and, for
# every second number, mix.
title="87 M calls of tiny functions"

build() { $CC $CFLAGS -o program "$bench/micro/calls.c" $LDFLAGS; }
run() { exec $launch "$program" 34800000; }
