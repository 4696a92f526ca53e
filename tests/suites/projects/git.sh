# git: commands that start each other, dozens in each test, with pipes between them and threads within.
title="git"
packages=git
needs="cc:gcc make perl zlib.h:zlib1g-dev"
results=tap

# Whether a command compares a file or believes what is known of it depends on whether that was written in the second in which the file was: by USE_NSEC
# in the nanosecond.
build() {
    cp -a "$(source_of git)/." .
    make -j"$(nproc)" CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS" USE_NSEC=1 NO_CURL=1 NO_EXPAT=1 NO_GETTEXT=1 NO_TCLTK=1 NO_PERL=1 NO_PYTHON=1 NO_OPENSSL=1
    ln git program
}

# A script has many tests, whose commands are one test here.
one_script() {
    APROF_OUT="${together:-$profiles/$1:%n.%p}" sh "./$1.sh" | sed -n "s/^\(not ok\|ok\) [0-9]* - /\1 - $1: /p"
}

# Without $long nine scripts, whose commands do in each run what they did in the last.  Of tests named in $tests the scripts that they are in run.
run() {
    cp -rp "${program%/*}/." .
    sed -i "s,/[^':]*\.new,$PWD,g" bin-wrappers/*          # they name the folder that it was built in
    cd t
    scripts=$(sed 's/: .*//' "$tests" | sort -u)
    if [ -z "$scripts" ]; then
        scripts=$(ls t[0-9]*.sh | sed 's/\.sh$//')
        [ -n "$long" ] || scripts=$(echo "$scripts" | grep -E '^t(0000|0040|1000|1006|1300|1450|3040|3301|6012)-')
    fi
    for script in $scripts; do one_script "$script"; done | tee ../results
    echo "1..$(grep -c '' ../results)"
}
