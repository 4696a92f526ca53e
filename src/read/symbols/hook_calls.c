/* hook_calls.c - reads x86-64 code just far enough to see whom it calls.
 *
 *     call hook                     static, or bound by the linker
 *     call stub -> jmp *slot        through the PLT
 *     call *slot                    -fno-plt, and GCC's -mfentry in position-independent code
 *     jmp hook, jmp *slot           way inline
 *
 * A slot is known by the relocation that makes the dynamic linker write the hook's address there. */
#include "read/symbols/hook_calls.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "read/symbols/monitor_note.h"

static int32_t displacement(const unsigned char *code)
{
	return (int32_t)(code[0] | code[1] << 8 | code[2] << 16 | (uint32_t)code[3] << 24);
}

static uint64_t hook_calls_word(const unsigned char *bytes)
{
	uint64_t value = 0;

	for (int i = 8; i-- > 0;)
		value = value << 8 | bytes[i];
	return value;
}

static void look_at_symbol(struct hook *hook, Elf *elf, const GElf_Shdr *table, const GElf_Sym *symbol)
{
	const char *name = elf_strptr(elf, table->sh_link, symbol->st_name);

	if (!name || strcmp(name, hook->name))
		return;
	if (symbol->st_shndx == SHN_UNDEF)
		hook->wanted = true;
	else
		hook->address = symbol->st_value;
}

static void look_in_symbols(struct hook *hook, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
	GElf_Sym symbol;

	for (size_t i = 0; i < n; i++)
		if (gelf_getsym(data, i, &symbol))
			look_at_symbol(hook, elf, header, &symbol);
}

/* Whether the relocation writes the hook's address. */
static bool is_slot(const struct hook *hook, Elf *elf, Elf_Data *symbols, size_t strings, const GElf_Rela *rela)
{
	GElf_Sym symbol;
	const char *name;

	if (GELF_R_TYPE(rela->r_info) == R_X86_64_RELATIVE)
		return hook->address && (uint64_t)rela->r_addend == hook->address;
	if (!symbols || !gelf_getsym(symbols, GELF_R_SYM(rela->r_info), &symbol))
		return false;
	name = elf_strptr(elf, strings, symbol.st_name);
	return name && !strcmp(name, hook->name);
}

static void look_in_relocations(struct hook *hook, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL), *symbols = NULL;
	size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
	Elf_Scn *table = elf_getscn(elf, header->sh_link);
	GElf_Shdr of_table = { 0 };
	GElf_Rela rela;

	if (header->sh_link && table && gelf_getshdr(table, &of_table))
		symbols = elf_getdata(table, NULL);
	for (size_t i = 0; i < n && hook->nslots < HOOK_SLOTS; i++)
		if (gelf_getrela(data, i, &rela) && is_slot(hook, elf, symbols, of_table.sh_link, &rela))
			hook->slots[hook->nslots++] = rela.r_offset;
}

