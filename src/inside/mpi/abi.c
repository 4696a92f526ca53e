/* abi.c - which ABI this process has, for its handles. */
#include "inside/mpi/abi.h"

#include <stddef.h>

const struct abi *abi_find(void)
{
	static const struct abi *const all[] = { &abi_openmpi, &abi_mpich };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i]->find())
			return all[i];
	return NULL;
}
