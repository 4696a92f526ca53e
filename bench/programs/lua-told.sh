# Lua 5.4 that tells aprof of its functions and of the instructions that it executes (lua-told/told.patch), interpreting lua/work.lua.  Built with hooks
# its C routines and its scripts' functions are one profile; without it is a Lua.
title="Lua 5.4 that tells of its scripts"
packages=lua5.4
uses=lua
needs=patch

prepare() {
    cp -r "$(source_of lua5.4)/src" src
    patch -d src -p1 <"$bench/lua-told/told.patch"
}

build() {
    set --
    for file in "$prepared"/src/*.c; do
        [ "${file##*/}" = luac.c ] || set -- "$@" "$file"
    done
    libraries=-lm
    compile_and_link -DLUA_USE_POSIX '-Dluai_makeseed(L)=0u' '-Dl_randomizePivot()=0u' -I"$(prepared_by lua)" -I"$bench/../src/contract" -- "$@"
}

run() { exec $launch "$program" "$bench/lua/work.lua" 15; }
