/* walk.c - frame by frame, by the rules of each function's file; by frame pointers, or what is on top of the stack, where there are none. */
#include "read/stacks/walk.h"

#include <string.h>

struct frame {
	const struct walk *w;
	uint64_t regs[RULES_REGISTERS];
	uint32_t known;			/* of them, a bit each */
	const struct mapping *mapping;	/* that the address is in; NULL: not looked for yet */
	bool called;			/* regs[RULES_RIP] is behind a call */
	uint64_t between;		/* where the routine begins that called what this one had called; 0: there is none, or it is not known */
};

static bool walk_read_word(void *arg, uint64_t address, uint64_t *word)
{
	const struct walk *w = arg;
	uint64_t at = address - w->regs[RULES_RSP];

	if (w->size < sizeof *word || at > w->size - sizeof *word)
		return w->more && w->more(w->more_arg, address, word);
	memcpy(word, (const char *)w->stack + at, sizeof *word);
	return true;
}

static bool walk_is_known(const struct frame *f, unsigned reg)
{
	return f->known >> reg & 1;
}

/* What rule X says, in the frame F with the CFA; false: it is not known. */
static bool walk_apply(const struct frame *f, struct rules *rules, const struct rules_register *x, uint64_t cfa, uint64_t *value)
{
	struct rules_state s = { f->regs, f->known, cfa, walk_read_word, (void *)f->w };
	uint64_t sum = 0;

	if (x->how == RULES_AT_EXPRESSION || x->how == RULES_IS_EXPRESSION) {
		if (!rules_evaluate(rules, x->value, &s, &sum))
			return false;
	} else {
		if (x->base != RULES_CFA && !walk_is_known(f, x->base))
			return false;
		sum = (x->base == RULES_CFA ? cfa : f->regs[x->base]) + (uint64_t)(int64_t)x->value;
	}
	*value = sum;
	return x->how == RULES_IS || x->how == RULES_IS_EXPRESSION || walk_read_word((void *)f->w, sum, value);
}

static void walk_set(struct frame *f, unsigned reg, uint64_t value)
{
	f->regs[reg] = value;
	f->known |= 1u << reg;
}

/* Whether rule X has a register still where its function, which is about to end, took it from the stack again: below the stack pointer, of which no
 * copy has anything.  It is the caller's own, then. */
static bool is_popped(const struct frame *f, const struct rules_register *x, uint64_t cfa)
{
	return x->how == RULES_AT && x->base == RULES_CFA && !f->called && cfa + (uint64_t)(int64_t)x->value < f->regs[RULES_RSP];
}

/* The same by a line that is usual: registers change where they are. */
static enum walk_end step_usual(struct frame *f, const struct rules_line *line)
{
	uint64_t sp = f->regs[RULES_RSP], cfa = f->regs[line->cfa.base] + (uint64_t)(int64_t)line->cfa.value;
	uint32_t known = f->known & line->same;

	if (!walk_is_known(f, line->cfa.base))
		return WALK_NO_RULES;
	for (uint32_t rest = line->saved; rest; rest &= rest - 1) {
		unsigned i = (unsigned)__builtin_ctz(rest);

		if (walk_read_word((void *)f->w, cfa + (uint64_t)(int64_t)line->reg[i].value, &f->regs[i]) || is_popped(f, &line->reg[i], cfa))
			known |= 1u << i;
	}
	if (!(known >> RULES_RIP & 1))
		return cfa - f->w->regs[RULES_RSP] >= f->w->size ? WALK_CUT : WALK_NO_RULES;
	if (cfa <= sp)
		return WALK_WRONG;
	f->known = known | 1u << RULES_RSP;
	f->regs[RULES_RSP] = cfa;
	f->called = true;
	return f->regs[RULES_RIP] ? WALK_CUT : WALK_WHOLE;
}

/* Go to the caller of F by LINE. */
static enum walk_end walk_step(struct frame *f, struct rules *rules, const struct rules_line *line)
{
	struct frame caller = { .w = f->w, .mapping = f->mapping };
	uint64_t cfa, value;

	if (line->reg[RULES_RIP].how == RULES_UNDEFINED)
		return WALK_WHOLE;
	if (line->cfa.how == RULES_UNDEFINED || !walk_apply(f, rules, &line->cfa, 0, &cfa))
		return WALK_NO_RULES;
	for (unsigned i = 0; i < RULES_REGISTERS; i++) {
		const struct rules_register *x = &line->reg[i];

		if (x->how == RULES_SAME && walk_is_known(f, i) && i != RULES_RIP)
			walk_set(&caller, i, f->regs[i]);
		else if (x->how != RULES_UNDEFINED && x->how != RULES_SAME && walk_apply(f, rules, x, cfa, &value))
			walk_set(&caller, i, value);
		else if (is_popped(f, x, cfa))
			walk_set(&caller, i, f->regs[i]);
	}
	if (!walk_is_known(&caller, RULES_RIP))
		return cfa - f->w->regs[RULES_RSP] >= f->w->size ? WALK_CUT : WALK_NO_RULES;
	if (line->reg[RULES_RSP].how == RULES_SAME || !walk_is_known(&caller, RULES_RSP))
		walk_set(&caller, RULES_RSP, cfa);
	if (caller.regs[RULES_RSP] <= f->regs[RULES_RSP] && !line->signal)
		return WALK_WRONG;
	caller.called = !line->signal;
	*f = caller;
	return f->regs[RULES_RIP] ? WALK_CUT : WALK_WHOLE;
}

