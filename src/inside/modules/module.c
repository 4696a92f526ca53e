/* module.c - the executable mappings of the process, read from /proc/self/maps, or, where that cannot be had, as loader.c finds them.
 *
 * Never asks the dynamic linker, whose locks the hook may have interrupted.  A mapping, once
 * known, keeps its index; one that vanished is marked, and a new one at its place is a new
 * module of a later epoch, or one that was there before.  What is known of the routines of one that vanished is hidden, and
 * shown again if it returns to its place, so that a program that loads and unloads for ever needs no more memory for ever.
 * Called with the monitor's lock held, but for module_rules. */
#include "inside/modules/module.h"

#include "contract/amon.h"
#include "inside/file/file.h"
#include "inside/machine/context.h"
#include "inside/machine/keys.h"
#include "inside/modules/identity.h"
#include "inside/modules/loader.h"
#include "inside/modules/maps.h"
#include "inside/modules/routine.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/sys.h"

enum { MOST_MODULES = 4096, CHUNK_BYTES = AMON_PAGE - sizeof(struct amon_chunk) };	/* of records, as a rule */

struct module {
	uintptr_t start, end;		/* addresses */
	struct amon_module *record;	/* in the file; NULL: no room */
	uint32_t index;			/* as numbered in the file */
	uint16_t tag;			/* of the keys of its routines while it is unloaded; 0: none were hidden */
	bool seen;			/* by the scan at work */
	bool ending;			/* hidden, and mapped still or not: no scan brings it back until a hook of its own runs again */
	struct identity identity;		/* what its header says */
};

static struct module modules[MOST_MODULES];
static uint32_t nmodules, nrecords, epoch;
static uint32_t unloading OF_PROCESS;		/* calls of dlclose that have not returned */
static uint16_t last_tag;
static struct amon_chunk *chunk OF_PROCESS;

/* ---- the table ---- */

static struct amon_module *module_record_new(size_t size)
{
	struct amon_module *r;

	if (!chunk || chunk->count + size > chunk->capacity) {
		struct amon_chunk *fresh = file_chunk(AMON_MODULES, AMON_NONE, size > CHUNK_BYTES ? (uint32_t)size : CHUNK_BYTES, 1);

		if (!fresh)
			return NULL;
		chunk = fresh;
	}
	r = (struct amon_module *)((char *)chunk + chunk->first + chunk->count);
	return r;
}

/* Is its code known to be where it says?  Or, if ENDING ones count, may it be? */
static bool module_is_there(const struct module *m, bool ending) { return !m->record->unloaded && (ending || !m->ending); }

static uintptr_t tag_of(const struct module *m) { return (uintptr_t)m->tag << KEY_TAG_SHIFT; }

static void hide(struct module *m)
{
	if (!m->record->hooked)
		return;
	if (!m->tag)
		m->tag = last_tag < UINT16_MAX ? ++last_tag : last_tag;
	routine_hide(m->start, m->end, tag_of(m));
	for (struct thread *t = monitor.threads; t; t = t->chain.next)
		keys_hide(t, m->start, m->end, tag_of(m));
}

static void module_show(struct module *m)
{
	if (!m->tag || m->tag == UINT16_MAX)	/* that one is everybody's */
		return;
	routine_show(tag_of(m));
	for (struct thread *t = monitor.threads; t; t = t->chain.next)
		keys_show(t, tag_of(m));
	__atomic_store_n(&monitor.shown, monitor.shown + 1, __ATOMIC_RELEASE);
}

static bool module_is_same(const struct amon_module *a, const struct amon_module *b, const char *path)
{
	if (a->start != b->start || a->end != b->end || a->offset != b->offset || a->bias != b->bias ||
	    !a->build_id_size || a->build_id_size != b->build_id_size || !str_equal((const char *)(a + 1), path))
		return false;
	for (int i = 0; i < a->build_id_size; i++)
		if (a->build_id[i] != b->build_id[i])
			return false;
	return true;
}

/* The code of M is no longer what is at its addresses. */
static void vanish(struct module *m)
{
	hide(m);
	__atomic_store_n(&epoch, epoch + 1, __ATOMIC_RELEASE);
}

