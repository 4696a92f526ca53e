/* A program puts a copy of its code to where that was, in memory of no file, as to have bigger pages (hugetext, BOLT), wholly or in part, or changes the rights of a
 * part; a library is unloaded then, so that the map is looked at.  The program's routines are what they were.
 *
 * build: liba.so -shared -fPIC -DLIBRARY
 * variants: all page rights
 * ignore: moved
 * expect: 1 0 main
 * expect: 6 0 main work
 * expect: 2 0 main look
 * expect: 2 0 main look in_a
 * note: unloaded 2 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "trap.h"

#ifdef LIBRARY
HOOKED int in_a(void) { KEEP(); return 1; }
#else
HOOKED void work(void) { KEEP(); }
HOOKED void look(void)
{
	void *library = dlopen("./liba.so", RTLD_NOW);

	((int (*)(void))(uintptr_t)dlsym(library, "in_a"))();
	dlclose(library);
}
HOOKED void moved(const char *how)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long low = 0, high = 0, at = (unsigned long)(uintptr_t)work;
	char line[512];
	void *copy;

	while (fgets(line, sizeof line, f))
		if (sscanf(line, "%lx-%lx", &low, &high) == 2 && low <= at && at < high)
			break;
	fclose(f);
	if (how[0] != 'a')
		low = at & ~4095ul, high = low + 4096;
	if (how[0] == 'r') {
		mprotect((void *)low, high - low, PROT_READ | PROT_WRITE | PROT_EXEC);
		return;
	}
	copy = mmap(NULL, high - low, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(copy, (void *)low, high - low);
	mprotect(copy, high - low, PROT_READ | PROT_EXEC);
	if (mremap(copy, high - low, high - low, MREMAP_MAYMOVE | MREMAP_FIXED, low) == MAP_FAILED)
		abort();
}
int main(int argc, char **argv)
{
	(void)argc;
	work();
	work();
	moved(argv[1]);
	for (int i = 0; i < 2; i++) {
		work();
		look();
		work();
	}
	return 0;
}
#endif
