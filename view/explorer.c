/* explorer.c - the loop: draw the page, read a key, do what it says.
 *
 *     line 0       names of the pages
 *     line 1       heading of the page
 *     lines 2..    its rows
 *     last line    the run and where we are, a message, or what is being typed */
#include "view/explorer.h"

#include <inttypes.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#include "view/page.h"
#include "report/report.h"
#include "text/print.h"

/* How often a profile is read again: not more often than it needs twenty times as long for. */
enum { RENEW_LEAST = 2000, RENEW_TIMES = 20 };	/* milliseconds; times the time that it takes */
enum { HEAD = 2, TYPED = 120, TRAIL = 64, SIDEWAYS = 8, WHEEL = 3, DOUBLE_CLICK = 500 };
enum { CTRL_L = 'L' - 64, CTRL_N = 'N' - 64, CTRL_P = 'P' - 64, CTRL_F = 'F' - 64, CTRL_B = 'B' - 64, CTRL_D = 'D' - 64,
	CTRL_U = 'U' - 64, CTRL_V = 'V' - 64, ESCAPE = 27 };

static const struct page_kind *const kinds[PAGES] = { [PAGE_ROUTINES] = &routines_page, [PAGE_NEIGHBOURS] = &neighbours_page,
	[PAGE_TOP_DOWN] = &top_down_page, [PAGE_BOTTOM_UP] = &bottom_up_page, [PAGE_CYCLES] = &cycles_page, [PAGE_PATHS] = &paths_page,
	[PAGE_SOURCE] = &source_page, [PAGE_HELP] = &help_page };

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

