# memcached with two threads, asked over ten connections at once.
title="memcached"
packages=memcached
needs="event2/event.h:libevent-dev python3"

build() {
    cp -a "$(source_of memcached)/." source
    (cd source && ./configure --quiet --disable-coverage CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS")
    make -C source -j2 memcached ACLOCAL=: AUTOMAKE=: AUTOCONF=: AUTOHEADER=:
    mv source/memcached program
}

# Every connection has keys of its own, so that the answers are the same in whichever order they are served.
questions() {
    awk 'BEGIN {
        for (i = 0; i < 20000; i++) {
            value = sprintf("%0*d", 10 + i % 500, i)
            printf "set key@.%d 0 0 %d\r\n%s\r\nget key@.%d key@.%d\r\n", i, length(value), value, i % 977, i
            printf "set n@ 0 0 1\r\n7\r\nincr n@ %d\r\nappend key@.%d 0 0 3\r\nend\r\n", i, i
            if (i % 3 == 0) printf "delete key@.%d\r\n", i - 1
        }
        printf "quit\r\n"
    }'
}

run() {
    questions >questions
    $launch "$program" -s ./socket -u root -t 2 -m 1024 -P "$PWD/pid" &
    until [ -S socket ] && [ -s pid ]; do sleep 0.05; done
    python3 "${recipe%/*}/ask.py" ./socket questions 10
    kill "$(cat pid)"
    wait $!
}
