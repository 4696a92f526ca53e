# The one true awk: the script of the bench's gawk, over SQLite's sources.
title="One true awk"
packages="original-awk sqlite3"
needs="bison"
counted=yes

prepare() { find "$(source_of sqlite3)/src" -name '*.c' | LC_ALL=C sort | xargs cat >input; }

build() {
    cp -a "$(source_of original-awk)/." source
    make -C source CC="$CC" HOSTCC=gcc CFLAGS="$CFLAGS" ALLOC="$CFLAGS $LDFLAGS"
    mv source/a.out program
}

# It has no strtonum; gawk's is that of a number in octal, decimal or hexadecimal.
run() {
    sed 's/strtonum(/length(/' "$bench/gawk/work.awk" >work.awk
    $launch "$program" -f work.awk "$prepared/input" "$prepared/input"
}
