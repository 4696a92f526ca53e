/* choice.c - the wrapper's own options. */
#include "compile/choice.h"

#include <string.h>

#include "base/number.h"

/* What follows PREFIX in WORD, or NULL. */
static const char *after(const char *word, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(word, prefix, n) ? NULL : word + n;
}

/* Largest bound of --aprof-leaf: no leaf is that long. */
enum { LEAF_MOST = 1000000 };

static bool take_leaf(struct choice *c, const char *value, struct error *err)
{
	int64_t n;

	if (!number_read(value, 1, LEAF_MOST, &n))
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "--aprof-leaf=%s: it wants a number of statements, 1 to %d", value,
				 LEAF_MOST);
	c->leaf = (int)n;
	return true;
}

bool choice_take_layout(struct choice *c, const char *value, struct error *err)
{
	int64_t n;

	if (!number_read(value, 1, INT32_MAX, &n))
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "--aprof-layout=%s: it wants a seed, a number from 1 on", value);
	c->layout = (int)n;
	return true;
}

static bool take_switch(struct choice *c, const char *value, struct error *err)
{
	if (!*value || strchr(value, '\n'))
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "--aprof-switch= wants the name of a routine that switches stacks");
	list_add(&c->switches, value);
	return true;
}

static bool take_clock(struct choice *c, const char *value, struct error *err)
{
	if (strcmp(value, "tsc"))
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "--aprof-clock=%s: there is tsc, for which code must be compiled; other "
				 "clocks are chosen when the program is run (APROF_CLOCK)", value);
	return c->tsc = true;
}

static bool take_verify(struct choice *c, const char *value, struct error *err)
{
	if (strcmp(value, "report"))
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "--aprof-verify=%s: there are --aprof-verify and --aprof-verify=report", value);
	c->verify = "report";
	return true;
}

/* WORD is no option of ours, or one without its value. */
static bool choice_refuse(const char *word, struct error *err)
{
	static const char *const valued[] = { "way", "only", "except", "leaf", "layout", "switch", "clock" };

	for (size_t i = 0; i < sizeof valued / sizeof *valued; i++)
		if (!strcmp(after(word, "--aprof-"), valued[i]))
			return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%s: needs a value, behind an equals sign: see --aprof-help", word);
	return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%s: no such option: see --aprof-help", word);
}

bool choice_take(struct choice *c, const char *word, bool *ours, struct error *err)
{
	const char *value;

	*ours = after(word, "--aprof-") != NULL;
	if (!*ours)
		return true;
	if ((value = after(word, "--aprof-way=")))
		return way_find(value, &c->way, err);
	if ((value = after(word, "--aprof-only=")))
		return select_add(&c->select, true, value, err);
	if ((value = after(word, "--aprof-except=")))
		return select_add(&c->select, false, value, err);
	if ((value = after(word, "--aprof-leaf=")))
		return take_leaf(c, value, err);
	if ((value = after(word, "--aprof-layout=")))
		return choice_take_layout(c, value, err);
	if ((value = after(word, "--aprof-switch=")))
		return take_switch(c, value, err);
	if ((value = after(word, "--aprof-clock=")))
		return take_clock(c, value, err);
	if ((value = after(word, "--aprof-verify=")))
		return take_verify(c, value, err);
	if (!strcmp(word, "--aprof-verify")) {
		c->verify = "error";
		return true;
	}
	if (!strcmp(word, "--aprof-sites"))
		return c->sites = true;
	if (!strcmp(word, "--aprof-callers"))
		return c->callers = true;
	if (!strcmp(word, "--aprof-verbose"))
		return c->verbose = true;
	return choice_refuse(word, err);
}

static void choice_add_patterns(const char *key, const struct list *patterns, struct list *out)
{
	for (size_t i = 0; i < patterns->count; i++)
		list_format(out, "%s=%s", key, patterns->items[i]);
}

void choice_arguments(const struct choice *c, struct list *out)
{
	choice_add_patterns("only-file", &c->select.only_files, out);
	choice_add_patterns("except-file", &c->select.except_files, out);
	choice_add_patterns("only-name", &c->select.only_names, out);
	choice_add_patterns("except-name", &c->select.except_names, out);
	choice_add_patterns("switch", &c->switches, out);
	if (c->leaf)
		list_format(out, "leaf=%d", c->leaf);
	if (c->layout)
		list_format(out, "layout=%d", c->layout);
	if (c->verify)
		list_format(out, "verify=%s", c->verify);
	if (c->verbose)
		list_add(out, "verbose=yes");
}

void choice_all_arguments(const struct choice *c, struct list *out)
{
	choice_arguments(c, out);
	if (c->tsc)
		list_add(out, "clock=tsc");
	if (c->sites)
		list_add(out, "sites=yes");
}

void choice_free(struct choice *c)
{
	select_free(&c->select);
	list_free(&c->switches);
}
