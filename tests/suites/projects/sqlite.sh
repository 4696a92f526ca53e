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

# File by file, those that say most of what SQLite does; with $long the 300,000 tests of extraquick.test in one process.  Of tests named in
# $tests the files that they are in run.  Some make as many tests as their random numbers say, so these are made the same each time.
run() {
    cp -rs "$(source_of sqlite3)" source
    sed -i '1i expr srand(1)' source/test/tester.tcl
    [ -z "$long" ] || [ -n "$tests" ] || exec "$program" source/test/extraquick.test
    files=$(echo "$tests" | sed 's/: .*//' | sort -u)
    [ -n "$files" ] || files=$(cd source/test && ls select*.test where*.test join*.test trans*.test savepoint*.test trigger*.test thread*.test)
    for file in $files; do
        "$program" "$(find -L source -name "$file")" || true
        echo "Time: $file"
    done
}
