/* text.c - from a symbol table to gprof's table of routines. */
#include "read/gmon/text.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "read/symbols/binary.h"
#include "read/symbols/demangle.h"
#include "read/symbols/debug_info.h"
#include "read/gmon/text_arcs.h"
#include "read/gmon/text_lines.h"
#include "read/gmon/text_map.h"
#include "read/gmon/text_table.h"

struct text_own {
	struct binary binary;	/* names are in it */
	struct debug_info debug;	/* its lines */
	struct arena arena;	/* display names */
	struct gmon_symbol *functions; /* all of the file, those that gprof leaves out, too; by address */
	size_t nfunctions;	/* how many */
	struct text_map map;	/* -R; empty: none */
};

static const Dwfl_Callbacks callbacks = { .find_debuginfo = dwfl_standard_find_debuginfo };

enum verdict { IS_LABEL, IS_ROUTINE, HAS_SUFFIX };

/* What NAME says: a routine's name may end with suffixes .clone, .constprop and .123; other dots are in names of object files and of
 * other clones, which gprof leaves out. */
static enum verdict name_judge(const char *name)
{
	static const char *const known[] = { ".clone.", ".constprop." };
	const char *p = name + strcspn(name, ".$");
	size_t digits;

	if (!*p)
		return IS_ROUTINE;
	while (*p == '.') {
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			if (strncmp(p, known[i], strlen(known[i])) == 0 && p[strlen(known[i])]) {
				p += strlen(known[i]) - 1;
				break;
			}
		digits = strspn(++p, "0123456789");
		p += digits;
		if (*p && (digits == 0 || *p != '.'))
			return IS_LABEL;
	}
	return *p ? IS_LABEL : HAS_SUFFIX;
}

/* Whether a local symbol names a routine for gprof, which reads on behind a name that ends with a suffix: the next name of the table of
 * strings, which ends at END, decides.  So do we, since all numbers behind depend on it: most clones are left out. */
static bool is_routine_name(const char *name, const char *end)
{
	enum verdict verdict;

	if (!*name || strncmp(name, "__gnu_compiled", 14) == 0 || strncmp(name, "___gnu_compiled", 15) == 0)
		return false;
	while ((verdict = name_judge(name)) == HAS_SUFFIX) {
		name += strlen(name) + 1;
		if (name >= end)
			return true;
	}
	return verdict == IS_ROUTINE;
}

/* Where the table of strings that holds NAME ends: that of a symbol table of ELF.  NAME itself if it is in none. */
static const char *strings_end(Elf *elf, const char *name)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data = NULL;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_STRTAB)
			data = elf_getdata(section, NULL);
		if (data && data->d_buf && name >= (const char *)data->d_buf && name < (const char *)data->d_buf + data->d_size)
			return (const char *)data->d_buf + data->d_size;
	}
	return name;
}

/* Whether section INDEX of ELF holds code; false for the indices that are none. */
static bool is_code_section(Elf *elf, const GElf_Sym *symbol, GElf_Word index)
{
	Elf_Scn *section;
	GElf_Shdr header;

	if (symbol->st_shndx == SHN_UNDEF || (symbol->st_shndx >= SHN_LORESERVE && symbol->st_shndx != SHN_XINDEX))
		return false;
	section = elf_getscn(elf, index);
	return section && gelf_getshdr(section, &header) && (header.sh_flags & SHF_EXECINSTR);
}

/* Whether SYMBOL is one that gprof looks at. */
static bool text_is_wanted(const struct text_options *o, const char *name, const char *end, const GElf_Sym *symbol, bool code)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info), bind = GELF_ST_BIND(symbol->st_info);

	if (type == STT_SECTION || type == STT_FILE || type == STT_GNU_IFUNC || symbol->st_shndx == SHN_UNDEF)
		return false;
	if (bind == STB_WEAK)
		return type != STT_OBJECT && symbol->st_shndx != SHN_UNDEF;
	if (bind == STB_GLOBAL)
		return code;
	if (bind != STB_LOCAL || !code || o->no_static)
		return false;
	return is_routine_name(name, end) && !(o->functions_only && type != STT_FUNC);
}

/* Let S stand for its object file, if the map knows it.  False: another symbol does. */
static bool symbol_map(const struct text_map *map, struct gmon_symbol *s)
{
	const struct text_place *place = text_map_find(map, s->name);

	if (place && place->first) {
		s->name = place->file;
		s->mapped = true;
	}
	return !place || place->first;
}

