/* put.c - a profile as rows, and their way to the server. */
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "store/keys.h"
#include "store/quoting.h"
#include "store/schema.h"
#include "store/store_private.h"

#define BATCH ((size_t)32 << 20)	/* bytes of rows that are sent together */

static bool put_no_memory(struct error *err)
{
	return error_no_memory(err, "putting a profile into the store");
}

/* ---- sending ---- */

static const struct { const char *name, *columns; } tables[TABLES] = {
	[TABLE_MODULES] = { "aprof_modules", "image, module, main_program, hooked, alone, path, build_id" },
	[TABLE_ROUTINES] = { "aprof_routines", "image, routine, named, module, address, flags, pseudo, script, name, file, line, linked, base, aliases, start, size, origin, local, part" },
	[TABLE_CONTEXTS] = { "aprof_contexts", "image, context, parent, routine, length" },
	[TABLE_FIGURES] = { "aprof_figures", "service, time, profile, context, caller, calls, recursive, nsec, samples, bytes" },
	[TABLE_PROFILES] = { "aprof_profiles", "service, time, profile, host, version, program, clock, labels.key, labels.value, image, rows, start_nsec, header, origin, "
		"commands.name, commands.processes, commands.nsec, commands.calls, notes, stacks, costs" },
};

/* The statement that inserts into TABLE, malloc'ed.  NULL: out of memory. */
static char *insert_make(enum table_of_store table)
{
	char *sql = NULL;
	size_t len;
	FILE *out = open_memstream(&sql, &len);

	if (!out)
		return NULL;
	fprintf(out, "INSERT INTO %s (%s", tables[table].name, tables[table].columns);
	for (size_t i = 0; table == TABLE_PROFILES && i < schema_ntotals; i++)
		fprintf(out, ", %s", schema_totals[i].name);
	fputs(") FORMAT RowBinary", out);
	if (fclose(out) == 0)
		return sql;
	free(sql);
	return NULL;
}

static bool table_send(struct store *s, enum table_of_store table, struct error *err)
{
	struct tuples *r = &s->tables[table];
	char *sql = r->n ? insert_make(table) : NULL;
	bool ok = !r->n || (sql && !r->failed ? http_send(s->http, sql, r->data, r->len, err) : put_no_memory(err));

	free(sql);
	tuples_empty(r);
	return ok;
}

bool store_put_end(struct store *s, struct error *err)
{
	for (int i = 0; i < TABLES; i++)
		if (!table_send(s, i, err))
			return false;
	return true;
}

uint64_t store_put_again(const struct store *s)
{
	return s->again;
}

/* ---- what is there ---- */

/* Answers of one line of SQL, printed as by printf.  False with *ERR set. */
static bool put_ask(struct store *s, struct http_reply *reply, struct error *err, const char *format, ...) __attribute__((format(printf, 4, 5)));
static bool put_ask(struct store *s, struct http_reply *reply, struct error *err, const char *format, ...)
{
	char sql[400];
	va_list args;

	va_start(args, format);
	vsnprintf(sql, sizeof sql, format, args);
	va_end(args);
	return http_ask(s->http, sql, HTTP_MANY, reply, err);
}

/* Kinds of what the store has of an image; the modules' are parted further by what is known of them. */
enum { KNOWN_IMAGE, KNOWN_CONTEXT, KNOWN_ROUTINE, KNOWN_NAMED, KNOWN_MODULE };

/* Is KEY of IMAGE there already?  From now on it is.  True also if memory is short, which *FAILED tells. */
static bool put_is_known(struct store *s, uint64_t image, uint64_t key, uint64_t what, bool *failed)
{
	bool is_new = false;

	*failed |= key_table_at(&s->known, &(struct known){ image, key, what }, &is_new) == NULL;
	return !is_new;
}

static uint64_t module_kind(bool is_main, bool hooked, bool alone)
{
	return KNOWN_MODULE + ((uint64_t)is_main | (uint64_t)hooked << 1 | (uint64_t)alone << 2);
}

