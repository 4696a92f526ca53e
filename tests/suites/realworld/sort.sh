# sort, as the system has it: stripped, and most of its time is in libc.
title="sort, as Debian has it"
sampled=yes

prepare() { awk 'BEGIN { for (x = i = 1; i <= 1500000; i++) { x = (x * 16807) % 2147483647; printf "%d %x %d\n", x, i * 7919 % 65536, i } }' >input; }

build() { cp "$(command -v sort)" program; }

run() {
    for key in 1 2,2; do LC_ALL=C $launch "$program" --parallel=1 -S 512M -k $key "$prepared/input" >sorted && cksum <sorted; done
}
