/* plan.c - from the caller's words to the real command. */
#include "compile/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/response.h"
#include "compile/assembly.h"
#include "compile/written.h"

/* Move the wrapper's own words from WORDS to the choice, the others to OUT. *MOVED tells whether there were any. */
static bool sort_words(struct plan *p, const struct list *words, struct list *out, bool *moved, struct error *err)
{
	*moved = false;
	for (size_t i = 0; i < words->count; i++) {
		bool ours;

		if (!choice_take(&p->choice, words->items[i], &ours, err))
			return false;
		if (!ours)
			list_add(out, words->items[i]);
		*moved |= ours;
	}
	return true;
}

/* Words that would disturb the hooks: -pg and -p start gprof beside us, the hooks of way cyg tell frames apart
 * by the frame pointer, GCC refuses to omit that beside way fentry's -pg (but omits it where it optimises), link-time optimisation would undo
 * the choice of files and routines (but not by way inline), and in a pipe GCC hides its second step from -wrapper. */
static bool disturbs(const struct plan *p, size_t i)
{
	const char *w = p->line.words.items[i];

	if (p->line.kinds[i] != WORD_OPTION)
		return false;
	if (!strcmp(w, "-pg") || !strcmp(w, "-p") || !strcmp(w, "--profile"))
		return true;
	if (!strncmp(w, "-flto", strlen("-flto")))
		return p->no_lto;
	if (!strcmp(w, "-pipe"))
		return p->steps;
	if (!strcmp(w, "-fomit-frame-pointer"))
		return way_is_cyg(p->hooks) || p->hooks == HOOKS_FENTRY;
	return way_is_cyg(p->hooks) && !strcmp(w, "-momit-leaf-frame-pointer");
}

/* The caller's own words if all of them can go on as they are, else what is left of the expanded ones. */
static void drop_disturbing(struct plan *p)
{
	struct list rest = {0};

	for (size_t i = 0; i < p->line.words.count; i++)
		if (!disturbs(p, i))
			list_add(&rest, p->line.words.items[i]);
	if (rest.count == p->line.words.count) {
		list_free(&rest);
		return;
	}
	list_free(&p->given);
	p->given = rest;
}

bool plan_read(struct plan *p, char *const args[], struct error *err)
{
	struct list all = {0}, expanded = {0};
	bool moved, hidden, good;

	list_add_all(&all, args);
	good = !all.failed && sort_words(p, &all, &p->given, &moved, err) &&
	       response_expand(p->given.items ? p->given.items : (char *[]){NULL}, &expanded, err) &&
	       sort_words(p, &expanded, &p->line.words, &hidden, err);
	if (good && hidden) {
		list_free(&p->given);
		list_add_all(&p->given, p->line.words.items);
	}
	good = good && !p->given.failed && !expanded.failed && (line_read(&p->line) || error_no_memory_for(err, "command line"));
	list_free(&all);
	list_free(&expanded);
	return good;
}

bool plan_is_ours(const struct plan *p)
{
	return p->line.action <= ACTION_COMPILE && p->line.inputs > 0 && !p->line.broken;
}

/* Not where a compiler of another language, which does not know the option, may get it, too. */
bool plan_wants_headers(const struct plan *p)
{
	return p->line.action <= ACTION_PREPROCESS && p->line.preprocessed > 0 && !p->line.foreign && !p->line.no_headers &&
	       !p->line.broken;
}

void plan_headers(struct plan *p, const char *directory)
{
	list_add(&p->before, "-idirafter");
	list_add(&p->before, directory);
}

const char step_key_option[] = "--key=", hooks_header[] = "aprof-cyg.h";

static bool has_option(const struct plan *p, const char *option)
{
	for (size_t i = 0; i < p->line.words.count; i++)
		if (p->line.kinds[i] == WORD_OPTION && !strcmp(p->line.words.items[i], option))
			return true;
	return false;
}

bool plan_is_preprocessed(const struct plan *p)
{
	return has_option(p, "-E") && !has_option(p, "-M") && !has_option(p, "-MM") && p->line.preprocessed == p->line.inputs;
}

void plan_key(struct plan *p, const char *directory, const char *key)
{
	list_format(&p->before, !has_option(p, "-P") ? "-DAPROF_KEY=\"aprof:%s\"" : "-DAPROF_KEY_WORD=aprof_%s", key);
	list_add(&p->before, "-include");
	list_format(&p->before, "%s/aprof-key.h", directory);
}

