/* from_sample.c - what macOS tells as text: `sample PID`, and what Instruments copies of a tree of calls.
 *
 *     Call graph:                                                  Running Time	Self (ms)		Symbol Name
 *         2547 Thread_1   DispatchQueue_1: main  (serial)          27.0ms  100.0%	0.0	 	main
 *         + 2547 start  (in libdyld.dylib) + 1  [0x7fff]           25.0ms   92.5%	4.0	 	 parse
 *         +   2000 parse  (in app) + 22  [0x1000]  parse.c:12      21.0ms   77.7%	21.0	 	  next
 *
 * A line stands for itself and all that is indented below it: of `sample` the number is of both, and its own samples are what those below it do not have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "read/import/format.h"

/* A line that is open: those below it are indented more. */
struct sample_open {
	size_t indent;
	uint64_t samples;		/* of `sample`: its own, as far as is known */
	bool thread;			/* it is a thread, and no function */
};

/* One reading. */
struct sampling {
	struct reading *r;
	struct sample_open *open;
	size_t n, room;			/* how many are open */
	struct stack stack;		/* of the functions among them, outermost first */
	uint32_t process, thread;
	uint64_t interval;		/* ns between samples */
	uint32_t nthreads;
	size_t good;
	char *text;			/* room for a line */
	size_t text_room;
};

static void from_sample_free(struct sampling *s)
{
	free(s->open);
	free(s->stack.functions);
	free(s->text);
}

static const char *from_sample_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* The text from AT to END, ended, in s->text. */
static char *from_sample_keep(struct sampling *s, const char *at, const char *end)
{
	if (!array_reserve(&s->text, &s->text_room, (size_t)(end - at) + 1, 1))
		return NULL;
	memcpy(s->text, at, (size_t)(end - at));
	s->text[end - at] = '\0';
	return s->text;
}

static void from_sample_add(struct sampling *s, uint64_t nsec, uint64_t samples)
{
	if (nsec && s->thread != BUILDER_NONE)
		builder_add(s->r->builder, &(struct builder_sample){ .thread = s->thread, .functions = s->stack.functions, .n = s->stack.n, .amounts = &nsec, .ticks = samples });
}

/* Close what is not around a line with that INDENT. */
static void from_sample_close(struct sampling *s, size_t indent)
{
	for (; s->n && s->open[s->n - 1].indent >= indent; s->n--) {
		const struct sample_open *o = &s->open[s->n - 1];

		if (s->interval)
			from_sample_add(s, o->samples * s->interval, o->samples);
		s->stack.n -= !o->thread && s->stack.n > 0;
	}
}

/* Open a line of SAMPLES in all, of FUNCTION, or of a thread; what is around it has as many fewer of its own. */
static bool from_sample_open(struct sampling *s, size_t indent, uint64_t samples, uint32_t function, bool thread)
{
	struct sample_open *around = s->n ? &s->open[s->n - 1] : NULL;

	if (around)
		around->samples -= samples < around->samples ? samples : around->samples;
	if (!array_reserve(&s->open, &s->room, s->n + 1, sizeof *s->open))
		return reading_no_memory(s->r);
	s->open[s->n++] = (struct sample_open){ indent, samples, thread };
	s->good++;
	return thread || (function != BUILDER_NONE && stack_push(&s->stack, function)) || reading_no_memory(s->r);
}

/* ---- sample ---- */

/* `parse  (in app) + 22  [0x1000]  parse.c:12`: the function. */
static uint32_t from_sample_function(struct sampling *s, char *text)
{
	struct builder_function f = { .module = BUILDER_NONE, .name = text };
	char *in = strstr(text, "  (in "), *end = in ? strchr(in + 6, ')') : NULL, *place = strstr(text, "]  "), *colon = place ? strrchr(place, ':') : NULL;
	char *offset = strstr(text, "  + "), *address = strstr(text, "  [0x"), named[200];

	if (colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")]) {
		f.line = (uint32_t)strtoul(colon + 1, NULL, 10);
		*colon = '\0';
		f.file = place + 3;
	}
	if (in && end) {
		*in = *end = '\0';
		f.module = builder_module(s->r->builder, in + 6, NULL, 0);
	} else if (offset || address) {
		*(offset && (!address || offset < address) ? offset : address) = '\0';
	}
	if (in && end && strncmp(text, "???", 3) == 0) {
		snprintf(named, sizeof named, "[%.190s]", in + 6);
		f.name = named;
	}
	return builder_function(s->r->builder, &f);
}

