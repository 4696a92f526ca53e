/* Pages of the stack are protected, in the main thread, while deeper ones are in use.
 *
 * expect: 1 0 main
 * expect: 1 0 main outer
 * expect: 10 0 main outer inner
 * expect: 10 0 main outer inner leaf
 */
#include <sys/mman.h>
#include <unistd.h>

#include "trap.h"

enum { PAGES = 64 };

HOOKED void leaf(void) { KEEP(); }

HOOKED void inner(void)
{
	leaf();
	KEEP();
}

HOOKED int outer(size_t page)
{
	char pages[PAGES * page], *first = (char *)(((size_t)pages + page - 1) / page * page);
	int failed = 0;

	for (int i = 8; i < PAGES - 8; i += 8)
		failed |= mprotect(first + (size_t)i * page, page, PROT_NONE);
	for (int i = 0; i < 10; i++)
		inner();
	for (int i = 8; i < PAGES - 8; i += 8)
		failed |= mprotect(first + (size_t)i * page, page, PROT_READ | PROT_WRITE);
	return failed;
}

int main(void)
{
	return outer((size_t)sysconf(_SC_PAGESIZE)) != 0;
}
