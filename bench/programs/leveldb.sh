# LevelDB's own db_bench: a database on disk, filled, read, compacted by a thread of its own.
title="LevelDB, db_bench"
packages=leveldb
language=c++
needs="cmake gtest/gtest.h:libgtest-dev gmock/gmock.h:libgmock-dev"

# Its makefiles look for what the machine has; the answers are all that is wanted of them.
prepare() { cmake -S "$(source_of leveldb)" -B . -DLEVELDB_BUILD_TESTS=OFF -DLEVELDB_BUILD_BENCHMARKS=OFF >cmake.log 2>&1; }

build() {
    source=$(source_of leveldb)
    CC=$CXX
    libraries="-lgtest -lgmock -pthread"
    [ ! -f "$prepared/CMakeCache.txt" ] || ! grep -q 'define HAVE_SNAPPY 1' "$prepared/include/port/port_config.h" || libraries="$libraries -lsnappy"
    set --
    for file in "$source"/db/*.cc "$source"/table/*.cc "$source"/util/*.cc; do
        case $file in *_test.cc | *_windows.cc | */leveldbutil.cc) ;; *) set -- "$@" "$file" ;; esac
    done
    compile_and_link -std=c++14 -fno-exceptions -fno-rtti -DLEVELDB_PLATFORM_POSIX=1 -DHAVE_CXX17_HAS_INCLUDE=1 -pthread \
        -I"$prepared/include" -I"$source/include" -I"$source" -- "$@" "$source/helpers/memenv/memenv.cc" "$source/benchmarks/db_bench.cc"
}

run() { exec $launch "$program" --db=./database --num=100000 --benchmarks=fillseq,fillrandom,overwrite,readrandom,readseq,readreverse,compact,seekrandom,deleterandom; }

# The times that it prints are not its result.
output() { sed -n 's/^\([a-z]*\) *:.*/\1/p' stdout; }
