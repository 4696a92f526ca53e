/* from_perf.c - perf.data: samples of processes that map, fork and become other programs, in the order of their times.
 *
 * A stack is what the kernel's call chain says; where perf copied registers and the top of the stack (--call-graph dwarf), the user's part is unwound
 * here, as the recorder unwinds.  The kernel's functions are below one, [kernel].  The innermost frame is at the sample's own address. */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"
#include "read/import/events.h"
#include "read/import/perf_records.h"
#include "read/import/places.h"
#include "read/stacks/walk.h"

enum {
	LAST_KERNEL = 21,		/* type of the kernel's records that is known last */
	KERNEL_MODE = 1, USER_MODE = 2, MODES = 7,	/* header.misc: what the processor did */
	MISC_BUILD_ID = 1 << 14, MISC_EXEC = 1 << 13, MISC_DATA = 1 << 13,
	DEEPEST = 4096,			/* frames that are unwound */
	PROTECTION_EXECUTE = 4,
};

struct record_time { uint64_t time; size_t at; };

/* A process of the file. */
struct task {
	uint32_t pid, nth;		/* nth: programs that it was before */
	char name[16];
	struct places_process process;
};

struct named { uint32_t pid, tid; char name[16]; };

/* One reading. */
struct perf_reading {
	struct reading *r;
	struct perf_file file;
	struct events events;
	uint32_t *event_of;		/* of each attr, in events */
	struct record_time *records;		/* in the order of time */
	size_t nrecords, records_room;
	struct places places;
	struct task **tasks;
	uint32_t ntasks;
	size_t tasks_room;
	struct table by_pid;
	struct named *names;		/* of threads */
	uint32_t nnames;
	size_t names_room;
	struct table by_tid;
	struct stack stack;
	struct builder_place *backs;	/* of each of its functions */
	size_t backs_room;
	struct builder_place leaf;	/* where the sample at hand is, in its module; of none: in the kernel, or in no file */
	uint64_t lost, cut, unknown, first_unknown; /* samples; stacks; records of types that are not known, the first one's offset */
	uint32_t unknown_type;
	bool traced;			/* a hardware trace is in it */
};

static size_t perf_reads(const char *head, size_t n, bool is_whole)
{
	(void)is_whole;
	return n >= 16 && (memcmp(head, "PERFILE2", 8) == 0 || memcmp(head, "2ELIFREP", 8) == 0) ? n : 0;
}

/* ---- all records, in order ---- */

