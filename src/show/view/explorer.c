/* explorer.c - the loop: draw the page, read a key, do what it says.
 *
 *     line 0       names of the pages
 *     line 1       heading of the page
 *     lines 2..    its rows
 *     last line    the run and where we are, a message, or what is being typed */
#include "show/view/explorer.h"

#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#include "show/view/narrowing.h"
#include "show/view/page.h"
#include "show/report/report.h"
#include "base/print.h"

/* How often a profile is read again: not more often than it needs twenty times as long for. */
enum { RENEW_LEAST = 2000, RENEW_TIMES = 20 };	/* milliseconds; times the time that it takes */
enum { HEAD = 2, TYPED = 120, TRAIL = 64, SIDEWAYS = 8, WHEEL = 3, DOUBLE_CLICK = 500 };
enum { CTRL_L = 'L' - 64, CTRL_N = 'N' - 64, CTRL_P = 'P' - 64, CTRL_F = 'F' - 64, CTRL_B = 'B' - 64, CTRL_D = 'D' - 64,
	CTRL_U = 'U' - 64, CTRL_V = 'V' - 64, ESCAPE = 27 };

static const struct page_kind *const kinds[PAGES] = { [PAGE_ROUTINES] = &routines_page, [PAGE_NEIGHBOURS] = &neighbours_page,
	[PAGE_TOP_DOWN] = &top_down_page, [PAGE_BOTTOM_UP] = &bottom_up_page, [PAGE_CYCLES] = &cycles_page, [PAGE_PATHS] = &paths_page,
	[PAGE_SOURCE] = &source_page, [PAGE_HOT] = &hot_page, [PAGE_THREADS] = &threads_page, [PAGE_CHANGES] = &changes_page, [PAGE_HELP] = &help_page,
	[PAGE_COLUMNS] = &columns_page };
static const char page_keys[PAGES] = "1234567890?o";

/* Where the user came from. */
struct step {
	int page;		/* PAGE_ */
	uint32_t routine;	/* that was selected */
	size_t cursor;		/* row */
	size_t top;		/* first row on the screen */
};

struct explorer {
	struct explorer_view view;
	struct page pages[PAGES];
	int current;			/* PAGE_ */
	struct step trail[TRAIL];	/* the way back */
	int nsteps;			/* how many */
	char pattern[TYPED];		/* searched for last; empty: nothing yet */
	bool mouse;			/* it is ours */
	int clicked;			/* line of the last click */
	struct timespec when;		/* of it */
	bool whole_names;		/* however long they are */
	bool base;			/* of two sides the base is shown */
	const struct report_input *in;	/* the new side, or the only one, at first */
	const struct report_input *whole; /* what is shown, of all threads */
	struct report_input narrowed[2]; /* what the pages have of it, and before that had */
	unsigned last;			/* which of the two is the last */
	struct graph *own;		/* narrowed[last]'s, of a part; NULL: it is whole's */
	struct narrowing narrowing;	/* to which routines that is narrowed down */
	const struct explorer_feed *feed; /* where newer figures are; NULL: nowhere */
	bool running;			/* a process of the profile is still at work */
	bool paused;			/* the user wants to look at these figures */
	uint64_t renewed;		/* when they were read last, ms */
	uint64_t every;			/* ms between two readings */
	bool quit;			/* leave the loop */
	struct error *err;		/* what made it quit; code ERROR_NONE: the user */
};

static struct page *page_now(struct explorer *x)
{
	return &x->pages[x->current];
}

/* Rows that the screen has room for. */
static size_t page_height(void)
{
	return screen_lines() > HEAD + 1 ? (size_t)screen_lines() - HEAD - 1 : 1;
}

static void explorer_fail(struct explorer *x)
{
	x->quit = true;
}

/* Build the current page if it is not there, or is about another routine. */
static bool page_ready(struct explorer *x)
{
	struct page *p = page_now(x);

	if (p->built && !(p->kind->by_routine && p->about != x->view.routine))
		return true;
	if (p->built)
		p->kind->close(p);
	*p = (struct page){ .kind = p->kind, .view = &x->view, .built = true, .about = x->view.routine };
	screen_put(screen_lines() - 1, " working ...", 0, SCREEN_BAR, false);	/* of a million contexts it can take a second */
	screen_flush(-1);
	if (p->kind->open(p, x->err))
		return true;
	explorer_fail(x);
	return false;
}

/* The cursor within the rows, and on the screen. */
static void cursor_fit(struct page *p)
{
	size_t height = page_height();

	if (p->cursor >= p->n)
		p->cursor = p->n ? p->n - 1 : 0;
	if (p->top > p->cursor)
		p->top = p->cursor;
	if (p->cursor >= p->top + height)
		p->top = p->cursor - height + 1;
	if (p->top + height > p->n)
		p->top = p->n > height ? p->n - height : 0;
}

