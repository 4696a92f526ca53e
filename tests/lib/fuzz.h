/* fuzz.h - what the fuzz targets share: dice that fall the same each time, and, for their drivers, files. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/amon.h"

/* A number below N, which is not 0. */
static inline uint32_t roll(uint64_t *dice, uint32_t n)
{
	*dice = *dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*dice >> 33) % n);
}

/* A word that is likely to hurt, near OLD or at an edge. */
static inline uint32_t fuzz_word(uint64_t *dice, uint32_t old)
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

/* Change a word or so of an amon.out where the structure is: the header, the heads of chunks, the first items, counters; its new size. */
static inline size_t fuzz_words(uint8_t *data, size_t size, uint64_t dice)
{
	for (uint32_t changes = 1 + roll(&dice, 3); changes > 0 && size > 64; changes--) {
		size_t page = roll(&dice, (uint32_t)(size / AMON_PAGE) + 1) * (size_t)AMON_PAGE;
		size_t at = page + 4 * (size_t)roll(&dice, roll(&dice, 2) ? 16 : 200);
		uint32_t word;

		if (at + sizeof word > size)
			continue;
		memcpy(&word, data + at, sizeof word);
		word = fuzz_word(&dice, word);
		memcpy(data + at, &word, sizeof word);
	}
	return roll(&dice, 20) == 0 && size > 0 ? roll(&dice, (uint32_t)size) : size;
}

/* The *LEN bytes of the file NAME, malloc'ed; NULL: out of memory.  Ends the process if it cannot be read. */
static inline uint8_t *read_file(const char *name, size_t *len)
{
	FILE *f = fopen(name, "rb");
	uint8_t *data;
	long size;

	if (!f || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET) != 0) {
		perror(name);
		exit(2);
	}
	data = malloc((size_t)size + 1);
	*len = data ? fread(data, 1, (size_t)size, f) : 0;
	fclose(f);
	return data;
}

/* A target of libFuzzer's, and what of that calls it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* The main of a driver, with its arguments ROUNDS FILE...: each file as it is, and as CHANGE makes it ROUNDS times, which gets dice and returns the new size.  BEFORE
 * is called before each of these, if it is not NULL.  Returns the process's status. */
static inline int fuzz_files(int argc, char **argv, size_t (*change)(uint8_t *data, size_t size, uint64_t dice), void (*before)(void))
{
	for (int i = 2; i < argc; i++) {
		size_t len;
		uint8_t *data = read_file(argv[i], &len), *changed = malloc(len + 1);

		if (!data || !changed)
			return 2;
		LLVMFuzzerTestOneInput(data, len);
		for (uint64_t round = 0; round < strtoull(argv[1], NULL, 0); round++) {
			memcpy(changed, data, len);
			if (before)
				before();
			LLVMFuzzerTestOneInput(changed, change(changed, len, round));
		}
		free(data);
		free(changed);
	}
	return 0;
}

#endif
