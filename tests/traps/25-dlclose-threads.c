/* Threads load and unload libraries, with hooks and without, at the same addresses and at the same time: one is there before the dlclose of the other has
 * returned, and its constructors have run. What runs behind a library's last destructor has no hooks: that its stack is looked at does not bring it back.
 *
 * build: liba.so -shared -fPIC -DLIBRARY=a -Wl,-fini,late_a
 * build: libb.so -shared -fPIC -DLIBRARY=b -Wl,-fini,late_b
 * plain: libc.so -shared -fPIC -DLIBRARY=c
 * flags: -pthread
 * expect: 1 0 main
 * expect: 3 0 work
 * expect: 900 0 work once
 * expect: 300 0 work once call_a
 * expect: 300 0 work once call_b
 * expect: 0..1200 0 work once begin_a
 * expect: 0..1200 0 work once begin_b
 * expect: 0..1200 0 work once end_a
 * expect: 0..1200 0 work once end_b
 * expect: 300 0 work once call_a called
 * expect: 300 0 work once call_b called
 * expect: 300 0 work once called
 * note: unloaded 0..2000 */
#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)
#include "trap.h"
#ifdef LIBRARY
typedef void callback(void);
HOOKED void NAME(call_, LIBRARY)(callback *f) { f(); KEEP(); }
static HOOKED __attribute__((constructor)) void NAME(begin_, LIBRARY)(void) { KEEP(); }
static HOOKED __attribute__((destructor)) void NAME(end_, LIBRARY)(void) { KEEP(); }
UNHOOKED void NAME(late_, LIBRARY)(void)
{
	for (volatile long i = 0; i < 300000; i++)
		;
}
#else
#include <dlfcn.h>
#include <pthread.h>

HOOKED void called(void) { KEEP(); }

HOOKED void once(int i)
{
	static const char *const names[][2] = { { "./liba.so", "call_a" }, { "./libb.so", "call_b" }, { "./libc.so", "call_c" } };
	void *handle = dlopen(names[i % 3][0], RTLD_NOW);

	((void (*)(void (*)(void)))dlsym(handle, names[i % 3][1]))(called);
	dlclose(handle);
	KEEP();
}

HOOKED void *work(void *first)
{
	for (int i = 0; i < 300; i++)
		once((int)(long)first + i);
	return first;
}

int main(void)
{
	pthread_t threads[3];

	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
#endif