/* The same by the frame pointer, if what it points to looks like a frame: above the stack pointer, with an address of code to return to.  0 is the end
 * but in code that is at work, which may hold anything there; not yet where the file M is entered. */
static enum walk_end step_by_pointer(struct frame *f, const struct mapping *m)
{
	uint64_t rbp = f->regs[RULES_RBP], up, back;

	if (walk_is_known(f, RULES_RBP) && rbp == 0 && (f->called || (m->image && image_is_entry(m->image, f->regs[RULES_RIP] - m->bias))))
		return WALK_WHOLE;
	if (!walk_is_known(f, RULES_RBP) || rbp < f->regs[RULES_RSP])
		return WALK_NO_RULES;
	if (!walk_read_word((void *)f->w, rbp, &up) || !walk_read_word((void *)f->w, rbp + 8, &back))
		return WALK_NO_RULES;
	if (back == 0)
		return WALK_WHOLE;
	if (!space_find(f->w->space, back - 1))
		return WALK_NO_RULES;
	walk_set(f, RULES_RSP, rbp + 16);
	walk_set(f, RULES_RBP, up);
	walk_set(f, RULES_RIP, back);
	f->known &= 1u << RULES_RSP | 1u << RULES_RBP | 1u << RULES_RIP;
	f->called = true;
	return WALK_CUT;
}

/* The same in code that has no description, but is known: what called it is PUSHED bytes below the top of the stack. */
static enum walk_end step_over(struct frame *f, int pushed)
{
	uint64_t at = f->regs[RULES_RSP] + (unsigned)pushed, back;

	if (!walk_read_word((void *)f->w, at, &back))
		return WALK_NO_RULES;
	walk_set(f, RULES_RSP, at + 8);
	walk_set(f, RULES_RIP, back);
	f->called = true;
	return WALK_CUT;
}

/* Whether the word on top of the stack is behind a call, as in a routine that keeps nothing on the stack. */
static bool returns_to_top(const struct frame *f)
{
	const struct mapping *m;
	uint64_t back;

	if (f->called || !walk_read_word((void *)f->w, f->regs[RULES_RSP], &back))
		return false;
	m = space_find(f->w->space, back - 1);
	return m && m->image && image_is_behind_call(m->image, back - m->bias);
}

/* The caller of F, which switched stacks, has no frame pointer but its own: that leads to who called it, and their call tells who it is. */
static enum walk_end step_switched(struct frame *f)
{
	uint64_t rbp = f->regs[RULES_RBP], up, back;
	const struct mapping *m;

	if (!walk_is_known(f, RULES_RBP) || !walk_read_word((void *)f->w, rbp, &up) || !walk_read_word((void *)f->w, rbp + 8, &back))
		return WALK_NO_RULES;
	m = space_find(f->w->space, back - 1);
	if (!m || !m->image)
		return WALK_WRONG;
	f->between = image_called(m->image, back - m->bias);
	f->between += f->between ? m->bias : 0;
	walk_set(f, RULES_RSP, rbp + 16);
	walk_set(f, RULES_RBP, up);
	walk_set(f, RULES_RIP, back);
	f->known = 1u << RULES_RSP | 1u << RULES_RBP | 1u << RULES_RIP;
	f->called = true;
	return WALK_CUT;
}

/* The line that holds at ADDRESS of M; NULL: there is none. */
static const struct rules_line *rules_at(const struct mapping *m, uint64_t address)
{
	return m->image && m->image->rules ? rules_find(m->image->rules, address - m->bias) : NULL;
}

/* Find the mapping that F is at; false: there is none. */
static bool walk_place(struct frame *f)
{
	uint64_t at = f->regs[RULES_RIP] - f->called;

	if (!f->mapping || at < f->mapping->start || at >= f->mapping->end)
		f->mapping = space_find(f->w->space, at);
	return f->mapping != NULL;
}

/* Whether F, where LINE holds, is no caller: no call stands before its address, which has no description, or that of what is before it.  So returns the first
 * routine on the stack that somebody made for a fiber. */
