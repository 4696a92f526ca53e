# git: a history of its own sources, looked at, packed and checked; the commands that it starts are git's, too.
title="git"
packages=git

build() {
    cp -a "$(source_of git)/." source
    make -C source -j2 git CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS" NO_CURL=1 NO_EXPAT=1 NO_GETTEXT=1 NO_TCLTK=1 NO_PERL=1 NO_PYTHON=1 NO_OPENSSL=1
    mv source/git program
    ln -s ../program source/git
}

commit() {
    $launch "$program" add .
    GIT_AUTHOR_DATE="$1 +0000" GIT_COMMITTER_DATE="$1 +0000" $launch "$program" commit -q -m "commit $1"
}

run() {
    export GIT_EXEC_PATH="${program%/*}/source" GIT_CONFIG_NOSYSTEM=1 GIT_PAGER=cat GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@localhost \
        GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@localhost
    $launch "$program" init -q --template= -b main repository
    cp "$(source_of git)"/*.c repository
    cp -r "$(source_of git)/builtin" repository
    cd repository
    commit 1000000000
    for i in 1 2 3 4 5 6 7 8; do
        sed -i "$i~17s/int/int$i/" ./*.c builtin/*.c
        commit $((1000000000 + i))
    done
    $launch "$program" checkout -q -b side HEAD~4
    echo "/* side */" >>git.c
    commit 1000000100
    GIT_AUTHOR_DATE="1000000200 +0000" GIT_COMMITTER_DATE="1000000200 +0000" $launch "$program" merge -q -m merged main
    $launch "$program" log -p --stat --all | cksum
    $launch "$program" blame -C diff.c | cksum
    $launch "$program" diff --word-diff HEAD~3 | cksum
    $launch "$program" grep -n -E 'int[0-9]+ [a-z]+\(' | cksum
    $launch "$program" -c pack.threads=2 repack -q -adf --depth=50 --window=20
    $launch "$program" fsck --full
    $launch "$program" archive HEAD | cksum
    $launch "$program" rev-parse HEAD
}
