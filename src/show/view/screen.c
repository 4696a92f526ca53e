/* screen.c - curses.
 *
 * Signals that end the program only set a flag, so that the terminal is restored before they do their work; ^Z is left to
 * curses, which restores and takes the terminal again. */
#include "show/view/screen.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

static SCREEN *terminal;
static bool coloured;
static volatile sig_atomic_t caught;
static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
enum { SIGNALS = sizeof signals / sizeof *signals, REST_MS = 100 };	/* for the rest of a character to come */
static struct sigaction before[SIGNALS];

static void note_signal(int signal)
{
	caught = signal;
}

static void screen_signals_take(void)
{
	struct sigaction action = { .sa_handler = note_signal };

	sigemptyset(&action.sa_mask);
	caught = 0;
	for (int i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &action, &before[i]);
}

static void signals_restore(void)
{
	for (int i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
}

static void colours_start(bool colour)
{
	coloured = colour && has_colors() && start_color() == OK && use_default_colors() == OK;
	if (!coloured)
		return;
	init_pair(SCREEN_HEADING, COLOR_CYAN, -1);
	init_pair(SCREEN_HOT, COLOR_RED, -1);
	init_pair(SCREEN_DIM, COLORS > 8 ? 8 : COLOR_BLUE, -1);
}

bool screen_open(bool colour, struct error *err)
{
	const char *name = getenv("TERM");

	screen_signals_take();			/* curses leaves alone what somebody has taken */
	terminal = newterm(NULL, stdout, stdin);
	if (terminal && !tigetstr("cup")) {
		endwin();
		delscreen(terminal);
		terminal = NULL;
	}
	if (!terminal) {
		signals_restore();
		return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "TERM=%.40s: such a terminal is not known, or cannot move its cursor; "
			"`aprof hot` prints plain text", name ? name : "");
	}
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	mouseinterval(0);
	screen_mouse(true);
	colours_start(colour);
	return true;
}

int screen_close(void)
{
	if (!terminal)
		return 0;
	screen_mouse(false);
	move(LINES - 1, 0);		/* where there is no other screen to go back to, the prompt comes here */
	clrtoeol();
	refresh();
	endwin();
	delscreen(terminal);
	terminal = NULL;
	signals_restore();
	return caught;
}

int screen_lines(void)
{
	return LINES;
}

int screen_columns(void)
{
	return COLS;
}

static attr_t attributes(enum screen_style style, bool selected)
{
	static const attr_t plain[] = { [SCREEN_HEADING] = A_UNDERLINE, [SCREEN_BAR] = A_REVERSE, [SCREEN_HOT] = A_BOLD,
		[SCREEN_STRONG] = A_BOLD, [SCREEN_DIM] = A_NORMAL };
	attr_t a = plain[style];

	if (selected)		/* in the terminal's own colours, which can be read on each other, whatever they are */
		return style == SCREEN_DIM ? A_REVERSE : a | A_REVERSE;
	if (coloured && style == SCREEN_DIM && COLORS <= 8)
		a |= A_DIM;
	if (coloured && (style == SCREEN_HEADING || style == SCREEN_HOT || (style == SCREEN_DIM && COLORS > 8)))
		a |= COLOR_PAIR(style);
	return a;
}

/* The columns of TEXT from SKIP on that fit in WIDTH, into CELLS.  Returns how many columns they take. */
static int cut(wchar_t *cells, const char *text, int skip, int width)
{
	mbstate_t state = { 0 };
	int column = 0, used = 0;
	wchar_t c;

	for (size_t n; *text && used < width; text += n) {
		int w;

		n = mbrtowc(&c, text, strlen(text), &state);
		if (n == 0 || n > strlen(text))
			break;
		w = wcwidth(c);
		if (w < 0 || (w == 0 && used == 0))
			continue;
		if (column >= skip && used + w <= width) {
			*cells++ = c;
			used += w;
		}
		column += w;
	}
	*cells = L'\0';
	return used;
}

