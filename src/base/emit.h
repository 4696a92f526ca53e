/* emit.h - one JSON object, written member by member and item by item.
 *
 * jansson makes and escapes the values; only the frame of the outermost object, and of arrays and objects as large as a table, is
 * written here, so that a table of a million rows never stands in memory. */
#ifndef TEXT_EMIT_H
#define TEXT_EMIT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { EMIT_DEPTH = 16 };	/* objects and arrays that can be open */

struct emit {
	FILE *out;		/* where it goes, not owned */
	const char *schema;	/* member of that name, before all others; NULL: none */
	const char *version;	/* the same, behind it; NULL: none */
	unsigned depth;		/* objects and arrays that are open */
	char close[EMIT_DEPTH];	/* what closes each of them */
	bool comma;		/* something stands before the next value */
	bool (*is_amount)(const char *name); /* is what a member NAME, which ends in _ns, has in no ns?  Then it stands as NAME without _ns, too; NULL: none is */
	bool failed;		/* a value could not be made: out of memory */
};

/* Open the object on OUT. */
void emit_begin(struct emit *e, FILE *out);

/* The same with the members SCHEMA and VERSION; nothing is written before another member is. */
void emit_begin_later(struct emit *e, FILE *out, const char *schema, const char *version);

/* Write the member NAME, a plain word, and drop VALUE; a NULL VALUE sets e->failed and stands as null. */
void emit_member(struct emit *e, const char *name, json_t *value);

/* Open the array NAME; items follow until emit_array_end. */
void emit_array(struct emit *e, const char *name);
void emit_item(struct emit *e, json_t *value);
void emit_array_end(struct emit *e);

/* Open an object as the member NAME, or, NAME being NULL, as an item of the open array; members follow until emit_object_end. */
void emit_object(struct emit *e, const char *name);
void emit_object_end(struct emit *e);

/* Close the object, with a newline. */
void emit_end(struct emit *e);

/* The rest cannot be made, since WHY: close what is open, with a member "error".  Where nothing was written, nothing is. */
void emit_fail(struct emit *e, const char *why);

/* A string value for NAME, whatever bytes it holds; NULL gives null.  What is not UTF-8 is escaped as in the text reports. */
json_t *emit_name(const char *name);

/* An integer value for N; beyond INT64_MAX, the largest. */
json_t *emit_count(uint64_t n);

/* The same of N calls; null if they were not COUNTED. */
json_t *emit_calls(bool counted, uint64_t n);

#endif
