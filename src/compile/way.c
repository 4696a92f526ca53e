/* way.c - the ways in.
 *
 * Traps that the link avoids (TRAPS 18, 27):
 *   - libc exports empty __cyg_profile_func_*, and the dynamic linker would take those before a shared library's own
 *     dependency: --wrap gives the hooks names that only the monitor has, so a missing monitor is a link error;
 *   - -u makes the archive yield its hooks at once, before any other library is asked;
 *   - a version script or --exclude-libs would hide an executable's hooks from its plugins, which would then have a
 *     monitor of their own: by way cyg such an executable gets the shared one (the code of the other ways in an
 *     executable knows where in its own memory the thread's words are);
 *   - link-time optimisation makes the code at the link: the compile flags are repeated there. */
#include "compile/way.h"

#include <string.h>

static const struct way ways[] = {
	{"inline", HOOKS_INLINE, false},
	{"fentry", HOOKS_FENTRY, false},
	{"cyg", HOOKS_CYG, false},
	{"nop", HOOKS_NONE, true},
	{"nop-fentry", HOOKS_FENTRY, true},
	{"nop-cyg", HOOKS_CYG, true},
};

enum { WAYS = sizeof ways / sizeof *ways };

bool way_find(const char *name, struct way *out, struct error *err)
{
	for (int i = 0; i < WAYS; i++)
		if (!strcmp(ways[i].name, name)) {
			*out = ways[i];
			return true;
		}
	return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET,
			 "no method '%s': there are inline, fentry, cyg, nop, nop-fentry and nop-cyg", name);
}

/* The best hooks that a compiler of ABILITY has; those that do nothing stand for called ones. */
static enum hooks best_hooks(const struct ability *ability, bool nop)
{
	if (ability->flang)
		return HOOKS_INLINE_FLANG;
	if (ability->plugs && !nop)
		return ability->late ? HOOKS_INLINE_LLVM : HOOKS_INLINE;
	return ability->fentry ? HOOKS_FENTRY : HOOKS_CYG;
}

static bool no_plugin(const struct ability *ability, const char *compiler, struct error *err)
{
	if (ability->flang)
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "%s: no plugin of aprof's for its LLVM, and it has no hooks by another method: flang 19 and later "
				 "take one, if aprof was built with llvm-N-dev of that version", compiler);
	if (!ability->plugin && ability->late)
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "no method inline: aprof was built without its plugin for LLVM; "
				 "install llvm-N-dev and build it again, or use --aprof-way=cyg");
	if (!ability->plugin)
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "no method inline: aprof was built without its GCC plugin; "
				 "install gcc-N-plugin-dev and build it again, or use --aprof-way=fentry");
	return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "no method inline: %s does not take %s, which is for another compiler "
			 "or version; build aprof with it, or use --aprof-way=%s", compiler, ability->plugin, ability->late ? "cyg" : "fentry");
}

/* Why these are the best hooks, if nothing was asked. */
static const char *way_reason(enum hooks hooks, const struct ability *ability)
{
	if (way_is_inline(hooks))
		return "the compiler takes aprof's plugin";
	if (hooks == HOOKS_CYG_LATE)
		return !ability->plugin ? "aprof was built without its plugin for LLVM (method inline: llvm-N-dev); the compiler has "
			"-finstrument-functions-after-inlining" : ability->plugs ? "hooks are to be called, and the compiler has "
			"-finstrument-functions-after-inlining" : "aprof's plugin (method inline) is for another version of LLVM; this compiler has "
			"-finstrument-functions-after-inlining";
	if (hooks == HOOKS_CYG)
		return "the compiler has neither -mfentry-name nor hooks after inlining";
	if (ability->plugs)
		return "hooks are to be called, and the compiler has -mfentry-name";
	return ability->plugin ? "aprof's plugin (method inline) is for another compiler or version; this one has -mfentry-name" :
	       "aprof was built without its plugin (method inline: gcc-N-plugin-dev); the compiler has -mfentry-name";
}

