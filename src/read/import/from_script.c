/* from_script.c - what `perf script` prints: for each sample a line that begins with whose it is, and below it, where call chains were recorded, a line for
 * each frame, the innermost first; else the address is in that line.
 *
 *     sort   392/393   30582.836273:     250000 cpu-clock:u:
 *     	            1154 spin+0x1b (/tmp/w)
 *     	            122a main+0x18 (/tmp/w)
 *
 * Which fields there are is the choice of who printed it (-F): the thread's name and number are needed, and of the rest is taken what is there. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/import/events.h"
#include "read/import/format.h"
#include "read/profile/profile.h"

/* The first line of a sample, taken apart. */
struct head {
	const char *name;		/* of the thread */
	size_t name_size;
	uint32_t pid, tid;		/* pid 0: not printed */
	uint64_t period;		/* 0: not printed */
	const char *event;		/* NULL: not printed */
	size_t event_size;
	const char *rest;		/* what follows */
	size_t rest_size;
};

static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static const char *from_script_skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

/* The number at AT; *BEHIND is what follows it, AT if there is none, or one too large. */
static uint64_t number_at(const char *at, const char *end, const char **behind)
{
	const char *first = at;
	uint64_t n = 0;

	for (; at < end && is_digit(*at); at++)
		if (__builtin_mul_overflow(n, (uint64_t)10, &n) || __builtin_add_overflow(n, (uint64_t)(*at - '0'), &n))
			at = end = first;
	*behind = at;
	return n;
}

/* `[001]` at AT: what follows it, else AT. */
static const char *processor_skip(const char *at, const char *end)
{
	const char *behind;

	if (at >= end || *at != '[')
		return at;
	number_at(at + 1, end, &behind);
	return behind > at + 1 && behind < end && *behind == ']' ? behind + 1 : at;
}

/* `5678.123456:` at AT: what follows it, else AT. */
static const char *time_skip(const char *at, const char *end)
{
	const char *behind, *fraction;

	number_at(at, end, &behind);
	if (behind == at || behind >= end || *behind != '.')
		return at;
	number_at(behind + 1, end, &fraction);
	return fraction > behind + 1 && fraction < end && *fraction == ':' ? fraction + 1 : at;
}

/* The period, and the event, a word that ends with a colon, at AT: both may lack. */
static void event_take(struct head *h, const char *at, const char *end)
{
	const char *behind, *word = at;

	h->period = number_at(at, end, &behind);
	if (behind > at && behind < end && is_blank(*behind))
		word = at = from_script_skip_blanks(behind, end);
	else
		h->period = 0;
	while (at < end && !is_blank(*at))
		at++;
	if (at > word + 1 && at[-1] == ':' && is_letter(*word)) {
		h->event = word;
		h->event_size = (size_t)(at - word - 1);
		word = at;
	}
	h->rest = from_script_skip_blanks(word, end);
	h->rest_size = (size_t)(end - h->rest);
}

/* What stands behind whose a sample is: a processor, a time, or both, or an event.  False: none of these. */
static bool moment_take(struct head *h, const char *at, const char *end)
{
	const char *processor = from_script_skip_blanks(processor_skip(at, end), end), *time = from_script_skip_blanks(time_skip(processor, end), end);

	h->event = NULL;
	event_take(h, time, end);
	return time > at || h->event;
}

/* The numbers of a thread at AT, and what must follow them; a process that is none, as -1, has no number. */
static bool from_script_numbers_take(struct head *h, const char *at, const char *end)
{
	const char *behind;
	uint64_t first, second;

	at += *at == '-';
	first = second = number_at(at, end, &behind);

	if (behind == at)
		return false;
	h->pid = 0;
	if (behind < end && *behind == '/') {
		h->pid = (uint32_t)first;
		at = behind + 1;
		at += at < end && *at == '-';
		second = number_at(at, end, &behind);
	}
	if (behind == at || behind >= end || !is_blank(*behind) || first > INT32_MAX || second > INT32_MAX)
		return false;
	h->tid = (uint32_t)second;
	return moment_take(h, from_script_skip_blanks(behind, end), end);
}

