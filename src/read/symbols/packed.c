/* packed.c - reads the symbols that a profile carries.
 *
 * What several files say of one module is put together: a function is one by its start and name.  The bytes may be anybody's: every index
 * is checked, and what does not hold together is not used at all. */
#include "read/symbols/packed.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "read/symbols/packed.pb-c.h"

enum { LARGEST = 64 << 20 };	/* bytes of a message */

/* ---- one message ---- */

/* The message in S, inflated; NULL: it is none, or too large. */
static Symbols *message_read(const struct profile_symbols *s)
{
	uLongf size = s->plain_size <= LARGEST ? (uLongf)s->plain_size : 0;
	unsigned char *plain = size ? malloc(size) : NULL;
	Symbols *message = NULL;

	if (plain && uncompress(plain, &size, s->data, s->size) == Z_OK && size == s->plain_size)
		message = symbols__unpack(NULL, size, plain);
	free(plain);
	return message;
}

bool symbols_is_brief(const struct profile_symbols *out)
{
	Symbols *message = message_read(out);
	bool brief = message && message->brief;

	if (message)
		symbols__free_unpacked(message, NULL);
	return brief;
}

/* Whether the N items of COLUMN are below LIMIT. */
static bool all_below(const uint32_t *column, size_t n, size_t limit)
{
	for (size_t i = 0; i < n; i++)
		if (column[i] >= limit)
			return false;
	return true;
}

static bool functions_hold(const Symbols *m)
{
	size_t n = m->n_start, strings = m->n_string;

	return m->n_size == n && m->n_name == n && m->n_stem == n && m->n_origin == n && m->n_aliases == n && m->n_file == n &&
	       m->n_line == n && m->n_part == n && (m->n_local == n || m->n_local == 0) && all_below(m->name, n, strings) && all_below(m->stem, n, strings) &&
	       all_below(m->aliases, n, strings) && all_below(m->file, n, strings) &&
	       (m->n_written == 0 || (m->n_written == n && all_below(m->written, n, strings)));
}

static bool places_hold(const Symbols *m)
{
	size_t n = m->n_at, strings = m->n_string;

	return m->n_within == n && m->n_flags == n && m->n_at_file == n && m->n_at_line == n && m->n_own_file == n && m->n_own_line == n && (m->n_own_column == n || m->n_own_column == 0) && (m->n_called == n || m->n_called == 0) &&
	       all_below(m->within, n, m->n_start) && all_below(m->at_file, n, strings) && all_below(m->own_file, n, strings) &&
	       all_below(m->called, m->n_called, strings);
}

static bool rest_holds(const Symbols *m)
{
	size_t calls = m->n_call_from, functions = m->n_start, strings = m->n_string;

	return m->n_call_name == calls && m->n_call_file == calls && m->n_call_line == calls &&
	       (m->n_call_tail == calls || m->n_call_tail == 0) && m->n_code_of == m->n_code && all_below(m->code_of, m->n_code_of, functions) && all_below(m->call_from, calls, functions) &&
	       all_below(m->call_name, calls, strings) && all_below(m->call_file, calls, strings) &&
	       all_below(m->hooked, m->n_hooked, functions) && m->n_arc_to == m->n_arc_from &&
	       all_below(m->arc_from, m->n_arc_from, functions) && all_below(m->arc_to, m->n_arc_to, functions) &&
	       m->n_left_name == m->n_left_reason && all_below(m->left_reason, m->n_left_reason, SYMBOLS_LEFT_REASONS) &&
	       all_below(m->left_name, m->n_left_name, strings) && m->n_lead_name == m->n_lead_calls && m->n_lead_to == m->n_lead_calls &&
	       all_below(m->lead_name, m->n_lead_name, strings) && all_below(m->lead_to, m->n_lead_to, functions) &&
	       all_below(m->lead_calls, m->n_lead_calls, INT_MAX);
}

