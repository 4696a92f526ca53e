/* bulk.h - memory for a program that reads much at once, works on it, and ends. */
#ifndef BASE_BULK_H
#define BASE_BULK_H

#include <stddef.h>

/* Some BYTES are going to be allocated, piece by piece, before the process ends.  Of many the kernel is asked for huge pages, and what is freed is kept for
 * what comes next: else half of the time goes into page faults and the processor's look-up of pages.  Where that cannot be had nothing changes. */
void bulk_expect(size_t bytes);

#endif
