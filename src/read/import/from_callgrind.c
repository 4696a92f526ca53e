/* from_callgrind.c - callgrind.out, as valgrind's manual specifies it ("Callgrind Format Specification"), and what others write in that format.
 *
 *     fl=(1) prog.c
 *     fn=(2) work
 *     12 4000                         a position, and the costs of the function itself there: of each event a number
 *     cfn=(3) leaf
 *     calls=1000 20                   calls, and where the callee begins
 *     12 9000                         where they are made, and the costs of all that passed in them
 *
 * There are no contexts in it: what is made of it has each function with its own cost, and arcs with calls and with the cost within.  Each event is a
 * value.  Of each line of the source its costs are kept, too, and which calls stand there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/pair_table.h"
#include "read/import/cost_lines.h"
#include "read/import/cost_words.h"
#include "read/import/format.h"

enum kind { OBJECT, FILE_NAME, FUNCTION };
enum { MOST_EVENTS = 64, MOST_POSITIONS = 4, NONE = COST_WORD_NONE };

/* A function. */
struct cost_function {
	uint32_t object, file, name;	/* words; NONE: not told */
	uint32_t called_at, least;	/* line that calls lead to, and the least one of its own file with a cost; 0: none */
	uint32_t number;		/* in the builder */
};

/* All calls from one to another. */
struct cost_arc {
	uint32_t from, to;		/* functions */
	uint64_t calls;
};

/* Of each function, arc or line its costs: of each event one. */
struct cost_table {
	uint64_t *all;
	size_t n, room;
};

/* One reading. */
struct costs {
	struct reading *r;
	struct lines l;
	struct cost_words words;
	struct cost_function *functions;
	uint32_t nfunctions;
	size_t functions_room;
	struct table by_name;		/* functions */
	struct cost_arc *arcs;
	uint32_t narcs;
	size_t arcs_room;
	struct pair_table by_ends;	/* index of arcs + 1 */
	struct cost_table selves, within; /* of functions by themselves, and of all that passed in arcs */
	struct cost_lines lines;
	struct cost_table of_lines;	/* by their numbers */
	uint64_t position[MOST_POSITIONS]; /* the last ones */
	unsigned npositions, line_at;	/* which of them is the source line; npositions: none is */
	char events[MOST_EVENTS][64];	/* names, as the first part of the file has them */
	unsigned nevents;		/* how many; 0: none was told */
	unsigned columns[MOST_EVENTS], ncolumns; /* which of them the costs at hand are of, one after the other */
	uint64_t costs[MOST_EVENTS];	/* of the line at hand, of each event */
	uint32_t object, file, place, function; /* where the lines at hand are: place may be a file that was included; function NONE: nowhere */
	uint32_t callee_object, callee_file, callee; /* NONE: not told */
	enum { COST, CALL, JUMP } next;	/* what the next line of numbers is of */
	uint64_t calls, callee_line;	/* of CALL */
	bool functions_told;		/* there were costs: the events are known */
	uint64_t sums[MOST_EVENTS];	/* of own costs since the last sums that the file tells */
	char program[512];
	uint32_t pid;
	uint32_t strange;		/* lines of the head that are not known */
	size_t good;			/* lines of costs */
	bool xdebug2;			/* PHP's Xdebug wrote it before version 3: its Time is in us, which it does not say */
	bool uncounted;			/* calls were not counted: aprof's own export of such a profile has one for each arc (show/export/callgrind.c) */
};

static bool from_callgrind_wrong(struct costs *c, const char *what)
{
	return reading_wrong_line(c->r, &c->l, what);
}

/* ---- the head ---- */

