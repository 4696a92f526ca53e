/* debug_info.c - from addresses to units of DWARF, and in them to functions and lines.
 *
 *     spans (all units, read at once)  ->  unit  ->  functions (read when first asked for)
 *                                               ->  lines (libdw reads them when first asked for)
 *
 * The spans are taken from the units themselves, since Clang writes no .debug_aranges.  DWARF can be
 * wrong in every way: nothing here recurses on it, and no walk is longer than the unit has bytes. */
#include "read/symbols/debug_info.h"

#include <assert.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEEPEST = 64,		/* levels of scopes that hold functions */
	LOOK_BACK = 16,		/* overlapping spans that are tried */
	MOST_COPIED = 8,	/* steps from a function's entry to the one that it is a copy of */
};

/* A range of addresses of one function. */
struct function_range {
	uint64_t start;		/* DWARF's address */
	uint64_t end;		/* one past the last */
	Dwarf_Die die;		/* the function */
};

/* A range of a call that was inlined into a function, and into no other one in it. */
struct outer_span {
	uint64_t start;		/* DWARF's address */
	uint64_t end;		/* one past the last */
	size_t order;		/* among the calls: where DWARF has an address in two of them the first counts */
	Dwarf_Die call;
};

struct debug_outer {
	const struct function_range *of;	/* the function */
	struct outer_span *spans; /* by start */
	size_t nspans;		/* how many */
};

struct debug_unit {
	Dwarf_Die die;		/* the unit: lines */
	Dwarf_Die scopes;	/* where its functions are: the same, or that of its split file */
	struct function_range *places;	/* its functions, by start; NULL until asked for */
	size_t nplaces;		/* how many */
	bool read;		/* places[] was asked for */
};

/* ITEMS with room for one more of SIZE bytes behind the N there, doubled when full.  NULL: out of memory, and ITEMS are as they were. */
static void *debug_info_grow(void *items, size_t n, size_t size)
{
	return n & (n - 1) ? items : reallocarray(items, n ? 2 * n : 1, size);
}

static bool add_span(struct debug_info *s, uint64_t start, uint64_t end, uint32_t unit)
{
	struct debug_span *spans;

	if (start >= end)
		return true;
	spans = debug_info_grow(s->spans, s->nspans, sizeof *spans);
	if (!spans)
		return false;
	s->spans = spans;
	spans[s->nspans++] = (struct debug_span){ start + s->bias, end + s->bias, unit };
	return true;
}

static bool add_unit(struct debug_info *s, Dwarf_Die *die, Dwarf_Die *split)
{
	struct debug_unit *unit;
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	unit = debug_info_grow(s->units, s->nunits, sizeof *unit);
	if (!unit)
		return false;
	s->units = unit;
	unit[s->nunits] = (struct debug_unit){ .die = *die, .scopes = dwarf_tag(split) == DW_TAG_compile_unit ? *split : *die };
	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		if (!add_span(s, start, end, s->nunits))
			return false;
	s->nunits++;
	return true;
}

static int compare_spans(const void *p, const void *q)
{
	const struct debug_span *a = p, *b = q;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end < b->end) - (a->end > b->end);
}

bool debug_read(struct debug_info *s, const struct binary *b)
{
	Dwarf_Addr bias = 0;
	Dwarf *dwarf = dwfl_module_getdwarf(b->module, &bias);
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	memset(s, 0, sizeof *s);
	s->bias = bias;
	while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &split) == 0)
		if ((type == DW_UT_compile || type == DW_UT_skeleton || type == DW_UT_partial)
		    && !add_unit(s, &die, &split))
			return false;
	if (s->nspans)
		qsort(s->spans, s->nspans, sizeof *s->spans, compare_spans);
	return true;
}

/* A text that was put together once. */
struct joined {
	uint64_t key;		/* of what: the address of a name, the offset of an entry */
	char *text;		/* NULL: there is none */
};

static void joined_free(void *node)
{
	struct joined *j = node;

	free(j->text);
	free(j);
}

static int compare_joined(const void *p, const void *q)
{
	const struct joined *a = p, *b = q;

	return (a->key > b->key) - (a->key < b->key);
}

/* What TREE has of KEY; NULL: nothing is known. */
static const struct joined *joined_find(void *const *tree, uint64_t key)
{
	const struct joined wanted = { .key = key }, *const *node = tfind(&wanted, tree, compare_joined);

	return node ? *node : NULL;
}