/* Learn what the store has of IMAGE.  False with *ERR set. */
static bool image_learn(struct store *s, uint64_t image, struct error *err)
{
	struct http_reply reply[3] = { { 0 } };
	bool failed = false, ok;

	if (put_is_known(s, image, 0, KNOWN_IMAGE, &failed))
		return !failed || put_no_memory(err);
	ok = put_ask(s, &reply[0], err, "SELECT context FROM aprof_contexts WHERE image = %" PRIu64 " FORMAT RowBinary", image) &&
	     put_ask(s, &reply[1], err, "SELECT routine, named FROM aprof_routines WHERE image = %" PRIu64 " FORMAT RowBinary", image) &&
	     put_ask(s, &reply[2], err, "SELECT module, main_program, hooked, alone FROM aprof_modules WHERE image = %" PRIu64 " FORMAT RowBinary", image);
	for (int i = 0; ok && i < 3; i++)
		for (struct tuples_reader r = { .data = reply[i].data, .len = reply[i].len }; tuples_more(&r);) {
			uint64_t key = tuples_read_u64(&r), what = KNOWN_CONTEXT;

			if (i == 1) {
				what = tuples_read_byte(&r) ? KNOWN_NAMED : KNOWN_ROUTINE;
			} else if (i == 2) {
				bool is_main = tuples_read_byte(&r), hooked = tuples_read_byte(&r);

				what = module_kind(is_main, hooked, tuples_read_byte(&r));
			}
			put_is_known(s, image, key, what, &failed);
		}
	for (int i = 0; i < 3; i++)
		free(reply[i].data);
	return ok && (!failed || put_no_memory(err));
}

/* Is the profile ID there, with all its rows? */
static bool put_is_there(struct store *s, const struct store_labels *labels, const unsigned char *id, bool *there, struct error *err)
{
	struct http_reply reply = { 0 };
	char *sql = NULL;
	size_t len;
	FILE *out = open_memstream(&sql, &len);
	bool ok;

	if (!out)
		return put_no_memory(err);
	fputs("SELECT count() FROM aprof_profiles WHERE service = ", out);
	quote_text(out, labels->service);
	fprintf(out, " AND time = toDateTime(%" PRIu64 ") AND profile = ", labels->time);
	quote_id(out, id);
	fputs(" FORMAT RowBinary", out);
	ok = fclose(out) == 0 ? http_ask(s->http, sql, HTTP_FEW, &reply, err) : put_no_memory(err);
	free(sql);
	if (ok) {
		struct tuples_reader r = { .data = reply.data, .len = reply.len };

		*there = tuples_read_u64(&r) > 0;
	}
	free(reply.data);
	return ok;
}

/* ---- rows ---- */

static bool modules_add(struct store *s, const struct profile *p, const struct keys *k, struct symbols *symbols)
{
	struct tuples *r = &s->tables[TABLE_MODULES];
	bool failed = false;

	for (uint32_t i = 0; i < p->nmodules; i++) {
		const struct profile_module *m = &p->modules[i];
		bool alone = symbols_are_alone(symbols, i);

		if (put_is_known(s, k->image, k->modules[i], module_kind(m->main_program, m->hooked, alone), &failed))
			continue;
		tuples_u64(r, k->image);
		tuples_u64(r, k->modules[i]);
		tuples_byte(r, m->main_program);
		tuples_byte(r, m->hooked);
		tuples_byte(r, alone);
		tuples_text(r, m->path);
		tuples_string(r, (const char *)m->build_id, m->build_id_size);
		r->n++;
	}
	return !failed;
}

/* What stands in the columns that name a routine. */
struct naming {
	bool named;
	const char *name, *file, *linked, *base, *aliases;
	uint32_t line;
	uint64_t start, size, origin;
	bool local, part;
};

static struct naming naming_of(const struct profile *p, const struct profile_routine *r, struct symbols *symbols)
{
	struct naming n = { .named = true, .start = r->address, .origin = r->address };
	const struct symbol *f;

	if (r->pseudo) {
		n.name = profile_pseudo_name(r->pseudo);
	} else if (r->script) {
		const struct profile_script *script = &p->scripts[r->script - 1];

		n.name = n.linked = script->name;
		n.file = script->file;
		n.line = script->line;
	} else {
		f = symbols_find(symbols, r->module, r->address);
		n = (struct naming){ f->known || f->name[0] == '(', f->display, f->file, f->name, f->base, f->aliases, f->line, f->start, f->size, f->origin, f->local, f->part };
	}
	return n;
}

/* Which routines contexts of P refer to, of all of them; malloc'ed.  NULL: out of memory. */
static bool *used_make(const struct profile *p)
{
	bool *used = calloc((size_t)p->nroutines + 1, sizeof *used);

	for (uint32_t i = 1; used && i < p->ncontexts; i++)
		used[p->contexts[i].routine] = true;
	return used;
}

