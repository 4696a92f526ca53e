/* A library is unloaded and another takes its place, at the same addresses: each call is its own library's.  One that comes back
 * finds what is known of it.
 *
 * build: liba.so -shared -fPIC -DLIBRARY=in_a
 * build: libb.so -shared -fPIC -DLIBRARY=in_b
 * output: same place
 * expect: 1 0 main
 * expect: 6 0 main once
 * expect: 3 0 main once in_a
 * expect: 3 0 main once in_b
 * note: unloaded 6..12
 * after: "$APROF" info --json amon.out | python3 -c 'import json, sys; m = [x for x in json.load(sys.stdin)["modules"] if "/lib" in x["path"] and x["path"].endswith(("/liba.so", "/libb.so"))]; sys.exit(len(m) != 2)' */
#ifdef LIBRARY
void LIBRARY(void);
void LIBRARY(void) { __asm__ volatile("" : : : "memory"); }
#else
#include <dlfcn.h>
#include <stdio.h>
#include "trap.h"

HOOKED void *once(const char *library, const char *name)
{
	void *handle = dlopen(library, RTLD_NOW), *f = dlsym(handle, name);

	((void (*)(void))f)();
	dlclose(handle);
	return f;
}

int main(void)
{
	int same = 0;

	for (int i = 0; i < 3; i++)
		same += once("./liba.so", "in_a") == once("./libb.so", "in_b");
	puts(same == 3 ? "same place" : "different places");
	return 0;
}
#endif