/* What FILL writes, malloc'ed; NULL: out of memory. */
static char *row_text(const struct page *p, size_t row, enum screen_style *style)
{
	struct page_text text = { 0 };
	FILE *out = open_memstream(&text.text, &text.size);
	bool ok;

	if (!out)
		return NULL;
	p->view->text = &text;
	*style = p->kind->row(p, row, out);
	p->view->text = NULL;
	ok = fclose(out) == 0;
	if (!ok)
		free(text.text);
	return ok ? text.text : NULL;
}

/* Does page I show contexts, or what is known by them alone? */
static bool is_of_contexts(int i)
{
	return i == PAGE_TOP_DOWN || i == PAGE_BOTTOM_UP || i == PAGE_CYCLES || i == PAGE_PATHS;
}

/* Whether there is a page I, to be seen on the first line. */
static bool has_page(const struct explorer *x, int i)
{
	return !(is_of_contexts(i) && x->whole->graph->arcs_alone) && (i != PAGE_CHANGES || x->view.compared) && (i != PAGE_COLUMNS || x->current == i);
}

enum { BAR_WHOLE, BAR_BRIEF, BAR_BRIEFEST, BAR_SHORT, BAR_ONE, BAR_SIZE = 400 };	/* how the first line is written; bytes of it */

/* What page I is called there. */
static const char *bar_name(const struct explorer *x, int how, int i)
{
	const struct page_kind *kind = kinds[i];

	if (how == BAR_SHORT && kind->briefest)
		return kind->briefest;
	return kind->brief && how != BAR_WHOLE && (how != BAR_BRIEF || i != x->current) ? kind->brief : kind->name;
}

/* The first line into TEXT, as HOW: page I's name, that at hand in brackets, begins in column BEGIN[i]. Returns its columns. */
static int bar_write(const struct explorer *x, int how, char text[BAR_SIZE], int begin[PAGES])
{
	const char *behind = "";
	int n = 0;

	for (int i = 0; i < PAGES; i++) {
		bool now = i == x->current;

		begin[i] = n;
		if (!has_page(x, i))
			continue;
		n += snprintf(text + n, (size_t)(BAR_SIZE - n), "%s%s%c%s", how == BAR_WHOLE ? behind : *behind == ']' ? "]" : "",
			now ? "[" : how == BAR_WHOLE || *behind != ']' ? " " : "", page_keys[i], bar_name(x, how, i));
		behind = now ? "]" : " ";
	}
	return n + snprintf(text + n, (size_t)(BAR_SIZE - n), "%s", behind);
}

/* The first of these ways that fits; the last has but the page at hand. */
static int bar_layout(const struct explorer *x, char text[BAR_SIZE], int begin[PAGES])
{
	for (int how = BAR_WHOLE; how < BAR_ONE; how++)
		if (bar_write(x, how, text, begin) <= screen_columns())
			return how;
	snprintf(text, BAR_SIZE, "[%c%s] 1-%c Tab ?", page_keys[x->current], kinds[x->current]->name, x->view.compared ? '0' : '9');
	return BAR_ONE;
}

static void bar_draw(const struct explorer *x)
{
	char text[BAR_SIZE] = "";
	int begin[PAGES];

	bar_layout(x, text, begin);
	screen_put(0, text, 0, SCREEN_BAR, false);
}

static void heading_draw(const struct page *p)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	p->kind->heading(p, out);
	if (fclose(out) == 0)
		screen_put(1, text, p->skip, SCREEN_HEADING, false);
	free(text);
}

/* Why P has no rows, wrapped at words. */
static void empty_draw(const struct explorer *x, const struct page *p)
{
	char text[400];
	size_t width = screen_columns() > 2 ? (size_t)screen_columns() - 1 : 1;
	char *at = text;

	snprintf(text, sizeof text, "%s%s", p->kind->empty ? p->kind->empty : "", narrowing_is_on(&x->narrowing) || x->view.thread != GRAPH_NONE
		? " Looked at is a part of the run alone: F shows all." : "");
	for (int y = HEAD; *at && y < screen_lines() - 1; y++) {
		size_t n = strlen(at), end = n;

		if (n > width)
			for (end = width; end > 0 && at[end] != ' '; end--)
				;
		end = end ? end : width;
		char *next = at + end + (at[end] == ' ');
		at[end] = '\0';
		screen_put(y, at, 0, SCREEN_PLAIN, false);
		at = next;
	}
}

static void rows_draw(const struct page *p)
{
	for (size_t i = 0; i < page_height(); i++) {
		enum screen_style style = SCREEN_PLAIN;
		char *text = p->top + i < p->n ? row_text(p, p->top + i, &style) : NULL;

		screen_put(HEAD + (int)i, text ? text : "", p->skip, style, p->top + i == p->cursor && p->n > 0);
		free(text);
	}
}