struct hook hook_find(const struct binary *b, const char *name, uint64_t address)
{
	struct hook hook = { .name = name };
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(b->elf, section)))
		if (gelf_getshdr(section, &header) && (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			look_in_symbols(&hook, b->elf, section, &header);
	if (!hook.address)
		hook.address = address;
	while (b->machine == EM_X86_64 && (section = elf_nextscn(b->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA && (header.sh_flags & SHF_ALLOC))
			look_in_relocations(&hook, b->elf, section, &header);
	return hook;
}

static bool slot_is_hook(const struct binary *b, const struct hook *hook, uint64_t slot)
{
	const unsigned char *bytes;
	size_t length;

	for (unsigned i = 0; i < hook->nslots; i++)
		if (hook->slots[i] == slot)
			return true;
	if (!hook->address)
		return false;
	bytes = binary_bytes(b, slot, &length);		/* a static program has the address itself there */
	return bytes && length >= 8 && hook_calls_word(bytes) == hook->address;
}

/* Bytes of the prefix of a jump in a PLT: endbr64, bnd. */
static size_t skip_stub_prefix(const unsigned char *code, size_t length)
{
	size_t at = length >= 4 && !memcmp(code, "\xf3\x0f\x1e\xfa", 4) ? 4 : 0;

	return length > at && code[at] == 0xf2 ? at + 1 : at;
}

static bool stub_is_hook(const struct binary *b, const struct hook *hook, uint64_t address)
{
	size_t length, at;
	const unsigned char *code = binary_bytes(b, address, &length);

	if (!code)
		return false;
	at = skip_stub_prefix(code, length);
	if (length < at + 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	return slot_is_hook(b, hook, address + at + 6 + displacement(code + at + 2));
}

/* Whether the LENGTH bytes of CODE, which are at ADDRESS, begin with a call of the hook or a jump to it. */
static bool calls_hook(const struct binary *b, const struct hook *hook, uint64_t address,
		       const unsigned char *code, size_t length)
{
	uint64_t target;

	if (length >= 6 && code[0] == 0xff && (code[1] == 0x15 || code[1] == 0x25))
		return slot_is_hook(b, hook, address + 6 + displacement(code + 2));
	if (length >= 6 && code[0] == 0x67)		/* the linker shortened a call *slot */
		code++, address++, length--;
	if (length < 5 || (code[0] != 0xe8 && code[0] != 0xe9))
		return false;
	target = address + 5 + displacement(code + 1);
	return (hook->address && target == hook->address) || stub_is_hook(b, hook, target);
}

/* The first address from START on in AREA where the hook is called; 0: none. */
static uint64_t area_next(const struct binary *b, const struct hook *hook, const struct area *area, uint64_t start)
{
	size_t length;
	const unsigned char *code = start < area->end ? binary_bytes(b, start, &length) : NULL;

	if (!code || area->plt)
		return 0;
	if (length > area->end - start)
		length = area->end - start;
	for (size_t i = 0; i < length; i++)
		if ((code[i] == 0xe8 || code[i] == 0xe9 || code[i] == 0xff) && calls_hook(b, hook, start + i, code + i, length - i))
			return start + i;
	return 0;
}

bool hook_is_called(const struct binary *b, const struct hook *hook)
{
	if (hook->wanted)
		return true;
	if (!hook->address || b->machine != EM_X86_64)
		return false;
	for (size_t i = 0; i < b->ncode; i++)
		if (area_next(b, hook, &b->code[i], b->code[i].start))
			return true;
	return false;
}

/* Append SITE to the *N items at *SITES, which have room for a power of two of them. */
static bool hook_calls_add_site(uint64_t **sites, size_t *n, uint64_t site)
{
	if ((*n & (*n - 1)) == 0) {
		uint64_t *more = reallocarray(*sites, *n ? 2 * *n : 2, sizeof *more);

		if (!more)
			return false;
		*sites = more;
	}
	(*sites)[(*n)++] = site;
	return true;
}

uint64_t *hook_sites(const struct binary *b, const struct hook *hook, size_t *n)
{
	uint64_t *sites = malloc(sizeof *sites), site;

	*n = 0;
	for (size_t i = 0; sites && b->machine == EM_X86_64 && i < b->ncode; i++)
		for (site = b->code[i].start; (site = area_next(b, hook, &b->code[i], site)); site++)
			if (!hook_calls_add_site(&sites, n, site)) {
				free(sites);
				return NULL;
			}
	return sites;
}

/* Bytes that may stand before the hook of a function: endbr64, and the push of a nested function's static chain. */
static size_t skip_entry_prefix(const unsigned char *code, size_t length)
{
	size_t at = length >= 4 && !memcmp(code, "\xf3\x0f\x1e\xfa", 4) ? 4 : 0;

	return length >= at + 2 && !memcmp(code + at, "\x41\x52", 2) ? at + 2 : at;
}

bool hook_is_at(const struct binary *b, const struct hook *hook, uint64_t address)
{
	size_t length, at;
	const unsigned char *code = b->machine == EM_X86_64 ? binary_bytes(b, address, &length) : NULL;

	if (!code)
		return false;
	at = skip_entry_prefix(code, length);
	return calls_hook(b, hook, address + at, code + at, length - at);
}

const char *hooks_section(const struct binary *b, const char *name, size_t *length)
{
	GElf_Shdr header;
	Elf_Scn *section = binary_section(b, name, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;

	*length = data ? data->d_size : 0;
	return *length ? data->d_buf : NULL;
}

/* Put what the relocations of SECTION add into the N words at WORDS, which are at link-time address START. */
static void relocate(Elf_Scn *section, const GElf_Shdr *header, uint64_t start, uint64_t *words, size_t n)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
	GElf_Rela rela;

	for (size_t i = 0; i < count; i++)
		if (gelf_getrela(data, i, &rela) && GELF_R_TYPE(rela.r_info) == R_X86_64_RELATIVE
		    && rela.r_offset >= start && (rela.r_offset - start) / 8 < n)
			words[(rela.r_offset - start) / 8] = rela.r_addend;
}

uint64_t *hooks_recorded(const struct binary *b, size_t *n)
{
	GElf_Shdr header, other;
	Elf_Scn *section = b->machine == EM_X86_64 ? binary_section(b, "__mcount_loc", &header) : NULL;
	size_t length = 0;
	const unsigned char *bytes = section ? binary_bytes(b, header.sh_addr, &length) : NULL;
	uint64_t *words = bytes && length >= header.sh_size ? calloc(header.sh_size / 8 + 1, sizeof *words) : NULL;

	*n = 0;
	if (!words)
		return NULL;
	*n = header.sh_size / 8;
	for (size_t i = 0; i < *n; i++)
		words[i] = hook_calls_word(bytes + 8 * i);
	for (section = NULL; (section = elf_nextscn(b->elf, section));)
		if (gelf_getshdr(section, &other) && other.sh_type == SHT_RELA && (other.sh_flags & SHF_ALLOC))
			relocate(section, &other, header.sh_addr, words, *n);
	return words;
}

bool hooks_are_nops(const struct binary *b)
{
	size_t n, length;
	uint64_t *words = hooks_recorded(b, &n);
	const unsigned char *code = n ? binary_bytes(b, words[0], &length) : NULL;

	free(words);
	return code && length >= 5 && !memcmp(code, "\x0f\x1f\x44\x00\x00", 5);
}

const char *hooks_loader(const struct binary *b)
{
	size_t n = 0, length;
	GElf_Phdr header;

	if (elf_getphdrnum(b->elf, &n) < 0)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(b->elf, i, &header) && header.p_type == PT_INTERP) {
			const unsigned char *name = binary_bytes(b, header.p_vaddr, &length);

			return name && memchr(name, '\0', length) ? (const char *)name : "";
		}
	return NULL;
}

/* The entry for a needed library whose name begins with PREFIX; NULL: there is none. */
static const char *needed_in(const struct binary *b, Elf_Scn *section, const GElf_Shdr *header, const char *prefix)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
	GElf_Dyn entry;

	for (size_t i = 0; i < n && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		const char *name = entry.d_tag == DT_NEEDED ? elf_strptr(b->elf, header->sh_link, entry.d_un.d_val) : NULL;
		if (name && !strncmp(name, prefix, strlen(prefix)))
			return name;
	}
	return NULL;
}

const char *hooks_needed(const struct binary *b, const char *prefix)
{
	const char *name = NULL;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (!name && (section = elf_nextscn(b->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNAMIC)
			name = needed_in(b, section, &header, prefix);
	return name;
}

bool hooks_monitor(const struct binary *b)
{
	return hooks_needed(b, "libaprof-") || hooks_needed(b, "libaprof_") || monitor_note_find(b, NULL);
}

bool hooks_is_profilers(const char *name)
{
	return hooks_is_aprof(name) || !strcmp(name, "mcount") || !strcmp(name, "_mcount") || !strcmp(name, "__fentry__");
}

bool hooks_is_aprof(const char *name)
{
	static const char *const begins[] = { "__aprof", "aprof_", "__cyg_profile_func_", "__wrap___cyg_profile_func_", "__return__" };

	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}