/* `    +   2000 parse  (in app)`: *INDENT is where the number stands.  False: it is none. */
static bool from_sample_line_take(const char *line, size_t n, size_t *indent, uint64_t *samples, const char **text)
{
	const char *end = line + n, *at = line;

	while (at < end && strchr(" +!:|", *at))
		at++;
	*indent = (size_t)(at - line);
	if (*indent < 2 || at == end || *at < '1' || *at > '9')
		return false;
	for (*samples = 0; at < end && *at >= '0' && *at <= '9' && *samples <= UINT32_MAX; at++)
		*samples = *samples * 10 + (uint64_t)(*at - '0');
	*text = at + 1;
	return at < end && *at == ' ' && *samples <= UINT32_MAX;
}

static bool from_sample_line_read(struct sampling *s, size_t indent, uint64_t samples, const char *text, const char *end)
{
	bool thread;
	char *name;

	from_sample_close(s, indent);
	thread = s->n == 0 && end - text > 7 && memcmp(text, "Thread_", 7) == 0;
	if (!(name = from_sample_keep(s, text, end)))
		return reading_no_memory(s->r);
	if (thread) {
		char *queue = strstr(name, "DispatchQueue_"), *colon = queue ? strstr(queue, ": ") : NULL;

		name[strcspn(name, " ")] = '\0';
		s->thread = builder_thread(s->r->builder, s->process, ++s->nthreads, colon ? colon + 2 : name);
	} else if (s->n == 0 && s->thread == BUILDER_NONE) {
		s->thread = builder_thread(s->r->builder, s->process, ++s->nthreads, NULL);
	}
	return from_sample_open(s, indent, samples, thread ? BUILDER_NONE : from_sample_function(s, name), thread);
}

/* `Analysis of sampling app (pid 123) every 1 millisecond`. */
static void from_sample_head_take(struct sampling *s, const char *line, size_t n)
{
	static const char begins[] = "Analysis of sampling ";
	char program[256], interval[32], unit[32];
	unsigned pid;
	double every;

	if (n < sizeof begins || memcmp(line, begins, sizeof begins - 1) != 0 || !from_sample_keep(s, line + sizeof begins - 1, line + n))
		return;
	if (sscanf(s->text, "%255s (pid %u) every %31s %31s", program, &pid, interval, unit) != 4)
		return;
	every = number_fraction(interval);
	if (!(every > 0 && every <= 1e6))
		return;
	s->interval = (uint64_t)(every * (strncmp(unit, "micro", 5) == 0 ? 1e3 : strncmp(unit, "second", 6) == 0 ? 1e9 : 1e6) + 0.5);
	s->process = builder_process(s->r->builder, pid, 0, program, 0);
}

static bool sample_read(struct reading *r)
{
	struct lines l = { .data = (const char *)r->data, .len = r->len };
	struct sampling s = { .r = r, .process = BUILDER_NONE, .thread = BUILDER_NONE, .interval = 1000000 };
	const char *text;
	size_t indent;
	uint64_t samples;
	bool ok = true;

	while (lines_next(&l) && !(l.n >= 11 && memcmp(l.line, "Call graph:", 11) == 0))
		from_sample_head_take(&s, l.line, l.n);
	if (s.process == BUILDER_NONE)
		s.process = builder_process(r->builder, 0, 0, NULL, 0);
	builder_value(r->builder, "time", "ns", true);
	while (ok && lines_next(&l) && l.n)
		if (from_sample_line_take(l.line, l.n, &indent, &samples, &text))
			ok = from_sample_line_read(&s, indent, samples, text, l.line + l.n);
		else
			reading_odd_line(r, &l);
	from_sample_close(&s, 0);
	ok = ok && reading_odd_tell(r, s.good, "a line of a call graph of sample's");
	from_sample_free(&s);
	return ok;
}

/* Its first lines say what it is, and below "Call graph:" lines have numbers. */
static size_t sample_reads(const char *head, size_t n, bool whole)
{
	struct lines l = { .data = head, .len = n };
	const char *text;
	size_t indent, reads = 0;
	uint64_t samples;
	bool graph = false;

	(void)whole;
	while (lines_next(&l)) {
		graph |= l.n >= 11 && memcmp(l.line, "Call graph:", 11) == 0;
		if (l.n >= 21 && memcmp(l.line, "Analysis of sampling ", 21) == 0)
			reads += l.n;
		else if (graph && !lines_is_open(&l) && from_sample_line_take(l.line, l.n, &indent, &samples, &text))
			reads += l.n;
	}
	return reads;
}