/* Whether the line is `word: ...`, WORD of the N bytes before the colon; *VALUE is what follows. */
static bool from_callgrind_head_take(const char *line, size_t n, const char **word, size_t *length, const char **value)
{
	const char *at = line, *end = line + n;

	while (at < end && ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z')))
		at++;
	*word = line;
	*length = (size_t)(at - line);
	while (at < end && *at == ' ')
		at++;
	if (*length == 0 || at == end || *at != ':')
		return false;
	for (at++; at < end && (*at == ' ' || *at == '\t'); at++)
		;
	*value = at;
	return true;
}

static bool from_callgrind_is_word(const char *text, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(text, word, n) == 0;
}

/* The next word of *AT, LENGTH bytes of it; NULL: there is none. */
static const char *word_take(const char **at, const char *end, size_t *length)
{
	const char *word;

	while (*at < end && (**at == ' ' || **at == '\t'))
		(*at)++;
	word = *at;
	while (*at < end && **at != ' ' && **at != '\t')
		(*at)++;
	*length = (size_t)(*at - word);
	return *length ? word : NULL;
}

/* How many nanoseconds one of the event NAME is; 0: it is no time. */
static uint64_t from_callgrind_nsec_of(const char *name)
{
	static const struct { const char *name; uint64_t nsec; } units[] = { { "ns", 1 }, { "us", 1000 }, { "\302\265s", 1000 }, { "\316\274s", 1000 }, { "\265s", 1000 },
		{ "ms", 1000000 }, { "s", 1000000000 }, { "sec", 1000000000 } };
	const char *open = strrchr(name, '('), *text = open ? open + 1 : name;
	uint64_t number = 1;
	char *end = (char *)(uintptr_t)text;

	if (open && *text >= '1' && *text <= '9')
		number = strtoul(text, &end, 10);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strncmp(end, units[i].name, strlen(units[i].name)) == 0 && strcmp(end + strlen(units[i].name), open ? ")" : "") == 0 && number <= 1000000)
			return number * units[i].nsec;
	return 0;
}

/* The number of the event WORD of N bytes; MOST_EVENTS: none of those of the first part, or one too many. */
static unsigned event_find(struct costs *c, const char *word, size_t n)
{
	for (unsigned i = 0; i < c->nevents; i++)
		if (strlen(c->events[i]) == n && memcmp(c->events[i], word, n) == 0)
			return i;
	if (c->functions_told || c->nevents == MOST_EVENTS || n >= sizeof *c->events)
		return MOST_EVENTS;
	memcpy(c->events[c->nevents], word, n);
	c->events[c->nevents][n] = '\0';
	return c->nevents++;
}

/* The events of the costs that follow. */
static bool events_take(struct costs *c, const char *at, const char *end)
{
	const char *word;
	size_t n;

	for (c->ncolumns = 0; (word = word_take(&at, end, &n)) != NULL; c->ncolumns++) {
		unsigned event = event_find(c, word, n);

		if (event == MOST_EVENTS || c->ncolumns == MOST_EVENTS)
			return from_callgrind_wrong(c, c->functions_told ? "another event than in the part before" : "too many events, or too long a name of one");
		c->columns[c->ncolumns] = event;
	}
	return c->ncolumns > 0 || from_callgrind_wrong(c, "no event is named");
}

static bool positions_take(struct costs *c, const char *at, const char *end)
{
	const char *word;
	size_t n;

	c->line_at = MOST_POSITIONS;
	for (c->npositions = 0; (word = word_take(&at, end, &n)) != NULL; c->npositions++) {
		if (c->npositions == MOST_POSITIONS)
			return from_callgrind_wrong(c, "too many kinds of positions");
		if (from_callgrind_is_word(word, n, "line"))
			c->line_at = c->npositions;
	}
	return c->npositions > 0 || from_callgrind_wrong(c, "no kind of position is named");
}

/* What the file says that the costs of the part add up to. */
static bool from_callgrind_totals_take(struct costs *c, const char *at, const char *end)
{
	for (unsigned i = 0; i < c->ncolumns && at < end; i++) {
		uint64_t total, sum = c->sums[c->columns[i]];

		if (!cost_number(&at, end, &total))
			return from_callgrind_wrong(c, "no sums of costs");
		if (total != sum)
			reading_note(c->r, "note: %.100s: its lines add up to %llu %s, which it says are %llu", c->r->label, (unsigned long long)sum,
				     c->events[c->columns[i]], (unsigned long long)total);
	}
	memset(c->sums, 0, sizeof c->sums);
	return true;
}

static void text_take(char *out, size_t size, const char *at, const char *end)
{
	size_t n = (size_t)(end - at) < size - 1 ? (size_t)(end - at) : size - 1;

	memcpy(out, at, n);
	out[n] = '\0';
}

