/* from_firefox.c - profiles of the Firefox Profiler: as it exports them ("processed"), also those that samply, perf through it, and aprof write, and as
 * Firefox itself writes them ("raw Gecko").
 *
 *     processed   "stackTable": {"prefix": [null, 0], "frame": [0, 1], "length": 2}          a list for each column
 *     raw         "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0], [0, 1]]}     a list for each row
 *
 * Strings stand in a list of their own.  Tables are the thread's, or since version 55 of the processed form all threads', under "shared".  Each sample stands for the
 * interval of the recording, or for its weight.  Processes of a raw profile hold each a profile of its own.  Allocations that a processed thread has beside its samples are values
 * of their own; what was freed is not taken from them. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/import/format.h"

enum { MOST_COLUMNS = 4, NONE = -1 };

/* A table, of the columns that are wanted. */
struct gecko_table {
	struct json_value value;
	double *columns[MOST_COLUMNS];	/* null is -1 */
	size_t rooms[MOST_COLUMNS], filled[MOST_COLUMNS];
	size_t n;			/* rows */
};

/* Which tables there are, and what is wanted of them: the names of the columns, of the samples' weight and interval among them. */
enum gecko_kind { STACKS, FRAMES, FUNCTIONS, RESOURCES, GECKO_TABLES };
enum { STACK_PREFIX, STACK_FRAME };
enum { FRAME_FUNCTION, FRAME_LOCATION };
enum { FUNCTION_NAME, FUNCTION_FILE, FUNCTION_LINE, FUNCTION_RESOURCE };
enum { RESOURCE_LIB };
enum { SAMPLE_STACK, SAMPLE_WEIGHT };
static const struct { const char *name; const char *columns[MOST_COLUMNS]; } gecko_tables[GECKO_TABLES] = {
	[STACKS] = { "stackTable", { "prefix", "frame" } },
	[FRAMES] = { "frameTable", { "func", "location" } },
	[FUNCTIONS] = { "funcTable", { "name", "fileName", "lineNumber", "resource" } },
	[RESOURCES] = { "resourceTable", { "lib" } },
};
static const char *const gecko_sample_columns[MOST_COLUMNS] = { "stack", "weight" };

/* Samples of another kind, in bytes: of JavaScript's objects, and of malloc's. */
enum { GECKO_ALLOCATIONS = WEIGHTS_BESIDE };
static const struct { const char *table, *value; } gecko_allocations[GECKO_ALLOCATIONS] = {
	{ "jsAllocations", "js_allocations" }, { "nativeAllocations", "native_allocations" },
};

/* Where the strings of a list are. */
struct gecko_strings {
	struct json_value value;
	const char **at;
	size_t n, room;
};

/* The tables of a thread, or of all. */
struct gecko_tables {
	struct gecko_table table[GECKO_TABLES];
	struct gecko_strings strings;
	uint32_t *functions;		/* of each row of the table of functions, raw: of frames; BUILDER_NONE: not asked for yet */
	size_t nfunctions;
	struct distinct seen;
};

/* One reading. */
struct gecko {
	struct reading *r;
	struct json_room text, file, module;
	struct gecko_tables shared;
	struct gecko_strings libs;	/* paths of modules */
	struct stack stack;
	struct weights weights;
	bool allocates[GECKO_ALLOCATIONS]; /* some thread has that table */
	uint32_t allocated[GECKO_ALLOCATIONS]; /* values of the builder */
	double interval;		/* ms between samples */
	double start;			/* ms since 1970 */
	bool own;			/* aprof wrote it */
	bool raw;
	uint32_t nthreads;
};

/* A thread, as it stands. */
struct gecko_thread {
	struct json_value samples, name, pid, tid, process, libs, tables[GECKO_TABLES], strings, weight_type, allocations[GECKO_ALLOCATIONS];
};

static bool gecko_wrong(struct gecko *g, const char *at, const char *what)
{
	return reading_wrong(g->r, (size_t)(at - (const char *)g->r->data), "%s", what);
}

/* ---- tables ---- */

static bool gecko_cell_add(struct gecko_table *t, size_t column, size_t row, const struct json_value *v)
{
	double number;

	if (!array_reserve(&t->columns[column], &t->rooms[column], row + 1, sizeof *t->columns[column]))
		return false;
	t->columns[column][row] = json_double(v, &number) ? number : NONE;
	t->filled[column] = row + 1;
	return true;
}

