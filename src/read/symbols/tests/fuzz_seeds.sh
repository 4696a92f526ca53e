#!/bin/sh
# fuzz_seeds.sh FOLDER: small programs of several kinds, made by $CC, to begin to mutate.
set -eu
cd "$1"
cat >p.c <<'EOF'
static volatile int no;
__attribute__((noinline, noclone)) static int leaf(int x) { return x + no; }
__attribute__((noinline, noclone)) int twice(int x) { return leaf(x) + leaf(x + 1); }
__attribute__((noinline, noclone)) int again(int x) { return x > 0 ? again(x - 1) + twice(x) : 0; }
void _start(void) { again(3); for (;;); }
EOF
cc="${CC:-cc} -nostdlib p.c"
$cc -O2 -g -static -Wl,--build-id -o static
$cc -O1 -g -gz -fPIC -shared -o shared
$cc -O2 -finstrument-functions -fPIC -shared -o cyg
$cc -O2 -fno-plt -pg -fPIC -shared -o mcount
rm p.c