/* Keep TEXT, which is TREE's from now on, by KEY.  Returns it; NULL: there is none, or no memory. */
static const char *joined_keep(void **tree, uint64_t key, char *text)
{
	struct joined *j = malloc(sizeof *j);

	if (!j) {
		free(text);
		return NULL;
	}
	*j = (struct joined){ key, text };
	if (tsearch(j, tree, compare_joined))
		return text;
	joined_free(j);
	return NULL;
}

/* FILE of UNIT as an absolute path, where DWARF says in which folder it was compiled.  The same FILE gives the same pointer. */
static const char *absolute(struct debug_info *s, struct debug_unit *unit, const char *file)
{
	const struct joined *known;
	Dwarf_Attribute attribute;
	const char *folder, *kept;
	char *path;

	if (!file || file[0] == '/' || !(folder = dwarf_formstring(dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute))))
		return file;
	known = joined_find(&s->paths, (uintptr_t)file);
	if (known)
		return known->text;
	if (asprintf(&path, "%s/%s", folder, file) < 0)
		return file;
	kept = joined_keep(&s->paths, (uintptr_t)file, path);
	return kept ? kept : file;
}

void debug_free(struct debug_info *s)
{
	tdestroy(s->paths, joined_free);
	tdestroy(s->scoped, joined_free);
	if (s->outer)
		free(s->outer->spans);
	free(s->outer);
	for (size_t i = 0; i < s->nunits; i++)
		free(s->units[i].places);
	free(s->units);
	free(s->spans);
	memset(s, 0, sizeof *s);
}

