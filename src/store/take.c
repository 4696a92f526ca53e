/* take.c - a profile from what the server adds up.
 *
 * The server is asked several times, and others put profiles meanwhile.  So the first answer says when the last of those that are meant was put, later ones are left out from then on, and how many
 * rows of figures they have is held against how many were added up: there may be more while a row that was sent twice stands there twice, which FINAL heeds. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/array.h"
#include "store/condition.h"
#include "store/keys.h"
#include "store/schema.h"
#include "store/store_private.h"

enum { TRIES = 8 };		/* until no profile is put while it is read */

/* A key, and the number of what has it. */
struct number_of { uint64_t key, number; };

/* A routine that the store knows. */
struct taken_routine {
	uint64_t key, module;		/* keys */
	struct profile_routine routine;	/* without its module */
	bool is_script;
	struct symbol symbol;		/* its strings are the arena's */
	uint32_t number;		/* in the profile; PROFILE_NONE: nothing refers to it yet */
};

struct taking {
	struct store *store;
	struct error *err;
	char *condition;		/* SQL about rows of aprof_profiles */
	char *images;			/* their images, parted by commas */
	uint64_t n, rows, until;	/* how many profiles, and rows of figures of theirs; when the last was put, seconds since 1970; 0: not asked yet */
	bool final;			/* rows may be there twice */
	struct totals totals;
	struct profile *p;
	struct key_table modules, routines_at, contexts; /* struct number_of: modules and contexts of p, routines[] */
	struct taken_routine *routines;
	size_t nroutines, routines_room;
	bool *alone;			/* of each module of p: its routines' addresses are made of names */
	size_t alone_room;
	struct arena strings;
};

static bool take_no_memory(struct taking *t)
{
	return error_no_memory(t->err, "taking profiles from the store");
}

static bool take_corrupt(struct taking *t, const char *what)
{
	return error_set(t->err, ERROR_CORRUPT, ERROR_NO_OFFSET, "the store is not whole: %s", what);
}

/* ---- asking ---- */

/* The rows, of SIZE, that the printer PRINT asks for; *READER reads them from *REPLY.  False with the error set. */
static bool take_ask(struct taking *t, void (*print)(const struct taking *t, FILE *out), enum http_size size, struct http_reply *reply, struct tuples_reader *reader)
{
	char *sql = NULL;
	size_t len;
	FILE *out = open_memstream(&sql, &len);
	bool ok;

	*reply = (struct http_reply){ 0 };
	if (!out)
		return take_no_memory(t);
	print(t, out);
	fputs(" FORMAT RowBinary", out);
	ok = fclose(out) == 0 ? http_ask(t->store->http, sql, size, reply, t->err) : take_no_memory(t);
	free(sql);
	*reader = (struct tuples_reader){ .data = reply->data, .len = reply->len };
	return ok;
}

/* REPLY is read; OK if all of it was what it should be. */
static bool answered(struct taking *t, struct http_reply *reply, const struct tuples_reader *reader, bool ok)
{
	free(reply->data);
	*reply = (struct http_reply){ 0 };
	return ok && (!reader->bad || take_corrupt(t, "an answer ends too early"));
}

/* The profiles that are meant. */
static void where_print(const struct taking *t, FILE *out)
{
	fprintf(out, " FROM aprof_profiles FINAL WHERE (%s)", t->condition);
	if (t->until)
		fprintf(out, " AND pushed <= toDateTime(%" PRIu64 ")", t->until);
}

/* Their figures. */
static void take_figures_print(const struct taking *t, FILE *out)
{
	fprintf(out, " FROM aprof_figures%s WHERE (service, time, profile) IN (SELECT service, time, profile", t->final ? " FINAL" : "");
	where_print(t, out);
	putc(')', out);
}

/* ---- the head ---- */

