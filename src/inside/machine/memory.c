/* memory.c - the monitor's private memory, beside the file.  All of it is counted in the header; none of it is ever unmapped, since
 * somebody may still look there. */
#include "inside/machine/memory.h"

#include <errno.h>
#include <sys/mman.h>

#include "contract/amon.h"
#include "inside/state.h"
#include "inside/sys.h"

enum { TABLE_POPULATED = 65536 };	/* slots of a table that is made resident at once */

/* Count MEMORY, of SIZE bytes, or that there is none. */
static void *counted(void *memory, size_t size)
{
	if (!memory)
		note_error(AMON_NOTE_OUT_OF_MEMORY, -ENOMEM);
	else
		__atomic_store_n(&monitor.header->memory_private,
				 __atomic_add_fetch(&monitor.memory_private, size, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
	return memory;
}

void *memory_take(size_t size, bool populate)
{
	return counted(sys_memory(size, populate), size);
}

void *memory_take_table(size_t before, uint32_t slots)
{
	size_t size = slots * sizeof(uint64_t);

	if (slots <= TABLE_POPULATED)
		return memory_take(before + size, true);
	return counted(sys_memory_large(before, size), before + size);
}

void memory_forget(void *memory, size_t size)
{
	if (size < AMON_PAGE || sys_failed(sys3(madvise, memory, size, MADV_DONTNEED)))
		return;
	monitor.header->memory_private = __atomic_sub_fetch(&monitor.memory_private, size, __ATOMIC_RELAXED);
}
