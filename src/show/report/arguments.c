/* arguments.c - the command line of a profiled process.
 *
 * The file holds the arguments themselves, each ended by NUL, so that blanks and empty ones are told from what separates them.  The last
 * one is cut off where not all of them fitted. */
#include "show/report/arguments.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "show/report/report.h"
#include "base/print.h"

/* Bytes of H's command without what a program that writes a title over its arguments leaves behind that: empty ones to where these ended, more than anybody gives. */
static size_t size_of(const struct amon_header *h)
{
	enum { GIVEN = 2 };
	size_t size = h->command_size < sizeof h->command ? h->command_size : sizeof h->command, words = size;

	while (words > 1 && !h->command[words - 1] && !h->command[words - 2])
		words--;
	return size - words > GIVEN ? words : size;
}

static void words_print(FILE *out, const struct amon_header *h, unsigned flags)
{
	size_t size = size_of(h);
	char word[sizeof h->command + 1];

	for (size_t at = 0, n; at < size; at += n + 1) {
		n = strnlen(h->command + at, size - at);
		memcpy(word, h->command + at, n);
		word[n] = '\0';
		if (at > 0)
			putc(' ', out);
		escape_shell(out, word, flags);
	}
}

void arguments_print(FILE *out, const struct report_options *options, const struct amon_header *header)
{
	if (header->command_size == 0)
		return;
	print_label(out, "command");
	words_print(out, header, options->style.utf8 ? 0 : ESCAPE_ASCII);
	fputs(header->command_cut ? " ...\n" : "\n", out);
}

char *arguments_text(const struct amon_header *header)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	words_print(out, header, 0);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

json_t *arguments_json(const struct amon_header *header)
{
	char *text = arguments_text(header);
	json_t *value = text ? json_string(text) : NULL;

	free(text);
	return value;
}
