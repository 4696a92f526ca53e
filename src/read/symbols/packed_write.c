/* packed_write.c - what is asked about the addresses of a profile in one module, asked once and written down (packed.proto). */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/symbols/demangle.h"
#include "read/symbols/packed_message.h"
#include "read/symbols/packing.h"

enum {
	LINES_BYTES = 1 << 20,	/* of code that is looked through for the first and the last line of routines with samples */
	MOST_BYTES = 1 << 16,	/* of one of them */
};

/* ---- growing ---- */

static void symbol_add(struct packing *k, const struct symbol ***all, size_t *n, size_t *room, const struct symbol *symbol)
{
	if (array_reserve(all, room, *n + 1, sizeof **all))
		(*all)[(*n)++] = symbol;
	else
		k->failed = true;
}

static void packed_write_place_add(struct packing *k, struct packed_address place)
{
	if (array_reserve(&k->places, &k->place_room, k->nplaces + 1, sizeof *k->places))
		k->places[k->nplaces++] = place;
	else
		k->failed = true;
}

/* ---- what is asked about ---- */

static int packed_write_by_address(const void *left, const void *right)
{
	const struct packed_address *a = left, *b = right;

	return (a->at > b->at) - (a->at < b->at);
}

/* By address, each once. */
static void packed_write_places_settle(struct packing *k)
{
	size_t kept = 0;

	if (k->nplaces)
		qsort(k->places, k->nplaces, sizeof *k->places, packed_write_by_address);
	for (size_t i = 0; i < k->nplaces; i++)
		if (kept && k->places[kept - 1].at == k->places[i].at) {
			k->places[kept - 1].sampled |= k->places[i].sampled;
			k->places[kept - 1].told |= k->places[i].told;
			k->places[kept - 1].calls |= k->places[i].calls;
		} else {
			k->places[kept++] = k->places[i];
		}
	k->nplaces = kept;
}

static void packed_write_places_find(struct packing *k)
{
	const struct profile *p = k->p;

	for (uint32_t i = 0; i < p->nroutines; i++)
		if (p->routines[i].module == k->module && !p->routines[i].pseudo)
			packed_write_place_add(k, (struct packed_address){ .at = p->routines[i].address });
	for (size_t i = 0; i < p->npcs; i++)
		if (p->pcs[i].module == k->module)
			packed_write_place_add(k, (struct packed_address){ .at = p->pcs[i].address, .sampled = true });
	for (size_t i = 0; i < p->nsites; i++)
		if (p->sites[i].module == k->module)
			packed_write_place_add(k, (struct packed_address){ .at = p->sites[i].address - 1, .calls = true });
	for (size_t i = 0; i < p->nstacks; i++)
		if (p->stacks[i].module == k->module)
			packed_write_place_add(k, (struct packed_address){ .at = p->stacks[i].address, .told = true });
	packed_write_places_settle(k);
}

/* The addresses in the code of SYMBOL, from START on, that have its first and its last line in its own source. */
static void bounds_add(struct packing *k, const struct symbol *symbol)
{
	uint64_t size = symbol->size < MOST_BYTES ? symbol->size : MOST_BYTES, first_at = 0, last_at = 0;
	uint32_t line, own, seen = 0, first = 0, last = 0;
	const char *file, *seen_file = NULL;

	for (uint64_t at = symbol->start; at < symbol->start + size; at = symbols_next_line(k->s, k->module, at)) {
		if (!symbols_line(k->s, k->module, at, &file, &line) || (line == seen && file == seen_file))
			continue;
		seen = line;
		seen_file = file;
		if (!symbols_own_line(k->s, k->module, at, &file, &own) || !symbol->file || strcmp(file, symbol->file) != 0)
			continue;
		if (!first || own < first) {
			first = own;
			first_at = at;
		}
		if (own > last) {
			last = own;
			last_at = at;
		}
	}
	if (!first)
		return;
	packed_write_place_add(k, (struct packed_address){ .at = first_at });
	packed_write_place_add(k, (struct packed_address){ .at = last_at });
}

