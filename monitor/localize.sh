#!/bin/sh
# localize.sh ARCHIVE OUTPUT: make one archive of one object, hidden symbols made local.
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ld -r --whole-archive "$1" -o "$work/all.o"
objcopy --localize-hidden "$work/all.o" "$work/aprof.o"
rm -f "$2"
ar rcs "$2" "$work/aprof.o"
