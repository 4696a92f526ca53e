/* columns.c - the page on which columns are chosen. */
#include "show/view/page.h"

static const struct { unsigned column; const char *text; } columns[] = {
	{ COLUMN_TIME, "time        next to each share, with its unit" },
	{ COLUMN_ERROR, "error       by how many points a share may be off, where times are samples" },
	{ COLUMN_CALLS, "calls" },
	{ COLUMN_BEYOND, "uneven      what the busiest ranks of an MPI job have beyond the mean: on Routines" },
	{ COLUMN_SAMPLES, "samples     behind a routine's self time: on the page Routines" },
	{ COLUMN_PER_CALL, "each        self time per call: on the page Routines" },
	{ COLUMN_MODULE, "module      program or library: Routines, Callers and the trees" },
	{ COLUMN_PLACE, "source      file and line where a routine begins: likewise" },
};

static bool columns_open(struct page *p, struct error *err)
{
	(void)err;
	p->n = sizeof columns / sizeof *columns;
	return true;
}

static void columns_close(struct page *p)
{
	(void)p;
}

static void columns_heading(const struct page *p, FILE *out)
{
	(void)p;
	fputs("Columns: [x] shown, [-] chosen, but no room or not known", out);
}

static enum screen_style columns_row(const struct page *p, size_t row, FILE *out)
{
	bool chosen = p->view->columns & columns[row].column;

	fprintf(out, "[%c] %s", !chosen ? ' ' : page_has(p->view, columns[row].column) ? 'x' : '-', columns[row].text);
	return chosen ? SCREEN_STRONG : SCREEN_PLAIN;
}

static uint32_t columns_routine(const struct page *p, size_t row)
{
	(void)row;
	return p->view->routine;
}

static bool columns_enter(struct page *p, size_t row)
{
	p->view->columns ^= columns[row].column;
	return true;
}

const struct page_kind columns_page = { .name = "Columns", .hint = "Enter shows or hides", .open = columns_open, .close = columns_close,
	.heading = columns_heading, .row = columns_row, .routine = columns_routine, .enter = columns_enter };
