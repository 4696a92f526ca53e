/* fuzz.h - what the fuzz targets share: dice that fall the same each time, and, for their drivers, files. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A number below N, which is not 0. */
static inline uint32_t roll(uint64_t *dice, uint32_t n)
{
	*dice = *dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*dice >> 33) % n);
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

#endif
