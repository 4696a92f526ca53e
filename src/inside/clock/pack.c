/* pack.c - the program counters of a process that ends, in two to three bytes each.
 *
 * While it runs each thread has hash tables of them, a new one of twice the size whenever the last was half full: sixteen bytes a slot, of which fewer than
 * half are taken.  At the end what they hold is packed (contract/pcs.h).  Whoever reads the file meanwhile, or after a death in the middle, finds all of them
 * once: packed ones count instead of the tables, and the first chunk of them alone; so one is made behind everything else, the tables become
 * space, the same is made in the first that has room, and what is behind the last chunk in use is given back. */
#include "inside/clock/pack.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "contract/amon.h"
#include "contract/pcs.h"
#include "inside/clock/pc.h"
#include "inside/file/file.h"
#include "inside/file/sigbus.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/tls.h"

enum {
	WORTH = 1 << 16,		/* bytes of a file that is small enough */
	MOST = 1 << 22,			/* of one that is too large to be gone through at exit */
};

/* What the tables of a thread hold. */
struct packed {
	struct amon_chunk *tables[THREAD_PCS];
	uint32_t ntables;
	struct amon_pc *list;		/* each PC in each context once, as pcs_pack wants them */
	size_t n, room;			/* how many, and for how many there is memory */
	uint64_t size;			/* bytes of them, packed */
};

/* ---- the list ---- */

/* Let the one at I of the N at LIST sink to where it is before none below it. */
static void sink(struct amon_pc *list, size_t n, size_t i)
{
	struct amon_pc moved = list[i];

	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && pcs_order(&list[child], &list[child + 1]) < 0)
			child++;
		if (pcs_order(&moved, &list[child]) >= 0)
			break;
		list[i] = list[child];
	}
	list[i] = moved;
}

/* Heapsort: in place, never quadratic. */
static void pack_sort(struct amon_pc *list, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sink(list, n, i);
	for (size_t i = n; i-- > 1;) {
		struct amon_pc last = list[i];

		list[i] = list[0];
		list[0] = last;
		sink(list, i, 0);
	}
}

/* Those that stand there more than once are one, unless their counts are too much for that. */
static size_t pack_join(struct amon_pc *list, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct amon_pc *last = kept ? &list[kept - 1] : NULL;

		if (last && pcs_order(last, &list[i]) == 0 && last->count <= UINT32_MAX - list[i].count)
			last->count += list[i].count;
		else
			list[kept++] = list[i];
	}
	return kept;
}

static void list_table(struct packed *p, uint32_t i)
{
	const struct amon_pc *slots = (const struct amon_pc *)(p->tables[i] + 1);

	for (uint32_t k = 0; k < pc_slots(i); k++)
		if (slots[k].pc && slots[k].count)
			p->list[p->n++] = slots[k];
}

/* ---- the chunks ---- */

static void pack_fill(struct amon_chunk *c, const struct packed *p)
{
	pcs_pack(p->list, p->n, (unsigned char *)(c + 1));
	__atomic_store_n(&c->count, c->capacity, __ATOMIC_RELEASE);
}

/* Of SPACE, a chunk that nobody reads, make one of kind PCS_PACKED, and of what is left another that nobody reads. */
static void move_to(struct amon_chunk *space, const struct packed *p)
{
	uint64_t size = (sizeof *space + p->size + AMON_PAGE - 1) & -(uint64_t)AMON_PAGE, left = space->size - size;
	struct amon_chunk *rest = (struct amon_chunk *)((char *)space + size);

	if (left)
		*rest = (struct amon_chunk){ .magic = AMON_CHUNK_MAGIC, .kind = AMON_FILLER, .size = left, .thread = AMON_NONE };
	__atomic_store_n(&space->size, size, __ATOMIC_RELEASE);
	space->capacity = (uint32_t)p->size;
	pack_fill(space, p);
	__atomic_store_n(&space->kind, AMON_PCS_PACKED, __ATOMIC_RELEASE);
}

static void become_space(struct amon_chunk *c) { __atomic_store_n(&c->kind, AMON_FILLER, __ATOMIC_RELEASE); }

/* The first of the tables in which P has room, packed; NULL: none. */
static struct amon_chunk *pack_room_for(const struct packed *p)
{
	for (uint32_t i = 0; i < p->ntables; i++)
		if (p->size <= pc_slots(i) * sizeof(struct amon_pc))
			return p->tables[i];
	return NULL;
}

static void pack_put(struct packed *p, uint32_t thread)
{
	struct amon_chunk *behind, *space;

	p->size = pcs_pack(p->list, p->n, NULL);
	space = pack_room_for(p);
	behind = space && p->n ? file_chunk_to_spare(AMON_PCS_PACKED, thread, (uint32_t)p->size, 1) : NULL;
	if (!behind)
		return;				/* the tables stay */
	pack_fill(behind, p);
	for (uint32_t i = 0; i < p->ntables; i++)
		become_space(p->tables[i]);
	move_to(space, p);
	become_space(behind);
}

static void pack_tables(struct packed *p, uint32_t thread)
{
	for (uint32_t i = 0; i < p->ntables; i++)
		p->room += pc_slots(i);
	p->list = sys_memory(p->room * sizeof *p->list, false);
	if (!p->list)
		return;
	for (uint32_t i = 0; i < p->ntables; i++)
		list_table(p, i);
	pack_sort(p->list, p->n);
	p->n = pack_join(p->list, p->n);
	pack_put(p, thread);
	sys2(munmap, p->list, p->room * sizeof *p->list);
	file_trim();
}

/* Nobody fills T's tables: it is the thread that ends the process, or it is gone. */
static bool pack_is_still(const struct thread *t)
{
	return t == aprof_tls.thread || (t->chain.ended && sys3(tgkill, monitor.pid, t->tid, 0) == -ESRCH);
}

static void pack_threads(void)
{
	for (struct thread *t = monitor.threads; t; t = t->chain.next) {
		struct packed p = { .n = 0 };

		sys_lock(&monitor.lock);	/* a thread that begins may take the machine of one that is gone */
		if (pack_is_still(t))
			p.ntables = pc_take_tables(t, p.tables);
		sys_unlock(&monitor.lock);
		if (p.ntables)
			pack_tables(&p, t->index);
	}
}

void pack_pcs(void)
{
	uint64_t used = monitor.header->used;

	if (used <= WORTH || used > MOST || sigbus_has_truncated())
		return;
	pc_seal();
	if (!sys_lock_if_free(&monitor.control))
		return;				/* another thread copies the file, or resets what is in it: the tables stay */
	pack_threads();
	sys_unlock(&monitor.control);
}