/* How many spans begin at or before ADDRESS. */
static size_t spans_before(const struct debug_info *s, uint64_t address)
{
	size_t low = 0, high = s->nspans;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (s->spans[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct debug_unit *find_unit(const struct debug_info *s, uint64_t address)
{
	size_t low = spans_before(s, address);

	for (size_t tries = 0; low > 0 && tries < LOOK_BACK; tries++)
		if (address < s->spans[--low].end)
			return &s->units[s->spans[low].unit];
	return NULL;
}

static bool debug_info_place_of(struct debug_info *s, uint64_t address, const char **file, uint32_t *line, uint32_t *column)
{
	struct debug_unit *unit = find_unit(s, address);
	Dwarf_Line *record = unit ? dwarf_getsrc_die(&unit->die, address - s->bias) : NULL;
	int number = 0, across = 0;

	if (!record || dwarf_lineno(record, &number) != 0 || number <= 0)
		return false;
	*file = absolute(s, unit, dwarf_linesrc(record, NULL, NULL));
	*line = number;
	*column = dwarf_linecol(record, &across) == 0 && across > 0 ? (uint32_t)across : 0;
	return *file != NULL;
}

bool debug_line(struct debug_info *s, uint64_t address, const char **file, uint32_t *line)
{
	uint32_t column;

	return debug_info_place_of(s, address, file, line, &column);
}

/* The first address of the lines of UNIT above ADDRESS, both DWARF's; UINT64_MAX: there is none. */
static uint64_t line_behind(struct debug_unit *unit, uint64_t address)
{
	Dwarf_Lines *lines;
	size_t low = 0, n, high;
	Dwarf_Addr at;

	if (dwarf_getsrclines(&unit->die, &lines, &n) != 0)
		return UINT64_MAX;
	for (high = n; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (dwarf_lineaddr(dwarf_onesrcline(lines, middle), &at) == 0 && at <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && dwarf_lineaddr(dwarf_onesrcline(lines, low), &at) == 0 ? at : UINT64_MAX;
}

uint64_t debug_next_line(struct debug_info *s, uint64_t address)
{
	struct debug_unit *unit = find_unit(s, address);
	uint64_t line = unit ? line_behind(unit, address - s->bias) : UINT64_MAX, span;
	size_t next = spans_before(s, address);

	line = line != UINT64_MAX ? line + s->bias : line;
	span = next < s->nspans ? s->spans[next].start : UINT64_MAX;
	return line < span ? line : span;
}

bool debug_holds_functions(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
		return true;
	default:
		return false;
	}
}

static bool debug_info_add_places(struct debug_unit *unit, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		struct function_range *places = debug_info_grow(unit->places, unit->nplaces, sizeof *places);
		if (!places)
			return false;
		unit->places = places;
		places[unit->nplaces++] = (struct function_range){ start, end, *die };
	}
	return true;
}

/* Visit the entries of UNIT that can hold functions, LEFT at most, without recursion: path[0..depth] is where we stand. */
static void debug_info_walk(struct debug_unit *unit, size_t left)
{
	Dwarf_Die path[DEEPEST];
	int depth = 0;

	if (dwarf_child(&unit->scopes, &path[0]) != 0)
		return;
	while (left-- > 0) {
		int tag = dwarf_tag(&path[depth]);
		if (tag == DW_TAG_subprogram && !debug_info_add_places(unit, &path[depth]))
			return;
		if (depth + 1 < DEEPEST && debug_holds_functions(tag) && dwarf_child(&path[depth], &path[depth + 1]) == 0) {
			depth++;
			continue;
		}
		while (dwarf_siblingof(&path[depth], &path[depth]) != 0)
			if (depth-- == 0)
				return;
	}
}

/* Bytes of the DWARF of the unit that DIE heads: it has no more entries than that. */
static size_t unit_bytes(Dwarf_Die *die)
{
	Dwarf_Off next = 0, offset = dwarf_dieoffset(die) - dwarf_cuoffset(die);
	size_t header;
	Dwarf *dwarf = dwarf_cu_getdwarf(die->cu);

	if (dwarf_next_unit(dwarf, offset, &next, &header, NULL, NULL, NULL, NULL, NULL, NULL) != 0 || next <= offset)
		return 0;
	return next - offset;
}

static int debug_info_compare_places(const void *p, const void *q)
{
	const struct function_range *a = p, *b = q;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end < b->end) - (a->end > b->end);
}

static struct function_range *debug_info_find_place(struct debug_unit *unit, uint64_t address)
{
	size_t low = 0, high = unit->nplaces;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (unit->places[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t tries = 0; low > 0 && tries < LOOK_BACK; tries++)
		if (address < unit->places[--low].end)
			return &unit->places[low];
	return NULL;
}

static void read_places(struct debug_unit *unit)
{
	if (unit->read)
		return;
	unit->read = true;
	debug_info_walk(unit, unit_bytes(&unit->scopes));
	if (unit->nplaces)
		qsort(unit->places, unit->nplaces, sizeof *unit->places, debug_info_compare_places);
}

/* The file that attribute NAME of DIE says; its number counts in the unit that says so, which may be another (LTO).
 * dwarf_decl_file does the same for one attribute, but asserts that units have lines, and split ones have none. */
static const char *file_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	Dwarf_Die unit;
	Dwarf_Files *files;
	size_t n;

	if (!dwarf_attr_integrate(die, name, &attribute)
	    || dwarf_formudata(&attribute, &number) != 0 || number == 0
	    || !dwarf_cu_die(attribute.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL)
	    || dwarf_getsrcfiles(&unit, &files, &n) != 0 || number >= n)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

bool debug_function(struct debug_info *s, uint64_t address, const char **file, uint32_t *line)
{
	struct debug_unit *unit = find_unit(s, address);
	struct function_range *place;
	int number = 0;

	if (!unit)
		return false;
	read_places(unit);
	place = debug_info_find_place(unit, address - s->bias);
	if (!place || dwarf_decl_line(&place->die, &number) != 0 || number <= 0)
		return false;
	*file = absolute(s, unit, file_of(&place->die, DW_AT_decl_file));
	*line = number;
	return *file != NULL;
}

/* A walk through the entries inside a function, without recursion: path[depth] is where we stand. */
struct inside {
	Dwarf_Die path[DEEPEST];
	int depth;		/* -1: at the end */
	size_t left;		/* entries that may still be looked at */
};

static struct inside inside_start(Dwarf_Die *function, size_t left)
{
	struct inside i = { .left = left };

	if (dwarf_child(function, &i.path[0]) != 0)
		i.depth = -1;
	return i;
}

/* Go on to the children of the entry at hand, if ENTER and it has any, or to what comes after it. False: nothing does. */
static bool inside_next(struct inside *i, bool enter)
{
	assert(i->depth >= 0 && i->depth < DEEPEST);
	if (i->left-- == 0)
		return false;
	if (enter && i->depth + 1 < DEEPEST && dwarf_child(&i->path[i->depth], &i->path[i->depth + 1]) == 0) {
		i->depth++;
		return true;
	}
	while (dwarf_siblingof(&i->path[i->depth], &i->path[i->depth]) != 0)
		if (i->depth-- == 0)
			return false;
	return true;
}

/* The outermost inlined call in FUNCTION, which may be such a call, whose code has ADDRESS (DWARF's): sets *CALL; false: there is none. */
static bool find_inlined(Dwarf_Die *function, Dwarf_Addr address, size_t left, Dwarf_Die *call)
{
	struct inside i = inside_start(function, left);
	bool inside;

	if (i.depth < 0)
		return false;
	do {
		int tag = dwarf_tag(&i.path[i.depth]);

		inside = (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block)
			&& dwarf_haspc(&i.path[i.depth], address) == 1;
		if (inside && tag == DW_TAG_inlined_subroutine) {
			*call = i.path[i.depth];
			return true;
		}
	} while (inside_next(&i, inside));
	return false;
}

/* Add the ranges of CALL, the next in order. */
static void outer_add(struct debug_outer *o, Dwarf_Die *call, size_t order)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(call, at, &base, &start, &end)) > 0) {
		struct outer_span *spans = debug_info_grow(o->spans, o->nspans, sizeof *spans);

		if (!spans)
			return;
		o->spans = spans;
		spans[o->nspans++] = (struct outer_span){ start, end, order, *call };
	}
}

