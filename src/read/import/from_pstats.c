/* from_pstats.c - what Python's cProfile and profile write (pstats): a dictionary in Python's marshal format.
 *
 *     {("app.py", 12, "parse"): (primitive calls, calls, own time, cumulative time, {caller: (calls, primitive calls, own time, cumulative time), ...}), ...}
 *
 * Times are seconds.  There are no contexts in it, but arcs, with the time that passed in calls from there.  The module profile has the number of calls alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/import/format.h"

enum { REFERENCE = 0x80, MOST_DEEP = 32 };

/* One reading. */
struct pstats {
	struct reading *r;
	const unsigned char *at, *end;
	const unsigned char **references; /* where each object begins that may come again */
	size_t n, room;
	double calls, within;		/* of the function at hand, what its callers have: calls, and time in those of others */
	unsigned replay;		/* how many of them are read again, one in the other: they are not kept once more */
	char *file, *name;		/* room for texts */
	size_t file_room, name_room;
	uint32_t thread;
};

/* Go to the object at hand: its type; if it is a reference, that of what it stands for, behind which *BACK is where to go on.  0: there is none. */
static unsigned pstats_enter(struct pstats *p, const unsigned char **back)
{
	unsigned type;

	*back = NULL;
	for (;;) {
		const unsigned char *begin = p->at;
		uint32_t number;

		if (p->at >= p->end)
			return 0;
		type = *p->at++;
		if (type & REFERENCE && !p->replay) {
			if (!array_reserve(&p->references, &p->room, p->n + 1, sizeof *p->references))
				return 0;
			p->references[p->n++] = begin;
		}
		if ((type & ~(unsigned)REFERENCE) != 'r')
			return type & ~(unsigned)REFERENCE;
		if (p->end - p->at < 4 || p->replay > MOST_DEEP || *back)
			return 0;
		memcpy(&number, p->at, 4);
		if (number >= p->n)
			return 0;
		*back = p->at + 4;
		p->at = p->references[number];
		p->replay++;
	}
}

static void pstats_leave(struct pstats *p, const unsigned char *back)
{
	if (!back)
		return;
	p->at = back;
	p->replay--;
}

/* The next SIZE bytes; NULL: there are fewer. */
static const unsigned char *pstats_take(struct pstats *p, size_t size)
{
	const unsigned char *at = p->at;

	if ((size_t)(p->end - p->at) < size)
		return NULL;
	p->at += size;
	return at;
}

/* A number of SIZE bytes, 1 or 4. */
static bool pstats_count(struct pstats *p, size_t size, uint32_t *number)
{
	const unsigned char *at = pstats_take(p, size);

	*number = 0;
	if (at)
		memcpy(number, at, size);
	return at != NULL;
}

/* A text into *OUT.  False: it is none. */
static bool pstats_text(struct pstats *p, char **out, size_t *room)
{
	const unsigned char *back, *text;
	unsigned type = pstats_enter(p, &back);
	uint32_t n;
	bool ok = type && strchr("zZaAuts", (int)type) && pstats_count(p, type == 'z' || type == 'Z' ? 1 : 4, &n) && (text = pstats_take(p, n)) &&
		array_reserve(out, room, (size_t)n + 1, 1);

	if (!ok)
		return false;
	memcpy(*out, text, n);
	(*out)[n] = '\0';
	for (uint32_t i = 0; i < n; i++)
		if (!(*out)[i])
			(*out)[i] = '?';
	pstats_leave(p, back);
	return true;
}

/* An integer of any length, its digits of 15 bits. */
static bool pstats_long(struct pstats *p, double *number)
{
	uint32_t n;
	const unsigned char *digits;

	if (!pstats_count(p, 4, &n) || n > 64 || !(digits = pstats_take(p, 2 * (size_t)n)))
		return false;
	for (*number = 0; n-- > 0;)
		*number = *number * 32768 + (digits[2 * n] | digits[2 * n + 1] << 8);
	return true;
}

/* A number that is not negative. */
static bool pstats_number(struct pstats *p, double *number)
{
	const unsigned char *back, *at;
	unsigned type = pstats_enter(p, &back);
	uint32_t whole;
	bool ok = false;

	if (type == 'i') {
		ok = pstats_count(p, 4, &whole) && whole <= INT32_MAX;
		*number = ok ? whole : 0;
	} else if (type == 'g') {
		ok = (at = pstats_take(p, 8)) != NULL;
		if (ok)
			memcpy(number, at, 8);
	} else if (type == 'l') {
		ok = pstats_long(p, number);
	} else if (type == 'F' || type == 'T') {
		*number = type == 'T';
		ok = true;
	}
	pstats_leave(p, back);
	return ok && *number >= 0 && *number < 0x1p63;
}

/* A tuple begins: how many items it has; -1: it is none. */
static int64_t pstats_tuple(struct pstats *p, const unsigned char **back)
{
	unsigned type = pstats_enter(p, back);
	uint32_t n;

	return (type == '(' || type == ')') && pstats_count(p, type == ')' ? 1 : 4, &n) ? (int64_t)n : -1;
}

