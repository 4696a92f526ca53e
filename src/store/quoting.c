/* quoting.c - string literals as ClickHouse's syntax has them: a backslash before each quotation mark and backslash. */
#include "store/quoting.h"

#include <string.h>

void quote_print(FILE *out, const char *text, size_t len)
{
	putc('\'', out);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < ' ' || c == 0x7f)
			fprintf(out, "\\x%02x", c);
		else if (c == '\'' || c == '\\')
			fprintf(out, "\\%c", c);
		else
			putc(c, out);
	}
	putc('\'', out);
}

void quote_text(FILE *out, const char *text)
{
	quote_print(out, text, strlen(text));
}

void quote_id(FILE *out, const unsigned char *id)
{
	fputs("toFixedString(unhex('", out);
	for (int i = 0; i < 16; i++)
		fprintf(out, "%02x", id[i]);
	fputs("'), 16)", out);
}
