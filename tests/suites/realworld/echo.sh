# A server by libevent that sends back what it gets: echo.c.  libevent itself has hooks here; memcached's has none.
title="libevent, an echo server"
packages=libevent
needs="cmake python3"

build() {
    cmake -S "$(source_of libevent)" -B made -DCMAKE_BUILD_TYPE= -DEVENT__LIBRARY_TYPE=STATIC -DEVENT__DISABLE_OPENSSL=ON \
        -DEVENT__DISABLE_MBEDTLS=ON -DEVENT__DISABLE_TESTS=ON -DEVENT__DISABLE_BENCHMARK=ON -DEVENT__DISABLE_SAMPLES=ON
    make -C made -j2 event_core_static
    # shellcheck disable=SC2086
    $CC $CFLAGS -Imade/include -I"$(source_of libevent)/include" -o program "${recipe%.sh}.c" $LDFLAGS made/lib/libevent_core.a
}

run() {
    seq -w 1 400000 >questions
    $launch "$program" ./socket ./pid &
    until [ -S socket ]; do sleep 0.05; done
    for i in 1 2 3 4 5; do python3 "${recipe%/*}/ask.py" ./socket questions 20; done
    kill "$(cat pid)"
    wait $!
}
