/* names.c - identity of routines, and the list of those never called.
 *
 * Two addresses are one routine when module, name without clone suffix, and source file are equal, so that
 * `f`, `f.constprop.0` and `f.part.0` fold.  Without debug information the start address stands for the
 * file, and a clone goes to the one routine that bears its name. */
#include "names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether SYMBOL's name has a suffix that its display name has not. */
static bool is_clone(const struct symbol *symbol)
{
	return symbol->part || strchr(symbol->name, '.') != NULL;
}

/* Identity of SYMBOL of module PATH; NULL: out of memory. */
static char *key_make(const char *path, const struct symbol *symbol)
{
	char *key = NULL;
	int n;

	if (symbol->file)
		n = asprintf(&key, "%s\n%s\n%s", path, symbol->display, symbol->file);
	else if (is_clone(symbol))
		n = asprintf(&key, "%s\n%s\n", path, symbol->display);
	else
		n = asprintf(&key, "%s\n%s\n%" PRIx64, path, symbol->display, symbol->start);
	return n < 0 ? NULL : key;
}

static struct graph_name pseudo_name(const struct profile_routine *r)
{
	static const struct { uint32_t pseudo; const char *name; } table[] = {
		{ AMON_ROUTINE_ELIDED, "(elided)" }, { AMON_ROUTINE_LOST, "(lost)" },
		{ AMON_ROUTINE_MONITOR, "(monitor)" }, { AMON_ROUTINE_UNPLACED, "(unplaced)" },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].pseudo == r->pseudo)
			return (struct graph_name){ .name = table[i].name, .key = table[i].name };
	return (struct graph_name){ .name = "(unknown)", .key = "(unknown)" };
}

/* A routine in no known module: its run-time address is all that is known. */
static bool name_address(struct graph_name *name, char **key, const struct profile_routine *r)
{
	if (asprintf(key, "0x%" PRIx64, r->address) < 0)
		return false;
	*name = (struct graph_name){ .name = *key, .key = *key };
	return true;
}

static bool name_symbol(struct graph_name *name, char **key, const struct profile_module *m, const struct symbol *symbol)
{
	*key = key_make(m->path, symbol);
	*name = (struct graph_name){ .name = symbol->display, .key = *key, .module = m->path, .file = symbol->file,
		.aliases = symbol->aliases, .line = symbol->line, .part = symbol->part };
	return *key != NULL;
}

static bool name_routine(struct names *n, uint32_t i, const struct profile *p, struct symbols *s)
{
	const struct profile_routine *r = &p->routines[i];

	if (r->pseudo) {
		n->names[i] = pseudo_name(r);
		return true;
	}
	if (r->module >= p->nmodules)
		return name_address(&n->names[i], &n->keys[i], r);
	return name_symbol(&n->names[i], &n->keys[i], &p->modules[r->module], symbols_find(s, r->module, r->address));
}

static int by_key(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The list of keys of all routines, sorted: what was called. */
static const char **called_make(const struct names *n, uint32_t nroutines)
{
	const char **called = calloc((size_t)nroutines + 1, sizeof *called);

	for (uint32_t i = 0; called && i < nroutines; i++)
		called[i] = n->names[i].key;
	if (called)
		qsort(called, nroutines, sizeof *called, by_key);
	return called;
}

/* Give the clones without debug information the key of the routine whose name they bear. */
static bool clones_adopt(struct names *n, uint32_t nroutines)
{
	const char **keys = called_make(n, nroutines);

	if (!keys)
		return false;
	for (uint32_t i = 0; i < nroutines; i++) {
		size_t len = strlen(n->names[i].key), lo = 0, hi = nroutines;

		if (!n->names[i].module || n->names[i].key[len - 1] != '\n')
			continue;
		while (lo < hi) {			/* the first key beyond the clone's own */
			size_t middle = lo + (hi - lo) / 2;

			if (strcmp(keys[middle], n->names[i].key) <= 0)
				lo = middle + 1;
			else
				hi = middle;
		}
		if (lo < nroutines && strncmp(keys[lo], n->names[i].key, len) == 0)
			n->names[i].key = keys[lo];	/* owned by another routine of n->keys */
	}
	free(keys);
	return true;
}

/* What the visits of hooked functions share. */
struct visit {
	struct names *names;
	const char **called;		/* keys, sorted */
	uint32_t ncalled;		/* how many */
	const char *path;		/* module visited */
	size_t room;			/* of names->never */
	bool failed;			/* out of memory */
};

/* Whether a called routine has KEY; a clone's, which ends in a newline, may be any that begins with it. */
static bool was_called(const struct visit *v, const char *key)
{
	size_t len = strlen(key), lo = 0, hi = v->ncalled;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;

		if (strcmp(v->called[middle], key) < 0)
			lo = middle + 1;
		else
			hi = middle;
	}
	if (lo == v->ncalled)
		return false;
	return key[len - 1] == '\n' ? strncmp(v->called[lo], key, len) == 0 : strcmp(v->called[lo], key) == 0;
}

static void never_add(struct visit *v, const struct symbol *symbol)
{
	struct names *n = v->names;

	if (n->nnever == v->room) {
		size_t room = v->room ? 2 * v->room : 256;
		const struct symbol **more = reallocarray(n->never, room, sizeof *more);

		if (!more) {
			v->failed = true;
			return;
		}
		n->never = more;
		v->room = room;
	}
	n->never[n->nnever++] = symbol;
}

static void hooked_visit(void *arg, const struct symbol *symbol)
{
	struct visit *v = arg;
	char *key;

	if (symbol->part || v->failed)
		return;
	key = key_make(v->path, symbol);
	v->failed |= !key;
	if (key && !was_called(v, key))
		never_add(v, symbol);
	free(key);
}

static int by_display(const void *left, const void *right)
{
	const struct symbol *a = *(const struct symbol *const *)left, *b = *(const struct symbol *const *)right;
	int c = strcmp(a->display, b->display);

	return c ? c : (a->start > b->start) - (a->start < b->start);
}

static bool never_make(struct names *n, const struct profile *p, struct symbols *s)
{
	struct visit v = { .names = n, .called = called_make(n, p->nroutines), .ncalled = p->nroutines };

	if (!v.called)
		return false;
	n->never_known = true;
	for (uint32_t m = 0; m < p->nmodules; m++) {
		v.path = p->modules[m].path;
		if (p->modules[m].hooked && !symbols_hooked(s, m, hooked_visit, &v))
			n->never_known = false;
	}
	free(v.called);
	qsort(n->never, n->nnever, sizeof *n->never, by_display);
	return !v.failed;
}

bool names_make(struct names *n, const struct profile *p, struct symbols *s, struct error *err)
{
	bool ok;

	*n = (struct names){ .names = calloc((size_t)p->nroutines + 1, sizeof *n->names),
		.keys = calloc((size_t)p->nroutines + 1, sizeof *n->keys) };
	ok = n->names && n->keys;
	for (uint32_t i = 0; ok && i < p->nroutines; i++) {
		ok = name_routine(n, i, p, s);
		if (ok && !n->keys[i])
			n->keys[i] = strdup(n->names[i].key);	/* so that a NULL ends the list */
		ok = ok && n->keys[i];
	}
	ok = ok && clones_adopt(n, p->nroutines) && never_make(n, p, s);
	if (!ok)
		names_free(n);
	return ok || error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
}

void names_free(struct names *n)
{
	for (char **key = n->keys; key && *key; key++)
		free(*key);
	free(n->keys);
	free(n->names);
	free(n->never);
	*n = (struct names){ 0 };
}
