/* short_names.c - what of each name tells it from the others.
 *
 * A name is taken apart into its plain text, which is always kept, and pieces that stand at places of that text and may be dropped:
 *
 *     void std::__1::sort<int*, Less<int> >(int*, int*, Less<int>)
 *
 *     plain    std::sort
 *     pieces   at 5 the word `__1::`; at 9 `<` int* | Less<int> `>`; at 9 `(` int* | int* | Less<int> `)`
 *
 * Names of one plain text are namesakes.  A slot is a place, piece and argument; slot by slot, from the left, what the namesakes have there is
 * shown if it tells apart more of them than the slots before it do, until each is told from all others. */
#include "base/short_names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"

enum { DEEPEST = 24 };	/* arguments within arguments that are shortened */

struct span {
	const char *text;
	size_t length;
};

/* A word, or one of the arguments of a piece. */
struct cell {
	size_t at;		/* its piece's place in the plain text */
	unsigned nth;		/* which piece of those at that place */
	unsigned argument;	/* which argument; 0 of a word */
	struct span open;	/* what stands before the first argument; nothing of a word */
	struct span text;
	const char *shown;	/* what is shown of it; NULL: nothing */
};

/* A name taken apart. */
struct parsed {
	const char *whole;
	size_t index;		/* among those that were given */
	struct span prefix;	/* the return type, or the like, with the blank behind it */
	char *plain;
	size_t length;		/* bytes of plain */
	struct cell *cells;
	size_t n, room;		/* how many, and how many fit */
	size_t cursor;		/* first cell that no slot has asked for yet */
	uint32_t class;		/* equal for names that are not yet told apart */
	struct span value;	/* what it has in the slot under way; no text: nothing */
	const char *value_shown;	/* the same shortened */
};

/* How a name is read. */
struct reader {
	struct parsed *p;
	struct arena *arena;
	const char *begin, *at, *end;
	const char *within;	/* end of a name in brackets with which the whole one begins; NULL: none */
	unsigned braces;	/* open ones */
	bool type;		/* the text is an argument: round brackets and blanks are its own */
	bool is_operator;	/* blanks belong to the name */
	bool failed;		/* out of memory */
};

static bool short_names_starts(const char *at, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - at) >= n && memcmp(at, word, n) == 0;
}

/* The bracket that closes the one at AT; NULL: none. */
static const char *closing(const char *at, const char *end)
{
	unsigned depth = 0;

	for (size_t n; at < end; at += n) {
		n = name_operator_length(at);
		if (n > 0)
			continue;
		n = 1;
		if (strchr("<([{", *at))
			depth++;
		else if (strchr(">)]}", *at) && !(*at == '>' && at[-1] == '-') && --depth == 0)
			return at;
	}
	return NULL;
}

static void short_names_keep(struct reader *r, const char *text, size_t length)
{
	memcpy(r->p->plain + r->p->length, text, length);
	r->p->length += length;
}

/* Cells at one place of the plain text that are there already. */
static unsigned pieces_at(const struct parsed *p)
{
	return p->n > 0 && p->cells[p->n - 1].at == p->length ? p->cells[p->n - 1].nth + 1 : 0;
}

static void cell_add(struct reader *r, struct cell cell)
{
	struct parsed *p = r->p;

	if (p->n == p->room) {
		size_t room = 2 * p->room + 4;
		struct cell *more = arena_alloc(r->arena, room * sizeof *more);

		r->failed |= !more;
		if (!more)
			return;
		if (p->n > 0)
			memcpy(more, p->cells, p->n * sizeof *more);
		p->cells = more;
		p->room = room;
	}
	cell.at = p->length;
	p->cells[p->n++] = cell;
}

static void short_names_word_add(struct reader *r, size_t length)
{
	if (length > 0)
		cell_add(r, (struct cell){ .nth = pieces_at(r->p), .text = { r->at, length } });
	r->at += length;
}

