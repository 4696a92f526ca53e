#!/bin/sh
# recipe.sh STEP RECIPE: run one step of a program's recipe.
#
# A recipe (programs/NAME.sh) is a shell file that sets variables and defines
# functions; README.md describes them.  This driver gives the defaults, so that
# a recipe says only what is its own, and turns the variables into lines
# NAME=VALUE for bench/run.  Steps:
#
#   describe        print the variables
#   prepare         in $prepared: make what all variants share
#   build           in the current, empty folder: make ./program by $CC $CFLAGS
#   run             replace this shell by the program, launched by $launch
#   output          in the folder of a run: print what must be equal to bare's
set -eu

step=$1
recipe=$2

title=
packages=
needs=
uses=
language=c
results=
counted=
sampled=

prepare() { :; }
output() { cat stdout; }

# The unpacked source of a package that the recipe names in $packages.
source_of() { readlink -f "$cache/source/$1/unpacked"; }

# What another recipe's prepare step made; the recipe names it in $uses.
prepared_by() { readlink -f "$cache/prepared/$1/current"; }

# compile_and_link FLAGS... -- FILE...: the common way to build a C program.
compile_and_link() {
    flags=
    while [ "$1" != -- ]; do flags="$flags $1"; shift; done
    shift
    # The flags of a variant are words; none holds a blank.
    # shellcheck disable=SC2086
    for file in "$@"; do
        object=$(echo "${file##*/}" | sed 's/\.[^.]*$//').o
        $CC $CFLAGS $flags -c -o "$object" "$file"
    done
    # shellcheck disable=SC2086
    $CC $CFLAGS -o program ./*.o $LDFLAGS ${libraries-}
}

. "$recipe"

case $step in
describe)
    printf 'title=%s\npackages=%s\nneeds=%s\nuses=%s\nlanguage=%s\nresults=%s\ncounted=%s\nsampled=%s\n' \
        "$title" "$packages" "$needs" "$uses" "$language" "$results" "$counted" "$sampled" ;;
prepare | build | run | output) "$step" ;;
*) echo "recipe.sh: no step named $step" >&2; exit 2 ;;
esac
