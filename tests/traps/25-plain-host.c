/* A program without hooks loads and unloads a library with hooks: the monitor that came with it stays, and so do the counts.
 *
 * build: liba.so -shared -fPIC -pthread -DLIBRARY
 * plain: host -pthread
 * flags: -pthread
 * shell: exec ./host
 * expect: 3 0 in_a
 * threads: 2
 * note: timer_failed 0
 * note(inline): untold_jumps 1 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>
#include "trap.h"

#ifdef LIBRARY
HOOKED void *in_a(void *unused) { KEEP(); return unused; }
#else
int main(void)
{
	void *handle = dlopen("./liba.so", RTLD_NOW), *(*f)(void *) = (void *(*)(void *))dlsym(handle, "in_a");
	pthread_t t;

	f(NULL);
	f(NULL);
	pthread_create(&t, NULL, f, NULL);
	pthread_join(t, NULL);
	dlclose(handle);
	if (fork() == 0)
		_exit(0);
	usleep(20000);
	pthread_create(&t, NULL, (void *(*)(void *))pthread_exit, NULL);
	pthread_join(t, NULL);
	return 0;
}
#endif
