#include "config.h"

#include <math.h>

static __attribute__((noinline)) int root(volatile int x)
{
	return (int)sqrt(x);
}

int main(void)
{
#if !defined HAVE_STDINT_H || !defined HAVE_MEMCPY || defined HAVE_NO_SUCH_HEADER_H || defined HAVE_NO_SUCH_FUNCTION
	return 1;
#endif
	return SIZEOF_LONG == 8 && root(49) == 7 ? 0 : 1;
}
