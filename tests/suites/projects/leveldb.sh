# LevelDB: C++ without exceptions, a thread that compacts beside those that write, tested with GoogleTest and by a program in C.
title="LevelDB"
packages=leveldb
needs="cmake make gtest/gtest.h:libgtest-dev gmock/gmock.h:libgmock-dev benchmark/benchmark.h:libbenchmark-dev"
language=c++
results=tap

# The tests that a program has are written down, PROGRAM:SUITE.TEST a line; c_test has no names for its own.
build() {
    CFLAGS=$CFLAGS CXXFLAGS=$CXXFLAGS LDFLAGS=$LDFLAGS cmake -S "$(source_of leveldb)" -B made -DCMAKE_BUILD_TYPE= -DLEVELDB_BUILD_TESTS=ON -DLEVELDB_BUILD_BENCHMARKS=OFF
    make -C made -j"$(nproc)"
    mv made/*_test .
    rm -rf made
    export BENCHMARK_FILTER='^$'
    for test in *_test; do
        [ "$test" != c_test ] || { echo "$test:all"; continue; }
        "./$test" --gtest_list_tests 2>/dev/null | awk -v test="$test" '/^[^ ]*\.$/ { suite = $1 } /^  / { print test ":" suite $1 }'
    done >names
    rm -f amon.out*
    ln db_test program
}

# Each test is a process of its own; without $long those of programs on one part of it.  One program has benchmarks beside its tests,
# which run as often as there is time; and its seeds are the time, if none is given.
run() {
    export BENCHMARK_FILTER='^$' TEST_TMPDIR="$PWD"
    names=$(cat "$tests")
    if [ -z "$names" ]; then
        names=$(cat "${program%/*}/names")
        [ -n "$long" ] || names=$(echo "$names" | grep -Ev '^(db_test|corruption|fault|recovery|issue|env|c_test|autocompact)|SkipTest.Concurrent[0-9]|Harness.Random')
        echo "1..$(echo $names | wc -w)"
    fi
    for test in $names; do
        if APROF_OUT="${together:-$profiles/$test:%n.%p}" "${program%/*}/${test%%:*}" "--gtest_filter=${test#*:}" --gtest_random_seed=1 >"$test" 2>&1; then echo "ok - $test"; else echo "not ok - $test"; fi
    done
}
