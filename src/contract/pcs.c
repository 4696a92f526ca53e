/* pcs.c - differences in few bytes. */
#include "contract/pcs.h"

#include <stdbool.h>

/* Where bytes go, or only how many they are. */
struct packer {
	unsigned char *to;		/* NULL: nowhere */
	uint64_t size;
};

static void pcs_put(struct packer *p, uint64_t x)
{
	do {
		if (p->to)
			p->to[p->size] = (unsigned char)((x & 127) | (x > 127 ? 128 : 0));
		p->size++;
		x >>= 7;
	} while (x);
}

static void put_signed(struct packer *p, uint64_t x) { pcs_put(p, x << 1 ^ -(x >> 63)); }

uint64_t pcs_pack(const struct amon_pc *pcs, size_t n, unsigned char *to)
{
	struct packer p = { .to = to };
	uint64_t first = 0;
	uint32_t context = 0;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && pcs[end].context == pcs[i].context; end++)
			;
		pcs_put(&p, pcs[i].context - context);
		pcs_put(&p, end - i);
		put_signed(&p, pcs[i].pc - first);
		pcs_put(&p, pcs[i].count);
		for (size_t k = i + 1; k < end; k++) {
			pcs_put(&p, pcs[k].pc - pcs[k - 1].pc);
			pcs_put(&p, pcs[k].count);
		}
		context = pcs[i].context;
		first = pcs[i].pc;
	}
	return p.size;
}

static bool pcs_get(struct pcs_reader *r, uint64_t *x)
{
	*x = 0;
	for (unsigned shift = 0; shift < 64 && r->at < r->size; shift += 7) {
		unsigned char byte = r->data[r->at++];

		if (shift == 63 && byte > 1)
			return false;
		*x |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return true;
	}
	return false;
}

/* The head of a group, and its first PC. */
static bool get_group(struct pcs_reader *r)
{
	uint64_t step, by;

	if (!pcs_get(r, &step) || !pcs_get(r, &r->left) || !pcs_get(r, &by) || r->left == 0 || step >= AMON_NONE - r->context)
		return false;
	r->context += step;
	r->first += by >> 1 ^ -(by & 1);
	r->pc = r->first;
	return true;
}

enum pcs_next pcs_next(struct pcs_reader *r, struct amon_pc *pc)
{
	uint64_t step, count;

	if (r->left == 0) {
		if (r->at == r->size)
			return PCS_END;
		if (!get_group(r))
			return PCS_ILL;
	} else {
		if (!pcs_get(r, &step))
			return PCS_ILL;
		r->pc += step;
	}
	if (!pcs_get(r, &count) || count > UINT32_MAX)
		return PCS_ILL;
	r->left--;
	*pc = (struct amon_pc){ .pc = r->pc, .context = (uint32_t)r->context, .count = (uint32_t)count };
	return PCS_ONE;
}
