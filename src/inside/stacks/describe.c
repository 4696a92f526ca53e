/* describe.c - the description of a piece of code, for unwinding.
 *
 * Of a program counter the module is known (module.c), of that its .eh_frame_hdr, a sorted table, which leads to
 * the description (FDE), and that to what it has in common with others (CIE).
 *
 * Invariant: a read stays within the module's segment that holds the descriptions. */
#include "inside/stacks/describe.h"

#include <dwarf.h>

#include "inside/modules/module.h"
#include "inside/stacks/reader.h"
#include "inside/stacks/unwind.h"

/* An address as ENCODING has it, but for what it is relative to. */
static uint64_t describe_read_plain(struct reader *r, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr: case DW_EH_PE_udata8: case DW_EH_PE_sdata8: return read_fixed(r, 8);
	case DW_EH_PE_udata2: return read_fixed(r, 2);
	case DW_EH_PE_udata4: return read_fixed(r, 4);
	case DW_EH_PE_sdata2: return (uint64_t)read_signed(r, 2);
	case DW_EH_PE_sdata4: return (uint64_t)read_signed(r, 4);
	default: reader_fail(r); return 0;
	}
}

static uintptr_t read_address(struct reader *r, uint8_t encoding)
{
	uintptr_t from = (uintptr_t)r->at;

	switch (encoding & 0xf0) {
	case DW_EH_PE_absptr: return describe_read_plain(r, encoding);
	case DW_EH_PE_pcrel: return describe_read_plain(r, encoding) + from;
	default: reader_fail(r); return 0;
	}
}

/* What of a CIE its FDEs need. */
struct common {
	uint8_t encoding;		/* of the addresses in the FDEs */
	bool is_augmented;		/* FDEs have words of their own, as long as they say */
};

/* The augmentation TEXT of the CIE at R says what its data are. */
static void read_augmentation(struct reader *r, const char *text, struct common *c, struct unwind_rules *rules)
{
	struct reader data;
	uint64_t size;

	if (!*text)
		return;
	if (*text != 'z') {
		reader_fail(r);
		return;
	}
	size = read_uleb(r);
	data = *r;
	read_skip(r, size);
	c->is_augmented = true;
	while (*++text && r->at) {
		if (*text == 'R')
			c->encoding = (uint8_t)read_fixed(&data, 1);
		else if (*text == 'L')
			read_fixed(&data, 1);
		else if (*text == 'P')
			describe_read_plain(&data, (uint8_t)read_fixed(&data, 1));
		else if (*text == 'S')
			rules->is_signal = true;
		else if (*text != 'B')
			reader_fail(r);
	}
	if (!data.at)
		reader_fail(r);
}

/* What follows the length at R, which becomes its end. */
static void read_length(struct reader *r)
{
	uint64_t size = read_fixed(r, 4);

	if (!size || size >= 0xfffffff0 || size > (size_t)(r->end - r->at))
		reader_fail(r);
	else
		r->end = r->at + size;
}

static bool read_cie(struct reader r, struct common *c, struct unwind_rules *rules)
{
	const char *text;
	uint8_t version;

	read_length(&r);
	if (read_fixed(&r, 4) != 0)
		return false;
	version = (uint8_t)read_fixed(&r, 1);
	text = (const char *)r.at;
	while (r.at && read_fixed(&r, 1))
		;
	if (!r.at || (version != 1 && version != 3 && version != 4))
		return false;
	if (version == 4 && read_fixed(&r, 2) != 8)
		return false;
	rules->code_unit = read_uleb(&r);
	rules->data_unit = read_sleb(&r);
	rules->returns = (uint32_t)(version == 1 ? read_fixed(&r, 1) : read_uleb(&r));
	read_augmentation(&r, text, c, rules);
	rules->cie = r.at;
	rules->cie_end = r.end;
	return r.at != NULL && rules->returns < UNWIND_REGISTERS;
}

/* Take in the FDE at R, in the segment of M, if it covers PC. */
static bool read_fde(struct unwind *u, struct reader r, const struct identity_rules *m, uintptr_t pc)
{
	struct common c = { .encoding = 0 };
	struct unwind_rules rules = { .is_signal = false };
	const uint8_t *from;
	uintptr_t back, start, size;

	read_length(&r);
	from = r.at;
	back = (uintptr_t)read_fixed(&r, 4);
	if (!r.at || !back || back > (uintptr_t)from - m->low ||
	    !read_cie((struct reader){ from - back, (const uint8_t *)m->high }, &c, &rules))
		return false;
	start = read_address(&r, c.encoding);
	size = describe_read_plain(&r, c.encoding & 0x0f);
	if (c.is_augmented)
		read_skip(&r, read_uleb(&r));
	if (!r.at || pc < start || pc - start >= size)
		return false;
	rules.fde = r.at;
	rules.fde_end = r.end;
	u->rules = rules;
	u->start = start;
	u->end = start + size;
	return true;
}

/* The table behind the head of an .eh_frame_hdr: pairs of an address and of its FDE, both relative to the head. */
struct pair { int32_t address, fde; };

/* The table of M. Returns NULL if it has none of the usual kind. */
static const struct pair *describe_find_table(const struct identity_rules *m, size_t *count)
{
	struct reader r = { m->index, (const uint8_t *)m->high };
	uint64_t head = read_fixed(&r, 4);	/* version, encodings of what follows: address of .eh_frame, count, pairs */

	if ((head & 0xff) != 1 || (head >> 16 & 0xff) != DW_EH_PE_udata4 || head >> 24 != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
		return NULL;
	describe_read_plain(&r, (uint8_t)(head >> 8));
	*count = read_fixed(&r, 4);
	return r.at && *count <= (size_t)(r.end - r.at) / sizeof(struct pair) ? (const void *)r.at : NULL;
}

void describe_code(struct unwind *u, uintptr_t pc)
{
	uintptr_t low = 0, high;
	struct identity_rules m;
	const struct pair *table;
	const uint8_t *fde;

	if (!module_rules(pc, &m) || !m.index || !(table = describe_find_table(&m, &high)))
		return;
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if ((uintptr_t)m.index + (uintptr_t)(intptr_t)table[mid].address <= pc)
			low = mid;
		else
			high = mid;
	}
	if (low == high)
		return;
	fde = m.index + table[low].fde;
	if ((uintptr_t)fde >= m.low && (uintptr_t)fde < m.high)
		read_fde(u, (struct reader){ fde, (const uint8_t *)m.high }, &m, pc);
}