static bool head_line(struct costs *c, const char *word, size_t n, const char *at, const char *end)
{
	static const char *const passed[] = { "part", "thread", "summary", "event" };
	uint64_t number;
	size_t length;

	if (from_callgrind_is_word(word, n, "events"))
		return events_take(c, at, end);
	if (from_callgrind_is_word(word, n, "positions"))
		return positions_take(c, at, end);
	if (from_callgrind_is_word(word, n, "totals"))
		return from_callgrind_totals_take(c, at, end);
	if (from_callgrind_is_word(word, n, "version")) {
		c->xdebug2 |= from_callgrind_is_word(at, (size_t)(end - at), "0.9.6");
		return c->xdebug2 || (cost_number(&at, end, &number) && number == 1) || from_callgrind_wrong(c, "a version of the format that is not known");
	}
	if (from_callgrind_is_word(word, n, "creator")) {
		c->xdebug2 |= end - at > 8 && (memcmp(at, "xdebug 2", 8) == 0 || memcmp(at, "xdebug 1", 8) == 0);
	} else if (from_callgrind_is_word(word, n, "pid")) {
		c->pid = cost_number(&at, end, &number) ? (uint32_t)number : 0;
	} else if (from_callgrind_is_word(word, n, "desc")) {
		c->uncounted |= from_callgrind_is_word(at, (size_t)(end - at), "Calls: not counted; each arc has 1");
	} else if (from_callgrind_is_word(word, n, "cmd")) {
		word = word_take(&at, end, &length);
		text_take(c->program, sizeof c->program, word ? word : end, word ? word + length : end);
	} else {
		for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
			if (from_callgrind_is_word(word, n, passed[i]))
				return true;
		c->strange++;
	}
	return true;
}

/* ---- functions and arcs ---- */

static uint64_t function_key(const struct cost_function *f)
{
	return hash_mix(hash_mix(f->object, f->file), f->name);
}

static uint64_t function_hash(const void *owner, uint32_t i)
{
	return function_key(&((const struct costs *)owner)->functions[i]);
}

/* The function of that OBJECT, FILE and NAME; NONE: out of memory. */
static uint32_t function_of(struct costs *c, uint32_t object, uint32_t file, uint32_t name)
{
	struct cost_function f = { .object = object, .file = file, .name = name };
	uint64_t key = function_key(&f), i = key;
	uint32_t k;

	while ((k = table_next(&c->by_name, &i)) != UINT32_MAX)
		if (c->functions[k].object == object && c->functions[k].file == file && c->functions[k].name == name)
			return k;
	if (!array_grow(&c->functions, &c->functions_room, c->nfunctions, sizeof f) ||
	    !table_reserve(&c->by_name, c->nfunctions + 1, function_hash, c))
		return NONE;
	c->functions[c->nfunctions] = f;
	table_add(&c->by_name, key, c->nfunctions);
	return c->nfunctions++;
}

/* The costs of number I in T, 0 at first; NULL: out of memory. */
static uint64_t *costs_at(const struct costs *c, struct cost_table *t, uint32_t i)
{
	size_t need = ((size_t)i + 1) * c->nevents;

	if (!array_reserve(&t->all, &t->room, need, sizeof *t->all))
		return NULL;
	for (; t->n < need; t->n++)
		t->all[t->n] = 0;
	return t->all + need - c->nevents;
}

/* Add the costs of the line at hand to those of number I in T. */
static bool costs_add(struct costs *c, struct cost_table *t, uint32_t i)
{
	uint64_t *to = costs_at(c, t, i);

	for (unsigned k = 0; to && k < c->nevents; k++)
		add_capped(&to[k], c->costs[k]);
	return to || reading_no_memory(c->r);
}

