/* perf_events.c - see perf_events.h. */
#include "record/sample/perf_events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "contract/amon.h"
#include "record/sample/permission.h"

enum { OF_KERNEL = 1 };

#define CACHE(cache, op, result) (PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct {
	const char *names;		/* parted by blanks */
	const char *unit;		/* NULL: count */
	uint32_t type;
	uint64_t config;
	int flags;
} events[] = {
	{ "page-faults faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0 },
	{ "minor-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, 0 },
	{ "major-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, 0 },
	{ "context-switches cs", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, OF_KERNEL },
	{ "cpu-migrations migrations", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, OF_KERNEL },
	{ "alignment-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, 0 },
	{ "emulation-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, 0 },
	{ "cycles cpu-cycles", "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0 },
	{ "ref-cycles", "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, 0 },
	{ "bus-cycles", "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, 0 },
	{ "stalled-cycles-frontend idle-cycles-frontend", "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 0 },
	{ "stalled-cycles-backend idle-cycles-backend", "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 0 },
	{ "instructions", "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0 },
	{ "cache-references", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, 0 },
	{ "cache-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 0 },
	{ "branches branch-instructions", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0 },
	{ "branch-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 0 },
	{ "L1-dcache-loads", NULL, PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS), 0 },
	{ "L1-dcache-load-misses", NULL, PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS), 0 },
	{ "L1-dcache-stores", NULL, PERF_TYPE_HW_CACHE, CACHE(L1D, WRITE, ACCESS), 0 },
	{ "L1-icache-load-misses", NULL, PERF_TYPE_HW_CACHE, CACHE(L1I, READ, MISS), 0 },
	{ "LLC-loads", NULL, PERF_TYPE_HW_CACHE, CACHE(LL, READ, ACCESS), 0 },
	{ "LLC-load-misses", NULL, PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS), 0 },
	{ "LLC-stores", NULL, PERF_TYPE_HW_CACHE, CACHE(LL, WRITE, ACCESS), 0 },
	{ "LLC-store-misses", NULL, PERF_TYPE_HW_CACHE, CACHE(LL, WRITE, MISS), 0 },
	{ "dTLB-loads", NULL, PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, ACCESS), 0 },
	{ "dTLB-load-misses", NULL, PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS), 0 },
	{ "dTLB-store-misses", NULL, PERF_TYPE_HW_CACHE, CACHE(DTLB, WRITE, MISS), 0 },
	{ "iTLB-load-misses", NULL, PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS), 0 },
};

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *w = words; w; w = strchr(w, ' ') ? strchr(w, ' ') + 1 : NULL)
		if (strncmp(w, word, len) == 0 && (w[len] == ' ' || w[len] == '\0'))
			return len > 0;
	return false;
}

/* r1A8 and the like: what the processor's manual has. */
static bool raw_read(const char *name, struct event *e)
{
	char *end;

	if (name[0] != 'r' || strlen(name) < 2 || strlen(name) > 17 || strspn(name + 1, "0123456789abcdefABCDEF") != strlen(name + 1))
		return false;
	*e = (struct event){ .name = name, .unit = "count", .type = PERF_TYPE_RAW, .config = strtoull(name + 1, &end, 16) };
	return true;
}

/* subsystem:event: a place that the kernel traces. */
static bool tracepoint_read(const char *name, struct event *e)
{
	static const char *const folders[] = { "/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events" };
	const char *colon = strchr(name, ':');
	unsigned long long id;
	bool found = false;

	for (size_t i = 0; colon && !strchr(name, '/') && !found && i < sizeof folders / sizeof *folders; i++) {
		char path[300];
		FILE *in;

		snprintf(path, sizeof path, "%s/%.*s/%s/id", folders[i], (int)(colon - name), name, colon + 1);
		in = fopen(path, "re");
		found = in && fscanf(in, "%llu", &id) == 1;
		if (in)
			fclose(in);
	}
	if (found)
		*e = (struct event){ .name = name, .unit = "count", .type = PERF_TYPE_TRACEPOINT, .config = id, .of_kernel = true };
	return found;
}

bool event_find(const char *name, struct event *e, struct error *err)
{
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		if (has_word(events[i].names, name)) {
			*e = (struct event){ .name = name, .unit = events[i].unit ? events[i].unit : "count", .type = events[i].type, .config = events[i].config,
					     .of_kernel = events[i].flags & OF_KERNEL };
			return true;
		}
	if (strlen(name) < sizeof ((struct amon_value *)0)->name && (raw_read(name, e) || tracepoint_read(name, e)))
		return true;
	return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "--value=%.80s: no event is called so: page-faults, context-switches, cpu-migrations, cycles, instructions, cache-misses, "
			 "branch-misses and others are, as perf list has them, rHEX, and what the kernel traces (sched:sched_switch), where that may be read", name);
}

bool event_is_possible(const struct event *e, bool kernel, struct error *err)
{
	struct perf_event_attr attr = { .size = sizeof attr, .type = e->type, .config = e->config, .sample_period = 1000000, .sample_type = PERF_SAMPLE_IP, .disabled = 1,
					.exclude_kernel = !kernel, .exclude_hv = 1, .exclude_guest = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC), error = errno;
	struct permission permission;
	char why[400];

	if (fd >= 0)
		close(fd);
	if (fd >= 0 && (kernel || !e->of_kernel))
		return true;
	if (fd >= 0 || error == EACCES || error == EPERM) {
		permission = permission_look(-1, e->of_kernel ? 1 : 2);
		permission_explain(&permission, why, sizeof why);
		return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "--value=%s: the kernel does not let this user sample it%s: %s", e->name,
				 e->of_kernel ? ", which happens in its own part" : "", why);
	}
	return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "--value=%s: %s", e->name, error == ENOENT || error == EOPNOTSUPP || error == ENODEV || error == ENXIO || error == EINVAL ?
			 "this processor has no such counter, or a virtual machine, as this may be one, is given none" : strerror(error));
}
