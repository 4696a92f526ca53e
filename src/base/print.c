/* print.c - numbers, names and legends as all text reports print them. */
#include "base/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/name.h"
#include "base/short_names.h"

#define NSEC 1000000000u

int print_decimals(uint64_t total)
{
	int decimals = 2;
	uint64_t unit = NSEC / 100;		/* ns of the last decimal */

	while (decimals < 9 && total > 0 && total < 1000 * unit) {
		decimals++;
		unit /= 10;
	}
	return decimals;
}

/* A unit of a size, and the least amount that is printed in it: what would be rounded to a thousand of the next smaller one is one of it. */
struct scale { const char *name; double size, least; };

/* The largest first. */
static const struct scale times[] = {
	{ "h", 3600e9, 99999.5e9 }, { "s", 1e9, 999.5e6 }, { "ms", 1e6, 999.5e3 }, { "us", 1e3, 999.5 }, { "ns", 1, 0 },
};
static const struct scale bytes[] = {
	{ "PB", 1e15, 999.5e12 }, { "TB", 1e12, 999.5e9 }, { "GB", 1e9, 999.5e6 }, { "MB", 1e6, 999.5e3 }, { "kB", 1e3, 999.5 }, { "B", 1, 0 },
};
static const struct scale counts[] = {
	{ "P", 1e15, 999.5e12 }, { "T", 1e12, 999.5e9 }, { "G", 1e9, 999.5e6 }, { "M", 1e6, 999.5e3 }, { "k", 1e3, 999.5 }, { "", 1, 0 },
};

static bool is_time(const char *unit) { return strcmp(unit, "ns") == 0; }

static const struct scale *scale_find(double amount, const char *unit)
{
	const struct scale *s = is_time(unit) ? times : strcmp(unit, "bytes") == 0 ? bytes : counts;

	while (amount < s->least)
		s++;
	return s;
}

/* What is written behind the sizes of UNIT; "": nothing. */
static const char *word_of(const char *unit)
{
	return is_time(unit) || strcmp(unit, "bytes") == 0 || strcmp(unit, "count") == 0 ? "" : unit;
}

/* Decimals with which VALUE has DIGITS digits; none where there are more before the point. */
static int decimals_of(double value, int digits)
{
	int decimals = digits - 1;

	for (double most = 10; decimals > 0 && value >= most - 0.5 * pow(10, -decimals); most *= 10)
		decimals--;
	return decimals;
}

/* The number of AMOUNT in the scale that is returned, into BUFFER.  What is counted one by one has no decimals. */
static const struct scale *number_format(char *buffer, double amount, const char *unit)
{
	const struct scale *s = scale_find(amount, unit);
	double value = amount / s->size;
	bool whole = s->size == 1 && !is_time(unit) && value == floor(value);

	snprintf(buffer, PRINT_TIME_SIZE, "%.*f", whole ? 0 : decimals_of(value, 3), value);
	return s;
}

char *print_amount_text(char *buffer, double amount, const char *unit)
{
	const struct scale *s = number_format(buffer, amount, unit);
	size_t n = strlen(buffer);

	if (amount > 0)
		snprintf(buffer + n, PRINT_TIME_SIZE - n, "%s%s%s%.32s", *s->name ? " " : "", s->name, *word_of(unit) ? " " : "", word_of(unit));
	else
		strcpy(buffer, "0");
	return buffer;
}

char *print_time_text(char *buffer, double ns) { return print_amount_text(buffer, ns, "ns"); }

char *print_change_text(char *buffer, double amount, const char *unit)
{
	char text[PRINT_TIME_SIZE];

	snprintf(buffer, PRINT_TIME_SIZE, "%c%.*s", amount < 0 ? '-' : '+', PRINT_TIME_SIZE - 2, print_amount_text(text, fabs(amount), unit));
	return buffer;
}

char *print_change_cell(char *buffer, double amount, const char *unit)
{
	char number[PRINT_TIME_SIZE];
	const struct scale *s = number_format(number, fabs(amount), unit);

	snprintf(buffer, PRINT_TIME_SIZE, "%c%.40s %-2s", amount < 0 ? '-' : '+', amount != 0 ? number : "0", amount != 0 ? s->name : "");
	return buffer;
}

void print_amount(FILE *out, double amount, const char *unit, int width)
{
	char number[PRINT_TIME_SIZE];
	const struct scale *s = number_format(number, amount, unit);

	fprintf(out, "%*s %-2s", width - 3, amount > 0 ? number : "0", amount > 0 ? s->name : "");
}

void print_bound(FILE *out, double amount, const char *unit, int width)
{
	char number[PRINT_TIME_SIZE];
	const struct scale *s = number_format(number, amount, unit);
	int before = width - 3 - (int)strlen(number);

	fprintf(out, "%*s%s %-2s", before > 1 ? before : 1, "<", number, s->name);
}