static void take_head_print(const struct taking *t, FILE *out)
{
	fputs("SELECT count(), sum(rows), toUInt64(max(pushed)), groupUniqArray(clock), groupUniqArray(image), minIf(origin, origin != ''), sumForEach(notes), sumForEach(stacks), "
	      "sumForEach(costs)", out);
	for (size_t i = 0; i < schema_ntotals; i++) {
		fputs(", ", out);
		schema_total_print(out, &schema_totals[i]);
	}
	where_print(t, out);
}

static void clocks_refuse(struct taking *t, struct tuples_reader *r, size_t n)
{
	char list[200] = "";
	size_t at = 0, len;

	for (size_t i = 0; i < n && at < sizeof list; i++) {
		const char *clock = tuples_read_string(r, &len);

		at += (size_t)snprintf(list + at, sizeof list - at, "%s%.*s", i ? ", " : "", clock ? (int)len : 0, clock ? clock : "");
	}
	error_set(t->err, ERROR_MISMATCH, ERROR_NO_OFFSET, "the profiles are by several clocks, which cannot be added up: %s; say which: AND clock = ...", list);
}

static bool images_take(struct taking *t, struct tuples_reader *r)
{
	char *list = NULL;
	size_t len, n = tuples_read_length(r);
	FILE *out = open_memstream(&list, &len);

	if (!out)
		return take_no_memory(t);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%" PRIu64, i ? ", " : "", tuples_read_u64(r));
	free(t->images);
	t->images = NULL;
	if (fclose(out) != 0)
		return take_no_memory(t);
	t->images = list;
	return true;
}

static void take_numbers_take(struct tuples_reader *r, uint64_t *numbers, size_t most)
{
	size_t n = tuples_read_length(r);

	for (size_t i = 0; i < n; i++) {
		uint64_t number = tuples_read_u64(r);

		if (i < most)
			numbers[i] = number;
	}
}

/* Carry what stands above 32 bits of each of the four digits on to the next. */
static void digits_join(const uint64_t *digits, uint64_t *sum)
{
	unsigned __int128 carried = 0;
	uint64_t parts[4];

	for (int i = 0; i < 4; i++) {
		carried += digits[i];
		parts[i] = (uint64_t)carried & UINT32_MAX;
		carried >>= 32;
	}
	sum[0] = parts[0] | parts[1] << 32;
	sum[1] = parts[2] | parts[3] << 32;
}

static void take_totals_take(struct tuples_reader *r, struct totals *totals)
{
	for (size_t i = 0; i < schema_ntotals; i++) {
		char *at = (char *)totals + schema_totals[i].at;
		uint64_t wide = tuples_read_u64(r);
		uint32_t narrow = (uint32_t)wide;

		if (schema_totals[i].size == sizeof wide)
			memcpy(at, &wide, sizeof wide);
		else
			memcpy(at, &narrow, sizeof narrow);
	}
}

static bool take_head_read(struct taking *t, struct tuples_reader *r)
{
	struct amon_header *h = &t->totals.header;
	uint64_t costs[SCHEMA_COSTS] = { 0 }, until;
	const char *origin;
	size_t nclocks, len;

	t->totals = (struct totals){ 0 };
	t->n = tuples_read_u64(r);
	t->rows = tuples_read_u64(r);
	until = tuples_read_u64(r);
	t->until = t->until ? t->until : until;
	if (t->n == 0)
		return error_set(t->err, ERROR_USAGE, ERROR_NO_OFFSET, "no profile in the store is of this condition");
	nclocks = tuples_read_length(r);
	if (nclocks != 1) {
		clocks_refuse(t, r, nclocks);
		return false;
	}
	tuples_read_string(r, &len);
	if (!images_take(t, r))
		return false;
	origin = tuples_read_string(r, &len);
	if (origin && len) {
		size_t n = strnlen(origin, len);

		memcpy(h->origin, origin, n < sizeof h->origin ? n : sizeof h->origin - 1);
		if (n < len)
			memcpy(h->unit, origin + n + 1, len - n - 1 < sizeof h->unit ? len - n - 1 : sizeof h->unit - 1);
	}
	take_numbers_take(r, h->notes, SCHEMA_NOTES);
	take_numbers_take(r, h->stacks, SCHEMA_STACKS);
	take_numbers_take(r, costs, SCHEMA_COSTS);
	digits_join(costs, h->sum_weight);
	digits_join(costs + 4, h->sum_hook);
	digits_join(costs + 8, h->sum_inside);
	take_totals_take(r, &t->totals);
	return true;
}

