# PostgreSQL, asked by its own pgbench over four connections at once, each of which has a backend, a process that the server forks.
title="PostgreSQL, pgbench"
packages=$(apt-cache depends postgresql | sed -n 's/^ *Depends: \(postgresql-[0-9]*\)$/\1/p')
needs="bison flex perl unshare:util-linux"

# It does not run as root: as nobody, whom each machine knows, in a namespace where that one has root's files.
as_user=
[ "$(id -u)" != 0 ] || as_user='unshare --user --map-user=65534 --'

# The source in the current folder, which will be installed in $prepared.
configure_source() {
    cp -a "$(source_of "$packages")/." source
    (cd source && ./configure --quiet --prefix="$prepared/installed" --without-readline --without-zlib --without-icu \
        CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS")
    make -C source/src/backend -j2 generated-headers
}

# Who asks, what the server loads, and its tables are made once, without hooks.
prepare() {
    CC=cc CFLAGS=-O LDFLAGS='' configure_source
    for part in common port timezone backend backend/snowball include interfaces/libpq fe_utils bin/initdb bin/psql bin/pgbench pl/plpgsql; do
        make -C "source/src/$part" -j2 install prefix="$PWD/installed"
    done
    rm -rf source
    $as_user installed/bin/initdb --pgdata=data --username=postgres --auth=trust --no-locale --encoding=UTF8 --no-sync
    printf "listen_addresses = ''\nautovacuum = off\nfsync = off\n" >>data/postgresql.conf
    bin=$PWD/installed/bin
    serve $as_user "$bin/postgres" -D data
    ask pgbench --initialize --quiet --scale=2
    stop
}

# The server alone.
build() {
    configure_source
    make -C source/src/backend -j2 postgres
    mv source/src/backend/postgres program
    rm -rf source
}

# Its library is where it was installed, by another name of that folder.
ask() {
    client=$1
    shift
    LD_LIBRARY_PATH="$bin/../lib" "$bin/$client" --host="$PWD" --username=postgres "$@" postgres
}

# Run the server by COMMAND... until stop, as soon as it answers.
serve() {
    "$@" -k "$PWD" >log 2>&1 &
    until ask psql --command='select 1' >answer 2>&1; do sleep 0.1; done
}

stop() {
    kill "$(head -n 1 data/postmaster.pid)"
    wait $!
}

# The sums do not depend on the order in which the clients come.
run() {
    bin=$prepared/installed/bin
    cp -a "$prepared/data" data
    # shellcheck disable=SC2086
    serve $launch $as_user "$program" -D data
    ask pgbench --no-vacuum --random-seed=1 --client=4 --transactions=2000 >benchmark.log 2>&1
    ask pgbench --no-vacuum --random-seed=1 --client=4 --transactions=6000 --builtin=select-only >>benchmark.log 2>&1
    for query in 'select count(*), sum(delta) from pgbench_history' 'select sum(abalance) from pgbench_accounts' \
        'select tid, tbalance, count(*) from pgbench_tellers join pgbench_history using (tid) group by tid order by tid'; do
        ask psql --no-align --tuples-only --command="$query"
    done
    stop
    sed -n '/^aprof/p' log >&2      # what aprof run said is among what the server did
}