/* Whether M can be used: columns of a table are equally long, indices lead somewhere, strings have no zero byte, and end (protobuf-c sees to that). */
static bool message_holds(const Symbols *m)
{
	if (m->n_string == 0 || m->string[0].len != 0 || m->n_string > UINT32_MAX / 2 || m->n_start > UINT32_MAX / 2)
		return false;
	for (size_t i = 0; i < m->n_string; i++)
		if (m->string[i].len && memchr(m->string[i].data, 0, m->string[i].len))
			return false;
	return functions_hold(m) && places_hold(m) && rest_holds(m);
}

/* ---- all messages ---- */

/* What is being put together. */
struct merge {
	struct packed *k;
	const Symbols *m;		/* the message at hand */
	const char **strings;		/* its strings; [0] is NULL */
	size_t first;			/* its functions in functions[] begin here */
	size_t room[8];			/* of the arrays of K, in their order */
};

static const char *text(const struct merge *w, uint32_t i) { return i ? w->strings[i] : NULL; }
static const char *text_or_empty(const struct merge *w, uint32_t i) { return i ? w->strings[i] : ""; }

/* The strings of the message, ended by zero bytes, in one piece that K owns.  False: out of memory. */
static bool packed_strings_make(struct merge *w)
{
	size_t size = 0, n = w->m->n_string;
	char *at;

	for (size_t i = 0; i < n; i++)
		size += w->m->string[i].len + 1;
	w->strings = calloc(n + 1, sizeof *w->strings);
	if (!w->strings || !array_reserve(&w->k->messages, &w->room[6], w->k->nmessages + 1, sizeof *w->k->messages) || !(at = malloc(size)))
		return false;
	w->k->messages[w->k->nmessages++] = at;
	for (size_t i = 0; i < n; i++) {
		size_t length = w->m->string[i].len;

		if (length)
			memcpy(at, w->m->string[i].data, length);
		at[length] = '\0';
		w->strings[i] = at;
		at += length + 1;
	}
	return true;
}

static void functions_add(struct merge *w)
{
	const Symbols *m = w->m;
	uint64_t start = 0;

	for (size_t i = 0; i < m->n_start; i++) {
		start += m->start[i];
		w->k->functions[w->k->nfunctions++] = (struct packed_function){
			.start = start, .size = m->size[i], .origin = start + (uint64_t)m->origin[i], .name = text_or_empty(w, m->name[i]),
			.base = text_or_empty(w, m->stem[i]), .aliases = text(w, m->aliases[i]), .file = text(w, m->file[i]), .line = m->line[i],
			.local = m->n_local && m->local[i], .part = m->part[i], .written = m->n_written ? text(w, m->written[i]) : NULL };
	}
}

static void packed_places_add(struct merge *w)
{
	const Symbols *m = w->m;
	uint64_t at = 0;

	for (size_t i = 0; i < m->n_at; i++) {
		at += m->at[i];
		w->k->places[w->k->nplaces++] = (struct packed_place){
			.at = at, .function = (uint32_t)w->first + m->within[i], .in_hooks = m->flags[i] & 1, .is_open = m->flags[i] & 2,
			.file = text(w, m->at_file[i]), .line = m->at_line[i], .own_file = text(w, m->own_file[i]), .own_line = m->own_line[i],
			.own_column = m->n_own_column ? m->own_column[i] : 0,
			.called = m->n_called ? text(w, m->called[i]) : NULL, .by_pointer = m->flags[i] & 4 };
	}
}

