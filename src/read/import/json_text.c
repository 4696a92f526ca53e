/* json_text.c - from a text to the values in it (RFC 8259).  What is not asked for is passed over by its brackets and quotes alone. */
#include "read/import/json_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"

static const char *json_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
		at++;
	return at;
}

static enum json_kind json_kind_of(char c)
{
	return c == '{' ? JSON_MAP : c == '[' ? JSON_LIST : c == '"' ? JSON_STRING : c == '-' || (c >= '0' && c <= '9') ? JSON_NUMBER :
		c == 't' || c == 'f' || c == 'n' ? JSON_WORD : JSON_NOTHING;
}

struct json_value json_value_at(const char *text, size_t n)
{
	const char *end = text + n, *at = json_blanks(text, end);

	return (struct json_value){ at < end ? json_kind_of(*at) : JSON_NOTHING, at, end };
}

/* ---- what is passed over ---- */

/* What follows the string whose first quote is at AT; NULL: it has no end. */
static const char *json_string_behind(const char *at, const char *end)
{
	for (at++; at < end; at++)
		if (*at == '"')
			return at + 1;
		else if (*at == '\\')
			at++;
	return NULL;
}

/* The same of a number or a word. */
static const char *json_word_behind(const char *at, const char *end)
{
	while (at < end && *at != ',' && *at != ']' && *at != '}' && *at != ' ' && *at != '\n' && *at != '\r' && *at != '\t')
		at++;
	return at;
}

static const char *json_container_behind(const char *at, const char *end)
{
	size_t depth = 0;

	while (at && at < end)
		switch (*at) {
		case '[': case '{': depth++; at++; break;
		case ']': case '}':
			at++;
			if (--depth == 0)
				return at;
			break;
		case '"': at = json_string_behind(at, end); break;
		default: at++;
		}
	return NULL;
}

static const char *json_value_behind(const struct json_value *v)
{
	switch (v->kind) {
	case JSON_MAP: case JSON_LIST: return json_container_behind(v->at, v->end);
	case JSON_STRING: return json_string_behind(v->at, v->end);
	case JSON_NUMBER: case JSON_WORD: return json_word_behind(v->at, v->end);
	default: return NULL;
	}
}

/* ---- walking ---- */

struct json_walk json_walk(struct json_value container)
{
	struct json_walk w = { .value = { JSON_NOTHING, container.at, container.end } };

	if (container.kind == JSON_MAP || container.kind == JSON_LIST)
		w.next = container.at + 1;
	else
		w.behind = "";
	w.key = container.kind == JSON_MAP ? "" : NULL;
	return w;
}

static bool json_wrong_at(struct json_walk *w, const char *at)
{
	w->wrong = true;
	w->at = at;
	return false;
}

/* The key at AT and its colon; what follows.  NULL: there is none. */
static const char *json_key_take(struct json_walk *w, const char *at)
{
	const char *end = w->value.end, *behind = at < end && *at == '"' ? json_string_behind(at, end) : NULL, *colon = behind ? json_blanks(behind, end) : NULL;

	if (!colon || colon == end || *colon != ':')
		return NULL;
	w->key = at + 1;
	w->key_size = (size_t)(behind - at) - 2;
	return json_blanks(colon + 1, end);
}

bool json_next(struct json_walk *w)
{
	const char *end = w->value.end, *at = w->next ? w->next : w->wrong || w->behind ? NULL : json_value_behind(&w->value), *value;

	if (w->wrong || w->behind)
		return false;
	if (!at)
		return json_wrong_at(w, w->value.at);
	at = json_blanks(at, end);
	if (at < end && (w->key ? *at == '}' : *at == ']')) {
		w->behind = at + 1;
		return false;
	}
	if (w->n > 0 && (at == end || *at != ','))
		return json_wrong_at(w, at);
	value = at = json_blanks(at + (w->n > 0), end);
	if (w->key && !(value = json_key_take(w, at)))
		return json_wrong_at(w, at);
	w->value = json_value_at(value, (size_t)(end - value));
	w->next = NULL;
	w->n++;
	return w->value.kind != JSON_NOTHING || json_wrong_at(w, value);
}

bool json_leave(struct json_walk *w, const struct json_walk *inner)
{
	if (inner->wrong)
		return json_wrong_at(w, inner->at);
	if (w->value.kind == JSON_MAP || w->value.kind == JSON_LIST)
		w->next = inner->behind;
	return true;
}

bool json_key_is(const struct json_walk *w, const char *key)
{
	return strlen(key) == w->key_size && memcmp(w->key, key, w->key_size) == 0;
}

struct json_value json_member(struct json_value map, const char *key)
{
	struct json_walk w = json_walk(map.kind == JSON_MAP ? map : (struct json_value){ .kind = JSON_NOTHING });

	while (json_next(&w))
		if (json_key_is(&w, key))
			return w.value;
	return (struct json_value){ .kind = JSON_NOTHING };
}

/* ---- numbers ---- */