static int from_perf_by_time(const void *left, const void *right)
{
	const struct record_time *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static void unknown_note(struct perf_reading *p, uint32_t type, size_t at)
{
	if (p->unknown++ == 0) {
		p->unknown_type = type;
		p->first_unknown = at;
	}
}

static bool record_add(struct perf_reading *p, const struct perf_record *r)
{
	struct perf_bytes b = perf_record_body(&p->file, r->at);
	bool sample = r->type == PERF_RECORD_SAMPLE;
	const struct perf_attr *a = perf_file_attr(&p->file, b, sample);

	if (!array_reserve(&p->records, &p->records_room, p->nrecords + 1, sizeof *p->records))
		return reading_no_memory(p->r);
	p->records[p->nrecords++] = (struct record_time){ perf_file_time(a, b, sample), r->at };
	if (sample)
		events_add(&p->events, p->event_of[a - p->file.attrs], (a->period && !a->by_frequency) || a->sample_type & PERF_SAMPLE_PERIOD);
	return true;
}

/* Those of perf's own are read otherwise, or not. */
static bool record_note(struct perf_reading *p, const struct perf_record *r)
{
	p->traced |= r->type == PERF_OWN_AUXTRACE;
	if (r->type >= PERF_OWN_FIRST ? r->type > PERF_OWN_LAST : r->type > LAST_KERNEL || r->type == 0)
		unknown_note(p, r->type, r->at);
	return r->type >= PERF_OWN_FIRST || r->type > LAST_KERNEL || r->type == 0 || record_add(p, r);
}

/* Find the records, and put them in order: each processor's come by themselves. */
static bool records_find(struct perf_reading *p)
{
	struct perf_record r;
	enum perf_next next;

	for (size_t at = p->file.data; (next = perf_record_at(&p->file, at, &r)) == PERF_NEXT; at = perf_record_end(&r))
		if (!record_note(p, &r))
			return false;
	if (next == PERF_MALFORMED)
		return perf_record_wrong(&p->file, r.at);
	if (next == PERF_CUT)
		perf_record_cut_tell(&p->file, &r);
	if (p->nrecords)
		qsort(p->records, p->nrecords, sizeof *p->records, from_perf_by_time);
	return true;
}

/* ---- processes ---- */

static uint64_t task_hash(const void *owner, uint32_t i)
{
	return hash_mix(((const struct perf_reading *)owner)->tasks[i]->pid, 0);
}

static struct task *task_find(const struct perf_reading *p, uint32_t pid)
{
	uint64_t i = hash_mix(pid, 0);
	uint32_t k;

	while ((k = table_next(&p->by_pid, &i)) != UINT32_MAX)
		if (p->tasks[k]->pid == pid)
			return p->tasks[k];
	return NULL;
}

/* The process PID, begun if it is new.  NULL with the error set. */
static struct task *task_of(struct perf_reading *p, uint32_t pid)
{
	struct task *t = task_find(p, pid);

	if (t)
		return t;
	if (!array_grow(&p->tasks, &p->tasks_room, p->ntasks, sizeof *p->tasks) || !table_reserve(&p->by_pid, p->ntasks + 1, task_hash, p) ||
	    !(t = calloc(1, sizeof *t))) {
		reading_no_memory(p->r);
		return NULL;
	}
	t->pid = pid;
	places_process_begin(&p->places, &t->process, pid);
	p->tasks[p->ntasks] = t;
	table_add(&p->by_pid, hash_mix(pid, 0), p->ntasks++);
	return t;
}

static uint64_t from_perf_name_hash(const void *owner, uint32_t i)
{
	const struct named *n = &((const struct perf_reading *)owner)->names[i];

	return hash_mix(n->pid, n->tid);
}

static const char *from_perf_name_find(const struct perf_reading *p, uint32_t pid, uint32_t tid, uint32_t *found)
{
	uint64_t i = hash_mix(pid, tid);
	uint32_t k;

	while ((k = table_next(&p->by_tid, &i)) != UINT32_MAX)
		if (p->names[k].pid == pid && p->names[k].tid == tid) {
			*found = k;
			return p->names[k].name;
		}
	return NULL;
}

static bool from_perf_name_set(struct perf_reading *p, uint32_t pid, uint32_t tid, const char *name)
{
	uint32_t k;

	if (!from_perf_name_find(p, pid, tid, &k)) {
		if (!array_grow(&p->names, &p->names_room, p->nnames, sizeof *p->names) ||
		    !table_reserve(&p->by_tid, p->nnames + 1, from_perf_name_hash, p))
			return reading_no_memory(p->r);
		k = p->nnames++;
		p->names[k] = (struct named){ .pid = pid, .tid = tid };
		table_add(&p->by_tid, hash_mix(pid, tid), k);
	}
	memset(p->names[k].name, 0, sizeof p->names[k].name);
	memcpy(p->names[k].name, name, strnlen(name, sizeof p->names[k].name - 1));
	return true;
}

static bool comm_read(struct perf_reading *p, const struct perf_record *h, struct perf_bytes b, size_t at)
{
	uint32_t pid = (uint32_t)perf_take(&b, 4), tid = (uint32_t)perf_take(&b, 4);
	const char *name = perf_text(&b);
	struct task *t;

	if (b.wrong)
		return perf_record_wrong(&p->file, at);
	t = task_of(p, pid);
	if (!t)
		return false;
	if (h->misc & MISC_EXEC) {
		places_process_end(&t->process);
		places_process_begin(&p->places, &t->process, pid);
		t->nth++;
	}
	if (pid == tid || !t->name[0]) {
		memset(t->name, 0, sizeof t->name);
		memcpy(t->name, name, strnlen(name, sizeof t->name - 1));
	}
	return from_perf_name_set(p, pid, tid, name);
}

static bool fork_read(struct perf_reading *p, struct perf_bytes b, size_t at)
{
	uint32_t pid = (uint32_t)perf_take(&b, 4), ppid = (uint32_t)perf_take(&b, 4), tid = (uint32_t)perf_take(&b, 4);
	uint32_t ptid = (uint32_t)perf_take(&b, 4), k;
	const char *name;
	struct task *t, *from;

	if (b.wrong)
		return perf_record_wrong(&p->file, at);
	t = task_of(p, pid);
	from = task_find(p, ppid);
	if (!t)
		return false;
	if (from && from != t) {
		places_process_end(&t->process);
		places_process_begin(&p->places, &t->process, pid);
		memcpy(t->name, from->name, sizeof t->name);
		t->nth++;
		if (!space_copy(&t->process.space, &from->process.space, 0))
			return reading_no_memory(p->r);
	}
	name = from_perf_name_find(p, ppid, ptid, &k);
	if (name) {
		char copy[sizeof p->names->name];

		memcpy(copy, name, sizeof copy);
		return from_perf_name_set(p, pid, tid, copy);
	}
	return true;
}

/* The kernel is mapped, PATH telling which of its symbols is at ADDRESS; ID: NULL, or how long its build-id is, and that from the fifth byte on. */
static bool kernel_tell(struct perf_reading *p, const char *path, const unsigned char *id, uint64_t address)
{
	static const char kernel[] = "[kernel.kallsyms]";
	size_t n = sizeof kernel - 1;

	if (strncmp(path, kernel, n) != 0)
		return true;				/* a module of it */
	places_tell_kernel(&p->places, path + n, address);
	return !id || id[0] > 20 || places_tell(&p->places, kernel, id + 4, id[0]) || reading_no_memory(p->r);
}

static bool mmap_read(struct perf_reading *p, const struct perf_record *h, struct perf_bytes b, size_t at)
{
	uint32_t pid = (uint32_t)perf_take(&b, 4), protection = PROTECTION_EXECUTE;
	uint64_t start, length, offset;
	const unsigned char *id = NULL;
	const char *path;
	const struct mapping *m;
	struct task *t;
	bool first;

	perf_take(&b, 4);
	start = perf_take(&b, 8), length = perf_take(&b, 8), offset = perf_take(&b, 8);
	if (h->type == PERF_RECORD_MMAP2) {
		id = perf_skip(&b, 24);
		protection = (uint32_t)perf_take(&b, 4);
		perf_take(&b, 4);
	}
	path = perf_text(&b);
	if (b.wrong)
		return perf_record_wrong(&p->file, at);
	if ((h->misc & MODES) == KERNEL_MODE)
		return kernel_tell(p, path, h->misc & MISC_BUILD_ID ? id : NULL, offset);
	if (!(protection & PROTECTION_EXECUTE) || (h->type == PERF_RECORD_MMAP && h->misc & MISC_DATA) ||
	    length > UINT64_MAX - start || !length)
		return true;
	t = task_of(p, pid);
	if (!t || (h->misc & MISC_BUILD_ID && id && id[0] <= 20 && !places_tell(&p->places, path, id + 4, id[0])))
		return t && reading_no_memory(p->r);
	first = t->process.space.n == 0;
	if (!space_map(&t->process.space, start, length, offset, 0, 0, path))
		return reading_no_memory(p->r);
	m = space_find(&t->process.space, start);
	if (m && m->image && first && path[0] == '/')	/* the first that is mapped is the program itself */
		builder_main(p->r->builder, places_module(&p->places, m->image));
	return true;
}

/* ---- samples ---- */

/* A sample, taken apart. */
struct sample {
	uint64_t ip, period;
	uint32_t pid, tid;
	bool has_ip, kernel;		/* ip is known; the processor was in the kernel */
	struct perf_bytes chain;	/* the kernel's call chain */
	const unsigned char *regs;	/* the user's; NULL: none, or not of a 64-bit program */
	uint64_t mask;			/* which */
	const unsigned char *stack;	/* copy of its top; NULL: none */
	size_t stack_size;		/* bytes of it that were written */
};

/* Skip the values of counters. */
static void counts_skip(struct perf_bytes *b, uint64_t format)
{
	uint64_t times = (uint64_t)__builtin_popcountll(format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING));
	uint64_t each = 1 + (uint64_t)__builtin_popcountll(format & (PERF_FORMAT_ID | 1u << 4)), n = 1;	/* 4: lost */

	if (format & PERF_FORMAT_GROUP)
		n = perf_take(b, 8);
	perf_skip(b, 8 * times);
	b->wrong |= n > UINT32_MAX;
	perf_skip(b, b->wrong ? 0 : 8 * n * each);
}

