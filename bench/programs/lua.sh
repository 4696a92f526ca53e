# Lua 5.4 interpreting lua/work.lua.
title="Lua 5.4, a script"
packages=lua5.4
needs="dpkg-architecture:dpkg-dev"

# The header that debian/rules writes before it builds.
prepare() {
    printf '#define DEB_HOST_MULTIARCH "%s"\n' "$(dpkg-architecture -qDEB_HOST_MULTIARCH)" >lua5.4-deb-multiarch.h
}

build() {
    set --
    for file in "$(source_of lua5.4)"/src/*.c; do
        [ "${file##*/}" = luac.c ] || set -- "$@" "$file"
    done
    libraries=-lm
    # No seeds from clock and addresses: each run makes the same calls.
    compile_and_link -DLUA_USE_POSIX '-Dluai_makeseed(L)=0u' '-Dl_randomizePivot()=0u' -I"$prepared" -- "$@"
}

run() { exec $launch "$program" "$bench/lua/work.lua" 15; }
