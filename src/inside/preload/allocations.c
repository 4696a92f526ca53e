/* allocations.c - stands in front of the program's allocator: libaprof-heap.so, preloaded by aprof run --allocations.
 *
 * Each function calls the one behind it, whosever that is, and gives the program what that gave.  An address that it gave has an entry in a table of our own (heap_table.h), beside
 * the program's memory: who counts the allocation (heap/heap.h), and its size.  Nothing is put into the program's memory, nothing is allocated by its allocator.
 *
 * Invariant: an entry is written by who has just got the address, and taken out before it is given back: so whoever reads it owns the address, as the program does,
 * and nobody has to wait for anybody.
 *
 * Functions of an allocator may call each other by their names, as libstdc++'s operator new calls malloc: who comes second finds the entry, and counts nothing. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "contract/allocations.h"
#include "contract/aprof.h"
#include "inside/heap/heap.h"
#include "inside/monitor.h"
#include "inside/preload/allocations.h"
#include "inside/preload/heap_table.h"
#include "inside/preload/heap_samples.h"
#include "inside/sys.h"
#include "inside/text.h"

#define EXPORTED __attribute__((visibility("default")))

/* ---- who counts ---- */

/* Counts nobody, or the monitor, by exact context, or whoever samples stacks; NOT_YET: the monitor will, if it begins. */
static enum counting { NOT_ASKED, BY_CONTEXT, NOT_YET, BY_STACK, BY_NOBODY } counting;

/* What the environment says of HEAP_WISH; NULL: nothing. */
static const char *wish_find(void)
{
	for (char **e = environ; *e; e++) {
		const char *value = text_after(*e, HEAP_WISH "=");

		if (value)
			return value;
	}
	return NULL;
}

/* A program with hooks of its own has its own monitor.  The one that aprof run preloads into all others counts only where it is not stacks that are sampled, and once a hook
 * or an interpreter has begun a profile: else each shell of the run would have one. */
static enum counting counting_find(void)
{
	const char *wish = environ ? wish_find() : NULL;
	bool is_there = __aprof_heap_allocated && __aprof_heap_untracked, is_own = is_there && (!&__aprof_heap_preloaded || __aprof_heap_preloaded != __aprof_heap_allocated);

	if (!wish)
		return environ ? BY_NOBODY : NOT_ASKED;		/* libc has not begun */
	if (is_own)
		return BY_CONTEXT;
	if (is_there && str_equal(wish, HEAP_WISH_CONTEXTS))
		return NOT_YET;
	return str_equal(wish, HEAP_WISH_STACKS) && heap_samples_begin() ? BY_STACK : BY_NOBODY;
}

static bool is_counting(void)
{
	if (UNLIKELY(counting == NOT_ASKED))
		counting = counting_find();
	if (UNLIKELY(counting == NOT_YET) && __aprof_script_begun())
		counting = BY_CONTEXT;
	return counting == BY_CONTEXT || counting == BY_STACK;
}

uint32_t allocation_place(uint64_t size)
{
	if (UNLIKELY(!is_counting()))
		return 0;
	return LIKELY(counting == BY_CONTEXT) ? __aprof_heap_allocated(size) : heap_sample(size);
}

void allocation_freed(struct heap_entry e)
{
	if (!e.place)
		return;
	if (LIKELY(counting == BY_CONTEXT))
		__aprof_heap_freed(e.place, e.size);
	else
		heap_sample_freed(e.place, false);
}

void allocation_untracked(struct heap_entry e)
{
	if (!e.place)
		return;
	if (LIKELY(counting == BY_CONTEXT))
		__aprof_heap_untracked(e.place, e.size);
	else
		heap_sample_freed(e.place, true);
}

/* The program got SIZE bytes at P; NULL: it got none. */
void *allocation_counted(void *p, uint64_t size)
{
	struct heap_entry e = { 0, size };

	if (!p)
		return p;
	e.place = allocation_place(size);
	if (e.place && UNLIKELY(!heap_entry_put(p, e)))
		allocation_untracked(e);
	return p;
}

