/* originals.c - the functions of libc and libgcc that the monitor stands in front of. */
#include "inside/stacks/originals.h"

#include <elf.h>
#include <link.h>

#include "inside/monitor.h"
#include "inside/state.h"
#include "inside/sys.h"

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

static struct names original_names_of(const struct dl_phdr_info *m)
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

static bool original_is_function(const struct names *n, uint32_t i, const char *name)
{
	const ElfW(Sym) *s = &n->symbols[i];
	unsigned type = ELF64_ST_TYPE(s->st_info);

	/* Assembly may not say what it is, as libgo's does not. */
	return s->st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_NOTYPE) && !(n->versions && n->versions[i] & 0x8000) &&
	       str_equal(n->strings + s->st_name, name);
}

static void *function_in(const struct dl_phdr_info *m, const char *name)
{
	struct names n = original_names_of(m);
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

		if ((other | 1) == (hash | 1) && original_is_function(&n, i, name))
			return (void *)(m->dlpi_addr + n.symbols[i].st_value);
		last = other & 1;
	}
	return NULL;
}

static bool original_is_in(const struct dl_phdr_info *m, uintptr_t address)
{
	bool is = false;

	for (int i = 0; i < m->dlpi_phnum; i++)
		is |= m->dlpi_phdr[i].p_type == PT_LOAD && address - m->dlpi_addr - m->dlpi_phdr[i].p_vaddr < m->dlpi_phdr[i].p_memsz;
	return is;
}

static int visit_module(struct dl_phdr_info *m, size_t size, void *arg)
{
	struct search *s = arg;

	(void)size;
	if (original_is_in(m, s->ours))
		s->is_behind = true;
	else if (s->is_behind)
		s->found = function_in(m, s->name);
	else if (!s->before)
		s->before = function_in(m, s->name);
	return s->found != NULL;
}

void *original(void **where, const char *name)
{
	struct search s = { .name = name, .ours = (uintptr_t)&monitor };

	if (!*where) {
		dl_iterate_phdr(visit_module, &s);
		*where = s.found ? s.found : s.before;
	}
	return *where;
}

static int visit_library(struct dl_phdr_info *m, size_t size, void *arg)
{
	struct search *s = arg;

	(void)size;
	if (!original_is_in(m, s->ours) && !function_in(m, "exit") && !function_in(m, "__aprof_entry"))
		s->found = function_in(m, s->name);
	return s->found != NULL;
}

void *original_of_library(const char *name)
{
	struct search s = { .name = name, .ours = (uintptr_t)&monitor };

	dl_iterate_phdr(visit_library, &s);
	return s.found;
}

/* ---- hooks of a program's own, in a shared library ---- */

/* What the plain names of way cyg's hooks lead to; NULL: the monitor's (hooks.S). */
void *aprof_own_enter HIDDEN, *aprof_own_exit HIDDEN;

/* Nothing but what calls the plain names asks: what is linked by another way, where a program's own -finstrument-functions is not the monitor's
 * business. */
static void __attribute__((constructor(101))) find_own_hooks(void)
{
	aprof_own_enter = original_of_library("__cyg_profile_func_enter");
	aprof_own_exit = aprof_own_enter ? original_of_library("__cyg_profile_func_exit") : NULL;
}

static int visit_first(struct dl_phdr_info *m, size_t size, void *arg)
{
	struct search *s = arg;

	(void)size;
	s->found = function_in(m, s->name);
	s->is_behind = original_is_in(m, s->ours);
	return s->found != NULL;
}

bool original_is_first(const char *name)
{
	struct search s = { .name = name, .ours = (uintptr_t)&monitor };

	return dl_iterate_phdr(visit_first, &s) == 0 || s.is_behind;
}
