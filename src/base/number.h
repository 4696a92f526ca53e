/* number.h - numbers that a user wrote, or a file has. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Sets *VALUE to the decimal number that TEXT is, all of it; blanks and a sign may stand before it.  False: it is none, or none from
 * LEAST to MOST. */
bool number_read(const char *text, int64_t least, int64_t most, int64_t *value);

/* The decimal number that TEXT begins with, as strtod has it where the locale has a point in numbers; any thread, and whatever the program's locale is. */
double number_fraction(const char *text);

#endif
