/* message.c - the only printer of diagnostics. */
#include "cli/message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

void message(const char *format, ...)
{
	char *text = NULL;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	fflush(stdout);
	fputs("aprof: ", stderr);
	if (n >= 0)
		escape_print(stderr, text, 0);
	else
		fputs("out of memory", stderr);
	putc('\n', stderr);
	free(text);
}

void message_error(const struct error *err, const char *where)
{
	const char *text = err->text[0] ? err->text : error_name(err->code);
	bool named = where && strncmp(text, where, strlen(where)) == 0;
	char number[24], offset[48] = "";

	snprintf(number, sizeof number, "%" PRIu64, err->offset);
	if (err->offset != ERROR_NO_OFFSET && err->code != ERROR_SYSTEM && !strstr(text, number))
		snprintf(offset, sizeof offset, " (at offset %s)", number);
	message("%s%s%.*s%s", where && !named ? where : "", where && !named ? ": " : "", (int)strcspn(text, "\n"), text, offset);
	for (text = strchr(text, '\n'); text; text = strchr(text, '\n')) {
		text++;
		message("%.*s", (int)strcspn(text, "\n"), text);
	}
}
