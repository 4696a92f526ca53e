/* schema.c - the tables. */
#include "store/schema.h"

#include <stddef.h>

#define HEADER(field) offsetof(struct totals, header.field), sizeof ((struct amon_header *)0)->field
#define THREAD(field) offsetof(struct totals, thread.field), sizeof ((struct amon_thread *)0)->field

const struct schema_total schema_totals[] = {
	{ "calls", "all calls", SCHEMA_SUM, offsetof(struct totals, calls), sizeof(uint64_t) },
	{ "cpu_before", "CPU time before the monitor began, ns", SCHEMA_SUM, HEADER(cpu_before) },
	{ "cpu_total", "CPU time of the process, ns; 0: not known", SCHEMA_KNOWN, HEADER(cpu_total) },
	{ "cpu_user", "of it in user mode, as the kernel counts", SCHEMA_SUM, HEADER(cpu_user) },
	{ "cpu_system", "of it in the kernel", SCHEMA_SUM, HEADER(cpu_system) },
	{ "memory_private", "memory of the monitor without its file, bytes", SCHEMA_MOST, HEADER(memory_private) },
	{ "state", "0: the process was killed, 1: it ended", SCHEMA_LEAST, HEADER(state) },
	{ "exit_status", "wait status; 2^32 - 1: not known", SCHEMA_SAME, HEADER(exit_status) },
	{ "way", "bits: how hooks got in", SCHEMA_OR, HEADER(way) },
	{ "note_errno", "errno of a note", SCHEMA_MOST, HEADER(note_errno) },
	{ "threads", "how many there were", SCHEMA_SUM, THREAD(folded) },
	{ "threads_start", "when the first began, monotonic ns", SCHEMA_LEAST, THREAD(start_monotonic) },
	{ "threads_cpu_first", "CPU clocks of the threads at their first hooks, ns", SCHEMA_SUM, THREAD(cpu_first) },
	{ "threads_cpu_last", "the same when last looked at", SCHEMA_SUM, THREAD(cpu_last) },
	{ "unplaced", "time that no sample could place, ns", SCHEMA_SUM, THREAD(unplaced) },
	{ "monitor", "time in the monitor's slow path, ns", SCHEMA_SUM, THREAD(monitor) },
	{ "samples", "taken in all", SCHEMA_SUM, THREAD(ticks) },
	{ "monitor_samples", "of them in the slow path", SCHEMA_SUM, THREAD(monitor_ticks) },
	{ "misses", "entries that the first probe did not answer", SCHEMA_SUM, THREAD(misses) },
	{ "slow", "entries that went to the slow path", SCHEMA_SUM, THREAD(slow) },
	{ "deepest", "largest depth of a shadow stack", SCHEMA_MOST, THREAD(deepest) },
};

const size_t schema_ntotals = sizeof schema_totals / sizeof *schema_totals;

void schema_total_print(FILE *out, const struct schema_total *t)
{
	static const char *const rules[] = {
		[SCHEMA_SUM] = "sum(%1$s)", [SCHEMA_KNOWN] = "if(min(%1$s) = 0, 0, sum(%1$s))", [SCHEMA_MOST] = "max(%1$s)", [SCHEMA_LEAST] = "min(%1$s)",
		[SCHEMA_SAME] = "if(min(%1$s) = max(%1$s), min(%1$s), 4294967295)", [SCHEMA_OR] = "groupBitOr(%1$s)",
	};

	fputs("toUInt64(", out);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	fprintf(out, rules[t->rule], t->name);
#pragma GCC diagnostic pop
	putc(')', out);
}

