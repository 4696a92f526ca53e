/* store.h - profiles of a fleet, kept by a ClickHouse server (doc/format.md).
 *
 *     profile --put--> rows --HTTP--> ClickHouse, which adds up --HTTP--> rows --take--> profile
 *
 * A profile counts from the moment that its row is in aprof_profiles, which is sent when all others are there.  All rows tell by their keys what they are, so one that
 * is sent again takes the place of itself: whatever was broken off is sent once more, by whomever, and no lock is needed. */
#ifndef STORE_H
#define STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "understand/analysis.h"

struct store;

/* The store at URL, with SILENCE (http.h).  Nothing is asked yet.  NULL with *ERR set, also if aprof was built without what it needs.  Freed with store_free. */
struct store *store_open(const char *url, double silence, struct error *err);
void store_free(struct store *s);

/* What tells the file of LEN bytes at DATA from all others, to ID (keys.h).  False: out of memory. */
bool store_identity(const void *data, size_t len, unsigned char id[16]);

struct store_label { const char *name, *value; };

/* By what a profile is found. */
struct store_labels {
	const char *service, *host, *version; /* never NULL */
	uint64_t time;			/* seconds since 1970 */
	const struct store_label *more;	/* each name once, by name */
	size_t nmore;
};

/* Put P, the sum (understand/input/add_up.h) of the one file ID, with the symbols SYMBOLS into S: now or, where there are more to come, with them.  What is there already by service, time and ID is
 * left alone, and counted in store_put_again.  False with *ERR set; then S is only to be freed. */
bool store_put(struct store *s, const struct profile *p, struct symbols *symbols, const struct store_labels *labels, const unsigned char id[16], struct error *err);

/* See that all that was put is there.  False with *ERR set. */
bool store_put_end(struct store *s, struct error *err);

/* How many of the profiles that were put were there already. */
uint64_t store_put_again(const struct store *s);

/* The sum of the profiles in S for which CONDITION (condition.h) holds, as a profile of one thread called LABEL; *N is how many they are.  NULL with *ERR set, also if there is none, or they
 * do not go together. The caller frees it with profile_free. */
struct profile *store_take(struct store *s, const char *condition, const char *label, uint64_t *n, struct error *err);

#endif
