#include <dlfcn.h>
#include <stdio.h>

int part(int x);

int main(void)
{
	void *plugin = dlopen("./plugin.so", RTLD_NOW);
	int (*call)(int) = plugin ? (int (*)(int))dlsym(plugin, "plugin_call") : 0;
	int sum = 0;

	if (!call)
		return fprintf(stderr, "%s\n", dlerror()), 1;
	for (int i = 0; i < 10; i++)
		sum += part(i) + call(i);
	return sum == 145 ? 0 : 1;
}