struct print_unit print_unit_of(uint64_t whole, const char *unit)
{
	const struct scale *s = scale_find((double)whole, unit);
	double value = (double)whole / s->size;
	struct print_unit u = { .size = s->size, .decimals = s->size == 1 ? 0 : decimals_of(value, 4) };

	snprintf(u.name, sizeof u.name, "%s%s%s%.32s", *s->name ? " " : "", s->name, *word_of(unit) ? " " : "", word_of(unit));
	return u;
}

int print_seconds_width(uint64_t ns, int decimals, int least)
{
	int width = decimals == PRINT_UNITS ? PRINT_TIME : snprintf(NULL, 0, "%.*f", decimals, (double)ns / NSEC);

	return width > least ? width : least;
}

int print_count_width(uint64_t n, int least)
{
	int width = snprintf(NULL, 0, "%" PRIu64, n);

	while (least < width)
		least += 4;
	return least;
}

void print_calls(FILE *out, int width, uint64_t n, bool counted)
{
	if (counted)
		fprintf(out, "%*" PRIu64, width, n);
	else
		fprintf(out, "%*s", width, "");
}

void print_seconds(FILE *out, uint64_t amount, const char *unit, int decimals, int width)
{
	if (decimals == PRINT_UNITS)
		print_amount(out, (double)amount, unit, width);
	else
		fprintf(out, "%*.*f", width, decimals, (double)amount / NSEC);
}

void print_under(FILE *out, double amount, const char *unit, int width)
{
	if (is_time(unit))
		fprintf(out, "%*.3f", width, amount / NSEC);
	else
		print_amount(out, amount, unit, width);
}

void print_exact(FILE *out, uint64_t ns, const char *unit)
{
	char text[40];
	int n = snprintf(text, sizeof text, "%" PRIu64 ".%09" PRIu64, ns / NSEC, ns % NSEC);

	if (!is_time(unit)) {
		fprintf(out, "%" PRIu64, ns);
		return;
	}
	for (int kept = n - 6; n > kept && text[n - 1] == '0'; n--)
		;
	fwrite(text, 1, (size_t)n, out);
}

double print_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

const char *print_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

char *print_grouped(char *buffer, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
	char *p = buffer;

	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			*p++ = ',';
		*p++ = digits[i];
	}
	*p = '\0';
	return buffer;
}

enum { LEAST_NAME = 24 };	/* columns of a name that is never shortened */

/* Columns of a name beside USED others. */
static size_t room_of(const struct text_style *style, int used)
{
	if (style->width == 0)
		return SIZE_MAX;
	return style->width - used > LEAST_NAME ? (size_t)(style->width - used) : LEAST_NAME;
}

static bool is_shortened(const struct text_style *style)
{
	return (style->width > 0 || style->short_names) && !style->wide;
}

static unsigned flags_of(const struct text_style *style)
{
	return style->utf8 ? 0 : ESCAPE_ASCII;
}

/* Whether TEXT takes at most ROOM columns, made harmless; what is not ASCII is taken for wide. */
static bool print_fits(const char *text, size_t room, unsigned flags)
{
	return escape_string(NULL, 0, text, flags) <= room;
}

/* The next `::` from P on that stands outside of all brackets; NULL: none. */
static char *part_next(char *p)
{
	for (unsigned depth = 0; *p; p++) {
		if (strchr("<([{", *p))
			depth++;
		else if (strchr(">)]}", *p))
			depth -= depth > 0;
		else if (depth == 0 && p[0] == ':' && p[1] == ':')
			return p;
	}
	return NULL;
}

/* Put `...` in place of the first parts of the qualified name TEXT, of as few as make it fit, or of all but the last. */
static void parts_drop(char *text, size_t room, unsigned flags)
{
	static const char dots[] = "...";
	char *last = NULL;

	for (char *p = part_next(text); p && (!last || !print_fits(last, room - strlen(dots), flags)); p = part_next(p + 2))
		last = p;
	if (!last || last - text < (ptrdiff_t)strlen(dots))
		return;
	memcpy(last - strlen(dots), dots, strlen(dots));
	memmove(text, last - strlen(dots), strlen(last) + strlen(dots) + 1);
}

/* BRIEF, or the short form of NAME alone, in ROOM columns, malloc'ed; not made harmless, and perhaps still too long.  NULL: out of memory. */
static char *print_fit(const char *name, const char *brief, size_t room, unsigned flags)
{
	struct arena arena = { 0 };
	char *text = brief || short_names(&brief, &name, 1, &arena) ? strdup(brief) : NULL;

	arena_free(&arena);
	if (text && !print_fits(text, room, flags))
		parts_drop(text, room, flags);
	return text;
}

