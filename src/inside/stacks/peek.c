/* peek.c - a read of the stack stays within pages that the kernel can read. */
#include "inside/stacks/peek.h"

#include <errno.h>

#include "inside/sys.h"

/* The kernel reads what is to be a signal mask before it finds that the rest of the question makes no sense. */
static bool is_readable(uintptr_t page)
{
	return sys4(rt_sigprocmask, ~0L, page, NULL, sizeof(uint64_t)) == -EINVAL;
}

static bool read_page(struct unwind *u, uintptr_t address)
{
	uintptr_t page = address & -(uintptr_t)PEEK_PAGE;

	if (page == u->page)
		return true;
	if (!is_readable(page))
		return false;
	u->page = page;
	return true;
}

bool peek_memory(struct unwind *u, uintptr_t address, size_t size, uintptr_t *value)
{
	*value = 0;
	if (address + size < address || !read_page(u, address + size - 1) || !read_page(u, address))
		return false;
	for (size_t i = 0; i < size; i++)
		*value |= (uintptr_t)((const volatile uint8_t *)address)[i] << 8 * i;
	return true;
}