static bool gecko_column_read(struct gecko *g, struct gecko_table *t, size_t column, struct json_value list)
{
	struct json_walk w = json_walk(list);

	while (json_next(&w))
		if (!gecko_cell_add(t, column, w.n - 1, &w.value))
			return reading_no_memory(g->r);
	t->n = t->n < w.n ? w.n : t->n;
	return !w.wrong || reading_wrong_json(g->r, &w);
}

/* Rows whose columns the map SCHEMA numbers. */
static bool gecko_rows_read(struct gecko *g, struct gecko_table *t, const char *const *names, struct json_value schema, struct json_value data)
{
	struct json_walk w = json_walk(schema), rows = json_walk(data);
	int64_t places[MOST_COLUMNS] = { NONE, NONE, NONE, NONE };

	while (json_next(&w))
		for (size_t c = 0; c < MOST_COLUMNS && names[c]; c++)
			if (json_key_is(&w, names[c]))
				places[c] = json_whole(&w.value);
	while (json_next(&rows)) {
		struct json_walk row = json_walk(rows.value);

		for (size_t c = 0; c < MOST_COLUMNS; c++)
			if (places[c] >= 0 && !gecko_cell_add(t, c, rows.n - 1, &(struct json_value){ 0 }))
				return reading_no_memory(g->r);
		while (json_next(&row))
			for (size_t c = 0; c < MOST_COLUMNS; c++)
				if (places[c] == (int64_t)row.n - 1 && !gecko_cell_add(t, c, rows.n - 1, &row.value))
					return reading_no_memory(g->r);
		if (!json_leave(&rows, &row))
			break;
	}
	t->n = rows.n;
	return !rows.wrong || reading_wrong_json(g->r, &rows);
}

/* Fill the columns NAMES of T, in either form. */
static bool gecko_table_read(struct gecko *g, struct gecko_table *t, const char *const *names)
{
	struct json_walk w = json_walk(t->value);
	struct json_value schema = { .kind = JSON_NOTHING }, data = schema;

	while (json_next(&w)) {
		schema = json_key_is(&w, "schema") ? w.value : schema;
		data = json_key_is(&w, "data") ? w.value : data;
		for (size_t c = 0; c < MOST_COLUMNS && names[c]; c++)
			if (json_key_is(&w, names[c]) && w.value.kind == JSON_LIST && !gecko_column_read(g, t, c, w.value))
				return false;
	}
	if (w.wrong)
		return reading_wrong_json(g->r, &w);
	return schema.kind != JSON_MAP || gecko_rows_read(g, t, names, schema, data);
}

static void gecko_table_free(struct gecko_table *t)
{
	for (size_t c = 0; c < MOST_COLUMNS; c++)
		free(t->columns[c]);
	*t = (struct gecko_table){ 0 };
}

/* Cell ROW of COLUMN as a number of something; -1: none. */
static int64_t gecko_cell(const struct gecko_table *t, size_t column, size_t row)
{
	double number = row < t->filled[column] ? t->columns[column][row] : NONE;

	return number >= 0 && number <= 0x1p53 ? (int64_t)number : NONE;
}

static bool gecko_strings_read(struct gecko *g, struct gecko_strings *s)
{
	struct json_walk w = json_walk(s->value);

	while (json_next(&w)) {
		if (!array_reserve(&s->at, &s->room, s->n + 1, sizeof *s->at))
			return reading_no_memory(g->r);
		s->at[s->n++] = w.value.at;
	}
	return !w.wrong || reading_wrong_json(g->r, &w);
}

/* String number I of S, "" if there is none; NULL: out of memory. */
static const char *gecko_string(struct gecko *g, const struct gecko_strings *s, int64_t i, struct json_room *room)
{
	const char *end = (const char *)g->r->data + g->r->len;
	struct json_value v = i >= 0 && (uint64_t)i < s->n && s->at[i] ? json_value_at(s->at[i], (size_t)(end - s->at[i])) : (struct json_value){ 0 };
	const char *text = json_text_of(room, &v);

	if (text && g->own) {
		char *copy = strdup(text);

		if (!copy)
			return NULL;
		text_unescape(room->text, copy, copy + strlen(copy));
		free(copy);
	}
	return text;
}