/* M is no longer mapped, or was not for a time. */
static void module_goes(struct module *m)
{
	m->record->unloaded = 1;
	if (!m->ending)
		vanish(m);
	m->ending = false;
	note(AMON_NOTE_UNLOADED);
}

/* R, loaded from PATH, was there before: take up the old record. */
static bool revive(const struct amon_module *r, const char *path)
{
	for (uint32_t i = 0; i < nmodules; i++)
		if (modules[i].record->unloaded && module_is_same(modules[i].record, r, path)) {
			modules[i].record->unloaded = 0;
			modules[i].seen = true;
			module_show(&modules[i]);
			return true;
		}
	return false;
}

/* M is an executable mapping; HEAD the mapping of its file's first page. */
static void module_add(const struct mapping *m, const struct mapping *head)
{
	size_t path = str_length(m->path) + 1, size = (sizeof(struct amon_module) + path + 7) & ~(size_t)7;
	struct module *module = &modules[nmodules];
	struct identity found = { .notes = NULL };
	struct amon_module *r;

	if (nmodules == MOST_MODULES || !(r = module_record_new(size)))
		return;
	*r = (struct amon_module){
		.size = (uint32_t)size, .epoch = epoch, .start = m->start, .end = m->end, .offset = m->offset,
		.bias = m->start - m->offset, .main_program = str_equal(m->path, monitor.header->program),
		.path_size = (uint32_t)path,
	};
	if (head->mode[0] == 'r')
		identity_read(head->start, head->end, r, &found);
	if (revive(r, m->path))			/* what was written here is not counted yet */
		return;
	mem_copy(r + 1, m->path, path);
	__atomic_store_n(&chunk->count, chunk->count + (uint32_t)size, __ATOMIC_RELEASE);
	*module = (struct module){ .start = m->start, .end = m->end, .record = r, .index = nrecords++, .seen = true, .identity = found };
	__atomic_store_n(&nmodules, nmodules + 1, __ATOMIC_RELEASE);
}

static const char *module_path_of(const struct module *m) { return (const char *)(m->record + 1); }

/* Is M what KNOWN is, or some pages of it, whose rights are others by now, or whose neighbours were replaced?  The dynamic linker may have another path for a file than
 * the kernel has: BY_LOADER it does not count. */
static bool is_of(const struct module *known, const struct mapping *m, bool by_loader)
{
	if (m->start == known->start && m->end == known->end)
		return by_loader || str_equal(module_path_of(known), m->path);
	return m->start >= known->start && m->end <= known->end && m->offset - known->record->offset == m->start - known->start && str_equal(module_path_of(known), m->path);
}

static bool known(const struct mapping *m, bool by_loader)
{
	for (uint32_t i = 0; i < nmodules; i++)
		if (!modules[i].record->unloaded && is_of(&modules[i], m, by_loader)) {
			modules[i].seen = true;
			return true;
		}
	return false;
}

/* A scan under way: the last mapping of a file's first page. */
struct scan {
	struct mapping head;
	struct module *copied;	/* memory is in the place of its code, and the next mapping of a file tells whether the module is there; NULL: none */
	uintptr_t end;		/* of what was mapped last */
	bool by_loader;		/* not by the map */
	char path[MAPS_PATH];	/* head's */
};

/* Is M one more part of the module whose head was last?  The code of a small one, linked by lld, is on its file's first page, which is then mapped
 * twice. */
static bool goes_on(const struct scan *scan, const struct mapping *m)
{
	return m->start == scan->end && str_equal(scan->head.path, m->path) && m->path[0];
}

static bool begins_with(const char *text, const char *with)
{
	while (*with && *text == *with)
		text++, with++;
	return !*with;
}

/* Memory that no file with a name is behind. */
static bool module_is_memory(const char *path)
{
	return !path[0] || begins_with(path, "/memfd:") || begins_with(path, "/anon_hugepage") || begins_with(path, "/dev/zero") || begins_with(path, "/SYSV");
}

