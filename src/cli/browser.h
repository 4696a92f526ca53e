/* browser.h - the user's browser, for pages. */
#ifndef BROWSER_H
#define BROWSER_H

#include <stdbool.h>

/* Have the browser that BROWSER names, or else the desktop's (xdg-open), open WHAT, an address or a file, and do not wait for it.  False after a message. */
bool browser_open(const char *what);

#endif