static bool take_head_take(struct taking *t)
{
	struct http_reply reply;
	struct tuples_reader r;

	return take_ask(t, take_head_print, HTTP_FEW, &reply, &r) && answered(t, &reply, &r, take_head_read(t, &r));
}

static void first_print(const struct taking *t, FILE *out)
{
	fputs("SELECT header", out);
	where_print(t, out);
	fputs(" ORDER BY start_nsec, header LIMIT 1", out);
}

/* The header of the profile that began first, with the totals of all. */
static bool take_header_read(struct taking *t, struct tuples_reader *r)
{
	struct amon_header first = { 0 }, *h = &t->totals.header;
	struct totals all = t->totals;
	size_t len;
	const char *data = tuples_read_string(r, &len);

	if (!data || len < offsetof(struct amon_header, cpu_user))
		return take_corrupt(t, "a header is too short");
	memcpy(&first, data, len < sizeof first ? len : sizeof first);
	*h = first;
	for (size_t i = 0; i < schema_ntotals; i++)
		memcpy((char *)&t->totals + schema_totals[i].at, (char *)&all + schema_totals[i].at, schema_totals[i].size);
	memcpy(h->notes, all.header.notes, sizeof h->notes);
	memcpy(h->stacks, all.header.stacks, sizeof h->stacks);
	memcpy(h->origin, all.header.origin, sizeof h->origin);
	memcpy(h->unit, all.header.unit, sizeof h->unit);
	memcpy(h->sum_weight, all.header.sum_weight, sizeof h->sum_weight);
	memcpy(h->sum_hook, all.header.sum_hook, sizeof h->sum_hook);
	memcpy(h->sum_inside, all.header.sum_inside, sizeof h->sum_inside);
	h->pc_source = 0;			/* program counters are not kept */
	h->pc_period = h->sum_periods = h->sum_period_processes = 0;
	h->host[sizeof h->host - 1] = h->program[sizeof h->program - 1] = h->directory[sizeof h->directory - 1] = h->command[sizeof h->command - 1] = '\0';
	return true;
}

static void take_commands_print(const struct taking *t, FILE *out)
{
	fputs("SELECT command, sum(n), sum(spent), sum(made) FROM (SELECT commands.name AS names, commands.processes AS processes, commands.nsec AS nsecs, commands.calls AS counts", out);
	where_print(t, out);
	fputs(") ARRAY JOIN names AS command, processes AS n, nsecs AS spent, counts AS made GROUP BY command", out);
}

static bool commands_read(struct taking *t, struct tuples_reader *r, struct profile_command **commands, size_t *n)
{
	size_t room = 0, len;

	for (*n = 0; tuples_more(r); ++*n) {
		struct profile_command c = { 0 };
		const char *name = tuples_read_string(r, &len);

		if (name)
			memcpy(c.name, name, len < sizeof c.name ? len : sizeof c.name - 1);
		c.processes = tuples_read_u64(r);
		c.time = tuples_read_u64(r);
		c.calls = tuples_read_u64(r);
		if (!array_reserve(commands, &room, *n + 1, sizeof c))
			return take_no_memory(t);
		(*commands)[*n] = c;
	}
	return true;
}

