/* jump.c - longjmp and its kin, and the moment in which an exception lands.
 *
 * Way inline keeps a routine's context in the routine: where control comes back by no return, the routine that receives it puts its own
 * back.  A receiver without hooks cannot.  So who jumps leaves LOST_ID for a context.  A receiver with hooks overwrites that; else
 * the next entry misses, and finds out of line in which context it is: that of the routines with hooks on the machine stack (frames.c).  The
 * shadow stacks of the other ways are told how deep the landing is, and drop the frames below.
 *
 * Whatever the language, unwinders call _Unwind_SetIP right before control lands in a handler or a cleanup; it is a name of libgcc's that
 * libgcc, too, calls by name. C code without exceptions is unwound at a thread's end by __pthread_unwind_next.
 *
 * Calls come here by --wrap from what is linked with the monitor, and by the names themselves (names.S) from shared libraries: a program's own
 * come before theirs. */
#include "jump.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <ucontext.h>

#include "frames.h"

#define EXPORTED __attribute__((visibility("default")))

/* ---- what is lost ---- */

/* What is charged up to here was right still. */
static void lose(void)
{
	struct aprof_tls *tls = &aprof_tls;
	struct thread *t = thread_live(tls);

	if (!tls->current || tls->current == LOST_ID || tls->inert)
		return;
	if (t && tls->last)
		clock_charge_tsc(t, tls->current);
	__atomic_store_n(&tls->current, LOST_ID, __ATOMIC_RELAXED);
}

/* Control lands where the stack pointer is SP; 0: that is not known. */
static void land(uintptr_t sp)
{
	struct thread *t = thread_live(&aprof_tls);

	if (t && sp && !aprof_tls.inert && monitor.header->way & ~(1u << AMON_WAY_INLINE))
		stack_return(t, sp + 1, NULL);	/* a routine that was called from there has its CFA there, or below */
	lose();
}

/* ---- and found ---- */

/* Out of the monitor's own code, in which F is.  False: the stack cannot be read that far. */
static bool leave_monitor(struct frames *f)
{
	while (f->how == UNWIND_STEPPED && is_own_code(f->at.reg[UNWIND_RIP]))
		f->how = unwind_step(&f->at);
	return f->how == UNWIND_STEPPED;
}

/* The sampler's looks at T, if there were any while it was lost, belong to FOUND. */
static context_id tell(struct thread *t, context_id found)
{
	if (found && __atomic_load_n(&t->lost_ticks, __ATOMIC_ACQUIRE) && !__atomic_load_n(&t->found, __ATOMIC_ACQUIRE))
		__atomic_store_n(&t->found, found, __ATOMIC_RELEASE);
	return found;
}

context_id jump_entered(struct thread *t, context_id *back)
{
	struct unwind u;
	struct frames f;
	struct hooked_frame first;
	context_id found;

	unwind_here(&u);
	frames_begin(&f, &u);
	if (leave_monitor(&f))
		f.how = unwind_step(&f.at);	/* the routine that is entered */
	found = tell(t, frames_context(t, &f, false));
	frames_next(&f, &first);
	*back = f.past_signal ? LOST_ID : found;
	return found;
}

context_id jump_here(struct thread *t)
{
	struct unwind u;
	struct frames f;

	unwind_here(&u);
	frames_begin(&f, &u);
	leave_monitor(&f);
	return tell(t, frames_context(t, &f, false));
}

/* Whether an entry hook has been passed, or an exit hook, is open in the routine that was interrupted.  It is its time, and the thread's context
 * stays lost. */
context_id jump_interrupted(struct thread *t, const void *ucontext)
{
	struct unwind u;
	struct frames f;

	unwind_interrupted(&u, ucontext);
	if (t != thread_live(&aprof_tls) || t->tls->inert || t->busy || is_own_code(u.reg[UNWIND_RIP]))
		return 0;
	frames_begin(&f, &u);
	return tell(t, frames_context(t, &f, true));
}