/* Whether a word begins at AT, of a line that begins at NAME. */
static bool is_word_start(const char *name, const char *at) { return at == name || (is_blank(at[-1]) && !is_blank(*at)); }

static void name_set(struct head *h, const char *name, const char *behind)
{
	while (behind > name && is_blank(behind[-1]))
		behind--;
	h->name = name;
	h->name_size = (size_t)(behind - name);
}

/* Take the line apart.  A thread's name may hold blanks and digits, and may not be there; where there are no numbers either, a time tells. */
static bool from_script_head_take(const char *line, size_t n, struct head *h)
{
	const char *end = line + n, *name = from_script_skip_blanks(line, end);

	for (const char *at = name; at < end && !(is_word_start(name, at) && time_skip(at, end) > at); at++)
		if (is_word_start(name, at) && (is_digit(*at) || *at == '-') && from_script_numbers_take(h, at, end)) {
			name_set(h, name, at);
			return true;
		}
	for (const char *at = name; at < end; at++)
		if (is_word_start(name, at) && is_digit(*at) && time_skip(at, end) > at) {
			moment_take(h, at, end);
			h->pid = h->tid = 0;
			name_set(h, name, at);
			return true;
		}
	return false;
}

/* A frame, taken apart. */
struct frame {
	const char *name;
	size_t name_size;
	const char *file;		/* of the code; NULL: not printed */
	size_t file_size;
};

static bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

/* The ` (` at which the file's name begins: behind `+0x1b`; without that the last one, but that of ` (deleted)`.  NULL: there is none. */
static const char *from_script_file_find(const char *text, size_t n)
{
	const char *found = NULL;

	for (size_t i = 0; i + 1 < n; i++) {
		size_t digits = i;

		if (!is_blank(text[i]) || text[i + 1] != '(')
			continue;
		while (digits > 0 && is_hex(text[digits - 1]))
			digits--;
		if (digits > 3 && digits < i && memcmp(text + digits - 3, "+0x", 3) == 0)
			return text + i;
		if (!found || n - i < 10 || memcmp(text + i, " (deleted)", 10) != 0)
			found = text + i;
	}
	return found;
}

/* Bytes of NAME without `+0x1b`. */
static size_t without_offset(const char *name, size_t n)
{
	size_t i = n;

	while (i > 0 && is_hex(name[i - 1]))
		i--;
	return i > 3 && i < n && memcmp(name + i - 3, "+0x", 3) == 0 ? i - 3 : n;
}

/* `7f1884c81f02 spin+0x1b (/tmp/w)`.  False: it is none. */
static bool frame_take(const char *text, size_t n, struct frame *f)
{
	const char *end = text + n, *at = from_script_skip_blanks(text, end), *first = at, *file;

	while (at < end && is_hex(*at))
		at++;
	if (at == first || (at < end && !is_blank(*at)))
		return false;
	at = from_script_skip_blanks(at, end);
	while (end > at && is_blank(end[-1]))
		end--;
	file = end > at && end[-1] == ')' ? from_script_file_find(at - 1, (size_t)(end - at) + 1) : NULL;
	f->file = file ? file + 2 : NULL;
	f->file_size = file ? (size_t)(end - 1 - f->file) : 0;
	while (file && file > at && is_blank(file[-1]))
		file--;
	f->name = at;
	f->name_size = without_offset(at, file ? (size_t)((file > at ? file : at) - at) : (size_t)(end - at));
	return true;
}

static bool is_comment(const struct lines *l) { return l->n > 0 && l->line[0] == '#'; }

/* Whether the line is of a frame: perf begins these with a tab.  Where somebody made blanks of it, a thread's name may look like an address (dd, ed, bc). */
static bool is_frame(const char *line, size_t n, struct frame *f)
{
	struct head h;

	return n && is_blank(*line) && frame_take(line, n, f) && (*line == '\t' || !from_script_head_take(line, n, &h));
}

