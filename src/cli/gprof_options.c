/* gprof_options.c - one letter of gprof's each. */
#include "cli/gprof_options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

static bool spec_add(struct gprof_choice *c, enum gprof_table table, const char *text)
{
	struct gprof_spec *more = reallocarray(c->specs, c->nspecs + 1, sizeof *more);

	if (!more) {
		message("out of memory");
		return false;
	}
	more[c->nspecs++] = (struct gprof_spec){ table, text };
	c->specs = more;
	return true;
}

/* -p NAME and the like: VIEW, of what NAME means alone. */
static bool view_ask(struct gprof_choice *c, unsigned view, enum gprof_table table, const char *name)
{
	c->named |= view;
	c->views |= view;
	return !name || spec_add(c, table, name);
}

/* -P without a name: not VIEW; with one: VIEW, without what it means. */
static bool view_decline(struct gprof_choice *c, unsigned view, enum gprof_table table, const char *name)
{
	c->named |= view;
	if (name)
		return view_ask(c, view, table, name);
	c->views &= ~view;
	return true;
}

/* The call graph's names are routines, or arcs if they have a slash. */
static enum gprof_table graph_table(const char *name, enum gprof_table arcs, enum gprof_table routines)
{
	return name && strchr(name, '/') ? arcs : routines;
}

static bool format_set(struct gprof_choice *c, const char *name)
{
	static const struct {
		char letter;		/* gprof looks at the first one only */
		enum gmon_format format;
	} formats[] = { { 'a', GMON_AUTO }, { 'm', GMON_RECORDS }, { 'b', GMON_BSD }, { '4', GMON_BSD44 } };

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (*name == formats[i].letter) {
			c->format = formats[i].format;
			return true;
		}
	if (*name == 'p')
		message("-O prof: files of prof(1) are not read; the formats are auto, magic, bsd, 4.4bsd");
	else
		message("-O %s: not one of auto, magic, bsd, 4.4bsd", name);
	return false;
}

static bool names_add(struct gprof_choice *c, enum gprof_table first, enum gprof_table second, const char *name)
{
	return spec_add(c, first, name) && spec_add(c, second, name);
}

/* Say once that OPTION does nothing; TOLD is its own. */
static bool gprof_options_nothing(bool *told, const char *option, const char *why)
{
	if (!*told)
		message("note: %s: %s; ignored", option, why);
	*told = true;
	return true;
}

/* Options that choose names. */
static bool name_option_set(struct gprof_choice *c, int key, char *argument, bool *mine)
{
	switch (key) {
	case 'e': return spec_add(c, GPROF_EXCLUDE_GRAPH, argument);
	case 'E': return names_add(c, GPROF_EXCLUDE_TIME, GPROF_EXCLUDE_GRAPH, argument);
	case 'f': return spec_add(c, GPROF_INCLUDE_GRAPH, argument);
	case 'F': return names_add(c, GPROF_INCLUDE_TIME, GPROF_INCLUDE_GRAPH, argument);
	case 'k': return spec_add(c, GPROF_EXCLUDE_ARCS, argument);
	case 'n': return spec_add(c, GPROF_INCLUDE_TIME, argument);
	case 'N': return spec_add(c, GPROF_EXCLUDE_TIME, argument);
	default: *mine = false; return true;
	}
}

