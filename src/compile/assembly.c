/* assembly.c - assembly, line by line: hooks left out, moved and written out. */
#include "compile/assembly.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compile/naked.h"
#include "compile/written.h"

const char marking_option[] = "--mark-left-out";

static const char exit_hook[] = "__return__";

/* What GCC writes around the entry hook of a nested function, to keep its static chain. */
static const char chain_push[] = "\tpushq\t%r10\n", chain_pop[] = "\tpopq\t%r10\n";

/* What a hook of inside/x86_64/aprof-cyg.h begins with; behind it are the call, # and whose hook it is. */
static const char inlined_hook[] = "#aprof\t";

/* If LINE calls one of our hooks, as GCC writes it, `[1:] call [*]__aprof_entry[@GOTPCREL(%rip)]`, the name in it, else NULL. */
static const char *hook_called(const char *line)
{
	static const char *const hooks[] = {"__aprof_entry", exit_hook};

	line += strspn(line, "1: \t");
	if (strncmp(line, "call", 4) || !isspace((unsigned char)line[4]))
		return NULL;
	line += 4;
	line += strspn(line, " \t*");
	for (int i = 0; i < 2; i++) {
		size_t n = strlen(hooks[i]);

		if (!strncmp(line, hooks[i], n) && strchr("@ \t\n", line[n]))
			return line;
	}
	return NULL;
}

static bool is_exit_call(const char *line) { return !strncmp(hook_called(line), exit_hook, strlen(exit_hook)); }

/* If LINE declares a function's symbol (.type NAME, @function) keep the name in *FUNCTION. */
static void see_type(const char *line, char **function)
{
	const char *name = line + strspn(line, " \t"), *end;

	if (strncmp(name, ".type", 5) || !strstr(name, "@function"))
		return;
	name += 5;
	name += strspn(name, " \t\"");
	end = name + strcspn(name, ", \t\"\n");
	free(*function);
	*function = strndup(name, end - name);
}

/* True if LINE is the label of FUNCTION. */
static bool is_label(const char *line, const char *function)
{
	size_t n = function ? strlen(function) : 0;

	return n && !strncmp(line + (*line == '"'), function, n) && strchr("\":", line[(*line == '"') + n]);
}

/* Is FUNCTION the part of the one before that is hardly ever needed? */
static bool is_cold(const char *function)
{
	size_t n = strlen(function);

	return n > 5 && !strcmp(function + n - 5, ".cold");
}

/* A return, behind which nothing comes. */
static bool is_return(const char *line)
{
	line += strspn(line, " \t");
	return !strncmp(line, "ret", 3) && strspn(line + 3, " \t\n") == strlen(line + 3);
}

/* If LINE is an inlined hook of way cyg, the call in it, else NULL. */
static const char *inlined_call(const char *line)
{
	line += strspn(line, " \t");
	return strncmp(line, inlined_hook, strlen(inlined_hook)) ? NULL : line + strlen(inlined_hook);
}

/* Is CALL, of an inlined hook, of FUNCTION itself, or of one that this is a clone or piece of?  What was not known where it was inlined is in a
 * register or in memory: a routine with an attribute against optimisation, into which nothing is inlined. */
static bool assembly_is_own(const char *call, const char *function)
{
	const char *owner = strchr(call, '#');
	size_t n = owner ? strcspn(++owner, " \t\n") : 0;

	if (n && strcspn(owner, "%(") < n)
		return true;
	return n && function && !strncmp(function, owner, n) && (!function[n] || function[n] == '.');
}

/* Length of the name of the routine that FUNCTION is, or is a piece of: what GCC has put away, or split off for its own sake. */
static size_t routine_length(const char *function)
{
	const char *cold = strstr(function, ".cold"), *part = strstr(function, ".part.");

	if (cold && part)
		return (cold < part ? cold : part) - function;
	return cold || part ? (size_t)((cold ? cold : part) - function) : strlen(function);
}

