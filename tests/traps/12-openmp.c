/* The bodies of parallel loops are routines of their own: the compiler's, called by the library in each thread.
 *
 * cc: gcc
 * ways: inline fentry
 * flags: -fopenmp
 * env: OMP_NUM_THREADS=2 OMP_DYNAMIC=false
 * calls: 1 main
 * calls: 1000 work
 * calls: 2 main._omp_fn.0
 * threads: 2 */
#include <stdlib.h>
#include "trap.h"

static volatile int sink;

HOOKED void work(int i) { sink = i; KEEP(); }

int main(void)
{
#pragma omp parallel for num_threads(2)
	for (int i = 0; i < 1000; i++)
		work(i);
	return 0;
}
