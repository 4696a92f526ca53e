/* evaluate TIMES FILE...: each file of Jsonnet evaluated TIMES times in one process, by a fresh machine each; prints results and
 * error messages of the last time. */
#ifdef __cplusplus
extern "C" {                            /* the header leaves it to its users */
#endif
#include <libjsonnet.h>
#ifdef __cplusplus
}
#endif
#include <stdio.h>
#include <stdlib.h>

/* The result, which jsonnet_realloc frees. */
static char *evaluate(struct JsonnetVm **vm, const char *file, int *error)
{
    *vm = jsonnet_make();
    if (!*vm)
        exit(2);
    jsonnet_max_stack(*vm, 200);
    return jsonnet_evaluate_file(*vm, file, error);
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 0;

    for (int i = 2; i < argc; i++)
        for (int n = 1; n <= times; n++) {
            struct JsonnetVm *vm;
            int error;
            char *text = evaluate(&vm, argv[i], &error);

            if (n == times)
                printf("%s: %s\n%s", argv[i], error ? "error" : "value", text);
            jsonnet_realloc(vm, text, 0);
            jsonnet_destroy(vm);
        }
    return 0;
}
