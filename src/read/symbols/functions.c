/* functions.c - from symbol tables to functions.
 *
 *     symbols, Go's own table -> labels (sorted, in code) -> functions (one an address) -> ranges (who covers what)
 *
 * A label makes a function if it is one by its type, or untyped and not inside another function.  A
 * function without a size reaches to the next function, a local untyped label not being one (it is a
 * branch target), to the end of the function that it lies in, or to the end of its section. */
#include "read/symbols/functions.h"

#include <assert.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "read/symbols/go_table.h"

/* Whether a symbol may name code: assemblers' own labels do not. */
static bool is_code_name(const char *name, unsigned type)
{
	if (!name || !*name)
		return false;
	return type != STT_NOTYPE || (name[0] != '$' && name[0] != '.');
}

/* NAME without the default version that linkers append to it. */
static const char *without_version(const char *name, struct arena *arena)
{
	const char *at = strstr(name, "@@");

	return at && at > name ? arena_copy(arena, name, at - name) : name;
}

/* Take one symbol in if it is code. False: out of memory. */
static bool add_label(struct functions *f, const struct binary *b, struct arena *arena, const char *name,
		      const GElf_Sym *symbol, GElf_Addr address, const char *unit)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info), bind = GELF_ST_BIND(symbol->st_info);
	bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
	struct label *label = &f->labels[f->nlabels];

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS
	    || (!function && type != STT_NOTYPE) || !is_code_name(name, type))
		return true;
	if (b->machine == EM_ARM)
		address &= ~(GElf_Addr)1;
	if (!binary_area(b, address))
		return true;
	*label = (struct label){ .start = address, .size = symbol->st_size, .function = function, .indirect = type == STT_GNU_IFUNC,
				 .name = without_version(name, arena),
				 .local = bind == STB_LOCAL, .weak = bind == STB_WEAK };
	label->unit = label->local ? unit : NULL;
	f->nlabels++;
	return label->name != NULL;
}

/* Note what tells the language of the code, of which NAME may be only data, or be used here.  False: out of memory. */
static bool note_language(struct functions *f, const char *name, unsigned type)
{
	size_t n = strlen(name);

	f->fortran |= strncmp(name, "_gfortran_", 10) == 0;
	f->ada |= strcmp(name, "adainit") == 0;
	if (type != STT_OBJECT || n < 3 || strcmp(name + n - 2, "_E") != 0)
		return true;
	if ((f->nunits & (f->nunits - 1)) == 0) {
		const char **units = reallocarray(f->units, f->nunits ? 2 * f->nunits : 1, sizeof *units);

		if (!units)
			return false;
		f->units = units;
	}
	f->units[f->nunits++] = name;
	return true;
}

static int compare_units(const void *p, const void *q)
{
	return strcmp(*(const char *const *)p, *(const char *const *)q);
}

