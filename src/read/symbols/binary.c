/* binary.c - opens ELF files, and finds their code. */
#include "read/symbols/binary.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>

/* What libdwfl says went wrong last. */
static const char *binary_reason(void)
{
	const char *text = dwfl_errmsg(-1);

	return text ? text : "unknown error";
}

bool binary_find_debug_files(Dwfl_Callbacks *callbacks, char **path)
{
	const char *more = getenv("APROF_DEBUG_PATH");

	if (asprintf(path, ":.debug:/usr/lib/debug%s%s", more && *more ? ":" : "", more ? more : "") < 0) {
		*path = NULL;
		return false;
	}
	*callbacks = (Dwfl_Callbacks){ .find_elf = dwfl_build_id_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo, .debuginfo_path = path };
	return true;
}

/* A descriptor of the plain file PATH; a device or a pipe could keep us waiting.  -1 with *ERR set. */
static int binary_open_file(const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		error_set(err, ERROR_NOT_ELF, ERROR_NO_OFFSET, "%s: not a plain file", path);
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

static int compare_areas(const void *p, const void *q)
{
	const struct area *a = p, *b = q;

	return (a->start > b->start) - (a->start < b->start);
}

static void add_area(struct binary *b, uint64_t start, uint64_t size, const char *name)
{
	bool plt = !strcmp(name, ".plt") || !strncmp(name, ".plt.", 5), init = !strcmp(name, ".init") || !strcmp(name, ".fini");

	if (size && start + size > start)
		b->code[b->ncode++] = (struct area){ start, start + size, plt, init };
}

static const char *section_name(const struct binary *b, const GElf_Shdr *header)
{
	size_t strings;
	const char *name = elf_getshdrstrndx(b->elf, &strings) == 0 ? elf_strptr(b->elf, strings, header->sh_name) : NULL;

	return name ? name : "";
}

Elf_Scn *binary_section(const struct binary *b, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(b->elf, section)))
		if (gelf_getshdr(section, header) && strcmp(section_name(b, header), name) == 0)
			return section;
	return NULL;
}

static void add_sections(struct binary *b)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(b->elf, section)))
		if (gelf_getshdr(section, &header) && (header.sh_flags & SHF_ALLOC)
		    && (header.sh_flags & SHF_EXECINSTR))
			add_area(b, header.sh_addr, header.sh_size, section_name(b, &header));
}

static void add_segments(struct binary *b, size_t n)
{
	GElf_Phdr header;

	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(b->elf, i, &header) && header.p_type == PT_LOAD && (header.p_flags & PF_X))
			add_area(b, header.p_vaddr, header.p_memsz, "");
}

static bool find_code(struct binary *b)
{
	size_t sections = 0, segments = 0;

	if (elf_getshdrnum(b->elf, &sections) < 0)
		sections = 0;
	if (elf_getphdrnum(b->elf, &segments) < 0)
		segments = 0;
	b->code = calloc(sections + segments + 1, sizeof *b->code);
	if (!b->code)
		return false;
	add_sections(b);
	if (!b->ncode)
		add_segments(b, segments);
	qsort(b->code, b->ncode, sizeof *b->code, compare_areas);
	return true;
}

/* Has B the code that its sections tell of?  A debug file has their headers alone, and those of segments as they were. */
static bool has_code(const struct binary *b)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(b->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR)
			return header.sh_type != SHT_NOBITS;
	return true;
}

/* The part of the file that HEADER maps, as far as there is one; SIZE 0: none. */
static struct load load_of(const struct binary *b, const GElf_Phdr *header)
{
	struct load load = { header->p_vaddr, header->p_offset, 0, header->p_flags & PF_X };

	if (header->p_type != PT_LOAD || header->p_offset > b->size)
		return load;
	load.size = header->p_filesz < b->size - header->p_offset ? header->p_filesz : b->size - header->p_offset;
	if (load.size > UINT64_MAX - load.start)
		load.size = UINT64_MAX - load.start;
	return load;
}

static int compare_loads(const void *p, const void *q)
{
	const struct load *a = p, *b = q;

	return (a->start > b->start) - (a->start < b->start);
}

/* A list to search in: a program can have tens of thousands of segments, and is asked as often. */
static bool find_loads(struct binary *b)
{
	size_t n = 0;
	GElf_Phdr header;

	if (elf_getphdrnum(b->elf, &n) < 0 || !has_code(b))
		n = 0;
	b->loads = calloc(n + 1, sizeof *b->loads);
	if (!b->loads)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (gelf_getphdr(b->elf, (int)i, &header))
			b->loads[b->nloads] = load_of(b, &header);
		b->nloads += b->loads[b->nloads].size > 0;
	}
	qsort(b->loads, b->nloads, sizeof *b->loads, compare_loads);
	return true;
}