static bool is_same_routine(const char *a, const char *b)
{
	size_t n = routine_length(a);

	return n == routine_length(b) && !strncmp(a, b, n);
}

/* Where the copying of assembly stands. */
struct filter {
	FILE *out;
	const struct select *select;
	unsigned way;			/* bits of enum assembly_way */
	bool compiled;			/* a compiler wrote this, of a source */
	bool hooked;			/* in which some routine called a hook */
	char *function;			/* of the last label, or of the next; NULL: none yet */
	bool keep;			/* its hooks stay */
	bool has_entry;			/* its entry hook was there */
	bool framed;			/* its frame is described here */
	unsigned entries;		/* written out so far, the last of them perhaps without its rest */
	bool rest;			/* that is to come */
	char *entered;			/* way cyg: the function that has the last entry hook; NULL: none */
	unsigned routines;		/* and how many routines have some */
	unsigned parted;		/* number, from 1 on, of the function of whose two parts one has ended; 0: none */
	char *pushed;			/* chain_push, and what may stand between that and an entry hook: to be written, unless that is written out; NULL: none */
	bool popped;			/* the next chain_pop is to be left out: the hook has kept the chain */
	char *leaving;			/* call of the exit hook, the line before; NULL: none */
	bool in_asm;			/* the program's own, between #APP and #NO_APP */
	char *entering;			/* call of the entry hook, until it is known whether its routine is naked; NULL: none */
	unsigned signs;			/* of enum naked_sign, behind it */
	struct list above;		/* functions whose code has begun */
	FILE *behind;			/* what is to come after it, written into the next two */
	char *text;
	size_t size;
	bool made_frame;		/* the routine did, so way cyg may have hooks in it */
	bool naked;			/* it is, and has none */
	char *loads;			/* way cyg: the lines before, which may load a hook's arguments; NULL: none */
	struct error *err;		/* what was refused */
	bool changed;			/* a line is not as it was */
};

/* Write the note that FUNCTION was left out, and why, which read/symbols/ reads.  False on a failed write. */
static bool write_left_out(FILE *out, const char *why, const char *function)
{
	return fprintf(out, "\t.pushsection\t.aprof_left_out,\"MS\",@progbits,1\n\t.string\t\"%s:%s\"\n\t.popsection\n", why, function) > 0;
}

/* Where lines go now. */
static FILE *assembly_output(const struct filter *f) { return f->behind ? f->behind : f->out; }

/* The label of LINE, a hook's call, stays. */
static void write_prefix(const struct filter *f, const char *line)
{
	size_t n = strcspn(line, "\t c");

	if (n)
		fprintf(f->out, "%.*s\n", (int)n, line);
}

/* Write the call of the exit hook that waits, in front of NEXT: if that is a return, written out, or as a jump to the hook that returns in its
 * place. */
static void write_leaving(struct filter *f, const char *next)
{
	const char *leaving = f->leaving, *hook = hook_called(leaving), *call = strstr(leaving, "call");

	if (!is_return(next)) {
		fputs(leaving, f->out);
		return;
	}
	f->changed = true;
	if (f->way & ASSEMBLY_WRITES) {
		write_prefix(f, leaving);
		written_exit(f->out);
	} else {
		fprintf(f->out, "%.*sjmp%.*s__aprof_return%s", (int)(call - leaving), leaving, (int)(hook - call - 4), call + 4,
			hook + strlen(exit_hook));
	}
}

/* Write what waits since the push of a static chain, with that or without. */
static void write_pushed(struct filter *f, bool chain)
{
	if (f->pushed)
		fputs(f->pushed + (chain ? 0 : strlen(chain_push)), assembly_output(f));
	free(f->pushed);
	f->pushed = NULL;
}

