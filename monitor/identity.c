/* identity.c - who a module is, by its ELF header in memory. */
#include "monitor/identity.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>

#include "format/amon.h"
#include "monitor/sys.h"

/* The GNU build-id among the SIZE bytes of notes at NOTES. */
static void notes_build_id(const char *notes, size_t size, struct amon_module *r)
{
	while (size >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *n = (const void *)notes;
		size_t name = (n->n_namesz + 3u) & ~3u, desc = (n->n_descsz + 3u) & ~3u;

		if (name > size || desc > size || sizeof *n + name + desc > size)
			return;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && n->n_descsz <= sizeof r->build_id) {
			mem_copy(r->build_id, notes + sizeof *n + name, n->n_descsz);
			r->build_id_size = (uint8_t)n->n_descsz;
			return;
		}
		notes += sizeof *n + name + desc;
		size -= sizeof *n + name + desc;
	}
}

/* A note of compiler/plugin/far.cc: a routine has two parts, far from one another.  Two words say where the last byte of each is, from where the
 * word stands. */
enum { NOTE_FAR = 2, NOTE_FAR_SIZE = 12 + 8 + 8 };

static bool is_far(const ElfW(Nhdr) *n)
{
	return n->n_type == NOTE_FAR && n->n_namesz == sizeof "aprof" && n->n_descsz == 2 * sizeof(int32_t) &&
	       str_equal((const char *)(n + 1), "aprof");
}

/* Bytes of the note N with its head; 0: it is not all among the SIZE bytes. */
static size_t note_size(const ElfW(Nhdr) *n, size_t size)
{
	size_t name, desc;

	if (size < sizeof *n)
		return 0;
	name = (n->n_namesz + 3u) & ~3u;
	desc = (n->n_descsz + 3u) & ~3u;
	return name > size || desc > size || sizeof *n + name + desc > size ? 0 : sizeof *n + name + desc;
}

/* Does one of the SIZE bytes of notes tell of a part that ends in START .. END?  *OTHER is then in the other part of its routine. */
static bool far_find(const char *notes, size_t size, uintptr_t start, uintptr_t end, uintptr_t *other)
{
	for (size_t one; (one = note_size((const void *)notes, size)); notes += one, size -= one)
		if (is_far((const void *)notes)) {
			const int32_t *last = (const int32_t *)(notes + NOTE_FAR_SIZE) - 2;
			uintptr_t part[2] = { (uintptr_t)&last[0] + (uintptr_t)(intptr_t)last[0], (uintptr_t)&last[1] + (uintptr_t)(intptr_t)last[1] };

			for (int i = 0; i < 2; i++)
				if (part[i] >= start && part[i] < end) {
					*other = part[!i];
					return true;
				}
		}
	return false;
}

/* The program headers at PHDR say where the frame descriptions are, at addresses that are less by BIAS. */
static void find_rules(const ElfW(Ehdr) *ehdr, const ElfW(Phdr) *phdr, uintptr_t bias, struct identity_rules *rules)
{
	const ElfW(Phdr) *index = NULL;

	for (int i = 0; i < ehdr->e_phnum; i++)
		if (phdr[i].p_type == PT_GNU_EH_FRAME)
			index = &phdr[i];
	for (int i = 0; i < ehdr->e_phnum && index; i++)
		if (phdr[i].p_type == PT_LOAD && index->p_vaddr - phdr[i].p_vaddr < phdr[i].p_filesz)
			*rules = (struct identity_rules){ (const uint8_t *)(bias + index->p_vaddr), bias + phdr[i].p_vaddr,
							bias + phdr[i].p_vaddr + phdr[i].p_filesz };
}

static void see_notes(const char *notes, size_t size, struct amon_module *r, struct identity *m)
{
	uintptr_t near;

	if (!r->build_id_size)
		notes_build_id(notes, size, r);
	if (far_find(notes, size, 0, UINTPTR_MAX, &near)) {
		m->notes = notes;
		m->notes_size = size;
	}
}

void identity_read(uintptr_t base, uintptr_t end, struct amon_module *r, struct identity *m)
{
	const ElfW(Ehdr) *ehdr = (const void *)base;
	const ElfW(Phdr) *phdr = (const void *)(base + ehdr->e_phoff);

	if (end - base < sizeof *ehdr || ehdr->e_ident[0] != 0x7f || ehdr->e_ident[1] != 'E' ||
	    ehdr->e_phoff > end - base || ehdr->e_phnum * sizeof *phdr > end - base - ehdr->e_phoff)
		return;
	for (int i = 0; i < ehdr->e_phnum; i++)
		if (phdr[i].p_type == PT_LOAD && phdr[i].p_offset == 0)
			r->bias = base - (phdr[i].p_vaddr & -(uint64_t)AMON_PAGE);
	for (int i = 0; i < ehdr->e_phnum; i++)
		if (phdr[i].p_type == PT_NOTE && phdr[i].p_offset + phdr[i].p_filesz <= end - base)
			see_notes((const char *)base + phdr[i].p_offset, phdr[i].p_filesz, r, m);
	find_rules(ehdr, phdr, r->bias, &m->rules);
}

bool identity_other_part(const struct identity *m, uintptr_t start, uintptr_t end, uintptr_t *other)
{
	return far_find(m->notes, m->notes_size, start, end, other);
}