/* Whether the line, below a frame, is more of it that is of no use here: its source (`  main.c:12`), the bytes of an instruction, branches before. */
static bool is_more(const char *line, size_t n)
{
	const char *end = line + n, *colon = memrchr(line, ':', n), *behind;

	if (!n || !is_blank(*line))
		return false;
	if (memmem(line, n, "insn:", 5) || (memmem(line, n, "0x", 2) && memmem(line, n, "/0x", 3)))
		return true;
	if (!colon)
		return false;
	number_at(colon + 1, end, &behind);
	return behind > colon + 1 && (behind == end || is_blank(*behind));
}

/* As many lines are of samples, frames and what belongs to these as are not, the first of them of a sample. */
static size_t script_reads(const char *head, size_t n, bool whole)
{
	struct lines l = { .data = head, .len = n };
	struct head h;
	struct frame f;
	size_t reads = 0, good = 0, others = 0;

	while (lines_next(&l)) {
		if (l.n == 0 || is_comment(&l) || (lines_is_open(&l) && !whole))
			continue;
		if ((good && is_frame(l.line, l.n, &f)) || from_script_head_take(l.line, l.n, &h)) {
			good++;
			reads += l.n;
		} else if (!good || !is_more(l.line, l.n)) {
			others++;
		}
	}
	return good && good >= others ? reads : 0;
}

/* One reading. */
struct scripting {
	struct reading *r;
	struct events events;
	struct stack stack;
	char *text;			/* room for a name, and a file's */
	size_t text_room;
	size_t good, placed;		/* samples, and those that say where */
	struct head head;		/* of the sample at hand */
	bool open;			/* there is one */
};

/* TEXT of N bytes, ended, in k->text; NULL: out of memory. */
static char *from_script_text_keep(struct scripting *k, const char *text, size_t n, size_t at)
{
	if (!array_reserve(&k->text, &k->text_room, at + n + 1, 1))
		return NULL;
	memcpy(k->text + at, text, n);
	k->text[at + n] = '\0';
	return k->text + at;
}

/* What perf says of where code is. */
enum origin {
	ORIGIN_NONE,			/* nothing, "[unknown]", or that it is inlined */
	ORIGIN_FILE,			/* a file */
	ORIGIN_PSEUDO,			/* "[kernel.kallsyms]", "[vdso]" */
};

static bool word_is(const char *text, size_t n, const char *word)
{
	return n == strlen(word) && memcmp(text, word, n) == 0;
}

static enum origin frame_origin(const struct frame *f)
{
	if (f->file_size == 0 || word_is(f->file, f->file_size, "[unknown]") || word_is(f->file, f->file_size, "inlined"))
		return ORIGIN_NONE;
	return profile_path_is_file(f->file) ? ORIGIN_FILE : ORIGIN_PSEUDO;
}

/* The name of all functions of F's file that have none: that of the file between brackets, behind its path in k->text. */
static const char *nameless_function(struct scripting *k, const struct frame *f, enum origin origin)
{
	const char *slash = memrchr(f->file, '/', f->file_size), *base = slash ? slash + 1 : f->file;
	size_t at = f->file_size + 1, n = f->file_size - (size_t)(base - f->file);

	if (origin == ORIGIN_PSEUDO)
		return k->text;
	if (!from_script_text_keep(k, "", 0, at + n + 2))
		return NULL;
	snprintf(k->text + at, n + 3, "[%.*s]", (int)n, base);
	return k->text + at;
}

/* The function of F: where the symbol is not known, all of the file's that are not. */
static bool frame_add(struct scripting *k, const struct frame *f)
{
	struct builder_function function = { .module = BUILDER_NONE };
	bool unknown = f->name_size == 0 || word_is(f->name, f->name_size, "[unknown]");
	enum origin origin = frame_origin(f);

	if (origin != ORIGIN_NONE) {
		const char *file = from_script_text_keep(k, f->file, f->file_size, 0);

		if (!file)
			return reading_no_memory(k->r);
		function.module = builder_module(k->r->builder, file, NULL, 0);
	}
	if (!unknown)
		function.name = from_script_text_keep(k, f->name, f->name_size, 0);
	else
		function.name = origin == ORIGIN_NONE ? "[unknown]" : nameless_function(k, f, origin);
	return (function.name && stack_push(&k->stack, builder_function(k->r->builder, &function))) || reading_no_memory(k->r);
}