bool functions_has_unit(const struct functions *f, const char *name, size_t length)
{
	size_t low = 0, high = f->nunits;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strncmp(f->units[middle], name, length);

		if (order == 0)
			order = strcmp(f->units[middle] + length, "_E");
		if (order == 0)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static bool read_labels(struct functions *f, const struct binary *b, struct arena *arena)
{
	int n = dwfl_module_getsymtab(b->module);
	const char *unit = NULL;
	Elf *table = NULL;

	f->labels = calloc(n > 0 ? n : 1, sizeof *f->labels);
	if (!f->labels)
		return false;
	for (int i = 1; i < n; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		Elf *elf;
		const char *name = dwfl_module_getsym_info(b->module, i, &symbol, &address, NULL, &elf, NULL);
		if (elf != table)
			unit = NULL;
		table = elf;
		if (name && !note_language(f, name, GELF_ST_TYPE(symbol.st_info)))
			return false;
		if (name && GELF_ST_TYPE(symbol.st_info) == STT_FILE)
			unit = *name ? name : NULL;
		else if (name && !add_label(f, b, arena, name, &symbol, address, unit))
			return false;
	}
	return true;
}

/* The labels of Go's own table that B's symbols lack, behind these: stripped programs of Go's have none.  False: out of memory. */
static bool read_go_labels(struct functions *f, const struct binary *b)
{
	struct go_table go;
	struct go_function function;
	size_t n = f->nlabels, at = 0;
	struct label *labels;

	if (!go_table_read(&go, b))
		return true;
	labels = reallocarray(f->labels, n + go.n + 1, sizeof *labels);
	if (!labels)
		return false;
	f->labels = labels;
	for (uint32_t i = 0; i < go.n; i++) {
		if (!go_table_function(&go, i, &function) || !*function.name || !binary_area(b, function.start))
			continue;
		while (at < n && labels[at].start < function.start)
			at++;
		if (at == n || labels[at].start != function.start)
			labels[f->nlabels++] = (struct label){ .start = function.start, .size = function.end - function.start, .name = function.name, .function = true };
	}
	return true;
}

static size_t underscores(const char *name)
{
	return strncmp(name, "_Z", 2) && strncmp(name, "_R", 2) ? strspn(name, "_") : 0;
}

/* Below 0: P is the better name; see struct symbol for the order. */
static int compare_names(const struct label *p, const struct label *q)
{
	size_t a = underscores(p->name), b = underscores(q->name);

	if (p->function != q->function)
		return p->function ? -1 : 1;
	if (p->local != q->local)
		return p->local ? 1 : -1;
	if (a != b)
		return a < b ? -1 : 1;
	if (p->weak != q->weak)
		return p->weak ? 1 : -1;
	a = strlen(p->name);
	b = strlen(q->name);
	return a != b ? (a < b ? -1 : 1) : strcmp(p->name, q->name);
}

static int compare_labels(const void *p, const void *q)
{
	const struct label *a = p, *b = q;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return compare_names(a, b);
}

/* The labels from FIRST on that share its address. */
static size_t count_labels(const struct functions *f, size_t first)
{
	size_t i = first;

	while (i < f->nlabels && f->labels[i].start == f->labels[first].start)
		i++;
	return i - first;
}

/* What was open when the sweep came to an address: functions, the innermost last. */
struct open {
	uint64_t end;		/* where it ends, at the latest if it has no size */
	uint32_t function;	/* index in functions[] */
	bool sized;		/* its end was said */
};

struct sweep {
	struct functions *f;	/* what is made */
	struct open *stack;	/* open functions */
	size_t depth;		/* how many */
	uint64_t at;		/* everything below is settled */
};

/* The innermost open function owns what is between the last stop and TO. */
static void own_until(struct sweep *s, uint64_t to)
{
	struct functions *f = s->f;

	assert(f->nranges <= 2 * f->nlabels);	/* the room is for one more */
	if (s->depth && to > s->at)
		f->ranges[f->nranges++] = (struct range){ s->at, to, s->stack[s->depth - 1].function };
	s->at = to > s->at ? to : s->at;
}

/* Close what ends at or before ADDRESS. */
static void advance(struct sweep *s, uint64_t address)
{
	while (s->depth && s->stack[s->depth - 1].end <= address) {
		own_until(s, s->stack[s->depth - 1].end);
		s->depth--;
	}
	own_until(s, address);
}

/* Whether the labels from FIRST begin a function here. */
static bool begins_function(const struct sweep *s, const struct label *best)
{
	if (best->function || !s->depth)
		return true;
	return !best->local && !s->stack[s->depth - 1].sized;
}

/* Largest size that one of the N labels at P gives. */
static uint64_t group_size(const struct label *p, size_t n)
{
	uint64_t size = 0;

	for (size_t i = 0; i < n; i++)
		if (p[i].size > size && (p[i].function || !p[0].function))
			size = p[i].size;
	return size;
}

static void open_function(struct sweep *s, const struct binary *b, size_t first, size_t n)
{
	struct functions *f = s->f;
	const struct label *best = &f->labels[first];
	uint64_t size = group_size(best, n), end = binary_area(b, best->start)->end;

	if (s->depth && !s->stack[s->depth - 1].sized)
		f->functions[s->stack[--s->depth].function].end = best->start;
	if (!size && s->depth && s->stack[s->depth - 1].end < end)
		end = s->stack[s->depth - 1].end;
	if (size && size < end - best->start)
		end = best->start + size;
	assert(end > best->start && s->depth < f->nlabels);
	s->stack[s->depth++] = (struct open){ end, f->nfunctions, size != 0 };
	f->functions[f->nfunctions++] = (struct function){
		.start = best->start, .end = end, .label = first, .nlabels = n,
		.clone = clone_parse(best->name) };
}

/* Make functions and ranges. There are at most two ranges for each function: it and the rest of the one around it. */
static bool make_functions(struct functions *f, const struct binary *b)
{
	struct sweep s = { .f = f, .stack = calloc(f->nlabels + 1, sizeof *s.stack) };

	f->functions = calloc(f->nlabels + 1, sizeof *f->functions);
	f->ranges = calloc(2 * f->nlabels + 1, sizeof *f->ranges);
	if (!s.stack || !f->functions || !f->ranges) {
		free(s.stack);
		return false;
	}
	for (size_t i = 0, n; i < f->nlabels; i += n) {
		n = count_labels(f, i);
		advance(&s, f->labels[i].start);
		if (begins_function(&s, &f->labels[i]))
			open_function(&s, b, i, n);
	}
	advance(&s, UINT64_MAX);
	free(s.stack);
	return true;
}

static int compare_bases(const struct function_name *a, const struct function_name *b)
{
	int order = memcmp(a->name, b->name, a->base < b->base ? a->base : b->base);

	return order ? order : (a->base > b->base) - (a->base < b->base);
}

static int compare_bases_then_addresses(const void *p, const void *q)
{
	const struct function_name *a = p, *b = q;
	int order = compare_bases(a, b);

	return order ? order : (a->function > b->function) - (a->function < b->function);
}

static struct function_name functions_name_of(const struct functions *f, uint32_t function, uint32_t label)
{
	const char *name = f->labels[f->functions[function].label + label].name;

	return (struct function_name){ name, clone_parse(name).base, function };
}

static bool sort_by_base(struct functions *f)
{
	if (f->by_base)
		return true;
	f->names = calloc(f->nlabels + 1, sizeof *f->names);
	f->by_base = calloc(f->nlabels + 1, sizeof *f->by_base);
	if (!f->names || !f->by_base) {
		free(f->names);
		free(f->by_base);
		f->names = NULL;
		f->by_base = NULL;
		return false;
	}
	for (uint32_t i = 0; i < f->nfunctions; i++)
		for (uint32_t k = 0; k < f->functions[i].nlabels; k++)
			f->names[f->nnames++] = functions_name_of(f, i, k);
	qsort(f->names, f->nnames, sizeof *f->names, compare_bases_then_addresses);
	for (size_t i = 0; i < f->nnames; i++)
		f->by_base[i] = f->names[i].function;
	return true;
}

bool functions_read(struct functions *f, const struct binary *b, struct arena *arena)
{
	memset(f, 0, sizeof *f);
	if (!read_labels(f, b, arena))
		return false;
	qsort(f->labels, f->nlabels, sizeof *f->labels, compare_labels);
	if (!read_go_labels(f, b))
		return false;
	qsort(f->labels, f->nlabels, sizeof *f->labels, compare_labels);
	if (f->nunits)
		qsort(f->units, f->nunits, sizeof *f->units, compare_units);
	return make_functions(f, b);
}

void functions_free(struct functions *f)
{
	free(f->labels);
	free(f->functions);
	free(f->ranges);
	free(f->names);
	free(f->by_base);
	free(f->units);
	memset(f, 0, sizeof *f);
}

uint32_t functions_find(const struct functions *f, uint64_t address)
{
	size_t low = 0, high = f->nranges;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (f->ranges[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < f->ranges[low - 1].end ? f->ranges[low - 1].function : FUNCTION_NONE;
}

/* The first place in names[] whose base is not before that of NAME, or, with AFTER, is behind it. */
static size_t base_bound(const struct functions *f, const struct function_name *name, bool after)
{
	size_t low = 0, high = f->nnames;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare_bases(&f->names[middle], name) < after)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t functions_group(struct functions *f, uint32_t i, const uint32_t **group)
{
	struct function_name name = functions_name_of(f, i, 0);
	size_t first, last;

	if (!sort_by_base(f))
		return 0;
	first = base_bound(f, &name, false);
	last = base_bound(f, &name, true);
	assert(first < last);			/* I itself */
	*group = &f->by_base[first];
	return last - first;
}

uint64_t functions_address(const struct functions *f, const char *name)
{
	for (size_t i = 0; i < f->nlabels; i++)
		if (!strcmp(f->labels[i].name, name))
			return f->labels[i].start;
	return 0;
}