static bool put_routines_add(struct store *s, const struct profile *p, const struct keys *k, struct symbols *symbols)
{
	struct tuples *r = &s->tables[TABLE_ROUTINES];
	bool *used = used_make(p), failed = used == NULL;

	for (uint32_t i = 0; used && i < p->nroutines; i++) {
		const struct profile_routine *of = &p->routines[i];
		struct naming n;

		if (!used[i] || put_is_known(s, k->image, k->routines[i], KNOWN_NAMED, &failed))
			continue;		/* nobody needs it, or nobody needs to look for its name */
		n = naming_of(p, of, symbols);
		if (!n.named && put_is_known(s, k->image, k->routines[i], KNOWN_ROUTINE, &failed))
			continue;
		tuples_u64(r, k->image);
		tuples_u64(r, k->routines[i]);
		tuples_byte(r, n.named);
		tuples_u64(r, of->module == PROFILE_NONE ? 0 : k->modules[of->module]);
		tuples_u64(r, of->address);
		tuples_u32(r, of->flags);
		tuples_u32(r, of->pseudo);
		tuples_byte(r, of->script != 0);
		tuples_text(r, n.name);
		tuples_text(r, n.file);
		tuples_u32(r, n.line);
		tuples_text(r, n.linked);
		tuples_text(r, n.base);
		tuples_text(r, n.aliases);
		tuples_u64(r, n.start);
		tuples_u64(r, n.size);
		tuples_u64(r, n.origin);
		tuples_byte(r, n.local);
		tuples_byte(r, n.part);
		r->n++;
	}
	free(used);
	return !failed;
}

/* The steps from the root to each context; malloc'ed.  NULL: out of memory. */
static uint32_t *lengths_make(const struct profile *p)
{
	uint32_t *lengths = calloc((size_t)p->ncontexts + 1, sizeof *lengths);

	for (uint32_t i = 1; lengths && i < p->ncontexts; i++)
		lengths[i] = lengths[p->contexts[i].parent] + 1;
	return lengths;
}

static bool contexts_add(struct store *s, const struct profile *p, const struct keys *k)
{
	struct tuples *r = &s->tables[TABLE_CONTEXTS];
	uint32_t *lengths = lengths_make(p);
	bool failed = lengths == NULL;

	for (uint32_t i = 1; lengths && i < p->ncontexts; i++) {
		const struct profile_context *c = &p->contexts[i];

		if (put_is_known(s, k->image, k->contexts[i], KNOWN_CONTEXT, &failed))
			continue;
		tuples_u64(r, k->image);
		tuples_u64(r, k->contexts[i]);
		tuples_u64(r, k->contexts[c->parent]);
		tuples_u64(r, k->routines[c->routine]);
		tuples_u32(r, lengths[i]);
		r->n++;
	}
	free(lengths);
	return !failed;
}

struct entrance {
	uint32_t from, to;		/* contexts; what a record is found by */
	uint64_t calls;
};

/* The calls by which contexts were entered otherwise than from their parents, over all threads. */
static bool entrances_make(struct key_table *entrances, const struct profile *p)
{
	*entrances = (struct key_table){ .size = sizeof(struct entrance), .key = offsetof(struct entrance, calls) };
	for (size_t i = 0; i < p->ndetours; i++) {
		struct entrance e = { p->detours[i].from, p->detours[i].to, p->detours[i].calls }, *sum;
		bool is_new;

		sum = key_table_at(entrances, &e, &is_new);
		if (!sum)
			return false;
		if (!is_new)
			add_capped(&sum->calls, e.calls);
	}
	return true;
}

static void figure_begin(struct tuples *r, const struct store_labels *labels, const unsigned char *id)
{
	tuples_text(r, labels->service);
	tuples_u32(r, (uint32_t)labels->time);
	tuples_bytes(r, id, 16);
	r->n++;
}

