/* The program's own malloc is hooked: the monitor must not call it, nor be confused by it.
 *
 * calls: 1001.. malloc
 * calls: 1000 make
 * output: 1000 */
#include <stdio.h>
#include <string.h>
#include "trap.h"

static char arena[1 << 24];
static size_t used;

HOOKED void *malloc(size_t size) { char *p = arena + used; used += (size + 31) & -32UL; return p; }
HOOKED void free(void *p) { (void)p; KEEP(); }
HOOKED void *calloc(size_t n, size_t size) { void *p = malloc(n * size); KEEP(); return p; }
HOOKED void *realloc(void *old, size_t size) { void *p = malloc(size); if (old) memcpy(p, old, size); return p; }
HOOKED void *make(int i) { void *p = malloc((size_t)i); KEEP(); return p; }

int main(void)
{
	int n = 0;

	for (int i = 0; i < 1000; i++)
		n += make(i) != NULL;
	printf("%d\n", n);
	return 0;
}