static bool is_no_caller(const struct frame *f, const struct rules_line *line)
{
	const struct mapping *m = f->mapping;
	uint64_t at = f->regs[RULES_RIP] - m->bias;

	return f->called && m->image && (!line || line->end == at) && image_is_behind_other(m->image, at);
}

/* Whether F is a few instructions of assembly that have called the first routine of a fiber by a register. */
static bool starts_fiber(const struct frame *f, const struct mapping *m)
{
	return f->called && m->image && m->image->rules && image_is_behind_register_call(m->image, f->regs[RULES_RIP] - m->bias);
}

/* The caller of F, whose mapping is found and where LINE holds; WALK_CUT: F is that now, or the copy of the stack ends, and *MOVED says which. */
static enum walk_end walk_leave(struct frame *f, const struct rules_line *line, bool *moved)
{
	uint64_t at = f->regs[RULES_RIP] - f->called, before = f->regs[RULES_RIP], sp = f->regs[RULES_RSP];
	const struct mapping *m = f->mapping;
	enum walk_end end;
	int pushed;

	if (line && line->switched)
		end = step_switched(f);
	else if (line)
		end = line->usual ? step_usual(f, line) : walk_step(f, m->image->rules, line);
	else if (m->image && (pushed = image_pushed(m->image, at - m->bias, f->called)) >= 0)
		end = step_over(f, pushed);
	else if (returns_to_top(f))
		end = step_over(f, 0);
	else
		end = step_by_pointer(f, m);
	if (end == WALK_NO_RULES && !line && starts_fiber(f, m))
		end = WALK_WHOLE;
	*moved = end == WALK_CUT && (f->regs[RULES_RIP] != before || f->regs[RULES_RSP] != sp);
	return end;
}

/* Where in the chain F is, which switched stacks: what follows is found by its frame pointer, which may be the thread's own still.  The chain's length: nowhere. */
static size_t place_in_chain(const struct frame *f)
{
	const struct walk *w = f->w;
	size_t i = 0;

	if (walk_is_known(f, RULES_RBP) && f->regs[RULES_RBP] == w->regs[RULES_RBP])
		return 0;
	while (i < w->nchain && w->chain[i] != f->regs[RULES_RIP])
		i++;
	return i;
}

/* What the kernel found behind F, which switched stacks, to OUT as walk_stack does. */
static enum walk_end follow_chain(const struct frame *f, struct walk_frame *out, size_t most, size_t *n)
{
	const struct walk *w = f->w;
	const struct rules_line *line = NULL;
	size_t i = place_in_chain(f);

	for (bool first = true; ++i < w->nchain && *n + 2 <= most; first = false) {
		const struct mapping *m = space_find(w->space, w->chain[i] - 1);
		uint64_t between;

		if (!m || !m->image || !m->image->rules)
			return WALK_WRONG;
		if (first && (between = image_called(m->image, w->chain[i] - m->bias)))
			out[(*n)++] = (struct walk_frame){ between + m->bias, 0 };
		out[(*n)++] = (struct walk_frame){ w->chain[i] - 1, w->chain[i] };
		line = rules_find(m->image->rules, w->chain[i] - 1 - m->bias);
	}
	return line && !line->switched && line->reg[RULES_RIP].how == RULES_UNDEFINED ? WALK_WHOLE : WALK_CUT;
}

static bool is_switch(const struct frame *f)
{
	const struct rules_line *line = rules_at(f->mapping, f->regs[RULES_RIP] - f->called);

	return line && line->switched;
}

enum walk_end walk_stack(const struct walk *w, struct walk_frame *out, size_t most, size_t *n)
{
	struct frame f = { .w = w, .known = (1u << RULES_REGISTERS) - 1 };
	enum walk_end end = WALK_CUT;
	const struct rules_line *line = NULL;
	bool moved = true, described = false;	/* the frame before had a line */

	memcpy(f.regs, w->regs, sizeof f.regs);
	for (*n = 0; *n < most && moved;) {
		if (!walk_place(&f))
			return !*n ? WALK_NO_RULES : described ? WALK_WHOLE : WALK_WRONG;	/* a fiber's first routine may return to nothing */
		line = rules_at(f.mapping, f.regs[RULES_RIP] - f.called);
		if (*n && is_no_caller(&f, line))
			return WALK_WHOLE;
		out[(*n)++] = (struct walk_frame){ f.regs[RULES_RIP] - f.called, f.called ? f.regs[RULES_RIP] : 0 };
		moved = false;
		f.between = 0;
		described = line != NULL;
		end = walk_leave(&f, line, &moved);
		if (end == WALK_NO_RULES && w->nchain && is_switch(&f))
			return follow_chain(&f, out, most, n);
		if (f.between && *n < most)
			out[(*n)++] = (struct walk_frame){ f.between, 0 };
	}
	return end;
}
