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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

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

/* A word that is likely to hurt, near OLD or at an edge. */
static uint32_t nasty(uint64_t *dice, uint32_t old)
{
	static const uint32_t words[] = {
		0, 1, 2, 3, 7, 8, 63, 64, 0xfff, 0x1000, 0x2000, 0x7fffff00, 0x7fffff01, 0x7fffff04,
		0x7fffffff, 0x80000000, 0xfffff000, 0xfffffff8, 0xffffffff,
	};

	switch (roll(dice, 4)) {
	case 0: return old + 1;
	case 1: return old - 1;
	case 2: return old ^ 1u << roll(dice, 32);
	default: return words[roll(dice, sizeof words / sizeof *words)];
	}
}

/* Change a word or so where the structure is: the header, the heads of chunks, the first items, counters. */
static size_t mutate(uint8_t *data, size_t size, uint64_t dice)
{
	for (uint32_t changes = 1 + roll(&dice, 3); changes > 0 && size > 64; changes--) {
		size_t page = roll(&dice, (uint32_t)(size / AMON_PAGE) + 1) * (size_t)AMON_PAGE;
		size_t at = page + 4 * (size_t)roll(&dice, roll(&dice, 2) ? 16 : 200);
		uint32_t word;

		if (at + sizeof word > size)
			continue;
		memcpy(&word, data + at, sizeof word);
		word = nasty(&dice, word);
		memcpy(data + at, &word, sizeof word);
	}
	return roll(&dice, 20) == 0 && size > 0 ? roll(&dice, (uint32_t)size) : size;
}

#ifdef DRIVER

int main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		size_t len;
		uint8_t *data = read_file(argv[i], &len), *changed = malloc(len + 1);

		if (!data || !changed)
			return 2;
		LLVMFuzzerTestOneInput(data, len);
		for (uint64_t round = 0; round < strtoull(argv[1], NULL, 0); round++) {
			memcpy(changed, data, len);
			LLVMFuzzerTestOneInput(changed, mutate(changed, len, round));
		}
		free(data);
		free(changed);
	}
	return 0;
}

#else

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return seed % 4 == 0 ? LLVMFuzzerMutate(data, size, most) : mutate(data, size, seed);
}

#endif
