/* fuzz_read.c - any bytes at all are read, written and read again; nothing may break.
 *
 * With Clang this is a libFuzzer target.  Built with -DDRIVER it has a main of its own that takes FILES
 * and tries each one and ROUNDS mutations of it: fuzz_read ROUNDS FILE... */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../tests/lib/fuzz.h"
#include "read/profile/profile.h"
#include "read/profile/tests/sound.h"

static void check(const struct profile *p)
{
	const char *bad = unsound(p);

	if (bad) {
		fprintf(stderr, "unsound: %s\n", bad);
		abort();
	}
}

/* What was read can be written, and the copy says the same. */
static void copy(const struct profile *p)
{
	struct profile *q = profile_new();
	struct error err;
	size_t len;
	void *file = profile_write(p, &len, &err);

	if (file) {
		if (!profile_read(q, file, len, "copy", &err)) {
			fprintf(stderr, "%s\n", err.text);
			abort();
		}
		check(q);
		if (p->time != q->time || p->longest != q->longest || p->ncontexts != q->ncontexts)
			abort();
	}
	free(file);
	profile_free(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p = profile_new();
	struct error err = { .text = "" };

	if (profile_read(p, data, size, "fuzz", &err)) {
		check(p);
		copy(p);
	} else if (!err.text[0] || strchr(err.text, '\n')) {
		abort();
	}
	profile_read(p, data, size, "again", &err);		/* onto itself, or onto nothing */
	check(p);
	profile_free(p);
	return 0;
}

#ifdef DRIVER

int main(int argc, char **argv)
{
	return fuzz_files(argc, argv, fuzz_words, NULL);
}

#else

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return seed % 4 == 0 ? LLVMFuzzerMutate(data, size, most) : fuzz_words(data, size, seed);
}

#endif
