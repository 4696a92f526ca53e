/* escape.h - names made harmless before they are printed.
 *
 * A name comes out of a file that somebody else wrote: it may hold terminal escape sequences, line
 * breaks, or characters that reorder or hide their neighbours.  Escaped text is one line, has none
 * of those, and can be read back without doubt, since the backslash itself is doubled. */
#ifndef TEXT_ESCAPE_H
#define TEXT_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/* What else to escape, or'ed; 0 is text for a terminal that shows UTF-8. */
enum escape_flags {
	ESCAPE_ASCII = 1,	/* everything beyond ASCII: the reader may not know UTF-8 */
	ESCAPE_WORD = 2,	/* blanks, and an apostrophe at the end: names between blanks, with marks */
	ESCAPE_STACK = 4,	/* semicolons: names between semicolons */
	ESCAPE_QUOTE = 8,	/* quotes, doubled: a quoted field of CSV */
	ESCAPE_SOURCE = 16,	/* a line of source: the backslash stands for itself */
};

/* Print NAME to OUT: control characters and bytes that are not UTF-8 as `\x1b`, the backslash as `\\`,
 * characters that are invisible or turn the direction of writing as `\u{202e}`.
 * Returns the characters printed, for padding; whether OUT failed is for ferror to tell. */
size_t escape_print(FILE *out, const char *name, unsigned flags);

/* The same into the SIZE bytes at BUFFER, NUL-terminated unless SIZE is 0; what does not fit is left out, never half
 * an escape or character.  Returns the bytes that all of it takes, the NUL not counted.
 * No more than 4 bytes come of each byte of NAME. */
size_t escape_string(char *buffer, size_t size, const char *name, unsigned flags);

/* Print WORD to OUT as a shell would have to be given it: as it is, `a.out`; between quotes where it would be taken for something else,
 * `'a b'`; and where it has what is escaped above, or beyond ASCII with ESCAPE_ASCII, with these bytes in octal between the quotes that bash,
 * ksh, zsh and POSIX 2024 have for that, `$'a\033b'`.  The backslash is escaped in these only. */
void escape_shell(FILE *out, const char *word, unsigned flags);

#endif
