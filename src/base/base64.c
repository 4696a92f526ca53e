/* base64.c - bytes as text. */
#include "base/base64.h"

#include <stdint.h>

enum { AT_ONCE = 1024 };			/* threes that become text at once */

/* The N bytes at B, 1 to 3, as four characters. */
static void quad_make(char text[4], const unsigned char *b, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t word = (uint32_t)b[0] << 16 | (n > 1 ? b[1] : 0u) << 8 | (n > 2 ? b[2] : 0u);

	text[0] = digits[word >> 18];
	text[1] = digits[word >> 12 & 63];
	text[2] = n > 1 ? digits[word >> 6 & 63] : '=';
	text[3] = n > 2 ? digits[word & 63] : '=';
}

void base64_write(FILE *out, const void *data, size_t len)
{
	const unsigned char *bytes = data;
	char text[4 * AT_ONCE];
	size_t made = 0;

	for (size_t i = 0; i < len; i += 3) {
		quad_make(text + made, bytes + i, len - i < 3 ? len - i : 3);
		made += 4;
		if (made == sizeof text || len - i <= 3) {
			fwrite(text, 1, made, out);
			made = 0;
		}
	}
}
