/* print.h - what the text of several reports is made of: seconds, counts, names, legends.
 *
 * An amount, of time as a rule, has three digits and a unit of its own size, `2.40 ns`, `861 ms`, `1.20 GB`, `3.40 M`, so that its column is as wide
 * in one run as in another.  Its UNIT is that of the profile's value: "ns", "bytes", "count", or another one, whose name stands behind the number
 * where it stands in a line of words.  Columns of counts are wider when a number needs it: each report asks for the widths first and prints then. */
#ifndef TEXT_PRINT_H
#define TEXT_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>


/* How text is to look. */
struct text_style {
	bool brief;		/* -b: no legends */
	bool colour;		/* the stream is a terminal that wants colour */
	bool utf8;		/* names and lines may use UTF-8 */
	int width;		/* columns to fill: the terminal's, or those that COLUMNS says; 0: unknown */
	bool wide;		/* names whole, however narrow that is */
	bool short_names;	/* names short, also where no width is known */
};

enum { PRINT_TIME = 8, PRINT_TIME_SIZE = 64 };	/* columns of an amount; bytes of its text */

/* AMOUNT, 0 or more, of UNIT into BUFFER of PRINT_TIME_SIZE bytes: `2.40 ns`, `29.0 ms`, `12345 s`, `17`, `2.10 G cycles`; nothing is `0`.  Returns
 * BUFFER. */
char *print_amount_text(char *buffer, double amount, const char *unit);

/* The same of what is a time whatever the profile is of. */
char *print_time_text(char *buffer, double ns);

/* The same with a sign, as a change has. */
char *print_change_text(char *buffer, double amount, const char *unit);

/* The same for a column, as print_amount has it, but for its width. */
char *print_change_cell(char *buffer, double amount, const char *unit);

/* The same without a sign, to the right in WIDTH columns, PRINT_TIME at least, the units below each other; the name of a unit that is not one of size
 * is left out. */
void print_amount(FILE *out, double amount, const char *unit, int width);

/* The same, as an upper bound: `<2.00 ms`. */
void print_bound(FILE *out, double amount, const char *unit, int width);

/* A unit for several amounts in one line, and how many decimals they have. */
struct print_unit {
	char name[40];		/* " ms", " M", " G cycles", with the blank before it; "": none */
	double size;		/* of one */
	int decimals;		/* so that WHOLE, for which it was chosen, has four digits */
};

/* The unit of WHOLE, an amount of UNIT, for its parts, too. */
struct print_unit print_unit_of(uint64_t whole, const char *unit);

/* gprof's way, for --traditional.  Decimals of a second worth printing in a run of TOTAL ns: gprof's two, and more for a short
 * run, so that its thousandth part is seen.  At most 9. */
int print_decimals(uint64_t total);

enum { PRINT_UNITS = -1 };	/* decimals of a listing whose times have units of their own */

/* Characters of NS in seconds with DECIMALS, or of an amount with its unit if they are PRINT_UNITS; never below LEAST. */
int print_seconds_width(uint64_t ns, int decimals, int least);

/* Characters of a column for the number N: LEAST, or so many times four more as it needs, so that runs that differ by little have columns alike. */
int print_count_width(uint64_t n, int least);

/* N calls to the right in WIDTH; blanks if they were not COUNTED. */
void print_calls(FILE *out, int width, uint64_t n, bool counted);

/* AMOUNT, of UNIT, to the right in WIDTH: ns in seconds with DECIMALS; with PRINT_UNITS print_amount. */
void print_seconds(FILE *out, uint64_t amount, const char *unit, int decimals, int width);

/* AMOUNT, of UNIT, to the right in WIDTH, as columns have it whose unit stands above: ns in seconds with three decimals. */
void print_under(FILE *out, double amount, const char *unit, int width);

/* AMOUNT, of UNIT, as short as it is exact: ns in seconds with three decimals at least, 0.004, 1.500000001; all others as they are. */
void print_exact(FILE *out, uint64_t amount, const char *unit);

/* 100 * PART / WHOLE; 0 of nothing. */
double print_percent(uint64_t part, uint64_t whole);

/* N in groups of three, into BUFFER: 29,001,234.  Returns BUFFER, which holds 32 bytes. */
char *print_grouped(char *buffer, uint64_t n);

/* What makes a plural of the word for N things. */
const char *print_plural(uint64_t n);

/* NAME made harmless; returns its characters.  NULL prints "(unknown)". */
size_t print_name(FILE *out, const char *name, const struct text_style *style);

/* The name of a routine: on a terminal, unless names are to be WIDE, BRIEF, its short form (base/short_names.h). */
size_t print_brief(FILE *out, const char *name, const char *brief, const struct text_style *style);

/* Which of the two that is; "(unknown)" for NULL. */
const char *print_choose(const char *name, const char *brief, const struct text_style *style);

/* The same on a line of which the rest takes USED columns, so that all of it fits on the terminal unless less than 24 are left: a name loses
 * the first parts of its qualified name, `...::Write`, and at last its end.  BRIEF NULL: the short form of NAME alone. */
size_t print_brief_beside(FILE *out, const char *name, const char *brief, const struct text_style *style, int used);
size_t print_name_beside(FILE *out, const char *name, const struct text_style *style, int used);

/* Such a text of ROOM columns at most, 3 or more, made harmless and malloc'ed; of a variant for some processors with as much of its own name beside as there is
 * room for.  NULL: out of memory. */
char *print_fitted(const char *name, const char *brief, size_t room, const struct text_style *style);

/* LEGEND after a blank line, unless -b was given. */
void print_legend(FILE *out, const struct text_style *style, const char *legend);

/* What amounts in UNIT are called: in a sentence, `time` or `amount`; over a column, `time`, the unit or `amount`, 8 characters at most; over their shares, 6 characters. */
const char *print_unit_word(const char *unit);
const char *print_unit_heading(const char *unit);
const char *print_unit_share(const char *unit);

/* FORMAT's text, of amounts in UNIT, unless STYLE is brief; NULL: always.  Words behind `@` are for times, `@time`, `@Time`, `how @long`, `@% time`: of other amounts they are what the
 * functions above say. */
void print_worded(FILE *out, const struct text_style *style, const char *unit, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Begin and end what stands out in colour: 'h' a heading, 'm' the main line of an entry, 'w' a
 * warning, 'd' something dim.  Nothing without colour. */
void print_begin(FILE *out, const struct text_style *style, char kind);
void print_end(FILE *out, const struct text_style *style);

/* A line `label   text` of the head, the text wrapped and indented. FORMAT's strings are harmless already (print_safe). */
void print_field(FILE *out, const struct text_style *style, const char *label, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The label of such a line, whose text the caller prints. */
void print_label(FILE *out, const char *label);

/* NAME made harmless into BUFFER of SIZE bytes, cut to fit; returns BUFFER. */
char *print_safe(char *buffer, size_t size, const char *name, const struct text_style *style);

/* The last part of PATH, as listings name modules and files; "?" for NULL. */
const char *print_basename(const char *path);

/* Columns of the LEN bytes at TEXT, those of colours (print_begin) not counted. */
size_t print_width(const char *text, size_t len);

/* Print TEXT, lines of a head, in LINES lines at most, each cut to the columns of the terminal. */
void print_cut(FILE *out, const struct text_style *style, const char *text, unsigned lines);

/* Print TEXT with its lines broken at blanks so that none has more than WIDTH columns, as far as its words allow; what follows is indented by six columns. */
void print_wrapped(FILE *out, const char *text, size_t width);

/* Number of columns to fill: the terminal's, or 80. */
int print_columns(const struct text_style *style);

#endif
