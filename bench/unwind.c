/* unwind PID SECONDS: what it takes to follow a call stack.

   Samples process PID by perf events for so long, copies what each sample has of registers and stack, and follows each stack again and again, in the order in
   which they came, as the recorder does in the middle of a run.  Prints a line of JSON: stacks, frames, how many stacks go back to the thread's start, the time
   of the first pass, which reads the rules of each function, and of the fastest of the others, ns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "read/stacks/space.h"
#include "read/stacks/walk.h"
#include "record/sample/perf.h"

enum { DEEPEST = 4096, PASSES = 20, RATE = 997, SECOND = 1000000000 };

struct taken {
	struct walk *all;
	size_t n, room;
};

/* The time of CLOCK, ns. */
static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static void keep(struct taken *t, const struct space *space, const struct happening *h)
{
	struct walk w = { .space = space, .size = h->stack_size };
	void *stack = malloc(h->stack_size + 1);

	if (!h->readable || !stack || !array_grow(&t->all, &t->room, t->n, sizeof *t->all)) {
		free(stack);
		return;
	}
	memcpy(w.regs, h->regs, sizeof w.regs);
	w.stack = memcpy(stack, h->stack, h->stack_size);
	t->all[t->n++] = w;
}

/* The samples of SOURCE for NS. */
static void take(struct taken *t, struct source *source, const struct space *space, uint64_t ns)
{
	struct happening h = { .kind = HAPPENED_SAMPLE };

	for (uint64_t end = now(CLOCK_MONOTONIC) + ns; now(CLOCK_MONOTONIC) < end;) {
		source_rest(source, -1, 20);
		while (source->kind->next(source, now(CLOCK_MONOTONIC), &h)) {
			if (h.kind == HAPPENED_SAMPLE)
				keep(t, space, &h);
			h = (struct happening){ .kind = HAPPENED_SAMPLE };
		}
	}
}

/* Follow all of them; the CPU time of that, ns. */
static uint64_t follow(const struct taken *t, uint64_t *frames, uint64_t *whole)
{
	static struct walk_frame stack[DEEPEST];
	uint64_t begun = now(CLOCK_THREAD_CPUTIME_ID);
	size_t n;

	*frames = *whole = 0;
	for (size_t i = 0; i < t->n; i++) {
		*whole += walk_stack(&t->all[i], stack, DEEPEST, &n) == WALK_WHOLE;
		*frames += n;
	}
	return now(CLOCK_THREAD_CPUTIME_ID) - begun;
}

static int report(const struct taken *t)
{
	uint64_t frames, whole, first = follow(t, &frames, &whole), least = UINT64_MAX;

	for (int i = 0; i < PASSES && t->n; i++) {
		uint64_t spent = follow(t, &frames, &whole);

		least = spent < least ? spent : least;
	}
	return printf("{\"stacks\": %zu, \"frames\": %lu, \"whole\": %lu, \"first_ns\": %lu, \"ns\": %lu}\n", t->n, frames, whole, first, least) < 0;
}

int main(int argc, char **argv)
{
	pid_t pid = argc == 3 ? (pid_t)atoi(argv[1]) : 0;
	struct images images = { 0 };
	struct taken taken = { 0 };
	struct source *source;
	struct space space;
	struct error err;

	if (!pid) {
		fprintf(stderr, "usage: unwind PID SECONDS\n");
		return 2;
	}
	space_init(&space, pid, &images);
	source = perf_open(&pid, 1, &(struct perf_wishes){ .rate = RATE }, &err);
	if (!source || !space_read(&space)) {
		fprintf(stderr, "unwind: %s\n", source ? "what the process has mapped may not be read" : err.text);
		return 1;
	}
	take(&taken, source, &space, (uint64_t)(atof(argv[2]) * SECOND));
	return report(&taken);
}
