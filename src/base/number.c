/* number.c - strtoll and strtod, held to their word. */
#include "base/number.h"

#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t plain;			/* that of C, in which numbers have a point; 0: there was no memory for it */

static void plain_make(void) { plain = newlocale(LC_ALL_MASK, "C", NULL); }

bool number_read(const char *text, int64_t least, int64_t most, int64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoll(text, &end, 10);
	return end != text && !*end && errno == 0 && *value >= least && *value <= most;
}

double number_fraction(const char *text)
{
	pthread_once(&once, plain_make);
	return plain ? strtod_l(text, NULL, plain) : strtod(text, NULL);
}