/* How many of the sources the patterns choose. */
static int chosen_sources(const struct plan *p)
{
	int n = 0;

	for (size_t i = 0; i < p->line.words.count; i++)
		if (p->line.kinds[i] == WORD_SOURCE)
			n += select_file(&p->choice.select, p->line.words.items[i]);
	return n;
}

/* Compiled code is for a machine that the monitor knows. */
static bool check_machine(const struct plan *p, struct error *err)
{
	const char *why = p->line.narrow ? p->line.narrow : p->line.machine;

	if (!why || p->line.no_hooks)
		return true;
	return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "%s: the monitor is for 64-bit code of x86: build this with the compiler itself", why);
}

/* The hooks of way fentry can be written out in the routines: they are for a program, not a library (written.h). */
static bool writes_hooks(const struct plan *p)
{
	const struct line *l = &p->line;

	return p->hooks == HOOKS_FENTRY && !p->choice.way.nop && !l->pic && !l->shared && !l->intel && !l->no_libc;
}

/* Can GCC run its steps through compiler_step? */
static bool takes_steps(const struct plan *p, const struct surroundings *around)
{
	return !p->line.own_wrapper && !strchr(around->self, ',');
}

static bool add_steps(struct plan *p, const struct surroundings *around)
{
	int chosen = chosen_sources(p);
	bool writes = chosen && writes_hooks(p), marks = chosen < p->line.sources;
	char *patterns = select_write(&p->choice.select);

	list_add(&p->before, "-wrapper");
	list_format(&p->before, "%s,cc-step,%s%s%s%s%s%s%s%s%s", around->self, step_key_option, around->key, patterns && *patterns ? "," : "",
		    patterns && *patterns ? select_option : "", patterns ? patterns : "", writes ? "," : "", writes ? written_option : "",
		    marks ? "," : "", marks ? marking_option : "");
	p->before.failed |= !patterns;
	free(patterns);
	return p->steps = true;
}

/* Let them, to tell routines and files apart. */
static bool add_choice(struct plan *p, const struct surroundings *around, struct error *err)
{
	if (p->hooks != HOOKS_FENTRY && select_has_names(&p->choice.select))
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET,
				 "method cyg cannot choose routines by name: use GCC's methods inline or fentry, or name files");
	if (p->hooks != HOOKS_FENTRY)
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET,
				 "method cyg cannot leave out some files of one command: compile them one by one");
	if (!takes_steps(p, around))
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET,
				 "-wrapper is taken, or aprof's path has a comma: routines cannot be chosen by name");
	return p->no_lto = add_steps(p, around);
}

/* The plugin chooses by itself, at the link too (GCC's). */
static void add_plugin(struct plan *p, const char *plugin)
{
	struct list arguments = {0};

	way_compile_flags(p->hooks, plugin, p->choice.tsc, p->choice.sites, &p->before);
	choice_arguments(&p->choice, &arguments);
	if (p->hooks == HOOKS_INLINE_LLVM && p->line.lto)
		list_add(&arguments, "lto=yes");
	for (size_t i = 0; i < arguments.count; i++)
		way_plugin_argument(p->hooks, plugin, arguments.items[i], &p->before);
	p->before.failed |= arguments.failed;
	list_free(&arguments);
}

/* LLVM's in the linker, where that may make code. */
static void add_linker_plugin(struct plan *p, const struct ability *ability)
{
	struct list arguments = {0};

	if (p->hooks != HOOKS_INLINE_LLVM || !ability->linker || !way_links_by_lld(&p->line))
		return;
	choice_all_arguments(&p->choice, &arguments);
	way_linker_plugin(ability->plugin, &arguments, &p->line, &p->before);
	p->before.failed |= arguments.failed;
	list_free(&arguments);
}

/* Way cyg by a GCC whose inlined hooks the steps know (inside/x86_64/aprof-cyg.h): the sources are C's, and the assembler is run here and now. */
static bool inlines_hooks(const struct plan *p, const struct surroundings *around)
{
	const struct line *l = &p->line;

	return p->hooks == HOOKS_CYG && around->ability.fentry && l->sources && l->sources == l->preprocessed && !l->foreign && !l->lto &&
	       !l->assembly && !l->intel && !l->large_model && takes_steps(p, around);
}

/* In a system directory the header is none that -MMD names. */
static void add_header(struct plan *p, const struct surroundings *around)
{
	list_add(&p->before, "-idirafter");
	list_add(&p->before, around->libdir);
	list_add(&p->before, "-include");
	list_add(&p->before, hooks_header);
}