/* Options that choose what is printed. */
static bool view_option_set(struct gprof_choice *c, int key, char *argument, bool *mine)
{
	switch (key) {
	case 'p': return view_ask(c, VIEW_FLAT, GPROF_INCLUDE_FLAT, argument);
	case 'P': return view_decline(c, VIEW_FLAT, GPROF_EXCLUDE_FLAT, argument);
	case 'q': return view_ask(c, VIEW_GRAPH, graph_table(argument, GPROF_INCLUDE_ARCS, GPROF_INCLUDE_GRAPH), argument);
	case 'Q': return view_decline(c, VIEW_GRAPH, graph_table(argument, GPROF_EXCLUDE_ARCS, GPROF_EXCLUDE_GRAPH), argument);
	case 'B': return view_ask(c, VIEW_GRAPH, GPROF_INCLUDE_GRAPH, NULL);
	case 'A': return view_ask(c, VIEW_SOURCE, GPROF_INCLUDE_SOURCE, argument);
	case 'J': return view_decline(c, VIEW_SOURCE, GPROF_EXCLUDE_SOURCE, argument);
	case 'C': return view_ask(c, VIEW_COUNTS, GPROF_INCLUDE_COUNTS, argument);
	case 'Z': return view_decline(c, VIEW_COUNTS, GPROF_EXCLUDE_COUNTS, argument);
	case 'i': return view_ask(c, VIEW_INFO, GPROF_INCLUDE_GRAPH, NULL);
	case 's': return view_ask(c, VIEW_SUM, GPROF_INCLUDE_GRAPH, NULL);
	case 'r': return view_ask(c, VIEW_FUNCTIONS, GPROF_INCLUDE_GRAPH, NULL);
	default: return name_option_set(c, key, argument, mine);
	}
}

bool gprof_option_set(struct gprof_choice *c, int key, char *argument, bool *mine)
{
	static bool debug_told;

	*mine = true;
	if (key > 0 && key < 128)
		c->letters[key] = true;
	switch (key) {
	case 'a': c->no_static = true; return true;
	case 'D': c->functions_only = true; return true;
	case 'l': c->lines = true; return true;
	case 'S': c->table = argument; return true;
	case 'O': return format_set(c, argument);
	case 'd': return gprof_options_nothing(&debug_told, "-d", "there is no debugging output");
	case 'R': c->map = argument; return view_ask(c, VIEW_FILES, GPROF_INCLUDE_GRAPH, NULL);
	case KEY_FILE_NAMES: c->file_names = true; return true;
	case KEY_DEMANGLE: c->mangled = false; return true;
	case KEY_NO_DEMANGLE: c->mangled = true; return true;
	default: return view_option_set(c, key, argument, mine);
	}
}

bool gprof_choice_check(const struct gprof_choice *c)
{
	if (c->views & VIEW_FUNCTIONS && c->views & VIEW_FILES) {
		message("-r and -R do not go together: one orders functions, the other object files");
		return false;
	}
	return true;
}

static void ignored(bool chosen, const char *option, const char *instead)
{
	if (chosen)
		message("note: %s has no meaning for an amon.out and is ignored%s%s", option, *instead ? "; " : "", instead);
}

void gprof_choice_tell(const struct gprof_choice *c)
{
	static const struct {
		char option[3];		/* as typed */
		const char *instead;	/* what does the like; "": nothing */
	} letters[] = {
		{ "-m", "it goes with -C" }, { "-t", "it goes with -A; aprof hot lists the first" }, { "-x", "it goes with -A" },
		{ "-y", "it goes with -A" }, { "-I", "it goes with -A; aprof annotate has --source-path" }, { "-T", "" },
		{ "-S", "the program's symbols are read" },
	};

	ignored(c->views & VIEW_SOURCE, "-A", "aprof annotate shows source with times");
	ignored(c->views & VIEW_COUNTS, "-C", "the flat profile has the calls, with --sort calls");
	ignored(c->views & VIEW_FUNCTIONS, "-r", "");
	ignored(c->views & VIEW_FILES, "-R", "");
	ignored(c->lines, "-l", "--lines splits times by source line");
	for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
		ignored(c->letters[(unsigned char)letters[i].option[1]], letters[i].option, letters[i].instead);
	ignored(c->file_names, "--inline-file-names", "--json has the file and line of each routine");
	ignored(c->no_static, "-a", "");
	ignored(c->functions_only, "-D", "");
	ignored(c->format != GMON_AUTO, "-O", "");
}

unsigned gprof_views(const struct gprof_choice *c, unsigned defaults)
{
	return c->views ? c->views : defaults & ~c->named;
}

void gprof_choice_free(struct gprof_choice *c)
{
	free(c->specs);
	c->specs = NULL;
	c->nspecs = 0;
}
