/* compared_sides.c - operands of commands that compare, and the way from them to a comparison. */
#include "cli/compared_sides.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input_options.h"
#include "cli/message.h"
#include "cli/operands.h"
#include "cli/pid.h"
#include "cli/progress.h"

/* Put profiles in the place of PIDs.  False after a message. */
static bool pids_replace(const struct options *o)
{
	for (size_t i = 0; i < o->noperands; i++)
		if (!(o->operands[i] = pid_operand(o->operands[i])))
			return false;
	return true;
}

static bool compared_sides_operand_add(struct side *side, char *path)
{
	switch (files_kind(path)) {
	case FILE_PROFILE:
	case FILE_IMPORT:
	case FILE_GMON:
		side->files[side->n++] = path;
		return true;
	case FILE_PROGRAM:
		if (side->program) {
			message("%s: a second program beside %s; each side has one", path, side->program);
			return false;
		}
		side->program = path;
		return true;
	case FILE_MISSING:
		message("%s: cannot open: %s", path, strerror(errno));
		return false;
	default:
		other_tell(path, "amon.out, gmon.out, or another profiler's: see aprof(1)");
		return false;
	}
}

static bool compared_sides_side_make(struct side *side, char **operands, size_t n)
{
	*side = (struct side){ .files = calloc(n + 1, sizeof *side->files) };
	if (!side->files) {
		message("out of memory");
		return false;
	}
	for (size_t i = 0; i < n; i++)
		if (!compared_sides_operand_add(side, operands[i]))
			return false;
	return true;
}

static bool is_profile(const char *path)
{
	enum file_kind kind = files_kind(path);

	return kind == FILE_PROFILE || kind == FILE_IMPORT || kind == FILE_GMON;
}

size_t compared_sides_first(const struct options *o)
{
	size_t i = 0;

	if (o->against)
		return o->nbase;
	while (i < o->noperands && !is_profile(o->operands[i]))
		i++;
	return i < o->noperands ? i + 1 : i;
}

/* A single file that has two profiles is both sides. */
static void compared_sides_split(struct compared_sides *s, const struct options *o)
{
	const char *sides[2];

	if (s->base.n != 1 || s->fresh.n != 0 || o->against || o->value || files_kind(s->base.files[0]) != FILE_IMPORT || !input_has_two_sides(s->base.files[0], sides))
		return;
	s->fresh.files[s->fresh.n++] = s->base.files[0];
	s->base.value = s->base.label = sides[0];
	s->fresh.value = s->fresh.label = sides[1];
}

static bool are_two(const struct compared_sides *s, const struct options *o, const char *command)
{
	if (s->base.n == 0 || s->fresh.n == 0) {
		message("%s: %s: aprof %s BASE... --against NEW...", command,
			s->base.n == 0 && s->fresh.n == 0 ? "name the profiles to compare" : "one side has no profile", command);
		return false;
	}
	if (!o->against && s->fresh.n > 1) {
		message("%s: which of the %zu profiles are the new ones? aprof %s BASE... --against NEW...", command, s->fresh.n + 1, command);
		return false;
	}
	return true;
}

bool compared_sides_sort(struct compared_sides *s, const struct options *o, const char *command)
{
	size_t n;
	bool made;

	*s = (struct compared_sides){ 0 };
	if (!pids_replace(o))
		return false;
	n = compared_sides_first(o);
	made = compared_sides_side_make(&s->base, o->operands, n) && compared_sides_side_make(&s->fresh, o->operands + n, o->noperands - n);
	if (made)
		compared_sides_split(s, o);
	if (!made || !are_two(s, o, command)) {
		compared_sides_free(s);
		return false;
	}
	if (!o->against && !s->fresh.program && s->base.program) {
		s->fresh.program = s->base.program;
		s->base.lent = s->fresh.lent = true;
	}
	return true;
}

void compared_sides_free(struct compared_sides *s)
{
	free(s->base.files);
	free(s->fresh.files);
	*s = (struct compared_sides){ 0 };
}

/* Build the graph of the N FILES of SIDE, as ASKED.  A program that stands for both sides is left out where it is another build's. */
static bool compared_sides_read(struct input *in, struct input asked, const struct side *side, char **files, size_t n, const struct options *o, struct error *err)
{
	if (side->value)
		asked.value = side->value;
	asked.program = side->program;
	*in = asked;
	if (!input_read(in, files, n, NULL, err))
		return false;
	if (side->value)	/* the names tell the sides apart; what they have is the same */
		snprintf(in->profile->values[0].name, sizeof in->profile->values[0].name, "samples");
	if (input_build(in, side->program, &o->graph, err))
		return true;
	if (!side->lent || err->code != ERROR_BUILD_ID)
		return false;
	input_free(in);
	*in = asked;
	return input_read(in, files, n, NULL, err) && input_build(in, NULL, &o->graph, err);
}

/* Add the run that IN has to C. */
static bool compared_sides_run_add(struct comparison *c, const struct side *side, size_t i, bool fresh, const struct input *in, struct comparison_parts parts, struct error *err)
{
	const char *file = side->files[i];

	if (!comparison_add(c, &in->report, side->label ? side->label : files_name(file), fresh,
			    (struct comparison_parts){ parts.contexts && !in->graph->arcs_alone, parts.sites }, err))
		return false;
	if (in->profile->runs[0].truncated)
		return error_set(err, ERROR_CORRUPT, ERROR_NO_OFFSET, "%s: cut off, so it is not the whole profile, and compares with none", file);
	if (in->life[0] == REPORT_DIED)
		message("warning: %s: incomplete: %s", file, life_lack(&in->profile->runs[0]));
	return true;
}

static bool side_add(struct comparison *c, const struct side *side, bool fresh, const struct options *o, struct comparison_parts parts, struct error *err)
{
	struct input asked = input_asked(o);
	bool ok = true;

	if (side->built)
		return compared_sides_run_add(c, side, 0, fresh, side->built, parts, err);
	asked.arcs_do = true;
	for (size_t i = 0; ok && i < side->n; i++) {
		struct input in;

		ok = compared_sides_read(&in, asked, side, &side->files[i], 1, o, err) && compared_sides_run_add(c, side, i, fresh, &in, parts, err);
		input_free(&in);
	}
	return ok;
}

bool compared_sides_build(struct input in[2], struct compared_sides *s, const struct options *o, struct error *err)
{
	struct side *sides[] = { &s->base, &s->fresh };
	struct input asked = input_asked(o);

	asked.mean = true;
	asked.arcs_do = true;
	in[0] = in[1] = asked;
	for (int i = 0; i < 2; i++) {
		if (!compared_sides_read(&in[i], asked, sides[i], sides[i]->files, sides[i]->n, o, err))
			return false;
		sides[i]->built = sides[i]->n == 1 ? &in[i] : NULL;
	}
	return true;
}

bool compared_sides_compare(struct comparison *c, const struct compared_sides *s, const struct options *o, struct comparison_parts parts, bool paired, struct error *err)
{
	if (!side_add(c, &s->base, false, o, parts, err) || !side_add(c, &s->fresh, true, o, parts, err))
		return false;
	if (paired)
		comparison_pair(c);
	progress_begin();
	progress_step("comparing");
	return comparison_settle(c, err) && comparison_judge(c, COMPARISON_LEVEL, err);
}
