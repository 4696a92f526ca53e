/* from_script.c - what `perf script` prints: for each sample a line that begins with whose it is, and below it, where call chains were recorded, a line for
 * each frame, the innermost first; else the address is in that line.
 *
 *     sort   392/393   30582.836273:     250000 cpu-clock:u:
 *     	            1154 spin+0x1b (/tmp/w)
 *     	            122a main+0x18 (/tmp/w)
 *
 * Which fields there are is the choice of who printed it (-F): of what is there the thread's name and number, the event, its period and the frames are taken.  Where neither a number
 * nor a time tells a first line, the frames below do; there may be none at all. */
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
	const char *processor = from_script_skip_blanks(processor_skip(at, end), end), *flags = processor, *time;

	while (flags < end && !is_blank(*flags))
		flags++;
	flags = from_script_skip_blanks(flags, end);
	if (processor > at && time_skip(processor, end) == processor && time_skip(flags, end) > flags)	/* `d..1.`: what the kernel was at */
		processor = flags;
	time = from_script_skip_blanks(time_skip(processor, end), end);
	h->event = NULL;
	event_take(h, time, end);
	return time > at || h->event;
}

enum { WIDEST_THREAD = 9 };	/* columns that perf gives a thread's number, and blanks before it; a period has more */

/* The numbers of a thread at AT, of LINE, and what must follow them; a process that is none, as -1, has no number. */
static bool from_script_numbers_take(struct head *h, const char *line, const char *at, const char *end)
{
	const char *behind, *blanks = at;
	uint64_t first, second;
	bool wide;

	while (blanks > line && is_blank(blanks[-1]))
		blanks--;
	at += *at == '-';
	first = second = number_at(at, end, &behind);
	wide = behind - blanks > WIDEST_THREAD && behind < end && *behind != '/';

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
	if (!moment_take(h, from_script_skip_blanks(behind, end), end))
		return false;
	if (wide && !h->period && time_skip(from_script_skip_blanks(behind, end), end) == from_script_skip_blanks(behind, end)) {
		h->tid = 0;
		h->period = second;
	}
	return true;
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
		if (is_word_start(name, at) && (is_digit(*at) || *at == '-') && from_script_numbers_take(h, line, at, end)) {
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

/* Where the frame from AT to END ends: behind its file there may be what else was asked for, instructions, branches, registers. */
static const char *frame_end(const char *at, const char *end)
{
	const char *file;

	if (end <= at || end[-1] == ')')
		return end;
	file = memmem(at, (size_t)(end - at), " (", 2);
	for (const char *in = file; in && in + 1 < end; in++)
		if (*in == ')' && is_blank(in[1]))
			return in + 1;
	return end;
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
	end = frame_end(at, end);
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

/* Whether the line ends with a place in the source, `main.c:12`. */
static bool is_place(const char *line, size_t n)
{
	const char *end = line + n, *colon = memrchr(line, ':', n), *behind;

	if (!colon)
		return false;
	number_at(colon + 1, end, &behind);
	return behind > colon + 1 && (behind == end || is_blank(*behind));
}

/* Whether the line is of a frame: perf begins these with a tab.  Where somebody made blanks of it, a thread's name may look like an address (dd, ed, bc). */
static bool is_frame(const char *line, size_t n, struct frame *f)
{
	struct head h;

	return n && is_blank(*line) && frame_take(line, n, f) && (*line == '\t' || (!is_place(line, n) && !from_script_head_take(line, n, &h)));
}

/* Whether the line, below a frame, is more of it that is of no use here: its source (`  main.c:12`), the bytes of an instruction, branches before. */
static bool is_more(const char *line, size_t n)
{
	return n && is_blank(*line) && (memmem(line, n, "insn:", 5) || (memmem(line, n, "0x", 2) && memmem(line, n, "/0x", 3)) || is_place(line, n));
}

/* Whether the line is of a frame whatever stands before it: behind a tab, or as far as perf moves them to the right, an address that is no word. */
static bool is_address(const char *line, size_t n)
{
	const char *end = line + n, *at = from_script_skip_blanks(line, end), *first = at;
	bool digit = false;
	struct frame f;

	for (; at < end && is_hex(*at); at++)
		digit |= is_digit(*at);
	return n && is_blank(*line) && frame_take(line, n, &f) && (*line == '\t' ? (digit && at - first >= 4) || at - line > 16 : digit && at - line >= 16 && f.name_size > 0);
}

/* The first line of a sample that has neither the thread's number nor a time: its name, perhaps a number, a period or the thread's, and the event. */
static void bare_head_take(const char *line, size_t n, struct head *h)
{
	const char *end = line + n, *at = from_script_skip_blanks(line, end), *word, *behind, *blanks;
	uint64_t number;

	while (end > at && is_blank(end[-1]))
		end--;
	*h = (struct head){ .name = at, .rest = end };
	for (word = end; word > at && !is_blank(word[-1]);)
		word--;
	if (end - word > 1 && end[-1] == ':' && is_letter(*word)) {
		h->event = word;
		h->event_size = (size_t)(end - word - 1);
		for (end = word; end > at && is_blank(end[-1]);)
			end--;
		for (word = end; word > at && !is_blank(word[-1]);)
			word--;
	}
	number = number_at(word, end, &behind);
	for (blanks = word; blanks > line && is_blank(blanks[-1]);)
		blanks--;
	if (behind == end && behind > word && (h->event || end - blanks > WIDEST_THREAD || number > INT32_MAX))
		h->period = number;
	else if (behind == end && behind > word)
		h->tid = (uint32_t)number;
	name_set(h, at, behind == end && behind > word ? word : end);
}

/* What a line is. */
enum script_line { LINE_NONE, LINE_EMPTY, LINE_HEAD, LINE_FRAME, LINE_MORE, LINE_ODD };

/* Lines, one after the other. */
struct script_walk {
	struct lines l;
	bool open;			/* a sample has begun that may have frames to come */
	bool placed;			/* the line before was of a sample */
	bool begins;			/* HEAD, FRAME: it begins one */
	struct head head;		/* of the sample at hand */
	struct frame frame;		/* FRAME: it */
};

/* Whether the line that follows is of a frame. */
static bool script_frame_follows(const struct script_walk *w)
{
	struct lines next = w->l;

	return lines_next(&next) && next.n && *next.line == '\t' && is_address(next.line, next.n);
}

/* The line at hand is of a frame.  Without a first line it begins a sample; without a tab, too, it is the only one of that. */
static enum script_line script_frame(struct script_walk *w)
{
	frame_take(w->l.line, w->l.n, &w->frame);
	w->placed = true;
	if (w->open)
		return LINE_FRAME;
	w->head = (struct head){ .name = "" };
	w->begins = true;
	w->open = *w->l.line == '\t';
	return LINE_FRAME;
}

static enum script_line script_next(struct script_walk *w)
{
	struct head head;

	if (!lines_next(&w->l))
		return LINE_NONE;
	w->begins = false;
	if (w->l.n == 0 || is_comment(&w->l)) {
		w->open = w->placed = false;
		return LINE_EMPTY;
	}
	if (w->open ? is_frame(w->l.line, w->l.n, &w->frame) : *w->l.line == '\t' && is_address(w->l.line, w->l.n))
		return script_frame(w);
	if (from_script_head_take(w->l.line, w->l.n, &head)) {
		w->open = head.rest_size < 12 || memcmp(head.rest, "PERF_RECORD_", 12) != 0;	/* it is of no sample */
		if (!w->open)
			return LINE_EMPTY;
		w->head = head;
		w->begins = w->placed = true;
		return LINE_HEAD;
	}
	if (w->placed && is_more(w->l.line, w->l.n))
		return LINE_MORE;
	if (!w->open && is_address(w->l.line, w->l.n))
		return script_frame(w);
	if (w->open || !script_frame_follows(w))
		return LINE_ODD;
	bare_head_take(w->l.line, w->l.n, &w->head);
	w->begins = w->open = w->placed = true;
	return LINE_HEAD;
}

/* As many lines are of samples, frames and what belongs to these as are not. */
static size_t script_reads(const char *head, size_t n, bool whole)
{
	struct script_walk w = { .l = { .data = head, .len = n } };
	size_t reads = 0, good = 0, others = 0;
	enum script_line line;

	while ((line = script_next(&w)) != LINE_NONE) {
		if (line == LINE_EMPTY || (lines_is_open(&w.l) && !whole))
			continue;
		good += line == LINE_HEAD || line == LINE_FRAME;
		reads += line == LINE_HEAD || line == LINE_FRAME ? w.l.n : 0;
		others += line == LINE_ODD;
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
	struct script_walk walk;
	bool open;			/* a sample is at hand */
	struct head head;		/* it */
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

/* The frame in the first line, F, behind what the sample is of (-F addr), if that stands there. */
static const struct frame *rest_frame(const struct scripting *k, struct frame *f)
{
	const char *end = k->head.rest + k->head.rest_size, *at = k->head.rest, *behind;
	struct frame inner;

	while (at < end && is_hex(*at))
		at++;
	at = behind = from_script_skip_blanks(at, end);
	while (behind < end && is_hex(*behind))
		behind++;
	if (behind - at >= 4 && behind < end && is_blank(*behind) && frame_take(at, (size_t)(end - at), &inner) && inner.name_size)
		*f = inner;
	return f;
}

/* Go on with what the line at hand is. */
static bool from_script_line_read(struct scripting *k, enum script_line line)
{
	struct frame f;

	if ((line == LINE_EMPTY || k->walk.begins) && !sample_end(k))
		return false;
	if (k->walk.begins) {
		k->head = k->walk.head;
		k->open = true;
		k->stack.n = 0;
	}
	if (line == LINE_FRAME)
		return frame_add(k, &k->walk.frame);
	if (line == LINE_ODD)
		reading_odd_line(k->r, &k->walk.l);
	return line != LINE_HEAD || !k->head.rest_size || !frame_take(k->head.rest, k->head.rest_size, &f) || frame_add(k, rest_frame(k, &f));
}

/* Which events there are: each sample is looked at once. */
static bool events_look(struct scripting *k)
{
	struct script_walk w = { .l = { .data = (const char *)k->r->data, .len = k->r->len } };
	uint32_t event;
	char *name;

	while (script_next(&w) != LINE_NONE) {
		if (!w.begins)
			continue;
		name = from_script_text_keep(k, w.head.event ? w.head.event : "", w.head.event ? w.head.event_size : 0, 0);
		event = name ? events_find(&k->events, name) : BUILDER_NONE;
		if (event == BUILDER_NONE)
			return reading_no_memory(k->r);
		events_add(&k->events, event, w.head.period);
	}
	return events_show(&k->events, k->r->builder) || reading_no_memory(k->r);
}

static bool script_read(struct reading *r)
{
	struct scripting k = { .r = r, .walk.l = { .data = (const char *)r->data, .len = r->len } };
	bool ok = events_look(&k);
	enum script_line line;

	while (ok && (line = script_next(&k.walk)) != LINE_NONE)
		ok = from_script_line_read(&k, line);
	ok = ok && sample_end(&k) && reading_odd_tell(r, k.good, "a sample or a frame as perf script prints them");
	if (ok && k.good && !k.placed)
		ok = error_set(r->err, ERROR_CORRUPT, ERROR_NO_OFFSET, "%.200s: its samples do not say where they were: perf script -F +ip,sym prints that", r->label);
	if (ok)
		reading_open_end_tell(r, &k.walk.l);
	events_free(&k.events);
	free(k.text);
	free(k.stack.functions);
	return ok;
}

const struct import_format import_script = { "perf script", script_reads, false, script_read };
