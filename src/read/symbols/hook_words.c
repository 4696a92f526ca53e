/* hook_words.c - finds the words of the monitor's thread in a binary. */
#include "read/symbols/hook_words.h"

#include <gelf.h>
#include <string.h>

#define WORDS_SIZE 128		/* bytes of aprof_tls, where its symbol does not say: more than it has */

/* The size of the thread-local storage of B as the linker lays it out below the thread's base; 0: there is none. */
static uint64_t storage_size(const struct binary *b)
{
	size_t n;
	GElf_Phdr header;

	if (elf_getphdrnum(b->elf, &n))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(b->elf, (int)i, &header) && header.p_type == PT_TLS)
			return header.p_align > 1 ? (header.p_memsz + header.p_align - 1) & -header.p_align : header.p_memsz;
	return 0;
}

static bool words_in(struct hook_words *w, const struct binary *b, Elf_Scn *section, const GElf_Shdr *header, uint64_t storage)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
	GElf_Sym symbol;

	for (size_t i = 0; i < n; i++) {
		const char *name = gelf_getsym(data, (int)i, &symbol) ? elf_strptr(b->elf, header->sh_link, symbol.st_name) : NULL;

		if (!name || GELF_ST_TYPE(symbol.st_info) != STT_TLS || symbol.st_shndx == SHN_UNDEF || strcmp(name, w->symbol.name))
			continue;
		w->offset = (int64_t)(symbol.st_value - storage);
		w->size = symbol.st_size ? (int64_t)symbol.st_size : WORDS_SIZE;
		return true;
	}
	return false;
}

/* An executable that has the monitor in it reaches the words at an offset from %fs that the linker knew. */
struct hook_words hook_words_find(const struct binary *b)
{
	struct hook_words w = { .symbol = hook_find(b, "aprof_tls", 0), .size = WORDS_SIZE };
	uint64_t storage = storage_size(b);
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (storage && !w.here && (section = elf_nextscn(b->elf, section)))
		if (gelf_getshdr(section, &header) && (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			w.here = words_in(&w, b, section, &header, storage);
	return w;
}

bool hook_words_used(const struct hook_words *w) { return w->here || w->symbol.nslots; }

bool hook_words_has(const struct hook_words *w, const cs_insn *insn, const cs_x86_op *op)
{
	if (op->type != X86_OP_MEM)
		return false;
	if (op->mem.segment == X86_REG_FS)
		return w->here && op->mem.base == X86_REG_INVALID && op->mem.disp >= w->offset && op->mem.disp < w->offset + w->size;
	if (op->mem.base != X86_REG_RIP || op->mem.index != X86_REG_INVALID)
		return false;
	for (unsigned i = 0; i < w->symbol.nslots; i++)
		if (w->symbol.slots[i] == insn->address + insn->size + (uint64_t)op->mem.disp)
			return true;
	return false;
}

bool hook_words_may_be(const struct hook_words *w, const cs_x86_op *op, int64_t offset)
{
	if (op->type != X86_OP_MEM || op->mem.segment != X86_REG_FS || op->mem.index != X86_REG_INVALID)
		return false;
	if (op->mem.base == X86_REG_INVALID)
		return w->here && op->mem.disp == w->offset + offset;
	return op->mem.disp == offset;
}
