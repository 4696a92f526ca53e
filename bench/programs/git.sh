# git: a sample of its own tests, in which a shell executes some thousands of gits that live a millisecond or two.
title="git, a sample of its tests"
packages=git
needs="zlib.h:zlib1g-dev"

build() {
    cp -a "$(source_of git)/." source
    make -C source -j2 CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS" NO_CURL=1 NO_EXPAT=1 NO_GETTEXT=1 NO_OPENSSL=1 NO_PERL=1 NO_PYTHON=1 NO_TCLTK=1 all
    cp source/git program
}

# Each git leaves a profile of its own, outside the folders that the tests look at.
run() {
    here=$PWD
    test -z "${APROF_OUT-}" || export APROF_OUT="$here/amon.out.%p"
    cd "${program%/*}/source/t"
    for test in t3200-branch t1300-config t1400-update-ref; do
        "./$test.sh" --root="$here/trash" --no-bin-wrappers
    done
}
output() { grep -c '^ok' stdout; }
