# SQLite: C, with its own tests in Tcl, and the whole of its test harness instrumented too.
title="SQLite"
packages=sqlite3
needs="cc:gcc make tclsh:tcl tcl.h:tcl-dev zlib.h:zlib1g-dev"
results=sqlite

# What is configured and generated is the same for all.
prepare() {
    "$(source_of sqlite3)/configure" --enable-all --disable-readline --disable-shared >configure.log 2>&1
    make sqlite3.c >make.log 2>&1
}

build() {
    cp -rp "$prepared/." made
    make -C made CC="$CC" CFLAGS="$CFLAGS -DSQLITE_OS_UNIX=1" LDFLAGS="$LDFLAGS" testfixture
    mv made/testfixture program
    rm -rf made
}

# Some 250,000 tests, with $long the slower ones too.  They depend on what ran before, so none runs alone.
run() { exec "$program" "$(source_of sqlite3)/test/${long:-extra}quick.test"; }
