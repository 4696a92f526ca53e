/* list_source.c - source files with the counts of a gmon.out before their lines: gprof -A.
 *
 * A line has the count of the function that begins there and, with -l, those of its basic blocks.  Below each file stand its lines that
 * ran most often and a summary.  This report reads the source files, looking for them where -I says, and with -y
 * writes each into a file of its own. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "show/gprof/listing.h"
#include "show/report/report.h"
#include "base/print.h"

enum { MARGIN = 16 };		/* characters before a line */

/* A source file and the routines in it. */
struct listed_file {
	const char *name;	/* as DWARF has it */
	uint32_t order;		/* least place in the symbol table of its routines: later files come first */
	uint32_t first;		/* its routines: rows[first .. first + n) */
	uint32_t n;		/* how many, by line and address */
};

/* What a line has. */
struct line {
	uint64_t calls;		/* of all routines that begin on it */
	uint32_t number;	/* from 1 */
	uint32_t first;		/* its routines: rows[first .. first + n) */
	uint32_t n;		/* how many */
};

struct totals {
	uint64_t executable, executed; /* lines */
	uint64_t calls;		/* of all of them */
};

struct listing {
	const struct report_input *in;
	const struct report_options *options;
	const struct gprof *g;
	uint32_t *rows;		/* routines with a source line, by file, line and address */
	struct listed_file *sources;	/* in gprof's order */
	uint32_t nrows, nsources; /* how many */
	uint64_t last;		/* count that lines without one share, with -x */
	bool any_last;		/* there is one */
	struct totals totals;	/* of the file at hand */
	FILE *out;
};

static int list_source_by_line(const void *left, const void *right, void *arg)
{
	const struct gprof *g = arg;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	const struct gmon_symbol *a = g->routines[i].symbol, *b = g->routines[j].symbol;
	int c = strcmp(a->file, b->file);

	if (c)
		return c;
	return a->line != b->line ? (a->line > b->line) - (a->line < b->line) : (i > j) - (i < j);
}

static int by_order(const void *left, const void *right)
{
	const struct listed_file *a = left, *b = right;

	return (a->order < b->order) - (a->order > b->order);
}

/* Fill rows[] and sources[].  False: out of memory. */
static bool sources_find(struct listing *l)
{
	const struct gprof *g = l->g;

	l->rows = calloc((size_t)g->nroutines + 1, sizeof *l->rows);
	l->sources = calloc((size_t)g->nroutines + 1, sizeof *l->sources);
	if (!l->rows || !l->sources)
		return false;
	for (uint32_t i = 0; i < g->nroutines; i++)
		if (g->routines[i].symbol->file && g->routines[i].symbol->line)
			l->rows[l->nrows++] = i;
	qsort_r(l->rows, l->nrows, sizeof *l->rows, list_source_by_line, (void *)(uintptr_t)g);
	for (uint32_t i = 0; i < l->nrows; i++) {
		const struct gmon_symbol *s = g->routines[l->rows[i]].symbol;
		struct listed_file *source = l->nsources ? &l->sources[l->nsources - 1] : NULL;

		if (!source || strcmp(source->name, s->file) != 0) {
			source = &l->sources[l->nsources++];
			*source = (struct listed_file){ .name = s->file, .order = s->order, .first = i };
		}
		source->order = s->order < source->order ? s->order : source->order;
		source->n++;
	}
	qsort(l->sources, l->nsources, sizeof *l->sources, by_order);
	return true;
}

/* The lines of SOURCE that are to be counted, malloc'ed, by number; *N of them.  NULL: out of memory. */
static struct line *list_source_lines_make(const struct listing *l, const struct listed_file *source, uint32_t *n)
{
	struct line *lines = calloc((size_t)source->n + 1, sizeof *lines);

	*n = 0;
	for (uint32_t i = source->first; lines && i < source->first + source->n; i++) {
		const struct gprof_routine *r = &l->g->routines[l->rows[i]];

		if (!gprof_wanted(l->g, l->rows[i], GPROF_INCLUDE_SOURCE))
			continue;
		if (*n == 0 || lines[*n - 1].number != r->symbol->line)
			lines[(*n)++] = (struct line){ .number = r->symbol->line, .first = i };
		lines[*n - 1].calls += r->calls;
		lines[*n - 1].n = i + 1 - lines[*n - 1].first;
	}
	return lines;
}

