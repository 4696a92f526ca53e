/* escape.c - names made harmless, a character at a time.
 *
 *     name:  byte byte byte ...  ->  piece  piece  ...  ->  stream or buffer
 *
 * A piece is the printed form of one character, or of one byte that belongs to none; it is at most
 * PIECE bytes long and is never split. */
#include "base/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { PIECE = 16 };		/* bytes: `\u{10ffff}` and its NUL fit */

struct range {
	uint32_t first;		/* first code point */
	uint32_t last;		/* last code point */
};

/* Characters that hide, break a line, or turn the direction of what stands around them; sorted. */
static const struct range unsafe[] = {
	{ 0x80, 0x9f },		/* C1 controls */
	{ 0xad, 0xad },		/* soft hyphen */
	{ 0x34f, 0x34f },	/* combining grapheme joiner */
	{ 0x61c, 0x61c },	/* Arabic letter mark */
	{ 0x115f, 0x1160 },	/* Hangul fillers */
	{ 0x17b4, 0x17b5 },	/* Khmer inherent vowels */
	{ 0x180b, 0x180f },	/* Mongolian selectors and vowel separator */
	{ 0x2000, 0x200f },	/* odd blanks, zero widths, direction marks */
	{ 0x2028, 0x202f },	/* line and paragraph separators, embeddings, overrides */
	{ 0x205f, 0x206f },	/* joiners, isolates */
	{ 0x3000, 0x3000 },	/* ideographic space */
	{ 0x3164, 0x3164 },	/* Hangul filler */
	{ 0xe000, 0xf8ff },	/* private use */
	{ 0xfdd0, 0xfdef },	/* noncharacters */
	{ 0xfe00, 0xfe0f },	/* variation selectors */
	{ 0xfeff, 0xfeff },	/* byte order mark */
	{ 0xffa0, 0xffa0 },	/* Hangul filler */
	{ 0xfff0, 0xffff },	/* specials, noncharacters */
	{ 0x1bca0, 0x1bca3 },	/* shorthand format controls */
	{ 0x1d173, 0x1d17a },	/* musical format controls */
	{ 0xe0000, 0x10ffff },	/* tags, more selectors, private use */
};

static bool is_unsafe(uint32_t c)
{
	for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++)
		if (c <= unsafe[i].last)
			return c >= unsafe[i].first;
	return true;
}

/* Length of the sequence that LEAD begins: 2 to 4; 0: it begins none. */
static unsigned sequence_length(unsigned char lead)
{
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if (lead >= 0xe0 && lead <= 0xef)
		return 3;
	if (lead >= 0xf0 && lead <= 0xf4)
		return 4;
	return 0;
}

/* Decode the sequence of several bytes at S.  Returns its length, 0 if it is not UTF-8: cut short,
 * longer than need be, a surrogate, or beyond Unicode. */
static unsigned decode(const unsigned char *s, uint32_t *c)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned length = sequence_length(*s);

	if (!length)
		return 0;
	*c = *s & (0x7fu >> length);
	for (unsigned i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (s[i] & 0x3f);
	}
	if (*c < smallest[length] || *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff))
		return 0;
	return length;
}

static bool must_escape(const unsigned char *s, unsigned flags)
{
	if (*s < 0x20 || *s >= 0x7f)
		return true;
	if ((flags & ESCAPE_STACK) && *s == ';')
		return true;
	return (flags & ESCAPE_WORD) && (*s == ' ' || (*s == '\'' && !s[1]));
}

