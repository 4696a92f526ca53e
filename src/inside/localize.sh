#!/bin/sh
# localize.sh ARCHIVE OUTPUT: make one archive of one object, hidden symbols made local.  Its code goes into a section of its own, so that
# it is known wherever it is linked: the linker names the ends of such a section.
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ld -r --whole-archive "$1" -o "$work/all.o"
objcopy --localize-hidden $(objdump -h "$work/all.o" | sed -n 's/^ *[0-9]* *\(\.text[^ ]*\) .*/--rename-section \1=aprof_text/p') "$work/all.o" "$work/aprof.o"
rm -f "$2"
ar rcs "$2" "$work/aprof.o"
