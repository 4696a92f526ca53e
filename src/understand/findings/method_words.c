/* method_words.c - the words for ways and clocks. */
#include "understand/findings/method_words.h"

#include <stdio.h>

#include "contract/amon.h"

char *method_way(char *buffer, size_t size, uint32_t way, const char *separator)
{
	static const char *const names[] = { [AMON_WAY_FENTRY] = "fentry", [AMON_WAY_CYG] = "cyg", [AMON_WAY_MCOUNT] = "mcount",
		[AMON_WAY_INLINE] = "inline", [AMON_WAY_STACKS] = "stacks", [AMON_WAY_SCRIPT] = "script" };
	size_t n = 0;

	buffer[0] = '\0';
	for (unsigned i = 0; i < sizeof names / sizeof *names && n < size; i++)
		if (way & 1u << i)
			n += (size_t)snprintf(buffer + n, size - n, "%s%s", n ? separator : "", names[i]);
	return buffer;
}

const char *method_clock(uint32_t clock)
{
	static const char *const names[] = { [AMON_CLOCK_NONE] = "none", [AMON_CLOCK_TICK] = "tick", [AMON_CLOCK_TSC] = "tsc",
		[AMON_CLOCK_WALL] = "wall", [AMON_CLOCK_COUNT] = "count" };

	return clock < sizeof names / sizeof *names ? names[clock] : "unknown";
}

const char *method_source(uint32_t source)
{
	static const char *const names[] = { [AMON_SOURCE_NONE] = "none", [AMON_SOURCE_SAMPLER] = "sampler", [AMON_SOURCE_TIMER] = "timer",
		[AMON_SOURCE_PERF] = "perf", [AMON_SOURCE_PTRACE] = "ptrace" };

	return source < sizeof names / sizeof *names ? names[source] : "unknown";
}
