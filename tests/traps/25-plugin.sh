# A plugin with hooks that a program with hooks loads while it runs: both count in one and the same thread's words, so what the plugin's
# routines are called from is the program's context, and the other way round.
#
# ways: inline fentry cyg
cat > main.c <<-'C'
	#include <dlfcn.h>
	__attribute__((noinline)) int back(int n) { __asm__ volatile (""); return n; }
	__attribute__((noinline)) int call(int (*g)(int (*)(int), int)) { int n = g(back, 1) + g(back, 2); __asm__ volatile (""); return n; }
	int main(void)
	{
		void *library = dlopen("./libpart.so", RTLD_NOW);
		int (*g)(int (*)(int), int) = library ? (int (*)(int (*)(int), int))dlsym(library, "g") : 0;

		return g && call(g) == 5 ? 0 : 1;
	}
C
echo 'int g(int (*f)(int), int n) { n = f(n) + 1; __asm__ volatile (""); return n; }' > part.c
$CC $OPT -fPIC -shared part.c -o libpart.so
$CC $OPT main.c -o p -ldl
./p
"$APROF" contexts amon.out | grep -v '^0 ' | cut -d ' ' -f 1,2,4- > found
printf '%s\n' '1 0 main' '1 0 main call' '2 0 main call g' '2 0 main call g back' | diff - found
