/* copy.c - what compilers call for large structures, unasked: Clang copies and clears those of more than 128 bytes so where vector
 * registers are forbidden.  Hidden, so that no hook asks the program for these: its own may have hooks, or be interposed. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t __attribute__((may_alias, aligned(1))) word;

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	char *t = to;
	const char *f = from;

	for (; n >= sizeof(word); n -= sizeof(word), t += sizeof(word), f += sizeof(word))
		*(word *)t = *(const word *)f;
	while (n--)
		*t++ = *f++;
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;

	if ((uintptr_t)t - (uintptr_t)f >= n)
		return memcpy(to, from, n);	/* forwards reads nothing that was written */
	while (n--)
		t[n] = f[n];
	return to;
}

void *memset(void *to, int byte, size_t n)
{
	char *t = to;
	word all = (unsigned char)byte * UINT64_C(0x0101010101010101);

	for (; n >= sizeof(word); n -= sizeof(word), t += sizeof(word))
		*(word *)t = all;
	while (n--)
		*t++ = (char)byte;
	return to;
}