/* Is LINE no instruction but a mark for indirect branches, or room for a patch, or a directive or local label?  GCC has such between the push and the hook. */
static bool is_padding(const char *line)
{
	const char *word = line + strspn(line, " \t");

	return *word == '.' || !strncmp(word, "endbr64", strlen("endbr64")) || !strncmp(word, "nop", strlen("nop"));
}

/* LINE may be a push of a static chain, or behind one: it waits until it is known whether an entry hook comes.  Or it is the pop that nothing was
 * pushed for.  *DONE: nothing is to be written of it now.  False: no memory. */
static bool filter_chain(struct filter *f, const char *line, bool *done)
{
	char *lines = f->pushed;

	*done = f->popped && !strcmp(line, chain_pop);
	f->popped &= !*done;
	if (*done || f->entering || (!lines && strcmp(line, chain_push)))
		return true;
	*done = true;
	if (asprintf(&f->pushed, "%s%s", lines ? lines : "", line) < 0)
		f->pushed = NULL;
	free(lines);
	return f->pushed;
}

/* LINE calls a hook of a routine that keeps it; a thunk of C++ has no entry that its exit could be of.  False: no memory. */
static bool filter_hook(struct filter *f, const char *line)
{
	bool is_exit = is_exit_call(line);

	f->changed |= is_exit && !f->has_entry;
	if (is_exit)
		return !f->has_entry || (f->leaving = strdup(line)) != NULL;
	f->has_entry = true;
	if (!(f->way & ASSEMBLY_WRITES) || !f->framed || f->rest) {
		write_pushed(f, true);
		fputs(line, f->out);
		return true;
	}
	f->popped = f->pushed;
	write_pushed(f, false);
	write_prefix(f, line);
	f->changed = f->rest = true;
	return written_entry(f->out, ++f->entries, f->popped);
}

/* Does the entry hook at hand, its function's own, come from a copy of the routine that was inlined into it?  All do but the first, which stands
 * where the routine begins. */
static bool is_inlined_again(const struct filter *f)
{
	return routine_length(f->function) != strlen(f->function) || (f->entered && !strcmp(f->entered, f->function));
}

/* Write CALL, of an entry hook that is the function's own.  A routine that is inlined into itself is entered once more on one frame, by another hook,
 * which is told the routine: where the first one returns to.  False on a failed write, or without memory. */
static bool write_entry(struct filter *f, const char *call)
{
	static const char hook[] = "__aprof_enter";
	const char *behind = strstr(call, hook) + strlen(hook);
	bool inlined = is_inlined_again(f), known = inlined && f->entered && is_same_routine(f->entered, f->function);

	if (!known) {
		free(f->entered);
		f->entered = strdup(f->function);
		f->routines++;
	}
	if (inlined)
		fprintf(f->out, "\tleaq\t.Laprof_self%u(%%rip), %%rax\n", f->routines);
	fprintf(f->out, "\t%.*s%s%s", (int)(behind - call), call, inlined ? "_inlined" : "", behind);
	return f->entered && (known || fprintf(f->out, ".Laprof_self%u:\n", f->routines) > 0);
}

/* The entry hook of the routine at hand may stand where its routine is naked: it is written when that is known, and what follows it waits. */
static bool hold_entry(struct filter *f, const char *line)
{
	f->signs = 0;
	f->entering = strdup(line);
	f->behind = open_memstream(&f->text, &f->size);
	return f->entering && f->behind;
}

/* The routine is naked, or not: write what waits, without the hook or with it. */
static bool settle_entry(struct filter *f, bool naked)
{
	bool good = !fclose(f->behind);

	f->behind = NULL;
	f->changed |= naked;
	if (naked)
		write_pushed(f, true);
	good = good && (naked ? write_left_out(f->out, "naked", f->function) : filter_hook(f, f->entering)) && fputs(f->text, f->out) >= 0;
	free(f->entering);
	free(f->text);
	f->entering = f->text = NULL;
	return good;
}