/* The same for routines that samples fell into, as far as it does not take too long. */
static void bounds_find(struct packing *k)
{
	const struct symbol *symbol, *last = NULL;
	uint64_t bytes = 0;
	size_t n = k->nplaces;

	for (size_t i = 0; i < n && bytes < LINES_BYTES; i++) {
		if (!k->places[i].sampled)
			continue;
		symbol = symbols_find(k->s, k->module, k->places[i].at);
		if (symbol == last || !symbol->file || !symbol->line)
			continue;
		last = symbol;
		bytes += symbol->size;
		bounds_add(k, symbol);
	}
	packed_write_places_settle(k);
}

static void packed_write_hooked_visit(void *arg, const struct symbol *symbol)
{
	struct packing *k = arg;

	symbol_add(k, &k->hooked, &k->nhooked, &k->hooked_room, symbol);
}

static void arc_visit(void *arg, const struct symbol *from, const struct symbol *to)
{
	struct packing *k = arg;

	symbol_add(k, &k->pairs, &k->npairs, &k->pair_room, from);
	symbol_add(k, &k->pairs, &k->npairs, &k->pair_room, to);
}

/* Whether the name LINKED alone tells that it is shown as NAME. */
static bool packed_write_is_told(const char *linked, const char *name)
{
	char *readable = demangle(linked);
	bool told = strcmp(readable ? readable : linked, name) == 0;

	free(readable);
	return told;
}

static void left_visit(void *arg, enum symbols_left_out why, const char *name, const char *linked)
{
	struct packing *k = arg;

	packing_number(k, &k->left_reason, why);
	packing_number(k, &k->left_name, packing_string(k, packed_write_is_told(linked, name) ? linked : name));
}

/* ---- functions ---- */

/* All functions that somebody named. */
static void functions_find_all(struct packing *k)
{
	size_t kept = 0;

	for (size_t i = 0; i < k->nplaces; i++)
		symbol_add(k, &k->functions, &k->nfunctions, &k->function_room, symbols_find(k->s, k->module, k->places[i].at));
	for (size_t i = 0; i < k->nhooked; i++)
		symbol_add(k, &k->functions, &k->nfunctions, &k->function_room, k->hooked[i]);
	for (size_t i = 0; i < k->npairs; i++)
		symbol_add(k, &k->functions, &k->nfunctions, &k->function_room, k->pairs[i]);
	if (k->nfunctions)
		qsort(k->functions, k->nfunctions, sizeof *k->functions, packing_order);
	for (size_t i = 0; i < k->nfunctions; i++)
		if (kept == 0 || packing_order(&k->functions[kept - 1], &k->functions[i]) != 0)
			k->functions[kept++] = k->functions[i];
	k->nfunctions = kept;
}

static void packed_write_call_visit(void *arg, const struct symbols_call *call)
{
	struct packing *k = arg;

	packing_number(k, &k->call_from, k->caller);
	packing_number(k, &k->call_name, packing_string(k, packed_write_is_told(call->linked, call->name) ? call->linked : call->name));
	packing_number(k, &k->call_file, packing_string(k, call->file));
	packing_number(k, &k->call_line, call->line);
	packing_number(k, &k->call_tail, call->tail);
}

/* The calls in the source of the routines; of those whose calls were counted also where their code alone tells of them: it names the code without hooks that
 * runs on their time. */
static void calls_find(struct packing *k)
{
	const struct profile *p = k->p;
	bool counted = profile_counts_calls(p);

	for (uint32_t i = 0; i < p->nroutines; i++)
		if (p->routines[i].module == k->module && !p->routines[i].pseudo) {
			k->caller = packing_function(k, symbols_find(k->s, k->module, p->routines[i].address));
			(counted ? symbols_calls : symbols_described_calls)(k->s, k->module, p->routines[i].address, packed_write_call_visit, k);
		}
}

/* ---- the message ---- */

/* An array of N items of the type of *COLUMN. */
#define COLUMN(k, column, count, n) ((column) = calloc((n) + 1, sizeof *(column)), (count) = (column) ? (n) : 0, (k)->failed |= !(column))