/* The run and the thread of the profile. */
static bool run_take(struct taking *t, const char *label)
{
	struct profile_command *commands = NULL;
	struct amon_thread thread;
	struct http_reply reply;
	struct tuples_reader r;
	size_t n = 0;
	bool ok = take_ask(t, first_print, HTTP_FEW, &reply, &r) && answered(t, &reply, &r, take_header_read(t, &r)) &&
		  take_ask(t, take_commands_print, HTTP_MANY, &reply, &r) && answered(t, &reply, &r, commands_read(t, &r, &commands, &n));

	thread = t->totals.thread;
	thread.state = AMON_THREAD_FOLDED;
	thread.current = AMON_NONE;
	strcpy(thread.name, "all threads");
	if (ok && !parts_run(t->p, label, &t->totals.header, &thread, commands, n))
		ok = take_no_memory(t);
	free(commands);
	return ok;
}

/* ---- modules and routines ---- */

static bool take_number_set(struct key_table *k, uint64_t key, uint64_t number)
{
	bool is_new;
	struct number_of *found = key_table_at(k, &(struct number_of){ key, number }, &is_new);

	return found != NULL;
}

/* The number of KEY; PROFILE_NONE: it has none.  False: out of memory. */
static bool take_number_get(struct key_table *k, uint64_t key, uint32_t *number)
{
	bool is_new;
	struct number_of *found = key_table_at(k, &(struct number_of){ key, PROFILE_NONE }, &is_new);

	*number = found ? (uint32_t)found->number : PROFILE_NONE;
	return found != NULL;
}

static void take_modules_print(const struct taking *t, FILE *out)
{
	fprintf(out, "SELECT module, max(main_program), max(hooked), max(alone), min(path), any(build_id) FROM aprof_modules WHERE image IN (%s) GROUP BY module ORDER BY module", t->images);
}

static bool modules_read(struct taking *t, struct tuples_reader *r)
{
	while (tuples_more(r)) {
		struct profile_module m = { 0 };
		uint64_t key = tuples_read_u64(r);
		const char *path, *id;
		size_t path_len, id_len;
		uint32_t number;
		bool alone;

		m.main_program = tuples_read_byte(r);
		m.hooked = tuples_read_byte(r);
		alone = tuples_read_byte(r);
		path = tuples_read_string(r, &path_len);
		id = tuples_read_string(r, &id_len);
		if (r->bad)
			break;
		m.path = arena_copy(&t->strings, path, path_len);
		m.build_id_size = id_len < sizeof m.build_id ? (uint32_t)id_len : sizeof m.build_id;
		memcpy(m.build_id, id, m.build_id_size);
		number = m.path ? parts_module(t->p, &m) : PROFILE_NONE;
		if (number == PROFILE_NONE || !take_number_set(&t->modules, key, number) || !array_reserve(&t->alone, &t->alone_room, (size_t)number + 1, sizeof *t->alone))
			return take_no_memory(t);
		t->alone[number] = alone;
	}
	return true;
}

static void take_routines_print(const struct taking *t, FILE *out)
{
	fprintf(out, "SELECT routine, module, address, flags, pseudo, script, named, name, file, line, linked, base, aliases, start, size, origin, local, part FROM aprof_routines WHERE image IN (%s) "
		"ORDER BY routine, named DESC LIMIT 1 BY routine", t->images);
}

/* A string of the arena; "" where there is none.  NULL: out of memory. */
static const char *take_string_read(struct taking *t, struct tuples_reader *r)
{
	size_t len;
	const char *text = tuples_read_string(r, &len);

	return text && len ? arena_copy(&t->strings, text, len) : "";
}

/* NULL for "", as struct symbol has it. */
static const char *or_null(const char *text)
{
	return text && *text ? text : NULL;
}

