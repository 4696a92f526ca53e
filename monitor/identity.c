/* identity.c - what the kernel tells of the process. */
#include "monitor/identity.h"

#include <elf.h>
#include <stddef.h>
#include <sys/utsname.h>

#include "monitor/environment.h"
#include "monitor/loader.h"
#include "monitor/state.h"
#include "monitor/sys.h"

bool identity_is_secure(void)
{
	uint64_t aux[128];
	long n = sys_read_file("/proc/self/auxv", (char *)aux, sizeof aux);

	for (long i = 0; i + 1 < n / 8; i += 2)
		if (aux[i] == AT_SECURE)
			return aux[i + 1] != 0;
	if (loader_auxiliary(AT_PAGESZ))
		return loader_auxiliary(AT_SECURE) != 0;
	return sys0(getuid) != sys0(geteuid) || sys0(getgid) != sys0(getegid);
}

/* Field 22 of /proc/self/stat: when the process started. */
static uint64_t start_ticks(void)
{
	char text[1024], *s = text, *end = text;
	long n = sys_read_file("/proc/self/stat", text, sizeof text - 1);
	uint64_t ticks = 0;

	if (n <= 0)
		return 0;
	text[n] = 0;
	for (long i = 0; i < n; i++)
		if (text[i] == ')')
			end = text + i;
	s = end;
	for (int field = 2; field < 22; field++) {
		while (*s && *s != ' ')
			s++;
		while (*s == ' ')
			s++;
	}
	while (*s >= '0' && *s <= '9')
		ticks = ticks * 10 + (uint64_t)(*s++ - '0');
	return ticks;
}

static void copy_name(char *to, size_t size, const char *from)
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
	long n = environment_self("/proc/self/cmdline", text, sizeof text, loader_arguments);

	h->command_cut = n == (long)sizeof text;
	h->command_size = n < 0 ? 0 : (uint32_t)(n - (long)h->command_cut);
	mem_copy(h->command, text, h->command_size);
}

/* The program's path; without /proc as it was called, which may be relative to where it was started. */
static void read_program(struct amon_header *h)
{
	const char *called = (const char *)loader_auxiliary(AT_EXECFN);
	size_t n = str_length(h->directory);

	if (!sys_failed(sys4(readlinkat, -100, "/proc/self/exe", h->program, sizeof h->program - 1)))
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
	copy_name(h->program + n, sizeof h->program - n, called);
}

void identity_read(struct amon_header *h)
{
	struct utsname names;
	long n;

	if (!sys_failed(sys1(uname, &names)))
		copy_name(h->host, sizeof h->host, names.nodename);
	n = sys2(getcwd, h->directory, sizeof h->directory);
	if (n <= 0 || h->directory[0] != '/')
		copy_name(h->directory, sizeof h->directory, ".");
	read_program(h);
	read_command(h);
}

void identity_fill(struct amon_header *h)
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
	h->start_ticks = start_ticks();
	h->cpu_before = sys_clock(2 /* CLOCK_PROCESS_CPUTIME_ID */);
	h->cpu_user = h->cpu_system = 0;
}
