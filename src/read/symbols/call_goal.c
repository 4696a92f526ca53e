/* call_goal.c - what a call instruction says that it calls, found from where it returns to.
 *
 * Instructions cannot be read backwards, but calls are few: of five bytes (the distance), six (a slot) or others, which go by a register or memory. */
#include "read/symbols/call_goal.h"

#include <string.h>

#include "read/symbols/goals.h"

enum { DIRECT = 5, BY_SLOT = 6, SHORTEST = 2, LONGEST = 7 };	/* bytes of x86's calls */

/* The goal of the one instruction of LENGTH bytes before END, if it is a call that names one. */
static bool goal_before(struct module *m, uint64_t end, unsigned length, struct goal *goal)
{
	goals_start(m->goals, end - length, end);
	return goals_next(m->goals, goal) && goal->at == end - length;
}

/* May the LENGTH bytes before END be a call by a register or by memory? */
static bool is_by_pointer(struct module *m, uint64_t end, unsigned length)
{
	size_t there = 0;
	const unsigned char *code = binary_bytes(&m->binary, end - length, &there);

	return code && there >= SHORTEST && code[0] == 0xff && (code[1] & 0x38) == 0x10;
}

struct goals *call_goals(struct module *m)
{
	if (!m->goals_known) {
		m->goals_known = true;
		m->goals = m->present ? goals_new(&m->binary) : NULL;
	}
	return m->goals;
}

bool call_goal_find(struct module *m, uint64_t end, struct goal *goal)
{
	*goal = (struct goal){ .name = "" };
	if (!call_goals(m))
		return false;
	if ((goal_before(m, end, DIRECT, goal) && !is_by_pointer(m, end, LONGEST)) || goal_before(m, end, BY_SLOT, goal))
		return true;
	*goal = (struct goal){ .name = "" };
	for (unsigned length = SHORTEST; length <= LONGEST; length++)
		if (is_by_pointer(m, end, length))
			return true;
	return false;
}
