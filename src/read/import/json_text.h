/* json_text.h - JSON, walked through in place: what there is and where, with every length checked, and without a tree of it.
 *
 * Recordings of browsers are hundreds of megabytes, nearly all of them numbers in lists; a tree holds each in 40 bytes and more. */
#ifndef IMPORT_JSON_TEXT_H
#define IMPORT_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_kind { JSON_NOTHING, JSON_MAP, JSON_LIST, JSON_STRING, JSON_NUMBER, JSON_WORD };	/* word: true, false, null */

/* A value. */
struct json_value {
	enum json_kind kind;		/* NOTHING: there is none */
	const char *at, *end;		/* where it begins, and where all of the text ends */
};

/* The value that the N bytes at TEXT begin with. */
struct json_value json_value_at(const char *text, size_t n);

/* A list or map that is walked through. */
struct json_walk {
	struct json_value value;	/* the one at hand */
	const char *key;		/* of it in a map, as it stands there; NULL in a list */
	size_t key_size;		/* bytes of it */
	size_t n;			/* which it is, from 1 on */
	const char *next;		/* where to go on: behind the value at hand, if that is known already; NULL: it is not */
	const char *behind;		/* what follows the list or map; NULL: not there yet */
	bool wrong;			/* the text is no JSON, or cut off, at `at` */
	const char *at;
};

/* Begin; anything else than a list or a map is an empty one. */
struct json_walk json_walk(struct json_value container);

/* Go to the next value; false: there is none, or w->wrong. */
bool json_next(struct json_walk *w);

/* INNER, of the value that W has at hand, was walked as far as it goes: it is not walked again.  False, and W wrong, if INNER is. */
bool json_leave(struct json_walk *w, const struct json_walk *inner);

/* Whether the value at hand is that of KEY. */
bool json_key_is(const struct json_walk *w, const char *key);

/* Member KEY of MAP, the first; of kind NOTHING if it has none, or is no map. */
struct json_value json_member(struct json_value map, const char *key);

/* A number as it is; a string of one is one, too.  False: it is none. */
bool json_double(const struct json_value *v, double *number);

/* The same of a whole number; what is no number, or not whole, or too large, is -1. */
int64_t json_whole(const struct json_value *v);

/* Room for a string. */
struct json_room {
	char *text;
	size_t room;
};

/* A string, without escapes, in ROOM, until the next; zero bytes in it are question marks.  "" for what is no string.  NULL: out of memory. */
const char *json_text_of(struct json_room *room, const struct json_value *v);

/* Whether V is the string TEXT, which has nothing to escape. */
bool json_string_is(const struct json_value *v, const char *text);

#endif
