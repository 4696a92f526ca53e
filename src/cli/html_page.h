/* html_page.h - the page of aprof html, for other commands that offer it. */
#ifndef HTML_PAGE_H
#define HTML_PAGE_H

#include "cli/options.h"

/* Write the page of the operands in O, of two profiles if O has `against`.  Returns the exit status, after a message if it is not 0. */
int html_page(const struct options *o);

/* Serve the page of the operands in O, of programs that run, until a signal comes; this aprof has a page.  Likewise. */
int html_live(const struct options *o);

#endif