static bool symbols_read(struct text *t, const struct text_options *o)
{
	struct binary *b = &t->own->binary;
	int n = dwfl_module_getsymtab(b->module);
	const char *end = NULL;
	Elf *table = NULL;

	t->symbols = calloc(n > 0 ? (size_t)n : 1, sizeof *t->symbols);
	t->own->functions = calloc(n > 0 ? (size_t)n : 1, sizeof *t->symbols);
	if (!t->symbols || !t->own->functions)
		return false;
	for (int i = 1; i < n; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		GElf_Word section = 0;
		Elf *elf = NULL;
		struct gmon_symbol s;
		bool code;
		const char *name = dwfl_module_getsym_info(b->module, i, &symbol, &address, &section, &elf, NULL);

		if (name && elf != table) {
			table = elf;
			end = strings_end(elf, name);
		}
		if (!name)
			continue;
		code = is_code_section(elf, &symbol, section);
		s = (struct gmon_symbol){ .name = name, .start = address, .local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL,
			.function = GELF_ST_TYPE(symbol.st_info) == STT_FUNC };
		if (code && *name && (s.function || GELF_ST_TYPE(symbol.st_info) == STT_NOTYPE))
			t->own->functions[t->own->nfunctions++] = s;
		s.order = (uint32_t)t->n;
		if (text_is_wanted(o, name, end, &symbol, code) && symbol_map(&t->own->map, &s))
			t->symbols[t->n++] = s;
	}
	return true;
}

/* The table while it is sorted: symbols of one address stay in the order of the file. */
struct sorted_symbol {
	const struct gmon_symbol *symbol;
	size_t order;		/* in the file */
};

static int gprof_text_compare(const void *left, const void *right)
{
	const struct sorted_symbol *p = left, *q = right;
	const struct gmon_symbol *a = p->symbol, *b = q->symbol;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->function != b->function)
		return a->function ? -1 : 1;
	if (a->local != b->local)
		return a->local ? 1 : -1;
	return (p->order > q->order) - (p->order < q->order);
}

/* Whether A stays rather than B, which is at the same address and came first. */
static bool text_is_better(const struct gmon_symbol *a, const struct gmon_symbol *b)
{
	if (a->local != b->local)
		return !a->local;
	if (a->function != b->function)
		return a->function;
	if (a->name[0] != '_' || b->name[0] != '_')
		return a->name[0] != '_' && b->name[0] == '_';
	return a->name[1] != '_' && b->name[1] == '_';
}

/* One of each address; each reaches to the next, and the last to the END of the text. */
static void text_settle(struct gmon_symbol *to, size_t *n, const struct sorted_symbol *places, uint64_t end)
{
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++) {
		const struct gmon_symbol *s = places[i].symbol;

		if (kept > 0 && to[kept - 1].start == s->start) {
			if (text_is_better(s, &to[kept - 1]))
				to[kept - 1] = *s;
			continue;
		}
		if (kept > 0)
			to[kept - 1].last = s->start - 1;
		to[kept++] = *s;
	}
	if (kept > 0)
		to[kept - 1].last = end - 1;
	*n = kept;
}

/* Section .text, or all code there is. */
static struct area text_area(const struct binary *b)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t strings;
	const char *name;

	if (elf_getshdrstrndx(b->elf, &strings) == 0)
		while ((section = elf_nextscn(b->elf, section)))
			if (gelf_getshdr(section, &header) && (name = elf_strptr(b->elf, strings, header.sh_name))
			    && strcmp(name, ".text") == 0)
				return (struct area){ .start = header.sh_addr, .end = header.sh_addr + header.sh_size };
	if (b->ncode == 0)
		return (struct area){ .start = 0, .end = 1 };
	return (struct area){ .start = b->code[0].start, .end = b->code[b->ncode - 1].end };
}

/* Sort the *N symbols at *SYMBOLS and settle them; the array is replaced. */
static bool text_sort(struct gmon_symbol **symbols, size_t *n, uint64_t end)
{
	struct sorted_symbol *places = calloc(*n + 1, sizeof *places);
	struct gmon_symbol *sorted = calloc(*n + 1, sizeof *sorted);

	if (!places || !sorted) {
		free(places);
		free(sorted);
		return false;
	}
	for (size_t i = 0; i < *n; i++)
		places[i] = (struct sorted_symbol){ &(*symbols)[i], i };
	qsort(places, *n, sizeof *places, gprof_text_compare);
	text_settle(sorted, n, places, end);
	free(places);
	free(*symbols);
	*symbols = sorted;
	return true;
}