bool way_choose(const struct way *way, const struct ability *ability, const char *compiler, enum hooks *hooks,
		const char **why, struct error *err)
{
	*hooks = way->hooks != HOOKS_NONE ? way->hooks : best_hooks(ability, way->nop);
	if (way_is_inline(*hooks) && !ability->plugs)
		return no_plugin(ability, compiler, err);
	if (*hooks == HOOKS_INLINE && (ability->late || ability->flang))
		*hooks = ability->flang ? HOOKS_INLINE_FLANG : HOOKS_INLINE_LLVM;
	if (ability->flang && (way->nop || !way_is_inline(*hooks)))
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "%s has hooks by method inline alone", compiler);
	if (*hooks == HOOKS_FENTRY && !ability->fentry)
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET,
				 "%s has no method fentry, which needs GCC 10 or later for 64-bit x86: use --aprof-way=cyg", compiler);
	if (*hooks == HOOKS_CYG && ability->late)
		*hooks = HOOKS_CYG_LATE;
	*why = way->hooks != HOOKS_NONE ? "asked for" : way_reason(*hooks, ability);
	return true;
}

const char *way_name(enum hooks hooks)
{
	static const char *const names[] = {
		[HOOKS_NONE] = "none", [HOOKS_FENTRY] = "fentry", [HOOKS_CYG] = "cyg", [HOOKS_CYG_LATE] = "cyg",
		[HOOKS_INLINE] = "inline", [HOOKS_INLINE_LLVM] = "inline", [HOOKS_INLINE_FLANG] = "inline",
	};

	return names[hooks];
}

bool way_is_inline(enum hooks hooks) { return hooks == HOOKS_INLINE || hooks == HOOKS_INLINE_LLVM || hooks == HOOKS_INLINE_FLANG; }
bool way_is_cyg(enum hooks hooks) { return hooks == HOOKS_CYG || hooks == HOOKS_CYG_LATE; }

bool way_is_for_llvm(const char *plugin)
{
	const char *base = strrchr(plugin, '/') ? strrchr(plugin, '/') + 1 : plugin;

	return !strncmp(base, "aprof_llvm", strlen("aprof_llvm"));
}

/* flang has no words for plugins: it gets a macro, which the plugin finds in the command. */
void way_plugin_argument(enum hooks hooks, const char *plugin, const char *argument, struct list *out)
{
	const char *base = strrchr(plugin, '/') ? strrchr(plugin, '/') + 1 : plugin;

	if (hooks == HOOKS_INLINE_FLANG) {
		list_add(out, "-Xflang");
		list_format(out, "-D__aprof__%s", argument);
	} else {
		list_format(out, "-fplugin-arg-%.*s-%s", (int)strcspn(base, "."), base, argument);
	}
}

bool way_check_tsc(enum hooks hooks, const char *why, struct error *err)
{
	if (way_is_inline(hooks))
		return true;
	return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "--aprof-clock=tsc is for method inline, and this is method %s (%s), which needs no other "
			 "code for it: run the program with APROF_CLOCK=tsc", way_name(hooks), why);
}

bool way_check_sites(enum hooks hooks, const char *why, struct error *err)
{
	if (way_is_inline(hooks))
		return true;
	return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "--aprof-sites is for method inline, and this is method %s (%s), which needs no other "
			 "code for it: run the program with APROF_SITES=1", way_name(hooks), why);
}

void way_compile_flags(enum hooks hooks, const char *plugin, bool tsc, bool sites, struct list *out)
{
	static const char *const flags[] = {
		[HOOKS_NONE] = "",
		[HOOKS_INLINE] = "-fno-partial-inlining",
		[HOOKS_FENTRY] = "-pg -mfentry -mfentry-name=__aprof_entry -minstrument-return=call -fno-partial-inlining",
		[HOOKS_CYG] = "-finstrument-functions -fno-omit-frame-pointer -fno-partial-inlining",
		[HOOKS_CYG_LATE] = "-finstrument-functions-after-inlining -fno-omit-frame-pointer",
		[HOOKS_INLINE_LLVM] = "-Xclang -finstrument-functions-after-inlining",	/* which marks routines; a program's own hooks are of another kind */
		[HOOKS_INLINE_FLANG] = "-Xflang -D__aprof__marks=none",
	};

	if (way_is_inline(hooks) && hooks != HOOKS_INLINE_FLANG)
		list_format(out, "-fplugin=%s", plugin);
	if (hooks == HOOKS_INLINE_LLVM || hooks == HOOKS_INLINE_FLANG)
		list_format(out, "-fpass-plugin=%s", plugin);
	if (way_is_inline(hooks) && tsc)
		way_plugin_argument(hooks, plugin, "clock=tsc", out);
	if (way_is_inline(hooks) && sites)
		way_plugin_argument(hooks, plugin, "sites=yes", out);
	list_add_words(out, flags[hooks]);
}