/* What is shown, the time of it, and the selected routine. */
static void state_print(struct explorer *x, struct page_text *text, FILE *out)
{
	const struct page *p = page_now(x);
	const struct profile *profile = x->view.g->profile;
	const struct text_style *style = &x->view.options.style;
	char whole[PRINT_TIME_SIZE];

	fprintf(out, "%zu/%zu  ", p->n ? p->cursor + 1 : 0, p->n);
	if (x->view.compared)
		fputs(x->base ? "base: " : "new: ", out);
	print_name_beside(out, profile->nruns ? print_basename(profile_run_name(&profile->runs[0])) : NULL, style, style->width / 2);
	if (profile->mean_of)
		fprintf(out, ", mean of %" PRIu32 " runs", profile->mean_of);
	else if (profile->nruns > 1)
		fprintf(out, ", %" PRIu32 " runs", profile->nruns);
	fprintf(out, " %s", print_amount_text(whole, (double)x->view.whole, figure_unit(x->view.g)));
	if (x->view.thread != GRAPH_NONE)
		fprintf(out, "  thread %" PRIu32, x->view.thread);
	narrowing_print(&x->narrowing, style, out);
	if (x->feed)
		fputs(!x->running ? "  ended" : x->paused ? "  paused" : "  live", out);
	if (x->view.routine == GRAPH_NONE)
		return;
	fputs("  ", out);
	x->view.text = text;
	page_name(&x->view, out, x->view.routine, 0);
	x->view.text = NULL;
}

/* Behind the N columns of the state stands what keys do here, if there is room. */
static void explorer_hint_print(const struct explorer *x, int n, FILE *out)
{
	const char *hint = kinds[x->current]->hint ? kinds[x->current]->hint : "q quit";
	int room = screen_columns() - n - (int)strlen(hint) - (int)strlen("  ? help ");

	if (room >= 1)
		fprintf(out, "%*s%s  ? help ", room, "", hint);
}

/* The last line, if nobody types there. */
static void foot_draw(struct explorer *x)
{
	struct page_text text = { 0 };
	FILE *out = open_memstream(&text.text, &text.size);

	if (!out)
		return;
	putc(' ', out);
	if (x->view.message[0]) {
		print_name(out, x->view.message, &(struct text_style){ .utf8 = x->view.options.style.utf8 });
		x->view.message[0] = '\0';
	} else {
		state_print(x, &text, out);
		if (fflush(out) == 0)
			explorer_hint_print(x, (int)print_width(text.text, text.size), out);
	}
	if (fclose(out) == 0)
		screen_put(screen_lines() - 1, text.text, 0, SCREEN_BAR, false);
	free(text.text);
}

/* The screen has COLUMNS now. */
static void resize(struct explorer *x, int columns)
{
	if (x->view.options.style.width == columns)
		return;
	x->view.options.style.width = columns;
	for (int i = 0; i < PAGES; i++)
		if (x->pages[i].built && x->pages[i].kind->resize && !x->pages[i].kind->resize(&x->pages[i], x->err))
			explorer_fail(x);
}

static void draw(struct explorer *x)
{
	struct page *p = page_now(x);

	resize(x, screen_columns());
	x->view.options.style.wide = x->whole_names || p->skip > 0;
	cursor_fit(p);
	if (p->n > 0 && p->kind->routine(p, p->cursor) != GRAPH_NONE && !p->kind->by_routine)
		x->view.routine = p->kind->routine(p, p->cursor);
	if (screen_lines() > HEAD) {
		bar_draw(x);
		heading_draw(p);
	}
	rows_draw(p);
	if (p->n == 0)
		empty_draw(x, p);
	if (screen_lines() > HEAD + 1)
		foot_draw(x);
	else if (screen_lines() <= HEAD)
		for (int y = 0; y < screen_lines(); y++) {
			enum screen_style style = SCREEN_PLAIN;
			char *text = p->cursor + (size_t)y < p->n ? row_text(p, p->cursor + (size_t)y, &style) : NULL;

			screen_put(y, text ? text : "", 0, style, y == 0);
			free(text);
		}
}

/* Put the cursor on a row of ROUTINE, if there is one. */
static void cursor_find(struct page *p, uint32_t routine)
{
	if (p->kind->by_routine || routine == GRAPH_NONE || p->n == 0 || p->kind->routine(p, p->cursor) == routine)
		return;
	for (size_t i = 0; i < p->n; i++)
		if (p->kind->routine(p, i) == routine) {
			p->cursor = i;
			return;
		}
}

/* Show PAGE, remembering where we are. */
static void explorer_go(struct explorer *x, int page, uint32_t routine)
{
	const struct page *p = page_now(x);

	if (page == x->current && !(p->kind->by_routine && routine != p->about))
		return;
	if (x->nsteps == TRAIL)
		memmove(x->trail, x->trail + 1, (size_t)--x->nsteps * sizeof *x->trail);
	x->trail[x->nsteps++] = (struct step){ x->current, p->kind->by_routine ? p->about : x->view.routine, p->cursor, p->top };
	x->view.routine = routine;
	x->current = page;
	if (page_ready(x))
		cursor_find(page_now(x), routine);
}

