/* test_clone.c - suffixes of symbols. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "read/symbols/clone.h"

static const struct {
	const char *name;	/* as linked */
	const char *base;	/* what is left of it */
	const char *stem;	/* what the compiler cloned */
	bool copied;		/* made from another function */
	bool part;		/* a piece of it */
} cases[] = {
	{ "main", "main", "main", false, false },
	{ "f.constprop.0", "f", "f", true, false },
	{ "f.isra.12", "f", "f", true, false },
	{ "f.part.0", "f", "f", true, true },
	{ "f.cold", "f", "f", true, true },
	{ "f.cold.1", "f", "f", true, true },
	{ "f.constprop.0.isra.0", "f", "f", true, false },
	{ "f.isra.0.part.0.constprop.3", "f", "f", true, true },
	{ "f.constprop.0.cold", "f", "f", true, true },
	{ "f.lto_priv.0", "f", "f.lto_priv.0", false, false },
	{ "f.lto_priv.0.constprop.0", "f", "f.lto_priv.0", true, false },
	{ "f.llvm.1234567890123", "f", "f.llvm.1234567890123", false, false },
	{ "f.localalias", "f", "f.localalias", false, false },
	{ "f.clone.0", "f", "f", true, false },
	{ "f._omp_fn.0", "f._omp_fn.0", "f._omp_fn.0", false, false },
	{ "f._omp_fn.0.constprop.1", "f._omp_fn.0", "f._omp_fn.0", true, false },
	{ "inner.0", "inner.0", "inner.0", false, false },
	{ "inner.0.isra.0", "inner.0", "inner.0", true, false },
	{ "f.avx2", "f.avx2", "f.avx2", false, false },
	{ ".omp_outlined.", ".omp_outlined.", ".omp_outlined.", false, false },
	{ ".omp_outlined..2", ".omp_outlined..2", ".omp_outlined..2", false, false },
	{ ".cold", ".cold", ".cold", false, false },
	{ ".cold.0", ".cold.0", ".cold.0", false, false },
	{ "f.", "f.", "f.", false, false },
	{ "f.colder", "f.colder", "f.colder", false, false },
	{ "f.part.x", "f.part.x", "f.part.x", false, false },
	{ "", "", "", false, false },
	{ "...", "...", "...", false, false },
};

static void suffixes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct clone c = clone_parse(cases[i].name);
		if (c.base != strlen(cases[i].base) || c.stem != strlen(cases[i].stem)
		    || c.copied != cases[i].copied || c.part != cases[i].part)
			fail_msg("%s: base %zu, stem %zu, copied %d, part %d", cases[i].name, c.base, c.stem,
				 c.copied, c.part);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(suffixes) };

	return cmocka_run_group_tests_name("clone", tests, NULL, NULL);
}
