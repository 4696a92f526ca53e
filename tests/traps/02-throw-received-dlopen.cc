/* The same by a library that is loaded while the program runs.
 *
 * plain: libplain.so -fPIC -shared -DPLAIN
 * flags: -DLOADED
 * variants: caught again nested kept dropped
 * expect: 1 0 main
 * expect: 100 0 main called
 * expect: 100 0 main called deeper
 * expect(nested): 100 0 main thrower
 * expect(nested): 100 0 main thrower deeper
 * expect(kept): 100 0 main later
 * expect: 200 0 main back
 * expect: 200 0 main back leaf
 * expect(again): 100 0 main work
 * expect: 100 0 main end */
#ifdef LOADED
#include <dlfcn.h>

#define guarded loaded_guarded
#define raise_one loaded_raise_one
#define raise_kept loaded_raise_kept
#include "02-throw-received.cc"

template <typename F> static UNHOOKED F *symbol(const char *name)
{
	static void *library = dlopen("./libplain.so", RTLD_NOW);

	return reinterpret_cast<F *>(dlsym(library, name));
}

extern "C" {
#undef guarded
#undef raise_one
#undef raise_kept
UNHOOKED void loaded_guarded(const char *how, void (*f)(void), void (*g)(void), void (*b)(void)) { symbol<decltype(loaded_guarded)>("guarded")(how, f, g, b); }
UNHOOKED void loaded_raise_one(int n) { symbol<void(int)>("raise_one")(n); }
UNHOOKED void loaded_raise_kept(void) { symbol<void(void)>("raise_kept")(); }
}
#else
#include "02-throw-received.cc"
#endif