static void explorer_go_back(struct explorer *x)
{
	struct step *step;

	if (x->nsteps == 0)
		return;
	step = &x->trail[--x->nsteps];
	x->current = step->page;
	x->view.routine = step->routine;
	if (!page_ready(x))
		return;
	page_now(x)->cursor = step->cursor;
	page_now(x)->top = step->top;
}

/* The routine under the cursor. */
static uint32_t routine_now(struct explorer *x)
{
	const struct page *p = page_now(x);

	return p->n > 0 ? p->kind->routine(p, p->cursor) : x->view.routine;
}

static void move_by(struct explorer *x, long rows)
{
	struct page *p = page_now(x);

	if (rows < 0)
		p->cursor = (size_t)-rows < p->cursor ? p->cursor - (size_t)-rows : 0;
	else
		p->cursor += (size_t)rows;
	cursor_fit(p);
}

/* Type a line behind PROMPT into TYPED, which holds SIZE bytes.  False: the user gave up. */
static bool type_line(struct explorer *x, char prompt, char *typed, size_t size)
{
	size_t n = 0;

	typed[0] = '\0';
	for (;;) {
		char shown[TYPED + 2], bytes[16];
		struct screen_event e;
		size_t length;

		snprintf(shown, sizeof shown, "%c%s", prompt, typed);
		draw(x);
		screen_put(screen_lines() - 1, shown, 0, SCREEN_PLAIN, false);
		screen_flush((int)mbstowcs(NULL, shown, 0));
		e = screen_read(-1);
		if (e.key == '\r' || e.key == '\n')
			return true;
		if (e.key == ESCAPE || e.key == SCREEN_GONE || (e.key == SCREEN_BACKSPACE && n == 0)) {
			x->quit |= e.key == SCREEN_GONE;
			return false;
		}
		if (e.key == CTRL_U)
			n = 0;
		while (e.key == SCREEN_BACKSPACE && n > 0 && ((unsigned char)typed[--n] & 0xc0) == 0x80)
			;
		length = e.key >= ' ' && e.key < SCREEN_UP ? wcrtomb(bytes, (wchar_t)e.key, &(mbstate_t){ 0 }) : 0;
		if (length > 0 && length < sizeof bytes && n + length < size) {
			memcpy(typed + n, bytes, length);
			n += length;
		}
		typed[n] = '\0';
	}
}

/* The next row, or with STEP -1 the one before, whose text matches the pattern, all around. */
static void search(struct explorer *x, int step)
{
	struct page *p = page_now(x);
	bool found = false;
	regex_t regex;

	if (!x->pattern[0] || p->n == 0)
		return;
	if (regcomp(&regex, x->pattern, REG_EXTENDED | REG_ICASE | REG_NOSUB) != 0) {
		snprintf(x->view.message, sizeof x->view.message, "not a regular expression: %.80s", x->pattern);
		return;
	}
	x->view.options.style.wide = true;	/* what does not fit is found, too */
	for (size_t i = 1; i <= p->n && !found; i++) {
		size_t row = (p->cursor + (step > 0 ? i : p->n - i)) % p->n;
		enum screen_style style;
		char *text = row_text(p, row, &style);

		found = text && regexec(&regex, text, 0, NULL, 0) == 0;
		if (found)
			p->cursor = row;
		free(text);
	}
	regfree(&regex);
	if (!found)
		snprintf(x->view.message, sizeof x->view.message, "Pattern not found: %.80s", x->pattern);
}

static void search_ask(struct explorer *x)
{
	char typed[TYPED];

	if (!type_line(x, '/', typed, sizeof typed))
		return;
	if (typed[0])
		memcpy(x->pattern, typed, sizeof typed);
	search(x, 1);
}

static void filter_ask(struct explorer *x)
{
	char typed[TYPED];
	struct error err;

	if (!type_line(x, '&', typed, sizeof typed))
		return;
	x->current = PAGE_ROUTINES;
	if (page_ready(x) && !routines_filter(page_now(x), typed[0] ? typed : NULL, &err))
		snprintf(x->view.message, sizeof x->view.message, "%.150s", err.text);
}

/* Write the heading and all rows of the page at hand to OUT, with names whole: what is sorted, kept and unfolded is as it is seen. */
static bool page_write(struct explorer *x, FILE *out)
{
	const struct page *p = page_now(x);
	bool ok = true;

	x->view.options.style.wide = true;
	p->kind->heading(p, out);
	putc('\n', out);
	for (size_t i = 0; ok && i < p->n; i++) {
		enum screen_style style;
		char *text = row_text(p, i, &style);

		ok = text && fprintf(out, "%s\n", text) > 0;
		free(text);
	}
	return ok;
}