static void functions_write(struct packing *k, Symbols *m)
{
	size_t n = k->nfunctions;
	uint64_t before = 0;

	COLUMN(k, m->start, m->n_start, n), COLUMN(k, m->size, m->n_size, n), COLUMN(k, m->name, m->n_name, n);
	COLUMN(k, m->stem, m->n_stem, n), COLUMN(k, m->origin, m->n_origin, n), COLUMN(k, m->aliases, m->n_aliases, n);
	COLUMN(k, m->file, m->n_file, n), COLUMN(k, m->line, m->n_line, n), COLUMN(k, m->part, m->n_part, n);
	COLUMN(k, m->written, m->n_written, n), COLUMN(k, m->local, m->n_local, n);
	for (size_t i = 0; i < n && !k->failed; i++) {
		const struct symbol *f = k->functions[i];
		bool named = f->known || f->name[0] == '(';

		m->start[i] = f->start - before;
		before = f->start;
		m->size[i] = f->size;
		m->name[i] = packing_string(k, named ? f->name : NULL);
		m->stem[i] = packing_string(k, named ? f->base : NULL);
		m->origin[i] = (int64_t)(f->origin - f->start);
		m->aliases[i] = packing_string(k, f->aliases);
		m->file[i] = packing_string(k, f->file);
		m->line[i] = f->line;
		m->part[i] = f->part;
		m->local[i] = f->local;
		m->written[i] = named && f->base[0] && !packed_write_is_told(f->base, f->display) ? packing_string(k, f->display) : 0;
	}
}

/* What the call says that ends with place I. */
static void goal_write(struct packing *k, Symbols *m, size_t i)
{
	const char *name;

	if (symbols_call_goal(k->s, k->module, k->places[i].at + 1, &name) == SYMBOLS_GOAL_POINTER)
		m->flags[i] |= 4;
	m->called[i] = packing_string(k, name);
}

static void places_write(struct packing *k, Symbols *m)
{
	size_t n = k->nplaces;
	uint64_t before = 0;

	COLUMN(k, m->at, m->n_at, n), COLUMN(k, m->within, m->n_within, n), COLUMN(k, m->flags, m->n_flags, n);
	COLUMN(k, m->at_file, m->n_at_file, n), COLUMN(k, m->at_line, m->n_at_line, n);
	COLUMN(k, m->own_file, m->n_own_file, n), COLUMN(k, m->own_line, m->n_own_line, n);
	COLUMN(k, m->own_column, m->n_own_column, n), COLUMN(k, m->called, m->n_called, n);
	for (size_t i = 0; i < n && !k->failed; i++) {
		const struct packed_address *place = &k->places[i];
		const char *file;

		m->at[i] = place->at - before;
		before = place->at;
		m->within[i] = packing_function(k, symbols_find(k->s, k->module, place->at));
		m->flags[i] = (place->sampled && symbols_in_hooks(k->s, k->module, place->at) ? 1 : 0) |
			      (place->told && symbols_is_open(k->s, k->module, place->at) ? 2 : 0);
		if (symbols_line(k->s, k->module, place->at, &file, &m->at_line[i]))
			m->at_file[i] = packing_string(k, file);
		if (symbols_own_place(k->s, k->module, place->at, &file, &m->own_line[i], &m->own_column[i]))
			m->own_file[i] = packing_string(k, file);
		if (place->calls)
			goal_write(k, m, i);
	}
}

/* The code of routines with a part of the profile's time of their own. */
static void codes_write(struct packing *k, Symbols *m)
{
	const struct profile *p = k->p;
	uint64_t *time = calloc((size_t)p->nroutines + 1, sizeof *time), all = 0;
	size_t n = 0;

	COLUMN(k, m->code_of, m->n_code_of, k->nfunctions), COLUMN(k, m->code, m->n_code, k->nfunctions);
	k->failed |= !time;
	for (uint32_t i = 0; !k->failed && i < p->ncontexts; i++) {
		all += p->contexts[i].time;
		if (p->contexts[i].routine != PROFILE_NONE)
			time[p->contexts[i].routine] += p->contexts[i].time;
	}
	for (uint32_t i = 0; !k->failed && i < p->nroutines && n < k->nfunctions; i++) {
		uint64_t code = p->routines[i].module == k->module && time[i] > all / SYMBOLS_CODE_PART ? symbols_code(k->s, k->module, p->routines[i].address) : 0;

		if (!code)
			continue;
		m->code_of[n] = packing_function(k, symbols_find(k->s, k->module, p->routines[i].address));
		m->code[n++] = code;
	}
	m->n_code_of = m->n_code = n;
	free(time);
}

