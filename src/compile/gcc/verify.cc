/* verify.cc - the hooks proven: a pass after all others that touch control flow, on the instructions as they will be printed.
 *
 * From the entry on all ways are followed, and at each place is kept what all ways to it know (machine.h).  Of a routine with hooks it must be
 * known that
 *
 *	at each return and tail call				the context is that before the entry
 *	at each other jump out of the routine			it is LOST_ID
 *	at each call behind the entry				the context is the routine's own: also where control came back by no return,
 *								as to a landing pad, a receiver of a goto, or out of a switch of stacks
 *
 * and that each of these places was come to.  Calls are taken to leave the context as it was, which is what is proven of the routines called.
 *
 * A return or tail call that fails is mended, if the context before the entry is still in some register in its block: it is stored there. A
 * routine that cannot be mended falls back (fallback.cc). */
#include "compile/gcc/machine.h"

#include "insn-addr.h"

namespace aprof {

static int hooked = -1;			/* number of the function that was given hooks last: its address may be the next one's, once GCC has collected it */
static struct { int checked, unproven; } totals;

void note_hooks(const function *fun) { hooked = fun->funcdef_no; }

/* What is wrong, and where. */
struct fault {
	rtx_insn *at, *start;	/* the instruction, and that from which its straight code was followed */
	const char *what;
	bool is_exit;
};

class proof {
public:
	proof();
	void run();
	const std::vector<fault> &faults() const { return found; }
	std::vector<rtx_insn *> writers();	/* the instructions that write to the thread's words; after run() */
	knowledge before(rtx_insn *start) const { return LABEL_P(start) ? states[index(start)] : at_entry(); }

private:
	std::vector<knowledge> states;		/* by label */
	std::vector<bool> reached, waits;	/* by label: a way leads there; its code is to be followed again */
	std::vector<rtx_insn *> todo;
	std::vector<bool> seen;			/* by UID, once the states are final: a way leads there */
	std::vector<fault> found;
	bool judges;				/* the states are final: look for faults */
	std::vector<rtx_insn *> *writing;	/* if it is not NULL: add those that write to the thread's words */

	int index(rtx_insn *label) const { return CODE_LABEL_NUMBER(label) - get_first_label_num(); }
	void flow(rtx_insn *label, const knowledge &k);
	void flow_by_exception(rtx_insn *insn, const knowledge &k);
	void flow_by_goto(rtx_insn *insn, const knowledge &k);
	void flow_by_address(rtx_insn *insn, const knowledge &k);
	bool branch(rtx_insn *insn, knowledge *k);
	bool jump(rtx_insn *insn, knowledge *k);
	bool step(rtx_insn *insn, knowledge *k);
	void follow(rtx_insn *start);
	void follow_all();
	void fail(rtx_insn *at, const char *what, bool is_exit);
	void judge_exit(rtx_insn *insn, const knowledge &k, const char *what);
	void judge_jump(rtx_insn *insn, const knowledge &k, const char *what);
	void judge_call(rtx_insn *insn, const knowledge &k);
	void judge_unseen();