static void export_ask(struct explorer *x)
{
	char typed[TYPED];
	FILE *out;
	bool ok;

	if (!type_line(x, '>', typed, sizeof typed) || !typed[0])
		return;
	out = fopen(typed, "wxe");		/* nobody's file is lost by a slip */
	ok = out && page_write(x, out);
	if (out && fclose(out) != 0)
		ok = false;
	if (ok)
		snprintf(x->view.message, sizeof x->view.message, "written to %.150s: %zu lines", typed, page_now(x)->n + 1);
	else
		snprintf(x->view.message, sizeof x->view.message, "%.80s: cannot write: %.80s", typed, strerror(errno));
}

static void explorer_fold(struct explorer *x, enum page_fold what)
{
	struct page *p = page_now(x);

	if (p->kind->fold && p->n > 0 && !p->kind->fold(p, p->cursor, what, x->err))
		explorer_fail(x);
}

static void sideways(struct explorer *x, int columns)
{
	struct page *p = page_now(x);

	p->skip = p->skip + columns > 0 ? p->skip + columns : 0;
}

static void explorer_enter(struct explorer *x)
{
	uint32_t routine = routine_now(x);
	struct page *p = page_now(x);

	if (p->kind->enter && p->n > 0 && p->kind->enter(p, p->cursor))
		return;
	if (p->kind->fold && !p->kind->enter)
		explorer_fold(x, PAGE_TOGGLE);
	else if (routine != GRAPH_NONE && x->current != PAGE_HELP)
		explorer_go(x, PAGE_NEIGHBOURS, routine);
}

/* The page STEP further on the first line, all around. */
static int page_beside(const struct explorer *x, int step)
{
	int i = x->current;

	do
		i = (i + PAGES + step) % PAGES;
	while (!has_page(x, i) || i == PAGE_COLUMNS);
	return i;
}

static void bar_click(struct explorer *x, int column)
{
	char text[BAR_SIZE];
	int begin[PAGES], page = page_beside(x, 1);

	if (bar_layout(x, text, begin) != BAR_ONE)
		for (int i = 0; i < PAGES; i++)
			if (has_page(x, i) && column >= begin[i])
				page = i;
	explorer_go(x, page, routine_now(x));
}

static void click(struct explorer *x, struct screen_event e)
{
	struct page *p = page_now(x);
	struct timespec now;
	long since;

	clock_gettime(CLOCK_MONOTONIC, &now);
	since = (now.tv_sec - x->when.tv_sec) * 1000 + (now.tv_nsec - x->when.tv_nsec) / 1000000;
	if (e.y == 0) {
		bar_click(x, e.x);
	} else if (e.y >= HEAD && p->top + (size_t)(e.y - HEAD) < p->n && (size_t)(e.y - HEAD) < page_height()) {
		p->cursor = p->top + (size_t)(e.y - HEAD);
		if (e.twice || (x->clicked == e.y && since < DOUBLE_CLICK))
			explorer_enter(x);
		x->clicked = e.y;
		x->when = now;
	}
}

/* Keys that move the cursor.  False: it is none. */
static bool move_key(struct explorer *x, int key)
{
	long height = (long)page_height();

	switch (key) {
	case SCREEN_DOWN: case 'j': case 'e': case CTRL_N: case SCREEN_WHEEL_DOWN:
		move_by(x, key == SCREEN_WHEEL_DOWN ? WHEEL : 1);
		return true;
	case SCREEN_UP: case 'k': case 'y': case CTRL_P: case SCREEN_WHEEL_UP:
		move_by(x, key == SCREEN_WHEEL_UP ? -WHEEL : -1);
		return true;
	case SCREEN_PAGE_DOWN: case ' ': case CTRL_F: case CTRL_V:
		move_by(x, height);
		return true;
	case SCREEN_PAGE_UP: case 'b': case CTRL_B:
		move_by(x, -height);
		return true;
	case 'd': case CTRL_D:
		move_by(x, (height + 1) / 2);
		return true;
	case 'u': case CTRL_U:
		move_by(x, -(height + 1) / 2);
		return true;
	case SCREEN_HOME: case 'g': case '<':
		page_now(x)->cursor = 0;
		return true;
	case SCREEN_END: case 'G': case '>':
		page_now(x)->cursor = SIZE_MAX;
		return true;
	default:
		return false;
	}
}

/* Keys that lead to another page.  False: it is none. */
static bool page_key(struct explorer *x, int key)
{
	uint32_t routine = routine_now(x);

	for (int i = 0; i < PAGES; i++)
		if (key == page_keys[i]) {
			if (i == PAGE_COLUMNS || has_page(x, i))
				explorer_go(x, i, routine);
			return true;
		}
	switch (key) {
	case '\t':
		explorer_go(x, page_beside(x, 1), routine);
		return true;
	case SCREEN_BACK_TAB:
		explorer_go(x, page_beside(x, -1), routine);
		return true;
	case 'a':
		explorer_go(x, PAGE_SOURCE, routine);
		return true;
	case 'c':
		if (routine != GRAPH_NONE)
			explorer_go(x, PAGE_NEIGHBOURS, routine);
		return true;
	case SCREEN_BACKSPACE: case ESCAPE:
		explorer_go_back(x);
		return true;
	default:
		return false;
	}
}