/* `("app.py", 12, "parse")`.  Functions of one name and file are told by their lines; what is no Python has `~` for a file. */
static bool pstats_function(struct pstats *p, uint32_t *function)
{
	struct builder_function f = { .module = BUILDER_NONE, .apart = true };
	const unsigned char *back;
	double line;
	size_t n;

	if (pstats_tuple(p, &back) != 3 || !pstats_text(p, &p->file, &p->file_room) || !pstats_number(p, &line) || !pstats_text(p, &p->name, &p->name_room))
		return false;
	pstats_leave(p, back);
	n = strlen(p->name);
	if (strcmp(p->file, "~") == 0 && n > 2 && p->name[0] == '<' && p->name[n - 1] == '>') {	/* as pstats prints it */
		p->name[0] = '{';
		p->name[n - 1] = '}';
	}
	f.name = n ? p->name : "(unknown)";
	f.file = strcmp(p->file, "~") == 0 ? NULL : p->file;
	f.line = line < UINT32_MAX ? (uint32_t)line : 0;
	f.address = definition_address(f.name, f.file, f.line, 0);
	*function = builder_function(p->r->builder, &f);
	return *function != BUILDER_NONE;
}

static uint64_t pstats_nsec(double seconds)
{
	return seconds < 9e9 ? (uint64_t)llround(seconds * 1e9) : UINT64_C(9000000000) * 1000000000;
}

/* The type of the object at hand, or of what it refers to. */
static unsigned pstats_type(const struct pstats *p)
{
	uint32_t number;

	if (p->at < p->end && (*p->at & ~(unsigned)REFERENCE) != 'r')
		return *p->at & ~(unsigned)REFERENCE;
	if (p->end - p->at < 5)
		return 0;
	memcpy(&number, p->at + 1, 4);
	return number < p->n ? *p->references[number] & ~(unsigned)REFERENCE : 0;
}

/* A caller of FUNCTION: calls and times, or the number of calls alone. */
static bool pstats_caller(struct pstats *p, uint32_t function)
{
	const unsigned char *back;
	double numbers[4] = { 0 };
	unsigned type;
	uint32_t caller;

	if (!pstats_function(p, &caller))
		return false;
	type = pstats_type(p);
	if (type == '(' || type == ')') {
		if (pstats_tuple(p, &back) != 4)
			return false;
		for (int i = 0; i < 4; i++)
			if (!pstats_number(p, &numbers[i]))
				return false;
		pstats_leave(p, back);
	} else if (!pstats_number(p, &numbers[0])) {
		return false;
	}
	p->calls += numbers[0];
	p->within += caller != function ? numbers[3] : 0;
	builder_arc(p->r->builder, p->thread, caller, function, (uint64_t)numbers[0], &(uint64_t){ pstats_nsec(numbers[3]) });
	return true;
}

static bool pstats_callers(struct pstats *p, uint32_t function)
{
	const unsigned char *back;

	if (pstats_enter(p, &back) != '{')
		return false;
	while (p->at < p->end && *p->at != '0')
		if (!pstats_caller(p, function))
			return false;
	p->at++;
	pstats_leave(p, back);
	return p->at <= p->end;
}

/* A function, and what is told of it. */
static bool pstats_entry(struct pstats *p)
{
	const unsigned char *back;
	double numbers[4];
	uint64_t amount;
	uint32_t function;

	if (!pstats_function(p, &function) || pstats_tuple(p, &back) != 5)
		return false;
	for (int i = 0; i < 4; i++)
		if (!pstats_number(p, &numbers[i]))
			return false;
	amount = pstats_nsec(numbers[2]);
	builder_add(p->r->builder, &(struct builder_sample){ .thread = p->thread, .functions = &function, .n = 1, .amounts = &amount });
	p->calls = p->within = 0;
	if (!pstats_callers(p, function))
		return false;
	if (p->calls < numbers[1])			/* others called it that were not profiled */
		builder_arc(p->r->builder, p->thread, BUILDER_NONE, function, (uint64_t)(numbers[1] - p->calls),
			    &(uint64_t){ numbers[3] > p->within ? pstats_nsec(numbers[3] - p->within) : 0 });
	pstats_leave(p, back);
	return true;
}

static bool pstats_read(struct reading *r)
{
	struct pstats p = { .r = r, .at = r->data, .end = r->data + r->len };
	const unsigned char *back, *at = p.at;
	bool ok;

	builder_header(r->builder)->way = 1u << AMON_WAY_ARCS;
	builder_value(r->builder, "time", "ns", false);
	p.thread = builder_thread(r->builder, builder_process(r->builder, 0, 0, NULL, 0), 0, NULL);
	ok = p.thread != BUILDER_NONE && pstats_enter(&p, &back) == '{';
	while (ok && p.at < p.end && *p.at != '0') {
		at = p.at;
		ok = pstats_entry(&p);
	}
	ok = ok && p.at < p.end;
	free(p.references);
	free(p.file);
	free(p.name);
	return ok || reading_wrong(r, (size_t)(at - r->data), "the statistics of a function are malformed or cut off");
}

/* A dictionary, the first key of which is a tuple of three, that of a text first. */
static size_t pstats_reads(const char *head, size_t n, bool whole)
{
	const unsigned char *at = (const unsigned char *)head;
	size_t i = 1;

	(void)whole;
	if (n < 8 || (at[0] & ~(unsigned)REFERENCE) != '{')
		return 0;
	if ((at[i] & ~(unsigned)REFERENCE) == ')' && at[i + 1] == 3)
		i += 2;
	else if ((at[i] & ~(unsigned)REFERENCE) == '(' && memcmp(at + i + 1, "\3\0\0\0", 4) == 0)
		i += 5;
	else
		return 0;
	return i < n && (at[i] & ~(unsigned)REFERENCE) && strchr("zZaAutsr", at[i] & ~(unsigned)REFERENCE) ? n : 0;
}

const struct import_format import_pstats = { "pstats", pstats_reads, false, pstats_read };
