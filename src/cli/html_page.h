/* html_page.h - the page of aprof html, for other commands that offer it. */
#ifndef HTML_PAGE_H
#define HTML_PAGE_H

#include "cli/compared_sides.h"
#include "cli/options.h"

/* Write the page of SIDES, whose runs are PAIRED, measured in turn, or not, as O has it.  Returns the exit status, after a message if it is not 0. */
int html_page_compared(const struct options *o, struct compared_sides *sides, bool paired);

/* Serve the page of the operands in O, of programs that run, until a signal comes; this aprof has a page.  Likewise. */
int html_live(const struct options *o);

#endif
