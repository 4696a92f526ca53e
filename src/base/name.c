/* name.c - a demangled name without what stands in its brackets, and the variants for some processors. */
#include "base/name.h"

#include <string.h>

size_t name_operator_length(const char *p)
{
	if (strncmp(p, "operator", 8) != 0)
		return 0;
	return strncmp(p + 8, "()", 2) == 0 ? 10 : 8 + strspn(p + 8, "<>=-");
}

/* Bytes of a name in brackets at P that is part of a qualified name. */
static size_t anonymous_length(const char *p)
{
	static const char anonymous[] = "(anonymous namespace)";

	return strncmp(p, anonymous, sizeof anonymous - 1) == 0 ? sizeof anonymous - 1 : 0;
}

/* NAME without return type and parameters, and without template arguments unless they are KEPT. */
static void strip(char *buffer, const char *name, bool kept)
{
	char *begin = buffer;
	unsigned depth = 0, braces = 0;
	bool plain = !strpbrk(name, "<("), operator = false;

	for (size_t n; *name; name += n) {
		size_t whole = name_operator_length(name);
		bool opens = false, closes = false;

		operator |= whole > 0 && depth == 0;
		braces += *name == '{';
		braces -= *name == '}' && braces > 0;
		n = whole ? whole : anonymous_length(name);
		if (n == 0 && depth == 0 && braces == 0 && *name == '(')
			break;			/* parameters: what follows is no part of the name */
		if (n == 0 && depth == 0 && *name == ' ' && name_variant_length(name))
			break;
		if (n == 0) {
			n = 1;
			opens = *name == '<' || *name == '(';
			closes = (*name == '>' || *name == ')') && depth > 0;
		}
		depth += opens;
		if (depth == 0 && *name == ' ' && !plain && !operator)
			buffer = begin;		/* what stood before is the return type */
		else if (depth == 0 || kept)
			buffer = mempcpy(buffer, name, n);
		depth -= closes;
	}
	*buffer = '\0';
}

void name_simplify(char *buffer, const char *name)
{
	strip(buffer, name, false);
}

void name_without_parameters(char *buffer, const char *name)
{
	strip(buffer, name, true);
}

/* Whether the part of LEN bytes at PART names what a processor can do, as the C library's makers name their variants. */
static bool is_processors(const char *part, size_t len)
{
	static const char *const words[] = { "sse2", "sse3", "ssse3", "sse4", "sse41", "sse42", "avx", "avx2", "avx512", "avx512vl", "avx512dq", "evex", "evex256", "evex512",
		"erms", "fma", "fma4", "aesni", "sve", "mops", "simd", "nosimd", "a64fx", "thunderx", "thunderx2", "falkor", "emag" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == len && memcmp(words[i], part, len) == 0)
			return true;
	return false;
}

/* The public name within the LEN bytes at NAME, a variant's: where it begins, and in *N its bytes; NULL: they are no variant's.  Of a function's part that the
 * C library's makers call by the standard for numbers it is that function's: `pow` of `__ieee754_pow_fma`. */
static const char *public_part(const char *name, size_t len, size_t *n)
{
	static const char standard[] = "__ieee754_";
	size_t skip = strspn(name, "_");
	const char *end = name + len;

	if (strncmp(name, standard, sizeof standard - 1) == 0)
		skip = sizeof standard - 1;
	for (const char *p = skip >= 2 && skip < len ? memchr(name + skip, '_', len - skip) : NULL; p; p = memchr(p + 1, '_', (size_t)(end - p) - 1)) {
		const char *next = memchr(p + 1, '_', (size_t)(end - p) - 1);

		if (is_processors(p + 1, (size_t)((next ? next : end) - p) - 1)) {
			*n = (size_t)(p - name) - skip;
			return name + skip;
		}
	}
	return NULL;
}

bool name_public(char *buffer, const char *name)
{
	size_t n = strlen(name);
	const char *public = public_part(name, n, &n);

	if (buffer)
		*(char *)mempcpy(buffer, public ? public : name, n) = '\0';
	return public != NULL;
}

size_t name_variant_length(const char *p)
{
	size_t n = strncmp(p, " (", 2) == 0 ? strcspn(p + 2, " ()") : 0, public;

	return n > 0 && p[2 + n] == ')' && p[3 + n] == '\0' && public_part(p + 2, n, &public) ? n + 3 : 0;
}

const char *name_variant(const char *name)
{
	const char *tail = strrchr(name, ' ');

	return tail && tail > name && name_variant_length(tail) ? tail : NULL;
}
