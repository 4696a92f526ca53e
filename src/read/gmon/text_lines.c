/* text_lines.c - from DWARF's table of lines to gprof's symbols.
 *
 *     rows of the line table  x  functions and inlined functions  ->  stretches  ->  symbols
 *
 * For every address BFD, on which gprof stands, takes the last row at or before it, and the smallest function around it.  The
 * rows of a unit are sorted, and so are its functions, the larger first: one pass over both, with a stack of the functions
 * that are open, gives all stretches.  DWARF can be wrong in every way: nothing here recurses on it. */
#include "read/gmon/text_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "read/symbols/debug_info.h"

enum { DEEPEST = 256 };	/* levels of scopes and inlined functions */

/* A range of addresses of one function. */
struct function_range {
	uint64_t start;		/* DWARF's address */
	uint64_t end;		/* one past the last */
	const char *name;	/* as linked, if DWARF knows it */
};

struct lines {
	uint64_t start, end;	/* the text, link-time addresses */
	uint64_t bias;		/* DWARF's addresses plus this are link-time ones */
	const struct text_functions *functions; /* of the program */
	struct function_range *places;	/* functions of the unit at hand, by start, the larger first */
	size_t nplaces, room;	/* how many, and for how many there is room */
	struct gmon_symbol *symbols; /* so far */
	size_t n, symbol_room;	/* how many, and for how many there is room */
	bool failed;		/* out of memory */
};

/* *ARRAY with room for one more of SIZE bytes behind the N there. */
static bool text_lines_grow(struct lines *l, void *array, size_t n, size_t *room, size_t size)
{
	void *old, *more;

	if (n < *room)
		return true;
	memcpy(&old, array, sizeof old);
	more = reallocarray(old, *room ? 2 * *room : 256, size);
	l->failed |= !more;
	if (!more)
		return false;
	memcpy(array, &more, sizeof more);
	*room = *room ? 2 * *room : 256;
	return true;
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) || dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		return dwarf_formstring(&attribute);
	return dwarf_diename(die);
}

static void text_lines_places_add(struct lines *l, Dwarf_Die *die)
{
	const char *name = linkage_name(die);
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while (name && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		if (start < end && text_lines_grow(l, &l->places, l->nplaces, &l->room, sizeof *l->places))
			l->places[l->nplaces++] = (struct function_range){ start, end, name };
}

static bool text_lines_is_function(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_entry_point;
}

static int text_lines_compare_places(const void *left, const void *right)
{
	const struct function_range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end < b->end) - (a->end > b->end);
}

/* The functions of UNIT, LEFT entries being looked at at most: path[0..depth] is where we stand. */
static void places_read(struct lines *l, Dwarf_Die *unit, size_t left)
{
	Dwarf_Die path[DEEPEST];
	int depth = 0;

	l->nplaces = 0;
	if (dwarf_child(unit, &path[0]) != 0)
		return;
	while (left-- > 0 && depth >= 0) {
		int tag = dwarf_tag(&path[depth]);

		if (text_lines_is_function(tag))
			text_lines_places_add(l, &path[depth]);
		if (depth + 1 < DEEPEST && (debug_holds_functions(tag) || text_lines_is_function(tag)) && dwarf_child(&path[depth], &path[depth + 1]) == 0) {
			depth++;
			continue;
		}
		while (depth >= 0 && dwarf_siblingof(&path[depth], &path[depth]) != 0)
			depth--;
	}
	if (l->nplaces)
		qsort(l->places, l->nplaces, sizeof *l->places, text_lines_compare_places);
}

/* The one of FUNCTIONS[0..N) around ADDRESS; NULL: none. */
static const struct gmon_symbol *text_lines_function_at(const struct gmon_symbol *functions, size_t n, uint64_t address)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (functions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address <= functions[low - 1].last ? &functions[low - 1] : NULL;
}

static bool text_lines_is_same(const struct gmon_symbol *s, const char *name, const char *file)
{
	return strcmp(s->name, name) == 0 && strcmp(s->file, file) == 0;
}

