# A program that ends with status 3, and says why.
title="failing"

build() {
    printf '#include <stdio.h>\nint main(void) { fprintf(stderr, "out of luck\\n"); return 3; }\n' >failing.c
    compile_and_link -- failing.c
}

run() { exec $launch "$program"; }
