# yaml-cpp: C++ with templates and virtual functions; a parser that reports by exceptions, tested with GoogleTest.
title="yaml-cpp"
packages=yaml-cpp
needs="cmake make gtest/gtest.h:libgtest-dev"
language=c++
results=gtest

build() {
    CFLAGS=$CFLAGS CXXFLAGS=$CXXFLAGS LDFLAGS=$LDFLAGS cmake -S "$(source_of yaml-cpp)" -B made -DCMAKE_BUILD_TYPE= \
        -DYAML_CPP_BUILD_TESTS=ON -DYAML_CPP_BUILD_TOOLS=OFF -DYAML_CPP_BUILD_CONTRIB=OFF -DINSTALL_GTEST=OFF
    make -C made -j"$(nproc)" yaml-cpp-tests
    mv made/test/yaml-cpp-tests program
    rm -rf made
}

run() {
    # By way cyg, which enters each small function of C++'s library, they make 9.5 million contexts.
    export APROF_MEMORY=2G
    [ -s "$tests" ] || exec "$program"
    exec "$program" "--gtest_filter=$(tr '\n' : <"$tests")"
}
