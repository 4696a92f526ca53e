# git: thousands of short processes that start one another, some with threads, from scripts of the shell and by pipes.
title="git"
packages=git
needs="cc:gcc make perl zlib.h:zlib1g-dev"
results=tap

# The tests look for what they test in the folder where it was made.
build() {
    cp -a "$(source_of git)/." made
    make -C made -j"$(nproc)" CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS" NO_CURL=1 NO_EXPAT=1 NO_GETTEXT=1 NO_TCLTK=1 NO_PYTHON=1 NO_OPENSSL=1
    find made -name '*.[ao]' -delete
    ln made/git program
}

# What a script of the shell prints, each test named with the script; the plan that it ends with goes to the sum of them.
one_script() {
    APROF_OUT="$profiles/$1:%n.%p" sh "./$1.sh" --no-bin-wrappers --no-chain-lint >"$TEST_OUTPUT_DIRECTORY/$1.tap" || true
    awk -v script="$1" '
        /^(not )?ok [0-9]/ {
            end = /^not/ ? "not ok" : "ok"
            skipped = / # TODO|^ok [0-9]+ # skip / ? " # SKIP" : ""
            sub(/^(not )?ok [0-9]+ (- |# skip )/, ""); sub(/ # TODO.*/, ""); gsub(/#/, "")
            print end " - " script ": " $0 skipped
        }
        /^1\.\.0/ { print "ok - " script ": all # SKIP" }' "$TEST_OUTPUT_DIRECTORY/$1.tap"
    sed -n 's/^1\.\.0.*/1/p; s/^1\.\.\([1-9][0-9]*\)$/\1/p' "$TEST_OUTPUT_DIRECTORY/$1.tap" >>"$TEST_OUTPUT_DIRECTORY/plans"
}

# Scripts, those on objects and trees, on lists of files, and on notes; with $long all, which take hours.  Of tests named in $tests the scripts
# that they are in run.
run() {
    export TEST_OUTPUT_DIRECTORY="$PWD"
    cd "${program%/*}/made/t"
    scripts=$(sed 's/: .*//' "$tests" | sort -u)
    if [ -z "$scripts" ]; then
        scripts=$(ls | sed -n 's/^\(t[0-9]*-.*\)\.sh$/\1/p')
        [ -n "$long" ] || scripts=$(echo "$scripts" | grep -E '^t(10|30|33)')
    fi
    for script in $scripts; do one_script "$script"; done
    echo "1..$(awk '{ sum += $1 } END { print sum }' "$TEST_OUTPUT_DIRECTORY/plans")"
}