static bool gecko_tables_read(struct gecko *g, struct gecko_tables *t)
{
	for (size_t i = 0; i < GECKO_TABLES; i++)
		if (!gecko_table_read(g, &t->table[i], gecko_tables[i].columns))
			return false;
	if (!gecko_strings_read(g, &t->strings))
		return false;
	t->nfunctions = t->table[g->raw ? FRAMES : FUNCTIONS].n;
	t->functions = malloc((t->nfunctions + 1) * sizeof *t->functions);
	for (size_t i = 0; t->functions && i < t->nfunctions; i++)
		t->functions[i] = BUILDER_NONE;
	return t->functions || reading_no_memory(g->r);
}

static void gecko_tables_free(struct gecko_tables *t)
{
	for (size_t i = 0; i < GECKO_TABLES; i++)
		gecko_table_free(&t->table[i]);
	free(t->strings.at);
	free(t->functions);
	distinct_free(&t->seen);
	*t = (struct gecko_tables){ 0 };
}

/* ---- functions ---- */

/* The function, given twice if it is another one than those alike. */
static uint32_t gecko_function_put(struct gecko *g, struct gecko_tables *t, struct builder_function *f, size_t row)
{
	uint32_t function = builder_function(g->r->builder, f);

	if (g->own && function != BUILDER_NONE && !distinct_add(&t->seen, function)) {
		f->address = DISTINCT_ADDRESS + row;
		f->apart = true;
		function = builder_function(g->r->builder, f);
	}
	return function;
}

/* Row ROW of the table of functions. */
static uint32_t gecko_processed_function(struct gecko *g, struct gecko_tables *t, size_t row)
{
	const struct gecko_table *functions = &t->table[FUNCTIONS];
	int64_t line = gecko_cell(functions, FUNCTION_LINE, row), resource = gecko_cell(functions, FUNCTION_RESOURCE, row);
	int64_t lib = resource >= 0 ? gecko_cell(&t->table[RESOURCES], RESOURCE_LIB, (size_t)resource) : NONE;
	const char *name = gecko_string(g, &t->strings, gecko_cell(functions, FUNCTION_NAME, row), &g->text);
	const char *file = gecko_string(g, &t->strings, gecko_cell(functions, FUNCTION_FILE, row), &g->file);
	const char *module = gecko_string(g, &g->libs, lib, &g->module);
	struct builder_function f = { .module = BUILDER_NONE, .name = name && *name ? name : "(unknown)", .file = file && *file ? file : NULL,
		.line = line > 0 && line < UINT32_MAX ? (uint32_t)line : 0 };

	if (!name || !file || !module)
		return BUILDER_NONE;
	if (*module && (f.module = builder_module(g->r->builder, module, NULL, 0)) == BUILDER_NONE)
		return BUILDER_NONE;
	return gecko_function_put(g, t, &f, row);
}

/* `name (file:line)` and `name (file:line:column)`, as raw frames of scripts are: cut the place off TEXT, and tell it.  False: there is none. */
static bool gecko_place_take(char *text, char **file, uint32_t *line)
{
	size_t n = strlen(text);
	char *open = n && text[n - 1] == ')' ? strstr(text, " (") : NULL, *numbers[2] = { NULL, NULL };

	for (char *at = open; at && (at = strstr(at + 1, " (")) != NULL;)
		open = at;
	if (!open)
		return false;
	text[n - 1] = '\0';
	for (int i = 0; i < 2; i++) {
		char *colon = strrchr(open + 2, ':');

		if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])
			break;
		*colon = '\0';
		numbers[i] = colon + 1;
	}
	if (!numbers[0]) {
		text[n - 1] = ')';
		return false;
	}
	*open = '\0';
	*file = open + 2;
	*line = (uint32_t)strtoul(numbers[1] ? numbers[1] : numbers[0], NULL, 10);
	return true;
}

/* Row ROW of the table of frames of a raw profile: all is in one string. */
static uint32_t gecko_raw_function(struct gecko *g, struct gecko_tables *t, size_t row)
{
	struct builder_function f = { .module = BUILDER_NONE };
	char *file = NULL;

	if (!gecko_string(g, &t->strings, gecko_cell(&t->table[FRAMES], FRAME_LOCATION, row), &g->text))
		return BUILDER_NONE;
	if (gecko_place_take(g->text.text, &file, &f.line))
		f.file = file;
	f.name = g->text.text[0] ? g->text.text : "(unknown)";
	return builder_function(g->r->builder, &f);
}

