# lz4 once more, as mold links it: lz4.sh has the rest.
. "${recipe%/*}/lz4.sh"
title="lz4, linked by mold"
needs="mold"

build() {
    cp -a "$(source_of lz4)/." source
    make -C source/lib liblz4.a CC="$CC" CFLAGS="$CFLAGS"
    make -C source/programs lz4 CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS -fuse-ld=mold"
    mv source/programs/lz4 program
}