/* N items of SIZE bytes, of which there is a number before. */
static const unsigned char *items_take(struct perf_bytes *b, uint64_t n, size_t size)
{
	b->wrong |= n > UINT32_MAX;
	return perf_skip(b, b->wrong ? 0 : n * size);
}

static void from_perf_stack_take(struct perf_bytes *b, struct sample *s)
{
	uint64_t size = perf_take(b, 8), written;

	if (!size)
		return;
	s->stack = perf_skip(b, size);
	written = perf_take(b, 8);
	s->stack_size = written < size ? written : size;
}

/* Take B apart as attr A says, in the order of perf_event.h.  False: it is malformed. */
static bool from_perf_sample_take(const struct perf_attr *a, struct perf_bytes b, struct sample *s)
{
	uint64_t type = a->sample_type, n;

	*s = (struct sample){ .period = a->by_frequency ? 0 : a->period, .mask = a->regs };
	if (type & PERF_SAMPLE_IDENTIFIER)
		perf_take(&b, 8);
	s->has_ip = type & PERF_SAMPLE_IP;
	if (s->has_ip)
		s->ip = perf_take(&b, 8);
	if (type & PERF_SAMPLE_TID) {
		s->pid = (uint32_t)perf_take(&b, 4);
		s->tid = (uint32_t)perf_take(&b, 4);
	}
	perf_skip(&b, 8 * (uint64_t)__builtin_popcountll(type & (PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU)));
	if (type & PERF_SAMPLE_PERIOD)
		s->period = perf_take(&b, 8);
	if (type & PERF_SAMPLE_READ)
		counts_skip(&b, a->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		n = perf_take(&b, 8);
		s->chain.at = items_take(&b, n, 8);
		s->chain.end = b.wrong ? s->chain.at : b.at;
	}
	if (type & PERF_SAMPLE_RAW)
		perf_skip(&b, perf_take(&b, 4));
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		n = perf_take(&b, 8);
		if (a->branch_type & 1u << 17)		/* with an index */
			perf_take(&b, 8);
		items_take(&b, n, 24);
	}
	if (type & PERF_SAMPLE_REGS_USER && (n = perf_take(&b, 8)) != 0) {
		const unsigned char *regs = perf_skip(&b, 8 * (uint64_t)__builtin_popcountll(a->regs));

		s->regs = n == PERF_SAMPLE_REGS_ABI_64 ? regs : NULL;
	}
	if (type & PERF_SAMPLE_STACK_USER)
		from_perf_stack_take(&b, s);
	return !b.wrong;
}

