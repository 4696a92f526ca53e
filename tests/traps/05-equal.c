/* The context is found to be equal to a word of the table, and that word is stored.
 *
 * Without the substitution of temporaries GCC compares two registers and goes on with either of them.  The check of way inline's hooks knew
 * one of them only: no routine was proven, each called its hooks instead, and a nested routine, which cannot, was an error.
 *
 * cc: gcc
 * flags: -fno-tree-ter
 * expect: 1 0 main
 * expect: 1000 0 main twice
 * expect: 2000 0 main twice add.0 */
static volatile long sum;

static __attribute__((noipa)) void twice(void (*f)(void)) { f(); f(); sum++; }

int main(void)
{
	long n = 0;
	__attribute__((noipa)) void add(void) { sum += ++n; }

	for (int i = 0; i < 1000; i++)
		twice(add);
	return sum != 2002000;
}
