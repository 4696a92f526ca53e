/* monitor_note.c - finds the note among those that a binary maps: sections may be gone.
 *
 * Owner "aprof", type 1; its contents are two signed words of 64 bits, the distances from each to the first byte of the monitor's code and to
 * one past its last. */
#include "read/symbols/monitor_note.h"

#include <gelf.h>
#include <string.h>

enum { NOTE_MONITOR = 1, WORD = 8 };

/* The address that the word at BYTES, which stands at AT, tells the distance to. */
static uint64_t target(const unsigned char *bytes, uint64_t at)
{
	for (int i = 0; i < WORD; i++)
		at += (uint64_t)bytes[i] << 8 * i;
	return at;
}

/* What the contents of a note say, SIZE bytes that are mapped at START; both words are 0 where the linker knew no such code. */
static struct area own_code(const unsigned char *contents, size_t size, uint64_t start)
{
	struct area own = { 0 };

	if (size >= 2 * WORD) {
		own.start = target(contents, start);
		own.end = target(contents + WORD, start + WORD);
	}
	return own.start < own.end ? own : (struct area){ 0 };
}

/* Look among the notes in DATA, which are mapped at START. */
static bool monitor_note_notes_find(Elf_Data *data, uint64_t start, struct area *own)
{
	GElf_Nhdr note;
	size_t at = 0, next, name, contents;

	for (; data && at < data->d_size && (next = gelf_getnote(data, at, &note, &name, &contents)) > at; at = next) {
		const unsigned char *bytes = data->d_buf;

		if (note.n_type != NOTE_MONITOR || note.n_namesz != sizeof "aprof" || memcmp(bytes + name, "aprof", sizeof "aprof") != 0)
			continue;
		if (own)
			*own = own_code(bytes + contents, note.n_descsz, start + contents);
		return true;
	}
	return false;
}

bool monitor_note_find(const struct binary *b, struct area *own)
{
	size_t n = 0;
	GElf_Phdr header;

	if (elf_getphdrnum(b->elf, &n) < 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(b->elf, i, &header) && header.p_type == PT_NOTE &&
		    monitor_note_notes_find(elf_getdata_rawchunk(b->elf, header.p_offset, header.p_filesz, header.p_align == 8 ? ELF_T_NHDR8
			: ELF_T_NHDR),
			       header.p_vaddr, own))
			return true;
	return false;
}
