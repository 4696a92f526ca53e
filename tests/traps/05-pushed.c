/* A number of 80 bits is pushed in two words while the context before the entry is kept on the stack.
 *
 * GCC says of each of the two pushes that it is 16 bytes long.  Who believed that looked for the context in the wrong place, found it in a register that
 * has the caller's value again, and put that back.
 *
 * cc: gcc
 * expect: 1 0 main
 * expect: 1000 0 main give
 * expect: 2000 0 main give take
 * expect: 1000 0 main after */
static volatile int kept;

__attribute__((noipa)) void take(float x, double y, long double z, int a, int b, int c, int d, int e, int f, int g, int h)
{
	kept = a + b + c + d + e + f + g + h + (x > 0) + (y > 0) + (z > 0);
}

__attribute__((noipa)) void give(float x, double y, long double z, int a, int b, int c, int d, int e, int f)
{
	take(x, y, z, a, b, c, c, d, e, 0, f);
	take(-x, -y, -z, a, b, c, -c, d, e, 1, f);
}

__attribute__((noipa)) void after(void) { kept = 1; }

int main(void)
{
	for (int i = 0; i < 1000; i++) {
		give(1, 2, 3, 4, 5, 6, 7, 8, 9);
		after();
	}
	return 0;
}