/* The counts of one line as they grow: "10008,10,99". */
struct counts {
	char text[64];		/* what fits */
	size_t length;		/* characters, those that did not fit included */
	uint64_t sum;		/* of the counts */
	bool any;		/* there was one */
};

static void count_add(struct counts *c, uint64_t count, bool shown)
{
	c->sum += count;
	c->any = true;
	if (shown)
		c->length += (size_t)snprintf(c->length < sizeof c->text ? c->text + c->length : NULL,
			c->length < sizeof c->text ? sizeof c->text - c->length : 0, "%s%" PRIu64, c->length ? "," : "", count);
}

/* The basic blocks of routine R; with -x a count that stands there already is not said again. */
static void blocks_add(struct listing *l, const struct gprof_routine *r, struct counts *c)
{
	for (uint32_t i = 0; i < r->nblocks; i++) {
		uint64_t count = l->g->blocks[r->first_block + i].count;
		bool again = l->options->gprof.all_lines && c->length > 0 && l->any_last && count == l->last;

		l->last = count;
		l->any_last = true;
		count_add(c, count, !again);
	}
}

/* The counts of LINE; with -x those of the line before where it has none. */
static struct counts counts_make(struct listing *l, const struct line *line)
{
	struct counts c = { .length = 0 };
	const struct gprof_routine *r = &l->g->routines[l->rows[line->first]];

	if (r->symbol->function) {
		count_add(&c, line->calls, true);
		l->last = line->calls;
		l->any_last = true;
	}
	for (uint32_t i = 0; i < line->n; i++)
		blocks_add(l, &l->g->routines[l->rows[line->first + i]], &c);
	if (c.length == 0 && l->options->gprof.all_lines)
		count_add(&c, l->any_last ? l->last : 0, true);
	return c;
}

/* What stands before a line of the file; LINE is NULL if it has no code. */
static void margin_print(struct listing *l, const struct line *line)
{
	struct counts c = { .length = 0 };
	char margin[MARGIN + sizeof c.text];

	if (line) {
		l->totals.executable++;
		c = counts_make(l, line);
	}
	if (c.any && c.sum >= l->options->gprof.min_count)
		snprintf(margin, sizeof margin, "%s -> ", c.text);
	else
		snprintf(margin, sizeof margin, "%s", c.any ? "##### -> " : "");
	l->totals.executed += c.sum > 0;
	fprintf(l->out, "%*.*s", MARGIN, MARGIN, margin);
}

/* The file with its margins. */
static void file_copy(struct listing *l, FILE *file, const struct line *lines, uint32_t n)
{
	uint32_t next = 0, number = 1;
	bool begins = true;
	int c;

	while ((c = getc_unlocked(file)) != EOF) {
		if (begins) {
			bool here = next < n && lines[next].number == number;

			margin_print(l, here ? &lines[next] : NULL);
			next += here;
			number++;
		}
		begins = c == '\n';
		putc_unlocked(c, l->out);
	}
}

