# The same without hooks; if the file NAMELESS is in the cache, half of its work is in code without a name.
title="sampled"
sampled=yes

build() {
    cat >made_up.c <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile unsigned sum;
__attribute__((noinline)) static void leaf(unsigned n) { while (n--) sum += n; }
/* dec %edi; jne to itself; ret */
static const unsigned char loop[] = { 0xff, 0xcf, 0x75, 0xfc, 0xc3 };
int main(int argc, char **argv)
{
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)argv;
    memcpy(code, loop, sizeof loop);
    for (int i = 0; i < 3000; i++) {
        leaf(40000);
        if (argc > 1)
            ((void (*)(unsigned))code)(200000);
    }
    printf("%u\n", sum);
    return 0;
}
END
    $CC $CFLAGS -o program made_up.c $LDFLAGS
}

run() {
    if [ -e "$cache/NAMELESS" ]; then set -- nameless; else set --; fi
    $launch "$program" "$@"
}
