/* flush.c - a copy of the file, while the program runs. */
#include "inside/file/flush.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "contract/amon.h"
#include "inside/file/place.h"
#include "inside/state.h"
#include "inside/sys.h"

/* A chunk of the copy. */
struct copied {
	uint64_t at;		/* where it begins, bytes */
	struct amon_chunk head;	/* with the count that holds for the copy */
};

static bool is_owned(const struct amon_chunk *c)
{
	return c->thread != AMON_NONE;
}

/* The heads of the chunks from FROM up to TO to LIST, which has room for them, or NULL.  Returns their number. */
static size_t list_chunks(struct copied *list, uint64_t from, uint64_t to)
{
	size_t n = 0;

	for (uint64_t at = from; at < to; n++) {
		const struct amon_chunk *c = (struct amon_chunk *)((char *)monitor.header + at);

		if (list)
			list[n] = (struct copied){ at, *c };
		at += c->size;
	}
	return n;
}

static void flush_take_counts(struct copied *list, size_t n, bool owned)
{
	while (n-- > 0)
		if (is_owned(&list[n].head) == owned)
			list[n].head.count = __atomic_load_n(&((struct amon_chunk *)((char *)monitor.header + list[n].at))->count,
							     __ATOMIC_ACQUIRE);
}

/* All chunks, with counts as a reader takes them (doc/format.md): those of threads' chunks first, the last of them first; then
 * what was appended meanwhile, of which no more is of use than what those refer to.  0: they do not fit in ROOM; *USED is
 * where the last one ends. */
static size_t list_all(struct copied *list, size_t room, uint64_t *used)
{
	uint64_t first = __atomic_load_n(&monitor.header->used, __ATOMIC_ACQUIRE);
	size_t n = list_chunks(NULL, AMON_PAGE, first), all;

	if (n > room)
		return 0;
	list_chunks(list, AMON_PAGE, first);
	flush_take_counts(list, n, true);
	*used = __atomic_load_n(&monitor.header->used, __ATOMIC_ACQUIRE);
	all = n + list_chunks(NULL, first, *used);
	if (all > room)
		return 0;
	list_chunks(list + n, first, *used);
	for (size_t i = n; i < all; i++)
		list[i].head.count = 0;
	flush_take_counts(list, all, false);
	return all;
}

static bool write_copy(long fd, const struct copied *list, size_t n, uint64_t used)
{
	static struct amon_header copy;

	mem_copy(&copy, monitor.header, sizeof copy);
	copy.used = used;
	copy.state = AMON_ENDED;
	copy.end_monotonic = sys_clock(1);
	copy.cpu_total = sys_clock(2);
	for (size_t i = 0; i < n; i++)
		if (!sys_write_at(fd, &list[i].head, sizeof list[i].head, list[i].at) ||
		    !sys_write_at(fd, (char *)monitor.header + list[i].at + sizeof list[i].head,
				  list[i].head.size - sizeof list[i].head, list[i].at + sizeof list[i].head))
			return false;
	return sys_write_at(fd, &copy, sizeof copy, 0);
}

/* The copy, whole or not there, at PATH. */
static long flush_write_beside(const char *path, const struct copied *list, size_t n, uint64_t used)
{
	static char temp[PLACE_PATH];
	bool named = false, again;
	long fd, error;

	do {
		fd = place_create(path, temp, named);
		if (sys_failed(fd))
			return fd;
		named = temp[0];
		error = write_copy(fd, list, n, used) ? place_put_over(fd, temp, path) : -ENOSPC;
		again = sys_failed(error) && error != -ENOSPC && !named;
		if (sys_failed(error))
			place_drop(fd, temp);
		else
			sys1(close, fd);
		named = true;
	} while (again);
	return error;
}

int flush_to(const char *path)
{
	size_t room = list_chunks(NULL, AMON_PAGE, monitor.header->used) + 256, n;
	struct copied *list = sys_memory(room * sizeof *list, false);
	uint64_t used;
	long error = -EAGAIN;

	if (!list)
		return ENOMEM;
	n = list_all(list, room, &used);
	if (n)
		error = used > sys_file_limit() ? -EFBIG : flush_write_beside(path, list, n, used);
	sys2(munmap, list, room * sizeof *list);
	return sys_failed(error) ? (int)-error : 0;
}
