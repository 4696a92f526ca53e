/* threads THREADS ROUNDS: the same calls in each of so many threads at once.
   With as many processors as threads the elapsed time is that of one thread,
   unless the hooks write to memory that threads share. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS_MAX = 64 };

struct work {
    long rounds;       /* calls of pick to make */
    unsigned long sum; /* of what pick gave */
};

__attribute__((noinline)) static unsigned step(unsigned x)
{
    return x * 1664525u + 1013904223u;
}

__attribute__((noinline)) static unsigned pick(unsigned x)
{
    return step(x) ^ (x >> 15);
}

static void *run(void *argument)
{
    struct work *work = argument;
    unsigned state = 1;
    unsigned long sum = 0;

    for (long i = 0; i < work->rounds; i++) {
        state = pick(state);
        sum += state;
    }
    work->sum = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    static struct work work[THREADS_MAX];
    pthread_t threads[THREADS_MAX];
    int n = argc > 1 ? atoi(argv[1]) : 1;
    unsigned long sum = 0;

    if (n < 1 || n > THREADS_MAX)
        return 2;
    for (int i = 0; i < n; i++) {
        work[i].rounds = argc > 2 ? atol(argv[2]) : 1;
        if (pthread_create(&threads[i], NULL, run, &work[i]) != 0)
            return 2;
    }
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
        sum += work[i].sum;
    }
    printf("%lu\n", sum);
    return 0;
}