/* TEXT, a short form of NAME, which is freed, with the variant beside that NAME tells, or with what of that there is room for. */
static char *variant_beside(char *text, const char *name, size_t room, unsigned flags)
{
	static const char dots[] = "...)";
	const char *variant = name_variant(name);
	size_t used = escape_string(NULL, 0, text, flags), n = variant ? strlen(variant) : 0;
	char *both = NULL;

	if (!variant || name_variant(text) || used + sizeof " (x...)" > room)
		return text;
	if (used + n <= room) {
		if (asprintf(&both, "%s%s", text, variant) < 0)
			return text;
	} else if (asprintf(&both, "%s%.*s%s", text, (int)(room - used - strlen(dots)), variant, dots) < 0) {
		return text;
	}
	free(text);
	return both;
}

char *print_fitted(const char *name, const char *brief, size_t room, const struct text_style *style)
{
	unsigned flags = flags_of(style);
	char *text = print_fit(name, brief, room, flags), *shown;

	text = text ? variant_beside(text, name, room, flags) : NULL;
	shown = text ? malloc(4 * strlen(text) + 1) : NULL;

	if (shown && escape_string(shown, 4 * strlen(text) + 1, text, flags) > room) {
		escape_string(shown, room - 2, text, flags);
		strcat(shown, "...");
	}
	free(text);
	return shown;
}

const char *print_choose(const char *name, const char *brief, const struct text_style *style)
{
	return brief && is_shortened(style) ? brief : name ? name : "(unknown)";
}

size_t print_brief_beside(FILE *out, const char *name, const char *brief, const struct text_style *style, int used)
{
	char *text = name && is_shortened(style) ? print_fitted(name, brief, room_of(style, used), style) : NULL;
	size_t n;

	if (!text)
		return print_name(out, name, style);
	n = print_width(text, strlen(text));
	fputs(text, out);
	free(text);
	return n;
}

size_t print_name_beside(FILE *out, const char *name, const struct text_style *style, int used)
{
	return print_brief_beside(out, name, NULL, style, used);
}

size_t print_brief(FILE *out, const char *name, const char *brief, const struct text_style *style)
{
	return escape_print(out, print_choose(name, brief, style), flags_of(style));
}

size_t print_name(FILE *out, const char *name, const struct text_style *style)
{
	return escape_print(out, name ? name : "(unknown)", flags_of(style));
}

void print_legend(FILE *out, const struct text_style *style, const char *legend)
{
	if (!style->brief)
		fprintf(out, "\n%s", legend);
}

static bool unit_is_time(const char *unit) { return strcmp(unit, "ns") == 0; }

const char *print_unit_word(const char *unit) { return unit_is_time(unit) ? "time" : "amount"; }

const char *print_unit_heading(const char *unit) { return !unit_is_time(unit) && strlen(unit) <= 8 ? unit : print_unit_word(unit); }

const char *print_unit_share(const char *unit) { return unit_is_time(unit) ? "% time" : "     %"; }

/* What stands in the place of WORD, which AFTER follows, of amounts in UNIT. */
static const char *word_as(const char *unit, const char *word, const char *after)
{
	if (unit_is_time(unit))
		return word;
	switch (*word) {
	case '%': return print_unit_share(unit);
	case 't': return strncmp(after, "  ", 2) == 0 ? print_unit_heading(unit) : print_unit_word(unit);
	case 'T': return "Amount";
	default: return "much";
	}
}

/* The word at TEXT in another unit; what follows it is returned.  What is explained stands in columns. */
static const char *word_put(FILE *out, const char *unit, const char *text)
{
	static const char *const words[] = { "% time", "time", "Time", "long" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);

		if (strncmp(text, words[i], n) == 0) {
			const char *word = word_as(unit, words[i], text + n);

			text += n;
			for (size_t more = strlen(word); more > n && text[0] == ' ' && text[1] == ' '; more--)
				text++;
			fputs(word, out);
			break;
		}
	}
	return text;
}

void print_worded(FILE *out, const struct text_style *style, const char *unit, const char *format, ...)
{
	char *made = NULL;
	const char *text, *at;
	va_list args;

	if (style && style->brief)
		return;
	va_start(args, format);
	if (vasprintf(&made, format, args) < 0)
		made = NULL;
	va_end(args);
	for (text = made ? made : ""; (at = strchr(text, '@')) != NULL; text = word_put(out, unit, at + 1))
		fwrite(text, 1, (size_t)(at - text), out);
	fputs(text, out);
	free(made);
}

void print_begin(FILE *out, const struct text_style *style, char kind)
{
	if (style->colour)
		fputs(kind == 'h' ? "\033[1;36m" : kind == 'm' ? "\033[1m" : kind == 'w' ? "\033[33m" : "\033[2m", out);
}

