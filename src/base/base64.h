/* base64.h - bytes as text: base64 by RFC 4648, section 4. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stddef.h>
#include <stdio.h>

/* Write the LEN bytes at DATA to OUT, as four characters for each three that are begun.  What comes in parts is the same text if all parts but the last have lengths that
 * three divides. Whether OUT failed is for ferror to tell. */
void base64_write(FILE *out, const void *data, size_t len);

#endif