/* Put the function of frame ROW on the stack. */
static bool gecko_frame_push(struct gecko *g, struct gecko_tables *t, int64_t row, const char *at)
{
	int64_t i = g->raw || row < 0 ? row : gecko_cell(&t->table[FRAMES], FRAME_FUNCTION, (size_t)row);

	if (i < 0 || (uint64_t)i >= t->nfunctions)
		return gecko_wrong(g, at, "a stack with a frame or a function that the file has not");
	if (t->functions[i] == BUILDER_NONE)
		t->functions[i] = g->raw ? gecko_raw_function(g, t, (size_t)i) : gecko_processed_function(g, t, (size_t)i);
	return (t->functions[i] != BUILDER_NONE && stack_push(&g->stack, t->functions[i])) || reading_no_memory(g->r);
}

/* The functions of stack ROW, outermost first; a prefix stands before what it is one of. */
static bool gecko_stack_take(struct gecko *g, struct gecko_tables *t, int64_t row, const char *at)
{
	const struct gecko_table *stacks = &t->table[STACKS];

	for (g->stack.n = 0; row >= 0;) {
		int64_t prefix = gecko_cell(stacks, STACK_PREFIX, (size_t)row);

		if ((uint64_t)row >= stacks->n || prefix >= row)
			return gecko_wrong(g, at, "a sample with a stack that the file has not");
		if (!gecko_frame_push(g, t, gecko_cell(stacks, STACK_FRAME, (size_t)row), at))
			return false;
		row = prefix;
	}
	stack_turn(&g->stack);
	return reading_follow(g->r, g->stack.n);
}

/* ---- threads ---- */

static struct gecko_thread gecko_thread_take(struct json_value thread)
{
	struct json_walk w = json_walk(thread);
	struct gecko_thread t = { .samples.kind = JSON_NOTHING };
	const struct { const char *key; struct json_value *value; } members[] = {
		{ "samples", &t.samples }, { "name", &t.name }, { "pid", &t.pid }, { "tid", &t.tid }, { "processName", &t.process }, { "libs", &t.libs },
		{ "stringArray", &t.strings }, { "stringTable", &t.strings }, { gecko_tables[STACKS].name, &t.tables[STACKS] },
		{ gecko_tables[FRAMES].name, &t.tables[FRAMES] }, { gecko_tables[FUNCTIONS].name, &t.tables[FUNCTIONS] },
		{ gecko_tables[RESOURCES].name, &t.tables[RESOURCES] }, { gecko_allocations[0].table, &t.allocations[0] },
		{ gecko_allocations[1].table, &t.allocations[1] },
	};

	while (json_next(&w))
		for (size_t i = 0; i < sizeof members / sizeof *members; i++)
			if (json_key_is(&w, members[i].key))
				*members[i].value = w.value;
	for (w = json_walk(t.samples); json_next(&w);)
		if (json_key_is(&w, "weightType"))
			t.weight_type = w.value;
	return t;
}

/* What the samples of T stand for: *SCALE is what one is. */
static enum weight_kind gecko_kind(const struct gecko *g, const struct gecko_thread *t, double *scale, bool *calls)
{
	*calls = g->own && json_string_is(&t->weight_type, "samples");
	*scale = json_string_is(&t->weight_type, "tracing-ms") ? 1e6 : g->interval * 1e6;
	if (!json_string_is(&t->weight_type, "bytes"))
		return WEIGHT_TIME;
	*scale = 1;
	return WEIGHT_BYTES;
}

/* Add all samples of T, whose own or shared tables are TABLES, to THREAD. */
static bool gecko_samples_add(struct gecko *g, const struct gecko_thread *t, struct gecko_tables *tables, const struct gecko_table *samples, uint32_t thread)
{
	bool calls, timed = json_string_is(&t->weight_type, "tracing-ms");
	double scale;
	enum weight_kind kind = gecko_kind(g, t, &scale, &calls);

	for (size_t i = 0; i < samples->n; i++) {
		int64_t stack = gecko_cell(samples, SAMPLE_STACK, i);
		double weight = i < samples->filled[SAMPLE_WEIGHT] ? samples->columns[SAMPLE_WEIGHT][i] : 1;
		struct builder_sample sample = { .thread = thread };

		if (stack < 0 || weight == 0)
			continue;
		if (weight < 0)
			return gecko_wrong(g, t->samples.at, "samples with negative weights: the difference of two profiles is not shown");
		if (!gecko_stack_take(g, tables, stack, t->samples.at))
			return false;
		sample.functions = g->stack.functions;
		sample.n = g->stack.n;
		sample.calls = calls ? amount_of(weight) : 0;
		sample.ticks = calls || timed || kind != WEIGHT_TIME ? 0 : amount_of(weight);
		sample.amounts = weights_of(&g->weights, kind, calls ? 0 : weight * scale);
		builder_add(g->r->builder, &sample);
	}
	return true;
}