static void rest_write(struct packing *k, Symbols *m)
{
	size_t n = k->npairs / 2;

	COLUMN(k, m->hooked, m->n_hooked, k->nhooked), COLUMN(k, m->arc_from, m->n_arc_from, n), COLUMN(k, m->arc_to, m->n_arc_to, n);
	for (size_t i = 0; i < k->nhooked && !k->failed; i++)
		m->hooked[i] = packing_function(k, k->hooked[i]);
	for (size_t i = 0; i < n && !k->failed; i++) {
		m->arc_from[i] = packing_function(k, k->pairs[2 * i]);
		m->arc_to[i] = packing_function(k, k->pairs[2 * i + 1]);
	}
	m->call_from = k->call_from.at, m->n_call_from = k->call_from.n;
	m->call_name = k->call_name.at, m->n_call_name = k->call_name.n;
	m->call_file = k->call_file.at, m->n_call_file = k->call_file.n;
	m->call_line = k->call_line.at, m->n_call_line = k->call_line.n;
	m->call_tail = k->call_tail.at, m->n_call_tail = k->call_tail.n;
	m->left_reason = k->left_reason.at, m->n_left_reason = k->left_reason.n;
	m->left_name = k->left_name.at, m->n_left_name = k->left_name.n;
	m->lead_name = k->lead_name.at, m->n_lead_name = k->lead_name.n;
	m->lead_to = k->lead_to.at, m->n_lead_to = k->lead_to.n;
	m->lead_calls = k->lead_calls.at, m->n_lead_calls = k->lead_calls.n;
	m->string = k->strings.all, m->n_string = k->strings.n;
}

static void message_free(struct packing *k, Symbols *m)
{
	void *const own[] = { m->start, m->size, m->written, m->name, m->stem, m->origin, m->aliases, m->file, m->line, m->part, m->local, m->at, m->within, m->flags,
		m->at_file, m->at_line, m->own_file, m->own_line, m->own_column, m->called, m->code_of, m->code, m->hooked, m->arc_from, m->arc_to, k->call_from.at, k->call_name.at,
		k->call_file.at, k->call_line.at, k->call_tail.at, k->left_reason.at, k->left_name.at, k->lead_name.at, k->lead_to.at,
		k->lead_calls.at, k->called, k->wanted, k->strings.all, k->places, k->functions, k->pairs, k->hooked };

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		free(own[i]);
	tdestroy(k->strings.known, free);
}

/* Ask, and write down what is answered.  False: memory is short, or there was nothing to ask. */
static bool pack(struct packing *k, Symbols *m, struct profile_symbols *out)
{
	packing_string(k, "");
	packed_write_places_find(k);
	bounds_find(k);
	if (k->p->modules[k->module].hooked) {
		m->hooked_all = symbols_hooked(k->s, k->module, profile_used_way(k->p, AMON_WAY_MCOUNT), packed_write_hooked_visit, k);
		m->arcs_read = symbols_static_arcs(k->s, k->module, true, arc_visit, k);
		symbols_left_out(k->s, k->module, left_visit, k);
	}
	functions_find_all(k);
	calls_find(k);
	if (profile_counts_calls(k->p))
		packing_leads(k);
	functions_write(k, m);
	places_write(k, m);
	codes_write(k, m);
	rest_write(k, m);
	return !k->failed && (k->nplaces || k->nfunctions) && packed_deflate(m, out);
}

bool symbols_pack(struct symbols *s, const struct profile *p, uint32_t module, struct profile_symbols *out)
{
	struct packing k = { .s = s, .p = p, .module = module };
	Symbols m = SYMBOLS__INIT;
	bool ok;

	*out = (struct profile_symbols){ .module = module };
	symbols_quiet(s, true);
	m.alone = symbols_are_alone(s, module);
	m.brief = symbols_are_brief(s, module);
	ok = symbols_have(s, module) && pack(&k, &m, out);
	symbols_quiet(s, false);
	message_free(&k, &m);
	return ok;
}

bool symbols_pack_functions(const struct symbol *const *functions, size_t n, bool alone, struct profile_symbols *out)
{
	struct packing k = { 0 };
	Symbols m = SYMBOLS__INIT;
	bool ok;

	*out = (struct profile_symbols){ 0 };
	m.alone = alone;
	packing_string(&k, "");
	for (size_t i = 0; i < n; i++)
		symbol_add(&k, &k.functions, &k.nfunctions, &k.function_room, functions[i]);
	functions_write(&k, &m);
	rest_write(&k, &m);
	ok = !k.failed && packed_deflate(&m, out);
	message_free(&k, &m);
	return ok;
}
