/* error.h - how the analysis says what went wrong.
 *
 * A function that can fail takes a struct error, fills it and returns false or
 * NULL.  Only cli/ prints one and exits. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdint.h>

/* One line each; the texts are in error.c, by the same table. */
#define ERROR_TABLE(X) \
	X(ERROR_NONE,		"no error") \
	X(ERROR_SYSTEM,		"system error") \
	X(ERROR_MEMORY,		"out of memory") \
	X(ERROR_NOT_AMON,	"not an amon.out file") \
	X(ERROR_VERSION,	"written by another version of aprof") \
	X(ERROR_CORRUPT,	"corrupt profile") \
	X(ERROR_MISMATCH,	"profiles do not go together") \
	X(ERROR_NOT_ELF,	"not an ELF file") \
	X(ERROR_BUILD_ID,	"not the binary that was profiled") \
	X(ERROR_NO_SYMBOLS,	"no symbols") \
	X(ERROR_PATTERN,	"bad pattern") \
	X(ERROR_USAGE,		"usage") \
	X(ERROR_COMPILER,	"compiler cannot do that") \
	X(ERROR_STORE,		"the store cannot do that")

enum error_code {
#define X(code, text) code,
	ERROR_TABLE(X)
#undef X
	ERROR_CODES
};

struct error {
	enum error_code code;	/* what kind */
	uint64_t offset;	/* where in the file, bytes; ERROR_NO_OFFSET: nowhere */
	char text[1400];	/* the particulars in words, one line; further lines are what could have been meant; no final newline */
};

#define ERROR_NO_OFFSET UINT64_MAX

/* Fill *ERR (which may be NULL) with CODE, OFFSET and a formatted text.  Always returns 0,
 * so that `return error_set(...)` fits functions that return bool or a pointer. */
int error_set(struct error *err, enum error_code code, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Memory has run out, while DOING (NULL: that goes without saying), or for WHOSE, a file or what else needed it.
 * Both fill *ERR and return 0, as error_set does. */
int error_no_memory(struct error *err, const char *doing);
int error_no_memory_for(struct error *err, const char *whose);

/* The fixed text of CODE, static. */
const char *error_name(enum error_code code);

#endif
