/* folded.c - a line for each stack: its frames, the outermost first, joined by semicolons; a blank; nanoseconds or calls.
 *
 *     main;parse;expression 1250000
 *
 * The format has no escape, so a semicolon in a name is written `\x3b`, as control characters are. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/escape.h"
#include "show/export/export.h"
#include "show/export/frames.h"
#include "show/export/stacks.h"

static void sample_print(FILE *out, const struct frames *frames, const uint32_t *stack, size_t n, uint64_t weight)
{
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			putc(';', out);
		escape_print(out, frames->frames[stack[i]].name, ESCAPE_STACK);
	}
	fprintf(out, " %" PRIu64 "\n", weight);
}

bool folded_write(const struct report_input *in, const struct export_options *options, FILE *out, struct error *err)
{
	struct stacks stacks = { 0 };
	struct frames frames = { 0 };
	uint32_t *stack = calloc(frames_most(in->graph), sizeof *stack);
	bool ok = stack && stacks_make(&stacks, in->graph, false, err) && frames_make(&frames, in->graph, err);

	for (size_t i = 0; ok && i < stacks.n; i++) {
		const struct stack_sample *s = &stacks.samples[i];
		uint64_t weight = options->weight == EXPORT_CALLS ? s->calls : s->time;

		if (weight)
			sample_print(out, &frames, stack, frames_stack(&frames, stacks.tree, s->node, stack), weight);
	}
	frames_free(&frames);
	stacks_free(&stacks);
	if (!stack)
		error_no_memory(err, NULL);
	free(stack);
	return ok;
}
