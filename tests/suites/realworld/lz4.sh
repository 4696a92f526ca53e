# lz4's own command: compression at three levels, and back.
title="lz4"
packages="lz4 sqlite3"
# How often the writer of a queue looks whether it is full depends on who is first; lz4 has threads since 1.10.
counted="yes but isQueueFull"

# An archive of C sources: 40 MB, most of them twice, far apart.
prepare() {
    find "$(source_of sqlite3)/src" -name '*.c' | LC_ALL=C sort | xargs cat >once
    cat once once once once >input
}

build() {
    cp -a "$(source_of lz4)/." source
    make -C source/lib liblz4.a CC="$CC" CFLAGS="$CFLAGS"
    make -C source/programs lz4 CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS"
    mv source/programs/lz4 program
}

run() {
    for level in 1 9 12; do
        $launch "$program" -q -$level "$prepared/input" $level.lz4
        $launch "$program" -q -d $level.lz4 $level
        cmp "$prepared/input" $level
    done
    cksum ./*.lz4
}
