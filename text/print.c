/* print.c - numbers, names and legends as all text reports print them. */
#include "text/print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "text/escape.h"

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

int print_seconds_width(uint64_t ns, int decimals, int least)
{
	int width = snprintf(NULL, 0, "%.*f", decimals, (double)ns / NSEC);

	return width > least ? width : least;
}

int print_count_width(uint64_t n, int least)
{
	int width = snprintf(NULL, 0, "%" PRIu64, n);

	return width > least ? width : least;
}

void print_calls(FILE *out, int width, uint64_t n, bool counted)
{
	if (counted)
		fprintf(out, "%*" PRIu64, width, n);
	else
		fprintf(out, "%*s", width, "");
}

void print_seconds(FILE *out, uint64_t ns, int decimals, int width)
{
	fprintf(out, "%*.*f", width, decimals, (double)ns / NSEC);
}

void print_seconds_exact(FILE *out, uint64_t ns)
{
	char text[40];
	int n = snprintf(text, sizeof text, "%" PRIu64 ".%09" PRIu64, ns / NSEC, ns % NSEC);

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

enum { BESIDE_NAME = 50, LEAST_NAME = 24 };	/* columns of figures; of a name that is never shortened */

/* Columns of a name beside USED others. */
static size_t room_of(const struct text_style *style, int used)
{
	return style->width - used > LEAST_NAME ? (size_t)(style->width - used) : LEAST_NAME;
}

static bool is_shortened(const struct text_style *style)
{
	return style->width > 0 && !style->wide;
}

static unsigned flags_of(const struct text_style *style)
{
	return style->utf8 ? 0 : ESCAPE_ASCII;
}

size_t print_name(FILE *out, const char *name, const struct text_style *style)
{
	bool long_name = name && is_shortened(style) && strlen(name) > room_of(style, BESIDE_NAME);
	char *text = long_name ? malloc(4 * strlen(name) + 1) : NULL;
	size_t n;

	if (text)
		name_shorten(text, name);
	n = escape_print(out, text ? text : name ? name : "(unknown)", flags_of(style));
	free(text);
	return n;
}

/* Whether TEXT takes at most ROOM columns, made harmless; what is not ASCII is taken for wide. */
static bool fits(const char *text, size_t room, unsigned flags)
{
	return escape_string(NULL, 0, text, flags) <= room;
}

/* Put `...` in place of the first parts of the qualified name TEXT, of as few as make it fit, or of all but the last. */
static void parts_drop(char *text, size_t room, unsigned flags)
{
	static const char dots[] = "...";
	char *last = NULL;

	for (char *p = strstr(text, "::"); p && (!last || !fits(last, room - strlen(dots), flags)); p = strstr(p + 2, "::"))
		last = p;
	if (!last || last - text < (ptrdiff_t)strlen(dots))
		return;
	memcpy(last - strlen(dots), dots, strlen(dots));
	memmove(text, last - strlen(dots), strlen(last) + strlen(dots) + 1);
}

/* NAME in ROOM columns, 4 * strlen(NAME) + 1 bytes, malloc'ed; not made harmless, and perhaps still too long.  NULL: out of memory. */
static char *fit(const char *name, size_t room, unsigned flags)
{
	char *text = malloc(4 * strlen(name) + 1);

	if (!text)
		return NULL;
	name_shorten(text, name);
	if (fits(text, room, flags))
		return text;
	name_simplify(text, name);
	if (!*text)
		strcpy(text, name);
	if (!fits(text, room, flags))
		parts_drop(text, room, flags);
	return text;
}

/* Print TEXT made harmless, cut to ROOM columns. */
static size_t cut_print(FILE *out, const char *text, size_t room, unsigned flags)
{
	char *buffer = malloc(room + 1);
	size_t n = 0;

	if (buffer) {
		escape_string(buffer, room - 2, text, flags);
		n = (size_t)fprintf(out, "%s...", buffer);
	}
	free(buffer);
	return n;
}

size_t print_name_beside(FILE *out, const char *name, const struct text_style *style, int used)
{
	size_t room = room_of(style, used), n;
	unsigned flags = flags_of(style);
	char *text = name && is_shortened(style) && !fits(name, room, flags) ? fit(name, room, flags) : NULL;

	if (text && !fits(text, room, flags))
		n = cut_print(out, text, room, flags);
	else
		n = escape_print(out, text ? text : name ? name : "(unknown)", flags);
	free(text);
	return n;
}

void print_legend(FILE *out, const struct text_style *style, const char *legend)
{
	if (!style->brief)
		fprintf(out, "\n%s", legend);
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
static size_t step(const char *text, size_t len, size_t *columns)
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
		at += step(text + at, len - at, &columns);
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
		at += step(line + at, len - at, &columns);
	fwrite(line, 1, at, out);
	fputs("...", out);
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
