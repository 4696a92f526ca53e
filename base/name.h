/* name.h - demangled names, C++'s and others', without what stands in their brackets. */
#ifndef BASE_NAME_H
#define BASE_NAME_H

/* NAME with `...` for what stands in its outermost angle and round brackets, into BUFFER of 4 * strlen(NAME) + 1 bytes. */
void name_shorten(char *buffer, const char *name);

/* The name that a user would type for NAME: without return type, template arguments and parameters, `std::sort`; into
 * BUFFER of strlen(NAME) + 1 bytes.  A name without brackets is itself. */
void name_simplify(char *buffer, const char *name);

/* The same with its template arguments: `std::vector<int>::push_back`. */
void name_without_parameters(char *buffer, const char *name);

#endif
