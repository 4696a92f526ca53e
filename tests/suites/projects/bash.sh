# bash: forks, pipes, job control, traps and signals by the thousand, longjmp out of everything, and a malloc of its own.
title="bash"
packages=bash
needs="cc:gcc make"
results=tap

# What configure finds out is the same for all.
prepare() { "$(source_of bash)/configure" --cache-file=config.cache >configure.log 2>&1; }

build() {
    mkdir made helpers
    cp "$prepared/config.cache" made
    (cd made && unset CC CFLAGS LDFLAGS && "$(source_of bash)/configure" --cache-file=config.cache)
    make -C made -j"$(nproc)" CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS" CC_FOR_BUILD=gcc CFLAGS_FOR_BUILD= LDFLAGS_FOR_BUILD= \
        bash recho zecho printenv xcase
    mv made/recho made/zecho made/printenv made/xcase helpers
    mv made/bash program
    rm -rf made
}

# A test is a script that compares what the shell prints with what it should, as run-all does, and says here how that ended.
# Some look for files of the build.
run() {
    cp -r "$(source_of bash)/tests" tests
    cp "$(source_of bash)/y.tab.c" "$prepared/config.h" .
    cp config.h version.h
    ln -s "$program" bash
    export THIS_SH="$PWD/bash" BUILD_DIR="$PWD" TMPDIR="$PWD" BASH_TSTOUT="$PWD/output"
    export PATH=".:${program%/*}/helpers:$PATH"
    cd tests
    names=$(cat "$tests")
    [ -n "$names" ] || { names=$(echo run-* | sed 's/run-all//; s/run-minimal//; s/run-gprof//'); echo "1..$(echo $names | wc -w)"; }
    for test in $names; do
        if sh "$test" >&2; then echo "ok - $test"; else echo "not ok - $test"; fi
    done
}