static int list_source_by_calls(const void *left, const void *right)
{
	const struct line *a = left, *b = right;

	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* The lines that ran most often. */
static void list_source_table_print(struct listing *l, struct line *lines, uint32_t n)
{
	unsigned rows = l->options->gprof.table_length;

	if (rows == 0)
		return;
	fprintf(l->out, "\n\nTop %u Lines:\n\n     Line      Count\n\n", rows);
	qsort(lines, n, sizeof *lines, list_source_by_calls);
	for (uint32_t i = 0; i < n && i < rows && lines[i].calls > 0; i++)
		fprintf(l->out, "%9" PRIu32 " %10" PRIu64 "\n", lines[i].number, lines[i].calls);
}

static void list_source_summary_print(struct listing *l)
{
	const struct totals *t = &l->totals;

	fputs("\nExecution Summary:\n\n", l->out);
	fprintf(l->out, "%9" PRIu64 "   Executable lines in this file\n", t->executable);
	fprintf(l->out, "%9" PRIu64 "   Lines executed\n", t->executed);
	fprintf(l->out, "%9.2f   Percent of the file executed\n",
		t->executable ? 100.0 * (double)t->executed / (double)t->executable : 100.0);
	fprintf(l->out, "\n%9" PRIu64 "   Total number of line executions\n", t->calls);
	fprintf(l->out, "%9.2f   Average executions per line\n", t->executable ? (double)t->calls / (double)t->executable : 0.0);
}

/* DIRECTORY (LENGTH bytes) and NAME as a path; NULL: no such file, or out of memory. */
static FILE *open_in(const char *directory, size_t length, const char *name)
{
	char *path = NULL;
	FILE *file = NULL;

	if (asprintf(&path, "%.*s/%s", (int)length, directory, name) >= 0)
		file = fopen(path, "re");
	free(path);
	return file;
}

/* NAME in one of the directories, which are separated by colons. */
static FILE *open_along(const char *directories, const char *name)
{
	FILE *file = NULL;

	while (directories && *directories && !file) {
		size_t length = strcspn(directories, ":");

		if (length > 0)
			file = open_in(directories, length, name);
		directories += length + (directories[length] == ':');
	}
	return file;
}

/* The source file: where it is said to be, then in the directories of -I, by its whole name if that is relative, then by its last part. */
static FILE *list_source_source_open(const struct listing *l, const char *name)
{
	FILE *file = fopen(name, "re");

	if (!file && name[0] != '/')
		file = open_along(l->options->gprof.source_path, name);
	return file ? file : open_along(l->options->gprof.source_path, print_basename(name));
}

/* The heading of a file that goes where the others go. */
static void list_source_heading_print(struct listing *l, const char *name, bool first)
{
	if (!first)
		fputs("\n\f\n", l->out);
	fputs("*** File ", l->out);
	escape_print(l->out, name, l->options->style.utf8 ? 0 : ESCAPE_ASCII);
	fputs(":\n", l->out);
}

/* With -y the file NAME-ann here, which becomes l->out; *ERR is set when it cannot be made. */
static bool separate_open(struct listing *l, const char *name, struct error *err)
{
	char *path = NULL;

	if (asprintf(&path, "%s-ann", print_basename(name)) < 0)
		return error_no_memory(err, NULL);
	l->out = fopen(path, "we");
	if (!l->out)
		error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s: cannot be made", path);
	free(path);
	return l->out != NULL;
}

static uint64_t list_source_calls_of(const struct line *lines, uint32_t n)
{
	uint64_t calls = 0;

	for (uint32_t i = 0; i < n; i++)
		calls += lines[i].calls;
	return calls;
}

static bool source_write(struct listing *l, const struct listed_file *source, FILE *file, struct line *lines, uint32_t n, bool first,
			 struct error *err)
{
	FILE *out = l->out;
	bool ok = true;

	if (!l->options->gprof.separate)
		list_source_heading_print(l, source->name, first);
	else if (!separate_open(l, source->name, err))
		ok = false;
	if (ok) {
		l->any_last = false;
		file_copy(l, file, lines, n);
		list_source_table_print(l, lines, n);
		list_source_summary_print(l);
	}
	if (l->options->gprof.separate && l->out && fclose(l->out) != 0)
		ok = error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s: its annotated copy could not be written", source->name);
	l->out = out;
	return ok;
}

/* One file, if something in it ran; *FIRST is cleared once one was printed. */
static bool list_source_source_print(struct listing *l, const struct listed_file *source, bool *first, struct error *err)
{
	uint32_t n;
	struct line *lines = list_source_lines_make(l, source, &n);
	FILE *file = NULL;
	bool ok = true;

	if (!lines)
		return error_no_memory(err, NULL);
	l->totals = (struct totals){ .calls = list_source_calls_of(lines, n) };
	if (n > 0 && (l->options->gprof.zeros || l->totals.calls > 0)) {
		file = list_source_source_open(l, source->name);
		if (file) {
			ok = source_write(l, source, file, lines, n, *first, err);
			fclose(file);
		} else {
			list_source_heading_print(l, source->name, *first);
			fputs("(this file was not found; -I says where to look)\n", l->out);
		}
		*first = false;
	}
	free(lines);
	return ok;
}

bool gprof_source_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	struct listing l = { .in = in, .options = options, .g = in->gmon, .out = out };
	bool ok = sources_find(&l) || error_no_memory(err, NULL), first = true;

	for (uint32_t i = 0; ok && i < l.nsources; i++)
		ok = list_source_source_print(&l, &l.sources[i], &first, err);
	free(l.rows);
	free(l.sources);
	return ok;
}

/* The counts are those of gprof-counts; source text is for people. */
bool gprof_source_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	return gprof_counts_json(in, options, e, err);
}
