/* eh_frame.c - reads .eh_frame_hdr, whose form the Linux Standard Base specifies:
 *
 *     version 1 | form of pointer | form of count | form of table | pointer | count | (start, description)*
 *
 * The table is sorted by start; starts and descriptions are 32 bits wide and relative to the header in all files that
 * linkers make.  libdw offers only the rows of descriptions, not where these begin. */
#include "read/symbols/eh_frame.h"

#include <dwarf.h>
#include <endian.h>
#include <gelf.h>
#include <string.h>

enum {
	HEADER = 12,		/* bytes before the table */
	ENTRY = 8,		/* bytes of an entry */
	RANGE = 12,		/* offset of the function's size in its description: length, CIE, start come before */
};

struct table {
	const unsigned char *bytes; /* of the first entry */
	uint32_t count;		/* entries */
	uint64_t base;		/* link-time address that entries are relative to */
};

static uint32_t eh_frame_word(const unsigned char *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof value);
	return le32toh(value);
}

static bool find_header(const struct binary *b, uint64_t *address)
{
	size_t n = 0;
	GElf_Phdr header;

	if (elf_getphdrnum(b->elf, &n) < 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(b->elf, i, &header) && header.p_type == PT_GNU_EH_FRAME) {
			*address = header.p_vaddr;
			return true;
		}
	return false;
}

static bool eh_frame_find_table(const struct binary *b, struct table *table)
{
	const unsigned char *bytes;
	size_t length;

	if (!find_header(b, &table->base) || !(bytes = binary_bytes(b, table->base, &length)) || length < HEADER)
		return false;
	if (bytes[0] != 1 || bytes[1] != (DW_EH_PE_pcrel | DW_EH_PE_sdata4) || bytes[2] != DW_EH_PE_udata4
	    || bytes[3] != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
		return false;
	table->bytes = bytes + HEADER;
	table->count = eh_frame_word(bytes + 8);
	return table->count <= (length - HEADER) / ENTRY;
}

static uint64_t entry_start(const struct table *table, uint32_t i)
{
	return table->base + (int32_t)eh_frame_word(table->bytes + (size_t)ENTRY * i);
}

/* Where the function of entry I ends: by its description, but not beyond the next one. */
static uint64_t eh_frame_entry_end(const struct binary *b, const struct table *table, uint32_t i)
{
	uint64_t description = table->base + (int32_t)eh_frame_word(table->bytes + (size_t)ENTRY * i + 4);
	uint64_t start = entry_start(table, i), end = start;
	size_t length;
	const unsigned char *bytes = binary_bytes(b, description, &length);

	if (bytes && length >= RANGE + 4)
		end += eh_frame_word(bytes + RANGE);
	if (i + 1 < table->count && entry_start(table, i + 1) < end)
		end = entry_start(table, i + 1);
	return end;
}

bool unwind_find(const struct binary *b, uint64_t address, uint64_t *start, uint64_t *end)
{
	struct table table;
	uint32_t low = 0, high;

	if (!eh_frame_find_table(b, &table))
		return false;
	for (high = table.count; low < high;) {
		uint32_t middle = low + (high - low) / 2;
		if (entry_start(&table, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return false;
	*start = entry_start(&table, low - 1);
	*end = eh_frame_entry_end(b, &table, low - 1);
	return address < *end;
}
