# SWI-Prolog finding all solutions of the 12 queens.
title="SWI-Prolog, 12 queens"
packages=swi-prolog
needs="cmake ninja:ninja-build"

options="-DCMAKE_BUILD_TYPE=None -DSWIPL_PACKAGES=OFF -DSWIPL_SHARED_LIB=OFF -DUSE_GMP=OFF -DUSE_TCMALLOC=OFF
    -DBUILD_TESTING=OFF -DINSTALL_DOCUMENTATION=OFF -DMULTI_THREADED=OFF"

# The library and the boot file, which a plain build of it compiles.
prepare() {
    mkdir build
    # shellcheck disable=SC2086
    CFLAGS=-O2 cmake -S "$(source_of swi-prolog)" -B build -G Ninja $options
    ninja -C build swipl prolog_home core_boot core_library bootfile
    cp -rL build/home home
}

build() {
    # shellcheck disable=SC2086
    CC=${CC%% *} CFLAGS="$CFLAGS" cmake -S "$(source_of swi-prolog)" -B build -G Ninja $options \
        -DCMAKE_C_FLAGS="${CC#"${CC%% *}"} $CFLAGS" -DCMAKE_EXE_LINKER_FLAGS="$LDFLAGS"
    ninja -C build swipl
    mv build/src/swipl program
    rm -rf build
}

run() { exec $launch "$program" --home="$prepared/home" -q -f none -t halt -g "queens(12, N), print(N), nl" "$bench/swipl/queens.pl"; }
