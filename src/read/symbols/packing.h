/* packing.h - one packing of symbols: what those who write down parts of it hand to each other (packing.c, packed_write.c, packed_leads.c). */
#ifndef SYMBOLS_PACKING_H
#define SYMBOLS_PACKING_H

#include "read/profile/profile.h"
#include "read/symbols/packed.pb-c.h"
#include "read/symbols/symbols.h"

/* What is known of an address. */
struct packed_address {
	uint64_t at;
	bool sampled, told;	/* it is a program counter; a stack was interrupted there */
	bool calls;		/* it is the end of a call */
};

/* A column of numbers, of whatever type protobuf-c has for it. */
struct numbers { uint32_t *at; size_t n, room; };

struct strings {
	void *known;		/* tree (tsearch) of struct string */
	ProtobufCBinaryData *all;
	size_t n, room;
};

struct string { const char *text; uint32_t index; };

/* One packing. */
struct packing {
	struct symbols *s;
	const struct profile *p;
	uint32_t module;
	struct strings strings;
	struct packed_address *places;		/* by address, each once */
	size_t nplaces, place_room;
	const struct symbol **functions; /* by start, then by name, each once */
	size_t nfunctions, function_room;
	struct numbers call_from, call_name, call_file, call_line, call_tail, left_reason, left_name, lead_name, lead_to, lead_calls;
	const struct symbol **pairs;	/* from and to of each static arc */
	size_t npairs, pair_room;
	const struct symbol **hooked;
	size_t nhooked, hooked_room;
	uint32_t caller;		/* whose calls are visited: index in functions[] */
	const char **called;		/* names of functions without hooks that routines with samples in the module call */
	size_t ncalled, called_room;
	bool tails;			/* calls are visited of which those by a jump alone count */
	bool *wanted;			/* by function: is there such a sample in it? */
	uint32_t lead;			/* string: whose leads are visited */
	bool failed;			/* out of memory */
};

/* Add NUMBER to the column C of K.  Here as below, what finds no memory is told by K->failed. */
void packing_number(struct packing *k, struct numbers *c, uint32_t number);

/* The index of TEXT, which must live as long as K; NULL is as "". */
uint32_t packing_string(struct packing *k, const char *text);

/* The order of K->functions, by which packing_function finds the index of SYMBOL; 0: it is none of them. */
int packing_order(const void *left, const void *right);
uint32_t packing_function(const struct packing *k, const struct symbol *symbol);

/* Write down what leads to the code without hooks of the module in which there are samples; K->functions are whole. */
void packing_leads(struct packing *k);

#endif
