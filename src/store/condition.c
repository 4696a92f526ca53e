/* condition.c - reads a condition from left to right, and prints each comparison as it is read. */
#include "store/condition.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "store/quoting.h"

#define FIELDS "service, host, version, program, clock, time, label.NAME"

struct reading {
	const char *text;	/* the whole condition */
	const char *at;		/* what is not read yet */
	uint64_t now;		/* seconds since 1970 */
	FILE *out;		/* the expression so far */
	struct error *err;
};

struct word {
	const char *start;	/* where it stands, its quotation mark included */
	char *value;		/* malloc'ed; NULL: there is none */
	bool quoted;
};

static bool condition_fail(struct reading *r, const char *at, const char *what, const char *more)
{
	return error_set(r->err, ERROR_USAGE, ERROR_NO_OFFSET, "condition, column %zu: %s%s", (size_t)(at - r->text) + 1, what, more);
}

static void blanks_skip(struct reading *r)
{
	r->at += strspn(r->at, " \t\n");
}

static bool condition_is_plain(char c)
{
	return c && !strchr(" \t\n'\"=!<>()", c);
}

/* The text up to the quotation mark that ends it, of which two stand for one.  NULL: it does not end, or memory is short. */
static char *quoted_read(struct reading *r)
{
	char mark = *r->at, *value = malloc(strlen(r->at) + 1), *to = value;

	for (const char *s = r->at + 1; value && *s; *to++ = *s++) {
		if (*s == mark && *++s != mark) {
			*to = '\0';
			r->at = s;
			return value;
		}
	}
	free(value);
	return NULL;
}

/* Read a word, or what is quoted.  False with the error set: there is none; WHAT says what it would be. */
static bool word_read(struct reading *r, struct word *w, const char *what)
{
	size_t n = 0;

	blanks_skip(r);
	*w = (struct word){ .start = r->at, .quoted = *r->at == '\'' || *r->at == '"' };
	if (w->quoted) {
		w->value = quoted_read(r);
		return w->value || condition_fail(r, w->start, "this quotation mark is not closed", "");
	}
	while (condition_is_plain(r->at[n]))
		n++;
	if (n == 0)
		return condition_fail(r, r->at, *r->at ? "here should be " : "it ends where there should be ", what);
	w->value = strndup(r->at, n);
	r->at += n;
	return w->value || error_no_memory(r->err, NULL);
}

/* The operator at hand, as SQL has it.  NULL with the error set. */
static const char *operator_read(struct reading *r)
{
	static const struct { const char *text, *sql; } operators[] = {
		{ "!=", "!=" }, { "<=", "<=" }, { ">=", ">=" }, { "==", "=" }, { "=", "=" }, { "<", "<" }, { ">", ">" },
	};

	blanks_skip(r);
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (strncmp(r->at, operators[i].text, strlen(operators[i].text)) == 0) {
			r->at += strlen(operators[i].text);
			return operators[i].sql;
		}
	condition_fail(r, r->at, *r->at ? "here" : "it ends where there", " should be an operator: = != < <= > >=");
	return NULL;
}

static bool digits_read(const char **text, int n, int *value)
{
	*value = 0;
	for (int i = 0; i < n; i++, ++*text) {
		if (!isdigit((unsigned char)**text))
			return false;
		*value = 10 * *value + (**text - '0');
	}
	return true;
}

static bool mark_read(const char **text, const char *marks)
{
	if (!**text || !strchr(marks, **text))
		return false;
	++*text;
	return true;
}

/* 2026-11-01, and perhaps a time of day. */
static bool date_read(const char *text, int64_t *seconds)
{
	struct tm t = { 0 }, known;
	time_t value;

	if (!digits_read(&text, 4, &t.tm_year) || !mark_read(&text, "-") || !digits_read(&text, 2, &t.tm_mon) || !mark_read(&text, "-") ||
	    !digits_read(&text, 2, &t.tm_mday))
		return false;
	if (mark_read(&text, "T ")) {
		if (!digits_read(&text, 2, &t.tm_hour) || !mark_read(&text, ":") || !digits_read(&text, 2, &t.tm_min) ||
		    (mark_read(&text, ":") && !digits_read(&text, 2, &t.tm_sec)))
			return false;
		mark_read(&text, "Z");
	}
	t.tm_year -= 1900;
	t.tm_mon--;
	known = t;
	value = timegm(&t);
	*seconds = value;
	return *text == '\0' && known.tm_mon == t.tm_mon && known.tm_mday == t.tm_mday && known.tm_hour == t.tm_hour && known.tm_min == t.tm_min &&
	       known.tm_sec == t.tm_sec;		/* there is such a day and hour */
}

