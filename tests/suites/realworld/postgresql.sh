# PostgreSQL, asked by its own pgbench: a server that forks a process for each connection, and some for itself.
title="PostgreSQL, pgbench"
# Debian's sources are called postgresql-15 or another number.
packages=$(apt-cache depends postgresql | sed -n 's/.*Depends: \(postgresql-[0-9]*\)$/\1/p')
needs="make bison flex perl unshare:util-linux"

# It refuses root, who is another user in the eyes of what runs behind these words.
somebody=
[ "$(id -u)" -ne 0 ] || somebody="unshare --user --map-user=65534"

configured() {
    cp -a "$(source_of "$packages")/." source
    (cd source && ./configure --quiet --prefix="$prepared/installed" --without-readline --without-zlib --without-icu "$@")
    make -C source/src/backend -s generated-headers
}

# Who asks, what the server reads, and the files of an empty data base: made once, without hooks.
prepare() {
    configured CFLAGS=
    parts="backend backend/snowball timezone pl/plpgsql/src interfaces/libpq bin/initdb bin/psql bin/pgbench"
    # What is linked is to find its libraries at the final place.
    for part in $parts; do make -C "source/src/$part" -s -j2 all; done
    for part in $parts; do make -C "source/src/$part" -s install prefix="$PWD/installed"; done
    LD_LIBRARY_PATH=$PWD/installed/lib $somebody installed/bin/initdb -D data -U postgres -A trust --no-locale -E SQL_ASCII --no-sync
    rm -rf source
}

build() {
    configured CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS"
    make -C source/src/backend -s -j2 all
    mv source/src/backend/postgres program
    rm -rf source
}

run() {
    export PATH="$prepared/installed/bin:$PATH" PGHOST="$PWD" PGUSER=postgres
    cp -a "$prepared/data" data
    # shellcheck disable=SC2086
    $launch $somebody "$program" -D data -k "$PWD" -c listen_addresses= -c fsync=off &
    until psql -c 'SELECT 1' >/dev/null 2>&1; do sleep 0.05; done
    pgbench --initialize --quiet 2>pgbench.log
    pgbench --client=4 --jobs=2 --transactions=3000 --random-seed=7 >>pgbench.log 2>&1
    pgbench --client=2 --jobs=2 --transactions=10000 --random-seed=7 --no-vacuum --select-only --protocol=prepared >>pgbench.log 2>&1
    psql -c 'SELECT sum(abalance), min(abalance), max(abalance) FROM pgbench_accounts' -c 'SELECT count(*), sum(delta) FROM pgbench_history' \
        -c 'SELECT tid, count(*), sum(tbalance), sum(delta) FROM pgbench_history JOIN pgbench_tellers USING (tid) GROUP BY tid ORDER BY tid'
    kill "$(head -n 1 data/postmaster.pid)"
    wait $!
}