static uint64_t explorer_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* The time until the figures are read again, ms; below 0: they are not. */
static int renew_wait(const struct explorer *x)
{
	uint64_t now = explorer_now_ms(), due = x->renewed + x->every;

	return !x->running || x->paused ? -1 : due > now ? (int)(due - now) : 0;
}

static bool is_running(const struct report_input *in)
{
	for (uint32_t i = 0; in->life && i < in->graph->profile->nruns; i++)
		if (in->life[i] == REPORT_RUNNING)
			return true;
	return false;
}

/* Look at IN, with columns as wide as its figures need; no routine is selected. */
static void view_set(struct explorer_view *v, const struct report_input *in)
{
	const struct graph *g = in->graph;

	v->in = in;
	v->g = g;
	v->whole = figure_run(g);
	v->calls = print_count_width(g->calls, 7);
	v->routine = GRAPH_NONE;
	v->leaves = (struct leaves){ 0 };
	v->has_leaves = false;
}

/* Which thread of NOW is THREAD of OLD; GRAPH_NONE: none. */
static uint32_t explorer_thread_find(const struct profile *old, uint32_t thread, const struct profile *now)
{
	for (uint32_t i = 0; thread != GRAPH_NONE && i < now->nthreads; i++) {
		const struct profile_thread *a = &old->threads[thread], *b = &now->threads[i];

		if (a->record.tid == b->record.tid && old->runs[a->run].header.pid == now->runs[b->run].header.pid)
			return i;
	}
	return GRAPH_NONE;
}

static int explorer_by_key(const void *left, const void *right)
{
	const struct graph_routine *const *a = left, *const *b = right;

	return strcmp((*a)->name.key, (*b)->name.key);
}

/* The numbers in NOW of the routines of OLD, or GRAPH_NONE; to be freed.  NULL: out of memory. */
static uint32_t *routines_map(const struct graph *old, const struct graph *now)
{
	uint32_t *map = calloc((size_t)old->nroutines + 1, sizeof *map);
	const struct graph_routine **sorted = calloc((size_t)now->nroutines + 1, sizeof *sorted);

	for (uint32_t r = 0; sorted && r < now->nroutines; r++)
		sorted[r] = now->routines + r;
	if (sorted)
		qsort(sorted, now->nroutines, sizeof *sorted, explorer_by_key);
	for (uint32_t r = 0; map && sorted && r < old->nroutines; r++) {
		const struct graph_routine *wanted = old->routines + r;
		const struct graph_routine *const *found = bsearch(&wanted, sorted, now->nroutines, sizeof *sorted, explorer_by_key);

		map[r] = found ? (uint32_t)(*found - now->routines) : GRAPH_NONE;
	}
	if (!sorted) {
		free(map);
		map = NULL;
	}
	free(sorted);
	return map;
}

/* The same of two sides, which may be two builds: by name. */
static uint32_t *sides_map(const struct graph *old, const struct graph *now)
{
	uint32_t *map = calloc((size_t)old->nroutines + 1, sizeof *map);
	const struct graph_routine **sorted = page_by_name(now);

	for (uint32_t r = 0; map && sorted && r < old->nroutines; r++) {
		uint32_t at = page_find_name(sorted, now->nroutines, old->routines[r].name.name);

		map[r] = at < now->nroutines ? (uint32_t)(sorted[at] - now->routines) : GRAPH_NONE;
	}
	if (!sorted) {
		free(map);
		map = NULL;
	}
	free(sorted);
	return map;
}

static uint32_t mapped(const uint32_t *map, uint32_t routine)
{
	return routine == GRAPH_NONE ? GRAPH_NONE : map[routine];
}

/* Show IN from now on; what the user did stays.  MAP has the numbers there of the routines that were shown; it is freed.  NULL: out of memory. */
static bool pages_renew(struct explorer *x, const struct report_input *in, uint32_t *map)
{
	struct explorer_view old = x->view;
	bool ok = map || error_no_memory(x->err, NULL);

	view_set(&x->view, in);
	x->view.routine = map ? mapped(map, old.routine) : GRAPH_NONE;
	for (int i = 0; ok && i < x->nsteps; i++)
		x->trail[i].routine = mapped(map, x->trail[i].routine);
	for (int i = 0; ok && i < PAGES; i++)
		if (x->pages[i].built)
			ok = page_renew(&x->pages[i], &old, map, x->err);
	leaves_free(&old.leaves);
	free(map);
	return ok;
}

typedef uint32_t *map_make(const struct graph *old, const struct graph *now);