const struct import_format import_sample = { "sample", sample_reads, false, sample_read };

/* ---- Instruments ---- */

/* `4.0ms`, `4.0 ms`, `4.0` at *AT, in ns, UNIT being that of a number without; *AT moves behind it.  False: it is none. */
static bool instruments_time(const char **at, const char *end, double unit, double *nsec)
{
	static const struct { const char *name; double nsec; } units[] = {
		{ "min", 60e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "\302\265s", 1e3 }, { "ns", 1 }, { "s", 1e9 },
	};
	const char *in = *at;
	double digit = 1;

	for (*nsec = 0; in < end && ((*in >= '0' && *in <= '9') || (*in == '.' && digit == 1)); in++)
		if (*in == '.')
			digit = 0.1;
		else if (digit == 1)
			*nsec = *nsec * 10 + (*in - '0');
		else
			*nsec += digit * (*in - '0'), digit /= 10;
	if (in == *at)
		return false;
	*at = in;
	in += in < end && *in == ' ';
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if ((size_t)(end - in) >= strlen(units[i].name) && memcmp(in, units[i].name, strlen(units[i].name)) == 0) {
			unit = units[i].nsec;
			*at = in + strlen(units[i].name);
			break;
		}
	*nsec *= unit;
	return true;
}

/* `27.0ms  100.0%	0.0	 	  main`: own time, ns, and the name with the blanks that indent it. */
static bool instruments_line_take(const char *line, size_t n, double *self, const char **name)
{
	const char *end = line + n, *tab = memchr(line, '\t', n), *at = from_sample_blanks(line, end), *percent = tab ? memchr(line, '%', (size_t)(tab - line)) : NULL;
	double whole;

	if (!percent || !instruments_time(&at, end, 1e6, &whole))
		return false;
	at = from_sample_blanks(tab, end);
	if (!instruments_time(&at, end, 1e6, self) || at == end || *at != '\t')
		return false;
	tab = memchr(at + 1, '\t', (size_t)(end - at - 1));
	*name = tab ? tab + 1 : at + 1;
	return *name < end;
}

static bool instruments_is_head(const char *line, size_t n)
{
	return n > 12 && (memcmp(line, "Running Time\t", 13) == 0 || memcmp(line, "Weight\tSelf W", 13) == 0) && memmem(line, n, "Symbol Name", 11);
}

static bool instruments_line_read(struct sampling *s, double self, const char *text, const char *end)
{
	const char *name = from_sample_blanks(text, end);
	uint32_t function;
	char *copy;

	from_sample_close(s, (size_t)(name - text));
	while (end > name && end[-1] == ' ')
		end--;
	if (!(copy = from_sample_keep(s, name, end)))
		return reading_no_memory(s->r);
	function = builder_function(s->r->builder, &(struct builder_function){ .module = BUILDER_NONE, .name = *copy ? copy : "(unknown)" });
	if (!from_sample_open(s, (size_t)(name - text), 0, function, false))
		return false;
	from_sample_add(s, amount_of(self), 0);
	return true;
}

static bool instruments_read(struct reading *r)
{
	struct lines l = { .data = (const char *)r->data, .len = r->len };
	struct sampling s = { .r = r };
	const char *name;
	double self;
	bool ok = true;

	s.process = builder_process(r->builder, 0, 0, NULL, 0);
	s.thread = builder_thread(r->builder, s.process, 0, NULL);
	builder_value(r->builder, "time", "ns", true);
	while (ok && lines_next(&l))
		if (instruments_line_take(l.line, l.n, &self, &name))
			ok = instruments_line_read(&s, self, name, l.line + l.n);
		else if (l.n && !instruments_is_head(l.line, l.n))
			reading_odd_line(r, &l);
	ok = ok && reading_odd_tell(r, s.good, "a line of a tree of calls of Instruments'");
	from_sample_free(&s);
	return ok;
}

/* The first line names the columns. */
static size_t instruments_reads(const char *head, size_t n, bool whole)
{
	struct lines l = { .data = head, .len = n };
	const char *name;
	size_t reads;
	double self;

	(void)whole;
	if (!lines_next(&l) || !instruments_is_head(l.line, l.n))
		return 0;
	for (reads = l.n; lines_next(&l);)
		if (instruments_line_take(l.line, l.n, &self, &name))
			reads += l.n;
	return reads;
}

const struct import_format import_instruments = { "Instruments", instruments_reads, false, instruments_read };