/* Does LINE tell whether the routine of the entry hook that waits is naked? */
static bool see_naked(struct filter *f, const char *line)
{
	if (!f->entering || f->in_asm)
		return true;
	f->signs |= naked_sign(line, &f->above);
	return !(f->signs & (NAKED_NEVER | NAKED_END)) || settle_entry(f, naked_by(f->signs));
}

/* The routine at hand has hooks of way cyg, and no frame for them: leave it out. */
static bool strip_naked(struct filter *f)
{
	bool first = !f->naked;

	f->changed = f->naked = true;
	return !first || write_left_out(f->out, "naked", f->function);
}

/* LINE may be one of those that lead to a plain hook of way cyg in a naked routine: they wait for the call.  *DONE: nothing is to be written of it now. */
static bool filter_loads(struct filter *f, const char *line, bool *done)
{
	bool first = !f->loads && !f->in_asm && !f->made_frame && !f->has_entry && naked_loads(line, true);
	char *lines;

	if (first || (f->loads && naked_loads(line, false))) {
		*done = true;
		lines = f->loads;
		f->loads = NULL;
		if (asprintf(&f->loads, "%s%s", lines ? lines : "", line) < 0)
			f->loads = NULL;
		free(lines);
		return f->loads;
	}
	if (!f->loads)
		return true;
	*done = naked_calls_hook(line);
	if (!*done)
		fputs(f->loads, f->out);
	free(f->loads);
	f->loads = NULL;
	return !*done || strip_naked(f);
}

static bool is_naked(const struct filter *f)
{
	return f->naked || (!f->made_frame && f->function && !is_inlined_again(f));
}

/* CALL, of an inlined hook, is in a naked routine.  What GCC has put into a register for it was perhaps the program's. */
static bool leave_naked(struct filter *f, const char *call)
{
	const char *owner = strchr(call, '#');

	if (!owner || owner[1 + strcspn(owner + 1, "%(\n")] == '\n')
		return strip_naked(f);
	return error_set(f->err, ERROR_COMPILER, ERROR_NO_OFFSET,
			 "%s: a routine with attribute naked cannot have hooks: give it __attribute__((no_instrument_function)) too", f->function);
}

/* CALL, of an inlined hook, is written if it is the function's own, and not if it is of what was inlined into that. */
static bool filter_inlined(struct filter *f, const char *call)
{
	if (!assembly_is_own(call, f->function))
		return true;
	if (is_naked(f))
		return leave_naked(f, call);
	f->changed = true;
	if (f->function && strstr(call, "__aprof_enter@"))
		return write_entry(f, call);
	return fprintf(f->out, "\t%s", call) > 0;
}

/* Keep track of the routine that LINE is in. */
static void assembly_follow(struct filter *f, const char *line)
{
	const char *word = line + strspn(line, " \t");

	f->compiled |= !strncmp(word, ".file\t\"", strlen(".file\t\""));
	see_type(line, &f->function);
	if (is_label(line, f->function)) {
		list_add(&f->above, f->function);
		f->keep = select_name(f->select, f->function);
		f->has_entry &= is_cold(f->function);
		f->made_frame &= is_cold(f->function);
		f->naked &= is_cold(f->function);
	}
	f->made_frame |= !f->in_asm && naked_makes_frame(line);
	if (!strncmp(word, ".cfi_startproc", strlen(".cfi_startproc")))
		f->framed = true;
	if (strncmp(word, ".cfi_endproc", strlen(".cfi_endproc")))
		return;
	if (f->rest)
		written_rest(f->out, f->entries);
	f->framed = f->rest = false;
}

