/* names.c - identity of routines, and the list of those never called.
 *
 * read/symbols/ says which addresses are one routine (symbol.key); the pseudo-routines are named here. */
#include "understand/input/names.h"

#include <stdlib.h>
#include <string.h>

static struct graph_name pseudo_name(const struct profile_routine *r)
{
	const char *name = profile_pseudo_name(r->pseudo);

	return (struct graph_name){ .name = name, .key = name };
}

struct graph_name names_of(const struct profile *p, uint32_t module, const struct symbol *symbol)
{
	return (struct graph_name){ .name = symbol->display, .key = symbol->key, .file = symbol->file,
		.linked = *symbol->base ? symbol->base : NULL,
		.module = module < p->nmodules ? p->modules[module].path : NULL,
		.aliases = symbol->aliases, .line = symbol->line, .part = symbol->part };
}

static struct graph_name names_routine_name(const struct profile *p, struct symbols *s, const struct profile_routine *r)
{
	return names_of(p, r->module, symbols_find(s, r->module, r->address));
}

static int names_by_key(const void *left, const void *right)
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
		qsort(called, nroutines, sizeof *called, names_by_key);
	return called;
}

/* What the visits of hooked functions share. */
struct visit {
	struct names *names;
	const char **called;		/* keys, sorted */
	uint32_t ncalled;		/* how many */
	size_t room;			/* of names->never */
	bool failed;			/* out of memory */
};

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

/* A clone is its routine: it is never called only if none of that routine's bodies was. */
static void names_hooked_visit(void *arg, const struct symbol *symbol)
{
	struct visit *v = arg;

	if (!symbol->part && !v->failed && !bsearch(&symbol->key, v->called, v->ncalled, sizeof *v->called, names_by_key))
		never_add(v, symbol);
}

static int by_display(const void *left, const void *right)
{
	const struct symbol *a = *(const struct symbol *const *)left, *b = *(const struct symbol *const *)right;
	int c = strcmp(a->display, b->display);

	return c ? c : strcmp(a->key, b->key);
}

/* Sort, and keep one body of each routine. */
static void never_settle(struct names *n)
{
	size_t kept = 0;

	if (n->nnever)
		qsort(n->never, n->nnever, sizeof *n->never, by_display);
	for (size_t i = 0; i < n->nnever; i++)
		if (kept == 0 || strcmp(n->never[kept - 1]->key, n->never[i]->key) != 0)
			n->never[kept++] = n->never[i];
	n->nnever = kept;
}

static bool never_make(struct names *n, const struct profile *p, struct symbols *s)
{
	struct visit v = { .names = n, .called = called_make(n, p->nroutines), .ncalled = p->nroutines };
	bool gprofs = profile_used_way(p, AMON_WAY_MCOUNT);

	if (!v.called)
		return false;
	n->never_known = true;
	for (uint32_t m = 0; m < p->nmodules; m++)
		if (p->modules[m].hooked && !symbols_hooked(s, m, gprofs, names_hooked_visit, &v))
			n->never_known = false;
	free(v.called);
	never_settle(n);
	return !v.failed;
}

/* What the visits of functions that were left out share. */
struct leaving {
	struct names *names;
	size_t room;			/* of names->left_out */
	uint32_t module;		/* that is visited */
	bool failed;			/* out of memory */
};

static void left_out_visit(void *arg, enum symbols_left_out why, const char *name, const char *linked)
{
	struct leaving *l = arg;
	struct names *n = l->names;

	(void)linked;
	if (n->nleft_out == l->room) {
		size_t room = l->room ? 2 * l->room : 64;
		struct report_left_out *more = reallocarray(n->left_out, room, sizeof *more);

		if (!more) {
			l->failed = true;
			return;
		}
		n->left_out = more;
		l->room = room;
	}
	n->left_out[n->nleft_out] = (struct report_left_out){ why, l->module, strdup(name) };
	if (n->left_out[n->nleft_out].name)
		n->nleft_out++;
	else
		l->failed = true;
}

static int by_reason(const void *left, const void *right)
{
	const struct report_left_out *a = left, *b = right;

	return a->why != b->why ? (a->why > b->why) - (a->why < b->why) : strcmp(a->name, b->name);
}

/* Of modules with hooks, of those in which samples found the program, and of the program itself: who left out all of one is to be told so. */
static bool left_out_make(struct names *n, const struct profile *p, struct symbols *s)
{
	struct leaving l = { .names = n };
	bool *met = calloc((size_t)p->nmodules + 1, sizeof *met);

	for (size_t i = 0; met && i < p->npcs; i++)
		if (p->pcs[i].module < p->nmodules)
			met[p->pcs[i].module] = true;
	for (l.module = 0; met && l.module < p->nmodules; l.module++)
		if (p->modules[l.module].hooked || met[l.module] || p->modules[l.module].main_program) {
			symbols_quiet(s, !p->modules[l.module].hooked);
			symbols_left_out(s, l.module, left_out_visit, &l);
		}
	symbols_quiet(s, false);
	if (n->nleft_out)
		qsort(n->left_out, n->nleft_out, sizeof *n->left_out, by_reason);
	free(met);
	return met && !l.failed;
}

bool names_make(struct names *n, const struct profile *p, struct symbols *s, struct error *err)
{
	*n = (struct names){ .names = calloc((size_t)p->nroutines + 1, sizeof *n->names) };
	for (uint32_t i = 0; n->names && i < p->nroutines; i++)
		n->names[i] = p->routines[i].pseudo ? pseudo_name(&p->routines[i]) : names_routine_name(p, s, &p->routines[i]);
	if (n->names && never_make(n, p, s) && left_out_make(n, p, s))
		return true;
	names_free(n);
	return error_no_memory(err, NULL);
}

void names_free(struct names *n)
{
	free(n->names);
	free(n->never);
	for (size_t i = 0; i < n->nleft_out; i++)
		free((char *)n->left_out[i].name);
	free(n->left_out);
	*n = (struct names){ 0 };
}
