/* name.h - demangled names, C++'s and others', without what stands in their brackets. */
#ifndef BASE_NAME_H
#define BASE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* The name that a user would type for NAME: without return type, template arguments and parameters, `std::sort`; into
 * BUFFER of strlen(NAME) + 1 bytes.  A name without brackets is itself. */
void name_simplify(char *buffer, const char *name);

/* The same with its template arguments: `std::vector<int>::push_back`. */
void name_without_parameters(char *buffer, const char *name);

/* The name by which others call the function whose variant for some processors is linked as NAME, `memcmp` of `__memcmp_evex_movbe`; into BUFFER of
 * strlen(NAME) + 1 bytes, or NULL.  False: NAME is no such variant, as a library's own names for them are made, and BUFFER is NAME. */
bool name_public(char *buffer, const char *name);

/* Bytes of what stands behind a public name, to the end, and tells the variant: of ` (__memcmp_evex_movbe)` at P; 0: P is none.  Such a name is shown as
 * `memcmp (__memcmp_evex_movbe)`, and the functions above drop it, as they do parameters. */
size_t name_variant_length(const char *p);

/* The variant in the shown NAME, from its blank on; NULL: none. */
const char *name_variant(const char *name);

/* Bytes of the operator's name at P, which must not be taken for brackets: operator<, operator(), operator-> and so on; 0: there is none. */
size_t name_operator_length(const char *p);

#endif