/* Put the registers of S where w->regs has them; false: those that are needed are not there. */
static bool regs_take(const struct sample *s, struct walk *w)
{
	/* By the number in linux/asm/perf_regs.h; -1: not needed. */
	static const int8_t dwarf[24] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, -1, -1, -1, -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15 };
	uint64_t need = 0xff01ff & ~UINT64_C(0x100), have = s->mask;
	const unsigned char *at = s->regs;

	if (!at || (have & (need | 0x100)) != (need | 0x100))
		return false;
	for (unsigned i = 0; i < 64; i++) {
		if (!(have >> i & 1))
			continue;
		if (i < 24 && dwarf[i] >= 0)
			memcpy(&w->regs[dwarf[i]], at, 8);
		at += 8;
	}
	return true;
}

static const struct builder_place nowhere = { BUILDER_NONE, 0 };

/* FUNCTION, whose call returns to BACK, is below what is on the stack so far. */
static bool from_perf_push(struct perf_reading *p, uint32_t function, struct builder_place back)
{
	if (function == BUILDER_NONE || !array_reserve(&p->backs, &p->backs_room, p->stack.n + 1, sizeof *p->backs) ||
	    !stack_push(&p->stack, function))
		return reading_no_memory(p->r);
	p->backs[p->stack.n - 1] = back;
	return true;
}

/* The same of the function at ADDRESS of T, and of those that the compiler put into its code there; CALLS: a call ends there.  *IS_SIGNAL: a signal's handler returns there, and
 * nobody called it. */
