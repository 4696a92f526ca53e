/* error.c - one table makes the codes and their texts. */
#include "base/error.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

int error_set(struct error *err, enum error_code code, uint64_t offset, const char *format, ...)
{
	va_list args;

	if (!err)
		return 0;
	err->code = code;
	err->offset = offset;
	va_start(args, format);
	vsnprintf(err->text, sizeof err->text, format, args);
	va_end(args);
	return 0;
}

int error_no_memory(struct error *err, const char *doing)
{
	return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory%s%s", doing ? " while " : "", doing ? doing : "");
}

int error_no_memory_for(struct error *err, const char *whose)
{
	return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "%.1000s: out of memory", whose);
}

const char *error_name(enum error_code code)
{
	static const char *const names[] = {
#define X(code, text) [code] = text,
		ERROR_TABLE(X)
#undef X
	};

	return (size_t)code < ERROR_CODES ? names[code] : "unknown error";
}
