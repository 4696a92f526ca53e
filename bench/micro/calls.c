/* Many calls of tiny functions: the price of a call, and of little else.
   Prints a sum, so that nothing can be left out. */

#include <stdio.h>
#include <stdlib.h>

static unsigned state = 1;

__attribute__((noinline)) static unsigned step(unsigned x)
{
    return x * 1664525u + 1013904223u;
}

__attribute__((noinline)) static unsigned mix(unsigned x)
{
    return step(x ^ (x >> 15));
}

__attribute__((noinline)) static unsigned pick(unsigned x)
{
    return (x & 1) ? mix(x) : step(x);
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 1;
    unsigned long sum = 0;

    for (long i = 0; i < rounds; i++) {
        state = pick(state);
        sum += state;
    }
    printf("%lu\n", sum);
    return 0;
}
