# libuv: threads, forks, signals, pipes and sockets.  Each test is a process of its own, and many start more.
title="libuv"
packages=libuv1
needs="cmake make"
results=tap

build() {
    CFLAGS=$CFLAGS LDFLAGS=$LDFLAGS cmake -S "$(source_of libuv1)" -B made -DCMAKE_BUILD_TYPE= -DBUILD_TESTING=ON
    make -C made -j"$(nproc)" uv_run_tests_a
    mv made/uv_run_tests_a program
    rm -rf made
}

# The tests look for their files in the folder test; a test that is named runs by itself.
run() {
    ln -s "$(source_of libuv1)/test" test
    [ -s "$tests" ] || exec "$program"
    for test in $(cat "$tests"); do
        "$program" "$test" || true
    done
}