/* A program puts a copy of its code, in bigger pages, to where it was: the module is there as long as other parts of its file are, before or behind it. */
static void copied_see(struct scan *scan, const struct mapping *m)
{
	if (!module_is_memory(m->path)) {
		if (scan->copied && str_equal(module_path_of(scan->copied), m->path))
			scan->copied->seen = true;
		scan->copied = NULL;
		return;
	}
	for (uint32_t i = 0; m->mode[2] == 'x' && i < nmodules; i++)
		if (!modules[i].record->unloaded && m->start < modules[i].end && m->end > modules[i].start) {
			scan->copied = &modules[i];
			modules[i].seen |= str_equal(module_path_of(&modules[i]), scan->head.path);
		}
}

static void scan_mapping(const struct mapping *m, void *arg)
{
	struct scan *scan = arg;

	copied_see(scan, m);
	if (m->offset == 0 && !module_is_memory(m->path) && !goes_on(scan, m)) {
		scan->head = *m;
		mem_copy(scan->path, m->path, str_length(m->path) + 1);
		scan->head.path = scan->path;
	}
	scan->end = m->end;
	if (m->mode[2] != 'x' || m->path[0] == 0 || str_equal(m->path, "[vsyscall]") || known(m, scan->by_loader))
		return;
	if (!str_equal(scan->head.path, m->path))
		scan->head = (struct mapping){ .path = "", .mode = "----" };
	module_add(m, &scan->head);
}

static bool scan_mapped(const struct mapping *m, void *arg)
{
	scan_mapping(m, arg);
	return false;
}

void module_scan(void)
{
	static struct scan scan;

	bool whole;

	scan.head = (struct mapping){ .path = "", .mode = "----" };
	scan.end = 0;
	scan.copied = NULL;
	for (uint32_t i = 0; i < nmodules; i++)
		modules[i].seen = false;
	sys_valgrind(true);
	scan.by_loader = !maps_each(scan_mapped, &scan);
	whole = !scan.by_loader || loader_modules(scan_mapping, &scan);
	sys_valgrind(false);
	if (scan.by_loader)
		note_once(AMON_NOTE_NO_PROC);
	for (uint32_t i = 0; whole && i < nmodules; i++)
		if (!modules[i].seen && !modules[i].record->unloaded)
			module_goes(&modules[i]);
}

/* The module that is at ADDRESS; ENDING as above.  Without the lock one that is going may be found. */
static struct module *find_with(uintptr_t address, bool ending)
{
	for (uint32_t i = __atomic_load_n(&nmodules, __ATOMIC_ACQUIRE); i-- > 0;)
		if (address >= modules[i].start && address < modules[i].end && module_is_there(&modules[i], ending))
			return &modules[i];
	return NULL;
}

static struct module *modules_module_find(uintptr_t address) { return find_with(address, false); }

/* The module with the code at ADDRESS, of which a hook runs, looked for in the map. */
static struct module *find_mapped(uintptr_t address)
{
	for (uint32_t i = 0; i < nmodules; i++)
		if (address >= modules[i].start && address < modules[i].end && modules[i].ending)
			module_goes(&modules[i]);		/* and is back, or another is there */
	module_scan();
	return modules_module_find(address);
}

void module_unloading(void) { __atomic_fetch_add(&unloading, 1, __ATOMIC_RELAXED); }

void module_unloaded(void)
{
	uint64_t mask;

	sys_block_signals(&mask);
	sys_lock(&monitor.lock);
	module_scan();
	if (unloading)			/* a forked child's may have begun in its parent */
		__atomic_fetch_sub(&unloading, 1, __ATOMIC_RELAXED);
	sys_unlock(&monitor.lock);
	sys_restore_signals(&mask);
}

void module_ends(uintptr_t address)
{
	struct module *m;
	uint64_t mask;

	sys_block_signals(&mask);
	sys_lock(&monitor.lock);
	m = modules_module_find(address);
	if (m && m->record->hooked) {
		m->ending = true;
		vanish(m);
	}
	sys_unlock(&monitor.lock);
	sys_restore_signals(&mask);
}