static void add_linker_word(struct list *out, const char *word)
{
	list_add(out, "-Xlinker");
	list_add(out, word);
}

bool way_links_by_lld(const struct line *line)
{
	return line->linker ? strstr(line->linker, "lld") != NULL : line->lto;
}

/* lld hands nothing on to plugins either: it passes over what is meant for GCC's. */
void way_linker_plugin(const char *plugin, const struct list *arguments, const struct line *line, struct list *out)
{
	if (!line->linker)
		list_add(out, "-fuse-ld=lld");
	list_add(out, "-Xlinker");
	list_format(out, "--load-pass-plugin=%s", plugin);
	for (size_t i = 0; i < arguments->count; i++) {
		list_add(out, "-Xlinker");
		list_format(out, "-plugin-opt=-pass-through=aprof:%s", arguments->items[i]);
	}
}

static void add_library(struct list *out, const char *libdir, const char *name)
{
	list_add(out, "-Xlinker");
	list_format(out, "%s/%s", libdir, name);
}

/* Kept even by --as-needed, which would drop a library that stands before the objects that need it. */
static void add_shared_monitor(bool nop, const char *libdir, struct list *out)
{
	add_linker_word(out, "--push-state");
	add_linker_word(out, "--no-as-needed");
	add_library(out, libdir, nop ? "libaprof_nop.so.1" : "libaprof-monitor.so.1");
	add_linker_word(out, "--pop-state");
	add_linker_word(out, "-rpath");
	add_linker_word(out, libdir);
}

/* What tells the monitor that a shared library is about to go. */
static void add_library_end(const char *libdir, struct list *out)
{
	list_add(out, "-Wl,-u,aprof_library");
	add_library(out, libdir, "libaprof_library.a");
}

static void add_static_monitor(bool nop, const char *libdir, struct list *out)
{
	list_add(out, "-Wl,-u,aprof_monitor,-u,__aprof_entry,-u,__return__,-u,__cyg_profile_func_enter,-u,__monstartup");
	add_library(out, libdir, nop ? "libaprof_nop.a" : "libaprof.a");
}

/* What the monitor in a static program asks for weakly, as not every program has it, and would not have if the program's own calls of it
 * come to the monitor. */
static const char wanted[] = "-Wl,-u,dlclose,-u,longjmp,-u,_longjmp,-u,siglongjmp,-u,__longjmp_chk,-u,setcontext,-u,swapcontext,-u,sigaltstack,-u,pthread_exit,"
	"-u,__pthread_unwind_next,-u,__pthread_register_cancel,-u,__pthread_register_cancel_defer,-u,_Unwind_SetIP,-u,_Unwind_GetCFA,-u,_Unwind_GetGR,"
	"-u,_exit,-u,_Exit,-u,execve,-u,execv,-u,execvp,-u,execvpe,-u,fexecve,-u,execl,-u,execlp,-u,execle,-u,prctl";

/* What GCC's libraries in a static program ask for weakly, and call once they find pthread_key_create, which the monitor brings (gthr-posix.h).
 * The monitor asks for pthread_create, too. */
static const char wanted_of_threads[] = "-Wl,-u,pthread_once,-u,pthread_getspecific,-u,pthread_setspecific,-u,pthread_create,-u,pthread_join,-u,pthread_equal,"
	"-u,pthread_self,-u,pthread_detach,-u,sched_yield,-u,pthread_mutex_lock,-u,pthread_mutex_trylock,-u,pthread_mutex_timedlock,"
	"-u,pthread_mutex_unlock,-u,pthread_mutex_init,-u,pthread_mutex_destroy,-u,pthread_cond_init,-u,pthread_cond_broadcast,-u,pthread_cond_signal,"
	"-u,pthread_cond_wait,-u,pthread_cond_timedwait,-u,pthread_cond_destroy,-u,pthread_key_delete,-u,pthread_mutexattr_init,"
	"-u,pthread_mutexattr_settype,-u,pthread_mutexattr_destroy,-u,sched_get_priority_max,-u,sched_get_priority_min,-u,pthread_getschedparam,"
	"-u,pthread_setschedparam,-u,pthread_attr_init,-u,pthread_attr_destroy,-u,pthread_attr_setdetachstate";

/* The names of functions that jump, for calls of them that shared libraries make; and of those that switch stacks in a RUNTIME that is shared.  Who
 * has that in an archive must find its functions there. */