/* GCC refuses to call hooks in what is safe in transactions, unless they are declared to be so. */
static bool has_transactions(const struct plan *p)
{
	return p->hooks == HOOKS_CYG && p->line.sources && p->line.sources == p->line.preprocessed && has_option(p, "-fgnu-tm");
}

/* By way cyg: what the sources are to include, if that may be. */
static void add_declarations(struct plan *p, const struct surroundings *around)
{
	if (has_transactions(p)) {
		list_add(&p->before, "-DAPROF_TRANSACTIONS");
		add_header(p, around);
	} else if (inlines_hooks(p, around)) {
		list_add(&p->before, "-mno-red-zone");
		add_header(p, around);
		add_steps(p, around);
	}
}

/* Flags for the sources, if some are chosen. Under link-time optimisation code is made at the link, with one set of flags
 * for all files: a file that is left out is compiled at once. */
static bool add_compile_flags(struct plan *p, const struct surroundings *around, struct error *err)
{
	int chosen = chosen_sources(p);
	bool mixed = chosen && chosen < p->line.sources;

	if (way_is_inline(p->hooks)) {
		add_plugin(p, around->ability.plugin);
		return true;
	}
	if (p->line.sources && !chosen) {
		p->why = "but --aprof-only and --aprof-except leave these files out";
		if (around->ability.fentry && takes_steps(p, around))
			add_steps(p, around);		/* to leave a mark; not worth an error */
		return p->no_lto = true;
	}
	way_compile_flags(p->hooks, NULL, false, false, &p->before);
	if (p->line.sources && (mixed || select_has_names(&p->choice.select)))
		return add_choice(p, around, err);
	if (p->hooks == HOOKS_FENTRY && p->line.sources && !p->line.lto && takes_steps(p, around))
		add_steps(p, around);		/* hooks written out, exits by jumps; not worth an error */
	add_declarations(p, around);
	return true;
}

static bool makes_code(const struct plan *p)
{
	return p->line.sources || p->line.headers;
}

/* A program that is linked without libc has no thread's words. */
static bool is_bare(const struct plan *p)
{
	return p->line.action == ACTION_LINK && p->line.no_libc && !p->line.shared;
}

static bool check_leaf(const struct plan *p, struct error *err)
{
	if (!p->choice.leaf || way_is_inline(p->hooks))
		return true;
	return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "--aprof-leaf needs method inline, and this is method %s: %s", way_name(p->hooks),
			 p->why);
}

/* The seed of the layout, by the option or by the environment. */
static bool check_layout(struct plan *p, const struct surroundings *around, struct error *err)
{
	if (!p->choice.layout && around->layout && *around->layout && !choice_take_layout(&p->choice, around->layout, err))
		return false;
	if (!p->choice.layout || !makes_code(p) || way_is_inline(p->hooks))
		return true;
	return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "--aprof-layout needs method inline, and this is method %s: %s", way_name(p->hooks), p->why);
}

static bool check_clock(const struct plan *p, struct error *err)
{
	return !p->choice.tsc || way_check_tsc(p->hooks, p->why, err);
}

static bool check_sites(const struct plan *p, struct error *err)
{
	return !p->choice.sites || way_check_sites(p->hooks, p->why, err);
}

/* The last of -finstrument-functions and its opposite, or what stands for them: the caller's program has hooks of its own. */
static bool has_own_hooks(const struct line *l)
{
	bool own = false;

	for (size_t i = 0; i < l->words.count; i++) {
		const char *w = l->words.items[i];

		if (l->kinds[i] == WORD_OPTION && (!strcmp(w, "-finstrument-functions") || !strcmp(w, "-finstrument-functions-after-inlining")))
			own = true;
		else if (l->kinds[i] == WORD_OPTION && !strcmp(w, "-fno-instrument-functions"))
			own = false;
	}
	return own;
}

static bool check_own_hooks(const struct plan *p, const struct surroundings *around, struct error *err)
{
	bool marks = p->hooks == HOOKS_INLINE_LLVM && has_option(p, "-finstrument-functions-after-inlining");

	if (around->nested || !(marks || (way_is_cyg(p->hooks) && has_own_hooks(&p->line))))
		return true;
	if (marks)
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "-finstrument-functions-after-inlining: by Clang method inline takes its marks for itself, "
				 "and a program's own hooks would not be called: use -finstrument-functions, or leave it out");
	return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "-finstrument-functions: method cyg takes those hooks for itself, and a program's own "
			 "would not be called: use GCC's methods inline or fentry, or leave it out");
}

