/* Exceptions across thunks of virtual bases, constructors, destructors and routines that must not throw.
 *
 * ways: inline
 * opt: -O2 -Os
 * calls: 1 main
 * calls: 200 virtual_call
 * calls: 200 thrower
 * calls: 100 cleaned
 * calls: 100 quiet
 * calls: 1 after
 * expect: 1 0 main
 * expect: 1 0 main after
 * ignore: virtual_call
 * ignore: quiet
 * ignore: held::held(int)
 * depth: 0 */
#include <cstdlib>
#include "trap.h"

extern "C" HOOKED void thrower(int i) { KEEP(); if (i % 2) throw i; }
extern "C" HOOKED void cleaned() { KEEP(); }
extern "C" HOOKED void after() { KEEP(); }

struct cleaner { ~cleaner() { cleaned(); } };
struct held {
	int n;
	__attribute__((noinline)) explicit held(int i) : n(i) { if (i % 2 == 0) return; cleaner c; thrower(i); }
};
struct base { virtual ~base() {} virtual int f(int i) = 0; };
struct other { virtual ~other() {} long room[3]; };
struct derived : other, virtual base { __attribute__((noinline)) int f(int i) override { held h(i); thrower(i + !(i % 2) * 2); return h.n; } };

extern "C" HOOKED int virtual_call(base &b, int i) { int r = b.f(i); KEEP(); return r; }
extern "C" HOOKED void quiet(base &b, int i) noexcept { try { virtual_call(b, i); } catch (int n) { KEEP(); } }

int main()
{
	derived d;
	int caught = 0;

	for (int i = 0; i < 100; i++) {
		try {
			virtual_call(d, i);
		} catch (int) {
			caught++;
		}
		quiet(d, i);
	}
	after();
	return caught == 50 ? 0 : 1;
}