/* The same where the allocator may have called another function of it, which has counted them. */
static void *counted_once(void *p, uint64_t size)
{
	const uint64_t *word = p ? heap_entry_at(p, false) : NULL;

	return word && *word ? p : allocation_counted(p, size);
}

/* ---- the functions behind ours ---- */

struct nothrow;
typedef const struct nothrow *nothrow_tag;

#define FUNCTIONS(f) \
	f(malloc, void *, (size_t size)) \
	f(free, void, (void *p)) \
	f(calloc, void *, (size_t n, size_t size)) \
	f(realloc, void *, (void *p, size_t size)) \
	f(reallocarray, void *, (void *p, size_t n, size_t size)) \
	f(memalign, void *, (size_t alignment, size_t size)) \
	f(aligned_alloc, void *, (size_t alignment, size_t size)) \
	f(posix_memalign, int, (void **p, size_t alignment, size_t size)) \
	f(valloc, void *, (size_t size)) \
	f(pvalloc, void *, (size_t size)) \
	f(free_sized, void, (void *p, size_t size)) \
	f(free_aligned_sized, void, (void *p, size_t alignment, size_t size)) \
	f(_Znwm, void *, (size_t size)) \
	f(_Znam, void *, (size_t size)) \
	f(_ZnwmRKSt9nothrow_t, void *, (size_t size, nothrow_tag tag)) \
	f(_ZnamRKSt9nothrow_t, void *, (size_t size, nothrow_tag tag)) \
	f(_ZnwmSt11align_val_t, void *, (size_t size, size_t alignment)) \
	f(_ZnamSt11align_val_t, void *, (size_t size, size_t alignment)) \
	f(_ZnwmSt11align_val_tRKSt9nothrow_t, void *, (size_t size, size_t alignment, nothrow_tag tag)) \
	f(_ZnamSt11align_val_tRKSt9nothrow_t, void *, (size_t size, size_t alignment, nothrow_tag tag)) \
	f(_ZdlPv, void, (void *p)) \
	f(_ZdaPv, void, (void *p)) \
	f(_ZdlPvm, void, (void *p, size_t size)) \
	f(_ZdaPvm, void, (void *p, size_t size)) \
	f(_ZdlPvRKSt9nothrow_t, void, (void *p, nothrow_tag tag)) \
	f(_ZdaPvRKSt9nothrow_t, void, (void *p, nothrow_tag tag)) \
	f(_ZdlPvSt11align_val_t, void, (void *p, size_t alignment)) \
	f(_ZdaPvSt11align_val_t, void, (void *p, size_t alignment)) \
	f(_ZdlPvmSt11align_val_t, void, (void *p, size_t size, size_t alignment)) \
	f(_ZdaPvmSt11align_val_t, void, (void *p, size_t size, size_t alignment)) \
	f(_ZdlPvSt11align_val_tRKSt9nothrow_t, void, (void *p, size_t alignment, nothrow_tag tag)) \
	f(_ZdaPvSt11align_val_tRKSt9nothrow_t, void, (void *p, size_t alignment, nothrow_tag tag))

#define MEMBER(name, type, arguments) type (*name) arguments;
#define DECLARE(name, type, arguments) EXPORTED type name arguments;

static struct { FUNCTIONS(MEMBER) } next;
FUNCTIONS(DECLARE)

/* The code of the allocator, as its library has it; of libc's own, which calls itself by no name, all of libc. */
static uintptr_t allocator_start, allocator_end;

static int allocator_find(struct dl_phdr_info *info, size_t size, void *arg)
{
	uintptr_t within = (uintptr_t)next.malloc;

	(void)size, (void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && within - start < p->p_memsz) {
			allocator_start = start;
			__atomic_store_n(&allocator_end, start + p->p_memsz, __ATOMIC_RELEASE);
			return 1;
		}
	}
	return 0;
}

/* ---- memory while these are looked for: the dynamic linker may want some then ---- */

enum { EARLY = 16 << 10, EARLY_HEAD = 16 };