static void packed_rest_add(struct merge *w)
{
	const Symbols *m = w->m;
	struct packed *k = w->k;
	uint32_t first = (uint32_t)w->first;

	for (size_t i = 0; i < m->n_call_from; i++)
		k->calls[k->ncalls++] = (struct packed_call){ first + m->call_from[i], text_or_empty(w, m->call_name[i]),
			text_or_empty(w, m->call_file[i]), m->call_line[i], m->n_call_tail && m->call_tail[i] };
	for (size_t i = 0; i < m->n_hooked; i++)
		k->hooked[k->nhooked++] = first + m->hooked[i];
	for (size_t i = 0; i < m->n_arc_from; i++)
		k->arcs[k->narcs++] = (struct packed_arc){ first + m->arc_from[i], first + m->arc_to[i] };
	for (size_t i = 0; i < m->n_left_reason; i++)
		k->left[k->nleft++] = (struct packed_left){ m->left_reason[i], text_or_empty(w, m->left_name[i]) };
	for (size_t i = 0; i < m->n_code_of; i++)
		k->functions[first + m->code_of[i]].code = m->code[i];
	for (size_t i = 0; i < m->n_lead_to; i++)
		k->leads[k->nleads++] = (struct packed_lead){ text_or_empty(w, m->lead_name[i]), first + m->lead_to[i], m->lead_calls[i] };
	k->hooked_all |= m->hooked_all;
	k->arcs_read |= m->arcs_read;
	k->alone |= m->alone;
}

static bool packed_room_make(struct merge *w)
{
	struct packed *k = w->k;
	const Symbols *m = w->m;

	return k->nfunctions + m->n_start < UINT32_MAX / 2 &&
	       array_reserve(&k->functions, &w->room[0], k->nfunctions + m->n_start, sizeof *k->functions) &&
	       array_reserve(&k->places, &w->room[1], k->nplaces + m->n_at, sizeof *k->places) &&
	       array_reserve(&k->calls, &w->room[2], k->ncalls + m->n_call_from, sizeof *k->calls) &&
	       array_reserve(&k->hooked, &w->room[3], k->nhooked + m->n_hooked, sizeof *k->hooked) &&
	       array_reserve(&k->arcs, &w->room[4], k->narcs + m->n_arc_from, sizeof *k->arcs) &&
	       array_reserve(&k->left, &w->room[5], k->nleft + m->n_left_reason, sizeof *k->left) &&
	       array_reserve(&k->leads, &w->room[7], k->nleads + m->n_lead_to, sizeof *k->leads);
}

/* Add the message M.  False: out of memory. */
static bool message_add(struct merge *w, const Symbols *m)
{
	bool ok;

	w->m = m;
	w->first = w->k->nfunctions;
	w->strings = NULL;
	ok = packed_room_make(w) && packed_strings_make(w);
	if (ok) {
		functions_add(w);
		packed_places_add(w);
		packed_rest_add(w);
	}
	free(w->strings);
	return ok;
}

/* ---- where several say something of one thing ----
 *
 * What any of them knows is known; where they differ the choice does not depend on who came first. */

/* Whether B is to stand in the place of A: A is nothing, or it is the later one by name. */
static bool packed_is_better(const char *a, const char *b)
{
	return b && *b && (!a || !*a || strcmp(b, a) < 0);
}

static void text_join(const char **a, const char *b)
{
	if (packed_is_better(*a, b))
		*a = b;
}

/* The line LINE of FILE, and COLUMN unless NULL: the better of two. */
static void line_join(const char **file, uint32_t *line, uint32_t *column, const char *other, uint32_t other_line, uint32_t other_column)
{
	bool same = *file && other && strcmp(*file, other) == 0;

	if (!packed_is_better(*file, other) && !(same && (other_line > *line || (column && other_line == *line && other_column > *column))))
		return;
	*file = other;
	*line = other_line;
	if (column)
		*column = other_column;
}

static void function_join(struct packed_function *a, const struct packed_function *b)
{
	if (b->size > a->size)
		a->size = b->size;
	if (b->origin > a->origin)
		a->origin = b->origin;
	text_join(&a->base, b->base);
	text_join(&a->aliases, b->aliases);
	text_join(&a->written, b->written);
	line_join(&a->file, &a->line, NULL, b->file, b->line, 0);
	a->code = a->code ? a->code : b->code;
	a->local |= b->local;
	a->part |= b->part;
}

