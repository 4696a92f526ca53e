# libxml2's xmllint: parsing, a tree and its text, XPath, canonical XML, a streaming reader, HTML.
title="libxml2, xmllint"
packages=libxml2
counted=yes

# Its own manual's description of the library, 1 MB, many times in one document.
prepare() {
    {
        echo '<?xml version="1.0"?><all>'
        for i in 1 2 3 4 5 6 7 8; do sed 1d "$(source_of libxml2)/doc/libxml2-api.xml"; done
        echo '</all>'
    } >all.xml
    cat "$(source_of libxml2)"/doc/API*.html >all.html
}

build() {
    cp -a "$(source_of libxml2)/." source
    # Its hash tables are seeded by the time where there is rand.
    (cd source && ac_cv_func_rand=no ac_cv_func_srand=no ./configure --quiet --disable-shared --without-python --without-lzma --without-zlib --without-icu CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS")
    # The patches of Debian are younger than what Automake made.
    make -C source -j2 xmllint ACLOCAL=: AUTOMAKE=: AUTOCONF=: AUTOHEADER=:
    mv source/xmllint program
}

run() {
    $launch "$program" --format "$prepared/all.xml" | cksum
    $launch "$program" --c14n "$prepared/all.xml" | cksum
    $launch "$program" --xpath 'count(//function[arg/@type="xmlNodePtr"]) + count(//*[@file="tree"])' "$prepared/all.xml"
    $launch "$program" --stream --noout "$prepared/all.xml"
    $launch "$program" --html --recover "$prepared/all.html" 2>/dev/null | cksum
    $launch "$program" --huge --noout --pattern '//function/arg' "$prepared/all.xml" | cksum
}
