# GNU awk: an interpreter with a lexer and parser of its own, pipes, sockets, sub-processes, and extensions that it loads with dlopen.
title="gawk"
packages=gawk
needs="cc:gcc make"
results=tap

prepare() { "$(source_of gawk)/configure" --disable-nls --disable-mpfr --disable-pma --without-readline >configure.log 2>&1; }

# The tests look for ../gawk and ../extension/.libs.
build() {
    cp -rp "$prepared/." .
    set -- CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS" LIBTOOL="./libtool --tag=CC"
    make -C support "$@"
    make gawk "$@"
    make -C extension "$@"
    ln gawk program
}

# A test is a target of make; what it printed stays as _TEST if it is not what it should be.
run() {
    cp -rp "${program%/*}/." .
    cd test
    names=$(cat "$tests")
    if [ -z "$names" ]; then
        names=$(make -pn | sed -nE 's/^(BASIC|UNIX|GAWK_EXT|LOCALE_CHARSET|SHLIB|MACHINE)_TESTS = //p' | tr ' ' '\n' | sort -u)
        echo "1..$(echo $names | wc -w)"
    fi
    for test in $names; do
        export APROF_OUT="${together:-$profiles/$test:%n.%p}"
        make -s "$test" abs_builddir="$PWD" abs_top_builddir="${PWD%/*}" >&2 || true
        if [ -e "_$test" ]; then echo "not ok - $test"; else echo "ok - $test"; fi
    done
}