static void place_join(struct packed_place *a, const struct packed_place *b)
{
	if (b->function < a->function)
		a->function = b->function;
	text_join(&a->called, b->called);
	a->by_pointer |= b->by_pointer;
	a->in_hooks |= b->in_hooks;
	a->is_open |= b->is_open;
	line_join(&a->file, &a->line, NULL, b->file, b->line, 0);
	line_join(&a->own_file, &a->own_line, &a->own_column, b->own_file, b->own_line, b->own_column);
}

/* ---- in order ---- */

static int packed_by_start(const void *left, const void *right, void *functions)
{
	const struct packed_function *f = functions, *a = f + *(const uint32_t *)left, *b = f + *(const uint32_t *)right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int packed_by_address(const void *left, const void *right)
{
	const struct packed_place *a = left, *b = right;

	return (a->at > b->at) - (a->at < b->at);
}

static int packed_by_caller(const void *left, const void *right)
{
	const struct packed_call *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return strcmp(a->name, b->name) ? strcmp(a->name, b->name) : strcmp(a->file, b->file);
}

static int packed_by_name(const void *left, const void *right)
{
	const struct packed_left *a = left, *b = right;

	return a->why != b->why ? (a->why > b->why) - (a->why < b->why) : strcmp(a->name, b->name);
}

/* Of equal neighbours among the N items of SIZE bytes at ITEMS keep one. Returns how many are left. */
static size_t unique(void *items, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	char *base = items;
	size_t kept = 0;

	if (n)
		qsort(items, n, size, compare);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || compare(base + (kept - 1) * size, base + i * size) != 0)
			memmove(base + kept++ * size, base + i * size, size);
	return kept;
}

static void renumber(struct packed *k, const uint32_t *number)
{
	for (size_t i = 0; i < k->nplaces; i++)
		k->places[i].function = number[k->places[i].function];
	for (size_t i = 0; i < k->ncalls; i++)
		k->calls[i].function = number[k->calls[i].function];
	for (size_t i = 0; i < k->nhooked; i++)
		k->hooked[i] = number[k->hooked[i]];
	for (size_t i = 0; i < k->narcs; i++)
		k->arcs[i] = (struct packed_arc){ number[k->arcs[i].from], number[k->arcs[i].to] };
	for (size_t i = 0; i < k->nleads; i++)
		k->leads[i].to = number[k->leads[i].to];
}

/* Functions by start and name, each once.  False: out of memory. */
static bool functions_settle(struct packed *k)
{
	uint32_t *order = calloc(k->nfunctions + 1, sizeof *order), *number = calloc(k->nfunctions + 1, sizeof *number);
	struct packed_function *sorted = calloc(k->nfunctions + 1, sizeof *sorted);
	bool ok = order && number && sorted;
	size_t n = 0;

	for (size_t i = 0; ok && i < k->nfunctions; i++)
		order[i] = (uint32_t)i;
	if (ok && k->nfunctions)
		qsort_r(order, k->nfunctions, sizeof *order, packed_by_start, k->functions);
	for (size_t i = 0; ok && i < k->nfunctions; i++) {
		if (i == 0 || packed_by_start(&order[i - 1], &order[i], k->functions) != 0)
			sorted[n++] = k->functions[order[i]];
		else
			function_join(&sorted[n - 1], &k->functions[order[i]]);
		number[order[i]] = (uint32_t)n - 1;
	}
	if (ok) {
		renumber(k, number);
		free(k->functions);
		k->functions = sorted;
		k->nfunctions = n;
	} else {
		free(sorted);
	}
	free(order);
	free(number);
	return ok;
}

static int packed_by_arc(const void *left, const void *right)
{
	const struct packed_arc *a = left, *b = right;

	return a->from != b->from ? (a->from > b->from) - (a->from < b->from) : (a->to > b->to) - (a->to < b->to);
}