static char early[EARLY] __attribute__((aligned(EARLY_HEAD)));
static uint32_t early_used;
static int looking;			/* the thread that looks; 0: none */

static bool is_early(const void *p) { return (uintptr_t)p - (uintptr_t)early < EARLY; }
static uint64_t *early_size(void *p) { return (uint64_t *)((char *)p - EARLY_HEAD); }

static bool is_looking(void)
{
	return UNLIKELY(__atomic_load_n(&looking, __ATOMIC_RELAXED)) && looking == (int)sys0(gettid);
}

/* SIZE bytes, zeros; NULL: there are no more. */
static void *early_take(size_t size)
{
	uint32_t all = (uint32_t)((size + 2 * EARLY_HEAD - 1) & -(size_t)EARLY_HEAD), at;

	if (size > EARLY)
		return NULL;
	at = __atomic_fetch_add(&early_used, all, __ATOMIC_RELAXED);
	if (at > EARLY - all)
		return NULL;
	*early_size(early + at + EARLY_HEAD) = size;
	return early + at + EARLY_HEAD;
}

/* What is behind us and is called NAME, into *FOUND.  A library that a program loads by itself may have a C++ runtime that nobody else sees: it is looked for as CALLER
 * would. */
static __attribute__((noinline)) void function_find(void **found, const char *name, const void *caller)
{
	int saved = errno, before = __atomic_exchange_n(&looking, (int)sys0(gettid), __ATOMIC_RELAXED);
	void *handle, *at = dlsym(RTLD_NEXT, name);
	Dl_info info;

	if (!at && caller && dladdr(caller, &info) && (handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)) != NULL)
		at = dlsym(handle, name);
	if (!at)
		dlerror();			/* which the program is not to find */
	__atomic_store_n(found, at, __ATOMIC_RELEASE);
	__atomic_store_n(&looking, before, __ATOMIC_RELAXED);
	errno = saved;
}

#define FIND(name) (LIKELY(next.name != NULL) ? (void)0 : function_find((void **)&next.name, #name, __builtin_return_address(0)))
#define NEXT(name) (FIND(name), next.name)

bool allocation_is_within(const void *code)
{
	if (!allocator_end) {			/* a library's constructor comes before ours */
		FIND(malloc);
		dl_iterate_phdr(allocator_find, NULL);
	}
	return (uintptr_t)code - allocator_start < allocator_end - allocator_start;
}

/* ---- C ---- */

void *malloc(size_t size)
{
	void *p;

	if (is_looking())
		return early_take(size);
	p = NEXT(malloc)(size);
	if (p)
		allocation_freed(heap_entry_take(p));	/* whose end was not told, if there is one */
	return allocation_counted(p, size);
}

void free(void *p)
{
	if (UNLIKELY(!p || is_early(p)))
		return;
	allocation_freed(heap_entry_take(p));
	NEXT(free)(p);
}

/* What does not fit is refused by the one behind. */
static uint64_t product(size_t n, size_t size)
{
	uint64_t all;

	return __builtin_mul_overflow(n, size, &all) ? UINT64_MAX : all;
}

void *calloc(size_t n, size_t size)
{
	return is_looking() ? early_take(product(n, size)) : counted_once(NEXT(calloc)(n, size), product(n, size));
}

/* Q is where what was at P is now, of SIZE bytes, with entry OLD; NULL: it is where it was, unless nothing was to be left of it. */
static void *moved(void *p, struct heap_entry old, void *q, uint64_t size)
{
	if (q || size == 0)
		allocation_freed(old);
	else if (old.place)
		heap_entry_put(p, old);
	return counted_once(q, size);
}

static void *early_move(void *p, size_t size)
{
	void *q = malloc(size);

	if (q)
		mem_copy(q, p, size < *early_size(p) ? size : *early_size(p));
	return q;
}

