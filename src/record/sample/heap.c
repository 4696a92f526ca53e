/* heap.c - see heap.h. */
#include "record/sample/heap.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "record/sample/rings.h"

struct heap {
	struct source source;
	const char *directory;
	struct rings rings;
	bool looked;			/* for rings, for what is told now */
	size_t at;			/* the ring that is read */
};

/* Whose processes are gone, before they are read: then what is there is all. */
static void heap_look(struct heap *heap)
{
	for (size_t i = 0; i < heap->rings.n; i++)
		heap->rings.all[i]->gone = kill(heap->rings.all[i]->pid, 0) != 0 && errno == ESRCH;
	rings_look(&heap->rings, heap->directory, RING_HEAP_NAME);
	heap->looked = true;
}

static bool heap_next(struct source *source, uint64_t before, struct happening *h)
{
	struct heap *heap = (struct heap *)source;

	if (!heap->looked)
		heap_look(heap);
	while (heap->at < heap->rings.n) {
		struct ring *r = heap->rings.all[heap->at];

		if (ring_next(r, before, h))
			return true;
		if (r->gone)
			rings_remove(&heap->rings, heap->at);
		else
			heap->at++;
	}
	heap->at = 0;
	heap->looked = false;
	return false;
}

static void heap_leave(struct source *source, pid_t pid)
{
	struct heap *heap = (struct heap *)source;

	for (size_t i = 0; i < heap->rings.n; i++)
		if (heap->rings.all[i]->pid == pid)
			heap->rings.all[i]->head->unwanted = 1;
}

static void heap_close(struct source *source)
{
	struct heap *heap = (struct heap *)source;

	rings_free(&heap->rings);
	free(heap);
}

static const struct source_kind of_heap = { .number = AMON_SOURCE_NONE, .next = heap_next, .leave = heap_leave, .close = heap_close };

struct source *heap_open(const char *directory, struct error *err)
{
	struct heap *heap = calloc(1, sizeof *heap);

	if (!heap)
		return error_no_memory(err, NULL), NULL;
	heap->source.kind = &of_heap;
	heap->directory = directory;
	return &heap->source;
}
