/* cost_words.c - names and numbers of callgrind's format (Callgrind Format Specification, "Name Compression", "Subposition Compression"). */
#include "read/import/cost_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void cost_words_free(struct cost_words *w)
{
	table_free(&w->by_text);
	table_free(&w->by_number);
	free(w->text);
	free(w->numbers);
	arena_free(&w->arena);
}

static uint64_t cost_words_text_key(const char *text, size_t n)
{
	uint64_t key = n;

	for (size_t i = 0; i < n; i++)
		key = hash_mix(key, (unsigned char)text[i]);
	return key;
}

static uint64_t cost_words_text_hash(const void *owner, uint32_t i)
{
	const char *text = ((const struct cost_words *)owner)->text[i];

	return cost_words_text_key(text, strlen(text));
}

/* The word that the N bytes at TEXT are. */
static uint32_t cost_words_word_of(struct cost_words *w, const char *text, size_t n)
{
	uint64_t key = cost_words_text_key(text, n), i = key;
	const char *copy;
	uint32_t k;

	while ((k = table_next(&w->by_text, &i)) != UINT32_MAX)
		if (strncmp(w->text[k], text, n) == 0 && w->text[k][n] == '\0')
			return k;
	if (!array_grow(&w->text, &w->room, w->n, sizeof *w->text) || !table_reserve(&w->by_text, w->n + 1, cost_words_text_hash, w) ||
	    !(copy = arena_copy(&w->arena, text, n)))
		return COST_WORD_NONE;
	w->text[w->n] = copy;
	table_add(&w->by_text, key, w->n);
	return w->n++;
}

static uint64_t number_hash(const void *owner, uint32_t i)
{
	const struct cost_number *n = &((const struct cost_words *)owner)->numbers[i];

	return hash_mix(n->number, n->kind);
}

static struct cost_number *number_find(const struct cost_words *w, uint32_t kind, uint64_t number)
{
	uint64_t i = hash_mix(number, kind);
	uint32_t k;

	while ((k = table_next(&w->by_number, &i)) != UINT32_MAX)
		if (w->numbers[k].number == number && w->numbers[k].kind == kind)
			return &w->numbers[k];
	return NULL;
}

/* From now on NUMBER is WORD; what it was before is forgotten, as where several files stand in one. */
static bool cost_words_number_set(struct cost_words *w, uint32_t kind, uint64_t number, uint32_t word)
{
	struct cost_number *old = number_find(w, kind, number);

	if (old) {
		old->word = word;
		return true;
	}
	if (!array_grow(&w->numbers, &w->numbers_room, w->nnumbers, sizeof *w->numbers) ||
	    !table_reserve(&w->by_number, w->nnumbers + 1, number_hash, w))
		return false;
	w->numbers[w->nnumbers] = (struct cost_number){ number, kind, word };
	table_add(&w->by_number, hash_mix(number, kind), w->nnumbers++);
	return true;
}

static const char *behind_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* `(3)` at *AT, which moves behind it; false: that is none, and the name has no number. */
static bool take_number(const char **at, const char *end, uint64_t *number)
{
	const char *in = *at + 1;

	if (*at == end || **at != '(' || !cost_number(&in, end, number) || in == end || *in != ')')
		return false;
	*at = behind_blanks(in + 1, end);
	return true;
}

uint32_t cost_word(struct cost_words *w, uint32_t kind, const char *at, const char *end, const char **why)
{
	const struct cost_number *known;
	uint64_t number;
	bool numbered;
	uint32_t word;

	at = behind_blanks(at, end);
	numbered = take_number(&at, end, &number);
	*why = "no name";
	if (at == end && !numbered)
		return COST_WORD_NONE;
	if (at == end) {
		known = number_find(w, kind, number);
		*why = "a number whose name was not given before";
		return known ? known->word : COST_WORD_NONE;
	}
	word = cost_words_word_of(w, at, (size_t)(end - at));
	*why = NULL;
	return word == COST_WORD_NONE || (numbered && !cost_words_number_set(w, kind, number, word)) ? COST_WORD_NONE : word;
}

static int digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

bool cost_number(const char **at, const char *end, uint64_t *number)
{
	int base = end - *at > 2 && (*at)[0] == '0' && ((*at)[1] == 'x' || (*at)[1] == 'X') ? 16 : 10;
	const char *in = base == 16 ? *at + 2 : *at, *first = in;

	for (*number = 0; in < end && digit_of(*in) < base; in++)
		if (__builtin_mul_overflow(*number, (uint64_t)base, number) || __builtin_add_overflow(*number, (uint64_t)digit_of(*in), number))
			return false;
	if (in == first || (in < end && *in != ' ' && *in != '\t' && *in != ')' && *in != '/'))
		return false;
	*at = behind_blanks(in, end);
	return true;
}

bool cost_position(const char **at, const char *end, uint64_t *last)
{
	char sign = *at < end ? **at : '\0';
	uint64_t by = 0;

	*at += sign == '*' || sign == '+' || sign == '-';
	if (sign == '*') {
		*at = behind_blanks(*at, end);
		return true;
	}
	if (!cost_number(at, end, &by))
		return false;
	*last = sign == '+' ? *last + by : sign == '-' ? *last - by : by;
	return true;
}
