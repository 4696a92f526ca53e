/* keys.c - the keys of a machine's transitions, while the modules that they lead into come and go. */
#include "inside/machine/keys.h"

#include "contract/amon.h"
#include "inside/machine/context.h"
#include "inside/machine/items.h"
#include "inside/process/thread.h"

/* Every slot of the tables leads to a key in an item or an alias: what is changed there is changed for all. */
static void each_key(struct thread *t, void (*visit)(uint64_t *routine, const uintptr_t *arg), const uintptr_t *arg)
{
	for (uint32_t s = 0; s < t->nspans; s++)
		for (uint32_t i = 0; i < t->spans[s].chunk->count; i++)
			visit(&t->spans[s].counters[i].routine, arg);
	for (uint32_t i = 0; i < t->naliases; i++)
		visit(&items_alias(t, i)->key.routine, arg);
}

static void key_hide(uint64_t *routine, const uintptr_t *arg)
{
	if (*routine >= arg[0] && *routine < arg[1])
		__atomic_store_n(routine, *routine | arg[2], __ATOMIC_RELAXED);
}

static void key_show(uint64_t *routine, const uintptr_t *arg)
{
	if ((*routine & ~KEY_ADDRESS) == *arg)
		__atomic_store_n(routine, *routine & KEY_ADDRESS, __ATOMIC_RELAXED);
}

void keys_hide(struct thread *t, uintptr_t start, uintptr_t end, uintptr_t tag)
{
	const uintptr_t arg[] = { start, end, tag };

	each_key(t, key_hide, arg);
}

void keys_show(struct thread *t, uintptr_t tag)
{
	each_key(t, key_show, &tag);
}
