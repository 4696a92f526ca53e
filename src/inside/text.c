/* text.c - words and numbers: file names, settings, and what /proc tells. */
#include "inside/text.h"

#include <stddef.h>

void text_put(struct text *t, const char *s)
{
	while (*s && t->at < t->end - 1)
		*t->at++ = *s++;
	*t->at = 0;
}

void text_put_number(struct text *t, uint64_t n)
{
	char digits[24], *d = digits + sizeof digits;

	*--d = 0;
	do
		*--d = (char)('0' + n % 10);
	while (n /= 10);
	text_put(t, d);
}

const char *text_after(const char *text, const char *word)
{
	for (; *text; text++) {
		size_t i = 0;

		while (word[i] && text[i] == word[i])
			i++;
		if (!word[i])
			return text + i;
	}
	return NULL;
}

uint64_t text_number(const char **at)
{
	uint64_t n = 0;

	for (; **at >= '0' && **at <= '9'; ++*at)
		n = n < UINT64_MAX / 16 ? n * 10 + (uint64_t)(**at - '0') : UINT64_MAX / 2;
	return n;
}

uint64_t text_hex(const char **at)
{
	uint64_t n = 0;

	for (;; ++*at) {
		char c = **at;

		if (c >= '0' && c <= '9')
			n = n << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			n = n << 4 | (uint64_t)(c - 'a' + 10);
		else
			return n;
	}
}
