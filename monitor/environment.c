/* environment.c - reads the environment of the start, and what else the kernel keeps in /proc/self. */
#include "monitor/environment.h"

#include "format/amon.h"
#include "monitor/loader.h"
#include "monitor/state.h"
#include "monitor/sys.h"

static char environment[65536];

const char *environment_get(const char *name)
{
	size_t n = str_length(name);

	for (const char *e = environment; *e; e += str_length(e) + 1) {
		size_t i = 0;

		while (i < n && e[i] == name[i])
			i++;
		if (i == n && e[n] == '=')
			return e + n + 1;
	}
	return NULL;
}

long environment_self(const char *name, char *text, size_t size, long (*elsewhere)(char *, size_t))
{
	long n = sys_read_file(name, text, size);

	if (n > 0)
		return n;
	note_once(AMON_NOTE_NO_PROC);
	return elsewhere(text, size);
}

void environment_read(void)
{
	long n = sys_read_file("/proc/self/environ", environment, sizeof environment - 2);

	if (sys_failed(n))			/* it may well be empty */
		n = environment_self("/proc/self/environ", environment, sizeof environment - 2, loader_environment);
	n = n < 0 ? 0 : n;
	environment[n] = environment[n + 1] = 0;
}

uint64_t environment_number(const char *name, uint64_t fallback)
{
	const char *s = environment_get(name);
	uint64_t n = 0;
	bool digits = s && *s >= '0' && *s <= '9';
	int shift;

	if (!s || !*s)
		return fallback;
	for (; *s >= '0' && *s <= '9'; s++)
		n = n < UINT64_MAX / 16 ? n * 10 + (uint64_t)(*s - '0') : UINT64_MAX / 2;
	shift = *s == 'G' || *s == 'g' ? 30 : *s == 'M' || *s == 'm' ? 20 : *s == 'K' || *s == 'k' ? 10 : 0;
	if (!digits || s[shift > 0]) {
		note(AMON_NOTE_SETTING);
		return fallback;
	}
	return n <= UINT64_MAX / 2 >> shift ? n << shift : UINT64_MAX / 2;
}