/* What the plugin for LLVM cannot do. NULL: nothing. */
static const char *llvm_refusal(const struct plan *p, const struct ability *ability)
{
	if (p->line.lto && !(ability->linker && way_links_by_lld(&p->line)))
		return "-flto: its code is made at the link, for which method inline by Clang wants an ld.lld of Clang's version, 15 or later";
	if (p->line.large_model || has_option(p, "-mcmodel=medium"))
		return "-mcmodel=: method inline by Clang has no code for other models than small ones";
	return is_bare(p) ? "method inline needs libc's threads, and this links without libc" : NULL;
}

static bool plan_choose(struct plan *p, const struct surroundings *around, struct error *err)
{
	struct way way = p->choice.way;
	const char *refusal;

	refusal = around->ability.late && around->ability.plugs ? llvm_refusal(p, &around->ability) : NULL;
	if (refusal && way.hooks == HOOKS_INLINE)
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "%s: use --aprof-way=cyg", refusal);
	if ((p->line.large_model || refusal) && way.hooks == HOOKS_NONE)
		way.hooks = HOOKS_CYG;
	if (p->line.intel && way.hooks == HOOKS_NONE && !around->ability.plugs)	/* GCC 12 writes AT&T's calls of -mfentry into it */
		way.hooks = HOOKS_CYG;
	if (p->line.large_model && (way.hooks == HOOKS_INLINE || way.hooks == HOOKS_FENTRY))
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "-mcmodel=large: method %s has no code for it: use --aprof-way=cyg",
				 way.hooks == HOOKS_INLINE ? "inline" : "fentry");
	if (is_bare(p) && way.hooks == HOOKS_INLINE)
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "method inline needs libc's threads, and this links without libc: "
				 "use --aprof-way=fentry");
	if (is_bare(p) && way.hooks == HOOKS_NONE && around->ability.fentry)
		way.hooks = HOOKS_FENTRY;
	if (!way_choose(&way, &around->ability, around->compiler, &p->hooks, &p->why, err))
		return false;
	if (refusal && p->choice.way.hooks == HOOKS_NONE)
		p->why = refusal;
	return check_leaf(p, err) && check_layout(p, around, err) &&
	       check_clock(p, err) && check_sites(p, err) && check_own_hooks(p, around, err);
}

/* flang does not know -Xlinker; way_link_flags has seen to it that there is no comma. */
static void join_linker_words(struct list *words)
{
	struct list joined = {.failed = words->failed};

	for (size_t i = 0; i < words->count; i++)
		if (!strcmp(words->items[i], "-Xlinker") && i + 1 < words->count)
			list_format(&joined, "-Wl,%s", words->items[++i]);
		else
			list_add(&joined, words->items[i]);
	list_free(words);
	*words = joined;
}

bool plan_make(struct plan *p, const struct surroundings *around, struct error *err)
{
	bool compile;

	if (!check_machine(p, err) || !plan_choose(p, around, err))
		return false;
	compile = makes_code(p) ? !p->line.no_hooks : (p->hooks == HOOKS_FENTRY || p->hooks == HOOKS_INLINE) &&
		  p->line.action == ACTION_LINK;
	if (!compile && makes_code(p))
		p->why = "but this code may have no libc to stand on: -ffreestanding or -mcmodel=kernel";
	if (compile && p->choice.callers)
		list_add(&p->before, "-fno-optimize-sibling-calls");
	if (compile && !add_compile_flags(p, around, err))
		return false;
	if (around->headers && plan_wants_headers(p))
		plan_headers(p, around->headers);
	drop_disturbing(p);
	if (p->line.action == ACTION_LINK &&
	    !way_link_flags(p->hooks, p->choice.way.nop, &around->ability, &p->line, around->libdir, &p->before, err))
		return false;
	if (p->line.action == ACTION_LINK)
		way_link_switches(p->hooks, p->choice.way.nop, &p->line, &p->choice.switches, around->switches, around->libdir, &p->before, &p->after);
	if (p->line.action == ACTION_LINK)
		add_linker_plugin(p, &around->ability);
	if (p->hooks == HOOKS_INLINE_FLANG) {
		join_linker_words(&p->before);
		join_linker_words(&p->after);
	}
	return !p->before.failed && !p->after.failed && !p->given.failed ? true : error_no_memory_for(err, "command line");
}

void plan_free(struct plan *p)
{
	choice_free(&p->choice);
	line_free(&p->line);
	list_free(&p->given);
	list_free(&p->before);
	list_free(&p->after);
	*p = (struct plan){0};
}