static bool push_at(struct perf_reading *p, struct task *t, uint64_t address, bool calls, bool *is_signal)
{
	struct builder_place back = nowhere;
	const uint32_t *inlined;
	struct place place;
	uint64_t entry;
	uint32_t n;

	if (!places_find(&p->places, &t->process, address, &place))
		return reading_no_memory(p->r);
	*is_signal = place.is_signal;
	if (p->stack.n == 0)
		p->leaf = place.at;
	if (place.at.module != BUILDER_NONE && calls && !place.is_signal)
		back = (struct builder_place){ place.at.module, place.at.address + 1 };
	inlined = places_inlined(&p->places, &place, &n, &entry);
	for (uint32_t i = n; i-- > 0; back = nowhere)
		if (!from_perf_push(p, inlined[i], back))
			return false;
	return from_perf_push(p, place.function, n && entry ? (struct builder_place){ place.at.module, entry + 1 } : back);
}

/* Turn the stack: what is told innermost first is wanted outermost first. */
static void turn(struct perf_reading *p)
{
	stack_turn(&p->stack);
	for (size_t i = 0; i < p->stack.n / 2; i++) {
		struct builder_place back = p->backs[i];

		p->backs[i] = p->backs[p->stack.n - 1 - i];
		p->backs[p->stack.n - 1 - i] = back;
	}
}

/* The kernel's function at ADDRESS, if anybody tells which that is. */
static bool kernel_push_at(struct perf_reading *p, uint64_t address)
{
	uint32_t function;

	if (!places_find_kernel(&p->places, address, &function))
		return reading_no_memory(p->r);
	return function == BUILDER_NONE || from_perf_push(p, function, nowhere);
}

/* The kernel itself, which all its functions are below, as the recorder has it. */
static bool kernel_push(struct perf_reading *p)
{
	return from_perf_push(p, builder_function(p->r->builder, &(struct builder_function){ .module = BUILDER_NONE, .name = "[kernel]" }), nowhere);
}

/* The user's innermost frames: where the processor was interrupted, at FIRST, and who called that, before SECOND; 0: nobody is known.  A precise event's sample has the address of
 * the instruction that it is of, and the interrupt came some instructions later: in the same function, in one that called it and that it has returned to since, or in one that it
 * has called since, and which is not under way then.  *TAKEN: how many of these two frames are on the stack now. */
static bool leaf_push(struct perf_reading *p, struct task *t, const struct sample *s, uint64_t first, uint64_t second, size_t *taken)
{
	struct place own, there, caller = { .function = BUILDER_NONE };
	bool ignored;

	*taken = 1;
	if (!s->has_ip || s->kernel || s->ip == first)
		return push_at(p, t, first, false, &ignored);
	if (!places_find(&p->places, &t->process, s->ip, &own) || !places_find(&p->places, &t->process, first, &there) ||
	    (second && !places_find(&p->places, &t->process, second - 1, &caller)))
		return reading_no_memory(p->r);
	*taken = own.function == there.function ? 1 : own.function == caller.function ? 2 : 0;
	return push_at(p, t, s->ip, false, &ignored);
}

/* Unwind the user's part.  *WHOLE: to the thread's start. */
static bool user_walk(struct perf_reading *p, struct task *t, const struct sample *s, struct walk *w, bool *is_whole)
{
	struct walk_frame frames[DEEPEST];
	size_t n, taken = 0;
	bool ignored;

	w->space = &t->process.space;
	w->stack = s->stack;
	w->size = s->stack_size;
	*is_whole = walk_stack(w, frames, DEEPEST, &n) == WALK_WHOLE;
	if (n > 0 && !leaf_push(p, t, s, frames[0].address, n > 1 ? frames[1].address + 1 : 0, &taken))
		return false;
	for (size_t i = taken; i < n; i++)
		if (!push_at(p, t, frames[i].address, frames[i].back != 0, &ignored))
			return false;
	return true;
}

/* The kernel's part of a chain, from *B on, to the next mark.  The first frame is where it was, the others where calls return to. */
static bool kernel_chain_walk(struct perf_reading *p, struct perf_bytes *b, const struct sample *s)
{
	bool is_first = true;

	for (; b->end - b->at >= 8; is_first = false) {
		struct perf_bytes next = *b;
		uint64_t ip = perf_take(&next, 8);

		if (ip >= (uint64_t)PERF_CONTEXT_MAX)
			break;
		if (!kernel_push_at(p, !is_first ? ip - 1 : s->kernel && s->ip >> 63 ? s->ip : ip))
			return false;
		*b = next;
	}
	return is_first || kernel_push(p);
}

