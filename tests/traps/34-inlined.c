/* Deep recursion of a routine into which six others are inlined: way cyg has seven frames for each on the machine's stack.
 *
 * opt: -O0
 * flags: -pthread
 * output: 600000
 * calls: 600000 down
 * expect(fentry): 1 0 main
 * expect(fentry): 1 0 thread
 * expect(fentry): 1 599999 thread down
 * expect(fentry): 1 0 thread after
 * calls: 1 after
 * note(cyg gcc): stack_overflow 1..
 * note(cyg gcc): unbalanced_exit 0..6 */
#include <pthread.h>
#include <stdio.h>
#include "trap.h"

int down(int n);
static inline __attribute__((always_inline)) int i6(int n) { KEEP(); return n > 1 ? down(n - 1) : 0; }
static inline __attribute__((always_inline)) int i5(int n) { int r = i6(n); KEEP(); return r; }
static inline __attribute__((always_inline)) int i4(int n) { int r = i5(n); KEEP(); return r; }
static inline __attribute__((always_inline)) int i3(int n) { int r = i4(n); KEEP(); return r; }
static inline __attribute__((always_inline)) int i2(int n) { int r = i3(n); KEEP(); return r; }
static inline __attribute__((always_inline)) int i1(int n) { int r = i2(n); KEEP(); return r; }
HOOKED int down(int n) { int r = i1(n) + 1; KEEP(); return r; }

HOOKED void after(void) { KEEP(); }
HOOKED void *thread(void *unused) { printf("%d\n", down(600000)); after(); return unused; }

int main(void)
{
	pthread_attr_t attributes;
	pthread_t t;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)1 << 29);
	pthread_create(&t, &attributes, thread, NULL);
	pthread_join(t, NULL);
	return 0;
}