void print_end(FILE *out, const struct text_style *style)
{
	if (style->colour)
		fputs("\033[0m", out);
}

int print_columns(const struct text_style *style)
{
	return style->width > 0 ? style->width : 80;
}

char *print_safe(char *buffer, size_t size, const char *name, const struct text_style *style)
{
	escape_string(buffer, size, name ? name : "(unknown)", style->utf8 ? 0 : ESCAPE_ASCII);
	return buffer;
}

enum { LABEL = 12, LEAST_TEXT = 24 };	/* columns of a field's label, least ones of its text */

/* Bytes of TEXT that go on a line of WIDTH: up to a blank if there is one. */
static size_t line_length(const char *text, size_t width)
{
	size_t n = strlen(text);

	if (n <= width)
		return n;
	for (size_t i = width; i > 0; i--)
		if (text[i] == ' ')
			return i;
	return strcspn(text, " ");
}

void print_label(FILE *out, const char *label)
{
	fprintf(out, "%-*s", LABEL, label);
}

void print_field(FILE *out, const struct text_style *style, const char *label, const char *format, ...)
{
	int columns = print_columns(style) > 110 ? 110 : print_columns(style);
	size_t width = columns > LABEL + LEAST_TEXT ? (size_t)(columns - LABEL) : LEAST_TEXT;
	char *text = NULL;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		return;
	for (const char *p = text; p == text || *p; label = "") {
		size_t part = line_length(p, width);

		print_label(out, label);
		fprintf(out, "%.*s\n", (int)part, p);
		p += part;
		p += strspn(p, " ");
		if (!*p)
			break;
	}
	free(text);
}

const char *print_basename(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : path ? path : "?";
}

/* Bytes at TEXT, LEN of them at most, that take one column, or none: a character, or how a colour begins or ends. *COLUMNS grows by it. */
static size_t print_step(const char *text, size_t len, size_t *columns)
{
	size_t n = 1;

	if (*text == '\033') {
		while (n < len && text[n - 1] != 'm')
			n++;
		return n;
	}
	while (n < len && ((unsigned char)text[n] & 0xc0) == 0x80)
		n++;
	++*columns;
	return n;
}

size_t print_width(const char *text, size_t len)
{
	size_t columns = 0;

	for (size_t at = 0; at < len; )
		at += print_step(text + at, len - at, &columns);
	return columns;
}

/* The LEN bytes at LINE, or what fits of them before three dots. */
static void line_cut(FILE *out, const char *line, size_t len, size_t width)
{
	size_t at = 0, columns = 0;

	if (print_width(line, len) <= width) {
		fwrite(line, 1, len, out);
		return;
	}
	while (columns < width - 3)
		at += print_step(line + at, len - at, &columns);
	fwrite(line, 1, at, out);
	fputs("...", out);
}

/* Bytes of the LEN at LINE that go into WIDTH columns: up to a blank behind a word, unless the first word is longer. */
static size_t line_fit(const char *line, size_t len, size_t width)
{
	size_t at = 0, columns = 0, blank = 0;

	while (at < len) {
		if (line[at] == ' ' && at > 0 && line[at - 1] != ' ') {
			if (columns > width)
				return blank ? blank : at;
			blank = at;
		}
		at += print_step(line + at, len - at, &columns);
	}
	return columns > width && blank > strspn(line, " ") ? blank : len;
}

void print_wrapped(FILE *out, const char *text, size_t width)
{
	enum { INDENT = 6 };

	for (size_t len; *text; text += len + (text[len] == '\n')) {
		size_t n;

		len = strcspn(text, "\n");
		n = line_fit(text, len, width);
		fwrite(text, 1, n, out);
		for (size_t at = n; at < len; at += n) {
			at += strspn(text + at, " ");
			n = at < len ? line_fit(text + at, len - at, width - INDENT) : 0;
			if (n > 0)
				fprintf(out, "\n%*s%.*s", INDENT, "", (int)n, text + at);
		}
		if (text[len] == '\n')
			putc('\n', out);
	}
}

void print_cut(FILE *out, const struct text_style *style, const char *text, unsigned lines)
{
	size_t width = (size_t)print_columns(style) > LABEL + LEAST_TEXT ? (size_t)print_columns(style) : LABEL + LEAST_TEXT;

	for (unsigned i = 0; i < lines && *text; i++) {
		size_t len = strcspn(text, "\n");
		const char *next = text + len + (text[len] == '\n');

		if (i + 1 == lines && print_width(next, strlen(next)) > 0)
			print_field(out, style, "", "...: aprof info says the rest");
		else {
			line_cut(out, text, len, width);
			putc('\n', out);
		}
		text = next;
	}
	print_end(out, style);
}