static bool routines_read(struct taking *t, struct tuples_reader *r)
{
	while (tuples_more(r)) {
		struct taken_routine a = { .number = PROFILE_NONE };
		const char *file, *aliases;

		a.key = tuples_read_u64(r);
		a.module = tuples_read_u64(r);
		a.routine.address = tuples_read_u64(r);
		a.routine.flags = tuples_read_u32(r);
		a.routine.pseudo = tuples_read_u32(r);
		a.is_script = tuples_read_byte(r);
		a.symbol.known = tuples_read_byte(r);
		a.symbol.display = take_string_read(t, r);
		file = take_string_read(t, r);
		a.symbol.line = tuples_read_u32(r);
		a.symbol.name = take_string_read(t, r);
		a.symbol.base = take_string_read(t, r);
		aliases = take_string_read(t, r);
		a.symbol.start = tuples_read_u64(r);
		a.symbol.size = tuples_read_u64(r);
		a.symbol.origin = tuples_read_u64(r);
		a.symbol.local = tuples_read_byte(r);
		a.symbol.part = tuples_read_byte(r);
		if (!a.symbol.display || !file || !a.symbol.name || !a.symbol.base || !aliases ||
		    !array_reserve(&t->routines, &t->routines_room, t->nroutines + 1, sizeof a) ||
			!take_number_set(&t->routines_at, a.key, t->nroutines))
			return take_no_memory(t);
		a.symbol.file = or_null(file);
		a.symbol.aliases = or_null(aliases);
		t->routines[t->nroutines++] = a;
	}
	return true;
}

/* The number in the profile of the routine with KEY, which something refers to.  PROFILE_NONE with the error set. */
static uint32_t routine_number(struct taking *t, uint64_t key)
{
	struct taken_routine *a;
	struct profile_script script;
	uint32_t at, module = PROFILE_NONE;

	if (!take_number_get(&t->routines_at, key, &at)) {
		take_no_memory(t);
		return PROFILE_NONE;
	}
	if (at == PROFILE_NONE) {
		take_corrupt(t, "it lacks a routine");
		return PROFILE_NONE;
	}
	a = &t->routines[at];
	if (a->number != PROFILE_NONE)
		return a->number;
	if (a->module && (!take_number_get(&t->modules, a->module, &module) || module == PROFILE_NONE)) {
		take_corrupt(t, "it lacks a module");
		return PROFILE_NONE;
	}
	a->routine.module = module;
	script = (struct profile_script){ .line = a->symbol.line, .name = (char *)a->symbol.name, .file = a->symbol.file ? a->symbol.file : "" };
	a->number = parts_routine(t->p, &a->routine, a->is_script ? &script : NULL);
	if (a->number == PROFILE_NONE)
		take_no_memory(t);
	return a->number;
}

static int by_module_and_start(const void *x, const void *y)
{
	const struct taken_routine *a = *(struct taken_routine *const *)x, *b = *(struct taken_routine *const *)y;

	if (a->routine.module != b->routine.module)
		return a->routine.module < b->routine.module ? -1 : 1;
	if (a->symbol.start != b->symbol.start)
		return a->symbol.start < b->symbol.start ? -1 : 1;
	return strcmp(a->symbol.name, b->symbol.name);
}

/* Have the profile carry the functions FUNCTIONS[0..n) of MODULE. */
static bool functions_carry(struct taking *t, uint32_t module, const struct symbol *const *functions, size_t n)
{
	struct profile_symbols packed;
	bool ok = symbols_pack_functions(functions, n, t->alone[module], &packed);

	packed.module = module;
	ok = ok && profile_add_symbols(t->p, &packed);
	free(packed.data);
	return ok || take_no_memory(t);
}