void *realloc(void *p, size_t size)
{
	struct heap_entry old;

	if (UNLIKELY(is_early(p)))
		return early_move(p, size);
	if (is_looking())
		return p ? NULL : early_take(size);
	old = heap_entry_take(p);
	return moved(p, old, NEXT(realloc)(p, size), size);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	struct heap_entry old;

	if (UNLIKELY(is_early(p)))
		return product(n, size) == UINT64_MAX ? NULL : early_move(p, n * size);
	old = heap_entry_take(p);
	return moved(p, old, NEXT(reallocarray)(p, n, size), product(n, size));
}

void *memalign(size_t alignment, size_t size) { return counted_once(NEXT(memalign)(alignment, size), size); }
void *aligned_alloc(size_t alignment, size_t size) { return counted_once(NEXT(aligned_alloc)(alignment, size), size); }
void *valloc(size_t size) { return counted_once(NEXT(valloc)(size), size); }
void *pvalloc(size_t size) { return counted_once(NEXT(pvalloc)(size), size); }

int posix_memalign(void **p, size_t alignment, size_t size)
{
	int error = NEXT(posix_memalign)(p, alignment, size);

	if (error == 0)
		counted_once(*p, size);
	return error;
}

void free_sized(void *p, size_t size)
{
	if (UNLIKELY(!p || is_early(p)))
		return;
	allocation_freed(heap_entry_take(p));
	if (NEXT(free_sized))
		next.free_sized(p, size);
	else
		NEXT(free)(p);
}

void free_aligned_sized(void *p, size_t alignment, size_t size)
{
	if (UNLIKELY(!p || is_early(p)))
		return;
	allocation_freed(heap_entry_take(p));
	if (NEXT(free_aligned_sized))
		next.free_aligned_sized(p, alignment, size);
	else
		NEXT(free)(p);
}

/* ---- C++: an allocator may bring operators of its own, that do not call malloc ---- */

#define NEW(name, arguments, ...) \
	void *name arguments { return counted_once(NEXT(name) ? next.name(__VA_ARGS__) : malloc(size), size); }

#define DELETE(name, arguments, ...) \
	void name arguments \
	{ \
		allocation_freed(heap_entry_take(p)); \
		if (NEXT(name)) \
			next.name(__VA_ARGS__); \
		else \
			free(p); \
	}

NEW(_Znwm, (size_t size), size)
NEW(_Znam, (size_t size), size)
NEW(_ZnwmRKSt9nothrow_t, (size_t size, nothrow_tag tag), size, tag)
NEW(_ZnamRKSt9nothrow_t, (size_t size, nothrow_tag tag), size, tag)
NEW(_ZnwmSt11align_val_t, (size_t size, size_t alignment), size, alignment)
NEW(_ZnamSt11align_val_t, (size_t size, size_t alignment), size, alignment)
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t size, size_t alignment, nothrow_tag tag), size, alignment, tag)
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t size, size_t alignment, nothrow_tag tag), size, alignment, tag)
DELETE(_ZdlPv, (void *p), p)
DELETE(_ZdaPv, (void *p), p)
DELETE(_ZdlPvm, (void *p, size_t size), p, size)
DELETE(_ZdaPvm, (void *p, size_t size), p, size)
DELETE(_ZdlPvRKSt9nothrow_t, (void *p, nothrow_tag tag), p, tag)
DELETE(_ZdaPvRKSt9nothrow_t, (void *p, nothrow_tag tag), p, tag)
DELETE(_ZdlPvSt11align_val_t, (void *p, size_t alignment), p, alignment)
DELETE(_ZdaPvSt11align_val_t, (void *p, size_t alignment), p, alignment)
DELETE(_ZdlPvmSt11align_val_t, (void *p, size_t size, size_t alignment), p, size, alignment)
DELETE(_ZdaPvmSt11align_val_t, (void *p, size_t size, size_t alignment), p, size, alignment)
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t alignment, nothrow_tag tag), p, alignment, tag)
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t alignment, nothrow_tag tag), p, alignment, tag)

/* Before the program runs: look-ups may take locks and memory. */
static void __attribute__((constructor(101))) allocations_start(void)
{
	FIND(malloc);
	FIND(free);
	FIND(calloc);
	FIND(realloc);
	is_counting();
}