/* Show THREAD of WHOLE from now on, narrowed down; GRAPH_NONE: all threads.  MAP makes the map for pages_renew.  False with the error set: that cannot be had, and what
 * was shown is. */
static bool explorer_show_part(struct explorer *x, const struct report_input *whole, uint32_t thread, map_make *map)
{
	struct report_input *in = &x->narrowed[!x->last];
	struct graph_options options = whole->graph->options;
	struct graph *own = NULL;

	options.thread = thread;
	if (!narrowing_apply(&x->narrowing, &options))
		return error_no_memory(x->err, NULL);
	*in = *whole;
	if (thread != whole->graph->options.thread || narrowing_is_on(&x->narrowing)) {
		own = graph_build(whole->graph->overhead, whole->graph->names, &options, x->err);
		if (!own)
			return false;
		in->graph = own;
	}
	x->view.thread = x->view.wanted = thread;
	if (!pages_renew(x, in, map(x->view.g, in->graph)))
		explorer_fail(x);
	graph_free(x->own);
	x->own = own;
	x->whole = whole;
	x->last = !x->last;
	return true;
}

/* The same.  Where it has nothing of what is looked at, or no contexts, all of it is shown, and that is said. */
static void explorer_show(struct explorer *x, const struct report_input *whole, uint32_t thread, map_make *map)
{
	if (explorer_show_part(x, whole, thread, map))
		return;
	if (x->err->code != ERROR_MEMORY) {
		snprintf(x->view.message, sizeof x->view.message, "%.190s", x->err->text);
		*x->err = (struct error){ .code = ERROR_NONE };
		narrowing_clear(&x->narrowing);
		if (explorer_show_part(x, whole, whole->graph->options.thread, map))
			return;
	}
	explorer_fail(x);
}

/* Look at the contexts with the routine under the cursor alone, or with its module; or at all without it. */
static void narrow(struct explorer *x, enum narrowing_kind kind)
{
	uint32_t routine = routine_now(x);
	const struct graph_name *name = routine == GRAPH_NONE ? NULL : &x->view.g->routines[routine].name;

	if (!name || (kind == NARROWING_MODULE && !name->module)) {
		snprintf(x->view.message, sizeof x->view.message, "no routine is selected%s", name ? " whose program or library is known" : "");
		return;
	}
	if (!narrowing_add(&x->narrowing, kind, kind == NARROWING_MODULE ? name->module : name->name)) {
		error_no_memory(x->err, NULL);
		explorer_fail(x);
		return;
	}
	explorer_show(x, x->whole, x->view.thread, routines_map);
	if (kind == NARROWING_HIDE && page_now(x)->kind->by_routine && page_now(x)->about == routine)
		explorer_go(x, PAGE_ROUTINES, GRAPH_NONE);	/* of what is hidden there is no page */
}

/* The thread STEP further, of which there is one more: all of them. */
static uint32_t thread_beside(const struct explorer *x, int step)
{
	uint32_t n = x->view.g->profile->nthreads + 1, now = x->view.thread == GRAPH_NONE ? 0 : x->view.thread + 1;

	now = (now + n + (uint32_t)step) % n;
	return now ? now - 1 : GRAPH_NONE;
}

/* Keys that say what is looked at.  False: it is none. */
static bool part_key(struct explorer *x, int key)
{
	switch (key) {
	case 'f': narrow(x, NARROWING_FOCUS); return true;
	case 'h': narrow(x, NARROWING_HIDE); return true;
	case 'l': narrow(x, NARROWING_MODULE); return true;
	case 't': case 'T':
		x->view.wanted = thread_beside(x, key == 't' ? 1 : -1);
		return true;
	case 'F':
		narrowing_clear(&x->narrowing);
		explorer_show(x, x->whole, x->whole->graph->options.thread, routines_map);
		return true;
	default:
		return false;
	}
}

/* Of two sides show the one that was not. */
static void other_side(struct explorer *x)
{
	const struct report_input *other = x->base ? x->in : x->view.compared ? x->view.compared->base : NULL;

	if (!other)
		return;
	x->base = !x->base;
	explorer_show(x, other, other->graph->options.thread, sides_map);
}

/* Read the profile again.  If it cannot be, the figures stay, and that is said. */
static void explorer_renew(struct explorer *x)
{
	uint64_t begun = explorer_now_ms();
	struct error err = { .code = ERROR_NONE };
	const struct report_input *in = x->feed->renew(x->feed->arg, &err);

	if (!in) {
		x->running = false;
		snprintf(x->view.message, sizeof x->view.message, "not read any more: %.150s", err.text);
		return;
	}
	explorer_show(x, in, explorer_thread_find(x->whole->graph->profile, x->view.thread, in->graph->profile), routines_map);
	x->feed->release(x->feed->arg);
	x->running = is_running(in);
	x->renewed = explorer_now_ms();
	x->every = RENEW_TIMES * (x->renewed - begun) > RENEW_LEAST ? RENEW_TIMES * (x->renewed - begun) : RENEW_LEAST;
}