static bool from_callgrind_arc_add(struct costs *c)
{
	uint32_t *slot = pair_table_at(&c->by_ends, c->function, c->callee);
	struct cost_function *to = &c->functions[c->callee];

	if (!slot)
		return reading_no_memory(c->r);
	if (*slot == 0) {
		if (!array_grow(&c->arcs, &c->arcs_room, c->narcs, sizeof *c->arcs))
			return reading_no_memory(c->r);
		c->arcs[c->narcs] = (struct cost_arc){ .from = c->function, .to = c->callee };
		*slot = ++c->narcs;
	}
	add_capped(&c->arcs[*slot - 1].calls, c->calls);
	if (c->callee_line && (!to->called_at || c->callee_line < to->called_at))
		to->called_at = (uint32_t)c->callee_line;
	return costs_add(c, &c->within, *slot - 1);
}

/* ---- the lines ---- */

/* A line `key=...`, AT behind the sign. */
static bool from_callgrind_name_line(struct costs *c, enum kind kind, uint32_t *word, const char *at, const char *end)
{
	const char *why;

	if (at == end && kind != FUNCTION) {	/* as if it were not told */
		*word = NONE;
		return true;
	}
	if (at == end)
		at = "???", end = at + 3;	/* what callgrind calls a function that has no name */
	*word = cost_word(&c->words, kind, at, end, &why);
	return *word != NONE || (why ? from_callgrind_wrong(c, why) : reading_no_memory(c->r));
}

static bool function_line(struct costs *c, const char *at, const char *end)
{
	uint32_t name;

	if (!from_callgrind_name_line(c, FUNCTION, &name, at, end))
		return false;
	c->place = c->file;
	c->function = function_of(c, c->object, c->file, name);
	return c->function != NONE || reading_no_memory(c->r);
}

/* Who is called: of the object of the caller and of the file at hand, unless others were named. */
static bool callee_line(struct costs *c, const char *at, const char *end)
{
	uint32_t name;

	if (!from_callgrind_name_line(c, FUNCTION, &name, at, end))
		return false;
	c->callee = function_of(c, c->callee_object != NONE ? c->callee_object : c->object, c->callee_file != NONE ? c->callee_file : c->place, name);
	c->callee_object = c->callee_file = NONE;
	return c->callee != NONE || reading_no_memory(c->r);
}

/* Positions where a call or jump leads: *LINE becomes the source line; they are no last ones. */
static bool target_take(struct costs *c, const char *at, const char *end, uint64_t *line)
{
	for (unsigned i = 0; i < c->npositions && at < end; i++) {
		uint64_t position = c->position[i];

		if (!cost_position(&at, end, &position))
			return from_callgrind_wrong(c, "no position");
		*line = i == c->line_at ? position : *line;
	}
	return true;
}

/* `calls=7 +3`. */
static bool calls_line(struct costs *c, const char *at, const char *end)
{
	if (c->callee == NONE || c->function == NONE)
		return from_callgrind_wrong(c, "calls of a function that was not named");
	c->callee_line = 0;
	c->next = CALL;
	while (at < end && *at == ' ')
		at++;
	return cost_number(&at, end, &c->calls) ? target_take(c, at, end, &c->callee_line) : from_callgrind_wrong(c, "no number of calls");
}

/* `jump=7 +3` and `jcnd=7/9 +3`: jumps cost nothing. */
static bool jump_line(struct costs *c)
{
	c->next = JUMP;
	return true;
}

/* A line `key=...`, KEY of N bytes. */
static bool key_line(struct costs *c, const char *key, size_t n, const char *at, const char *end)
{
	uint32_t word;

	if (c->next != COST)
		return from_callgrind_wrong(c, "no costs after calls");
	if (from_callgrind_is_word(key, n, "ob"))
		return from_callgrind_name_line(c, OBJECT, &c->object, at, end);
	if (from_callgrind_is_word(key, n, "fl")) {
		bool ok = from_callgrind_name_line(c, FILE_NAME, &c->file, at, end);

		c->place = c->file;
		return ok;
	}
	if (from_callgrind_is_word(key, n, "fi") || from_callgrind_is_word(key, n, "fe"))
		return from_callgrind_name_line(c, FILE_NAME, &c->place, at, end);
	if (from_callgrind_is_word(key, n, "fn"))
		return function_line(c, at, end);
	if (from_callgrind_is_word(key, n, "cob"))
		return from_callgrind_name_line(c, OBJECT, &c->callee_object, at, end);
	if (from_callgrind_is_word(key, n, "cfi") || from_callgrind_is_word(key, n, "cfl"))
		return from_callgrind_name_line(c, FILE_NAME, &c->callee_file, at, end);
	if (from_callgrind_is_word(key, n, "cfn"))
		return callee_line(c, at, end);
	if (from_callgrind_is_word(key, n, "calls") || from_callgrind_is_word(key, n, "rcalls"))	/* those of recursion in old files */
		return calls_line(c, at, end);
	if (from_callgrind_is_word(key, n, "jump") || from_callgrind_is_word(key, n, "jcnd"))
		return jump_line(c);
	if (from_callgrind_is_word(key, n, "jfi") || from_callgrind_is_word(key, n, "jfn"))
		return from_callgrind_name_line(c, key[2] == 'i' ? FILE_NAME : FUNCTION, &word, at, end);
	reading_odd_line(c->r, &c->l);
	return true;
}

