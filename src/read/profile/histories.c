/* histories.c - the trie of histories, and steps A1-A5 on it. */
#include "read/profile/histories.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint64_t node_hash(const void *owner, uint32_t i)
{
	const struct histories *h = owner;

	return hash_mix(h->nodes[i].parent, h->nodes[i].entry);
}

static uint32_t find_child(const struct histories *h, uint32_t node, history_entry e)
{
	uint32_t found;

	for (uint64_t i = hash_mix(node, e); (found = table_next(&h->table, &i)) != HISTORIES_NONE;)
		if (h->nodes[found].parent == node && h->nodes[found].entry == e)
			return found;
	return HISTORIES_NONE;
}

static uint32_t add_node(struct histories *h, uint32_t node, history_entry e)
{
	if (h->n >= HISTORIES_NONE - 1 || !array_reserve(&h->nodes, &h->room, (size_t)h->n + 1, sizeof *h->nodes) ||
	    !table_reserve(&h->table, (uint64_t)h->n + 1, node_hash, h))
		return HISTORIES_NONE;
	h->nodes[h->n] = (struct history_node){ .parent = node, .entry = e, .context = HISTORIES_NONE };
	table_add(&h->table, hash_mix(node, e), h->n);
	assert(h->table.used == h->n + 1u);	/* each node is found */
	return h->n++;
}

bool histories_init(struct histories *h)
{
	memset(h, 0, sizeof *h);
	return add_node(h, HISTORIES_NONE, 0) == 0;
}

void histories_free(struct histories *h)
{
	free(h->nodes);
	table_free(&h->table);
	free(h->path);
	free(h->path_nodes);
	free(h->position);
	free(h->scratch);
}

bool histories_reserve(struct histories *h, size_t n, size_t routines)
{
	if (n > HISTORIES_NONE - h->n || !array_reserve(&h->nodes, &h->room, h->n + n, sizeof *h->nodes) ||
	    !table_reserve(&h->table, h->n + n, node_hash, h) ||
	    !array_reserve(&h->position, &h->position_room, routines, sizeof *h->position))
		return false;
	for (; h->routines < routines; h->routines++)
		h->position[h->routines] = HISTORIES_NONE;
	return true;
}

static void shorten_path(struct histories *h, size_t depth)
{
	while (h->depth > depth) {
		history_entry e = h->path[--h->depth];

		h->work++;
		if (history_is_marked(e))
			h->position[history_routine(e)] = HISTORIES_NONE;
	}
}

/* Length of what the path and NODE of LENGTH entries have in common at the front. */
static size_t common_length(const struct histories *h, uint32_t node, size_t length)
{
	while (length > 0 && (length > h->depth || h->path_nodes[length - 1] != node)) {
		node = h->nodes[node].parent;
		length--;
	}
	return length;
}

/* Spell out NODE of LENGTH entries, leaving room for one more. */
static bool move_path(struct histories *h, uint32_t node, uint32_t length)
{
	size_t common = common_length(h, node, length);

	if (!array_reserve(&h->path, &h->path_room, (size_t)length + 1, sizeof *h->path) ||
	    !array_reserve(&h->path_nodes, &h->nodes_room, (size_t)length + 1, sizeof *h->path_nodes))
		return false;
	shorten_path(h, common);
	for (size_t i = length; i > common; i--) {
		history_entry e = h->nodes[node].entry;

		h->path[i - 1] = e;
		h->path_nodes[i - 1] = node;
		if (history_is_marked(e))
			h->position[history_routine(e)] = (uint32_t)(i - 1);
		node = h->nodes[node].parent;
	}
	assert(node == (common > 0 ? h->path_nodes[common - 1] : 0));
	h->work += length - common;
	h->depth = length;
	return true;
}

/* The routine called is marked in the path: squeeze a copy, then follow it from where it leaves the path. */
static bool histories_fold(struct histories *h, uint32_t routine, struct history_step *step)
{
	size_t n, i = 0;
	uint32_t node = 0;

	if (!array_reserve(&h->scratch, &h->scratch_room, h->depth + 1, sizeof *h->scratch))
		return false;
	memcpy(h->scratch, h->path, h->depth * sizeof *h->path);
	n = history_next(h->scratch, h->depth, routine);
	assert(n > 0 && n <= h->depth + 1 && h->scratch[n - 1] == history_marked(routine));
	h->work += h->depth;
	for (; i < n && i < h->depth && h->scratch[i] == h->path[i]; i++)
		node = h->path_nodes[i];
	for (; i < n; i++) {
		uint32_t child = find_child(h, node, h->scratch[i]);

		node = child != HISTORIES_NONE ? child : add_node(h, node, h->scratch[i]);
		if (node == HISTORIES_NONE)
			return false;
	}
	*step = (struct history_step){ .node = node, .length = (uint32_t)n, .folded = true };
	return true;
}

bool histories_step(struct histories *h, uint32_t node, uint32_t length, uint32_t routine, struct history_step *step)
{
	history_entry called = history_marked(routine);

	assert(node < h->n && routine < h->routines);
	*step = (struct history_step){ .node = node, .length = length };
	if (length > 0 && h->nodes[node].entry == called)
		return true;				/* A1: direct recursion */
	*step = (struct history_step){ .node = find_child(h, node, called), .length = length + 1 };
	if (step->node != HISTORIES_NONE)
		return true;				/* no second mark, by the invariant */
	if (!move_path(h, node, length))
		return false;
	if (h->position[routine] != HISTORIES_NONE)
		return histories_fold(h, routine, step);		/* A2-A5 */
	step->node = add_node(h, node, called);		/* A2; nothing was unmarked */
	return step->node != HISTORIES_NONE;
}

void histories_expect(const struct histories *h, uint32_t node, uint32_t routine)
{
	table_expect(&h->table, hash_mix(node, history_marked(routine)));
}

void histories_renumber(struct histories *h, const uint32_t *numbers)
{
	shorten_path(h, 0);
	for (uint32_t i = 1; i < h->n; i++) {
		history_entry e = h->nodes[i].entry;

		h->nodes[i].entry = numbers[history_routine(e)] << 1 | history_is_marked(e);
	}
	table_renew(&h->table, h->n, node_hash, h);
}

void histories_cut(struct histories *h, uint32_t n)
{
	shorten_path(h, 0);
	if (n >= h->n)
		return;
	h->n = n;
	table_cut(&h->table, n, node_hash, h);
}

void histories_get(const struct histories *h, uint32_t node, uint32_t length, history_entry *out)
{
	for (; length > 0; length--) {
		out[length - 1] = h->nodes[node].entry;
		node = h->nodes[node].parent;
	}
	assert(node == 0);
}
