/* schema.h - the tables of a store, once for who makes them, who writes and who reads them. */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include <stdio.h>

#include "contract/amon.h"

/* What a profile has beside its contexts, as far as profiles can be added up. */
struct totals {
	struct amon_header header;
	struct amon_thread thread;	/* all threads of the profile in one */
	uint64_t calls;			/* all of them, direct recursive ones included */
};

/* How the totals of several profiles make one. */
enum schema_rule {
	SCHEMA_SUM,
	SCHEMA_KNOWN,		/* the sum, or 0 if one is 0 */
	SCHEMA_MOST,
	SCHEMA_LEAST,
	SCHEMA_SAME,		/* what all have, or 2^32 - 1 */
	SCHEMA_OR,
};

/* A column of aprof_profiles that is a number of the totals. */
struct schema_total {
	const char *name;
	const char *text;		/* what it is */
	enum schema_rule rule;
	size_t at, size;		/* offset in struct totals; 4 or 8 bytes */
};

extern const struct schema_total schema_totals[];
extern const size_t schema_ntotals;

/* Columns of arrays, which are added item by item: amon_header's notes and stacks, and its three 128-bit sums in digits of 32 bits, the lowest first. */
enum { SCHEMA_NOTES = 64, SCHEMA_STACKS = 8, SCHEMA_COSTS = 12 };

/* Print what a SELECT asks of column T: its rule, in SQL. */
void schema_total_print(FILE *out, const struct schema_total *t);

/* Print the statements that make the tables, each ended by a semicolon; they leave tables alone that are there. */
void schema_print(FILE *out);

#endif
