# A suite of five tests.  One fails; one is skipped; one looks for aprof, as none should; one has another end at each third run.
title="made up"
results=tap

build() {
    cat >made_up.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int number;
__attribute__((noinline)) static int wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], name))
            return 1;
    return argc == 1;
}
/* Is a data file of aprof's among what is mapped here? */
__attribute__((noinline, no_instrument_function)) static int is_alone(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    int alone = 1;
    while (fgets(line, sizeof line, maps))
        alone &= !strstr(line, "amon.out");
    fclose(maps);
    return alone;
}
__attribute__((noinline)) static void test(const char *name, int ok, int argc, char **argv)
{
    if (wanted(name, argc, argv))
        printf("%sok %d - %s\n", ok ? "" : "not ", ++number, name);
}
int main(int argc, char **argv)
{
    const char *runs = getenv("RUNS");
    test("passes", 1, argc, argv);
    test("fails", 0, argc, argv);
    test("skips # SKIP", 1, argc, argv);
    test("alone", is_alone(), argc, argv);
    test("thirds", atoi(runs) % 3, argc, argv);
    if (argc == 1)
        puts("1..5");
    return 1;
}
END
    compile_and_link -- made_up.c
}

run() {
    echo >>"$cache/runs"
    RUNS=$(grep -c '' "$cache/runs") exec "$program" $(cat "$tests")
}
