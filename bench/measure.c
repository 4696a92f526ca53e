/* measure RESULT PROGRAM [ARGS...]: run a program and write what it cost.

   A process of its own does this, not the script that asks for it, because the
   peak of a child's memory begins with that of the process that forked it: a
   script's interpreter would be counted in.  The address space is not
   randomised (as by setarch -R), so that runs differ in less.

   RESULT gets one line of JSON: user and system CPU seconds of the program and
   of the children that it waited for, elapsed seconds, the largest resident
   size of any of them in KiB, and the exit status (128 + N for a signal N).
   The status of measure itself is 0 unless it could not measure. */

#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int fail(const char *what)
{
    fprintf(stderr, "measure: %s: %s\n", what, strerror(errno));
    return 2;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static double elapsed(struct timespec from, struct timespec to)
{
    return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
}

/* Replace this process by the program; where personality() is forbidden, as in
   some containers, it runs with a random layout. */
static _Noreturn void become(char **argv)
{
    personality(ADDR_NO_RANDOMIZE);
    execvp(argv[0], argv);
    _exit(fail(argv[0]) + 125);
}

static bool report(const char *path, const struct rusage *used, double wall, int status)
{
    FILE *out = fopen(path, "w");
    if (out == NULL)
        return false;
    fprintf(out, "{\"user\": %.6f, \"system\": %.6f, \"wall\": %.6f, \"rss_kib\": %ld, \"status\": %d}\n",
            seconds(used->ru_utime), seconds(used->ru_stime), wall, used->ru_maxrss,
            WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    return fclose(out) == 0;
}

int main(int argc, char **argv)
{
    struct timespec begin, end;
    struct rusage used;
    int status;

    if (argc < 3) {
        fprintf(stderr, "usage: measure RESULT PROGRAM [ARGS...]\n");
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pid_t child = fork();
    if (child < 0)
        return fail("fork");
    if (child == 0)
        become(argv + 2);
    if (wait4(child, &status, 0, &used) < 0)
        return fail("wait4");
    clock_gettime(CLOCK_MONOTONIC, &end);
    return report(argv[1], &used, elapsed(begin, end), status) ? 0 : fail(argv[1]);
}
