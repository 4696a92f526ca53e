# TeX typesetting "TeX: The Program", woven from its own source, eight times over.
title="TeX: The Program, 8 times"
packages="texlive-bin deb:texlive-base"
needs="make"

# TeX's Pascal becomes C by web2c, once: tex0.c, texini.c, tex-pool.c.
prepare() {
    mkdir build texmf
    off=
    for engine in etex aleph hitex ptex eptex uptex euptex luatex luajittex luahbtex luajithbtex mf mf-nowin mflua mflua-nowin \
                  mfluajit mfluajit-nowin mp pmp upmp pdftex xetex; do
        off="$off --disable-$engine"
    done
    cd build
    # shellcheck disable=SC2086
    "$(source_of texlive-bin)/configure" --disable-all-pkgs --enable-web2c --enable-tex $off --without-x \
        --disable-native-texlive-build --disable-multiplatform --disable-shared
    make
    make -C texk/kpathsea
    make -C texk/web2c tex weave
    cd ..
    dist=$(source_of deb:texlive-base)/usr/share/texlive/texmf-dist
    cp "$dist"/tex/plain/base/*.tex "$dist"/tex/plain/knuth-lib/*.tex "$dist"/tex/generic/hyphen/hyphen.tex \
        "$dist"/fonts/tfm/public/cm/*.tfm "$dist"/fonts/tfm/public/knuth-lib/*.tfm texmf
    : >texmf.cnf
    paths "$PWD"
    build/texk/web2c/weave "$(source_of texlive-bin)/texk/web2c/tex.web" || [ -s tex.tex ]
    eight_times
    build/texk/web2c/tex -ini -interaction=batchmode -jobname=tex plain '\dump'
}

# In the folder $1 TeX finds its files.
paths() {
    export TEXINPUTS=".:$1:$1/texmf" TFMFONTS="$1/texmf" TEXFORMATS="$1" TEXMFCNF="$1"
}

# The body of the woven file, what is between its macros and its index, again and again; on a day that never changes.
eight_times() {
    first=$(grep -n '^\\N1\.' tex.tex | cut -d: -f1)
    last=$(grep -n '^\\inx' tex.tex | cut -d: -f1)
    {
        printf '%s\n' '\year=2001 \month=9 \day=9 \time=0'
        head -n $((first - 1)) tex.tex
        for _ in 1 2 3 4 5 6 7 8; do
            sed -n "$first,$((last - 1))p" tex.tex
        done
        printf '%s\n' '\end'
    } >book.tex
}

build() {
    web2c="$(source_of texlive-bin)/texk/web2c"
    made=$prepared/build/texk/web2c
    libraries="$prepared/build/texk/kpathsea/.libs/libkpathsea.a -lm"
    set -- "$made/tex0.c" "$made/texini.c" "$made/tex-pool.c" "$web2c/texextra.c"
    for name in basechsuffix chartostring coredump eofeoln fprintreal input2int inputint openclose printversion \
                setupvar uexit usage version zround; do
        set -- "$@" "$web2c/lib/$name.c"
    done
    compile_and_link -DHAVE_CONFIG_H -I"$made" -I"$made/w2c" -I"$web2c" -I"$prepared/build/texk" \
        -I"$(source_of texlive-bin)/texk" -- "$@"
}

run() {
    paths "$prepared"
    exec $launch "$program" --progname=tex -interaction=batchmode book
}

output() { cat book.dvi; }