/* Rows of figures: of each context one, also where it has none, and of each other way into it one.  *N is how many. */
static bool figures_add(struct store *s, const struct profile *p, const struct keys *k, const struct store_labels *labels, const unsigned char *id, uint64_t *n)
{
	struct tuples *r = &s->tables[TABLE_FIGURES];
	struct key_table entrances;
	uint64_t *left = calloc(p->ncontexts, sizeof *left);
	bool ok = entrances_make(&entrances, p) && left;

	for (uint32_t i = 0; ok && i < p->ncontexts; i++)
		left[i] = p->contexts[i].entries;
	for (size_t i = 0; ok && i < entrances.n; i++) {
		const struct entrance *e = (struct entrance *)entrances.items + i;

		left[e->to] -= e->calls < left[e->to] ? e->calls : left[e->to];
		figure_begin(r, labels, id);
		tuples_u64(r, k->contexts[e->to]);
		tuples_u64(r, k->contexts[e->from]);
		tuples_u64(r, e->calls);
		for (int zeros = 0; zeros < 4; zeros++)
			tuples_u64(r, 0);
	}
	for (uint32_t i = 0; ok && i < p->ncontexts; i++) {
		const struct profile_context *c = &p->contexts[i];

		figure_begin(r, labels, id);
		tuples_u64(r, k->contexts[i]);
		tuples_u64(r, 0);
		tuples_u64(r, left[i]);
		tuples_u64(r, c->recursive);
		tuples_u64(r, c->time);
		tuples_u64(r, c->ticks);
		tuples_u64(r, c->bytes);
	}
	*n = entrances.n + p->ncontexts;
	key_table_free(&entrances);
	free(left);
	return ok;
}

/* All threads of P in one. */
static struct amon_thread threads_sum(const struct profile *p)
{
	struct amon_thread sum = { .start_monotonic = UINT64_MAX };

	for (uint32_t i = 0; i < p->nthreads; i++) {
		const struct amon_thread *t = &p->threads[i].record;

		add_capped(&sum.folded, t->folded ? t->folded : 1);
		sum.start_monotonic = t->start_monotonic < sum.start_monotonic ? t->start_monotonic : sum.start_monotonic;
		sum.deepest = t->deepest > sum.deepest ? t->deepest : sum.deepest;
		add_capped(&sum.cpu_first, t->cpu_first);
		add_capped(&sum.cpu_last, t->cpu_last);
		add_capped(&sum.unplaced, t->unplaced);
		add_capped(&sum.monitor, t->monitor);
		add_capped(&sum.ticks, t->ticks);
		add_capped(&sum.monitor_ticks, t->monitor_ticks);
		add_capped(&sum.misses, t->misses);
		add_capped(&sum.slow, t->slow);
	}
	return sum;
}

static void put_clock_print(struct tuples *r, const struct amon_header *h)
{
	static const char *const clocks[] = { [AMON_CLOCK_NONE] = "none", [AMON_CLOCK_TICK] = "cpu", [AMON_CLOCK_TSC] = "tsc", [AMON_CLOCK_WALL] = "wall", [AMON_CLOCK_COUNT] = "count" };
	char text[32];

	snprintf(text, sizeof text, "%s%s", clocks[h->clock], profile_kind_is_stacks(profile_kind(h)) ? "-stacks" : "");
	tuples_text(r, text);
}

/* NUL-terminated TEXT of at most SIZE bytes, and UNIT likewise behind its NUL; "": there is no text. */
static void put_origin_add(struct tuples *r, const struct amon_header *h)
{
	char both[sizeof h->origin + 1 + sizeof h->unit];
	size_t n = strnlen(h->origin, sizeof h->origin), m = strnlen(h->unit, sizeof h->unit);

	memcpy(both, h->origin, n);
	both[n] = '\0';
	memcpy(both + n + 1, h->unit, m);
	tuples_string(r, both, n ? n + 1 + m : 0);
}

static void numbers_add(struct tuples *r, const uint64_t *numbers, size_t n)
{
	tuples_length(r, n);
	for (size_t i = 0; i < n; i++)
		tuples_u64(r, numbers[i]);
}

/* Sums of 128 bits in digits that the server can add up. */
static void costs_add(struct tuples *r, const struct amon_header *h)
{
	const uint64_t *const sums[] = { h->sum_weight, h->sum_hook, h->sum_inside };

	tuples_length(r, SCHEMA_COSTS);
	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
		for (int half = 0; half < 2; half++) {
			tuples_u64(r, sums[i][half] & UINT32_MAX);
			tuples_u64(r, sums[i][half] >> 32);
		}
}

