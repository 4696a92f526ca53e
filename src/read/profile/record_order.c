/* record_order.c - the order of a profile's records. */
#include "read/profile/private.h"

static int by(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

int order_shares(const void *x, const void *y)
{
	const struct profile_share *a = x, *b = y;

	return a->thread != b->thread ? by(a->thread, b->thread) : by(a->context, b->context);
}

int order_amounts(const void *x, const void *y)
{
	const struct profile_amount *a = x, *b = y;

	if (a->thread != b->thread)
		return by(a->thread, b->thread);
	if (a->from != b->from)
		return by(a->from, b->from);
	return a->to != b->to ? by(a->to, b->to) : by(a->value, b->value);
}

int order_slices(const void *x, const void *y)
{
	const struct profile_slice *a = x, *b = y;

	if (a->thread != b->thread)
		return by(a->thread, b->thread);
	if (a->context != b->context)
		return by(a->context, b->context);
	return a->interval != b->interval ? by(a->interval, b->interval) : by(a->phase, b->phase);
}

int order_pcs(const void *x, const void *y)
{
	const struct profile_pc *a = x, *b = y;

	if (a->context != b->context)
		return by(a->context, b->context);
	return a->module != b->module ? by(a->module, b->module) : by(a->address, b->address);
}

int order_detours(const void *x, const void *y)
{
	const struct profile_detour *a = x, *b = y;

	if (a->thread != b->thread)
		return by(a->thread, b->thread);
	return a->from != b->from ? by(a->from, b->from) : by(a->to, b->to);
}

int order_sites(const void *x, const void *y)
{
	const struct profile_site *a = x, *b = y;

	if (a->thread != b->thread)
		return by(a->thread, b->thread);
	if (a->from != b->from)
		return by(a->from, b->from);
	if (a->to != b->to)
		return by(a->to, b->to);
	return a->module != b->module ? by(a->module, b->module) : by(a->address, b->address);
}

int order_arcs(const void *x, const void *y)
{
	const struct profile_arc *a = x, *b = y;

	return a->from != b->from ? by(a->from, b->from) : by(a->to, b->to);
}
