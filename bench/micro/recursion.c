/* Recursion, direct and mutual: the calls whose history marks and unmarks.
   Prints a sum, so that nothing can be left out. */

#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static unsigned fib(unsigned n)
{
    unsigned first = n < 2 ? n : fib(n - 1);
    return n < 2 ? first : first + fib(n - 2);
}

static int odd(unsigned n);

__attribute__((noinline)) static int even(unsigned n)
{
    int result = n == 0 ? 1 : odd(n - 1);
    __asm__ volatile("" : "+r"(result)); /* no tail call */
    return result;
}

__attribute__((noinline)) static int odd(unsigned n)
{
    int result = n == 0 ? 0 : even(n - 1);
    __asm__ volatile("" : "+r"(result));
    return result;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    unsigned long sum = 0;

    for (int i = 0; i < rounds; i++)
        sum += fib(20) + (unsigned)even(10000u + (unsigned)i);
    printf("%lu\n", sum);
    return 0;
}