static void fail(struct explorer *x)
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
	fail(x);
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
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	*style = p->kind->row(p, row, out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* Where the name of page I begins on the first line. */
static int tab_column(int i)
{
	int column = 0;

	for (int k = 0; k < i; k++)
		column += (int)strlen(kinds[k]->name) + 3;
	return column;
}

/* The names of the pages, that at hand in brackets; of a narrow screen only that. */
static void bar_draw(const struct explorer *x)
{
	char text[200] = "";
	size_t n = 0;

	for (int i = 0; i < PAGES; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%c%c%s%c", i == x->current ? '[' : ' ', i == PAGE_HELP ? '?' : '1' + i,
			kinds[i]->name, i == x->current ? ']' : ' ');
	if (screen_columns() < (int)n)
		snprintf(text, sizeof text, "[%c%s] 1-7 Tab ?", x->current == PAGE_HELP ? '?' : '1' + x->current, kinds[x->current]->name);
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

static void rows_draw(const struct page *p)
{
	for (size_t i = 0; i < page_height(); i++) {
		enum screen_style style = SCREEN_PLAIN;
		char *text = p->top + i < p->n ? row_text(p, p->top + i, &style) : NULL;

		screen_put(HEAD + (int)i, text ? text : "", p->skip, style, p->top + i == p->cursor && p->n > 0);
		free(text);
	}
}

/* The last line, if nobody types there. */
static void foot_draw(struct explorer *x)
{
	const struct page *p = page_now(x);
	const struct profile *profile = x->view.g->profile;
	char *text = NULL, whole[PRINT_TIME_SIZE];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	putc(' ', out);
	if (x->view.message[0]) {
		print_name(out, x->view.message, &(struct text_style){ .utf8 = x->view.options.style.utf8 });
		x->view.message[0] = '\0';
	} else {
		fprintf(out, "%zu/%zu  ", p->n ? p->cursor + 1 : 0, p->n);
		print_name(out, profile->nruns ? print_basename(profile_run_name(&profile->runs[0])) : NULL, &x->view.options.style);
		putc(' ', out);
		fputs(print_time_text(whole, (double)x->view.whole), out);
		if (x->feed)
			fputs(!x->running ? "  ended" : x->paused ? "  paused" : "  live", out);
		if (x->view.routine != GRAPH_NONE) {
			fputs("  ", out);
			page_name(&x->view, out, x->view.routine);
		}
	}
	if (fclose(out) == 0)
		screen_put(screen_lines() - 1, text, 0, SCREEN_BAR, false);
	free(text);
}

static void draw(struct explorer *x)
{
	struct page *p = page_now(x);

	x->view.options.style.width = screen_columns();
	cursor_fit(p);
	if (p->n > 0 && p->kind->routine(p, p->cursor) != GRAPH_NONE && !p->kind->by_routine)
		x->view.routine = p->kind->routine(p, p->cursor);
	if (screen_lines() > HEAD) {
		bar_draw(x);
		heading_draw(p);
	}
	rows_draw(p);
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
static void go(struct explorer *x, int page, uint32_t routine)
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

static void go_back(struct explorer *x)
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

static void fold(struct explorer *x, enum page_fold what)
{
	struct page *p = page_now(x);

	if (p->kind->fold && p->n > 0 && !p->kind->fold(p, p->cursor, what, x->err))
		fail(x);
}

static void sideways(struct explorer *x, int columns)
{
	struct page *p = page_now(x);

	p->skip = p->skip + columns > 0 ? p->skip + columns : 0;
}

static void enter(struct explorer *x)
{
	uint32_t routine = routine_now(x);

	if (page_now(x)->kind->fold)
		fold(x, PAGE_TOGGLE);
	else if (routine != GRAPH_NONE && x->current != PAGE_HELP)
		go(x, PAGE_NEIGHBOURS, routine);
}

static void click(struct explorer *x, struct screen_event e)
{
	struct page *p = page_now(x);
	struct timespec now;
	long since;

	clock_gettime(CLOCK_MONOTONIC, &now);
	since = (now.tv_sec - x->when.tv_sec) * 1000 + (now.tv_nsec - x->when.tv_nsec) / 1000000;
	if (e.y == 0 && screen_columns() < tab_column(PAGES)) {		/* only one name is shown */
		go(x, (x->current + 1) % PAGES, routine_now(x));
	} else if (e.y == 0) {
		for (int i = PAGES; i-- > 0;)
			if (e.x >= tab_column(i)) {
				go(x, i, routine_now(x));
				return;
			}
	} else if (e.y >= HEAD && p->top + (size_t)(e.y - HEAD) < p->n && (size_t)(e.y - HEAD) < page_height()) {
		p->cursor = p->top + (size_t)(e.y - HEAD);
		if (e.twice || (x->clicked == e.y && since < DOUBLE_CLICK))
			enter(x);
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
	case SCREEN_PAGE_DOWN: case ' ': case 'f': case CTRL_F: case CTRL_V:
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

	if (key >= '1' && key < '1' + PAGE_HELP) {
		go(x, key - '1', routine);
		return true;
	}
	switch (key) {
	case '\t':
		go(x, (x->current + 1) % PAGES, routine);
		return true;
	case SCREEN_BACK_TAB:
		go(x, (x->current + PAGES - 1) % PAGES, routine);
		return true;
	case '?': case 'h':
		go(x, PAGE_HELP, routine);
		return true;
	case 'a':
		go(x, PAGE_SOURCE, routine);
		return true;
	case 'c':
		if (routine != GRAPH_NONE)
			go(x, PAGE_NEIGHBOURS, routine);
		return true;
	case SCREEN_BACKSPACE: case ESCAPE:
		go_back(x);
		return true;
	default:
		return false;
	}
}

/* Everything else. */
static void other_key(struct explorer *x, struct screen_event e)
{
	struct page *p = page_now(x);

	switch (e.key) {
	case '\r': case '\n': enter(x); break;
	case SCREEN_RIGHT: p->kind->fold ? fold(x, PAGE_UNFOLD) : sideways(x, SIDEWAYS); break;
	case SCREEN_LEFT: p->kind->fold ? fold(x, PAGE_FOLD) : sideways(x, -SIDEWAYS); break;
	case '+': fold(x, PAGE_UNFOLD); break;
	case '-': fold(x, PAGE_FOLD); break;
	case 'E': fold(x, PAGE_UNFOLD_ALL); break;
	case 'C': fold(x, PAGE_FOLD_ALL); break;
	case '/': search_ask(x); break;
	case 'n': search(x, 1); break;
	case 'N': search(x, -1); break;
	case '&': filter_ask(x); break;
	case 's':
		if (p->kind->sort)
			p->kind->sort(p);
		break;
	case 'm':
		x->mouse = !x->mouse;
		screen_mouse(x->mouse);
		snprintf(x->view.message, sizeof x->view.message, "the mouse is %s", x->mouse ? "aprof's" : "the terminal's");
		break;
	case CTRL_L: screen_redraw(); break;
	case SCREEN_CLICK: click(x, e); break;
	case 'q': case 'Q': case SCREEN_GONE: x->quit = true; break;
	default: break;		/* SCREEN_RESIZE, too: the next drawing fits */
	}
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* The time until the figures are read again, ms; below 0: they are not. */
static int renew_wait(const struct explorer *x)
{
	uint64_t now = now_ms(), due = x->renewed + x->every;

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
	v->whole = g->time + g->outside;
	v->calls = print_count_width(g->calls, 7);
	v->routine = GRAPH_NONE;
	v->leaves = (struct leaves){ 0 };
	v->has_leaves = false;
}

static int by_key(const void *left, const void *right)
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
		qsort(sorted, now->nroutines, sizeof *sorted, by_key);
	for (uint32_t r = 0; map && sorted && r < old->nroutines; r++) {
		const struct graph_routine *wanted = old->routines + r;
		const struct graph_routine *const *found = bsearch(&wanted, sorted, now->nroutines, sizeof *sorted, by_key);

		map[r] = found ? (uint32_t)(*found - now->routines) : GRAPH_NONE;
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

/* Show IN from now on; what the user did stays. */
static bool pages_renew(struct explorer *x, const struct report_input *in)
{
	struct explorer_view old = x->view;
	uint32_t *map = routines_map(old.g, in->graph);
	bool ok = map || page_no_memory(x->err);

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

/* Read the profile again.  If it cannot be, the figures stay, and that is said. */
static void renew(struct explorer *x)
{
	uint64_t begun = now_ms();
	struct error err = { .code = ERROR_NONE };
	const struct report_input *in = x->feed->renew(x->feed->arg, &err);

	if (!in) {
		x->running = false;
		snprintf(x->view.message, sizeof x->view.message, "not read any more: %.150s", err.text);
		return;
	}
	if (!pages_renew(x, in))
		fail(x);
	x->feed->release(x->feed->arg);
	x->running = is_running(in);
	x->renewed = now_ms();
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
		renew(x);
	return true;
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
		if (e.key != SCREEN_LATER && !move_key(x, e.key) && !page_key(x, e.key) && !live_key(x, e.key))
			other_key(x, e);
		if (!x->quit && renew_wait(x) == 0)
			renew(x);
	}
}

/* The heaviest routine is selected at first. */
static void view_start(struct explorer_view *v, const struct report_input *in, const struct report_options *options)
{
	const struct graph *g = in->graph;

	*v = (struct explorer_view){ .options = *options };
	view_set(v, in);
	for (uint32_t r = 0; r < g->nroutines; r++)
		if (v->routine == GRAPH_NONE || g->routines[r].self > g->routines[v->routine].self)
			v->routine = r;
}

bool explorer_run(const struct report_input *in, const struct explorer_feed *feed, const struct report_options *options, struct error *err)
{
	struct explorer *x = calloc(1, sizeof *x);
	int signal;

	if (!x)
		return page_no_memory(err);
	if (!screen_open(options->style.colour, err)) {
		free(x);
		return false;
	}
	*err = (struct error){ .code = ERROR_NONE };
	x->err = err;
	x->mouse = true;
	view_start(&x->view, in, options);
	x->running = feed && is_running(in);
	x->feed = x->running ? feed : NULL;
	x->renewed = now_ms();
	x->every = RENEW_LEAST;
	for (int i = 0; i < PAGES; i++)
		x->pages[i].kind = kinds[i];
	loop(x);
	signal = screen_close();
	for (int i = 0; i < PAGES; i++)
		if (x->pages[i].built)
			x->pages[i].kind->close(&x->pages[i]);
	leaves_free(&x->view.leaves);
	free(x);
	if (signal)
		raise(signal);
	return err->code == ERROR_NONE;
}
