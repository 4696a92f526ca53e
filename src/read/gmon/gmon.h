/* gmon.h - what gmon.out files say, as gprof writes and reads them.
 *
 * A gmon.out is a header and records of three kinds, told apart by a leading byte:
 *
 *     histogram    low, high, bins, rate, dimension:  how often the program counter was found in each of the
 *                  equal bins into which [low, high) is cut
 *     arc          from, self, count:  calls from the instruction at `from` to the routine at `self`
 *     blocks       n, (address, count) * n:  how often each basic block ran
 *
 * Addresses have the width and the byte order of the program, which the file does not tell: they
 * are asked for.  The older format of BSD (one histogram, then arcs) is read, too.  Several files add up: histograms of one
 * range are summed, arcs and blocks stay apart, in the order of the files.  Bytes in, plain structs out; all memory belongs
 * to the struct gmon and goes with gmon_free. */
#ifndef GMON_H
#define GMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define GMON_MAGIC "gmon"

/* Bound on histograms of different ranges: a program has one for each of its modules at most. */
#define GMON_HISTOGRAMS 1024

/* How numbers are laid out in a file. */
struct gmon_layout {
	unsigned word;		/* bytes of an address: 4 or 8 */
	bool big;		/* the most significant byte comes first */
};

/* A file that was read. */
struct gmon_file {
	char *label;		/* its name in messages */
	uint32_t version;	/* of the format; 0 also for BSD's */
	uint32_t histograms;	/* records of each kind */
	uint32_t arcs;
	uint32_t blocks;
};

/* Samples by address. */
struct gmon_histogram {
	uint64_t low;		/* first address */
	uint64_t high;		/* one past the last */
	uint32_t nbins;		/* how many */
	uint32_t *bins;		/* samples, each for (high - low) / nbins bytes */
};

struct gmon_arc {
	uint64_t from;		/* address in the caller */
	uint64_t self;		/* address of the routine that was called, or in it */
	uint64_t count;		/* calls */
};

struct gmon_block {
	uint64_t address;	/* of the basic block */
	uint64_t count;		/* how often it ran */
};

/* What an address can belong to: a routine of the program, or a source line of one.  Made by read/symbols/ or by hand. */
struct gmon_symbol {
	const char *name;	/* as linked */
	const char *display;	/* as printed: demangled as gprof does, unless asked otherwise */
	const char *file;	/* source file; NULL: unknown */
	uint32_t line;		/* source line; 0: unknown */
	uint64_t start;		/* address of its first byte */
	uint64_t last;		/* address of its last byte; below start: it has none */
	uint32_t order;		/* place in the symbol table, lines behind all functions */
	bool local;		/* a static function, or a line of one */
	bool function;		/* calls can go to it; false: a line, or a label in assembly code */
	bool mapped;		/* its name is that of an object file, for which it stands (-R) */
};

/* The formats that gprof knows by name (its option -O). */
enum gmon_format {
	GMON_AUTO,		/* by the magic number, and BSD's without one */
	GMON_RECORDS,		/* records, "magic" */
	GMON_BSD,		/* BSD's, with the rate in the header or without */
	GMON_BSD44,		/* BSD's with the rate in the header */
};

/* What all files say together. */
struct gmon {
	struct gmon_layout layout;	/* of the files */
	struct gmon_file *files;	/* in the order in which they were read */
	size_t nfiles;			/* how many */
	struct gmon_histogram *histograms; /* disjoint */
	size_t nhistograms;		/* how many, GMON_HISTOGRAMS at most */
	struct gmon_arc *arcs;		/* in the order of the files */
	size_t narcs;			/* how many */
	struct gmon_block *blocks;	/* in the order of the files */
	size_t nblocks;			/* how many */
	bool has_histogram, has_arcs, has_blocks; /* some file had such a record */
	uint32_t rate;			/* samples a second, of the first histogram; 0: there is none */
	char dimension[16];		/* what samples measure: "seconds", NUL-terminated */
	char abbreviation;		/* its letter: 's' */
	double scale;			/* 2-byte units in a bin, of the first histogram; the others have the same */
	size_t room[4];			/* of files, histograms, arcs, blocks: for how many there is room */
};

/* An empty G for files of LAYOUT. */
void gmon_init(struct gmon *g, struct gmon_layout layout);
void gmon_free(struct gmon *g);

/* Add the gmon.out in the LEN bytes at DATA, called LABEL in messages.  False with *ERR set when it is not one of FORMAT, is
 * cut off or otherwise corrupt, or does not go with the files before (histograms that overlap, another scale or dimension);
 * G is then good for gmon_free only.  The text of the error is a whole sentence, LABEL and offset included.
 * Linear in LEN; memory at most a multiple of it. */
bool gmon_read(struct gmon *g, const void *data, size_t len, enum gmon_format format, const char *label, struct error *err);

/* Whether the LEN bytes at DATA could be BSD's format in LAYOUT, which has no magic number: the numbers of its header go with LEN. */
bool gmon_is_bsd(const void *data, size_t len, struct gmon_layout layout);

/* Write G as one gmon.out, as gprof -s does, with each arc and each block once.  A bin that does not fit the 16 bits that it has is
 * spread over further records of the same range.  The result is malloc'ed, its size in *LEN; NULL with *ERR set when memory is short. */
void *gmon_write(const struct gmon *g, size_t *len, struct error *err);

#endif
