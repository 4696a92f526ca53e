# tcc compiling SQLite 20 times in one process.  The source is preprocessed
# once, by the system's compiler posing as one that has none of GNU's builtins.
title="tcc, 20 times sqlite3.c"
packages=tcc
uses=sqlite

prepare() {
    "$(source_of tcc)/configure" >configure.log 2>&1 || "$(source_of tcc)/configure"
    cc -E -P -U__GNUC__ -U__SSE2__ -D__TINYC__ "$(prepared_by sqlite)/sqlite3.c" >sqlite3.c
}

build() {
    source=$(source_of tcc)
    libraries="-lm -ldl -lpthread"
    set --
    for name in tcc libtcc tccpp tccgen tccelf tccasm tccrun x86_64-gen x86_64-link i386-asm; do
        set -- "$@" "$source/$name.c"
    done
    compile_and_link -DONE_SOURCE=0 -DTCC_TARGET_X86_64 -I"$prepared" -I"$source" -- "$@"
}

run() {
    set -- $(seq 20 | sed "s|.*|$prepared/sqlite3.c|")
    exec $launch "$program" -c "$@"
}

output() { cat stdout sqlite3.o; }
