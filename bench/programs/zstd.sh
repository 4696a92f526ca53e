# zstd compressing 12 MB of source text with 4 workers, in jobs of 1 MB.
title="zstd, 4 workers"
packages="libzstd sqlite3"

prepare() {
    source=$(source_of sqlite3)
    find "$source" -type f \( -name '*.c' -o -name '*.h' -o -name '*.test' -o -name '*.tcl' \) |
        LC_ALL=C sort | xargs cat | head -c 12000000 >input
}

build() {
    source=$(source_of libzstd)
    libraries=-pthread
    set --
    for file in "$source"/lib/common/*.c "$source"/lib/compress/*.c \
                "$source"/lib/decompress/*.c "$source"/lib/dictBuilder/*.c; do
        set -- "$@" "$file"
    done
    for name in zstdcli zstdcli_trace util timefn fileio fileio_asyncio datagen benchfn benchzstd dibio; do
        set -- "$@" "$source/programs/$name.c"
    done
    compile_and_link -DZSTD_MULTITHREAD -DZSTD_DISABLE_ASM \
        -DXXH_NAMESPACE=ZSTD_ -DZSTD_LEGACY_SUPPORT=0 -pthread \
        -I"$source/lib" -I"$source/lib/common" -- "$@"
}

run() { exec $launch "$program" -q -f -T4 -12 -B1MiB -o out.zst "$prepared/input"; }

output() { cat out.zst; }