/* Make the piece of the character at S, which is not the end.  Returns the bytes of S that it took. */
static unsigned make_piece(char piece[PIECE], const unsigned char *s, unsigned flags)
{
	uint32_t c = 0;
	unsigned length = decode(s, &c);

	if (length && ((flags & ESCAPE_ASCII) || is_unsafe(c))) {
		snprintf(piece, PIECE, "\\u{%x}", (unsigned)c);
	} else if (length) {
		memcpy(piece, s, length);
		piece[length] = 0;
	} else if (*s == '\\' && !(flags & ESCAPE_SOURCE)) {
		strcpy(piece, "\\\\");
	} else if (*s == '"' && (flags & ESCAPE_QUOTE)) {
		strcpy(piece, "\"\"");
	} else {
		snprintf(piece, PIECE, must_escape(s, flags) ? "\\x%02x" : "%c", *s);
	}
	return length ? length : 1;
}

/* Characters of PIECE: itself one, or an escape. */
static size_t piece_width(const char *piece)
{
	return (unsigned char)*piece >= 0x80 ? 1 : strlen(piece);
}

size_t escape_print(FILE *out, const char *name, unsigned flags)
{
	const unsigned char *s = (const unsigned char *)name;
	char piece[PIECE];
	size_t width = 0;

	while (*s) {
		s += make_piece(piece, s, flags);
		fputs(piece, out);
		width += piece_width(piece);
	}
	return width;
}

size_t escape_string(char *buffer, size_t size, const char *name, unsigned flags)
{
	const unsigned char *s = (const unsigned char *)name;
	char piece[PIECE];
	size_t total = 0, used = 0;

	while (*s) {
		s += make_piece(piece, s, flags);
		size_t length = strlen(piece);
		if (used == total && length < size - used && size) {
			memcpy(buffer + used, piece, length);
			used += length;
		}
		total += length;
	}
	if (size)
		buffer[used] = 0;
	return total;
}

/* What a word of a shell takes, from the least on. */
enum shell_quotes {
	SHELL_NONE,		/* abc */
	SHELL_PLAIN,		/* 'a b' */
	SHELL_ESCAPES,		/* $'a\033b' */
};

/* What the character at S takes; *LENGTH becomes its bytes. */
static enum shell_quotes shell_quotes_of(const unsigned char *s, unsigned flags, unsigned *length)
{
	static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=-,";
	uint32_t c = 0;
	unsigned n = decode(s, &c);

	*length = n ? n : 1;
	if (n)
		return (flags & ESCAPE_ASCII) || is_unsafe(c) ? SHELL_ESCAPES : SHELL_PLAIN;
	if (must_escape(s, 0))
		return SHELL_ESCAPES;
	return strchr(harmless, *s) ? SHELL_NONE : SHELL_PLAIN;
}

/* What the whole of WORD takes. */
static enum shell_quotes shell_quotes(const char *word, unsigned flags)
{
	enum shell_quotes most = *word ? SHELL_NONE : SHELL_PLAIN, one;
	unsigned length;

	for (const unsigned char *s = (const unsigned char *)word; *s; s += length) {
		one = shell_quotes_of(s, flags, &length);
		most = one > most ? one : most;
	}
	return most;
}

/* The character of LENGTH bytes at S between $' and ', in octal with OCTAL. */
static void shell_escape(FILE *out, const unsigned char *s, unsigned length, bool octal)
{
	if (*s == '\'' || *s == '\\')
		putc('\\', out);
	for (unsigned i = 0; i < length; i++)
		fprintf(out, octal ? "\\%03o" : "%c", s[i]);
}

void escape_shell(FILE *out, const char *word, unsigned flags)
{
	static const char *const opening[] = { "", "'", "$'" };
	enum shell_quotes quotes = shell_quotes(word, flags);
	unsigned length;

	fputs(opening[quotes], out);
	for (const unsigned char *s = (const unsigned char *)word; *s; s += length) {
		enum shell_quotes own = shell_quotes_of(s, flags, &length);

		if (quotes == SHELL_PLAIN && *s == '\'')
			fputs("'\\''", out);
		else if (quotes == SHELL_ESCAPES)
			shell_escape(out, s, length, own == SHELL_ESCAPES);
		else
			fwrite(s, 1, length, out);
	}
	fputs(quotes == SHELL_NONE ? "" : "'", out);
}