/* Have the profile carry what the store says of the routines in it, module by module. */
static bool names_carry(struct taking *t)
{
	struct taken_routine **used = calloc(t->nroutines + 1, sizeof *used);
	const struct symbol **functions = calloc(t->nroutines + 1, sizeof *functions);
	size_t n = 0;
	bool ok = (used && functions) || take_no_memory(t);

	for (size_t i = 0; ok && i < t->nroutines; i++) {
		struct taken_routine *a = &t->routines[i];

		if (a->number != PROFILE_NONE && a->routine.module != PROFILE_NONE && !a->is_script)
			used[n++] = a;
	}
	if (n)
		qsort(used, n, sizeof *used, by_module_and_start);
	for (size_t i = 0, end; ok && i < n; i = end) {
		size_t m = 0;

		for (end = i; end < n && used[end]->routine.module == used[i]->routine.module; end++)
			if (end == i || by_module_and_start(&used[end - 1], &used[end]) != 0)	/* several routines may be in one function */
				functions[m++] = &used[end]->symbol;
		ok = functions_carry(t, used[i]->routine.module, functions, m);
	}
	free(functions);
	free(used);
	return ok;
}

/* ---- contexts and figures ---- */

static void take_contexts_print(const struct taking *t, FILE *out)
{
	fprintf(out, "SELECT context, parent, routine, length FROM aprof_contexts WHERE image IN (%s) AND context IN (SELECT context", t->images);
	take_figures_print(t, out);
	fputs(") GROUP BY context, parent, routine, length ORDER BY length", out);
}

static bool contexts_read(struct taking *t, struct tuples_reader *r)
{
	if (!take_number_set(&t->contexts, keys_root(), 0))
		return take_no_memory(t);
	while (tuples_more(r)) {
		uint64_t key = tuples_read_u64(r), parent_key = tuples_read_u64(r), routine_key = tuples_read_u64(r);
		uint32_t routine, parent, context;
		struct number_of *at;
		bool is_new;

		tuples_read_u32(r);
		if (r->bad)
			break;
		routine = routine_number(t, routine_key);
		if (routine == PROFILE_NONE)
			return false;
		if (!take_number_get(&t->contexts, parent_key, &parent))
			return take_no_memory(t);
		if (parent == PROFILE_NONE)
			return take_corrupt(t, "it lacks a context");
		context = parts_context(t->p, parent, routine);
		at = context == PROFILE_NONE ? NULL : key_table_at(&t->contexts, &(struct number_of){ key, context }, &is_new);
		if (!at)
			return take_no_memory(t);
		if (!is_new)
			return take_corrupt(t, "two contexts have one key");
	}
	return true;
}

static void take_sums_print(const struct taking *t, FILE *out)
{
	fputs("SELECT context, caller, sum(calls), sum(recursive), sum(nsec), sum(samples), sum(bytes), count()", out);
	take_figures_print(t, out);
	fputs(" GROUP BY context, caller", out);
}

/* How many rows were added up to those in R. */
static uint64_t sums_rows(struct tuples_reader r)
{
	uint64_t n = 0;

	while (tuples_more(&r)) {
		for (int i = 0; i < 7; i++)
			tuples_read_u64(&r);
		add_capped(&n, tuples_read_u64(&r));
	}
	return n;
}

/* Ask for the sums until what was added up is all of the profiles, once. */
static bool sums_take(struct taking *t, struct http_reply *reply, struct tuples_reader *r)
{
	uint64_t rows = 0;

	for (int i = 0; i < TRIES; i++) {
		if (!take_head_take(t) || !take_ask(t, take_sums_print, HTTP_MANY, reply, r))
			return false;
		rows = sums_rows(*r);
		if (rows == t->rows)
			return true;
		free(reply->data);
		*reply = (struct http_reply){ 0 };
		t->final = true;
	}
	if (rows < t->rows)
		return take_corrupt(t, "it lacks figures of profiles");
	return error_set(t->err, ERROR_USAGE, ERROR_NO_OFFSET, "profiles are put into the store faster than they can be read; bound the time: AND time < ...");
}