static int compare_outer(const void *p, const void *q)
{
	const struct outer_span *a = p, *b = q;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* The calls that were inlined into PLACE of UNIT; NULL: out of memory. */
static const struct debug_outer *outer_of(struct debug_info *s, struct debug_unit *unit, struct function_range *place)
{
	struct debug_outer *o = s->outer ? s->outer : (s->outer = calloc(1, sizeof *o));
	struct inside i;
	size_t order = 0;
	int tag;

	if (!o || o->of == place)
		return o;
	free(o->spans);
	*o = (struct debug_outer){ .of = place };
	i = inside_start(&place->die, unit_bytes(&unit->scopes));
	if (i.depth < 0)
		return o;
	do {
		tag = dwarf_tag(&i.path[i.depth]);
		if (tag == DW_TAG_inlined_subroutine)
			outer_add(o, &i.path[i.depth], order++);
	} while (inside_next(&i, tag == DW_TAG_lexical_block));
	if (o->nspans)
		qsort(o->spans, o->nspans, sizeof *o->spans, compare_outer);
	return o;
}

/* The outermost call that was inlined into PLACE of UNIT and whose code has ADDRESS (DWARF's): sets *CALL; false: there is none. */
static bool find_outer(struct debug_info *s, struct debug_unit *unit, struct function_range *place, uint64_t address, Dwarf_Die *call)
{
	const struct debug_outer *o = outer_of(s, unit, place);
	const struct outer_span *found = NULL;
	size_t low = 0, high = o ? o->nspans : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (o->spans[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t tries = 0; low > 0 && tries < LOOK_BACK; tries++)
		if (address < o->spans[--low].end && (!found || o->spans[low].order < found->order))
			found = &o->spans[low];
	if (found)
		*call = found->call;
	return found;
}

/* Where CALL stands. */
static bool call_place(Dwarf_Die *call, const char **file, uint32_t *line, uint32_t *column)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	if (!dwarf_attr(call, DW_AT_call_line, &attribute) || dwarf_formudata(&attribute, &number) != 0 || number == 0)
		return false;
	*file = file_of(call, DW_AT_call_file);
	*line = number;
	*column = dwarf_attr(call, DW_AT_call_column, &attribute) && dwarf_formudata(&attribute, &number) == 0 ? (uint32_t)number : 0;
	return *file != NULL;
}

bool debug_own_place(struct debug_info *s, uint64_t address, const char **file, uint32_t *line, uint32_t *column)
{
	struct debug_unit *unit = find_unit(s, address);
	struct function_range *place = NULL;
	Dwarf_Die call;

	if (unit) {
		read_places(unit);
		place = debug_info_find_place(unit, address - s->bias);
	}
	if (place && find_outer(s, unit, place, address - s->bias, &call) && call_place(&call, file, line, column)) {
		*file = absolute(s, unit, *file);
		return true;
	}
	return debug_info_place_of(s, address, file, line, column);
}

bool debug_own_line(struct debug_info *s, uint64_t address, const char **file, uint32_t *line)
{
	uint32_t column;

	return debug_own_place(s, address, file, line, &column);
}

/* An address in the instruction of the call SITE; 0: it says none.  What follows it is named, as a rule. */
static Dwarf_Addr site_address(Dwarf_Die *site)
{
	Dwarf_Attribute attribute;
	Dwarf_Addr address;

	if ((dwarf_attr(site, DW_AT_call_return_pc, &attribute) || dwarf_attr(site, DW_AT_low_pc, &attribute))
	    && dwarf_formaddr(&attribute, &address) == 0 && address > 0)
		return address - 1;
	if (dwarf_attr(site, DW_AT_call_pc, &attribute) && dwarf_formaddr(&attribute, &address) == 0)
		return address;
	return 0;
}

/* What SITE calls; false: it goes through a pointer. */
static bool site_callee(Dwarf_Die *site, Dwarf_Die *callee)
{
	Dwarf_Attribute attribute;

	return (dwarf_attr(site, DW_AT_call_origin, &attribute) || dwarf_attr(site, DW_AT_abstract_origin, &attribute))
		&& dwarf_formref_die(&attribute, callee);
}

static const char *linked_name(Dwarf_Die *function)
{
	Dwarf_Attribute attribute;

	if (dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute))
		return dwarf_formstring(&attribute);
	return dwarf_diename(function);
}

