# GNU Pth: threads of its own in user space, each on a stack that swapcontext switches to, signals and I/O among them.
title="GNU Pth"
packages=pth
needs="cc:gcc make"
results=tap

build() {
    mkdir made
    (cd made && unset CC CXX CFLAGS CXXFLAGS LDFLAGS && "$(source_of pth)/configure" --disable-shared)
    make -C made LIBTOOL="./libtool --tag=CC" CC="$CC" CFLAGS="$CFLAGS -I$(source_of pth)" LDFLAGS="$LDFLAGS" \
        pth_p.h libpth.la test_std test_misc test_uctx
    mv made/test_misc made/test_uctx .
    mv made/test_std program
    rm -rf made
}

# A test is a program.
run() {
    names=$(cat "$tests")
    [ -n "$names" ] || { names="std misc uctx"; echo "1..3"; }
    for test in $names; do
        case $test in std) command=$program ;; *) command=${program%/*}/test_$test ;; esac
        if "$command" </dev/null >"$test" 2>&1; then echo "ok - $test"; else echo "not ok - $test"; fi
    done
}