	rtx_insn *start;			/* of the code that is followed */
};

proof::proof() : judges(false), writing(NULL), start(NULL)
{
	int labels = max_label_num() - get_first_label_num();

	states.resize(labels);
	reached.resize(labels);
	waits.resize(labels);
}

/* ---- ways ---- */

/* Control may come to LABEL with K. */
void proof::flow(rtx_insn *label, const knowledge &k)
{
	int i = index(label);
	bool changed = reached[i] ? states[i].meet(k) : true;

	if (!reached[i])
		states[i] = k;
	reached[i] = true;
	if (changed && !waits[i]) {
		waits[i] = true;
		todo.push_back(label);
	}
}

void proof::flow_by_exception(rtx_insn *insn, const knowledge &k)
{
	eh_landing_pad pad = get_eh_landing_pad_from_rtx(insn);

	if (pad && pad->landing_pad)
		flow(pad->landing_pad, received(k, insn, false));
}

/* A call may be left by a goto to a label of this function. */
void proof::flow_by_goto(rtx_insn *insn, const knowledge &k)
{
	if (!CALL_P(insn) || !can_nonlocal_goto(insn))
		return;
	for (rtx_insn_list *l = nonlocal_goto_handler_labels; l; l = l->next())
		flow(l->insn(), received(k, insn, true));
}

/* INSN jumps to an address: to any label that has one. */
void proof::flow_by_address(rtx_insn *insn, const knowledge &k)
{
	rtx_insn *label;
	unsigned i;

	if (find_reg_note(insn, REG_NON_LOCAL_GOTO, NULL_RTX)) {
		judge_jump(insn, k, "jump out of the routine");
		return;
	}
	FOR_EACH_VEC_SAFE_ELT(forced_labels, i, label)
		if (LABEL_P(label))
			flow(label, k);
}

/* Follow INSN, which jumps to one label, or under a condition. Returns true if control may also go on behind it, with *K. */
bool proof::branch(rtx_insn *insn, knowledge *k)
{
	rtx condition = any_condjump_p(insn) ? get_condition(insn, NULL, false, true) : NULL_RTX;
	knowledge there = *k;

	if (condition && GET_CODE(condition) == EQ)
		note_equal(&there, XEXP(condition, 0), XEXP(condition, 1));
	flow(JUMP_LABEL_AS_INSN(insn), there);
	if (condition && GET_CODE(condition) == NE)
		note_equal(k, XEXP(condition, 0), XEXP(condition, 1));
	return !any_uncondjump_p(insn);
}

/* Follow the jump INSN. Returns true if control may also go on behind it, with *K. */
bool proof::jump(rtx_insn *insn, knowledge *k)
{
	rtx_jump_table_data *table;
	rtx op = extract_asm_operands(PATTERN(insn));

	if (op) {
		for (int i = 0; i < ASM_OPERANDS_LABEL_LENGTH(op); i++)
			flow(as_a<rtx_insn *>(label_ref_label(ASM_OPERANDS_LABEL(op, i))), *k);
		return true;
	}
	if (returnjump_p(insn)) {
		judge_exit(insn, *k, "return");
		return false;
	}
	if (tablejump_p(insn, NULL, &table)) {
		rtvec labels = table->get_labels();

		for (int i = 0; i < GET_NUM_ELEM(labels); i++)
			flow(as_a<rtx_insn *>(label_ref_label(RTVEC_ELT(labels, i))), *k);
		return false;
	}
	if (JUMP_LABEL(insn) && LABEL_P(JUMP_LABEL(insn)))
		return branch(insn, k);
	if (computed_jump_p(insn))
		flow_by_address(insn, *k);
	else
		fail(insn, "a jump that is not understood", false);
	return false;
}

/* Follow INSN from what K knows. Returns false where the way ends. */
bool proof::step(rtx_insn *insn, knowledge *k)
{
	if (judges)
		seen[INSN_UID(insn)] = true;
	if (writing && writes_words(*k, insn))
		writing->push_back(insn);
	if (CALL_P(insn) && SIBLING_CALL_P(insn)) {	/* to what it calls this routine is gone: control cannot come back */
		judge_exit(insn, *k, "tail call");
		return false;
	}
	flow_by_exception(insn, *k);
	flow_by_goto(insn, *k);
	if (CALL_P(insn))
		judge_call(insn, *k);
	execute(k, insn);
	return !JUMP_P(insn) || jump(insn, k);
}

/* Follow the straight code from FROM, a label that was reached, or the function's first instruction. */
void proof::follow(rtx_insn *from)
{
	knowledge k = before(from);

	start = from;
	for (rtx_insn *insn = from; insn && !BARRIER_P(insn); insn = NEXT_INSN(insn)) {
		if (LABEL_P(insn) && insn != from) {
			flow(insn, k);
			return;
		}
		if (NONDEBUG_INSN_P(insn) && GET_CODE(PATTERN(insn)) != USE && !step(insn, &k))
			return;
	}
}

/* ---- faults ---- */

void proof::fail(rtx_insn *at, const char *what, bool is_exit)
{
	if (judges)
		found.push_back({ at, start, what, is_exit });
}

void proof::judge_exit(rtx_insn *insn, const knowledge &k, const char *what)
{
	if (k.kind_at(context) != PREV || !(k.at(entered) == value{ NUMBER, 0, 1 }))
		fail(insn, what, true);
}

/* The receiver of a jump that is no call is not known. */
void proof::judge_jump(rtx_insn *insn, const knowledge &k, const char *what)
{
	if (k.kind_at(context) != LOST || !(k.at(entered) == value{ NUMBER, 0, 1 }))
		fail(insn, what, false);
}

/* The name of the routine that INSN calls, and that is not of this unit; "": another one.  The compiler's own calls know no declaration. */
static const char *called_outside(rtx_insn *insn)
{
	tree decl = get_call_fndecl(insn);
	rtx x = get_call_rtx_from(insn), symbol = x ? XEXP(XEXP(x, 0), 0) : NULL_RTX;

	if (decl)
		return DECL_EXTERNAL(decl) ? assembler_name(decl) : "";
	return symbol && GET_CODE(symbol) == SYMBOL_REF ? targetm.strip_name_encoding(XSTR(symbol, 0)) : "";
}

/* Does INSN pass an exception on? */
static bool resumes(rtx_insn *insn, const knowledge &k)
{
	rtx x = get_call_rtx_from(insn), target = x ? XEXP(XEXP(x, 0), 0) : NULL_RTX;

	return target && evaluate(k, target).kind == RESUME;
}

/* Is INSN a call in name only, of address 0, as GCC has vzeroupper since version 12?  (FAKE_CALL_P is not set in copies of it.) */
static bool is_fake(rtx_insn *insn)
{
	rtx x = get_call_rtx_from(insn);

	return x && XEXP(XEXP(x, 0), 0) == const0_rtx;
}

/* Does INSN end the program whose stack is broken?  All ways come there, with whatever context. */
static bool is_end(rtx_insn *insn) { return !strcmp(called_outside(insn), "__stack_chk_fail"); }

/* Does INSN call what has no hooks: a pure function of the compiler's, or one out of its libraries (as computes with
 * numbers of 128 bits)? */
static bool needs_no_context(rtx_insn *insn)
{
	return RTL_CONST_CALL_P(insn) || !strncmp(called_outside(insn), "__", 2);
}

void proof::judge_call(rtx_insn *insn, const knowledge &k)
{
	bool before_entry = k.at(entered) == value{ NUMBER, 0, 0 };
	kind now = k.kind_at(context);

	if (resumes(insn, k))
		judge_jump(insn, k, "exception passed on");
	else if (switches_untold(called_routine(insn)))
		judge_jump(insn, k, "switch of stacks");
	else if (now != (before_entry ? PREV : OWN) && !is_fake(insn) && !is_end(insn) && !(now == PREV && needs_no_context(insn)))
		fail(insn, "call", false);
}

/* What no way was found to is not proven. */
void proof::judge_unseen()
{
	for (rtx_insn *insn = get_insns(); insn; insn = NEXT_INSN(insn))
		if ((CALL_P(insn) || (JUMP_P(insn) && returnjump_p(insn))) && !seen[INSN_UID(insn)])
			fail(insn, "a place that no path leads to", false);
}

/* Follow all that ways lead to. */
void proof::follow_all()
{
	follow(get_insns());
	for (rtx_insn *insn = get_insns(); insn; insn = NEXT_INSN(insn))
		if (LABEL_P(insn) && reached[index(insn)])
			follow(insn);
}

std::vector<rtx_insn *> proof::writers()
{
	std::vector<rtx_insn *> all;

	judges = false;
	writing = &all;
	follow_all();
	writing = NULL;
	return all;
}

void proof::run()
{
	follow(get_insns());
	while (!todo.empty()) {
		rtx_insn *label = todo.back();

		todo.pop_back();
		waits[index(label)] = false;
		follow(label);
	}
	judges = true;
	seen.resize(get_max_uid());
	follow_all();
	judge_unseen();
}

/* ---- mends ---- */

/* A place of a block where the context before the entry is in a register. */
struct remains {
	rtx_insn *at;		/* before this one; NULL: nowhere */
	int reg;
};

static int register_with_prev(const knowledge &k)
{
	for (const knowledge::fact &f : k.facts())
		if (f.where.base == REGISTER && f.what.kind == PREV && GENERAL_REGNO_P(f.where.offset))
			return f.where.offset;
	return -1;
}

/* The last such place in the straight code that leads to the exit of F. */
static remains find_remains(const proof &p, const fault &f)
{
	knowledge k = p.before(f.start);
	remains last = { NULL, -1 };

	for (rtx_insn *insn = f.start;; insn = NEXT_INSN(insn)) {
		if (!NONDEBUG_INSN_P(insn) || GET_CODE(PATTERN(insn)) == USE)
			continue;
		int reg = register_with_prev(k);

		if (reg >= 0)
			last = { insn, reg };
		if (insn == f.at)
			return last;
		execute(&k, insn);
		if (CALL_P(insn) || JUMP_P(insn))
			last.at = NULL;
	}
}

/* A register that nothing between FROM and the exit at TO mentions, and that calls overwrite; -1: there is none. */
static int find_scratch(rtx_insn *from, rtx_insn *to, int except)
{
	static const int candidates[] = { R11_REG, R10_REG, AX_REG, CX_REG, DX_REG, SI_REG, DI_REG, R8_REG, R9_REG };

	for (int r : candidates) {
		rtx x = gen_rtx_REG(word_mode, r);
		bool used = r == except || (CALL_P(to) && find_reg_fusage(to, USE, x));

		for (rtx_insn *insn = from; !used; insn = NEXT_INSN(insn)) {
			used = NONDEBUG_INSN_P(insn) && reg_overlap_mentioned_p(x, PATTERN(insn));
			if (insn == to)
				break;
		}
		if (!used)
			return r;
	}
	return -1;
}

/* The store before AT of what is in REG.  In a shared library it wants a SCRATCH register. */
static rtx store_pattern(int reg, int scratch)
{
	int n = flag_shlib ? 2 : 1;
	rtvec operands = rtvec_alloc(n), constraints = rtvec_alloc(n);
	rtx op;

	RTVEC_ELT(operands, 0) = gen_rtx_REG(word_mode, reg);
	if (n > 1)
		RTVEC_ELT(operands, 1) = gen_rtx_REG(word_mode, scratch);
	for (int i = 0; i < n; i++)
		RTVEC_ELT(constraints, i) = gen_rtx_ASM_INPUT_loc(word_mode, ggc_strdup("r"), UNKNOWN_LOCATION);
	op = gen_rtx_ASM_OPERANDS(VOIDmode, ggc_strdup(n > 1 ? mend_there : mend_here), "", 0, operands, constraints, rtvec_alloc(0),
				  UNKNOWN_LOCATION);
	MEM_VOLATILE_P(op) = 1;
	if (n == 1)
		return op;
	return gen_rtx_PARALLEL(VOIDmode, gen_rtvec(2, op, gen_rtx_CLOBBER(VOIDmode, gen_rtx_REG(word_mode, scratch))));
}

void insert_before(rtx pattern, rtx_insn *at)
{
	rtx_insn *insn = emit_insn_before(pattern, at);

	INSN_LOCATION(insn) = INSN_LOCATION(at);
	if (INSN_ADDRESSES_SET_P())
		INSN_ADDRESSES_NEW(insn, -1);
}

/* Put the context back before the exit of F.  False: it is nowhere. */
static bool mend(const proof &p, const fault &f)
{
	remains r = find_remains(p, f);
	int scratch = r.at && flag_shlib ? find_scratch(r.at, f.at, r.reg) : -1;

	if (!r.at || (flag_shlib && scratch < 0))
		return false;
	insert_before(store_pattern(r.reg, scratch), r.at);
	return true;
}

/* Mend what can be: the exits. */
static bool mend_all(const proof &p)
{
	bool all = true;

	for (const fault &f : p.faults())
		all = f.is_exit && mend(p, f) && all;
	return all;
}

/* ---- what is told ---- */

static location_t location_of(const fault &f)
{
	return INSN_HAS_LOCATION(f.at) ? INSN_LOCATION(f.at) : DECL_SOURCE_LOCATION(cfun->decl);
}

static void tell(const fault &f, const char *outcome)
{
	expanded_location at = expand_location(location_of(f));

	fprintf(stderr, "aprof: %s:%d: %s: %s: its context is not proven: %s\n", at.file ? at.file : main_input_filename, at.line,
		assembler_name(cfun->decl), f.what, outcome);
}

static void tell_all(const proof &p, const char *outcome)
{
	for (const fault &f : p.faults())
		if (options.verify == VERIFY_ERROR)
			error_at(location_of(f), "aprof: %qs: %s: the context is not proven", assembler_name(cfun->decl), f.what);
		else if (options.verify == VERIFY_REPORT || options.verbose)
			tell(f, outcome);
}

void write_totals(void *, void *)
{
	if (options.verify == VERIFY_REPORT)
		fprintf(stderr, "aprof: %s: %d routines checked, %d not proven\n", main_input_filename, totals.checked, totals.unproven);
}

/* Mend the function at hand, of which P is the proof that fails, or let it fall back. */
static void put_right(proof *p)
{
	if (mend_all(*p)) {
		proof again;

		again.run();
		if (again.faults().empty()) {
			tell_all(*p, "put back there");
			return;
		}
	}
	if (!can_fall_back(cfun)) {
		options.verify = VERIFY_ERROR;
		tell_all(*p, NULL);
		return;
	}
	tell_all(*p, "its hooks are called");
	fall_back(p->writers());
}

unsigned int verify_hooks()
{
	proof p;

	if (hooked != cfun->funcdef_no)
		return 0;
	p.run();
	totals.checked++;
	if (p.faults().empty())
		return 0;
	totals.unproven++;
	if (options.verify == VERIFY_MEND)
		put_right(&p);
	else
		tell_all(p, "left so");
	return 0;
}

} /* namespace aprof */