/* The code from ADDRESS on is of function NAME (NULL: DWARF has none), FILE and LINE. */
static void stretch_add(struct lines *l, uint64_t address, const char *name, const char *file, int line)
{
	const struct gmon_symbol *around = text_lines_function_at(l->functions->chosen, l->functions->nchosen, address);
	const struct gmon_symbol *linked = name ? NULL : text_lines_function_at(l->functions->all, l->functions->nall, address), *before = l->n ? &l->symbols[l->n - 1] : NULL;

	if (address < l->start || address >= l->end)
		return;
	if (linked)
		name = linked->name;
	if (!name || (before && before->line == (uint32_t)line && text_lines_is_same(before, name, file)))
		return;
	if (!text_lines_grow(l, &l->symbols, l->n, &l->symbol_room, sizeof *l->symbols))
		return;
	before = l->n ? &l->symbols[l->n - 1] : NULL;
	l->symbols[l->n++] = (struct gmon_symbol){ .name = name, .file = file, .line = (uint32_t)line, .start = address,
		.local = before && text_lines_is_same(before, name, file) ? before->local : around && around->local };
}

/* The functions open at one address, the innermost last. */
struct open {
	const struct function_range *stack[DEEPEST];
	size_t depth;		/* how many */
	size_t next;		/* in places[]: the first that was not opened yet */
};

/* Close what ends at or before ADDRESS and open what begins there. */
static void open_advance(struct open *o, const struct lines *l, uint64_t address)
{
	while (o->depth > 0 && o->stack[o->depth - 1]->end <= address)
		o->depth--;
	for (; o->next < l->nplaces && l->places[o->next].start <= address; o->next++)
		if (l->places[o->next].end > address && o->depth < DEEPEST)
			o->stack[o->depth++] = &l->places[o->next];
}

/* Where the innermost function changes next, after ADDRESS. */
static uint64_t open_until(const struct open *o, const struct lines *l)
{
	uint64_t end = o->depth > 0 ? o->stack[o->depth - 1]->end : UINT64_MAX;

	return o->next < l->nplaces && l->places[o->next].start < end ? l->places[o->next].start : end;
}

/* The stretches of one row of the table, which holds from START to END. */
static void text_lines_row_add(struct lines *l, struct open *o, Dwarf_Line *row, uint64_t start, uint64_t end)
{
	const char *file = dwarf_linesrc(row, NULL, NULL);
	int line = 0;

	if (!file || dwarf_lineno(row, &line) != 0 || line <= 0)
		return;
	while (start < end && !l->failed) {
		open_advance(o, l, start);
		stretch_add(l, start + l->bias, o->depth > 0 ? o->stack[o->depth - 1]->name : NULL, file, line);
		start = open_until(o, l);
	}
}

static void unit_add(struct lines *l, Dwarf_Die *unit)
{
	struct open o = { .depth = 0 };
	Dwarf_Lines *rows;
	size_t n;

	if (dwarf_getsrclines(unit, &rows, &n) != 0)
		return;
	for (size_t i = 0; i + 1 < n && !l->failed; i++) {
		Dwarf_Line *row = dwarf_onesrcline(rows, i), *next = dwarf_onesrcline(rows, i + 1);
		Dwarf_Addr start, end;
		bool ends;

		if (dwarf_lineaddr(row, &start) == 0 && dwarf_lineaddr(next, &end) == 0 && dwarf_lineendsequence(row, &ends) == 0 && !ends)
			text_lines_row_add(l, &o, row, start, end);
	}
}

static int compare_symbols(const void *left, const void *right)
{
	const struct gmon_symbol *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/* Units need not be in order of address; across the seam of two a line can go on. */
static void text_lines_sort(struct lines *l)
{
	size_t kept = 0;

	if (l->n)
		qsort(l->symbols, l->n, sizeof *l->symbols, compare_symbols);
	for (size_t i = 0; i < l->n; i++) {
		const struct gmon_symbol *s = &l->symbols[i], *before = kept ? &l->symbols[kept - 1] : NULL;

		if (!before || before->start != s->start)
			if (!before || before->line != s->line || !text_lines_is_same(before, s->name, s->file))
				l->symbols[kept++] = *s;
	}
	l->n = kept;
}

struct gmon_symbol *text_lines(const struct binary *b, uint64_t start, uint64_t end, const struct text_functions *functions,
			       size_t *count)
{
	struct lines l = { .start = start, .end = end, .functions = functions };
	Dwarf_Addr bias = 0;
	Dwarf *dwarf = dwfl_module_getdwarf(b->module, &bias);
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	l.bias = bias;
	l.symbols = calloc(1, sizeof *l.symbols);
	l.symbol_room = l.symbols != NULL;
	l.failed = !l.symbols;
	while (!l.failed && dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		if (type != DW_UT_compile && type != DW_UT_partial && type != DW_UT_skeleton)
			continue;
		places_read(&l, &die, b->size);
		unit_add(&l, &die);
	}
	free(l.places);
	if (l.failed) {
		free(l.symbols);
		return NULL;
	}
	text_lines_sort(&l);
	*count = l.n;
	return l.symbols;
}
