# LAPACK: its own tests of eigenvalues and of linear equations, in double precision.
title="LAPACK, its tests"
packages=lapack
needs=gfortran
language=fortran

build() {
    cp -a "$(source_of lapack)/." source
    cd source
    cp make.inc.example make.inc
    set -- FC="$FC" CC=cc FFLAGS="$CFLAGS -frecursive" FFLAGS_NOOPT="$CFLAGS -O0 -frecursive" FFLAGS_DRV="$CFLAGS -frecursive" LDFLAGS="$LDFLAGS" TIMER=INT_CPU_TIME
    make -C BLAS/SRC -j2 "$@" double
    make -C SRC -j2 "$@" double
    make -C TESTING/MATGEN -j2 "$@" double
    make -C TESTING/EIG -j2 "$@" xeigtstd
    mv TESTING/EIG/xeigtstd ../program
    mkdir ../inputs
    cp TESTING/*.in ../inputs
    cd ..
    rm -rf source
}

run() {
    for input in nep sep svd dgg; do
        $launch "$program" <"${program%/*}/inputs/$input.in" >$input.out
        grep -h "passed\|failed" $input.out
    done
}