void screen_put(int y, const char *text, int skip, enum screen_style style, bool selected)
{
	size_t room = strlen(text) + 1;
	wchar_t *cells = calloc(room, sizeof *cells);
	int used;

	if (!cells || y < 0 || y >= LINES) {
		free(cells);
		return;
	}
	used = cut(cells, text, skip, COLS);
	attrset(A_NORMAL);
	move(y, 0);
	clrtoeol();
	attrset(attributes(style, selected));
	mvaddwstr(y, 0, cells);
	if (selected || style == SCREEN_BAR)
		for (; used < COLS; used++)
			mvaddch(y, used, ' ');
	attrset(A_NORMAL);
	free(cells);
}

void screen_flush(int cursor)
{
	curs_set(cursor >= 0);
	if (cursor >= 0)
		move(LINES - 1, cursor < COLS ? cursor : COLS - 1);
	refresh();
}

void screen_redraw(void)
{
	clearok(curscr, TRUE);
}

void screen_mouse(bool ours)
{
	mousemask(ours ? BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON1_DOUBLE_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
}

static struct screen_event mouse_event(void)
{
	MEVENT mouse;

	if (getmouse(&mouse) != OK)
		return (struct screen_event){ .key = SCREEN_OTHER };
	if (mouse.bstate & BUTTON4_PRESSED)
		return (struct screen_event){ .key = SCREEN_WHEEL_UP };
	if (mouse.bstate & BUTTON5_PRESSED)
		return (struct screen_event){ .key = SCREEN_WHEEL_DOWN };
	if (mouse.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON1_DOUBLE_CLICKED))
		return (struct screen_event){ .key = SCREEN_CLICK, .y = mouse.y, .x = mouse.x,
			.twice = mouse.bstate & BUTTON1_DOUBLE_CLICKED };
	return (struct screen_event){ .key = SCREEN_OTHER };
}

static struct screen_event key_event(int key)
{
	static const struct { int curses, key; } table[] = {
		{ KEY_UP, SCREEN_UP }, { KEY_DOWN, SCREEN_DOWN }, { KEY_LEFT, SCREEN_LEFT }, { KEY_RIGHT, SCREEN_RIGHT },
		{ KEY_PPAGE, SCREEN_PAGE_UP }, { KEY_NPAGE, SCREEN_PAGE_DOWN }, { KEY_HOME, SCREEN_HOME }, { KEY_END, SCREEN_END },
		{ KEY_BACKSPACE, SCREEN_BACKSPACE }, { KEY_BTAB, SCREEN_BACK_TAB }, { KEY_RESIZE, SCREEN_RESIZE }, { KEY_ENTER, '\r' },
	};

	if (key == KEY_MOUSE)
		return mouse_event();
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].curses == key)
			return (struct screen_event){ .key = table[i].key };
	return (struct screen_event){ .key = SCREEN_OTHER };
}

/* Whether there is something to be read from the terminal, if only its end. */
static bool is_ready(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&input, 1, 0) != 0;
}

/* The character that begins with the byte FIRST; -1: there is none.  Not by get_wch, for which a byte that begins no character swallows those after it. */
static int character_from(int first)
{
	mbstate_t state = { 0 };
	int more = ERR;
	wchar_t c;
	size_t got = mbrtowc(&c, &(char){ (char)first }, 1, &state);

	timeout(REST_MS);
	while (got == (size_t)-2 && (more = getch()) != ERR && more <= UCHAR_MAX)
		got = mbrtowc(&c, &(char){ (char)more }, 1, &state);
	if (got != (size_t)-1 && got != (size_t)-2)
		return (int)c;
	if (more != ERR)
		ungetch(more);			/* begins something else */
	return -1;
}

struct screen_event screen_read(int ms)
{
	int key;

	timeout(ms);
	do {
		errno = 0;
		key = getch();
	} while (key == ERR && errno == EINTR && !caught);
	if (key == ERR)
		return (struct screen_event){ .key = ms >= 0 && !caught && !is_ready() ? SCREEN_LATER : SCREEN_GONE };
	if (key > UCHAR_MAX)
		return key_event(key);
	if (key == 127 || key == '\b')
		return (struct screen_event){ .key = SCREEN_BACKSPACE };
	key = character_from(key);
	return (struct screen_event){ .key = key < 0 ? SCREEN_OTHER : key };
}