/* The cost at *AT, which moves behind it: cachegrind writes 0 as a point. */
static bool from_callgrind_cost_take(const char **at, const char *end, uint64_t *cost)
{
	if (**at != '.' || (end - *at > 1 && (*at)[1] != ' ' && (*at)[1] != '\t'))
		return cost_number(at, end, cost);
	for (++*at; *at < end && (**at == ' ' || **at == '\t');)
		++*at;
	return true;
}

/* Positions and costs; those that are not there are 0. */
static bool from_callgrind_numbers_take(struct costs *c, const char *at, const char *end)
{
	memset(c->costs, 0, sizeof c->costs);
	for (unsigned i = 0; i < c->npositions; i++)
		if (!cost_position(&at, end, &c->position[i]))
			return from_callgrind_wrong(c, "no position");
	for (unsigned i = 0; at < end; i++)
		if (i == c->ncolumns || !from_callgrind_cost_take(&at, end, &c->costs[c->columns[i]]))
			return from_callgrind_wrong(c, i == c->ncolumns ? "more costs than events" : "no cost");
	return true;
}

/* The costs of the line at hand are the function's own. */
static bool self_add(struct costs *c)
{
	struct cost_function *f = &c->functions[c->function];
	uint64_t line = c->line_at < c->npositions ? c->position[c->line_at] : 0;

	for (unsigned i = 0; i < c->nevents; i++)
		add_capped(&c->sums[i], c->costs[i]);
	if (c->place == c->file && line && line <= UINT32_MAX && (!f->least || line < f->least))
		f->least = (uint32_t)line;
	return costs_add(c, &c->selves, c->function);
}

/* How many nanoseconds one of event I is; 0: it is no time. */
static uint64_t event_nsec(const struct costs *c, unsigned i)
{
	return c->xdebug2 && strcmp(c->events[i], "Time") == 0 ? 1000 : from_callgrind_nsec_of(c->events[i]);
}

/* The event that is shown first: the first that is a time, else the first. */
static unsigned first_event(const struct costs *c)
{
	for (unsigned i = 0; i < c->nevents; i++)
		if (event_nsec(c, i))
			return i;
	return 0;
}

/* The costs of the line at hand are of a line of the source, or of calls of TO there. */
static bool line_add(struct costs *c, uint32_t to)
{
	uint64_t line = c->line_at < c->npositions ? c->position[c->line_at] : 0;
	uint32_t number;

	if (!line || line > UINT32_MAX)
		return true;
	number = cost_lines_add(&c->lines, &(struct cost_line){ .function = c->function, .file = c->place, .line = (uint32_t)line, .to = to });
	return number == COST_LINE_NONE ? reading_no_memory(c->r) : to != COST_LINE_NO_CALL || costs_add(c, &c->of_lines, number);
}

static bool cost_line(struct costs *c, const char *at, const char *end)
{
	int what = c->next;

	c->next = COST;
	c->good++;
	if (!c->nevents)
		return from_callgrind_wrong(c, "costs before the line `events:`");
	c->functions_told = true;
	if (c->function == NONE && what != JUMP)
		return from_callgrind_wrong(c, "costs before the line `fn=`");
	if (!from_callgrind_numbers_take(c, at, end))
		return false;
	if (what != JUMP && !line_add(c, what == CALL ? c->callee : COST_LINE_NO_CALL))
		return false;
	return what == CALL ? from_callgrind_arc_add(c) : what == JUMP || self_add(c);
}

