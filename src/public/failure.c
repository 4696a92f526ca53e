/* failure.c - errors that outlive the call that made them. */
#include "public/failure.h"

#include <stdlib.h>
#include <string.h>

struct aprof_error {
	enum aprof_error_kind kind;
	const char *text;		/* behind it in memory, or static */
};

/* Where there is no memory even for this. */
static struct aprof_error no_memory = { APROF_ERROR_MEMORY, "out of memory" };

static enum aprof_error_kind failure_kind(enum error_code code)
{
	switch (code) {
	case ERROR_MEMORY: return APROF_ERROR_MEMORY;
	case ERROR_SYSTEM: return APROF_ERROR_SYSTEM;
	case ERROR_NOT_AMON:
	case ERROR_VERSION:
	case ERROR_CORRUPT:
	case ERROR_NOT_ELF: return APROF_ERROR_FILE;
	case ERROR_MISMATCH:
	case ERROR_BUILD_ID: return APROF_ERROR_MISMATCH;
	default: return APROF_ERROR_USAGE;
	}
}

int failure_tell(struct aprof_error **error, const struct error *err)
{
	const char *text = err->text[0] ? err->text : error_name(err->code);
	struct aprof_error *made;

	if (!error)
		return 0;
	made = malloc(sizeof *made + strlen(text) + 1);
	if (made)
		*made = (struct aprof_error){ failure_kind(err->code), strcpy((char *)(made + 1), text) };
	*error = made ? made : &no_memory;
	return 0;
}

enum aprof_error_kind aprof_error_kind(const struct aprof_error *error) { return error->kind; }
const char *aprof_error_text(const struct aprof_error *error) { return error->text; }

void aprof_error_free(struct aprof_error *error)
{
	if (error != &no_memory)
		free(error);
}
