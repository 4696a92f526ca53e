/* A plain library unloads one with hooks, and another takes its place at the same addresses: nobody tells of the unload but the library that goes, when its last
 * destructor has run.  One that is called by a destructor that comes still later is there until then.
 *
 * build: liba.so -shared -fPIC -DLIBRARY=in_a -DEARLY=early_a -DLATE=late_a
 * build: libb.so -shared -fPIC -DLIBRARY=in_b -DEARLY=early_b -DLATE=late_b
 * plain: libplain.so -shared -fPIC -DPLAIN
 * link: -L. -Wl,--no-as-needed -lplain -Wl,-rpath,$ORIGIN
 * output: same place
 * expect: 1 0 main
 * expect: 60 0 main once
 * expect: 30 0 main once in_a
 * expect: 30 0 main once in_b
 * expect: 30 0 main once early_a
 * expect: 30 0 main once late_a
 * expect: 30 0 main once early_b
 * expect: 30 0 main once late_b
 * note: unloaded 59..120 */
#ifdef PLAIN
#include <dlfcn.h>
int close_it(void *library);
int close_it(void *library) { int status = dlclose(library); __asm__ volatile("" : : : "memory"); return status; }
#elif defined LIBRARY
void LIBRARY(void);
void LIBRARY(void) { __asm__ volatile("" : : : "memory"); }
static __attribute__((noinline, constructor)) void EARLY(void) { __asm__ volatile("" : : : "memory"); }
static __attribute__((noinline, destructor(101))) void LATE(void) { __asm__ volatile("" : : : "memory"); }
#else
#include <dlfcn.h>
#include <stdio.h>
#include "trap.h"

int close_it(void *library);

HOOKED void *once(const char *library, const char *name)
{
	void *handle = dlopen(library, RTLD_NOW), *f = dlsym(handle, name);

	((void (*)(void))f)();
	close_it(handle);
	return f;
}

int main(void)
{
	int same = 0;

	for (int i = 0; i < 30; i++)
		same += once("./liba.so", "in_a") == once("./libb.so", "in_b");
	puts(same == 30 ? "same place" : "different places");
	return 0;
}
#endif
