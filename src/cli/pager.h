/* pager.h - what is printed on a terminal and is longer than its screen goes through a pager, as git's output does.
 *
 * Standard output, when it is a terminal, is replaced by a stream that keeps what is printed until that is more than a screen.  If it never
 * is, it is printed as it is.  Else the pager is started, and gets this and all that follows, messages on standard error included if that is
 * a terminal.  A pager that the user leaves is no error: the rest is thrown away. */
#ifndef PAGER_H
#define PAGER_H

/* From now on stdout is such a stream, unless it is no terminal, or a dumb one, or the user wants no pager.  The pager is the command of
 * APROF_PAGER, or PAGER, run by the shell; `less`, if neither is set and there is one.  An empty one, and `cat`, mean none. */
void pager_begin(void);

/* Print what was kept, or wait until the user leaves the pager; stdout is as it was.  Nothing without pager_begin. */
void pager_end(void);

#endif
