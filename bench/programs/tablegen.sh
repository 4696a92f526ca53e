# LLVM's own llvm-tblgen, in C++, writing the table by which instructions of x86 are chosen: deep recursion over patterns.
title="LLVM's tablegen, x86"
packages=$(apt-cache depends clang | sed -n 's/^ *Depends: clang-\([0-9]*\)$/llvm-toolchain-\1/p')
language=c++
needs="cmake ninja:ninja-build python3"

build() {
    # The settings that aprof-c++ is started with are words.
    CC=$CC CXX=$CXX cmake -S "$(source_of "$packages")/llvm" -B made -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="$CFLAGS -DNDEBUG" \
        -DCMAKE_CXX_FLAGS_RELEASE="$CXXFLAGS -DNDEBUG" -DCMAKE_EXE_LINKER_FLAGS="$LDFLAGS" -DLLVM_TARGETS_TO_BUILD=X86 -DLLVM_ENABLE_ZLIB=OFF \
        -DLLVM_ENABLE_TERMINFO=OFF -DLLVM_ENABLE_LIBXML2=OFF -DLLVM_INCLUDE_TESTS=OFF -DLLVM_INCLUDE_BENCHMARKS=OFF -DLLVM_INCLUDE_EXAMPLES=OFF
    ninja -C made -j2 llvm-tblgen
    mv made/bin/llvm-tblgen program
    rm -rf made
}

run() {
    llvm=$(source_of "$packages")/llvm
    exec $launch "$program" -gen-dag-isel -I "$llvm/include" -I "$llvm/lib/Target/X86" "$llvm/lib/Target/X86/X86.td" -o table
}

output() { cksum <table; }
