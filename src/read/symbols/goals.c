/* goals.c - calls and jumps (targets.h), followed through the PLT and the GOT (slots.h). */
#include "read/symbols/goals.h"

#include <stdlib.h>

#include "read/symbols/slots.h"
#include "read/symbols/targets.h"

struct goals {
	const struct binary *binary; /* whose code is read */
	struct targets *targets; /* how */
	struct targets *stubs;	/* the same, for stubs of the PLT */
	struct slots slots;	/* where its slots will point */
	size_t budget;		/* bytes of code that may still be read */
};

struct goals *goals_new(const struct binary *b)
{
	struct goals *g = calloc(1, sizeof *g);

	if (!g)
		return NULL;
	g->binary = b;
	g->budget = b->size;
	g->targets = targets_new(b->machine);
	g->stubs = targets_new(b->machine);
	if (g->targets && g->stubs && slots_read(&g->slots, b))
		return g;
	goals_free(g);
	return NULL;
}

void goals_free(struct goals *g)
{
	if (!g)
		return;
	targets_free(g->targets);
	targets_free(g->stubs);
	slots_free(&g->slots);
	free(g);
}

void goals_start(struct goals *g, uint64_t start, uint64_t end)
{
	size_t length = 0;
	const unsigned char *code = binary_bytes(g->binary, start, &length);

	if (!code)
		length = 0;
	if (length > end - start)
		length = end - start;
	if (length > g->budget)
		length = g->budget;
	g->budget -= length;
	targets_start(g->targets, code, length, start);
}

/* The slot through which the stub at ADDRESS goes; 0: there is no stub. */
static uint64_t stub_slot(struct goals *g, uint64_t address)
{
	const struct area *area = binary_area(g->binary, address);
	const unsigned char *code;
	size_t length;

	if (!area || !area->plt || !(code = binary_bytes(g->binary, address, &length)))
		return 0;
	targets_start(g->stubs, code, length, address);
	return targets_stub(g->stubs);
}

bool goals_next(struct goals *g, struct goal *goal)
{
	struct target target;
	uint64_t slot;

	if (!targets_next(g->targets, &target))
		return false;
	slot = target.address ? stub_slot(g, target.address) : target.slot;
	*goal = (struct goal){ .at = target.at, .address = target.address, .name = "", .jump = target.jump };
	if (slot) {
		struct slot found = slots_find(&g->slots, slot);

		goal->address = found.value;
		goal->name = found.name;
	}
	return true;
}