/* ---- the functions behind ours ---- */

/* A search for the function NAME among the modules. */
struct search {
	const char *name;
	uintptr_t ours;			/* address in our own module */
	bool is_behind;			/* that has been passed */
	void *before, *found;		/* first one up to there, and behind; NULL: none */
};

/* An address of a dynamic section, which libc may or may not have made one of the process. */
static const void *dynamic_address(const struct dl_phdr_info *m, uintptr_t value)
{
	return (const void *)(value < m->dlpi_addr ? value + m->dlpi_addr : value);
}

/* What the names of a module's dynamic section are looked up by. */
struct names {
	const ElfW(Sym) *symbols;
	const char *strings;
	const uint32_t *hash;		/* DT_GNU_HASH */
	const uint16_t *versions;	/* NULL: none */
};

static struct names names_of(const struct dl_phdr_info *m)
{
	struct names n = { NULL, NULL, NULL, NULL };
	const ElfW(Dyn) *d = NULL;

	for (int i = 0; i < m->dlpi_phnum; i++)
		if (m->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const void *)(m->dlpi_addr + m->dlpi_phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++) {
		const void *at = dynamic_address(m, d->d_un.d_ptr);

		if (d->d_tag == DT_SYMTAB)
			n.symbols = at;
		else if (d->d_tag == DT_STRTAB)
			n.strings = at;
		else if (d->d_tag == DT_GNU_HASH)
			n.hash = at;
		else if (d->d_tag == DT_VERSYM)
			n.versions = at;
	}
	return n;
}

static bool is_function(const struct names *n, uint32_t i, const char *name)
{
	const ElfW(Sym) *s = &n->symbols[i];

	return s->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s->st_info) == STT_FUNC && !(n->versions && n->versions[i] & 0x8000) &&
	       str_equal(n->strings + s->st_name, name);
}

static void *function_in(const struct dl_phdr_info *m, const char *name)
{
	struct names n = names_of(m);
	const uint32_t *buckets, *chain;
	uint32_t hash = 5381, i;

	if (!n.hash || !n.symbols || !n.strings || !n.hash[0])
		return NULL;
	for (const char *c = name; *c; c++)
		hash = hash * 33 + (uint8_t)*c;
	buckets = n.hash + 4 + n.hash[2] * (sizeof(uintptr_t) / sizeof *n.hash);
	chain = buckets + n.hash[0];
	i = buckets[hash % n.hash[0]];
	for (bool last = i < n.hash[1]; !last; i++) {
		uint32_t other = chain[i - n.hash[1]];

		if ((other | 1) == (hash | 1) && is_function(&n, i, name))
			return (void *)(m->dlpi_addr + n.symbols[i].st_value);
		last = other & 1;
	}
	return NULL;
}

static int visit_module(struct dl_phdr_info *m, size_t size, void *arg)
{
	struct search *s = arg;
	bool is_ours = false;

	(void)size;
	for (int i = 0; i < m->dlpi_phnum; i++)
		is_ours |= m->dlpi_phdr[i].p_type == PT_LOAD && s->ours - m->dlpi_addr - m->dlpi_phdr[i].p_vaddr < m->dlpi_phdr[i].p_memsz;
	if (is_ours)
		s->is_behind = true;
	else if (s->is_behind)
		s->found = function_in(m, s->name);
	else if (!s->before)
		s->before = function_in(m, s->name);
	return s->found != NULL;
}

/* The function NAME of the modules behind ours, as the dynamic linker would find it, but by no lock that a handler could have interrupted
 * beyond the first time: WHERE keeps it. */
static void *behind(void **where, const char *name)
{
	struct search s = { .name = name, .ours = (uintptr_t)&monitor };

	if (!*where) {
		dl_iterate_phdr(visit_module, &s);
		*where = s.found ? s.found : s.before;
	}
	return *where;
}