static bool from_callgrind_line_read(struct costs *c)
{
	const char *at = c->l.line, *end = at + c->l.n, *word, *value, *sign;
	size_t n;

	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (at == end || *at == '#')
		return true;
	if ((*at >= '0' && *at <= '9') || *at == '+' || *at == '-' || *at == '*')
		return cost_line(c, at, end);
	if (from_callgrind_head_take(at, (size_t)(end - at), &word, &n, &value))
		return head_line(c, word, n, value, end);
	sign = memchr(at, '=', (size_t)(end - at));
	if (sign)
		return key_line(c, at, (size_t)(sign - at), sign + 1, end);
	reading_odd_line(c->r, &c->l);
	return true;
}

/* ---- into the builder ---- */

static const char *told(const struct costs *c, uint32_t word)
{
	return word == NONE || strcmp(c->words.text[word], "???") == 0 ? NULL : c->words.text[word];
}

static const char *from_callgrind_base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The name as it was before it was escaped, if it was. */
static bool function_put(struct costs *c, struct cost_function *f, char *room)
{
	const char *object = told(c, f->object), *name = c->words.text[f->name];
	uint32_t module = object ? builder_module(c->r->builder, object, NULL, 0) : BUILDER_NONE;

	if (object && module == BUILDER_NONE)
		return false;
	if (object && c->program[0] && strcmp(from_callgrind_base_of(object), from_callgrind_base_of(c->program)) == 0)
		builder_main(c->r->builder, module);
	text_unescape(room, name, name + strlen(name));
	f->number = builder_function(c->r->builder, &(struct builder_function){ .module = module, .name = room, .file = told(c, f->file),
		.line = f->called_at ? f->called_at : f->least });
	return f->number != BUILDER_NONE;
}

/* The events as the builder has them. */
struct cost_values {
	uint32_t number[MOST_EVENTS];	/* of each event */
	uint64_t each[MOST_EVENTS];	/* that one of it is */
	unsigned shift[MOST_EVENTS];	/* how often its costs of lines are halved */
	uint64_t amounts[MOST_EVENTS];	/* of what is put now, by number */
};

/* How often the costs of lines are to be halved so that all have room, of each event. */
static void lines_shift(const struct costs *c, unsigned *shift)
{
	memset(shift, 0, c->nevents * sizeof *shift);
	for (size_t i = 0; i < c->of_lines.n; i++)
		while (c->of_lines.all[i] >> shift[i % c->nevents] > UINT32_MAX)
			shift[i % c->nevents]++;
}

/* The lines of a function, each for each event that it costs. */
struct lines_of { struct builder_line *all; size_t n, room; };

static bool line_put(struct costs *c, const struct cost_line *l, const char *file, const struct cost_values *v, struct lines_of *out)
{
	const uint64_t *costs = costs_at(c, &c->of_lines, l->number);

	if (!costs || !array_reserve(&out->all, &out->room, out->n + c->nevents, sizeof *out->all))
		return false;
	for (unsigned i = 0; i < c->nevents; i++)
		if (costs[i])
			out->all[out->n++] = (struct builder_line){ .place.module = BUILDER_NONE, .file = file, .line = l->line, .value = v->number[i],
				.weight = (uint32_t)(costs[i] >> v->shift[i]) };
	return true;
}

/* The same of those of function number F.  False: out of memory. */
static bool lines_put(struct costs *c, uint32_t f, const struct cost_values *v, struct lines_of *out)
{
	uint32_t own = c->functions[f].file;
	size_t n;
	const struct cost_line *lines = cost_lines_of(&c->lines, f, &n);

	out->n = 0;
	for (size_t i = 0; i < n; i++)
		if (lines[i].to == COST_LINE_NO_CALL && (told(c, lines[i].file) || lines[i].file == own) &&
		    !line_put(c, &lines[i], lines[i].file == own ? NULL : told(c, lines[i].file), v, out))
			return false;
	return true;
}