static struct span trimmed(const char *text, const char *end)
{
	while (text < end && *text == ' ')
		text++;
	while (end > text && end[-1] == ' ')
		end--;
	return (struct span){ text, (size_t)(end - text) };
}

/* The end of the argument at AT of a piece that ends at END. */
static const char *argument_end(const char *at, const char *end)
{
	for (size_t n; at < end && *at != ','; at += n) {
		const char *close = strchr("<([{", *at) ? closing(at, end) : NULL;

		n = name_operator_length(at);
		if (n == 0)
			n = close ? (size_t)(close - at) + 1 : 1;
	}
	return at < end ? at : end;
}

/* A cell for each argument in the brackets that the reader is at, which CLOSE ends; OPEN is what opens them. */
static void arguments_add(struct reader *r, struct span open, const char *close)
{
	struct cell cell = { .nth = pieces_at(r->p), .open = open };

	for (const char *at = r->at + 1;; at++) {
		const char *end = argument_end(at, close);

		cell.text = trimmed(at, end);
		cell_add(r, cell);
		cell.argument++;
		at = end;
		if (at >= close)
			break;
	}
	r->at = close + 1;
}

/* Bytes of what follows the parameters at AT and is no part of the name: ` const`, ` [clone .cold]`. */
static size_t tail_length(const char *at, const char *end)
{
	static const char *const tails[] = { " const", " volatile", " &", "&", " noexcept", " [", " (." };
	const char *p = at;

	for (size_t i = 0; i < sizeof tails / sizeof *tails; i++)
		if (short_names_starts(at, end, tails[i])) {
			while (p < end && !short_names_starts(p, end, "::"))
				p++;
			return (size_t)(p - at);
		}
	return 0;
}

/* Bytes of an inline namespace of the ABI, or of a tag, at the reader's place. */
static size_t abi_length(const struct reader *r)
{
	static const char *const spaces[] = { "__cxx11::", "__1::", "__2::", "__ndk1::", "_V2::", "__cxx1998::" };
	const char *close;

	if (short_names_starts(r->at, r->end, "[abi:") && (close = closing(r->at, r->end)))
		return (size_t)(close - r->at) + 1;
	if (r->p->length < 2 || memcmp(r->p->plain + r->p->length - 2, "::", 2) != 0)
		return 0;
	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
		if (short_names_starts(r->at, r->end, spaces[i]))
			return strlen(spaces[i]);
	return 0;
}

/* Are the brackets that the reader is at a part of the name? `<lambda(int)>`, `foo::<impl Bar>`, Python's `<module>`, Go's `(*T)`. */
static bool is_named(const struct reader *r)
{
	const char *at = r->at;
	char before = r->p->length > 0 ? r->p->plain[r->p->length - 1] : '\0';

	if (*at == '(')
		return r->type || before == '.' || short_names_starts(at, r->end, "(anonymous namespace)");
	return before == '.' || (before == ':' && (short_names_starts(at, r->end, "<impl ") || short_names_starts(at, r->end, "<lambda") ||
		short_names_starts(at, r->end, "<unnamed")));
}

/* Read the brackets at the reader's place; false: they do not close, or are no arguments. */
static bool brackets_read(struct reader *r)
{
	const char *close = closing(r->at, r->end);
	bool round = *r->at == '(';
	struct parsed *p = r->p;

	if (close && round && p->length == 0 && close + 1 < r->end && close[1] == ' ')
		r->at = close + 1;	/* of a return type: `decltype ((x)) f()` */
	else if (!close || (round && p->length == 0 && !is_named(r)) || short_names_starts(r->at, r->end, "(*)"))
		return false;
	else if (!round && p->length == 0 && !r->type) {
		r->within = close;	/* `<Vec<T> as Index>::index` */
		short_names_keep(r, r->at++, 1);
	} else if (round && r->type) {
		short_names_keep(r, r->at++, 1);
	} else if (is_named(r)) {
		short_names_keep(r, r->at, (size_t)(close - r->at) + 1);
		r->at = close + 1;
	} else {
		bool fish = !round && p->length > 2 && memcmp(p->plain + p->length - 2, "::", 2) == 0;	/* Rust's `parse::<T>` */

		p->length -= fish ? 2 : 0;
		arguments_add(r, (struct span){ fish ? "::<" : round ? "(" : "<", fish ? 3 : 1 }, close);
		if (round && !r->braces)
			short_names_word_add(r, tail_length(r->at, r->end));
	}
	return true;
}

