# SQLite's own speedtest1 on a database in memory.
title="SQLite, speedtest1"
packages=sqlite3
needs="tclsh:tcl"

prepare() {
    "$(source_of sqlite3)/configure" --disable-tcl --disable-readline >configure.log 2>&1
    make sqlite3.c >make.log 2>&1
}

build() {
    libraries="-lm -lpthread"
    compile_and_link -DSQLITE_OMIT_LOAD_EXTENSION -I"$prepared" -- \
        "$prepared/sqlite3.c" "$(source_of sqlite3)/test/speedtest1.c"
}

run() { exec $launch "$program" --memdb --size 60; }

# The times that it prints are not its result.
output() { sed 's/ *[0-9]*\.[0-9]*s$//' stdout; }
