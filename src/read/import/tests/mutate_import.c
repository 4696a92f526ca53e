/* mutate_import ROUNDS FILE... - files of other people's, whole, cut off and with wrong bytes: each is read, or refused in one line; nothing breaks. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../tests/lib/fuzz.h"
#include "read/import/import.h"
#include "read/profile/profile.h"

static void try(const uint8_t *data, size_t size)
{
	struct error err = { .text = "" };
	struct import m;
	size_t len;

	if (import_read(&m, data, size, "file", NULL, &err)) {
		struct profile *p = profile_new();

		for (size_t i = 0; i < m.n; i++) {
			const void *bytes = builder_bytes(m.builder, i, &len);

			if (!profile_read(p, bytes, len, "made", &err)) {
				fprintf(stderr, "%s\n", err.text);
				abort();
			}
		}
		profile_free(p);
	} else if (!err.text[0] || strchr(err.text, '\n')) {
		fprintf(stderr, "refused as \"%s\"\n", err.text);
		abort();
	}
	import_free(&m);
}

/* A copy of the file of its own size, so that a byte beyond is seen. */
static void mutate(const uint8_t *data, size_t size, uint64_t *dice)
{
	size_t n = roll(dice, 3) && size ? roll(dice, (uint32_t)size) + 1 : size;
	uint8_t *copy = malloc(n ? n : 1);

	memcpy(copy, data, n);
	for (uint32_t flips = n == size ? roll(dice, 8) + 1 : roll(dice, 3); n && flips > 0; flips--)
		copy[roll(dice, (uint32_t)n)] = roll(dice, 4) ? (uint8_t)roll(dice, 256) : (uint8_t)(roll(dice, 2) * 255);
	try(copy, n);
	free(copy);
}

int main(int argc, char **argv)
{
	uint64_t dice = 1;

	for (int i = 2; i < argc; i++) {
		size_t size;
		uint8_t *data = read_file(argv[i], &size);

		try(data, size);
		for (int k = 0; k < atoi(argv[1]); k++)
			mutate(data, size, &dice);
		free(data);
	}
	return 0;
}
