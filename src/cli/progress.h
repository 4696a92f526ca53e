/* progress.h - a line on the terminal that says what takes so long. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stddef.h>

/* From now on, after the first second, show on stderr what is being done; nothing unless stderr is a terminal. */
void progress_begin(void);

/* WHAT is done now: a static string such as "reading symbols". */
void progress_step(const char *what);

/* DONE of OF parts of it are done: shown behind it, at most ten times a second. */
void progress_part(size_t done, size_t of);

/* Clear the line.  Allowed without a begin. */
void progress_end(void);

#endif