/* The sample at hand is whole. */
static bool sample_end(struct scripting *k)
{
	const struct head *h = &k->head;
	uint32_t process, thread, event;
	char *name;

	if (!k->open)
		return true;
	k->open = false;
	stack_turn(&k->stack);
	k->good++;
	k->placed += k->stack.n > 0;
	if (!(name = from_script_text_keep(k, h->name, h->name_size, 0)))
		return reading_no_memory(k->r);
	process = builder_process(k->r->builder, h->pid, 0, name, 0);
	thread = builder_thread(k->r->builder, process, h->tid, name);
	if (thread == BUILDER_NONE || !(name = from_script_text_keep(k, h->event ? h->event : "", h->event ? h->event_size : 0, 0)))
		return reading_no_memory(k->r);
	event = events_find(&k->events, name);
	if (event == BUILDER_NONE)
		return reading_no_memory(k->r);
	events_put(&k->events, k->r->builder, event, h->period, (struct builder_place){ BUILDER_NONE, 0 },
		&(struct builder_sample){ .thread = thread, .functions = k->stack.functions, .n = k->stack.n });
	return true;
}

static bool from_script_line_read(struct scripting *k, const struct lines *l)
{
	struct frame f;
	struct head h;

	if (l->n == 0 || is_comment(l))
		return sample_end(k);
	if (k->open && is_frame(l->line, l->n, &f))
		return frame_add(k, &f);
	if (!from_script_head_take(l->line, l->n, &h)) {
		if (!k->open || !is_more(l->line, l->n))
			reading_odd_line(k->r, l);
		return true;
	}
	if (!sample_end(k))
		return false;
	k->head = h;
	k->open = true;
	k->stack.n = 0;
	return !k->head.rest_size || !frame_take(k->head.rest, k->head.rest_size, &f) || frame_add(k, &f);
}

/* Which events there are: each sample is looked at once. */
static bool events_look(struct scripting *k)
{
	struct lines l = { .data = (const char *)k->r->data, .len = k->r->len };
	struct head h;
	struct frame f;
	uint32_t event;
	char *name;

	while (lines_next(&l)) {
		if (l.n == 0 || is_comment(&l) || is_frame(l.line, l.n, &f) || !from_script_head_take(l.line, l.n, &h))
			continue;
		name = from_script_text_keep(k, h.event ? h.event : "", h.event ? h.event_size : 0, 0);
		event = name ? events_find(&k->events, name) : BUILDER_NONE;
		if (event == BUILDER_NONE)
			return reading_no_memory(k->r);
		events_add(&k->events, event, h.period);
	}
	return events_show(&k->events, k->r->builder) || reading_no_memory(k->r);
}

static bool script_read(struct reading *r)
{
	struct lines l = { .data = (const char *)r->data, .len = r->len };
	struct scripting k = { .r = r };
	bool ok = events_look(&k);

	while (ok && lines_next(&l))
		ok = from_script_line_read(&k, &l);
	ok = ok && sample_end(&k) && reading_odd_tell(r, k.good, "a sample or a frame as perf script prints them");
	if (ok && k.good && !k.placed)
		ok = error_set(r->err, ERROR_CORRUPT, ERROR_NO_OFFSET, "%.200s: its samples do not say where they were: perf script -F +ip,sym prints that", r->label);
	if (ok)
		reading_open_end_tell(r, &l);
	events_free(&k.events);
	free(k.text);
	free(k.stack.functions);
	return ok;
}

const struct import_format import_script = { "perf script", script_reads, false, script_read };
