/* origin.c - what the kernel tells of the process: its environment, which holds the monitor's settings, its program, its arguments, and when and
 * where it was started. */
#include "inside/origin.h"

#include <elf.h>
#include <stddef.h>
#include <sys/utsname.h>

#include "contract/amon.h"
#include "inside/modules/loader.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/text.h"

static char environment[65536];

const char *origin_env(const char *name)
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

/* /proc/NAME to TEXT, SIZE bytes at most, or what ELSEWHERE has. The number, or minus an errno. */
static long read_self(const char *name, char *text, size_t size, long (*elsewhere)(char *, size_t))
{
	long n = sys_read_file(name, text, size);

	if (n > 0)
		return n;
	note_once(AMON_NOTE_NO_PROC);
	return elsewhere(text, size);
}

static void read_environment(void)
{
	long n = sys_read_file("/proc/thread-self/environ", environment, sizeof environment - 2);

	if (sys_failed(n))			/* it may well be empty */
		n = read_self("/proc/thread-self/environ", environment, sizeof environment - 2, loader_environment);
	n = n < 0 ? 0 : n;
	environment[n] = environment[n + 1] = 0;
}

bool origin_is_set(const char *name)
{
	const char *value = origin_env(name);

	return value && *value && !str_equal(value, "0");
}

uint64_t origin_env_number(const char *name, uint64_t fallback)
{
	const char *s = origin_env(name);
	bool digits = s && *s >= '0' && *s <= '9';
	uint64_t n;
	int shift;

	if (!s || !*s)
		return fallback;
	n = text_number(&s);
	shift = *s == 'G' || *s == 'g' ? 30 : *s == 'M' || *s == 'm' ? 20 : *s == 'K' || *s == 'k' ? 10 : 0;
	if (!digits || s[shift > 0]) {
		note(AMON_NOTE_SETTING);
		return fallback;
	}
	return n <= UINT64_MAX / 2 >> shift ? n << shift : UINT64_MAX / 2;
}

bool origin_is_secure(void)
{
	uint64_t aux[128];
	long n = sys_read_file("/proc/thread-self/auxv", (char *)aux, sizeof aux);

	for (long i = 0; i + 1 < n / 8; i += 2)
		if (aux[i] == AT_SECURE)
			return aux[i + 1] != 0;
	if (loader_auxiliary(AT_PAGESZ))
		return loader_auxiliary(AT_SECURE) != 0;
	return sys0(getuid) != sys0(geteuid) || sys0(getgid) != sys0(getegid);
}

/* Field 22 of /proc/self/stat: when the process started. */
uint64_t origin_start_ticks(void)
{
	char text[1024];
	const char *s = text;
	long n = sys_read_file("/proc/self/stat", text, sizeof text - 1);

	if (n <= 0)
		return 0;
	text[n] = 0;
	for (long i = 0; i < n; i++)
		if (text[i] == ')')
			s = text + i;
	for (int field = 2; field < 22; field++) {
		while (*s && *s != ' ')
			s++;
		while (*s == ' ')
			s++;
	}
	return text_number(&s);
}

static void origin_copy_name(char *to, size_t size, const char *from)
{
	size_t n = str_length(from);

	n = n < size ? n : size - 1;
	mem_copy(to, from, n);
	to[n] = 0;
}

/* The arguments, as far as they fit; one byte more tells whether they do. */
static void read_command(struct amon_header *h)
{
	char text[sizeof h->command + 1];
	long n = read_self("/proc/thread-self/cmdline", text, sizeof text, loader_arguments);

	h->command_cut = n == (long)sizeof text;
	h->command_size = n < 0 ? 0 : (uint32_t)(n - (long)h->command_cut);
	mem_copy(h->command, text, h->command_size);
}

/* The program's path; without /proc as it was called, which may be relative to where it was started. */
static void read_program(struct amon_header *h)
{
	const char *called = (const char *)loader_auxiliary(AT_EXECFN);
	size_t n = str_length(h->directory);

	if (!sys_failed(sys4(readlinkat, -100, "/proc/thread-self/exe", h->program, sizeof h->program - 1)))
		return;
	note_once(AMON_NOTE_NO_PROC);
	if (!called)
		return;
	while (called[0] == '.' && called[1] == '/')
		called += 2;
	if (called[0] == '/' || n + 1 >= sizeof h->program)
		n = 0;
	mem_copy(h->program, h->directory, n);
	if (n)
		h->program[n++] = '/';
	origin_copy_name(h->program + n, sizeof h->program - n, called);
}

void origin_read(struct amon_header *h)
{
	struct utsname names;
	long n;

	read_environment();
	if (!sys_failed(sys1(uname, &names)))
		origin_copy_name(h->host, sizeof h->host, names.nodename);
	n = sys2(getcwd, h->directory, sizeof h->directory);
	if (n <= 0 || h->directory[0] != '/')
		origin_copy_name(h->directory, sizeof h->directory, ".");
	read_program(h);
	read_command(h);
}

void origin_fill(struct amon_header *h)
{
	mem_zero(h, offsetof(struct amon_header, host));
	mem_copy(h->magic, AMON_MAGIC, sizeof h->magic);
	h->version = AMON_VERSION;
	h->header_size = sizeof *h;
	h->counter_size = sizeof(struct amon_counter);
#if defined(__x86_64__)
	h->machine = 62;
#elif defined(__aarch64__)
	h->machine = 183;
#endif
	h->exit_status = -1;
	h->pid = monitor.pid = (int)sys0(getpid);
	h->ppid = (int)sys0(getppid);
	h->start_realtime = sys_clock(0);
	h->start_monotonic = sys_clock(1);
	h->start_ticks = monitor.in_nursery ? 0 : origin_start_ticks();
	h->cpu_before = sys_clock(2 /* CLOCK_PROCESS_CPUTIME_ID */);
	h->cpu_user = h->cpu_system = h->pc_unsampled = h->sampler_cpu = h->sleeps = 0;
}