/* The rows R of sums, to SHARES, one of each context, and ways that do not lead from a parent to the profile. */
static bool sums_read(struct taking *t, struct tuples_reader *r, struct profile_share *shares)
{
	while (tuples_more(r)) {
		uint64_t key = tuples_read_u64(r), caller = tuples_read_u64(r), calls = tuples_read_u64(r), recursive = tuples_read_u64(r), n[3];
		uint32_t to, from = PROFILE_NONE;

		for (int i = 0; i < 3; i++)
			n[i] = tuples_read_u64(r);
		tuples_read_u64(r);
		if (!take_number_get(&t->contexts, key, &to) || (caller && !take_number_get(&t->contexts, caller, &from)))
			return take_no_memory(t);
		if (to == PROFILE_NONE || (caller && from == PROFILE_NONE))
			return take_corrupt(t, "it lacks a context");
		add_capped(&shares[to].entries, calls);
		add_capped(&shares[to].recursive, recursive);
		add_capped(&shares[to].time, n[0]);
		add_capped(&shares[to].ticks, n[1]);
		add_capped(&shares[to].bytes, n[2]);
		add_capped(&shares[to].calls_out, recursive);
		if (caller && !parts_detour(t->p, from, to, calls))
			return take_no_memory(t);
		if (!caller)
			from = to ? t->p->contexts[to].parent : 0;
		add_capped(&shares[from].calls_out, calls);
	}
	return true;
}

static bool figures_take(struct taking *t, struct tuples_reader *r)
{
	struct profile_share *shares = calloc((size_t)t->p->ncontexts + 1, sizeof *shares);
	bool ok = shares ? sums_read(t, r, shares) : take_no_memory(t);

	for (uint32_t i = 0; ok && i < t->p->ncontexts; i++) {
		shares[i].context = i;
		if (!parts_share(t->p, &shares[i]))
			ok = take_no_memory(t);
	}
	free(shares);
	return ok;
}

/* ---- all of it ---- */

static bool take_parts_take(struct taking *t, const char *label)
{
	struct http_reply sums = { 0 }, reply;
	struct tuples_reader rows, r;
	bool ok = sums_take(t, &sums, &rows) && run_take(t, label) &&
		  take_ask(t, take_modules_print, HTTP_MANY, &reply, &r) && answered(t, &reply, &r, modules_read(t, &r)) &&
		  take_ask(t, take_routines_print, HTTP_MANY, &reply, &r) && answered(t, &reply, &r, routines_read(t, &r)) &&
		  take_ask(t, take_contexts_print, HTTP_MANY, &reply, &r) && answered(t, &reply, &r, contexts_read(t, &r)) && names_carry(t) && figures_take(t, &rows);

	free(sums.data);
	return ok;
}

/* The profile that was put together, in the order of one that was added up here. */
static struct profile *take_settle(struct taking *t)
{
	struct profile_sum *sum = profile_sum_new(t->n > SUM_APART);

	if (!sum) {
		take_no_memory(t);
		return NULL;
	}
	if (profile_sum_add(sum, t->p, t->err))
		return profile_sum_take(sum, t->err);
	profile_sum_free(sum);
	return NULL;
}

static void taking_free(struct taking *t)
{
	profile_free(t->p);
	key_table_free(&t->modules);
	key_table_free(&t->routines_at);
	key_table_free(&t->contexts);
	free(t->routines);
	free(t->alone);
	free(t->condition);
	free(t->images);
	arena_free(&t->strings);
}

struct profile *store_take(struct store *s, const char *condition, const char *label, uint64_t *n, struct error *err)
{
	struct key_table numbers = { .size = sizeof(struct number_of), .key = sizeof(uint64_t) };
	struct taking t = { .store = s, .err = err, .modules = numbers, .routines_at = numbers, .contexts = numbers };
	struct profile *p = NULL;

	t.condition = condition_sql(condition, (uint64_t)time(NULL), err);
	t.p = t.condition ? profile_new() : NULL;
	if (t.condition && !t.p)
		take_no_memory(&t);
	else if (t.condition && take_parts_take(&t, label))
		p = take_settle(&t);
	*n = t.n;
	taking_free(&t);
	return p;
}