/* Add what T allocated, of KIND. */
static bool gecko_allocations_add(struct gecko *g, const struct gecko_thread *t, struct gecko_tables *tables, size_t kind, uint32_t thread)
{
	struct gecko_table samples = { .value = t->allocations[kind] };
	bool ok = gecko_table_read(g, &samples, gecko_sample_columns);

	for (size_t i = 0; ok && i < samples.n; i++) {
		int64_t stack = gecko_cell(&samples, SAMPLE_STACK, i);
		double bytes = i < samples.filled[SAMPLE_WEIGHT] ? samples.columns[SAMPLE_WEIGHT][i] : 0;

		if (stack < 0 || bytes <= 0)				/* negative: it was freed */
			continue;
		ok = gecko_stack_take(g, tables, stack, t->allocations[kind].at);
		if (ok)
			builder_add(g->r->builder, &(struct builder_sample){ .thread = thread, .functions = g->stack.functions, .n = g->stack.n, .ticks = 1,
				.amounts = weights_of_value(&g->weights, g->allocated[kind], bytes) });
	}
	gecko_table_free(&samples);
	return ok;
}

/* The thread of the builder that T is. */
static uint32_t gecko_thread_of(struct gecko *g, const struct gecko_thread *t)
{
	const char *program = json_text_of(&g->text, &t->process), *name = json_text_of(&g->file, &t->name);
	int64_t pid = json_whole(&t->pid), tid = json_whole(&t->tid);
	uint32_t process;

	g->nthreads++;
	if (!program || !name)
		return BUILDER_NONE;
	process = builder_process(g->r->builder, pid >= 0 && pid <= INT32_MAX ? (uint32_t)pid : 0, 0, *program ? program : NULL, amount_of(g->start * 1e6));
	return builder_thread(g->r->builder, process, tid >= 0 && tid <= INT32_MAX ? (uint32_t)tid : g->nthreads, g->own && strcmp(name, "thread") == 0 ? NULL : name);
}

static bool gecko_thread_read(struct gecko *g, struct json_value thread)
{
	struct gecko_thread t = gecko_thread_take(thread);
	bool has_own = t.tables[STACKS].kind == JSON_MAP;
	struct gecko_table samples = { .value = t.samples };
	struct gecko_tables own = { 0 };
	uint32_t number = gecko_thread_of(g, &t);
	bool ok = number != BUILDER_NONE || reading_no_memory(g->r);

	for (size_t i = 0; i < GECKO_TABLES; i++)
		own.table[i].value = t.tables[i];
	own.strings.value = t.strings.kind == JSON_LIST ? t.strings : g->shared.strings.value;
	ok = ok && gecko_table_read(g, &samples, gecko_sample_columns) && (!has_own || gecko_tables_read(g, &own)) &&
		gecko_samples_add(g, &t, has_own ? &own : &g->shared, &samples, number);
	for (size_t i = 0; ok && i < GECKO_ALLOCATIONS; i++)
		ok = gecko_allocations_add(g, &t, has_own ? &own : &g->shared, i, number);
	gecko_table_free(&samples);
	gecko_tables_free(&own);
	return ok;
}

/* ---- the file ---- */

static bool gecko_meta_read(struct gecko *g, struct json_value meta)
{
	struct json_walk w = json_walk(meta);

	g->raw = true;
	g->interval = 1;
	while (json_next(&w)) {
		if (json_key_is(&w, "interval"))
			json_double(&w.value, &g->interval);
		if (json_key_is(&w, "startTime"))
			json_double(&w.value, &g->start);
		if (json_key_is(&w, "preprocessedProfileVersion"))
			g->raw = false;
		if (json_key_is(&w, "importedFrom") && !json_text_of(&g->text, &w.value))
			return reading_no_memory(g->r);
		if (json_key_is(&w, "importedFrom"))
			g->own = strncmp(g->text.text, "aprof ", 6) == 0;
	}
	return !w.wrong || reading_wrong_json(g->r, &w);
}