/* The entry that FUNCTION is a copy or the body of: where it stands in its scopes. */
static Dwarf_Die debug_info_original(const Dwarf_Die *function)
{
	Dwarf_Die die = *function, next;
	Dwarf_Attribute attribute;

	for (int i = 0; i < MOST_COPIED; i++) {
		if (!(dwarf_attr(&die, DW_AT_abstract_origin, &attribute) || dwarf_attr(&die, DW_AT_specification, &attribute))
		    || !dwarf_formref_die(&attribute, &next))
			break;
		die = next;
	}
	return die;
}

/* The names of the entries PATH[0..DEPTH] that have some, `shapes::area`; malloc'ed; NULL: the last has none, or out of memory. */
static char *path_join(Dwarf_Die *path, int depth)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = dwarf_diename(&path[depth]) ? open_memstream(&text, &size) : NULL;

	for (int i = 0; out && i <= depth; i++)
		if (dwarf_diename(&path[i]))
			fprintf(out, "%s%s", ftell(out) > 0 ? "::" : "", dwarf_diename(&path[i]));
	if (out && fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* The name of FUNCTION, which is an original, behind those of what it is in; the same as above. */
static char *scoped_name(Dwarf_Die *function)
{
	Dwarf_Off offset = dwarf_dieoffset(function);
	Dwarf_Die unit;
	struct inside i;

	if (!dwarf_diecu(function, &unit, NULL, NULL))
		return NULL;
	i = inside_start(&unit, unit_bytes(&unit));
	if (i.depth < 0)
		return NULL;
	do {
		if (dwarf_dieoffset(&i.path[i.depth]) == offset)
			return path_join(i.path, i.depth);
	} while (inside_next(&i, debug_holds_functions(dwarf_tag(&i.path[i.depth]))));
	return NULL;
}

/* scoped_name of FUNCTION, looked for once; NULL: there is none. */
static const char *scoped_once(struct debug_info *s, Dwarf_Die *function)
{
	Dwarf_Off offset = dwarf_dieoffset(function);
	const struct joined *known = joined_find(&s->scoped, offset);

	return known ? known->text : joined_keep(&s->scoped, offset, scoped_name(function));
}

/* Whether functions of the language of DIE's unit are in nothing that has a name. */
static bool has_no_scopes(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return true;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return true;
	default:
		return false;
	}
}

/* The name of the function that CALL was inlined from; NULL: it has none. */
static const char *name_of_inlined(struct debug_info *s, Dwarf_Die *call)
{
	Dwarf_Attribute attribute;
	Dwarf_Die first = debug_info_original(call);
	const char *name = NULL;

	if (!dwarf_attr_integrate(call, DW_AT_linkage_name, &attribute) && !has_no_scopes(&first))
		name = scoped_once(s, &first);
	return name ? name : linked_name(call);
}