/* Put the lines between the functions. */
static bool lines_join(struct text *t)
{
	struct area text = text_area(&t->own->binary);
	struct gmon_symbol *lines, *all;
	size_t n;

	if (!text_sort(&t->own->functions, &t->own->nfunctions, text.end))
		return false;
	lines = text_lines(&t->own->binary, text.start, text.end, &(struct text_functions){ t->symbols, t->n, t->own->functions,
			   t->own->nfunctions }, &n);
	all = lines ? reallocarray(lines, n + t->n + 1, sizeof *all) : NULL;

	if (!all) {
		free(lines);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		all[i].order = (uint32_t)(t->n + i);
	memcpy(all + n, t->symbols, t->n * sizeof *all);
	free(t->symbols);
	t->symbols = all;
	t->n += n;
	if (!text_sort(&t->symbols, &t->n, text.end))
		return false;
	t->n -= t->symbols[t->n - 1].last < t->symbols[t->n - 1].start;	/* it is not in the text */
	return true;
}

static bool display_make(struct text *t, struct gmon_symbol *s, bool mangled)
{
	char *plain = mangled ? NULL : demangle_as_gprof(s->name);

	s->display = plain ? arena_copy(&t->own->arena, plain, strlen(plain)) : s->name;
	free(plain);
	return s->display != NULL;
}

static bool names_finish(struct text *t, const struct text_options *o)
{
	if (!o->table && !debug_read(&t->own->debug, &t->own->binary))
		return false;
	for (size_t i = 0; i < t->n; i++) {
		struct gmon_symbol *s = &t->symbols[i];

		if (!s->file && !o->table && !debug_line(&t->own->debug, s->start, &s->file, &s->line))
			s->file = NULL;
		if (!display_make(t, s, o->mangled))
			return false;
	}
	return true;
}

static void layout_of(const struct binary *b, struct gmon_layout *layout)
{
	GElf_Ehdr header;

	*layout = (struct gmon_layout){ .word = 8 };
	if (gelf_getehdr(b->elf, &header)) {
		layout->word = header.e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
		layout->big = header.e_ident[EI_DATA] == ELFDATA2MSB;
	}
}

static bool text_finish(struct text *t, const struct text_options *o)
{
	if (!text_sort(&t->symbols, &t->n, text_area(&t->own->binary).end) || (o->lines && !lines_join(t)) || !names_finish(t, o))
		return false;
	return !o->map || (t->others = text_map_others(&t->own->map, t, &t->nothers));
}

static bool text_fill(struct text *t, const char *path, const struct text_options *options, struct error *err)
{
	if (!binary_open(&t->own->binary, path, &callbacks, err))
		return false;
	layout_of(&t->own->binary, &t->layout);
	if (options->map && !text_map_read(options->map, &t->own->arena, &t->own->map, err))
		return false;
	if (options->table && !text_table_read(options->table, &t->own->arena, &t->symbols, &t->n, err))
		return false;
	if (!options->table && !symbols_read(t, options))
		return error_no_memory_for(err, path);
	if (t->n == 0)
		return error_set(err, ERROR_NO_SYMBOLS, ERROR_NO_OFFSET,
			"%s: no symbols: it was stripped, and no file with its debug information was found", path);
	return text_finish(t, options) || error_no_memory_for(err, path);
}

struct text *text_read(const char *path, const struct text_options *options, struct error *err)
{
	struct text *t = calloc(1, sizeof *t);

	if (t)
		t->own = calloc(1, sizeof *t->own);
	if (!t || !t->own)
		error_no_memory_for(err, path);
	else if (text_fill(t, path, options, err))
		return t;
	text_free(t);
	return NULL;
}

void text_free(struct text *t)
{
	if (t && t->own) {
		debug_free(&t->own->debug);
		binary_close(&t->own->binary);
		arena_free(&t->own->arena);
		text_map_free(&t->own->map);
		free(t->own->functions);
		free(t->own);
	}
	if (t) {
		free(t->symbols);
		free(t->others);
	}
	free(t);
}

struct gmon_arc *text_static_arcs(const struct text *t, size_t *n)
{
	return text_arcs_find(&t->own->binary, t->symbols, t->n, n);
}
