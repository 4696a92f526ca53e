# GNU awk running gawk/work.awk over SQLite's sources.
title="gawk, a script"
packages="gawk sqlite3"

prepare() {
    "$(source_of gawk)/configure" --disable-nls --disable-extensions --disable-mpfr --disable-pma --without-readline >configure.log 2>&1
    find "$(source_of sqlite3)/src" -name '*.c' | LC_ALL=C sort | xargs cat | head -c 2000000 >input
}

build() {
    source=$(source_of gawk)
    libraries="-lm -ldl"
    set --
    for name in array awkgram builtin cint_array command debug eval ext field floatcomp gawkapi gawkmisc int_array io main mpfr msg node \
                profile re replace str_array symbol version support/dfa support/getopt support/getopt1 support/localeinfo support/random \
                support/regex support/pma; do
        set -- "$@" "$source/$name.c"
    done
    compile_and_link -DGAWK -DHAVE_CONFIG_H '-DDEFPATH="."' '-DDEFLIBPATH="."' '-DSHLIBEXT="so"' '-DLOCALEDIR="."' \
        -I"$prepared" -I"$source" -I"$source/support" -- "$@"
}

run() {
    input=$prepared/input
    LC_ALL=C exec $launch "$program" -f "$bench/gawk/work.awk" "$input" "$input" "$input" "$input" "$input"
}