/* The number that begins at AT, whatever it looks like. */
static double json_slow_double(const char *at, const char *end)
{
	char text[400];
	size_t n = (size_t)(end - at) < sizeof text - 1 ? (size_t)(end - at) : sizeof text - 1;

	memcpy(text, at, n);
	text[n] = '\0';
	return number_fraction(text);
}

/* Up to 18 digits with a point among them are exact by one division. */
static bool json_number_take(const char *at, const char *end, double *number)
{
	static const double tens[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18 };
	const char *first = at, *point = NULL;
	bool negative = at < end && *at == '-';
	uint64_t digits = 0;
	size_t n = 0;

	for (at += negative; at < end && ((*at >= '0' && *at <= '9') || (*at == '.' && !point)); at++)
		if (*at == '.')
			point = at + 1;
		else if (n++ < 19)
			digits = digits * 10 + (uint64_t)(*at - '0');
	if (n == 0)
		return false;
	if (n > 18 || digits >> 53 || (at < end && (*at == 'e' || *at == 'E'))) {
		*number = json_slow_double(first, end);
		return true;
	}
	*number = (double)digits / tens[point ? at - point : 0];
	*number = negative ? -*number : *number;
	return true;
}

bool json_double(const struct json_value *v, double *number)
{
	const char *behind = v->kind == JSON_NUMBER || v->kind == JSON_STRING ? json_value_behind(v) : NULL;

	*number = 0;
	return behind && (v->kind == JSON_NUMBER ? json_number_take(v->at, behind, number) : json_number_take(v->at + 1, behind - 1, number));
}

int64_t json_whole(const struct json_value *v)
{
	double number;

	if (!json_double(v, &number) || number < 0 || number > 0x1p53 || number != (double)(int64_t)number)
		return -1;
	return (int64_t)number;
}

/* ---- strings ---- */

/* The four digits at AT; UINT32_MAX: they are none. */
static uint32_t json_hex4(const char *at, const char *end)
{
	uint32_t c = 0;

	if (end - at < 4)
		return UINT32_MAX;
	for (int i = 0; i < 4; i++, at++) {
		int digit = *at >= '0' && *at <= '9' ? *at - '0' : (*at | 32) >= 'a' && (*at | 32) <= 'f' ? (*at | 32) - 'a' + 10 : -1;

		if (digit < 0)
			return UINT32_MAX;
		c = c << 4 | (uint32_t)digit;
	}
	return c;
}

static char *json_utf8_put(char *out, uint32_t c)
{
	if (c < 0x80) {
		*out++ = (char)c;
		return out;
	}
	if (c < 0x800) {
		*out++ = (char)(0xc0 | c >> 6);
	} else {
		*out++ = c < 0x10000 ? (char)(0xe0 | c >> 12) : (char)(0xf0 | c >> 18);
		if (c >= 0x10000)
			*out++ = (char)(0x80 | (c >> 12 & 0x3f));
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	*out++ = (char)(0x80 | (c & 0x3f));
	return out;
}

/* The character of the escape `\u0041` at *AT, behind the u; *AT moves behind it.  Of half a pair, or none, a question mark. */
static uint32_t json_code_take(const char **at, const char *end)
{
	uint32_t c = json_hex4(*at, end), low;

	if (c == UINT32_MAX)
		return '?';
	*at += 4;
	if (c >= 0xd800 && c < 0xdc00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u' && (low = json_hex4(*at + 2, end)) >= 0xdc00 && low < 0xe000) {
		*at += 6;
		return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	return c == 0 || (c >= 0xd800 && c < 0xe000) ? '?' : c;
}

/* The text from AT to END into OUT of as many bytes and one: no escape is shorter than what it stands for. */
static void json_unescape(char *out, const char *at, const char *end)
{
	static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";

	while (at < end) {
		const char *letter;

		if (*at != '\\' || at + 1 == end) {
			*out++ = *at ? *at : '?';
			at++;
			continue;
		}
		at += 2;
		letter = strchr(letters, at[-1]);
		if (at[-1] == 'u')
			out = json_utf8_put(out, json_code_take(&at, end));
		else
			*out++ = at[-1] == '\0' ? '?' : letter ? meant[letter - letters] : at[-1];
	}
	*out = '\0';
}

const char *json_text_of(struct json_room *room, const struct json_value *v)
{
	const char *behind = v->kind == JSON_STRING ? json_string_behind(v->at, v->end) : NULL;

	if (!array_reserve(&room->text, &room->room, behind ? (size_t)(behind - v->at) : 1, 1))
		return NULL;
	if (behind)
		json_unescape(room->text, v->at + 1, behind - 1);
	else
		room->text[0] = '\0';
	return room->text;
}

bool json_string_is(const struct json_value *v, const char *text)
{
	size_t n = strlen(text);

	return v->kind == JSON_STRING && (size_t)(v->end - v->at) >= n + 2 && memcmp(v->at + 1, text, n) == 0 && v->at[n + 1] == '"';
}