/* Read what is no bracket. */
static void short_names_text_read(struct reader *r)
{
	size_t n = name_operator_length(r->at), dropped = n ? 0 : abi_length(r);

	if (dropped == 0 && !r->type)
		dropped = name_variant_length(r->at);		/* `memset (__memset_avx2_unaligned)` */

	r->is_operator |= n > 0 && !r->braces;
	if (r->at == r->within)
		r->within = NULL;
	r->braces += *r->at == '{';
	r->braces -= *r->at == '}' && r->braces > 0;
	if (dropped) {
		short_names_word_add(r, dropped);
	} else if (r->within && short_names_starts(r->at, r->end, " as ")) {
		short_names_word_add(r, (size_t)(r->within - r->at));
	} else if (*r->at == ' ' && !r->type && !r->within && !r->braces && !r->is_operator) {
		r->p->length = r->p->n = 0;
		r->at++;
		r->p->prefix = (struct span){ r->begin, (size_t)(r->at - r->begin) };
	} else {
		short_names_keep(r, r->at, n ? n : 1);
		r->at += n ? n : 1;
	}
}

/* Take LENGTH bytes at TEXT apart; what cannot be is plain as a whole. */
static bool short_names_parse(struct parsed *p, const char *text, size_t length, bool type, struct arena *arena)
{
	struct reader r = { .p = p, .arena = arena, .begin = text, .at = text, .end = text + length, .type = type };
	bool simple = length == strcspn(text, "<([") && !type, ok = true;

	p->plain = arena_alloc(arena, length + 1);
	if (!p->plain)
		return false;
	while (ok && !simple && r.at < r.end && !r.failed)
		if ((*r.at == '<' || *r.at == '(') && !name_operator_length(r.at))
			ok = brackets_read(&r);
		else
			short_names_text_read(&r);
	if (simple || !ok || p->length == 0) {
		memcpy(p->plain, text, length);
		p->length = length;
		p->n = 0;
		p->prefix.length = 0;
	}
	p->plain[p->length] = '\0';
	return !r.failed;
}

static int by_plain(const void *x, const void *y)
{
	const struct parsed *a = x, *b = y;
	int c = strcmp(a->plain, b->plain);

	if (c == 0)
		c = strcmp(a->whole, b->whole);
	return c ? c : (a->index > b->index) - (a->index < b->index);
}

static int slot_order(const struct cell *a, const struct cell *b)
{
	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	if (a->nth != b->nth)
		return a->nth < b->nth ? -1 : 1;
	return (a->argument > b->argument) - (a->argument < b->argument);
}

/* The first slot that none of the namesakes was asked for; NULL: none is left. */
static const struct cell *slot_next(const struct parsed *p, size_t n)
{
	const struct cell *first = NULL;

	for (size_t i = 0; i < n; i++)
		if (p[i].cursor < p[i].n && (!first || slot_order(p[i].cells + p[i].cursor, first) < 0))
			first = p[i].cells + p[i].cursor;
	return first;
}

static int span_order(struct span a, struct span b)
{
	size_t least = a.length < b.length ? a.length : b.length;
	int c = !a.text || !b.text ? (a.text != NULL) - (b.text != NULL) : memcmp(a.text, b.text, least);

	return c ? c : (a.length > b.length) - (a.length < b.length);
}

static int short_names_by_value(const void *x, const void *y)
{
	const struct parsed *a = *(struct parsed *const *)x, *b = *(struct parsed *const *)y;

	return a->class != b->class ? (a->class < b->class ? -1 : 1) : span_order(a->value, b->value);
}

