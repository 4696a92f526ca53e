/* slots.c - from relocations to slots.
 *
 * A relocation of the GOT that names a symbol makes a slot of it, whatever its type; so does one that adds the load address
 * to an address.  Those of data make slots that nobody calls. */
#include "read/symbols/slots.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* The symbols that the relocations of one section refer to. */
struct names {
	Elf *elf;		/* the file */
	Elf_Data *symbols;	/* symbol table; NULL: none */
	size_t strings;		/* index of the section of its names */
};

static struct names slots_names_of(Elf *elf, const GElf_Shdr *relocations)
{
	Elf_Scn *table = relocations->sh_link ? elf_getscn(elf, relocations->sh_link) : NULL;
	GElf_Shdr header;

	if (!table || !gelf_getshdr(table, &header))
		return (struct names){ .elf = elf };
	return (struct names){ elf, elf_getdata(table, NULL), header.sh_link };
}

/* Read relocation I of DATA, with or without an addend; false: there is none. */
static bool relocation(Elf_Data *data, const GElf_Shdr *header, size_t i, GElf_Rela *r)
{
	GElf_Rel rel;

	if (header->sh_type == SHT_RELA)
		return gelf_getrela(data, (int)i, r) != NULL;
	if (!gelf_getrel(data, (int)i, &rel))
		return false;
	*r = (GElf_Rela){ .r_offset = rel.r_offset, .r_info = rel.r_info };
	return true;
}

static struct slot slot_of(const struct names *names, const GElf_Rela *r)
{
	struct slot slot = { .at = r->r_offset, .value = (uint64_t)r->r_addend, .name = "" };
	GElf_Sym symbol;
	const char *name;

	if (GELF_R_SYM(r->r_info) == 0 || !names->symbols
	    || !gelf_getsym(names->symbols, (int)GELF_R_SYM(r->r_info), &symbol))
		return slot;
	name = elf_strptr(names->elf, names->strings, symbol.st_name);
	slot.name = name ? name : "";
	slot.value = symbol.st_shndx == SHN_UNDEF ? 0 : symbol.st_value + (uint64_t)r->r_addend;
	return slot;
}

static bool in_got(const struct slots *s, uint64_t address)
{
	for (size_t i = 0; i < s->ngots; i++)
		if (address >= s->gots[i].start && address < s->gots[i].end)
			return true;
	return false;
}

static bool add_section(struct slots *s, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
	struct slot *more = reallocarray(s->slots, s->n + n + 1, sizeof *more);
	struct names names = slots_names_of(elf, header);
	GElf_Rela r;

	if (!more)
		return false;
	s->slots = more;
	for (size_t i = 0; i < n && relocation(data, header, i, &r); i++)
		if (in_got(s, r.r_offset))
			s->slots[s->n++] = slot_of(&names, &r);
	return true;
}

static int compare_slots(const void *p, const void *q)
{
	const struct slot *a = p, *b = q;

	return (a->at > b->at) - (a->at < b->at);
}

/* Find the sections of the GOT: .got, .got.plt. */
static void find_gots(struct slots *s, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t strings;

	while (s->ngots < MOST_GOTS && elf_getshdrstrndx(elf, &strings) == 0 && (section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, strings, header.sh_name) : NULL;

		if (name && !strncmp(name, ".got", 4) && header.sh_addr + header.sh_size > header.sh_addr)
			s->gots[s->ngots++] = (struct area){ .start = header.sh_addr, .end = header.sh_addr + header.sh_size };
	}
}

static bool read_relocations(struct slots *s, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC)
		    || (header.sh_type != SHT_RELA && header.sh_type != SHT_REL))
			continue;
		if (!add_section(s, elf, section, &header))
			return false;
	}
	if (s->n)
		qsort(s->slots, s->n, sizeof *s->slots, compare_slots);
	return true;
}

bool slots_read(struct slots *s, const struct binary *b)
{
	*s = (struct slots){ .binary = b, .word = gelf_getclass(b->elf) == ELFCLASS32 ? 4 : 8 };
	find_gots(s, b->elf);
	if (read_relocations(s, b->elf))
		return true;
	slots_free(s);
	return false;
}

void slots_free(struct slots *s)
{
	free(s->slots);
	*s = (struct slots){ 0 };
}

/* The word that the file has at ADDRESS; little-endian, as all machines here. */
static uint64_t slots_word_at(const struct slots *s, uint64_t address)
{
	size_t length;
	const unsigned char *bytes = binary_bytes(s->binary, address, &length);
	uint64_t word = 0;

	for (size_t i = 0; bytes && i < s->word && i < length; i++)
		word |= (uint64_t)bytes[i] << 8 * i;
	return word;
}

struct slot slots_find(const struct slots *s, uint64_t address)
{
	const struct slot wanted = { .at = address, .name = "" };
	const struct slot *found = s->n ? bsearch(&wanted, s->slots, s->n, sizeof wanted, compare_slots) : NULL;

	if (found || !in_got(s, address))
		return found ? *found : wanted;
	return (struct slot){ .at = address, .value = slots_word_at(s, address), .name = "" };
}