static void totals_add(struct tuples *r, const struct totals *t)
{
	for (size_t i = 0; i < schema_ntotals; i++) {
		const char *at = (const char *)t + schema_totals[i].at;
		uint64_t wide = 0;
		uint32_t narrow;

		if (schema_totals[i].size == sizeof wide) {
			memcpy(&wide, at, sizeof wide);
		} else {
			memcpy(&narrow, at, sizeof narrow);
			wide = narrow;
		}
		tuples_u64(r, wide);
	}
}

/* Add the figure that stands AT bytes into each of the N COMMANDS. */
static void command_figures_add(struct tuples *r, const struct profile_command *commands, size_t n, size_t at)
{
	tuples_length(r, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t figure;

		memcpy(&figure, (const char *)&commands[i] + at, sizeof figure);
		tuples_u64(r, figure);
	}
}

static bool commands_add(struct tuples *r, const struct profile *p)
{
	size_t n;
	struct profile_command *commands = commands_make(p, &n);

	if (!commands)
		return false;
	tuples_length(r, n);
	for (size_t i = 0; i < n; i++)
		tuples_text(r, commands[i].name);
	command_figures_add(r, commands, n, offsetof(struct profile_command, processes));
	command_figures_add(r, commands, n, offsetof(struct profile_command, time));
	command_figures_add(r, commands, n, offsetof(struct profile_command, calls));
	free(commands);
	return true;
}

static void labels_add(struct tuples *r, const struct store_labels *labels)
{
	tuples_length(r, labels->nmore);
	for (size_t i = 0; i < labels->nmore; i++)
		tuples_text(r, labels->more[i].name);
	tuples_length(r, labels->nmore);
	for (size_t i = 0; i < labels->nmore; i++)
		tuples_text(r, labels->more[i].value);
}

/* The row that says that all others of the profile are there, NFIGURES of them figures. */
static bool profile_add(struct store *s, const struct profile *p, const struct keys *k, const struct store_labels *labels, const unsigned char *id, uint64_t nfigures)
{
	struct tuples *r = &s->tables[TABLE_PROFILES];
	struct totals t = { .header = headers_of(&p->runs[0]), .thread = threads_sum(p), .calls = p->runs[0].calls };
	const char *program = profile_run_name(&p->runs[0]), *slash = strrchr(program, '/');
	bool ok;

	figure_begin(r, labels, id);
	tuples_text(r, labels->host);
	tuples_text(r, labels->version);
	tuples_text(r, slash ? slash + 1 : program);
	put_clock_print(r, &t.header);
	labels_add(r, labels);
	tuples_u64(r, k->image);
	tuples_u64(r, nfigures);
	tuples_u64(r, t.header.start_realtime);
	tuples_string(r, (const char *)&t.header, sizeof t.header);
	put_origin_add(r, &t.header);
	ok = commands_add(r, p);
	numbers_add(r, t.header.notes, SCHEMA_NOTES);
	numbers_add(r, t.header.stacks, SCHEMA_STACKS);
	costs_add(r, &t.header);
	totals_add(r, &t);
	return ok;
}

static bool is_all_in_memory(const struct store *s)
{
	for (int i = 0; i < TABLES; i++)
		if (s->tables[i].failed)
			return false;
	return true;
}

static bool put_rows_make(struct store *s, const struct profile *p, struct symbols *symbols, const struct store_labels *labels, const unsigned char *id, struct error *err)
{
	struct keys k;
	uint64_t nfigures;
	bool made = keys_make(&k, p), ok = made || put_no_memory(err);

	ok = ok && image_learn(s, k.image, err);
	if (ok && (!modules_add(s, p, &k, symbols) || !put_routines_add(s, p, &k, symbols) || !contexts_add(s, p, &k) || !figures_add(s, p, &k, labels, id, &nfigures) ||
		   !profile_add(s, p, &k, labels, id, nfigures) || !is_all_in_memory(s)))
		ok = put_no_memory(err);
	keys_free(&k);
	return ok;
}

bool store_put(struct store *s, const struct profile *p, struct symbols *symbols, const struct store_labels *labels, const unsigned char id[16], struct error *err)
{
	size_t bytes = 0;
	bool there = false;

	if (!profile_has_contexts(p))
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "it has arcs without contexts, and the store keeps contexts");
	if (!put_is_there(s, labels, id, &there, err))
		return false;
	s->again += there;
	if (!there && !put_rows_make(s, p, symbols, labels, id, err))
		return false;
	for (int i = 0; i < TABLES; i++)
		bytes += s->tables[i].len;
	return bytes < BATCH || store_put_end(s, err);
}