/* Of each: the function itself in a static program (--wrap), NULL or names.S's elsewhere; that of names.S; and what is behind. */
#ifdef APROF_MCOUNT
#define REAL(name, type) \
	static void *name##_behind; \
	static type *real_##name(void) { return (type *)behind(&name##_behind, #name); }
#else
#define REAL(name, type) \
	extern type __real_##name __attribute__((weak)); \
	extern type aprof_name_##name __attribute__((weak)); \
	static void *name##_behind; \
	static type *real_##name(void) \
	{ \
		type *volatile real = __real_##name, *volatile ours = aprof_name_##name; \
	\
		return real && real != ours ? real : (type *)behind(&name##_behind, #name); \
	}
#endif

typedef void jump_function(struct __jmp_buf_tag *env, int value);
typedef void end_function(void *value);
typedef void set_function(void *frame, uintptr_t pc);
typedef uintptr_t get_function(void *frame);
typedef int context_function(const ucontext_t *to);

REAL(longjmp, jump_function)
REAL(_longjmp, jump_function)
REAL(siglongjmp, jump_function)
REAL(__longjmp_chk, jump_function)
REAL(setcontext, context_function)
REAL(pthread_exit, end_function)
REAL(__pthread_unwind_next, end_function)
REAL(_Unwind_SetIP, set_function)

/* Before the program runs: the search takes the dynamic linker's lock. */
static void __attribute__((constructor(101))) find_all(void)
{
	real_longjmp();
	real__longjmp();
	real_siglongjmp();
	real___longjmp_chk();
	real_setcontext();
	real_pthread_exit();
	real___pthread_unwind_next();
	real__Unwind_SetIP();
}

/* ---- the jumps ---- */

/* Where ENV leads to; 0: unknown. */
static uintptr_t stack_of(const struct __jmp_buf_tag *env)
{
#if defined(__GLIBC__) && defined(__x86_64__)
	uintptr_t sp = ((const uintptr_t *)env)[6];

	__asm__("rorq $17, %0\n\txorq %%fs:48, %0" : "+r"(sp));
	return sp;
#else
	(void)env;
	return 0;
#endif
}

#define JUMP(name) \
	EXPORTED jump_function __wrap_##name; \
	void __wrap_##name(struct __jmp_buf_tag *env, int value) \
	{ \
		land(stack_of(env)); \
		real_##name()(env, value); \
		__builtin_unreachable();	/* and so no jump: whoever reads the stack meanwhile is to see that it is being left */ \
	}
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)

EXPORTED context_function __wrap_setcontext;
EXPORTED end_function __wrap_pthread_exit, __wrap___pthread_unwind_next;
EXPORTED set_function __wrap__Unwind_SetIP;

int __wrap_setcontext(const ucontext_t *to)
{
	land((uintptr_t)to->uc_mcontext.gregs[REG_RSP]);
	return real_setcontext()(to);
}

void __wrap_pthread_exit(void *value)
{
	lose();
	real_pthread_exit()(value);
}

void __wrap___pthread_unwind_next(void *buffer)
{
	lose();
	real___pthread_unwind_next()(buffer);
}

extern get_function _Unwind_GetCFA __attribute__((weak));

void __wrap__Unwind_SetIP(void *frame, uintptr_t pc)
{
	static void *get_behind;
	get_function *get = _Unwind_GetCFA;

	get = get ? get : (get_function *)behind(&get_behind, "_Unwind_GetCFA");
	land(get ? get(frame) : 0);
	real__Unwind_SetIP()(frame, pc);
}

#ifdef APROF_MCOUNT
/* As in wrap.c. */
#define FRONT(name) extern __typeof(__wrap_##name) aprof_front_##name __attribute__((alias("__wrap_" #name), visibility("hidden")))
FRONT(longjmp);
FRONT(_longjmp);
FRONT(siglongjmp);
FRONT(__longjmp_chk);
FRONT(setcontext);
FRONT(pthread_exit);
FRONT(__pthread_unwind_next);
FRONT(_Unwind_SetIP);
#endif