/* Where calls stand; all functions have their numbers. */
static void calls_put(const struct costs *c)
{
	for (uint32_t i = 0; i < c->lines.n; i++) {
		const struct cost_line *l = &c->lines.all[i];

		if (l->to != COST_LINE_NO_CALL)
			builder_call(c->r->builder, c->functions[l->function].number, c->functions[l->to].number,
				     l->file == c->functions[l->function].file ? NULL : told(c, l->file), l->line);
	}
}

/* COSTS, of each event, into v->amounts.  False: they are not there. */
static bool values_put(const struct costs *c, const uint64_t *costs, struct cost_values *v)
{
	memset(v->amounts, 0, sizeof v->amounts);
	for (unsigned i = 0; costs && i < c->nevents; i++) {
		uint64_t amount;

		add_capped(&v->amounts[v->number[i]], __builtin_mul_overflow(costs[i], v->each[i], &amount) ? UINT64_MAX : amount);
	}
	return costs != NULL;
}

static bool functions_put(struct costs *c, uint32_t thread, struct cost_values *v)
{
	size_t longest = 0;
	struct lines_of lines = { 0 };
	char *room;
	bool ok;

	for (uint32_t i = 0; i < c->words.n; i++)
		longest = strlen(c->words.text[i]) > longest ? strlen(c->words.text[i]) : longest;
	room = malloc(longest + 1);
	lines_shift(c, v->shift);
	cost_lines_settle(&c->lines);
	ok = room != NULL;
	for (uint32_t i = 0; ok && i < c->nfunctions; i++) {
		struct cost_function *f = &c->functions[i];

		ok = function_put(c, f, room) && values_put(c, costs_at(c, &c->selves, i), v) && lines_put(c, i, v, &lines);
		if (ok)
			builder_add(c->r->builder, &(struct builder_sample){ .thread = thread, .functions = &f->number, .n = 1, .amounts = v->amounts,
				.lines = lines.all, .nlines = lines.n });
	}
	if (ok)
		calls_put(c);
	free(room);
	free(lines.all);
	return ok || reading_no_memory(c->r);
}

static bool from_callgrind_arcs_put(struct costs *c, uint32_t thread, struct cost_values *v)
{
	for (uint32_t i = 0; i < c->narcs; i++) {
		const struct cost_arc *a = &c->arcs[i];

		if (!values_put(c, costs_at(c, &c->within, i), v))
			return reading_no_memory(c->r);
		builder_arc(c->r->builder, thread, c->functions[a->from].number, c->functions[a->to].number, a->calls, v->amounts);
	}
	return true;
}

/* Make event I a value: `Time_(10ns)` is Time in ns, `Memory_(bytes)` Memory in bytes, `ns` a time. */
static void cost_event_show(struct costs *c, unsigned i, struct cost_values *v)
{
	const char *name = c->events[i], *open = strrchr(name, '(');
	uint64_t nsec = event_nsec(c, i);
	char unit[64] = "count", base[64];
	size_t n = open && open > name ? (size_t)(open - name) : strlen(name);

	if (open && open > name)
		snprintf(unit, sizeof unit, "%.*s", (int)strcspn(open + 1, ")"), open + 1);
	else if (strcmp(name, "Ir") == 0)
		snprintf(unit, sizeof unit, "instructions");
	else if (c->xdebug2 && strcmp(name, "Memory") == 0)
		snprintf(unit, sizeof unit, "bytes");
	n -= n > 1 && name[n - 1] == '_';
	snprintf(base, sizeof base, "%.*s", (int)n, name);
	v->each[i] = nsec ? nsec : 1;
	v->number[i] = builder_value(c->r->builder, nsec && !open && !c->xdebug2 ? "time" : base, nsec ? "ns" : unit, false);
}

/* The first that is a time comes first, else the first. */
static void cost_events_show(struct costs *c, struct cost_values *v)
{
	unsigned first = first_event(c);

	for (unsigned i = 0; i < c->nevents; i++)
		cost_event_show(c, i ? i - (i <= first) : first, v);
	if (c->strange)
		reading_note(c->r, "note: %.100s: %u lines of its head are not known", c->r->label, c->strange);
}