/* Classes of the namesakes ORDER[0..N), sorted short_names_by_value, if the slot under way is shown, too; SET gives them these. */
static uint32_t classes_of(struct parsed **order, size_t n, bool set)
{
	uint32_t classes = 0, old = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		bool begins = i == 0 || order[i]->class != old || span_order(order[i]->value, order[i - 1]->value) != 0;

		classes += begins;
		old = order[i]->class;
		if (set)
			order[i]->class = classes - 1;
	}
	return classes;
}

static bool shorten(struct parsed *p, size_t n, unsigned depth, struct arena *arena);

/* Shorten what the namesakes have in the slot under way. */
static bool values_shorten(struct parsed *p, size_t n, unsigned depth, struct arena *arena)
{
	struct parsed *values = calloc(n, sizeof *values);
	bool ok = values;
	size_t k = 0;

	for (size_t i = 0; ok && i < n; i++)
		if (p[i].value.text) {
			const char *copy = arena_copy(arena, p[i].value.text, p[i].value.length);

			ok = copy && short_names_parse(&values[k], copy, p[i].value.length, true, arena);
			values[k].whole = copy;
			values[k++].index = i;
		}
	ok = ok && shorten(values, k, depth + 1, arena);
	for (size_t i = 0; ok && i < k; i++)
		p[values[i].index].value_shown = values[i].whole;
	free(values);
	return ok;
}

/* Show of each of the namesakes what it has in the slot that is like SLOT, if that tells some apart; *CLASSES is how many of them are told apart. */
static bool slot_try(struct parsed *p, struct parsed **order, size_t n, struct cell slot, uint32_t *classes, unsigned depth, struct arena *arena)
{
	for (size_t i = 0; i < n; i++) {
		bool has = p[i].cursor < p[i].n && slot_order(p[i].cells + p[i].cursor, &slot) == 0;

		p[i].value = has ? p[i].cells[p[i].cursor++].text : (struct span){ 0 };
		order[i] = p + i;
	}
	qsort(order, n, sizeof *order, short_names_by_value);
	if (classes_of(order, n, false) == *classes)
		return true;
	*classes = classes_of(order, n, true);
	if (slot.open.length > 0 && !values_shorten(p, n, depth, arena))
		return false;
	for (size_t i = 0; i < n; i++)
		if (p[i].value.text)
			p[i].cells[p[i].cursor - 1].shown = slot.open.length > 0 ? p[i].value_shown
				: arena_copy(arena, p[i].value.text, p[i].value.length);
	return true;
}

/* The cells of P from I on that are one piece. */
static size_t piece_end(const struct parsed *p, size_t i)
{
	size_t end = i + 1;

	while (end < p->n && p->cells[end].at == p->cells[i].at && p->cells[end].nth == p->cells[i].nth)
		end++;
	return end;
}

/* Write the piece CELLS[0..N) at TEXT, `...` for arguments that are not shown; returns its end. */
static char *short_names_piece_write(char *text, const struct cell *cells, size_t n)
{
	bool any = false, dots = false;

	for (size_t i = 0; i < n; i++)
		any |= cells[i].shown != NULL;
	if (!any)
		return text;
	if (cells->open.length > 0)
		text = mempcpy(text, cells->open.text, cells->open.length);
	for (size_t i = 0; i < n; i++) {
		if (!cells[i].shown && dots)
			continue;
		dots = !cells[i].shown;
		text = stpcpy(stpcpy(text, i > 0 ? ", " : ""), dots ? "..." : cells[i].shown);
	}
	return cells->open.length > 0 ? stpcpy(text, cells->open.text[cells->open.length - 1] == '(' ? ")" : ">") : text;
}

