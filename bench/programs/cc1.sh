# GCC's own compiler proper compiling tcc's largest file: about a million contexts.  The one that takes long: the first
# preparation some ten minutes of a processor, each variant some twenty more.
title="GCC 12's cc1, -O3"
packages="gcc-12 tcc"
uses=tcc
needs="make gmp.h:libgmp-dev mpfr.h:libmpfr-dev mpc.h:libmpc-dev"

# What GCC generates from its machine descriptions, by generators that no variant slows down.
generated="insn-attrtab.cc insn-automata.cc insn-dfatab.cc insn-emit.cc insn-extract.cc insn-latencytab.cc insn-opinit.cc
    insn-output.cc insn-peep.cc insn-preds.cc insn-recog.cc insn-enums.cc insn-modes.cc options.cc options-save.cc
    gimple-match.cc generic-match.cc gtype-desc.cc build/genchecksum"

prepare() {
    mkdir source build
    tar -x -f "$(source_of gcc-12)"/gcc-12*.tar.xz -C source --strip-components=1
    cd build
    CFLAGS=-O2 CXXFLAGS=-O2 ../source/configure --enable-languages=c --disable-bootstrap --disable-multilib --disable-nls \
        --disable-lto --disable-plugin --disable-shared --disable-libssp --disable-libquadmath --disable-libgomp \
        --disable-libatomic --disable-libitm --disable-libsanitizer --disable-libvtv --disable-libcc1 \
        --enable-checking=release --without-isl --without-zstd --disable-gcov
    make MAKEINFO=true all-libiberty all-libcpp all-libdecnumber all-libbacktrace all-libcody all-zlib all-build-libiberty \
        all-build-libcpp configure-gcc
    # Any object of GCC's waits for all generated headers.
    # shellcheck disable=SC2086
    make -C gcc CFLAGS=-O2 CXXFLAGS=-O2 main.o $generated
    rm gcc/main.o
    cd ..
    cc -E -DONE_SOURCE=0 -DTCC_TARGET_X86_64 -I"$(prepared_by tcc)" -I"$(source_of tcc)" "$(source_of tcc)/tccgen.c" >input.i
}

# GCC's own parts and its preprocessor library are built anew, with the variant's flags at compile and link.
build() {
    ln -s "$prepared/source" source
    cp -a "$prepared/build" build
    rm -f build/libcpp/*.o build/libcpp/*.a
    for part in libcpp gcc; do
        target=cc1
        [ "$part" = gcc ] || target=all
        make -C "build/$part" CC="$CC" CXX="$CXX" CFLAGS="$CFLAGS" CXXFLAGS="$CXXFLAGS" LDFLAGS="$LDFLAGS" $target
    done
    mv build/gcc/cc1 program
    rm -rf build
}

run() { exec $launch "$program" -quiet -O3 -o output.s "$prepared/input.i"; }

output() { cat stdout output.s; }