static const char profiles_head[] =
	"CREATE TABLE IF NOT EXISTS aprof_profiles (\n"
	"    service String,\n"
	"    time DateTime,                      -- when it began, UTC\n"
	"    profile FixedString(16),            -- what tells its file from all others\n"
	"    host String,\n"
	"    version String,\n"
	"    program String,                     -- without folders\n"
	"    clock String,                       -- cpu, tsc, wall, count or none; with -stacks behind it where call stacks were sampled\n"
	"    labels Nested (key String, value String),\n"
	"    image UInt64,                       -- its main program\n"
	"    rows UInt64,                        -- how many it has in aprof_figures\n"
	"    start_nsec UInt64,                  -- when it began, ns since 1970\n"
	"    header String,                      -- the header of its file, as amon.out has it\n"
	"    origin String,                      -- what other tool's file it was made from, NUL, unit of its times; '': none\n"
	"    commands Nested (name String, processes UInt64, nsec UInt64, calls UInt64),\n"
	"    notes Array(UInt64),                -- how often each thing was lost or done otherwise\n"
	"    stacks Array(UInt64),               -- stacks held against their contexts, by verdict\n"
	"    costs Array(UInt64),                -- sums for the means of what hooks cost\n";

static const char rest[] =
	"    pushed DateTime DEFAULT now()\n"
	") ENGINE = ReplacingMergeTree() PARTITION BY toYYYYMM(time) ORDER BY (service, time, profile);\n"
	"\n"
	"CREATE TABLE IF NOT EXISTS aprof_figures (\n"
	"    service String,\n"
	"    time DateTime,\n"
	"    profile FixedString(16),\n"
	"    context UInt64,\n"
	"    caller UInt64,                      -- the context that it was entered from; 0: its parent\n"
	"    calls UInt64,                       -- that entered it from there\n"
	"    recursive UInt64,                   -- direct recursive calls; from here on: where caller is 0\n"
	"    nsec UInt64,                        -- time\n"
	"    samples UInt64,\n"
	"    bytes UInt64                        -- that its calls moved, where that is known\n"
	") ENGINE = ReplacingMergeTree() PARTITION BY toYYYYMM(time) ORDER BY (service, time, profile, context, caller);\n"
	"\n"
	"CREATE TABLE IF NOT EXISTS aprof_contexts (\n"
	"    image UInt64,\n"
	"    context UInt64,\n"
	"    parent UInt64,\n"
	"    routine UInt64,\n"
	"    length UInt32                       -- steps from the root: parents have less\n"
	") ENGINE = ReplacingMergeTree() ORDER BY (image, context);\n"
	"\n"
	"CREATE TABLE IF NOT EXISTS aprof_routines (\n"
	"    image UInt64,\n"
	"    routine UInt64,\n"
	"    named UInt8,                        -- 1: its symbols were at hand, or an interpreter named it\n"
	"    module UInt64,                      -- 0: none\n"
	"    address UInt64,                     -- link-time\n"
	"    flags UInt32,\n"
	"    pseudo UInt32,                      -- which pseudo-routine; 0: a real one\n"
	"    script UInt8,                       -- 1: an interpreter defined it\n"
	"    name String,                        -- as the programmer wrote it\n"
	"    file String,\n"
	"    line UInt32,\n"
	"    linked String,                      -- as linked\n"
	"    base String,                        -- the same of the function that it is a clone of\n"
	"    aliases String,\n"
	"    start UInt64,                       -- its function: first byte,\n"
	"    size UInt64,                        -- bytes,\n"
	"    origin UInt64,                      -- first byte of the one that it is a clone of\n"
	"    local UInt8,\n"
	"    part UInt8\n"
	") ENGINE = ReplacingMergeTree() ORDER BY (image, routine, named);\n"
	"\n"
	"CREATE TABLE IF NOT EXISTS aprof_modules (\n"
	"    image UInt64,\n"
	"    module UInt64,\n"
	"    main_program UInt8,\n"
	"    hooked UInt8,\n"
	"    alone UInt8,                        -- 1: its addresses are made of names, and none in its file\n"
	"    path String,\n"
	"    build_id String\n"
	") ENGINE = ReplacingMergeTree() ORDER BY (image, module, main_program, hooked, alone);\n";

void schema_print(FILE *out)
{
	fputs(profiles_head, out);
	for (size_t i = 0; i < schema_ntotals; i++) {
		int n = fprintf(out, "    %s UInt64,", schema_totals[i].name);

		fprintf(out, "%*s-- %s\n", n < 40 ? 40 - n : 1, "", schema_totals[i].text);
	}
	fputs(rest, out);
}
