/* find_named.c - which routines a word means that a user typed; graph.h has the rules, in their order.
 *
 * Each step marks what it finds, and the first that finds something ends the search. */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "understand/graph/build.h"

enum { MOST_LISTED = 10, LONGEST_LISTED = 100 };	/* choices that are named; bytes of each */

/* How a name is like a word, the closest last. */
enum likeness { UNLIKE, PART, END, SIMPLE, SAME };

/* A routine's name in the forms that people type. */
struct forms {
	char *bare;		/* without return type and parameters */
	char *simple;		/* and without template arguments; "" where nothing is left */
};

/* A word under way. */
struct match {
	const struct graph *g;
	struct forms *forms;	/* by routine */
	bool *found;		/* by routine: the word means it */
	const char *file;	/* only routines of this source file; NULL: of any */
	size_t file_length;	/* bytes of it */
	bool ambiguous;		/* what was found has several names, and the word is none of them */
};

static void match_free(struct match *m)
{
	for (uint32_t r = 0; m->forms && r < m->g->nroutines; r++)
		free(m->forms[r].bare);
	free(m->forms);
	free(m->found);
}

static bool forms_make(struct forms *f, const char *name)
{
	size_t size = strlen(name) + 1;

	f->bare = malloc(2 * size);
	if (!f->bare)
		return false;
	f->simple = f->bare + size;
	name_without_parameters(f->bare, name);
	name_simplify(f->simple, name);
	return true;
}

static bool match_make(struct match *m, const struct graph *g)
{
	bool ok;

	*m = (struct match){ .g = g, .forms = calloc((size_t)g->nroutines + 1, sizeof *m->forms),
		.found = calloc((size_t)g->nroutines + 1, sizeof *m->found) };
	ok = m->forms && m->found;
	for (uint32_t r = 0; ok && r < g->nroutines; r++)
		ok = forms_make(&m->forms[r], g->routines[r].name.name);
	return ok;
}

/* Whether the LENGTH bytes at WORD are one of NAMES, joined by '='. */
static bool find_named_is_among(const char *names, const char *word, size_t length)
{
	for (const char *p = names; p; p = strchr(p, '=') ? strchr(p, '=') + 1 : NULL)
		if (strcspn(p, "=") == length && strncmp(p, word, length) == 0)
			return true;
	return false;
}

/* Whether NAME ends with WORD, and a part of a qualified name begins there. */
static bool is_end(const char *name, const char *word, int (*compare)(const char *, const char *))
{
	size_t n = strlen(name), length = strlen(word);
	const char *at;

	if (length == 0 || n <= length || compare(name + n - length, word) != 0)
		return false;
	at = name + n - length;
	return at[-1] == '.' || (at - name >= 2 && at[-1] == ':' && at[-2] == ':');
}

/* How routine R is like WORD; without regard to case if FOLD. */
static enum likeness likeness_of(const struct match *m, uint32_t r, const char *word, bool fold)
{
	int (*compare)(const char *, const char *) = fold ? strcasecmp : strcmp;
	char *(*find)(const char *, const char *) = fold ? strcasestr : strstr;
	const struct graph_name *name = &m->g->routines[r].name;
	const struct forms *f = &m->forms[r];

	if (compare(name->name, word) == 0 || (*f->bare && compare(f->bare, word) == 0)
	    || find_named_is_among(name->linked, word, strlen(word)) || find_named_is_among(name->aliases, word, strlen(word)))
		return SAME;
	if (m->g->routines[r].pseudo)
		return UNLIKE;
	if ((*f->simple && compare(f->simple, word) == 0) || (m->g->routines[r].brief && compare(m->g->routines[r].brief, word) == 0))
		return SIMPLE;
	if (is_end(f->simple, word, compare) || is_end(f->bare, word, compare) || is_end(name->name, word, compare))
		return END;
	return find(strpbrk(word, "(<, ") ? name->name : f->simple, word) ? PART : UNLIKE;
}

/* Whether the LENGTH bytes at TEXT are FILE, or the end of its path. */
static bool is_file(const char *file, const char *text, size_t length)
{
	size_t n = file ? strlen(file) : 0;

	return length > 0 && n >= length && memcmp(file + n - length, text, length) == 0
		&& (n == length || file[n - length - 1] == '/' || *text == '/');
}

