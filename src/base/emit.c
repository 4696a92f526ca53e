/* emit.c - the frame of one JSON object; jansson does the values. */
#include "base/emit.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

static void open_level(struct emit *e, char open, char close)
{
	putc(open, e->out);
	e->close[e->depth++] = close;
	e->comma = false;
}

static void close_level(struct emit *e)
{
	putc(e->close[--e->depth], e->out);
	e->comma = true;
}

void emit_begin(struct emit *e, FILE *out)
{
	*e = (struct emit){ .out = out };
	open_level(e, '{', '}');
}

void emit_begin_later(struct emit *e, FILE *out, const char *schema, const char *version)
{
	*e = (struct emit){ .out = out, .schema = schema, .version = version };
}

/* NAME without its end _ns, if what is called so is an amount, into TEXT of SIZE bytes.  False: it has no such end, or is too long. */
static bool amount_name(const struct emit *e, const char *name, char *text, size_t size)
{
	size_t len = strlen(name);

	if (!e->is_amount || len <= 3 || len - 3 >= size || strcmp(name + len - 3, "_ns") != 0 || !e->is_amount(name))
		return false;
	memcpy(text, name, len - 3);
	text[len - 3] = '\0';
	return true;
}

/* What in VALUE is called NAME_ns is called NAME, too, where nothing else is. */
static void amounts_name(const struct emit *e, json_t *value)
{
	char name[64];
	const char *key;
	json_t *item;
	void *next;
	size_t i;

	json_array_foreach(value, i, item)
		amounts_name(e, item);
	json_object_foreach_safe(value, next, key, item) {
		amounts_name(e, item);
		if (amount_name(e, key, name, sizeof name) && !json_object_get(value, name))
			json_object_set(value, name, item);
	}
}

static void value_write(struct emit *e, json_t *value)
{
	if (value && e->is_amount)
		amounts_name(e, value);
	if (!value) {
		e->failed = true;
		fputs("null", e->out);
	} else if (json_dumpf(value, e->out, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY) != 0 && !ferror(e->out)) {
		e->failed = true;			/* what OUT says is for whoever owns it */
	}
	json_decref(value);
}

/* What emit_begin_later put off. */
static void begin_now(struct emit *e)
{
	if (e->depth > 0)
		return;
	open_level(e, '{', '}');
	if (e->schema)
		emit_member(e, "schema", json_string(e->schema));
	if (e->version)
		emit_member(e, "version", json_string(e->version));
}

static void name_write(struct emit *e, const char *name)
{
	begin_now(e);
	fprintf(e->out, "%s\n\"%s\": ", e->comma ? "," : "", name);
	e->comma = true;
}

void emit_member(struct emit *e, const char *name, json_t *value)
{
	char amount[64];

	name_write(e, name);
	if (amount_name(e, name, amount, sizeof amount)) {
		value_write(e, json_incref(value));
		name_write(e, amount);
	}
	value_write(e, value);
}

void emit_array(struct emit *e, const char *name)
{
	name_write(e, name);
	open_level(e, '[', ']');
}

void emit_item(struct emit *e, json_t *value)
{
	fputs(e->comma ? ",\n" : "\n", e->out);
	e->comma = true;
	value_write(e, value);
}

void emit_array_end(struct emit *e)
{
	close_level(e);
}

void emit_object(struct emit *e, const char *name)
{
	if (name)
		name_write(e, name);
	else
		fputs(e->comma ? ",\n" : "\n", e->out);
	open_level(e, '{', '}');
}

void emit_object_end(struct emit *e)
{
	close_level(e);
}

void emit_end(struct emit *e)
{
	begin_now(e);
	fputs("\n}\n", e->out);
	e->depth = 0;
}

void emit_fail(struct emit *e, const char *why)
{
	if (e->depth == 0)
		return;
	while (e->depth > 1)
		close_level(e);
	emit_member(e, "error", emit_name(why));
	emit_end(e);
}

static json_t *name_escaped(const char *name)
{
	size_t size = escape_string(NULL, 0, name, 0) + 1;
	char *text = malloc(size);
	json_t *value;

	if (!text)
		return NULL;
	escape_string(text, size, name, 0);
	value = json_string(text);
	free(text);
	return value;
}

json_t *emit_name(const char *name)
{
	json_t *value;

	if (!name)
		return json_null();
	value = json_string(name);		/* NULL when it is not UTF-8 */
	return value ? value : name_escaped(name);
}

json_t *emit_count(uint64_t n)
{
	return json_integer(n > INT64_MAX ? INT64_MAX : (json_int_t)n);
}

json_t *emit_calls(bool counted, uint64_t n)
{
	return counted ? emit_count(n) : json_null();
}
