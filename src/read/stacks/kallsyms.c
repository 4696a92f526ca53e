/* kallsyms.c - /proc/kallsyms: ADDRESS TYPE NAME, and [MODULE] where it is of one.  Addresses are 0 for who may not know them. */
#include "read/stacks/kallsyms.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"

#define KALLSYMS "/proc/kallsyms"

struct kernel {
	struct arena arena;
	struct symbol_of_kernel {
		uint64_t start;
		const char *name;
	} *all;				/* by address */
	uint32_t n;
	size_t room;
};

void kernel_free(struct kernel *k)
{
	if (!k)
		return;
	free(k->all);
	arena_free(&k->arena);
	free(k);
}

static int kallsyms_by_start(const void *left, const void *right)
{
	const struct symbol_of_kernel *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/* Take LINE if it is of code.  False: out of memory. */
static bool kallsyms_line_take(struct kernel *k, const char *line)
{
	char *at, type;
	uint64_t start = strtoull(line, &at, 16);
	size_t n;

	if (start == 0 || at[0] != ' ' || !at[1] || at[2] != ' ')
		return true;
	type = at[1] | 0x20;
	if (type != 't' && type != 'w')
		return true;
	n = strcspn(at + 3, "\t\n ");
	if (!array_grow(&k->all, &k->room, k->n, sizeof *k->all) || !(k->all[k->n].name = arena_copy(&k->arena, at + 3, n)))
		return false;
	k->all[k->n++].start = start;
	return true;
}

struct kernel *kernel_read(const char *path, struct error *err)
{
	struct kernel *k = calloc(1, sizeof *k);
	FILE *f = fopen(path ? path : KALLSYMS, "re");
	char *line = NULL;
	size_t room = 0;
	bool ok = k && f;

	if (!f)
		error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "the kernel's routines have no names here: %s: %s", path ? path : KALLSYMS, strerror(errno));
	while (ok && getline(&line, &room, f) > 0)
		ok = kallsyms_line_take(k, line);
	free(line);
	if (f)
		fclose(f);
	if (f && !ok)
		error_no_memory(err, NULL);
	if (ok && k->n == 0)
		ok = error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "the kernel does not show this user where its routines are: run it as root, or set kernel.kptr_restrict to 0 (sysctl)");
	if (!ok) {
		kernel_free(k);
		return NULL;
	}
	qsort(k->all, k->n, sizeof *k->all, kallsyms_by_start);
	return k;
}

const char *kernel_name(const struct kernel *k, uint64_t address)
{
	uint32_t low = 0, high = k->n;

	while (low < high) {				/* the first that begins above */
		uint32_t middle = low + (high - low) / 2;

		if (k->all[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? k->all[low - 1].name : NULL;
}

uint64_t kernel_address(const struct kernel *k, const char *name)
{
	for (uint32_t i = 0; i < k->n; i++)
		if (strcmp(k->all[i].name, name) == 0)
			return k->all[i].start;
	return 0;
}

bool kernel_runs(const uint8_t *id, size_t size)
{
	unsigned char notes[4096];
	FILE *f = fopen("/sys/kernel/notes", "re");
	size_t n = f ? fread(notes, 1, sizeof notes, f) : 0, at = 0;
	Elf64_Nhdr h;

	if (f)
		fclose(f);
	while (n - at >= sizeof h) {
		size_t name, described;

		memcpy(&h, notes + at, sizeof h);
		name = at + sizeof h;
		described = name + ((h.n_namesz + (size_t)3) & ~(size_t)3);
		at = described + ((h.n_descsz + (size_t)3) & ~(size_t)3);
		if (at > n)
			return false;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0)
			return size > 0 && size <= h.n_descsz && memcmp(notes + described, id, size) == 0;
	}
	return false;
}
