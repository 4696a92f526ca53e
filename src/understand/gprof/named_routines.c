/* named_routines.c - which routines of a gmon.out the names of gprof's options mean.
 *
 * Names are compared with a symbol as gprof itself does:
 *
 *     FILE:ROUTINE  FILE:LINE  FILE:  :ROUTINE      and without a colon
 *     FILE if it has a dot, LINE if it begins with a digit, else ROUTINE
 *
 * An arc is two of them, FROM/TO; an empty one means every routine.  FILE is compared with the last part of a path. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "understand/gprof/postprocess.h"

/* One name taken apart; all empty: it fits every symbol. */
struct pick {
	const char *file;	/* last part of the path; NULL: any */
	size_t file_length;	/* bytes of it */
	const char *name;	/* as linked; NULL: any */
	size_t name_length;	/* bytes of it */
	unsigned long line;	/* 0: any */
};

static void part_set(struct pick *p, const char *text, size_t length)
{
	if (length == 0)
		return;
	if (isdigit((unsigned char)*text)) {
		p->line = strtoul(text, NULL, 10);
	} else {
		p->name = text;
		p->name_length = length;
	}
}

/* Take the LENGTH bytes at TEXT apart; the result points into them. */
static struct pick pick_parse(const char *text, size_t length)
{
	struct pick p = { 0 };
	const char *colon = memrchr(text, ':', length);
	size_t file = colon ? (size_t)(colon - text) : memchr(text, '.', length) ? length : 0;

	if (file > 0) {
		p.file = text;
		p.file_length = file;
	}
	if (colon)
		part_set(&p, colon + 1, length - file - 1);
	else if (file == 0)
		part_set(&p, text, length);
	return p;
}

static bool is_equal(const char *text, const char *s, size_t length)
{
	return strncmp(text, s, length) == 0 && text[length] == '\0';
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether P means the routine NAME of FILE (NULL: unknown) at LINE. */
static bool pick_fits(const struct pick *p, const char *name, const char *file, unsigned long line)
{
	if (p->file && (!file || !is_equal(last_part(file), p->file, p->file_length)))
		return false;
	if (p->line && p->line != line)
		return false;
	return !p->name || is_equal(name, p->name, p->name_length);
}

/* What gprof leaves out of everything but counts: profiling's own functions. */
static const char *const own[] = { "_gprof_mcount", "mcount", "_mcount", "__mcount", "__mcount_internal", "__mcleanup",
	"<locore>", "<hicore>" };

static void spec_pick(struct gprof *g, enum gprof_table table, const char *text)
{
	struct pick p = pick_parse(text, strcspn(text, "/"));
	unsigned bit = 1u << table;

	for (uint32_t i = 0; i < g->nroutines; i++) {
		struct gprof_routine *r = &g->routines[i];

		if ((r->picked & bit) || !pick_fits(&p, r->symbol->name, r->symbol->file, r->symbol->line))
			continue;
		r->picked |= (uint16_t)bit;
		g->npicked[table]++;
	}
}

bool gprof_pick(struct gprof *g, const struct gprof_options *options)
{
	for (size_t i = 0; i < options->nspecs; i++)
		spec_pick(g, options->specs[i].table, options->specs[i].text);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		spec_pick(g, GPROF_EXCLUDE_TIME, own[i]);
		spec_pick(g, GPROF_EXCLUDE_GRAPH, own[i]);
		spec_pick(g, GPROF_EXCLUDE_FLAT, own[i]);
	}
	return true;
}

/* The arcs that options name. */
struct arc_pattern {
	struct pick from, to; /* both ends */
	bool include;		/* of the table INCLUDE_ARCS */
};

bool gprof_wanted(const struct gprof *g, uint32_t r, enum gprof_table include)
{
	unsigned picked = g->routines[r].picked;

	return picked & 1u << include || (g->npicked[include] == 0 && !(picked & 1u << (include + 1)));
}

struct gprof_arc_filter {
	const struct gprof *g;		/* whose routines */
	bool only;			/* arcs must be included */
	size_t n;			/* how many patterns */
	struct arc_pattern patterns[];
};

struct gprof_arc_filter *gprof_arc_filter_new(const struct gprof *g, const struct gprof_options *options)
{
	struct gprof_arc_filter *f = calloc(1, sizeof *f + options->nspecs * sizeof *f->patterns);

	if (!f)
		return NULL;
	f->g = g;
	f->only = g->npicked[GPROF_INCLUDE_ARCS] > 0;
	for (size_t i = 0; i < options->nspecs; i++) {
		const struct gprof_spec *spec = &options->specs[i];
		const char *slash = strchr(spec->text, '/');

		if (!slash || (spec->table != GPROF_INCLUDE_ARCS && spec->table != GPROF_EXCLUDE_ARCS))
			continue;
		f->patterns[f->n++] = (struct arc_pattern){ pick_parse(spec->text, (size_t)(slash - spec->text)),
			pick_parse(slash + 1, strlen(slash + 1)), spec->table == GPROF_INCLUDE_ARCS };
	}
	return f;
}

void gprof_arc_filter_free(struct gprof_arc_filter *f)
{
	free(f);
}

static bool named_routines_fits(const struct pick *p, const struct gmon_symbol *s)
{
	return pick_fits(p, s->name, s->file, s->line);
}

bool gprof_arc_filter_keeps(const struct gprof_arc_filter *f, uint32_t from, uint32_t to)
{
	const struct gprof_routine *r = f->g->routines;

	for (size_t i = 0; i < f->n; i++)
		if (f->patterns[i].include == f->only && named_routines_fits(&f->patterns[i].from, r[from].symbol)
		    && named_routines_fits(&f->patterns[i].to, r[to].symbol))
			return f->only;
	return !f->only;
}