/* A function has two parts, one of them far away, that end at labels of number N: write the note that plugin/far.cc describes. */
static void write_far_note(struct filter *f, unsigned n)
{
	f->changed = true;
	fprintf(assembly_output(f),
		"\t.pushsection .aprof.note,\"ao?\",@note,.LHOTE%u\n"
		"\t.balign 4\n\t.long 6, 8, 2\n\t.asciz \"aprof\"\n\t.balign 4\n"
		"\t.long .LCOLDE%u-1-.\n"
		"\t.long .LHOTE%u-1-.\n"
		"\t.popsection\n", n, n, n);
}

/* LINE is the label at which a part of a function ends. */
static void see_part(struct filter *f, const char *line)
{
	unsigned n;

	if (sscanf(line, ".LHOTE%u:", &n) != 1 && sscanf(line, ".LCOLDE%u:", &n) != 1)
		return;
	if (f->parted == n + 1 && f->keep)
		write_far_note(f, n);
	f->parted = f->parted == n + 1 ? 0 : n + 1;
}

/* LINE is neither an inlined hook, nor waits. */
static bool filter_other(struct filter *f, const char *line)
{
	bool waits;

	if (!hook_called(line)) {
		if (!filter_chain(f, line, &waits))
			return false;
		if (!waits)
			fputs(line, assembly_output(f));
		see_part(f, line);
		return true;
	}
	f->hooked = true;
	f->changed |= !f->keep;
	if (!f->entering && (!f->keep || f->has_entry || is_exit_call(line)))
		write_pushed(f, true);
	if (!f->keep)
		return is_exit_call(line) || !f->function || write_left_out(assembly_output(f), "name", f->function);
	return f->has_entry || is_exit_call(line) ? filter_hook(f, line) : hold_entry(f, line);
}

static bool filter_line(struct filter *f, const char *line)
{
	bool waits = false, good;

	if (f->leaving)
		write_leaving(f, line);
	free(f->leaving);
	f->leaving = NULL;
	if (!f->entering && !hook_called(line) && !is_padding(line))
		write_pushed(f, true);
	if (!see_naked(f, line))
		return false;
	assembly_follow(f, line);
	good = filter_loads(f, line, &waits);
	if (good && !waits)
		good = inlined_call(line) ? filter_inlined(f, inlined_call(line)) : filter_other(f, line);
	f->in_asm = !strcmp(line, "#APP\n") || (f->in_asm && strcmp(line, "#NO_APP\n"));
	return good;
}

/* The source was left out: tell its routines. */
static bool mark_all(struct filter *f)
{
	bool good = !f->above.failed;

	for (size_t i = 0; good && i < f->above.count; i++)
		if (routine_length(f->above.items[i]) == strlen(f->above.items[i]))
			good = f->changed = write_left_out(f->out, "file", f->above.items[i]);
	return good;
}

/* Write what still waits at the end of the assembly. */
static bool filter_end(struct filter *f)
{
	bool good = !f->entering || settle_entry(f, false);

	write_pushed(f, true);
	if (f->leaving)
		fputs(f->leaving, f->out);
	if (f->loads)
		fputs(f->loads, f->out);
	if (good && f->way & ASSEMBLY_MARKS && f->compiled && !f->hooked)
		good = mark_all(f);

	return good;
}

static void filter_free(struct filter *f)
{
	if (f->behind)
		fclose(f->behind);
	free(f->text);
	free(f->entering);
	free(f->entered);
	free(f->leaving);
	free(f->pushed);
	free(f->loads);
	free(f->function);
	list_free(&f->above);
}

bool assembly_filter(FILE *in, FILE *out, const struct select *s, unsigned way, bool *changed, struct error *err)
{
	struct filter f = { .out = out, .select = s, .way = way, .keep = true, .has_entry = true, .made_frame = true, .err = err };
	char *line = NULL;
	size_t size = 0;
	bool good = true;

	while (good && getline(&line, &size, in) > 0)
		good = filter_line(&f, line);
	good = good && filter_end(&f);
	*changed = f.changed;
	free(line);
	filter_free(&f);
	return good && feof(in) && !ferror(in) && !fflush(out) && !ferror(out);
}
