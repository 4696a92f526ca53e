/* Two libraries loaded and unloaded in turn, at the same place: each call is its library's, and the profile does not grow.
 *
 * small: 300
 * full: 10000
 * build: liba.so -shared -fPIC -DLIBRARY=in_a
 * build: libb.so -shared -fPIC -DLIBRARY=in_b
 * told: yes
 * note: unloaded 1..
 * after: test $(stat -c %s amon.out) -lt 1000000 */
#ifdef LIBRARY
void LIBRARY(void);
void LIBRARY(void) { __asm__ volatile("" : : : "memory"); }
#else
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "../traps/trap.h"

HOOKED void once(const char *library, const char *name)
{
	void *handle = dlopen(library, RTLD_NOW), *f = dlsym(handle, name);

	((void (*)(void))f)();
	dlclose(handle);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	FILE *told = fopen("told", "w");

	for (int i = 0; i < n; i++) {
		once("./liba.so", "in_a");
		once("./libb.so", "in_b");
	}
	fprintf(told, "expect: 1 0 main\nexpect: %d 0 main once\nexpect: %d 0 main once in_a\nexpect: %d 0 main once in_b\n",
		2 * n, n, n);
	fclose(told);
	return 0;
}
#endif