static void add_names(bool runtime, const char *libdir, struct list *out)
{
	list_add(out, runtime ? "-Wl,-u,aprof_names,-u,aprof_names_runtime" : "-Wl,-u,aprof_names");
	add_library(out, libdir, "libaprof_names.a");
}

/* A program's own.  A plugin with code of way inline that it loads later is to find its words of the thread.  A static program loads none, and
 * the relocation that a name seen from outside asks for comes too early in its start (glibc 2.36 crashes). */
static void add_program_monitor(bool nop, bool runtime, const struct line *line, const char *libdir, struct list *out)
{
	add_static_monitor(nop, libdir, out);
	list_add(out, line->fixed ? "-Wl,--eh-frame-hdr,-e,aprof_static_entry" : "-Wl,--export-dynamic-symbol=aprof_tls");
	if (line->fixed) {
		list_add(out, wanted);
		list_add(out, wanted_of_threads);
	} else if (!nop) {
		add_names(runtime && !line->fixed_runtime, libdir, out);
	}
}

/* Hooks for a program that has no libc: empty, and what they would have of libc is never called. */
static void add_free_hooks(const char *libdir, struct list *out)
{
	list_add(out, "-Wl,--defsym=__real_exit=aprof_monitor,--defsym=__real_swapcontext=aprof_monitor,"
		 "--defsym=__real_vfork=aprof_monitor,--defsym=__real_dlclose=aprof_monitor,"
		 "--defsym=__real_unshare=aprof_monitor,--defsym=__real_setns=aprof_monitor,--defsym=__real_mlockall=aprof_monitor,"
		 "--defsym=__real_sigaction=aprof_monitor,--defsym=__real_signal=aprof_monitor");
	add_static_monitor(true, libdir, out);
}

bool way_link_flags(enum hooks hooks, bool nop, const struct ability *ability, const struct line *line, const char *libdir, struct list *out,
		    struct error *err)
{
	if (hooks == HOOKS_NONE || line->relocatable)
		return true;
	if (strchr(libdir, ','))
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET,
				 "%s: a comma in the path of aprof's libraries cannot be passed to the linker", libdir);
	if (way_is_cyg(hooks) || hooks == HOOKS_INLINE_LLVM || hooks == HOOKS_INLINE_FLANG)	/* some of Clang's objects may be of way cyg */
		list_add(out, "-Wl,--wrap=__cyg_profile_func_enter,--wrap=__cyg_profile_func_exit");
	if (!line->shared && line->no_libc) {
		add_free_hooks(libdir, out);
		return true;
	}
	if (line->shared && line->fixed)
		return true;
	list_format(out, "-Wl,@%s/aprof-exe.ld", libdir);
	if (line->shared && !nop)
		add_library_end(libdir, out);
	if (line->shared || (line->hides && !line->fixed && way_is_cyg(hooks)))
		add_shared_monitor(nop, libdir, out);
	else
		add_program_monitor(nop, ability->switches, line, libdir, out);
	return true;
}

bool way_knows_switch(const char *name)
{
	static const char *const known[] = { "swapcontext", "setcontext", "jump_fcontext", "ontop_fcontext", "bthread_jump_fcontext", "co_switch", "coctx_swap",
		"_mco_switch", "acosw", "coro_transfer", "_photon_switch_context", "_photon_switch_context_defer", "marl_fiber_swap",
		"coroutine_transfer", "fiber_switchContext", "st_poll", "st_cond_timedwait", "st_mutex_lock", "st_thread_join", "st_usleep" };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(name, known[i]))
			return true;
	return false;
}

void way_link_switches(enum hooks hooks, bool nop, const struct line *line, const struct list *switches, const char *file, const char *libdir,
		       struct list *before, struct list *after)
{
	if (hooks == HOOKS_NONE || nop || line->relocatable || line->shared || line->no_libc)
		return;
	list_format(before, "-Wl,@%s/aprof-switches.ld", libdir);
	add_linker_word(after, "--whole-archive");
	add_library(after, libdir, "libaprof_switches.a");
	add_linker_word(after, "--no-whole-archive");
	for (size_t i = 0; file && i < switches->count; i++)
		if (!way_knows_switch(switches->items[i]))
			list_format(before, "-Wl,--wrap=%1$s,-u,%1$s,--export-dynamic-symbol=%1$s", switches->items[i]);
	if (file)
		add_linker_word(after, file);
}
