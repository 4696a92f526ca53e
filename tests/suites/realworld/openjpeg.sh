# OpenJPEG: a picture compressed and read again by two threads, which wait for work from a queue.
title="OpenJPEG, 2 threads"
packages=openjpeg2
needs="cmake python3"

# Waves, edges and some noise, 1200 by 900.
prepare() {
    python3 - <<'EOF'
import math
width, height, noise, rows = 1200, 900, 1, bytearray()
for y in range(height):
    for x in range(width):
        noise = noise * 1103515245 + 12345 & 0x7fffffff
        wave = 100 + 60 * math.sin(x / 31) * math.cos(y / 17) + (40 if (x // 75 + y // 60) % 2 else 0)
        rows += bytes((int(wave) + (noise >> 16) % 16 & 255, int(wave * 0.8) & 255, int(wave * 0.6) + (noise >> 20) % 8 & 255))
open("picture.ppm", "wb").write(b"P6\n%d %d\n255\n" % (width, height) + rows)
EOF
}

build() {
    cmake -S "$(source_of openjpeg2)" -B made -DCMAKE_C_COMPILER="${CC%% *}" -DCMAKE_C_FLAGS="${CC#"${CC%% *}"} $CFLAGS" -DCMAKE_EXE_LINKER_FLAGS="$LDFLAGS" -DCMAKE_BUILD_TYPE=None \
        -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DBUILD_PKGCONFIG_FILES=OFF -DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON -DCMAKE_DISABLE_FIND_PACKAGE_TIFF=ON -DCMAKE_DISABLE_FIND_PACKAGE_LCMS2=ON \
        -DCMAKE_DISABLE_FIND_PACKAGE_LCMS=ON -DCMAKE_DISABLE_FIND_PACKAGE_JPEG=ON
    make -C made -j2 opj_compress
    mv made/bin/opj_compress program
    rm -rf made
}

run() {
    $launch "$program" -threads 2 -i "$prepared/picture.ppm" -o picture.jp2 -r 12,4,1 -n 5 >log
    cksum picture.jp2
}