static int by_lead(const void *left, const void *right)
{
	const struct packed_lead *a = left, *b = right;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return strcmp(a->name, b->name) ? strcmp(a->name, b->name) : (a->calls > b->calls) - (a->calls < b->calls);
}

/* Places by address, each once. */
static void packed_places_settle(struct packed *k)
{
	size_t kept = 0;

	if (k->nplaces)
		qsort(k->places, k->nplaces, sizeof *k->places, packed_by_address);
	for (size_t i = 0; i < k->nplaces; i++)
		if (kept && k->places[kept - 1].at == k->places[i].at)
			place_join(&k->places[kept - 1], &k->places[i]);
		else
			k->places[kept++] = k->places[i];
	k->nplaces = kept;
}

static bool packed_settle(struct packed *k)
{
	if (!functions_settle(k))
		return false;
	packed_places_settle(k);
	k->ncalls = unique(k->calls, k->ncalls, sizeof *k->calls, packed_by_caller);
	k->narcs = unique(k->arcs, k->narcs, sizeof *k->arcs, packed_by_arc);
	k->nleft = unique(k->left, k->nleft, sizeof *k->left, packed_by_name);
	k->nleads = unique(k->leads, k->nleads, sizeof *k->leads, by_lead);
	return true;
}

struct packed *packed_read(const struct profile *p, uint32_t module)
{
	struct merge w = { .k = calloc(1, sizeof *w.k) };
	bool ok = w.k != NULL, any = false;

	for (size_t i = 0; ok && i < p->nsymbols; i++) {
		Symbols *m = p->symbols[i].module == module ? message_read(&p->symbols[i]) : NULL;

		if (m && message_holds(m)) {
			ok = message_add(&w, m);
			any = true;
		}
		if (m)
			symbols__free_unpacked(m, NULL);
	}
	if (ok && any && packed_settle(w.k))
		return w.k;
	packed_free(w.k);
	return NULL;
}

void packed_free(struct packed *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->nmessages; i++)
		free(k->messages[i]);
	free(k->messages);
	free(k->functions);
	free(k->places);
	free(k->calls);
	free(k->hooked);
	free(k->arcs);
	free(k->left);
	free(k->leads);
	free(k);
}

/* ---- questions ---- */

const struct packed_place *packed_place(const struct packed *k, uint64_t address)
{
	const struct packed_place wanted = { .at = address };

	return k->nplaces ? bsearch(&wanted, k->places, k->nplaces, sizeof *k->places, packed_by_address) : NULL;
}

uint64_t packed_next_place(const struct packed *k, uint64_t address)
{
	size_t low = 0, high = k->nplaces;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (k->places[middle].at <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < k->nplaces ? k->places[low].at : UINT64_MAX;
}

uint32_t packed_find(const struct packed *k, uint64_t address)
{
	const struct packed_place *place = packed_place(k, address);
	size_t low = 0, high = k->nfunctions;

	if (place)
		return place->function;
	while (low < high) {				/* the first that starts behind it */
		size_t middle = low + (high - low) / 2;

		if (k->functions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || address - k->functions[low - 1].start >= k->functions[low - 1].size)
		return PACKED_NONE;
	return (uint32_t)low - 1;
}

int packed_leads(const struct packed *k, const char *name, uint64_t address)
{
	uint32_t to = packed_find(k, address);

	for (size_t i = 0; i < k->nleads; i++)		/* few: the nearest first */
		if (k->leads[i].to == to && strcmp(k->leads[i].name, name) == 0)
			return (int)k->leads[i].calls;
	return -1;
}

const struct packed_call *packed_calls(const struct packed *k, uint32_t i, size_t *n)
{
	size_t low = 0, high = k->ncalls, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (k->calls[middle].function < i)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < k->ncalls && k->calls[end].function == i; end++)
		continue;
	*n = end - low;
	return *n ? k->calls + low : NULL;
}