/* Keys for a program that runs.  False: it is none. */
static bool live_key(struct explorer *x, int key)
{
	if (!x->running || (key != 'r' && key != 'p'))
		return false;
	if (key == 'p')
		x->paused = !x->paused;
	if (key == 'r' || !x->paused)
		explorer_renew(x);
	return true;
}

/* Everything else. */
static void other_key(struct explorer *x, struct screen_event e)
{
	struct page *p = page_now(x);

	switch (e.key) {
	case '\r': case '\n': explorer_enter(x); break;
	case SCREEN_RIGHT: p->kind->fold ? explorer_fold(x, PAGE_UNFOLD) : sideways(x, SIDEWAYS); break;
	case SCREEN_LEFT: p->kind->fold ? explorer_fold(x, PAGE_FOLD) : sideways(x, -SIDEWAYS); break;
	case '+': explorer_fold(x, PAGE_UNFOLD); break;
	case '-': explorer_fold(x, PAGE_FOLD); break;
	case 'E': explorer_fold(x, PAGE_UNFOLD_ALL); break;
	case 'C': explorer_fold(x, PAGE_FOLD_ALL); break;
	case '/': search_ask(x); break;
	case 'n': search(x, 1); break;
	case 'N': search(x, -1); break;
	case '&': filter_ask(x); break;
	case 's':
		if (p->kind->sort)
			p->kind->sort(p);
		break;
	case 'w':
		x->whole_names = !x->whole_names;
		break;
	case 'x': other_side(x); break;
	case 'm':
		x->mouse = !x->mouse;
		screen_mouse(x->mouse);
		snprintf(x->view.message, sizeof x->view.message, "the mouse is %s", x->mouse ? "aprof's" : "the terminal's");
		break;
	case CTRL_L: screen_redraw(); break;
	case SCREEN_CLICK: click(x, e); break;
	case 'P': export_ask(x); break;
	case 'q':
		if (x->current == PAGE_HELP)
			explorer_go_back(x);
		else
			x->quit = true;
		break;
	case 'Q': case SCREEN_GONE: x->quit = true; break;
	default: break;		/* SCREEN_RESIZE, too: the next drawing fits */
	}
}

static void loop(struct explorer *x)
{
	if (!page_ready(x))
		return;
	while (!x->quit) {
		struct screen_event e;

		draw(x);
		screen_flush(-1);
		e = screen_read(renew_wait(x));
		if (e.key != SCREEN_LATER && !move_key(x, e.key) && !page_key(x, e.key) && !live_key(x, e.key) && !part_key(x, e.key))
			other_key(x, e);
		if (!x->quit && x->view.wanted != x->view.thread)
			explorer_show(x, x->whole, x->view.wanted, routines_map);
		if (!x->quit && renew_wait(x) == 0)
			explorer_renew(x);
	}
}

/* The heaviest routine is selected at first. */
static void view_start(struct explorer_view *v, const struct report_input *in, const struct report_options *options)
{
	const struct graph *g = in->graph;

	*v = (struct explorer_view){ .options = *options, .columns = COLUMNS_AT_FIRST, .thread = g->options.thread, .wanted = g->options.thread };
	view_set(v, in);
	for (uint32_t r = 0; r < g->nroutines; r++)
		if (v->routine == GRAPH_NONE || g->routines[r].self > g->routines[v->routine].self)
			v->routine = r;
}

bool explorer_run(const struct report_input *in, const struct explorer_compared *compared, const struct explorer_feed *feed,
		  const struct report_options *options, struct error *err)
{
	struct explorer *x = calloc(1, sizeof *x);
	int signal;

	if (!x)
		return error_no_memory(err, NULL);
	if (!screen_open(options->style.colour, err)) {
		free(x);
		return false;
	}
	*err = (struct error){ .code = ERROR_NONE };
	x->err = err;
	x->mouse = true;
	view_start(&x->view, in, options);
	x->view.compared = compared;
	x->view.options.style.width = screen_columns();
	x->in = x->whole = in;
	x->current = compared ? PAGE_CHANGES : PAGE_ROUTINES;
	x->running = feed && is_running(in);
	x->feed = x->running ? feed : NULL;
	x->renewed = explorer_now_ms();
	x->every = RENEW_LEAST;
	for (int i = 0; i < PAGES; i++)
		x->pages[i].kind = kinds[i];
	loop(x);
	signal = screen_close();
	for (int i = 0; i < PAGES; i++)
		if (x->pages[i].built)
			x->pages[i].kind->close(&x->pages[i]);
	leaves_free(&x->view.leaves);
	graph_free(x->own);
	narrowing_clear(&x->narrowing);
	free(x);
	if (signal)
		raise(signal);
	return err->code == ERROR_NONE;
}
