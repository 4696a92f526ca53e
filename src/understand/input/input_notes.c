/* input_notes.c - steps and notes of reading. */
#include "understand/input/input_notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "read/profile/sum.h"

void input_step(const struct input *in, const char *what)
{
	if (in->listener && in->listener->step)
		in->listener->step(in->listener->arg, what);
}

void input_note(const struct input *in, const char *format, ...)
{
	char text[600];
	va_list args;

	if (!in->listener || !in->listener->note)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	in->listener->note(in->listener->arg, text);
}

void input_tell_slices(const struct input *in, bool lost)
{
	if (lost)
		input_note(in, "note: times by interval (--intervals) are not in the sum, which tells them of %d processes at most", SUM_APART);
}

static const char *input_notes_name_of(const struct profile_module *m)
{
	const char *slash = strrchr(m->path, '/');

	return slash ? slash + 1 : m->path;
}

/* Profiles of several programs are added up if that is asked for, as a pipeline's may be, but not without a word.  A copy of a program is the same
 * module by its build-id, and another build of it has its name. */
void input_tell_others(const struct input *in, uint32_t known)
{
	const struct profile *p = in->profile;
	const struct profile_module *first = NULL;

	for (uint32_t i = 0; i < p->nmodules; i++) {
		const struct profile_module *m = &p->modules[i];

		if (first && m->main_program && strcmp(input_notes_name_of(first), input_notes_name_of(m)) != 0) {
			if (i >= known)		/* else it was told */
				input_note(in, "note: these are profiles of several programs, %s and %s for instance; they are added up", input_notes_name_of(first), input_notes_name_of(m));
			return;
		}
		if (m->main_program && !first)
			first = m;
	}
}
