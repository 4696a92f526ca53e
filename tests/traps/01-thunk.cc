/* Thunks: GCC's adjust an argument and go on in the routine behind them, by a jump or by a copy of it; by way fentry they have an exit hook and no
 * entry.
 *
 * calls: 3000 work(int)
 * calls: 3000 D::f(int)
 * calls: 3000 D::self()
 * calls: 3000 through(B*)
 * calls: 3000 through(A*)
 * output: 13495500 */
#include <cstdio>
#include "trap.h"

struct A { virtual A *self() = 0; virtual ~A() {} long pad; };
struct B { virtual int f(int) = 0; virtual ~B() {} long pad; };
struct D : A, virtual B {
	HOOKED int f(int n) override;
	HOOKED D *self() override;
};

HOOKED int work(int n) { KEEP(); return n; }
int D::f(int n) { int r = work(n); KEEP(); return 3 * r; }
D *D::self() { KEEP(); return this; }
static int number;

HOOKED int through(B *b) { int r = b->f(number); KEEP(); return r; }
HOOKED A *through(A *a) { A *self = a->self(); KEEP(); return self; }

int main()
{
	long sum = 0;
	D d;

	for (int i = 0; i < 3000; i++) {
		number = i;
		sum += through(static_cast<B *>(&d));
		sum += through(static_cast<A *>(&d)) != &d;
	}
	std::printf("%ld\n", sum);
	return 0;
}
