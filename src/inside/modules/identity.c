/* identity.c - who a module is, by its ELF header in memory. */
#include "inside/modules/identity.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <sys/uio.h>

#include "contract/amon.h"
#include "inside/sys.h"

enum {
	MOST_HEADERS = 64,		/* program headers of a module */
	WINDOW = 4096,			/* bytes of notes that are looked at at once */
	NOTE_LOOKED_AT = 64,		/* no note that says something here is longer: bytes */
};

/* Copy SIZE bytes from FROM, which another thread may unmap meanwhile.  Who may not ask the kernel trusts that none does.  It is asked for the calling thread: a
 * first thread that has ended has no memory. */
static bool identity_copy(void *to, uintptr_t from, size_t size)
{
	struct iovec here = { to, size }, there = { (void *)from, size };
	long n = sys6(process_vm_readv, sys0(gettid), &here, 1, &there, 1, 0);

	if (n == -ENOSYS || n == -EPERM) {
		mem_copy(to, (const void *)from, size);
		return true;
	}
	return n == (long)size;
}

/* A note of compile/gcc/far.cc: a routine has two parts, far from one another.  Two words say where the last byte of each is, from where the
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

static void see_build_id(const ElfW(Nhdr) *n, struct amon_module *r)
{
	if (!r->build_id_size && n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && n->n_descsz <= sizeof r->build_id) {
		mem_copy(r->build_id, (const char *)(n + 1) + 4, n->n_descsz);
		r->build_id_size = (uint8_t)n->n_descsz;
	}
}

/* The segment of SIZE bytes of notes at NOTES. */
static void see_notes(uintptr_t notes, size_t size, struct amon_module *r, struct identity *m)
{
	static union { ElfW(Nhdr) first; char bytes[WINDOW]; } window;
	size_t from = 0, to = 0, one;		/* offsets of what is in the window */

	for (size_t at = 0; size - at >= sizeof(ElfW(Nhdr)); at += one) {
		const ElfW(Nhdr) *n;

		if (to < size && at + NOTE_LOOKED_AT > to) {
			from = at;
			to = size - at < WINDOW ? size : at + WINDOW;
			if (!identity_copy(window.bytes, notes + from, to - from))
				return;
		}
		n = (const void *)&window.bytes[at - from];
		if (!(one = note_size(n, size - at)))
			return;
		if (one > NOTE_LOOKED_AT)
			continue;
		see_build_id(n, r);
		if (!m->notes && is_far(n)) {
			m->notes = (const char *)notes;
			m->notes_size = size;
		}
	}
}

void identity_read(uintptr_t base, uintptr_t end, struct amon_module *r, struct identity *m)
{
	static ElfW(Phdr) phdr[MOST_HEADERS];
	ElfW(Ehdr) ehdr;

	if (end - base < sizeof ehdr || !identity_copy(&ehdr, base, sizeof ehdr) || ehdr.e_ident[0] != 0x7f || ehdr.e_ident[1] != 'E' ||
	    ehdr.e_phnum > MOST_HEADERS || ehdr.e_phoff > end - base || ehdr.e_phnum * sizeof *phdr > end - base - ehdr.e_phoff ||
	    !identity_copy(phdr, base + ehdr.e_phoff, ehdr.e_phnum * sizeof *phdr))
		return;
	for (int i = 0; i < ehdr.e_phnum; i++)
		if (phdr[i].p_type == PT_LOAD && phdr[i].p_offset == 0)
			r->bias = base - (phdr[i].p_vaddr & -(uint64_t)AMON_PAGE);
	for (int i = 0; i < ehdr.e_phnum; i++)
		if (phdr[i].p_type == PT_NOTE && phdr[i].p_filesz <= end - base && phdr[i].p_offset <= end - base - phdr[i].p_filesz)
			see_notes(base + phdr[i].p_offset, phdr[i].p_filesz, r, m);
	find_rules(&ehdr, phdr, r->bias, &m->rules);
}

bool identity_other_part(const struct identity *m, uintptr_t start, uintptr_t end, uintptr_t *other)
{
	return far_find(m->notes, m->notes_size, start, end, other);
}