static bool is_in_file(const struct match *m, uint32_t r)
{
	return !m->file || is_file(m->g->routines[r].name.file, m->file, m->file_length);
}

/* Mark routines that are like WORD as LEAST says or more.  Returns whether there are any. */
static bool find_like(struct match *m, const char *word, enum likeness least, bool fold)
{
	bool any = false;

	for (uint32_t r = 0; r < m->g->nroutines && *word; r++)
		if (is_in_file(m, r) && likeness_of(m, r, word, fold) >= least)
			m->found[r] = any = true;
	return any;
}

/* Have all that was found one name, as simple as it can be? */
static bool is_one_name(const struct match *m)
{
	const char *first = NULL;

	for (uint32_t r = 0; r < m->g->nroutines; r++) {
		if (!m->found[r])
			continue;
		if (first && strcmp(first, m->forms[r].simple) != 0)
			return false;
		first = m->forms[r].simple;
	}
	return true;
}

/* The names that WORD is a part of, where that is one name. */
static bool find_part(struct match *m, const char *word)
{
	static const char cut[] = "...::";	/* as listings on a terminal have it */
	static const struct { enum likeness least; bool fold; } steps[] = {
		{ END, false }, { PART, false }, { SIMPLE, true }, { END, true }, { PART, true } };

	if (strncmp(word, cut, sizeof cut - 1) == 0)
		word += sizeof cut - 1;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (find_like(m, word, steps[i].least, steps[i].fold)) {
			m->ambiguous = !is_one_name(m);
			return true;
		}
	return false;
}

static bool find_line(struct match *m, const char *digits)
{
	unsigned long line = strtoul(digits, NULL, 10);
	bool any = false;

	if (!*digits || digits[strspn(digits, "0123456789")] != '\0' || line == 0)
		return false;
	for (uint32_t r = 0; r < m->g->nroutines; r++)
		if (is_in_file(m, r) && m->g->routines[r].name.line == line)
			m->found[r] = any = true;
	return any;
}

static bool find_file(struct match *m, const char *file, size_t length)
{
	bool any = false;

	for (uint32_t r = 0; r < m->g->nroutines; r++)
		if (is_file(m->g->routines[r].name.file, file, length))
			m->found[r] = any = true;
	return any;
}

/* The colon of FILE:ROUTINE, which is no part of `::`; NULL: there is none. */
static const char *single_colon(const char *word)
{
	for (const char *p = strchr(word, ':'); p; p = strchr(p, ':')) {
		size_t n = strspn(p, ":");

		if (n % 2 == 1)
			return p;
		p += n;
	}
	return NULL;
}

/* FILE:ROUTINE, FILE:LINE, FILE:, :ROUTINE, LINE or FILE. */
static bool find_named_find_place(struct match *m, const char *word)
{
	const char *colon = single_colon(word);
	bool any;

	if (!colon)
		return find_line(m, word) || find_file(m, word, strlen(word));
	if (colon > word && colon[1] == '\0')
		return find_file(m, word, (size_t)(colon - word));
	m->file = colon > word ? word : NULL;
	m->file_length = (size_t)(colon - word);
	any = find_line(m, colon + 1) || find_like(m, colon + 1, SAME, false) || find_like(m, colon + 1, SIMPLE, false)
		|| find_part(m, colon + 1);
	m->file = NULL;
	return any;
}

/* POSIX takes the leftmost and then the longest match: if one covers the whole name it is this. */
static bool matches_whole(const regex_t *regex, const char *name)
{
	regmatch_t match;

	return regexec(regex, name, 1, &match, 0) == 0 && match.rm_so == 0 && (size_t)match.rm_eo == strlen(name);
}

/* Whole names, or whole simple ones, that the extended regular expression PATTERN fits.  *CODE is that of regcomp, WHY its words. */
static bool find_pattern(struct match *m, const char *pattern, int *code, char *why, size_t size)
{
	bool any = false;
	regex_t regex;

	*code = regcomp(&regex, pattern, REG_EXTENDED);
	if (*code != 0) {
		regerror(*code, &regex, why, size);
		return false;
	}
	for (uint32_t r = 0; r < m->g->nroutines; r++)
		if (matches_whole(&regex, m->g->routines[r].name.name)
		    || (*m->forms[r].simple && matches_whole(&regex, m->forms[r].simple)))
			m->found[r] = any = true;
	regfree(&regex);
	return any;
}

