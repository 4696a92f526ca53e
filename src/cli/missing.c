/* missing.c - one line for each program whose samples do not stand for its time. */
#include "cli/missing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "cli/message.h"

enum {
	SMALL = 33,			/* less than such a part of a program's time is not worth a line, */
	LEAST = 10000000,		/* and less than so many ns neither */
	MOST_LINES = 8,
	MUCH = 20000000,		/* ns that no source passes over */
};

static bool is_worth_telling(uint64_t missing, uint64_t used)
{
	return missing >= LEAST && missing > used / SMALL;
}

static uint64_t missing_of(const struct account *a)
{
	uint64_t sum = 0;

	for (int i = 0; i < ACCOUNT_REASONS; i++)
		sum += a->missing[i];
	return sum < a->used ? sum : a->used;
}

const char *missing_remedy(int error)
{
	switch (error) {
	case EFBIG:
		return " (the limit on the size of files, ulimit -f)";
	case ENOMEM:
		return " (is there a limit on memory, ulimit -v?)";
	case ENOSPC:
	case EDQUOT:
		return " (TMPDIR names another place)";
	default:
		return "";
	}
}

/* Why REASON, for A. */
static void reason_print(char *text, size_t size, const struct account *a, enum account_reason reason)
{
	static const char *const texts[ACCOUNT_REASONS] = {
		[ACCOUNT_SOON] = "ended before the next sample was due",
		[ACCOUNT_LOST] = "came faster than it was read (a lower --rate loses less)",
		[ACCOUNT_KERNEL] = "is the kernel's, which this user may not sample, or ended before the next sample was due",
		[ACCOUNT_FILTER] = "is of a program that filters its system calls (seccomp), and is left alone",
		[ACCOUNT_ROOM] = "found no room in the profile: the disk (TMPDIR), a limit on files (ulimit -f), or --memory",
	};

	if (reason == ACCOUNT_FILE)
		snprintf(text, size, "has no profile: %s%s", strerror(a->error), missing_remedy(a->error));
	else
		snprintf(text, size, "%s", texts[reason]);
}

static void account_tell(const struct account *a)
{
	char text[1024], why[256], time[PRINT_TIME_SIZE];
	size_t n = 0;

	text[0] = 0;
	for (int i = 0; i < ACCOUNT_REASONS; i++)
		if (a->missing[i] > missing_of(a) / SMALL && n < sizeof text) {
			reason_print(why, sizeof why, a, i);
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %s", n ? ", " : "", print_time_text(time, (double)a->missing[i]), why);
		}
	message("note: %s used %.3f s of CPU time in %" PRIu64 " process%s, of which %.3f s are in no routine: %s", a->program, (double)a->used / 1e9, a->processes,
		a->processes == 1 ? "" : "es", (double)missing_of(a) / 1e9, text);
}

static int by_missing(const void *left, const void *right)
{
	uint64_t a = missing_of(*(const struct account *const *)left), b = missing_of(*(const struct account *const *)right);

	return (a < b) - (a > b);
}

uint64_t missing_used(const struct accounts *a)
{
	uint64_t used = 0;

	for (size_t i = 0; i < a->n; i++)
		used += a->programs[i].used;
	return used;
}

bool missing_is_much(const struct accounts *a, uint64_t all)
{
	uint64_t used = missing_used(a);

	return (used > all ? used : all) > MUCH;
}

int missing_error(const struct accounts *a)
{
	int error = 0;

	for (size_t i = 0; i < a->n; i++)
		error = a->programs[i].error ? a->programs[i].error : error;
	return error;
}

/* Where that may be which the kernel says that all used, and of which nobody was told whose it is. */
static const char *unseen_text(enum amon_source source)
{
	if (source == AMON_SOURCE_PERF)
		return "where perf events do not look: in the kernel when threads begin, wait and end, and in set-uid programs";
	return source == AMON_SOURCE_PTRACE ? "of processes that nobody tells of: they ended before ptrace could look at them"
					    : "of processes that nobody tells of: they ended before they could be looked at";
}

void missing_tell(const struct accounts *a, uint64_t all, enum amon_source source)
{
	const struct account **sorted = calloc(a->n + 1, sizeof *sorted);
	uint64_t used = missing_used(a);

	for (size_t i = 0; sorted && i < a->n; i++)
		sorted[i] = &a->programs[i];
	if (sorted)
		qsort(sorted, a->n, sizeof *sorted, by_missing);
	for (size_t i = 0; sorted && i < a->n && i < MOST_LINES; i++)
		if (is_worth_telling(missing_of(sorted[i]), sorted[i]->used))
			account_tell(sorted[i]);
	free(sorted);
	if (all > used && !a->skipped && is_worth_telling(all - used, all))
		message("note: this run used %.3f s of CPU time, of which %.3f s are %s", (double)all / 1e9, (double)(all - used) / 1e9,
			unseen_text(source));
}
