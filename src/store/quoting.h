/* quoting.h - values in SQL: what a user wrote is never more than a value. */
#ifndef STORE_QUOTING_H
#define STORE_QUOTING_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Print the first LEN bytes at TEXT as a string literal of ClickHouse's, quotation marks included.  Bytes of control are written in hexadecimal (\x0a). */
void quote_print(FILE *out, const char *text, size_t len);

/* The same of a string. */
void quote_text(FILE *out, const char *text);

/* Print the ID, 16 bytes, as a literal of FixedString(16). */
void quote_id(FILE *out, const unsigned char *id);

#endif