/* The frame at number I behind B; 0: a mark is there, or nothing. */
static uint64_t frame_at(const struct perf_bytes *b, size_t i)
{
	uint64_t ip = 0;

	if ((size_t)(b->end - b->at) >= 8 * (i + 1))
		memcpy(&ip, b->at + 8 * i, 8);
	return ip < (uint64_t)PERF_CONTEXT_MAX ? ip : 0;
}

/* The same of the user's part, which goes onto the stack if PUSHES. */
static bool user_chain_walk(struct perf_reading *p, struct task *t, struct perf_bytes *b, const struct sample *s, bool pushes)
{
	uint64_t first = frame_at(b, 0), ip;
	bool interrupted = false, ok = true;
	size_t taken = 0;

	if (pushes && first)
		ok = leaf_push(p, t, s, first, frame_at(b, 1), &taken);
	for (size_t i = 0; ok && b->end - b->at >= 8; i++) {
		memcpy(&ip, b->at, 8);
		if (ip >= (uint64_t)PERF_CONTEXT_MAX)
			break;
		perf_skip(b, 8);
		if (pushes && i >= taken)
			ok = push_at(p, t, ip - (i > 0), i > 0 && !interrupted, &interrupted);
	}
	return ok;
}

/* The parts of the kernel's chain, each behind a mark; the user's only if USER. */
static bool chain_walk(struct perf_reading *p, struct task *t, const struct sample *s, bool user)
{
	struct perf_bytes b = s->chain;
	bool kernel = s->kernel, ok = true;

	while (ok && b.end - b.at >= 8) {
		uint64_t ip;

		memcpy(&ip, b.at, 8);
		if (ip >= (uint64_t)PERF_CONTEXT_MAX) {
			perf_skip(&b, 8);
			kernel = ip == (uint64_t)PERF_CONTEXT_KERNEL || ip == (uint64_t)PERF_CONTEXT_HV;
		} else {
			ok = kernel ? kernel_chain_walk(p, &b, s) : user_chain_walk(p, t, &b, s, user);
		}
	}
	return ok;
}

/* The stack of S, innermost first. */
static bool stack_find(struct perf_reading *p, struct task *t, const struct sample *s, bool *cut)
{
	struct walk w = { 0 };
	bool unwound = s->stack && !p->file.other_machine && regs_take(s, &w), is_whole = true, ignored;

	p->stack.n = 0;
	p->leaf = nowhere;
	if (!chain_walk(p, t, s, !unwound))
		return false;
	if (unwound && !user_walk(p, t, s, &w, &is_whole))
		return false;
	*cut = !is_whole;
	if (p->stack.n)
		return true;
	return s->kernel ? kernel_push_at(p, s->ip) && kernel_push(p) : push_at(p, t, s->ip, false, &ignored);
}

static bool from_perf_sample_read(struct perf_reading *p, const struct perf_record *h, struct perf_bytes b, size_t at)
{
	const struct perf_attr *a = perf_file_attr(&p->file, b, true);
	uint32_t event = p->event_of[a - p->file.attrs], process, thread, ignored;
	struct task *t;
	struct sample s;
	const char *name;
	bool cut;

	if (!from_perf_sample_take(a, b, &s))
		return perf_record_wrong(&p->file, at);
	s.kernel = (h->misc & MODES) == KERNEL_MODE;
	t = task_of(p, s.pid);
	if (!t || !stack_find(p, t, &s, &cut))
		return false;
	turn(p);
	process = builder_process(p->r->builder, s.pid, t->nth, t->name, 0);
	name = from_perf_name_find(p, s.pid, s.tid, &ignored);
	thread = builder_thread(p->r->builder, process, s.tid, name ? name : t->name);
	if (thread == BUILDER_NONE)
		return reading_no_memory(p->r);
	events_put(&p->events, p->r->builder, event, s.period, p->leaf,
		&(struct builder_sample){ .thread = thread, .functions = p->stack.functions, .n = p->stack.n, .backs = p->backs, .cut = cut });
	return true;
}

