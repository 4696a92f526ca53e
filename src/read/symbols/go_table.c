/* go_table.c - the header, the functions by address, and of each where its return address is:
 *
 *     magic | 0 0 | 1 | 8 | functions | files | text (since 1.18) | offsets of: names, units, files, pcs, functions
 *     functions:  (start, offset)* end                 of 4 bytes each, counted from the text; until 1.17 of 8, and addresses
 *     function:   start | name | ... | pcs of depths   that of pcs is the fourth word behind the start
 *     pcs:        (change of value, length)*           a value holds for that many bytes; the first is -1 and its change */
#include "read/symbols/go_table.h"

#include <elf.h>
#include <endian.h>
#include <gelf.h>
#include <string.h>

enum {
	MAGIC_1_16 = 0xfffffffa, MAGIC_1_18 = 0xfffffff0, MAGIC_1_20 = 0xfffffff1,
	HEADER = 8,			/* bytes before the words of the header */
	NAME = 0, DEPTHS = 12,		/* of words of a function, behind its start */
};

static uint32_t go_table_word_at(const struct go_table *t, uint64_t at)
{
	uint32_t word;

	if (t->size < sizeof word || at > t->size - sizeof word)
		return 0;
	memcpy(&word, t->bytes + at, sizeof word);
	return le32toh(word);
}

static uint64_t long_at(const struct go_table *t, uint64_t at)
{
	return go_table_word_at(t, at) | (uint64_t)go_table_word_at(t, at + 4) << 32;
}

/* What the dynamic linker puts at ADDRESS, but for where it loads the file; 0: nothing. */
static uint64_t relocated(const struct binary *b, uint64_t address)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(b->elf, section))) {
		Elf_Data *data = gelf_getshdr(section, &header) && header.sh_type == SHT_RELA ? elf_getdata(section, NULL) : NULL;
		GElf_Rela r;

		for (int i = 0; data && gelf_getrela(data, i, &r); i++)
			if (r.r_offset == address && GELF_R_TYPE(r.r_info) == R_X86_64_RELATIVE)
				return (uint64_t)r.r_addend;
	}
	return 0;
}

/* The table at ADDRESS of B, LENGTH bytes at most from BYTES on; false: it is none. */
static bool table_read(struct go_table *t, const struct binary *b, uint64_t address, const unsigned char *bytes, size_t length)
{
	struct go_table found = { .bytes = bytes, .size = length, .wide = true };
	uint64_t offsets = HEADER + 2 * 8;

	if (length < HEADER || memcmp(bytes + 4, "\0\0\1\10", 4) != 0)
		return false;
	if (go_table_word_at(&found, 0) == MAGIC_1_18 || go_table_word_at(&found, 0) == MAGIC_1_20) {
		found.wide = false;
		found.text = long_at(&found, offsets);
		found.text = found.text ? found.text : relocated(b, address + offsets);
		offsets += 8;
	} else if (go_table_word_at(&found, 0) != MAGIC_1_16) {
		return false;
	}
	found.names = long_at(&found, offsets);
	found.pcs = long_at(&found, offsets + 3 * 8);
	found.functions = long_at(&found, offsets + 4 * 8);
	if (found.names >= length || found.pcs >= length || found.functions >= length || (!found.wide && !binary_area(b, found.text))
	    || long_at(&found, HEADER) >= (length - found.functions) / (found.wide ? 16 : 8))
		return false;
	found.n = (uint32_t)long_at(&found, HEADER);
	*t = found;
	return true;
}

/* The section that the table is in: to HEADER.  That of a PIE linked by the system's linker is somewhere in .data.rel.ro, where it is looked for in programs of
 * Go's alone. */
static bool section_find(const struct binary *b, GElf_Shdr *header)
{
	Elf_Scn *found = binary_section(b, ".gopclntab", header);

	if (!found)
		found = binary_section(b, ".data.rel.ro.gopclntab", header);
	if (!found && binary_section(b, ".go.buildinfo", header))
		found = binary_section(b, ".data.rel.ro", header);
	return found && header->sh_type == SHT_PROGBITS;
}

bool go_table_read(struct go_table *t, const struct binary *b)
{
	enum { ALIGNMENT = 32 };
	const unsigned char *bytes = NULL;
	size_t length = 0;
	GElf_Shdr header;

	*t = (struct go_table){ 0 };
	if (b->machine != EM_X86_64 || !section_find(b, &header))
		return false;
	bytes = binary_bytes(b, header.sh_addr, &length);
	length = length < header.sh_size ? length : header.sh_size;
	for (uint64_t at = 0; bytes && at < length; at += ALIGNMENT)
		if (table_read(t, b, header.sh_addr + at, bytes + at, length - at))
			return true;
	return false;
}

/* Where function I begins; that behind the last is where that ends. */
static uint64_t go_table_start_of(const struct go_table *t, uint32_t i)
{
	return t->wide ? long_at(t, t->functions + (uint64_t)16 * i) : t->text + go_table_word_at(t, t->functions + (uint64_t)8 * i);
}

bool go_table_function(const struct go_table *t, uint32_t i, struct go_function *f)
{
	uint64_t at = t->functions, name;

	at += t->wide ? long_at(t, at + (uint64_t)16 * i + 8) + 8 : go_table_word_at(t, at + (uint64_t)8 * i + 4) + (uint64_t)4;
	name = t->names + go_table_word_at(t, at + NAME);
	*f = (struct go_function){ .start = go_table_start_of(t, i), .end = go_table_start_of(t, i + 1), .depths = go_table_word_at(t, at + DEPTHS) };
	if (at >= t->size || name >= t->size || f->end <= f->start || !memchr(t->bytes + name, 0, t->size - name))
		return false;
	f->name = (const char *)t->bytes + name;
	return true;
}

bool go_table_find(const struct go_table *t, uint64_t address, struct go_function *f)
{
	uint32_t low = 0, high = t->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (go_table_start_of(t, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && go_table_function(t, low - 1, f) && address < f->end;
}

/* The number at *AT, seven bits a byte, the lowest first; *AT goes behind it. */
static uint32_t go_table_number_take(const struct go_table *t, uint64_t *at)
{
	uint32_t number = 0;

	for (unsigned shift = 0; *at < t->size && shift < 32; shift += 7) {
		unsigned char byte = t->bytes[(*at)++];

		number |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return number;
}

bool go_table_depth(const struct go_table *t, const struct go_function *f, uint64_t address, uint32_t *depth, uint64_t *end)
{
	uint64_t at = t->pcs + f->depths;
	uint32_t value = UINT32_MAX, change;

	if (f->depths == 0)
		return false;
	*end = f->start;
	for (bool first = true; *end <= address; first = false) {
		change = go_table_number_take(t, &at);
		if ((change == 0 && !first) || at >= t->size)
			return false;
		value += change & 1 ? ~(change >> 1) : change >> 1;
		*end += go_table_number_take(t, &at);
	}
	*depth = value;
	return (int32_t)value >= 0;
}