static bool draft_fill(struct costs *c)
{
	struct amon_header *h = builder_header(c->r->builder);
	struct cost_values v;
	uint64_t calls = 0;
	uint32_t thread;

	for (uint32_t i = 0; i < c->narcs; i++) {
		c->arcs[i].calls = c->uncounted ? 0 : c->arcs[i].calls;
		add_capped(&calls, c->arcs[i].calls);
	}
	h->way = 1u << AMON_WAY_ARCS | (calls ? 0 : 1u << AMON_WAY_STACKS);
	cost_events_show(c, &v);
	thread = builder_thread(c->r->builder, builder_process(c->r->builder, c->pid, 0, c->program[0] ? c->program : NULL, 0), c->pid, NULL);
	return thread == BUILDER_NONE ? reading_no_memory(c->r) : functions_put(c, thread, &v) && from_callgrind_arcs_put(c, thread, &v);
}

static bool callgrind_read(struct reading *r)
{
	struct costs c = { .r = r, .l = { .data = (const char *)r->data, .len = r->len }, .npositions = 1, .object = NONE, .file = NONE, .place = NONE,
		.function = NONE, .callee_object = NONE, .callee_file = NONE, .callee = NONE };
	bool ok = true;

	while (ok && lines_next(&c.l))
		ok = from_callgrind_line_read(&c);
	if (ok && c.next != COST)
		ok = from_callgrind_wrong(&c, "no costs after calls");
	if (ok && !c.nevents)
		ok = error_set(r->err, ERROR_CORRUPT, ERROR_NO_OFFSET, "%.200s: callgrind without events", r->label);
	ok = ok && reading_odd_tell(r, c.good, "of callgrind's format") && draft_fill(&c);
	cost_words_free(&c.words);
	free(c.functions);
	free(c.arcs);
	free(c.selves.all);
	free(c.within.all);
	free(c.of_lines.all);
	table_free(&c.by_name);
	pair_table_free(&c.by_ends);
	cost_lines_free(&c.lines);
	return ok;
}

/* Whether the N bytes at LINE may be a line of the body: a key that the format has, or positions and costs. */
static bool is_body_line(const char *line, size_t n)
{
	static const char *const keys[] = { "ob", "fl", "fi", "fe", "fn", "cob", "cfi", "cfl", "cfn", "calls", "jump", "jcnd", "jfi", "jfn" };
	const char *sign = memchr(line, '=', n < 6 ? n : 6);

	for (size_t i = 0; sign && i < sizeof keys / sizeof *keys; i++)
		if (from_callgrind_is_word(line, (size_t)(sign - line), keys[i]))
			return true;
	for (size_t i = 0; i < n; i++)
		if (!strchr("0123456789abcdefxABCDEF+-*. \t", line[i]))
			return false;
	return n > 0;
}

/* Whether a line `word: ...` of the head is one that the format has. */
static bool is_head_word(const char *word, size_t length)
{
	static const char *const words[] = { "version", "creator", "cmd", "pid", "part", "thread", "desc", "positions", "event", "events", "summary", "totals" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (from_callgrind_is_word(word, length, words[i]))
			return true;
	return false;
}

/* The first words of a head are known ones, up to the events, unless the file says what it is. */
static size_t callgrind_reads(const char *head, size_t n, bool whole)
{
	struct lines l = { .data = head, .len = n };
	bool says = false, events = false;
	const char *word, *value;
	size_t length, reads = 0;

	(void)whole;
	while (lines_next(&l)) {
		says |= l.n >= 18 && memcmp(l.line, "# callgrind format", 18) == 0;
		if (l.n == 0 || l.line[0] == '#')
			continue;
		if (from_callgrind_head_take(l.line, l.n, &word, &length, &value)) {
			if (!is_head_word(word, length) && !says && !events)
				return 0;
			events |= from_callgrind_is_word(word, length, "events");
			reads += l.n;
		} else if (!says && !events) {
			return 0;
		} else if (is_body_line(l.line, l.n)) {
			reads += l.n;
		}
	}
	return says && !reads ? 1 : says || events ? reads : 0;
}

const struct import_format import_callgrind = { "callgrind", callgrind_reads, false, callgrind_read };