/* A name that could have been meant. */
struct choice {
	const char *name;	/* simple */
	uint64_t time;		/* its routines' own, ns */
};

static int find_named_by_name(const void *left, const void *right)
{
	const struct choice *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static int find_named_by_time(const void *left, const void *right)
{
	const struct choice *a = left, *b = right;

	return a->time != b->time ? (a->time < b->time) - (a->time > b->time) : find_named_by_name(left, right);
}

/* What was found, each name once, the heaviest first; malloc'ed, *N of them.  NULL: out of memory. */
static struct choice *choices_make(const struct match *m, size_t *n)
{
	const struct graph *g = m->g;
	struct choice *choices = calloc((size_t)g->nroutines + 1, sizeof *choices);
	size_t kept = 0, all = 0;

	if (!choices)
		return NULL;
	for (uint32_t i = 1; i < g->ncontexts; i++)
		choices[g->contexts[i].routine].time += g->contexts[i].time;
	for (uint32_t r = 0; r < g->nroutines; r++)
		if (m->found[r])
			choices[all++] = (struct choice){ m->forms[r].simple, choices[r].time };
	qsort(choices, all, sizeof *choices, find_named_by_name);
	for (size_t i = 0; i < all; i++)
		if (kept > 0 && strcmp(choices[kept - 1].name, choices[i].name) == 0)
			choices[kept - 1].time += choices[i].time;
		else
			choices[kept++] = choices[i];
	qsort(choices, kept, sizeof *choices, find_named_by_time);
	*n = kept;
	return choices;
}

/* `--focus=WORD`, or WORD alone. */
struct asked {
	const char *before, *option, *after, *word;
};

static bool ambiguous_tell(const struct match *m, const struct asked *a, struct error *err)
{
	struct choice *choices;
	size_t n = 0, at;

	choices = choices_make(m, &n);
	if (!choices)
		return build_no_memory(err);
	error_set(err, ERROR_PATTERN, ERROR_NO_OFFSET, "%s%s%s%.80s: %zu names have that in them; say more of the one that is meant:",
		a->before, a->option, a->after, a->word, n);
	for (size_t i = 0; err && i < n && i <= MOST_LISTED; i++) {
		at = strlen(err->text);
		if (i == MOST_LISTED)
			snprintf(err->text + at, sizeof err->text - at, "\n  and %zu more", n - i);
		else
			snprintf(err->text + at, sizeof err->text - at, "\n  %.*s", LONGEST_LISTED, choices[i].name);
	}
	free(choices);
	return false;
}

bool graph_match(const struct graph *g, const char *option, const char *word, bool pattern, bool *named, struct error *err)
{
	struct asked asked = { option ? "--" : "", option ? option : "", option ? "=" : "", word };
	struct match m;
	bool ok = match_make(&m, g) || build_no_memory(err), any;
	char why[120];
	int code = 0;

	if (!ok) {
		match_free(&m);
		return false;
	}
	any = find_like(&m, word, SAME, false) || find_like(&m, word, SIMPLE, false)
		|| (pattern && find_pattern(&m, word, &code, why, sizeof why)) || find_named_find_place(&m, word) || find_part(&m, word);
	ok = any && !m.ambiguous;
	if (code == REG_ESPACE)
		ok = build_no_memory(err);
	else if (!ok && code != 0)
		error_set(err, ERROR_PATTERN, ERROR_NO_OFFSET, "%s%s%s%.80s: no regular expression: %s", asked.before, asked.option,
			asked.after, word, why);
	else if (!any)
		error_set(err, ERROR_PATTERN, ERROR_NO_OFFSET,
			"%s%s%s%.80s: no routine and no source file of the profile is called so; `aprof report -p` lists the routines",
			asked.before, asked.option, asked.after, word);
	else if (!ok)
		ambiguous_tell(&m, &asked, err);
	for (uint32_t r = 0; ok && r < g->nroutines; r++)
		named[r] |= m.found[r];
	match_free(&m);
	return ok;
}
