/* made_gmon.c - writes gmon.out files for the tests. */
#include "understand/gprof/tests/made_gmon.h"

#include <assert.h>
#include <string.h>

void made_number(struct made_gmon *m, uint64_t x, unsigned size)
{
	assert(m->len + size <= sizeof m->data);
	for (unsigned i = 0; i < size; i++)
		m->data[m->len + (m->layout.big ? size - 1 - i : i)] = (unsigned char)(x >> 8 * i);
	m->len += size;
}

void made_address(struct made_gmon *m, uint64_t x)
{
	made_number(m, x, m->layout.word);
}

static void text(struct made_gmon *m, const char *s, size_t size)
{
	assert(m->len + size <= sizeof m->data);
	memset(m->data + m->len, 0, size);
	memcpy(m->data + m->len, s, strlen(s));
	m->len += size;
}

void made_begin(struct made_gmon *m, struct gmon_layout layout, uint32_t version)
{
	m->layout = layout;
	m->len = 0;
	text(m, "gmon", 4);
	made_number(m, version, 4);
	text(m, "", 12);
}

static void bins_put(struct made_gmon *m, const uint16_t *bins, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		made_number(m, bins[i], 2);
}

void made_histogram(struct made_gmon *m, uint64_t low, uint64_t high, const uint16_t *bins, uint32_t n, uint32_t rate)
{
	made_number(m, 0, 1);
	made_address(m, low);
	made_address(m, high);
	made_number(m, n, 4);
	made_number(m, rate, 4);
	text(m, "seconds", 15);
	text(m, "s", 1);
	bins_put(m, bins, n);
}

void made_arc(struct made_gmon *m, uint64_t from, uint64_t self, uint32_t count)
{
	made_number(m, 1, 1);
	made_address(m, from);
	made_address(m, self);
	made_number(m, count, 4);
}

void made_blocks(struct made_gmon *m, const struct gmon_block *blocks, uint32_t n)
{
	made_number(m, 2, 1);
	made_number(m, n, 4);
	for (uint32_t i = 0; i < n; i++) {
		made_address(m, blocks[i].address);
		made_address(m, blocks[i].count);
	}
}

void made_bsd(struct made_gmon *m, struct gmon_layout layout, uint64_t low, uint64_t high, const uint16_t *bins, uint32_t n,
	      uint32_t rate)
{
	size_t header = rate ? 2 * layout.word + 24 : layout.word == 8 ? 24 : 12;

	m->layout = layout;
	m->len = 0;
	made_address(m, low);
	made_address(m, high);
	made_number(m, header + 2 * n, 4);
	if (rate) {
		made_number(m, 0x51879, 4);
		made_number(m, rate, 4);
	}
	text(m, "", header - m->len);
	bins_put(m, bins, n);
}

void made_bsd_arc(struct made_gmon *m, uint64_t from, uint64_t self, uint32_t count)
{
	made_address(m, from);
	made_address(m, self);
	made_address(m, count);
}

uint32_t made_roll(uint64_t *dice, uint32_t n)
{
	*dice = *dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*dice >> 33) % n);
}

void made_random(struct made_gmon *m, struct gmon_layout layout, uint32_t seed)
{
	uint64_t dice = seed;
	uint16_t bins[256];
	uint32_t n = 16u << made_roll(&dice, 5);

	made_begin(m, layout, 1);
	for (uint32_t i = 0; i < n; i++)
		bins[i] = (uint16_t)(made_roll(&dice, 3) ? 0 : made_roll(&dice, 1000));
	made_histogram(m, 0x1000, 0x1800, bins, n, 100);
	if (made_roll(&dice, 2))
		made_histogram(m, 0x1800, 0x2000, bins, n, 100);
	for (uint32_t i = made_roll(&dice, 200); i > 0; i--)
		made_arc(m, 0x1000 + made_roll(&dice, 0x1000), 0x1000 + 16 * made_roll(&dice, 0x100), made_roll(&dice, 5000));
	for (uint32_t i = made_roll(&dice, 4); i > 0; i--)
		made_blocks(m, &(struct gmon_block){ 0x1000 + made_roll(&dice, 0x1000), made_roll(&dice, 99) }, 1);
}
