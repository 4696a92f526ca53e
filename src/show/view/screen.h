/* screen.h - the terminal.  Only screen.c knows curses.
 *
 * A screen is lines of text; what does not fit is cut, and nothing fails when the terminal is tiny. */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>

#include "base/error.h"

/* How a line looks; without colour by bold, underline and reverse alone. */
enum screen_style {
	SCREEN_PLAIN,
	SCREEN_HEADING,		/* over columns */
	SCREEN_BAR,		/* the first and the last line */
	SCREEN_HOT,		/* a tenth of the run and more */
	SCREEN_STRONG,		/* the main line of several */
	SCREEN_DIM,		/* hardly worth a look */
};

/* Keys that are no characters. */
enum {
	SCREEN_UP = 0x200000, SCREEN_DOWN, SCREEN_LEFT, SCREEN_RIGHT, SCREEN_PAGE_UP, SCREEN_PAGE_DOWN, SCREEN_HOME, SCREEN_END,
	SCREEN_BACKSPACE, SCREEN_BACK_TAB, SCREEN_RESIZE, SCREEN_CLICK, SCREEN_WHEEL_UP, SCREEN_WHEEL_DOWN,
	SCREEN_LATER,		/* nothing came in the time that screen_read was given */
	SCREEN_OTHER,		/* a key without a meaning here */
	SCREEN_GONE,		/* a signal came, or the terminal went away */
};

/* What the user did. */
struct screen_event {
	int key;		/* a character, or SCREEN_ */
	int y, x;		/* SCREEN_CLICK: where, from 0 */
	bool twice;		/* SCREEN_CLICK: two clicks that came together */
};

/* Take the terminal.  False with *ERR set: it is unknown, or cannot move its cursor. */
bool screen_open(bool colour, struct error *err);

/* Give it back as it was.  Returns the signal that ended the reading; 0: none. */
int screen_close(void);

int screen_lines(void);
int screen_columns(void);

/* Make line Y the TEXT, in the locale's encoding and without control characters, from column SKIP on; SELECTED: under the cursor. */
void screen_put(int y, const char *text, int skip, enum screen_style style, bool selected);

/* Show what was put; with CURSOR at that column of the last line, below 0: nowhere. */
void screen_flush(int cursor);

/* Draw all anew, in case something else wrote to the terminal. */
void screen_redraw(void);

/* Let the mouse select here, or in the terminal itself. */
void screen_mouse(bool ours);

/* Wait for the user, for MS milliseconds at most; below 0: for ever. */
struct screen_event screen_read(int ms);

#endif
