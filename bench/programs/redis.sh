# A Redis server, asked by its own redis-benchmark over a socket.
title="Redis, redis-benchmark"
packages=redis
needs="make lzf.h:liblzf-dev"

flags="MALLOC=libc USE_SYSTEMD=no BUILD_TLS=no"

# Who asks is built once, without hooks.
prepare() {
    cp -a "$(source_of redis)/." source
    # shellcheck disable=SC2086
    make -C source/src -j2 $flags OPTIMIZATION=-O2 CFLAGS=-I/usr/include/liblzf LDFLAGS=-llzf redis-benchmark redis-cli >make.log 2>&1
}

build() {
    cp -a "$(source_of redis)/." source
    # shellcheck disable=SC2086
    make -C source/src $flags CC="$CC" OPTIMIZATION= CFLAGS="$CFLAGS -I/usr/include/liblzf" LDFLAGS="$LDFLAGS -llzf" redis-server
    mv source/src/redis-server program
    rm -rf source
}

run() {
    ask=$prepared/source/src
    $launch "$program" --port 0 --unixsocket ./socket --save '' --appendonly no --daemonize no --pidfile ./pid >server.log &
    until [ -S socket ]; do sleep 0.05; done
    "$ask/redis-benchmark" -s ./socket -n 100000 -r 5000 -P 16 -q >benchmark.log 2>&1
    "$ask/redis-cli" -s ./socket EVAL 'for i = 1, 200000 do redis.call("ZADD", "z", i % 977, i % 10007) end; return redis.call("ZCARD", "z")' 0
    kill "$(cat pid)"
    wait $!
}
