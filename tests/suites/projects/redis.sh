# Redis: an event loop, threads beside it, forks that save, and an interpreter within; servers that are started, asked and ended from Tcl.
title="Redis"
packages=redis
needs="cc:gcc make tclsh:tcl lzf.h:liblzf-dev"
results=tap

# What is drawn by lot is the same each time, in the server and in its tests.
build() {
    cp -a "$(source_of redis)/." .
    sed -i 's/\(srand\|srandom\|init_genrand64\)(.*getpid().*);/\1(1);/; s/getRandomBytes(hashseed,/memset(hashseed,1,/' src/server.c
    sed -i '/^package require/i expr srand(1)' tests/test_helper.tcl
    make -C src -j"$(nproc)" MALLOC=libc USE_SYSTEMD=no BUILD_TLS=no CC="$CC" OPTIMIZATION= CFLAGS="$CFLAGS -I/usr/include/liblzf" LDFLAGS="$LDFLAGS -llzf"
    ln src/redis-server program
}

# A file of tests, named by folder and file, unit:type:list; it is a test of its own, that it came to its end.
one_file() {
    file=$(echo "$1" | tr : /)
    end="not ok"
    APROF_OUT="${together:-$profiles/$1:%n.%p}" tclsh tests/test_helper.tcl --single "$file" --clients 1 >"$1.log" && end=ok
    sed -n "s/#//g; s,^\[ok\]: \(.*\) ([0-9]* ms)$,ok - $1: \1,p; s,^\[err\]: \(.*\) in tests/.*,not ok - $1: \1,p; s,^\[\(skip\|ignore\)\]: \(.*\),ok - $1: \2 # SKIP,p" "$1.log"
    echo "$end - $1: all"
}

# Without $long eleven that take a minute or two together.  Of tests named in $tests the files that they are in run.
run() {
    cp -rp "${program%/*}/tests" tests
    ln -s "${program%/*}/src" "${program%/*}/utils" .
    files=$(sed 's/: .*//' "$tests" | sort -u)
    if [ -z "$files" ]; then
        files=$(tclsh tests/test_helper.tcl --list-tests | tr / :)
        [ -n "$long" ] || files=$(echo "$files" | grep -E '^unit:(type:(incr|string|hash|set|zset)|keyspace|sort|protocol|bitops|bitfield|pubsub)$')
    fi
    for file in $files; do one_file "$file"; done | tee results
    echo "1..$(grep -c '' results)"
}