/* Hand FD to a new session.  libdwfl closes it if it succeeds. */
static bool report_file(struct binary *b, const char *path, int fd, const Dwfl_Callbacks *callbacks)
{
	b->dwfl = dwfl_begin(callbacks);
	if (!b->dwfl)
		return false;
	dwfl_report_begin(b->dwfl);
	b->module = dwfl_report_elf(b->dwfl, path, path, fd, 0, true);
	if (!b->module)
		return false;
	return dwfl_report_end(b->dwfl, NULL, NULL) == 0;
}

static bool look_inside(struct binary *b, const char *path, struct error *err)
{
	GElf_Addr bias;
	GElf_Ehdr header;

	b->elf = dwfl_module_getelf(b->module, &bias);
	if (!b->elf || !gelf_getehdr(b->elf, &header))
		return error_set(err, ERROR_NOT_ELF, ERROR_NO_OFFSET, "%s: %s", path, binary_reason());
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return error_set(err, ERROR_NOT_ELF, ERROR_NO_OFFSET,
				 "%s: neither a program nor a shared object", path);
	b->machine = header.e_machine;
	b->bytes = (const unsigned char *)elf_rawfile(b->elf, &b->size);
	if (!b->bytes)
		b->size = 0;
	if (!find_code(b) || !find_loads(b))
		return error_no_memory_for(err, path);
	return true;
}

static bool open_descriptor(struct binary *b, const char *path, int fd, const Dwfl_Callbacks *callbacks,
			    struct error *err)
{
	bool ok = report_file(b, path, fd, callbacks);

	if (!ok) {
		error_set(err, ERROR_NOT_ELF, ERROR_NO_OFFSET, "%s: %s", path, binary_reason());
		if (!b->module)
			close(fd);
	} else {
		ok = look_inside(b, path, err);
	}
	if (!ok)
		binary_close(b);
	return ok;
}

bool binary_open(struct binary *b, const char *path, const Dwfl_Callbacks *callbacks, struct error *err)
{
	int fd = binary_open_file(path, err);

	memset(b, 0, sizeof *b);
	return fd >= 0 && open_descriptor(b, path, fd, callbacks, err);
}

/* Bytes of the vDSO mapped at EHDR: its section headers come last. */
static size_t vdso_size(const Elf64_Ehdr *ehdr)
{
	return ehdr->e_shoff + (size_t)ehdr->e_shnum * ehdr->e_shentsize;
}

bool binary_open_vdso(struct binary *b, const Dwfl_Callbacks *callbacks, struct error *err)
{
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	int fd = -1;

	memset(b, 0, sizeof *b);
	if (sizeof(void *) == sizeof ehdr->e_entry && ehdr)
		fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "[vdso]: not at hand");
	if (write(fd, ehdr, vdso_size(ehdr)) != (ssize_t)vdso_size(ehdr)) {
		close(fd);
		return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "[vdso]: %s", strerror(errno));
	}
	return open_descriptor(b, "[vdso]", fd, callbacks, err);
}

void binary_close(struct binary *b)
{
	if (b->dwfl)
		dwfl_end(b->dwfl);
	free(b->code);
	free(b->loads);
	memset(b, 0, sizeof *b);
}

/* The same of what ELF has. */
static uint64_t debug_cost(Elf *elf)
{
	enum { PLAIN = 10, PACKED = 15 };		/* ns a byte */
	Elf_Scn *section = NULL;
	size_t strings;
	uint64_t cost = 0;
	GElf_Shdr header;
	GElf_Chdr packed;

	if (elf_getshdrstrndx(elf, &strings) != 0)
		return 0;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, strings, header.sh_name) : NULL;

		if (!name || strncmp(name, ".debug_", 7) != 0 || header.sh_type == SHT_NOBITS)
			continue;
		cost += gelf_getchdr(section, &packed) ? packed.ch_size * PACKED : header.sh_size * PLAIN;
	}
	return cost;
}

uint64_t binary_debug_cost(const struct binary *b)
{
	const char *name = NULL;
	Elf *elf;
	uint64_t cost;
	int fd;

	dwfl_module_info(b->module, NULL, NULL, NULL, NULL, NULL, NULL, &name);
	if (!name)
		return debug_cost(b->elf);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return 0;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	cost = elf ? debug_cost(elf) : 0;
	elf_end(elf);
	close(fd);
	return cost;
}

size_t binary_build_id(const struct binary *b, const uint8_t **id)
{
	const void *bits = NULL;
	ssize_t size = dwelf_elf_gnu_build_id(b->elf, &bits);

	*id = bits;
	return size > 0 ? (size_t)size : 0;
}

const struct area *binary_area(const struct binary *b, uint64_t address)
{
	size_t low = 0, high = b->ncode;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (b->code[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < b->code[low - 1].end ? &b->code[low - 1] : NULL;
}

const unsigned char *binary_bytes(const struct binary *b, uint64_t address, size_t *length)
{
	size_t low = 0, high = b->nloads;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (b->loads[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - b->loads[low - 1].start >= b->loads[low - 1].size)
		return NULL;
	*length = b->loads[low - 1].size - (address - b->loads[low - 1].start);
	return b->bytes + b->loads[low - 1].offset + (address - b->loads[low - 1].start);
}