/* Where the code of CALL begins, which ADDRESS is in: the same for all of it, as far as DWARF tells. */
static Dwarf_Addr entry_of(Dwarf_Die *call, Dwarf_Addr address)
{
	Dwarf_Addr entry;

	return dwarf_entrypc(call, &entry) == 0 && dwarf_haspc(call, entry) == 1 ? entry : address;
}

void debug_inlined(struct debug_info *s, uint64_t address, void (*visit)(void *arg, const struct debug_inlined *function), void *arg)
{
	struct debug_unit *unit = find_unit(s, address);
	struct function_range *place;
	size_t bytes;
	Dwarf_Die call;

	if (!unit)
		return;
	read_places(unit);
	place = debug_info_find_place(unit, address - s->bias);
	if (!place)
		return;
	bytes = unit_bytes(&unit->scopes);
	for (int i = 0; i < DEEPEST && (i == 0 ? find_outer(s, unit, place, address - s->bias, &call) : find_inlined(&call, address - s->bias, bytes, &call)); i++) {
		struct debug_inlined found = { .name = name_of_inlined(s, &call) };
		int line = 0;

		if (!found.name)
			continue;
		found.file = absolute(s, unit, file_of(&call, DW_AT_decl_file));
		found.line = dwarf_decl_line(&call, &line) == 0 && line > 0 ? (uint32_t)line : 0;
		found.entry = i == 0 ? entry_of(&call, address - s->bias) + s->bias : 0;
		visit(arg, &found);
	}
}

static enum language language_of(int code)
{
	switch (code) {
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
		return LANGUAGE_FORTRAN;
	case DW_LANG_Ada83:
	case DW_LANG_Ada95:
		return LANGUAGE_ADA;
	default:
		return LANGUAGE_OTHER;
	}
}

/* The language of FUNCTION; *PATH as of debug_language. */
static enum language function_language(const Dwarf_Die *function, char **path)
{
	Dwarf_Die first = debug_info_original(function), unit;
	enum language language = dwarf_diecu(&first, &unit, NULL, NULL) ? language_of(dwarf_srclang(&unit)) : LANGUAGE_UNKNOWN;

	*path = language == LANGUAGE_FORTRAN ? scoped_name(&first) : NULL;
	return language;
}

enum language debug_language(struct debug_info *s, uint64_t address, char **path)
{
	struct debug_unit *unit = find_unit(s, address);
	struct function_range *place;

	*path = NULL;
	if (!unit)
		return LANGUAGE_UNKNOWN;
	read_places(unit);
	place = debug_info_find_place(unit, address - s->bias);
	return place ? function_language(&place->die, path) : language_of(dwarf_srclang(&unit->scopes));
}

static bool is_flagged(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	bool flag;

	return dwarf_attr(die, name, &attribute) && dwarf_formflag(&attribute, &flag) == 0 && flag;
}

/* Have VISIT see the call SITE, if it names what it calls. */
static void debug_info_site_visit(const struct debug_info *s, Dwarf_Die *site, void (*visit)(void *arg, const struct debug_call *call), void *arg)
{
	struct debug_call call = { .at = site_address(site) + s->bias };
	Dwarf_Die callee;
	char *path;

	if (call.at <= s->bias || !site_callee(site, &callee) || !(call.name = linked_name(&callee)))
		return;
	call.tail = is_flagged(site, DW_AT_call_tail_call) || is_flagged(site, DW_AT_GNU_tail_call);
	call.language = function_language(&callee, &path);
	call.path = path;
	visit(arg, &call);
	free(path);
}

bool debug_calls(struct debug_info *s, uint64_t address, void (*visit)(void *arg, const struct debug_call *call), void *arg)
{
	struct debug_unit *unit = find_unit(s, address);
	struct function_range *place;
	struct inside i;
	int tag;

	if (!unit)
		return false;
	read_places(unit);
	place = debug_info_find_place(unit, address - s->bias);
	if (!place)
		return false;
	i = inside_start(&place->die, unit_bytes(&unit->scopes));
	if (i.depth < 0)
		return true;
	do {
		tag = dwarf_tag(&i.path[i.depth]);
		if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site)
			debug_info_site_visit(s, &i.path[i.depth], visit, arg);
	} while (inside_next(&i, tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine));
	return true;
}
