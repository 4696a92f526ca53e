/* made_gmon.h - gmon.out files written by hand, byte by byte, for the tests of reading them and of what is made of them. */
#ifndef MADE_GMON_H
#define MADE_GMON_H

#include "understand/analysis.h"

struct made_gmon {
	struct gmon_layout layout;	/* of what is written */
	unsigned char data[1 << 16];	/* the file */
	size_t len;			/* its bytes */
};

/* Append the SIZE lowest bytes of X, or an address. */
void made_number(struct made_gmon *m, uint64_t x, unsigned size);
void made_address(struct made_gmon *m, uint64_t x);

/* The header of a file of LAYOUT and VERSION. */
void made_begin(struct made_gmon *m, struct gmon_layout layout, uint32_t version);

/* Records.  BINS[0..N) cover [LOW, HIGH) at RATE samples a second. */
void made_histogram(struct made_gmon *m, uint64_t low, uint64_t high, const uint16_t *bins, uint32_t n, uint32_t rate);
void made_arc(struct made_gmon *m, uint64_t from, uint64_t self, uint32_t count);
void made_blocks(struct made_gmon *m, const struct gmon_block *blocks, uint32_t n);

/* A file in the format of BSD, with the RATE in its header, or without (0), up to its arcs. */
void made_bsd(struct made_gmon *m, struct gmon_layout layout, uint64_t low, uint64_t high, const uint16_t *bins, uint32_t n,
	      uint32_t rate);
void made_bsd_arc(struct made_gmon *m, uint64_t from, uint64_t self, uint32_t count);

/* A random file of LAYOUT: records of all kinds over the addresses 0x1000 to 0x2000. */
void made_random(struct made_gmon *m, struct gmon_layout layout, uint32_t seed);

/* The next random number below N. */
uint32_t made_roll(uint64_t *dice, uint32_t n);

#endif
