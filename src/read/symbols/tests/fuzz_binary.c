/* fuzz_binary.c - any bytes at all are opened as a program, and everything that is ever asked about one is asked; nothing may
 * break, hang or grow without bound.
 *
 * With Clang this is a libFuzzer target.  Built with -DDRIVER it has a main of its own that takes FILES and tries each one and
 * ROUNDS mutations of it, and is killed where one takes very long or very much memory: fuzz_binary ROUNDS FILE... */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../../../tests/lib/fuzz.h"
#include "read/symbols/symbols.h"

enum {
	ADDRESSES = 64,		/* asked about in each of a few places */
	MOST_SYMBOLS = 100000,	/* functions that are looked at */
};

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}

/* What every symbol keeps. */
static void check(const struct symbol *symbol)
{
	if (!symbol->name || !symbol->display || !symbol->key || !*symbol->name || !*symbol->display)
		fail("a symbol without a name");
}

static void check_one(void *arg, const struct symbol *symbol)
{
	uint32_t *left = arg;

	if (*left > 0) {
		check(symbol);
		--*left;
	}
}

static void check_two(void *arg, const struct symbol *from, const struct symbol *to)
{
	check_one(arg, from);
	check_one(arg, to);
	if (from == to)
		fail("an arc from a function to itself");
}

static void ask_about(struct symbols *s, uint64_t address)
{
	const struct symbol *symbol = symbols_find(s, 0, address);
	const char *file;
	uint32_t line;

	check(symbol);
	if (symbols_find(s, 0, address) != symbol)
		fail("two symbols of one address");
	if (symbols_line(s, 0, address, &file, &line) && !file)
		fail("a line without a file");
}

/* The entry, and addresses where programs and libraries have code. */
static void ask(struct symbols *s, const uint8_t *data, size_t size)
{
	static const uint64_t bases[] = { 0, 0x1000, 0x400000, 0x401000, UINT64_MAX - ADDRESSES * 16 };
	Elf64_Ehdr header;

	for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
		for (uint64_t k = 0; k < ADDRESSES; k++)
			ask_about(s, bases[i] + 16 * k);
	if (size >= sizeof header) {
		memcpy(&header, data, sizeof header);
		ask_about(s, header.e_entry);
	}
}

static void look(const char *path, const uint8_t *data, size_t size)
{
	struct profile_module module = { .path = (char *)path, .main_program = true, .hooked = true };
	struct profile profile = { .modules = &module, .nmodules = 1 };
	uint32_t hooks, left = MOST_SYMBOLS;
	struct error err = { .text = "" };
	struct symbols *s;

	if (!symbols_has_hooks(path, &hooks, &err) && (!err.text[0] || strchr(err.text, '\n')))
		fail("an error without a line");
	s = symbols_open(&profile, path, &err);
	if (!s)
		return;
	ask(s, data, size);
	symbols_hooked(s, 0, true, check_one, &left);
	symbols_static_arcs(s, 0, false, check_two, &left);
	symbols_static_arcs(s, 0, true, check_two, &left);
	symbols_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[40];
	int fd = memfd_create("program", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		fail("no memory file");
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	look(path, data, size);
	close(fd);
	return 0;
}

/* A word that is likely to hurt, near OLD or at an edge. */
static uint64_t nasty(uint64_t *dice, uint64_t old, size_t size)
{
	static const uint64_t words[] = {
		0, 1, 2, 3, 8, 0x10, 0x18, 0x28, 0x38, 0x40, 0xff, 0x1000, 0xffff, 0x10000, 0x400000, 0x7fffffff, 0x80000000, 0xffffffff,
		0x7fffffffffffffff, 0xfffffffffffff000, 0xffffffffffffffff,
	};

	switch (roll(dice, 5)) {
	case 0: return old + 1 + roll(dice, 16);
	case 1: return old - 1 - roll(dice, 16);
	case 2: return old ^ UINT64_C(1) << roll(dice, 64);
	case 3: return roll(dice, (uint32_t)size);
	default: return words[roll(dice, sizeof words / sizeof *words)];
	}
}

/* Offset of a place where the structure is: a header, a header of a segment or section, or the contents of a section. */
static size_t place(const uint8_t *data, size_t size, uint64_t *dice)
{
	Elf64_Ehdr e;
	Elf64_Shdr section;
	uint64_t headers;

	memcpy(&e, data, sizeof e);
	headers = e.e_shoff + (uint64_t)roll(dice, e.e_shnum + 1u) * sizeof section;
	switch (roll(dice, 4)) {
	case 0: return roll(dice, sizeof e);
	case 1: return e.e_phoff + (size_t)roll(dice, e.e_phnum + 1u) * sizeof(Elf64_Phdr) + roll(dice, sizeof(Elf64_Phdr));
	case 2: return headers + roll(dice, sizeof section);
	default:
		if (headers > size - sizeof section)
			return roll(dice, (uint32_t)size);
		memcpy(&section, data + headers, sizeof section);
		return section.sh_offset + (section.sh_size ? roll(dice, (uint32_t)section.sh_size | 1) : 0);
	}
}

/* Change a few fields where the structure is. */
static size_t mutate(uint8_t *data, size_t size, uint64_t dice)
{
	static const size_t widths[] = { 1, 2, 4, 8 };

	for (uint32_t changes = 1 + roll(&dice, 4); changes > 0 && size > sizeof(Elf64_Ehdr); changes--) {
		size_t width = widths[roll(&dice, 4)], at = place(data, size, &dice) & -width;
		uint64_t word = 0;

		if (at > size - width)
			continue;
		memcpy(&word, data + at, width);
		word = nasty(&dice, word, size);
		memcpy(data + at, &word, width);
	}
	return roll(&dice, 20) == 0 && size > 0 ? roll(&dice, (uint32_t)size) : size;
}

#ifdef DRIVER

enum {
	SECONDS = 20,		/* CPU time of one file, with all the patience that a test must have */
	MEMORY = 1 << 30,	/* bytes of address space */
};

/* From here on the process is killed where it uses up SECONDS more. */
static void more_time(void)
{
	struct rusage used;
	struct rlimit limit;

	getrusage(RUSAGE_SELF, &used);
	getrlimit(RLIMIT_CPU, &limit);
	limit.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + SECONDS);
	setrlimit(RLIMIT_CPU, &limit);
}

int main(int argc, char **argv)
{
	const struct rlimit memory = { MEMORY, MEMORY };

#ifndef __SANITIZE_ADDRESS__		/* whose shadow alone is larger */
	setrlimit(RLIMIT_AS, &memory);
#endif
	(void)memory;
	return fuzz_files(argc, argv, mutate, more_time);
}

#else

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return seed % 4 == 0 ? LLVMFuzzerMutate(data, size, most) : mutate(data, size, seed);
}

#endif
