/* headers.c - headers added up: each field has a rule that knows no order. */
#include "read/profile/headers.h"

#include <string.h>

#include "base/array.h"

enum { MOST_BITS = 40 };	/* of a weight, and of a cost: so 2^48 of their products fit in 128 bits */

static uint64_t bounded(uint64_t x)
{
	return x >> MOST_BITS ? UINT64_C(1) << MOST_BITS : x;
}

static unsigned __int128 wide(const uint64_t *x)
{
	return (unsigned __int128)x[1] << 64 | x[0];
}

static void wide_add(uint64_t *sum, unsigned __int128 x)
{
	x += wide(sum);
	sum[0] = (uint64_t)x;
	sum[1] = (uint64_t)(x >> 64);
}

struct amon_header headers_of(const struct profile_run *run)
{
	struct amon_header h = run->header;
	uint64_t weight = bounded(run->calls) + 1;

	memcpy(h.magic, AMON_MAGIC, sizeof h.magic);
	h.header_size = sizeof h;
	h.counter_size = sizeof(struct amon_counter);
	h.used = 0;
	h.reset_request = h.reset_done = 0;
	if (h.clock == AMON_CLOCK_TSC)
		h.tsc_hz = 1000000000;			/* times of a profile are ns */
	add_capped(&h.notes[AMON_NOTE_TRUNCATED], run->truncated);
	if (wide(h.sum_weight))
		return h;
	h.sum_weight[0] = weight;
	wide_add(h.sum_hook, (unsigned __int128)weight * bounded(h.hook_picoseconds));
	wide_add(h.sum_inside, (unsigned __int128)weight * bounded(h.hook_inside));
	h.sum_periods = h.pc_period;
	h.sum_period_processes = h.pc_period != 0;
	return h;
}

/* H with nothing but what is of one process. */
static struct amon_header own_of(const struct amon_header *h)
{
	struct amon_header own = *h;

	own.state = own.pc_source = own.way = own.note_errno = 0;
	own.exit_status = 0;
	own.cpu_before = own.cpu_total = own.cpu_user = own.cpu_system = 0;
	own.hook_picoseconds = own.hook_inside = own.pc_period = own.memory_private = 0;
	memset(own.notes, 0, sizeof own.notes);
	memset(own.stacks, 0, sizeof own.stacks);
	memset(own.origin, 0, sizeof own.origin);
	memset(own.unit, 0, sizeof own.unit);
	memset(own.sum_weight, 0, sizeof own - offsetof(struct amon_header, sum_weight));
	return own;
}

/* Did the process of A begin before that of B?  Where that is not known it is the same one each time. */
static bool is_earlier(const struct amon_header *a, const struct amon_header *b)
{
	struct amon_header own_a = own_of(a), own_b = own_of(b);

	if (a->start_realtime != b->start_realtime)
		return a->start_realtime < b->start_realtime;
	return memcmp(&own_a, &own_b, sizeof own_a) < 0;
}

/* Where the times of SUM or O are other people's: one of the two that says so. */
static void headers_origin_add(struct amon_header *sum, const struct amon_header *o)
{
	int c = strncmp(sum->origin, o->origin, sizeof sum->origin);

	c = c ? c : strncmp(sum->unit, o->unit, sizeof sum->unit);
	if (!o->origin[0] || (sum->origin[0] && c <= 0))
		return;
	memcpy(sum->origin, o->origin, sizeof sum->origin);
	memcpy(sum->unit, o->unit, sizeof sum->unit);
}

/* The sums of A and B that are sums. */
static void headers_counts_add(struct amon_header *sum, const struct amon_header *o)
{
	sum->cpu_total = sum->cpu_total && o->cpu_total ? sum->cpu_total : 0;
	if (sum->cpu_total)
		add_capped(&sum->cpu_total, o->cpu_total);
	add_capped(&sum->cpu_before, o->cpu_before);
	add_capped(&sum->cpu_user, o->cpu_user);
	add_capped(&sum->cpu_system, o->cpu_system);
	for (size_t i = 0; i < sizeof sum->notes / sizeof *sum->notes; i++)
		add_capped(&sum->notes[i], o->notes[i]);
	for (size_t i = 0; i < sizeof sum->stacks / sizeof *sum->stacks; i++)
		add_capped(&sum->stacks[i], o->stacks[i]);
	wide_add(sum->sum_weight, wide(o->sum_weight));
	wide_add(sum->sum_hook, wide(o->sum_hook));
	wide_add(sum->sum_inside, wide(o->sum_inside));
	add_capped(&sum->sum_periods, o->sum_periods);
	add_capped(&sum->sum_period_processes, o->sum_period_processes);
	add_capped(&sum->unsure, o->unsure);
	add_capped(&sum->late_left, o->late_left);
	add_capped(&sum->pc_unsampled, o->pc_unsampled);
	add_capped(&sum->sampler_cpu, o->sampler_cpu);
	add_capped(&sum->sleeps, o->sleeps);
	add_capped(&sum->compared, o->compared);
	add_capped(&sum->differ, o->differ);
}

/* Take over what SUM has of one process from O. */
static void own_take(struct amon_header *sum, const struct amon_header *o)
{
	struct amon_header own = *o;

	own.state = sum->state;
	own.exit_status = sum->exit_status;
	own.pc_source = sum->pc_source;
	own.way = sum->way;
	own.note_errno = sum->note_errno;
	own.memory_private = sum->memory_private;
	own.cpu_before = sum->cpu_before;
	own.cpu_total = sum->cpu_total;
	own.cpu_user = sum->cpu_user;
	own.cpu_system = sum->cpu_system;
	memcpy(own.notes, sum->notes, sizeof own.notes);
	memcpy(own.stacks, sum->stacks, sizeof own.stacks);
	memcpy(own.origin, sum->origin, sizeof own.origin);
	memcpy(own.unit, sum->unit, sizeof own.unit);
	memcpy(own.sum_weight, sum->sum_weight, sizeof own - offsetof(struct amon_header, sum_weight));
	*sum = own;
}

void headers_add(struct amon_header *sum, const struct amon_header *o)
{
	bool earlier = is_earlier(o, sum);

	if (o->state == AMON_RUNNING)
		sum->state = AMON_RUNNING;
	if (o->exit_status != sum->exit_status)
		sum->exit_status = -1;
	if (o->memory_private > sum->memory_private)
		sum->memory_private = o->memory_private;
	if (o->note_errno > sum->note_errno)
		sum->note_errno = o->note_errno;
	if (o->pc_source > sum->pc_source)		/* a process may have been too short to have any */
		sum->pc_source = o->pc_source;
	if (o->interrupt_nsec > sum->interrupt_nsec)
		sum->interrupt_nsec = o->interrupt_nsec;
	sum->settled |= o->settled;
	sum->way |= o->way;
	headers_origin_add(sum, o);
	headers_counts_add(sum, o);
	if (earlier)
		own_take(sum, o);
}

void headers_settle(struct amon_header *sum)
{
	unsigned __int128 weight = wide(sum->sum_weight);

	if (weight) {
		sum->hook_picoseconds = (uint64_t)(wide(sum->sum_hook) / weight);
		sum->hook_inside = (uint64_t)(wide(sum->sum_inside) / weight);
	}
	if (sum->sum_period_processes)
		sum->pc_period = sum->sum_periods / sum->sum_period_processes;
}