struct range { uintptr_t address, low, high, end; bool grows, is_code; };

/* The kernel keeps a gap below the stack that grows: what leads up to it was parted from it, by mprotect. */
static bool range_mapping(const struct mapping *m, void *arg)
{
	struct range *range = arg;

	if (range->address >= m->start && range->address < m->end) {
		range->low = m->start;
		range->high = m->end;
		range->is_code = m->mode[0] == 'r' && m->mode[1] == '-' && m->mode[2] == 'x' && m->mode[3] == 'p';
	} else if (!range->high) {
		return false;
	} else if (m->start != range->end) {
		return true;
	}
	range->end = m->end;
	range->grows = str_equal(m->path, "[stack]");
	if (range->grows)
		range->high = m->end;
	return m->path[0];
}

bool module_range(uintptr_t address, uintptr_t *low, uintptr_t *high)
{
	struct range range = { .address = address };

	sys_lock(&monitor.lock);
	if (!maps_each(range_mapping, &range) && !loader_range(address, &range.low, &range.high, &range.grows))
		range.high = 0;
	sys_unlock(&monitor.lock);
	*low = range.grows ? address - (range.high - address) : range.low;
	*high = range.high;
	return range.high != 0;
}

bool module_code(uintptr_t address, uintptr_t *low, uintptr_t *high)
{
	struct range range = { .address = address };

	sys_lock(&monitor.lock);
	maps_each(range_mapping, &range);
	sys_unlock(&monitor.lock);
	*low = range.low;
	*high = range.high;
	return range.is_code;
}

uint32_t module_find(uintptr_t address, bool hooked)
{
	struct module *m = modules_module_find(address);

	/* One in which no hook was seen may be gone by a dlclose of another thread that has not returned yet: nothing else tells of its end. */
	if (!m || (hooked && !m->record->hooked && __atomic_load_n(&unloading, __ATOMIC_RELAXED)))
		m = find_mapped(address);
	if (m && hooked)
		m->record->hooked = 1;
	return m ? m->index : AMON_NONE;
}

uint32_t module_make(const char *path)
{
	size_t length = str_length(path) + 1, size = (sizeof(struct amon_module) + length + 7) & ~(size_t)7;
	struct amon_module *r = module_record_new(size);

	if (!r)
		return AMON_NONE;
	*r = (struct amon_module){ .size = (uint32_t)size, .path_size = (uint32_t)length };
	mem_copy(r + 1, path, length);
	__atomic_store_n(&chunk->count, chunk->count + (uint32_t)size, __ATOMIC_RELEASE);
	return nrecords++;
}

uint32_t module_epoch(void) { return __atomic_load_n(&epoch, __ATOMIC_ACQUIRE); }

bool module_rules(uintptr_t address, struct identity_rules *rules)
{
	struct module *m = modules_module_find(address);

	if (!m) {
		sys_lock(&monitor.lock);
		module_scan();
		m = find_with(address, true);	/* what runs behind a library's last destructor does not bring it back */
		sys_unlock(&monitor.lock);
	}
	if (m)
		*rules = m->identity.rules;
	return m;
}

bool module_other_part(uintptr_t start, uintptr_t end, uintptr_t *other)
{
	const struct module *m = modules_module_find(start);

	return m && identity_other_part(&m->identity, start, end, other);
}

bool module_hides_parts(uintptr_t address)
{
	const struct module *m = modules_module_find(address);

	return m && m->record->hooked && !m->identity.notes;
}

uint32_t module_count(void) { return __atomic_load_n(&nrecords, __ATOMIC_ACQUIRE); }

void module_moved(const struct amon_chunk *from, struct amon_chunk *to)
{
	for (uint32_t i = 0; i < nmodules; i++) {
		uintptr_t at = (uintptr_t)modules[i].record - (uintptr_t)from;

		if (at < from->size)
			modules[i].record = (struct amon_module *)((char *)to + at);
	}
	if (chunk == from)
		chunk = to;
	unloading = 0;
}

void module_forget(void)
{
	nmodules = nrecords = epoch = unloading = 0;
	chunk = NULL;
}
