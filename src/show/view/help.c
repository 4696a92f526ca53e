/* help.c - the page of keys. */
#include "show/view/page.h"

static const char *const text[] = {
	"Pages",
	"  1 ... 9, Tab, Shift-Tab   the pages on the first line",
	"  Enter                     callers and callees of the selected routine;",
	"                            in trees, cycles and paths: unfold or fold",
	"  c                         callers and callees, from any page",
	"  a                         source of the selected routine, as in perf report",
	"  Backspace, Esc            back to where you came from",
	"",
	"Hot, threads, changes",
	"  8                         where to look first, as aprof hot says",
	"  9, then Enter             one thread alone on all pages; or all again",
	"  0                         with --against: what changed, as aprof diff says;",
	"                            ~ is a change within noise, = none",
	"  x                         the other side, on all pages but that",
	"",
	"Moving",
	"  Down Up, j k, e y         a line",
	"  Space PageDown, b PageUp  a page",
	"  d, u                      half a page",
	"  g Home, G End             first, last line",
	"  Left, Right               scroll sideways; in trees: fold, unfold",
	"",
	"Finding",
	"  /PATTERN, n, N            search whole names, next, previous",
	"  &PATTERN                  routines: only those that match; & and Enter: all",
	"  s                         sort routines, changes by the next column",
	"",
	"Looking at a part",
	"  f                         focus: only contexts in which the routine is active",
	"  h                         hide it: its time and its callees are its callers'",
	"  l                         only contexts with routines of its program or library",
	"  t, T                      only the next thread, the one before; then all",
	"  F                         all again",
	"",
	"Trees, cycles, paths",
	"  + -, Right Left           unfold, fold; - on a folded line: up to its parent",
	"  E, C                      unfold all below (from 0.1 % of the run), fold all",
	"  name'                     folded recursion;  ..  calls were squeezed out here",
	"",
	"Source",
	"  ticks, self               samples on the line, the routine's own time there",
	"  -> name                   calls that start on the line above; ~: on several",
	"                            lines, with the figures of all; [...]: no hooks",
	"",
	"Shares",
	"  the figure next to a %    by so many points it may be off, with a confidence",
	"                            of 95 in 100, where times are samples",
	"  <2.1                      no more than that: it may be chance",
	"",
	"A program that runs",
	"  r                         read its figures again now; else every two seconds",
	"  p                         hold them, and go on",
	"",
	"Other",
	"  o                         choose columns",
	"  w                         names whole, or as they fit; Right shows the rest",
	"  m                         give the mouse back to the terminal, or take it",
	"  Ctrl-L                    draw anew",
	"  Ctrl-Z                    stop; fg comes back",
	"  P                         write all of the page to a file, as it is seen",
	"  ?                         this help; q leaves it",
	"  q, Q                      quit",
	"",
	"The mouse selects; a second click is Enter; the wheel scrolls.",
};

static bool help_open(struct page *p, struct error *err)
{
	(void)err;
	p->n = sizeof text / sizeof *text;
	return true;
}

static void help_close(struct page *p)
{
	(void)p;
}

static void help_heading(const struct page *p, FILE *out)
{
	(void)p;
	fputs("Keys", out);
}

static enum screen_style help_row(const struct page *p, size_t row, FILE *out)
{
	(void)p;
	fputs(text[row], out);
	return text[row][0] > ' ' ? SCREEN_STRONG : SCREEN_PLAIN;
}

static uint32_t help_routine(const struct page *p, size_t row)
{
	(void)row;
	return p->view->routine;
}

const struct page_kind help_page = { .name = "Help", .brief = "", .hint = "q back  Q quit", .open = help_open, .close = help_close, .heading = help_heading, .row = help_row,
	.routine = help_routine };