/* The plain text of P with what is shown of its pieces, and its PREFIX; NULL: out of memory. */
static const char *written(const struct parsed *p, bool prefix, struct arena *arena)
{
	size_t size = p->prefix.length + p->length + 1, at = 0;
	char *begin, *text;

	for (size_t i = 0; i < p->n; i++)
		size += (p->cells[i].shown ? strlen(p->cells[i].shown) : 3) + p->cells[i].open.length + 3;
	begin = text = arena_alloc(arena, size);
	if (!text)
		return NULL;
	if (prefix && p->prefix.length > 0)
		text = mempcpy(text, p->prefix.text, p->prefix.length);
	for (size_t i = 0, end; i < p->n; i = end) {
		end = piece_end(p, i);
		text = mempcpy(text, p->plain + at, p->cells[i].at - at);
		at = p->cells[i].at;
		text = short_names_piece_write(text, p->cells + i, end - i);
	}
	strcpy(text, p->plain + at);
	return begin;
}

/* Set the short forms of namesakes P[0..N), which are all different, in place of their whole names: with their
 * prefixes where nothing else tells them apart.  What is too deep stays whole. */
static bool namesakes_shorten(struct parsed *p, size_t n, unsigned depth, struct arena *arena)
{
	struct parsed **order = calloc(n, sizeof *order);
	size_t *members = calloc(n, sizeof *members);	/* by class */
	const struct cell *slot;
	uint32_t classes = 1;
	bool ok = order && members;

	while (ok && classes < n && (slot = slot_next(p, n)))
		ok = slot_try(p, order, n, *slot, &classes, depth, arena);
	for (size_t i = 0; ok && i < n; i++)
		members[p[i].class]++;
	for (size_t i = 0; ok && i < n; i++) {
		p[i].whole = written(p + i, members[p[i].class] > 1, arena);
		ok = p[i].whole;
	}
	free(members);
	free(order);
	return ok;
}

/* Move one of each name of the sorted P[0..N) to the front of UNIQUE; returns how many. */
static size_t unique_names(struct parsed *unique, const struct parsed *p, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (i == 0 || strcmp(p[i].whole, p[i - 1].whole) != 0)
			unique[k++] = p[i];
	return k;
}

/* Give each of the sorted P[0..N) the short form of its name, from UNIQUE, in their order. */
static void names_share(struct parsed *p, size_t n, const struct parsed *unique)
{
	const char *before = NULL;

	for (size_t i = 0, k = 0; i < n; i++) {
		bool again = before && strcmp(p[i].whole, before) == 0;

		before = p[i].whole;
		p[i].whole = unique[again ? k - 1 : k++].whole;
	}
}

/* Set the short forms of P[0..N) in place of their whole names; sorts them. */
static bool shorten(struct parsed *p, size_t n, unsigned depth, struct arena *arena)
{
	struct parsed *unique = calloc(n + 1, sizeof *unique);
	bool ok = unique;

	qsort(p, n, sizeof *p, by_plain);
	for (size_t i = 0, end; ok && i < n; i = end) {
		for (end = i + 1; end < n && strcmp(p[i].plain, p[end].plain) == 0;)
			end++;
		size_t k = unique_names(unique, p + i, end - i);

		if (k == 1)
			unique[0].whole = unique[0].plain;
		else if (depth < DEEPEST)
			ok = namesakes_shorten(unique, k, depth, arena);
		if (ok)
			names_share(p + i, end - i, unique);
	}
	free(unique);
	return ok;
}

bool short_names(const char **brief, const char *const *names, size_t n, struct arena *arena)
{
	struct parsed *p = calloc(n + 1, sizeof *p);
	bool ok = p;
	size_t k = 0;

	for (size_t i = 0; ok && i < n; i++) {
		brief[i] = names[i];
		if (names[i]) {
			p[k] = (struct parsed){ .whole = names[i], .index = i };
			ok = short_names_parse(&p[k++], names[i], strlen(names[i]), false, arena);
		}
	}
	ok = ok && shorten(p, k, 0, arena);
	for (size_t i = 0; ok && i < k; i++)
		brief[p[i].index] = p[i].whole;
	free(p);
	return ok;
}
