/* copies.h - how the copies of mcount.S are laid out; for assembly and C. */
#ifndef COPIES_H
#define COPIES_H

#define COPY_BITS	5
#define COPY_SIZE	32		/* bytes of a copy, and of what stands beside it (struct copied) */
#define COPY_CALLED	9		/* in a copy: behind its call of the hook */
#define COPY_RETURN	16		/* in a copy: where its routine returns to */
#define COPIES		16384		/* for routines that call mcount, and as many for those that call __fentry__ */
#define PLACES_SIZE	(2 * COPIES * COPY_SIZE + 1024) /* all places where routines return to, but not the first byte */

#endif
