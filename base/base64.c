/* base64.c - bytes as text. */
#include "base/base64.h"

#include <stdint.h>

/* The N bytes at B, 1 to 3, as four characters. */
static void quad_write(FILE *out, const unsigned char *b, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t word = (uint32_t)b[0] << 16 | (n > 1 ? b[1] : 0u) << 8 | (n > 2 ? b[2] : 0u);
	char text[4] = { digits[word >> 18], digits[word >> 12 & 63], digits[word >> 6 & 63], digits[word & 63] };

	for (size_t i = n + 1; i < 4; i++)
		text[i] = '=';
	fwrite(text, 1, sizeof text, out);
}

void base64_write(FILE *out, const void *data, size_t len)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < len; i += 3)
		quad_write(out, bytes + i, len - i < 3 ? len - i : 3);
}
