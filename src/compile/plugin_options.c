/* plugin_options.c - what both plugins of way inline are told. */
#include "compile/plugin_options.h"

#include <stdlib.h>
#include <string.h>

static bool plugin_options_number(const char *text, int *number)
{
	char *end;
	long n = strtol(text, &end, 10);

	*number = (int)n;
	return end != text && !*end && n > 0 && n == *number;
}

static bool plugin_options_verify(const char *text, enum verify *verify)
{
	static const char *const names[] = { [VERIFY_MEND] = "mend", [VERIFY_ERROR] = "error", [VERIFY_REPORT] = "report" };

	for (*verify = VERIFY_MEND; *verify <= VERIFY_REPORT; ++*verify)
		if (strcmp(text, names[*verify]) == 0)
			return true;
	return false;
}

bool plugin_options_take(struct plugin_options *o, const char *key, const char *value)
{
	const struct { const char *key; struct list *list; } lists[] = {
		{ "only-file", &o->select.only_files }, { "except-file", &o->select.except_files },
		{ "only-name", &o->select.only_names }, { "except-name", &o->select.except_names }, { "switch", &o->switches },
	};
	const struct { const char *key; int *number; } numbers[] = { { "leaf", &o->leaf }, { "layout", &o->layout } };
	const struct { const char *key, *value; bool *set; } flags[] = {
		{ "clock", "tsc", &o->tsc }, { "sites", "yes", &o->sites }, { "verbose", "yes", &o->verbose },
		{ "test", "lose-exits", &o->lose_exits }, { "test", "lose-receivers", &o->lose_receivers },
	};

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (strcmp(key, lists[i].key) == 0)
			return list_add(lists[i].list, value), true;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (strcmp(key, numbers[i].key) == 0)
			return plugin_options_number(value, numbers[i].number);
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (strcmp(key, flags[i].key) == 0 && strcmp(value, flags[i].value) == 0)
			return *flags[i].set = true;
	return strcmp(key, "verify") == 0 && plugin_options_verify(value, &o->verify);
}
