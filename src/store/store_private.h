/* store_private.h - what the files of store/ share of a store. */
#ifndef STORE_PRIVATE_H
#define STORE_PRIVATE_H

#include "store/http.h"
#include "store/tuples.h"
#include "store/store.h"

/* Tables, in the order in which they are written: a row comes after all that it refers to. */
enum table_of_store { TABLE_MODULES, TABLE_ROUTINES, TABLE_CONTEXTS, TABLE_FIGURES, TABLE_PROFILES, TABLES };

struct store {
	struct http *http;
	struct tuples tables[TABLES];	/* to be sent */
	struct key_table known;		/* struct known: what the server has, or will have before it is referred to */
	uint64_t again;			/* profiles that were there already */
};

/* Something that the store has of an image.  `what` parts keys of one kind from those of others. */
struct known {
	uint64_t image, key;
	uint64_t what;
};

#endif