/* now, now-90m */
static bool now_read(const char *text, uint64_t now, int64_t *seconds)
{
	static const struct { char unit; int64_t seconds; } units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, { 'w', 604800 } };
	int64_t number = 0;
	size_t digits;

	*seconds = (int64_t)now;
	if (*text == '\0')
		return true;
	digits = *text == '-' ? strspn(text + 1, "0123456789") : 0;
	if (digits == 0 || digits > 10)
		return false;
	number = strtoll(text + 1, NULL, 10);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (text[1 + digits] == units[i].unit && text[2 + digits] == '\0') {
			*seconds -= number * units[i].seconds;
			return true;
		}
	return false;
}

bool condition_time(const char *text, uint64_t now, uint64_t *seconds)
{
	size_t digits = *text == '@' ? strspn(text + 1, "0123456789") : 0;
	int64_t value = -1;
	bool ok;

	if (digits > 0 && digits <= 10 && text[1 + digits] == '\0') {
		value = strtoll(text + 1, NULL, 10);
		ok = true;
	} else {
		ok = strncasecmp(text, "now", 3) == 0 ? now_read(text + 3, now, &value) : date_read(text, &value);
	}
	*seconds = (uint64_t)value;
	return ok && value >= 0 && value <= UINT32_MAX;
}

bool condition_is_label(const char *name)
{
	if (!isalpha((unsigned char)*name))
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("_-.", *name))
			return false;
	return true;
}

/* The comparison of a time. */
static bool condition_time_print(struct reading *r, const char *sql, const struct word *value)
{
	uint64_t seconds;

	if (!condition_time(value->value, r->now, &seconds))
		return condition_fail(r, value->start, "no time: 2026-11-01, 2026-11-01T12:30, now-2h and @1700000000 are some", "");
	fprintf(r->out, "time %s toDateTime(%" PRIu64 ")", sql, seconds);
	return true;
}

static bool comparison_print(struct reading *r, const struct word *field, const char *operator_at, const char *sql, const struct word *value)
{
	static const char *const columns[] = { "service", "host", "version", "program", "clock" };

	if (strcmp(field->value, "time") == 0)
		return condition_time_print(r, sql, value);
	if (*sql == '<' || *sql == '>')
		return condition_fail(r, operator_at, "only times can be before or after each other", "; what else there is, is = or !=");
	if (strncmp(field->value, "label.", 6) == 0 && condition_is_label(field->value + 6)) {
		fputs("labels.value[indexOf(labels.key, ", r->out);
		quote_text(r->out, field->value + 6);
		fprintf(r->out, ")] %s ", sql);
		quote_text(r->out, value->value);
		return true;
	}
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		if (strcmp(field->value, columns[i]) == 0) {
			fprintf(r->out, "%s %s ", columns[i], sql);
			quote_text(r->out, value->value);
			return true;
		}
	return condition_fail(r, field->start, "no such field; these are: ", FIELDS);
}

static bool comparison_read(struct reading *r)
{
	struct word field = { 0 }, value = { 0 };
	const char *operator_at = NULL, *sql = NULL;
	bool ok = word_read(r, &field, "a field: " FIELDS);

	if (ok && field.quoted)
		ok = condition_fail(r, field.start, "here should be a field: ", FIELDS);
	if (ok) {
		blanks_skip(r);
		operator_at = r->at;
		sql = operator_read(r);
	}
	ok = ok && sql && word_read(r, &value, "a value") && comparison_print(r, &field, operator_at, sql, &value);
	free(field.value);
	free(value.value);
	return ok;
}

static bool conjunction_read(struct reading *r)
{
	for (;;) {
		if (!comparison_read(r))
			return false;
		blanks_skip(r);
		if (!*r->at)
			return true;
		if (strncasecmp(r->at, "AND", 3) != 0 || condition_is_plain(r->at[3]))
			return condition_fail(r, r->at, "here should be AND, or the end", "; a value with blanks in it stands in quotation marks");
		r->at += 3;
		fputs(" AND ", r->out);
	}
}

char *condition_sql(const char *text, uint64_t now, struct error *err)
{
	char *sql = NULL;
	size_t len;
	struct reading r = { .text = text, .at = text, .now = now, .err = err };
	bool ok;

	r.out = open_memstream(&sql, &len);
	ok = r.out ? conjunction_read(&r) : error_no_memory(err, NULL);
	if (r.out && fclose(r.out) != 0 && ok)
		ok = error_no_memory(err, NULL);
	if (!ok) {
		free(sql);
		sql = NULL;
	}
	return sql;
}