/* ---- all of it ---- */

static bool from_perf_record_read(struct perf_reading *p, size_t at)
{
	struct perf_bytes b = perf_record_body(&p->file, at);
	struct perf_record h;

	perf_record_at(&p->file, at, &h);
	switch (h.type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return mmap_read(p, &h, b, at);
	case PERF_RECORD_COMM:
		return comm_read(p, &h, b, at);
	case PERF_RECORD_FORK:
		return fork_read(p, b, at);
	case PERF_RECORD_SAMPLE:
		return from_perf_sample_read(p, &h, b, at);
	case PERF_RECORD_LOST:
		perf_take(&b, 8);
		add_capped(&p->lost, perf_take(&b, 8));
		return true;
	case PERF_RECORD_LOST_SAMPLES:
		add_capped(&p->lost, perf_take(&b, 8));
		return true;
	}
	return true;				/* what else the kernel says is about no stack */
}

/* What perf calls an event of A where the file does not name it. */
static const char *event_name(const struct perf_attr *a, char buffer[48])
{
	static const char *const hardware[] = { "cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses" };
	static const char *const software[] = { "cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations" };

	if (a->name && a->name[0])
		return a->name;
	if (a->type == PERF_TYPE_HARDWARE && a->config < sizeof hardware / sizeof *hardware)
		return hardware[a->config];
	if (a->type == PERF_TYPE_SOFTWARE && a->config < sizeof software / sizeof *software)
		return software[a->config];
	snprintf(buffer, 48, "type %" PRIu32 " config 0x%" PRIx64, a->type, a->config);
	return buffer;
}

static bool events_name(struct perf_reading *p)
{
	char buffer[48];

	p->event_of = calloc(p->file.nattrs + 1, sizeof *p->event_of);
	for (uint32_t i = 0; p->event_of && i < p->file.nattrs; i++) {
		p->event_of[i] = events_find(&p->events, event_name(&p->file.attrs[i], buffer));
		if (p->event_of[i] == BUILDER_NONE)
			return reading_no_memory(p->r);
	}
	return p->event_of || reading_no_memory(p->r);
}

/* What the user is to know of what is not in the profile. */
static void rest_tell(struct perf_reading *p)
{
	struct reading *r = p->r;

	builder_header(r->builder)->notes[AMON_NOTE_LOST_STACK] = p->lost;
	if (p->unknown)
		reading_note(r, "note: %.100s: %" PRIu64 " record%s of types that are not known skipped, the first of type %" PRIu32 ", at byte %" PRIu64,
			     r->label, p->unknown, p->unknown == 1 ? "" : "s", p->unknown_type, p->first_unknown);
	if (p->traced)
		reading_note(r, "note: %.100s: the hardware trace in it is not read", r->label);
}

static void perf_free(struct perf_reading *p)
{
	for (uint32_t i = 0; i < p->ntasks; i++) {
		places_process_end(&p->tasks[i]->process);
		free(p->tasks[i]);
	}
	free(p->tasks);
	free(p->names);
	free(p->records);
	free(p->event_of);
	free(p->stack.functions);
	free(p->backs);
	table_free(&p->by_pid);
	table_free(&p->by_tid);
	places_end(&p->places);
	events_free(&p->events);
	perf_file_free(&p->file);
}

static bool perf_read(struct reading *r)
{
	struct perf_reading p = { .r = r };
	bool ok = perf_file_open(&p.file, r) && events_name(&p) && records_find(&p) && (events_show(&p.events, r->builder) || reading_no_memory(r));

	places_begin(&p.places, r->builder);
	p.places.release = p.file.release;
	builder_keep_sites(r->builder);
	for (uint32_t i = 0; ok && i < p.file.nbuild_ids; i++)
		ok = places_tell(&p.places, p.file.build_ids[i].path, p.file.build_ids[i].id, p.file.build_ids[i].size) || reading_no_memory(p.r);
	for (size_t i = 0; ok && i < p.nrecords; i++)
		ok = from_perf_record_read(&p, p.records[i].at);
	if (ok)
		rest_tell(&p);
	perf_free(&p);
	return ok;
}

const struct import_format import_perf = { "perf.data", perf_reads, false, perf_read };