/* Paths of modules, in the order of the list LIBS. */
static bool gecko_libs_read(struct gecko *g, struct json_value libs)
{
	struct json_walk w = json_walk(libs);

	g->libs.n = 0;
	while (json_next(&w)) {
		struct json_walk lib = json_walk(w.value);

		if (!array_reserve(&g->libs.at, &g->libs.room, w.n, sizeof *g->libs.at))
			return reading_no_memory(g->r);
		for (g->libs.at[w.n - 1] = NULL; json_next(&lib);)
			if (json_key_is(&lib, "path"))
				g->libs.at[w.n - 1] = lib.value.at;
		g->libs.n = w.n;
	}
	return !w.wrong || reading_wrong_json(g->r, &w);
}

static bool gecko_shared_read(struct gecko *g, struct json_value shared)
{
	struct gecko_thread t = gecko_thread_take(shared);

	for (size_t i = 0; i < GECKO_TABLES; i++)
		g->shared.table[i].value = t.tables[i];
	g->shared.strings.value = t.strings;
	return gecko_tables_read(g, &g->shared);
}

/* A profile, or a process of a raw one: LOOK: only which values its threads have. */
static bool gecko_profile_read(struct gecko *g, struct json_value profile, bool look, unsigned depth)
{
	struct json_walk w = json_walk(profile);
	struct json_value meta = { .kind = JSON_NOTHING }, libs = meta, threads = meta, processes = meta, shared = meta;
	const struct { const char *key; struct json_value *value; } members[] = {
		{ "meta", &meta }, { "libs", &libs }, { "threads", &threads }, { "processes", &processes }, { "shared", &shared },
	};
	bool calls;
	double scale;

	while (json_next(&w))
		for (size_t i = 0; i < sizeof members / sizeof *members; i++)
			if (json_key_is(&w, members[i].key))
				*members[i].value = w.value;
	if (w.wrong)
		return reading_wrong_json(g->r, &w);
	if (!gecko_meta_read(g, meta) || (!look && (!gecko_libs_read(g, libs) || !gecko_shared_read(g, shared))))
		return false;
	for (w = json_walk(threads); json_next(&w);) {
		struct gecko_thread t = gecko_thread_take(w.value);

		if (!look && !gecko_thread_read(g, w.value))
			return false;
		g->weights.has[gecko_kind(g, &t, &scale, &calls)] = true;
		for (size_t i = 0; i < GECKO_ALLOCATIONS; i++)
			g->allocates[i] |= t.allocations[i].kind == JSON_MAP;
		if (calls)
			builder_header(g->r->builder)->way = 0;
	}
	if (!look)
		gecko_tables_free(&g->shared);
	if (w.wrong)
		return reading_wrong_json(g->r, &w);
	for (w = json_walk(processes); depth == 0 && json_next(&w);)
		if (!gecko_profile_read(g, w.value, look, depth + 1))
			return false;
	return true;
}

static bool firefox_read(struct reading *r)
{
	struct json_value root = json_value_at((const char *)r->data, r->len);
	struct gecko g = { .r = r };
	bool ok = gecko_profile_read(&g, root, true, 0);

	if (ok)
		weights_declare(&g.weights, r, "samples", true);
	for (size_t i = 0; ok && i < GECKO_ALLOCATIONS; i++)
		if (g.allocates[i])
			g.allocated[i] = builder_value(r->builder, gecko_allocations[i].value, "bytes", true);
	ok = ok && gecko_profile_read(&g, root, false, 0);
	gecko_tables_free(&g.shared);
	free(g.libs.at);
	free(g.text.text);
	free(g.file.text);
	free(g.module.text);
	free(g.stack.functions);
	return ok;
}

/* A map with "meta", and with "threads" that are a list. */
static bool firefox_is(struct json_value root)
{
	struct json_walk w = json_walk(root);
	bool meta = false, threads = false;

	while (root.kind == JSON_MAP && json_next(&w)) {
		meta |= json_key_is(&w, "meta") && w.value.kind == JSON_MAP;
		threads |= json_key_is(&w, "threads") && w.value.kind == JSON_LIST;
	}
	return meta && threads;
}

static size_t firefox_reads(const char *head, size_t n, bool whole) { return json_reads(head, n, whole, firefox_is); }

const struct import_format import_firefox = { "Firefox Profiler", firefox_reads, true, firefox_read };
