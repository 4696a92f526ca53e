/* routine.c - the routines of the process: one index for each address that a hook saw.
 *
 * Invariant: a slot of the table gets its index once, before its address; so look-ups need no
 * lock.  An outgrown table stays mapped for those who still read it.  Addresses in a module that was unloaded are tagged
 * (KEY_TAG_SHIFT): they stay where they are, but nobody finds them. */
#include "inside/modules/routine.h"

#include "contract/amon.h"
#include "inside/machine/context.h"
#include "inside/state.h"
#include "inside/sys.h"

enum { FIRST_SLOTS = 4096, PER_PAGE = 4096, PAGES = 256 };

struct table {
	uint32_t mask;		/* slots - 1 */
	uint32_t used;		/* slots taken */
	struct routine_slot *slots;	/* open addressing */
};

/* A routine by its index. */
struct known {
	uintptr_t address;	/* as the hook saw it, or tagged */
	uint32_t flags;		/* of amon_routine */
};

static struct table *current;
static struct known *pages[PAGES];
static uint32_t changes;	/* times that addresses were tagged, or no longer */

static struct routine_slot *modules_routine_find(const struct table *t, uintptr_t address)
{
	uint32_t i = (uint32_t)(((address & KEY_ADDRESS) * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & t->mask;

	for (uintptr_t at; (at = __atomic_load_n(&t->slots[i].address, __ATOMIC_ACQUIRE)) && at != address;)
		i = (i + 1) & t->mask;
	return &t->slots[i];
}

/* The table, with room for one more; NULL: no memory. */
static struct table *routine_grown(struct table *old)
{
	uint32_t slots = old ? (old->mask + 1) * 2 : FIRST_SLOTS;
	struct table *t;

	if (old && old->used < (old->mask + 1) / 2)
		return old;
	t = sys_memory(sizeof *t + slots * sizeof(struct routine_slot), false);
	if (!t)
		return NULL;
	__atomic_add_fetch(&monitor.memory_private, sizeof *t + slots * sizeof(struct routine_slot), __ATOMIC_RELAXED);
	t->mask = slots - 1;
	t->slots = (struct routine_slot *)(t + 1);
	for (uint32_t i = 0; old && i <= old->mask; i++)
		if (old->slots[i].address)
			*modules_routine_find(t, old->slots[i].address) = old->slots[i];
	t->used = old ? old->used : 0;
	__atomic_store_n(&current, t, __ATOMIC_RELEASE);
	return t;
}

static struct known *known_at(uint32_t index)
{
	uint32_t page = index / PER_PAGE;

	if (page < PAGES && !pages[page])
		pages[page] = sys_memory(PER_PAGE * sizeof **pages, false);
	return page < PAGES && pages[page] ? &pages[page][index % PER_PAGE] : NULL;
}

struct routine_slot *routine_place(uintptr_t address)
{
	struct table *t = routine_grown(current);

	return t && known_at(monitor.nroutines) ? modules_routine_find(t, address) : NULL;
}

uint32_t routine_add(struct routine_slot *s, uintptr_t address, uint32_t flags)
{
	*known_at(monitor.nroutines) = (struct known){ address, flags };
	s->index = monitor.nroutines;
	__atomic_store_n(&monitor.nroutines, s->index + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&s->address, address, __ATOMIC_RELEASE);
	current->used++;
	return s->index;
}

uint32_t routine_known(uintptr_t address)
{
	struct table *t = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
	struct routine_slot *s = t ? modules_routine_find(t, address) : NULL;

	return s && __atomic_load_n(&s->address, __ATOMIC_ACQUIRE) == address ? s->index : AMON_NONE;
}

static void tag_all(uintptr_t start, uintptr_t end, uintptr_t now, uintptr_t tag)
{
	__atomic_add_fetch(&changes, 1, __ATOMIC_RELEASE);
	for (uint32_t i = 0; current && i <= current->mask; i++) {
		struct routine_slot *s = &current->slots[i];

		if (s->address >= start && s->address < end && (s->address & ~KEY_ADDRESS) == now) {
			uintptr_t address = (s->address & KEY_ADDRESS) | tag;

			known_at(s->index)->address = address;
			__atomic_store_n(&s->address, address, __ATOMIC_RELEASE);
		}
	}
}

void routine_hide(uintptr_t start, uintptr_t end, uintptr_t tag)
{
	tag_all(start, end, 0, tag);
}

void routine_show(uintptr_t tag)
{
	tag_all(tag, tag + KEY_ADDRESS, tag, 0);
}

uintptr_t routine_address(uint32_t index, uint32_t *flags)
{
	struct known *known = known_at(index);

	*flags = known ? known->flags : 0;
	return known ? known->address : 0;
}

/* A piece of code and the routine that was found in it.  Indices only grow, so what was looked through once need not be again; but what was
 * unloaded is gone, and other code may be in its place. */
struct piece {
	uintptr_t start;	/* address */
	uint32_t routine;	/* AMON_NONE: none so far */
	uint32_t looked;	/* routines that were looked at */
	uint32_t changes;	/* `changes` then */
};

enum {
	PIECES = 1024,
	NEAR = 16,		/* bytes from a piece's start in which hooks see their routine's address, as a rule: endbr64 and a call through the GOT */
};
static struct piece pieces[PIECES];
static struct sys_lock pieces_lock OF_PROCESS;

/* The routine whose address is at the very start of START .. END. */
static uint32_t routine_near(uintptr_t start, uintptr_t end)
{
	uint32_t found = AMON_NONE;

	for (uintptr_t at = start; found == AMON_NONE && at < end && at < start + NEAR; at++)
		found = routine_known(at);
	return found;
}

uint32_t routine_within(uintptr_t start, uintptr_t end)
{
	struct piece *p = &pieces[(start * UINT64_C(0x9e3779b97f4a7c15) >> 32) % PIECES];
	uint32_t n = __atomic_load_n(&monitor.nroutines, __ATOMIC_ACQUIRE), now = __atomic_load_n(&changes, __ATOMIC_ACQUIRE), found;

	sys_lock(&pieces_lock);
	if (p->start != start || p->changes != now)
		*p = (struct piece){ start, routine_near(start, end), 0, now };
	for (; p->routine == AMON_NONE && p->looked < n; p->looked++) {
		uintptr_t address = known_at(p->looked)->address;

		if (address >= start && address < end)
			p->routine = p->looked;
	}
	found = p->routine;
	sys_unlock(&pieces_lock);
	return found;
}

void routine_forget(void)
{
	pieces_lock.taken = 0;
}
