/* enrol.c - a routine is met for the first time: it gets an index, and it is written to the file. */
#include "inside/modules/enrol.h"

#include "contract/amon.h"
#include "contract/layout.h"
#include "inside/clock/cost.h"
#include "inside/file/file.h"
#include "inside/machine/context.h"
#include "inside/modules/definition.h"
#include "inside/modules/module.h"
#include "inside/modules/routine.h"
#include "inside/stacks/peek.h"
#include "inside/state.h"
#include "inside/sys.h"

enum {
	PER_CHUNK = 1020,
	FIRST_CHUNK = (AMON_PAGE - sizeof(struct amon_chunk)) / sizeof(struct amon_routine),	/* the first: most programs have few */
};

#ifdef APROF_MCOUNT			/* in the preloaded monitor entry hooks are gprof's */
#define WAY_INSIDE AMON_WAY_MCOUNT
#else
#define WAY_INSIDE AMON_WAY_FENTRY
#endif

/* By which way a routine with FLAGS tells of its calls. */
static uint32_t way_of(uint32_t flags)
{
	if (flags & ROUTINE_SCRIPT)
		return AMON_WAY_SCRIPT;
	if (flags & ROUTINE_INLINE)
		return AMON_WAY_INLINE;
	return (flags & (AMON_ROUTINE_INSIDE | ROUTINE_BODY)) == AMON_ROUTINE_INSIDE ? WAY_INSIDE : AMON_WAY_CYG;
}

/* The index of the module with ADDRESS in it, written down with all that is said of it there; the routine has INDEX. */
static uint32_t enrol_module_of(uintptr_t address, uint32_t index)
{
	uint32_t module;

	if (definition_is_key(address))
		return definition_record(address, index);
	module = address & ~KEY_ADDRESS ? AMON_NONE : module_find(address, true);
	if (module == AMON_NONE && !(address & ~KEY_ADDRESS))
		note(AMON_NOTE_NO_MODULE);
	return module;
}

#ifdef __x86_64__
/* The SIZE bytes of code at ADDRESS, behind an endbr64; 0: not readable. */
static uintptr_t enrol_code_at(struct unwind *u, uintptr_t *address, size_t size)
{
	uintptr_t code;

	if (peek_memory(u, *address, 4, &code) && code == 0xfa1e0ff3)
		*address += 4;
	peek_memory(u, *address, size, &code);
	return code;
}

/* The code of the routine at ADDRESS. Way cyg tells its hooks the function's name, which may lead to a jump of the linker's, [endbr64] [bnd] jmp *slot(%rip):
 * that of an indirect function (target_clones) does, and one of a library that a program takes the address of. A slot that nobody has needed yet leads
 * to code that pushes its number: then it stays ADDRESS. */
static uintptr_t behind_jump(uintptr_t address)
{
	struct unwind u = { .page = address & -(uintptr_t)PEEK_PAGE };
	uintptr_t at = address, code = enrol_code_at(&u, &at, 8), leads_to;

	if ((code & 0xff) == 0xf2) {
		at++;
		code = enrol_code_at(&u, &at, 8);
	}
	if ((code & 0xffff) != 0x25ff || !peek_memory(&u, at + 6 + (intptr_t)(int32_t)(code >> 16), sizeof leads_to, &leads_to))
		return address;
	at = leads_to;
	return enrol_code_at(&u, &at, 1) != 0x68 && module_find(leads_to, false) != AMON_NONE ? leads_to : address;
}
#else
static uintptr_t behind_jump(uintptr_t address) { return address; }
#endif

/* Append to the file, as routine INDEX. */
static bool enrol_record(uintptr_t address, uint32_t flags, uint32_t index)
{
	uint32_t way = 1u << way_of(flags);
	struct amon_chunk *chunk = monitor.routine_chunk;
	struct amon_routine *r;

	if (!chunk || chunk->count == chunk->capacity) {
		chunk = file_chunk(AMON_ROUTINES, AMON_NONE, chunk ? PER_CHUNK : FIRST_CHUNK, sizeof *r);
		if (!chunk)
			return false;
		monitor.routine_chunk = chunk;
	}
	r = (struct amon_routine *)((char *)chunk + chunk->first) + chunk->count;
	r->address = address & KEY_ADDRESS;
	r->module = enrol_module_of(address, index);
	if (way == 1u << AMON_WAY_CYG && r->module != AMON_NONE && (r->address = behind_jump(address)) != address)
		r->module = enrol_module_of(r->address, index);
	r->flags = flags & AMON_ROUTINE_INSIDE;
	if (!(monitor.header->way & way)) {
		monitor.header->way |= way;
		if (way == 1u << AMON_WAY_INLINE && monitor.jumps_untold)
			note_once(AMON_NOTE_UNTOLD_JUMPS);
		cost_record();
		monitor.unmeasured |= !monitor.young;
	}
	__atomic_store_n(&chunk->count, chunk->count + 1, __ATOMIC_RELEASE);
	return true;
}

static uint32_t enrol_add(uintptr_t address, uint32_t flags)
{
	struct routine_slot *s = routine_place(address);

	if (!s)
		return AMON_NONE;
	if (s->address)
		return s->index;
	if (!definition_is_key(address))
		module_find(address, true);	/* its module may be back, and with it the routine */
	if ((s = routine_place(address))->address)
		return s->index;
	return enrol_record(address, flags, monitor.nroutines) ? routine_add(s, address, flags) : AMON_NONE;
}

uint32_t enrol_routine(uintptr_t address, uint32_t flags)
{
	uint32_t index = routine_known(address);

	if (index != AMON_NONE)
		return index;
	sys_lock(&monitor.lock);
	index = enrol_add(address, flags);
	sys_unlock(&monitor.lock);
	return index;
}

void enrol_moved(const struct amon_chunk *from, struct amon_chunk *to)
{
	if (monitor.routine_chunk == from)
		monitor.routine_chunk = to;
}

bool enrol_all(void)
{
	monitor.routine_chunk = NULL;
	for (uint32_t i = 0; i < monitor.nroutines; i++) {
		uint32_t flags;
		uintptr_t address = routine_address(i, &flags);

		if (!enrol_record(address, flags, i))
			return false;
	}
	return true;
}
