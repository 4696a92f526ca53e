# Jsonnet, an interpreter in C++ (virtual visitors of trees, maps and vectors of all kinds, errors thrown through
# many frames), evaluating the programs of its own test suite, a third of which are to fail.
title="Jsonnet, its test suite"
packages=jsonnet
language=c++

# The standard library, which the interpreter holds as a string.
prepare() {
    {
        od -v -An -t u1 "$(source_of jsonnet)/stdlib/std.jsonnet" | tr -s ' \n' '\n' | grep . | tr '\n' ,
        echo 0
    } >std.jsonnet.h
}

build() {
    source=$(source_of jsonnet)
    yaml=$source/third_party/rapidyaml/rapidyaml
    CC=$CXX
    set --
    for name in desugarer formatter lexer libjsonnet parser pass static_analysis string_utils vm; do
        set -- "$@" "$source/core/$name.cpp"
    done
    compile_and_link -std=c++11 -I"$prepared" -I"$source/include" -I"$source/third_party/md5" -I"$source/third_party/json" \
        -I"$yaml/src" -I"$yaml/ext/c4core/src" -- \
        "$@" "$source/third_party/md5/md5.cpp" "$yaml"/src/c4/yml/*.cpp "$yaml"/ext/c4core/src/c4/*.cpp "$bench/jsonnet/evaluate.c"
}

run() {
    ln -s "$(source_of jsonnet)/test_suite" test_suite
    exec $launch "$program" 1 test_suite/*.jsonnet
}
