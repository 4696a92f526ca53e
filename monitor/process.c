/* process.c - the process as the monitor sees it: start, fork, exit.
 *
 * The start is lazy: the first hook, which may run before any constructor, does it, with raw
 * system calls and static memory.  Handlers that need libc (fork, exit, thread exit) are
 * registered by a constructor, which no hook waits for. */
#include "monitor/process.h"

#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include "format/amon.h"
#include "monitor/api.h"
#include "monitor/calibrate.h"
#include "monitor/clock.h"
#include "monitor/context.h"
#include "monitor/file.h"
#include "monitor/front.h"
#include "monitor/jump.h"
#include "monitor/layout.h"
#include "monitor/loader.h"
#include "monitor/machine.h"
#include "monitor/module.h"
#include "monitor/monitor.h"
#include "monitor/phase.h"
#include "monitor/routine.h"
#include "monitor/stack.h"
#include "monitor/state.h"
#include "monitor/sys.h"
#include "monitor/thread.h"
#include "monitor/tls.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

struct monitor monitor;

/* What the header is before there is a file: as large as a page. */
static union { struct amon_header header; char page[AMON_PAGE]; } early;
static uint32_t always_alive = 1;
static pthread_key_t thread_key;
static bool has_key;
static struct thread *forked_from;	/* in a child: the parent's machine of the one thread there is */
static struct frame *fork_top;		/* its top frame at the fork, */
static context_id fork_context;	/* and that one's context */
static uint64_t fork_cycles;		/* when that was, if the clock is tsc */

void note(enum amon_note kind)
{
	__atomic_fetch_add(&monitor.header->notes[kind], 1, __ATOMIC_RELAXED);
}

void note_error(enum amon_note kind, long error)
{
	note(kind);
	monitor.header->note_errno = (uint32_t)-error;
}

void note_once(enum amon_note kind)
{
	if (!monitor.header->notes[kind])
		note(kind);
}

/* ---- what the kernel tells of us ---- */

static char environment[65536];

const char *process_env(const char *name)
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

/* /proc/self/NAME to TEXT, SIZE bytes at most, or what ELSEWHERE has. The number, or minus an errno. */
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
	long n = sys_read_file("/proc/self/environ", environment, sizeof environment - 2);

	if (sys_failed(n))			/* it may well be empty */
		n = read_self("/proc/self/environ", environment, sizeof environment - 2, loader_environment);
	n = n < 0 ? 0 : n;
	environment[n] = environment[n + 1] = 0;
}

/* A number with an optional K, M or G; FALLBACK where there is none, with a note where there is something else. */
static uint64_t env_number(const char *name, uint64_t fallback)
{
	const char *s = process_env(name);
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

/* Set-uid, set-gid or with capabilities of its file: AT_SECURE. */
static bool is_secure(void)
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
	long n = read_self("/proc/self/cmdline", text, sizeof text, loader_arguments);

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

/* Where and how the program was started. */
static void read_start(struct amon_header *h)
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

/* Fill H, which in a forked child is still the parent's. */
static void header_fill(struct amon_header *h)
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

/* ---- start ---- */

static bool start(void)
{
	long alive;

	monitor.header = &early.header;
	monitor.alive = &always_alive;
	if (is_secure())
		return false;
	header_fill(monitor.header);
	/* A child keeps what the parent found: a program that shows a title has overwritten its arguments and its
	 * environment by now, and a daemon has gone to the root directory. */
	if (!monitor.forked) {
		read_environment();
		read_start(monitor.header);
	}
	clock_choose();
	if (!file_open(env_number("APROF_MEMORY", UINT64_C(1) << 30)))
		return false;
	alive = sys6(mmap, NULL, AMON_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!sys_failed(alive) && !sys_failed(sys3(madvise, alive, AMON_PAGE, MADV_WIPEONFORK))) {
		monitor.alive = (uint32_t *)alive;
		*monitor.alive = 1;
	}
	monitor.header->notes[AMON_NOTE_EARLY] = monitor.early_calls;
	monitor.early_calls = 0;
	module_scan();
	file_sigbus();
	if (monitor.nroutines && !routine_record_all()) {
		note(AMON_NOTE_OUT_OF_MEMORY);
		return false;
	}
	return true;
}

bool process_start(void)
{
	uint32_t fresh = monitor_state() == MONITOR_FORKED ? MONITOR_FORKED : MONITOR_NEW;

	if (__atomic_compare_exchange_n(&monitor.state, &fresh, MONITOR_STARTING, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		__atomic_store_n(&monitor.state, start() ? MONITOR_ON : MONITOR_OFF, __ATOMIC_RELEASE);
	while (monitor_state() == MONITOR_STARTING)
		sys0(sched_yield);
	return monitor_state() == MONITOR_ON;
}

struct thread *process_forked_from(void)
{
	return __atomic_load_n(&forked_from, __ATOMIC_RELAXED) ? __atomic_exchange_n(&forked_from, NULL, __ATOMIC_RELAXED) : NULL;
}

void process_started(void)
{
	if (__atomic_exchange_n(&monitor.started, true, __ATOMIC_ACQ_REL))
		return;
	calibrate();
	calibrate_record();
	clock_start();
	phase_begin();
}

bool process_unmoved(void)
{
	return __atomic_load_n(&forked_from, __ATOMIC_RELAXED) && aprof_tls.top == fork_top && tls_context(&aprof_tls) == fork_context;
}

uint64_t process_forked_at(void)
{
	return fork_cycles;
}

bool process_watch_thread(void)
{
	/* Only keys that glibc keeps in the thread itself: others would cost a malloc. */
	return has_key && thread_key < 32 && pthread_setspecific(thread_key, &aprof_tls) == 0;
}

static void on_thread_exit(void *arg)
{
	struct thread *t = thread_live(arg);

	if (t)
		thread_end(t);
}

/* ---- fork ---- */

/* From here on nothing of the parent's is written: the file is let go, the thread begins
 * anew at its next hook, in a new machine that adopts the contexts of its open frames.
 * If a signal handler forked, the hook that it interrupted goes on here: it may have read the front table's mask already. */
static void child_begin(void)
{
	struct aprof_tls *tls = &aprof_tls;

	if (tls->thread) {
		forked_from = tls->thread;
		fork_top = tls->top;
		fork_context = tls_context(tls);
		fork_cycles = clock_is_tsc() ? clock_cycles() : 0;
	}
	tls->thread = NULL;
	front_leave(tls);
	tls->last = 0;
	tls->charged = &aprof_counter_none;
	file_leave();
	module_forget();
	routine_forget();
	monitor.lock.taken = 0;
	monitor.threads = NULL;
	monitor.ended = NULL;
	monitor.nthreads = 0;
	monitor.thread_chunk = NULL;
	monitor.started = false;
	monitor.forked = true;
	api_forget();
	monitor.state = MONITOR_FORKED;
}

static void on_fork_child(void)
{
	if (monitor_state() == MONITOR_ON)
		child_begin();
}

static void on_fork_parent(void)
{
	if (monitor_state() == MONITOR_ON)
		note(AMON_NOTE_FORK);
}

bool process_child_unseen(void)
{
	note(AMON_NOTE_FORK_UNSEEN);		/* in the parent's file, whose counts have ours in them */
	child_begin();
	return true;
}

/* A child of vfork runs in our memory and counts for nobody: the thread is out until its parent goes on. */
void aprof_vfork_before(void)
{
	struct aprof_tls *tls = &aprof_tls;

	tls->inert = INERT_VFORK;
	front_none(tls);
	if (tls->thread)
		tls->thread->vfork_last = tls->last;
	tls->last = 0;
	if (monitor_state() == MONITOR_ON)
		note(AMON_NOTE_VFORK);
}

void aprof_vfork_after(void)
{
	struct aprof_tls *tls = &aprof_tls;

	if (tls->thread) {
		front_begin(tls->thread);
		tls->last = tls->thread->vfork_last;
	}
	tls->inert = INERT_NOT;
}

/* ---- a new interval ---- */

/* Keep the calls of T's items as they are now, to be subtracted: the thread itself goes on counting. */
static bool reset_calls(struct thread *t)
{
	uint32_t n = __atomic_load_n(&t->nitems, __ATOMIC_ACQUIRE);
	struct amon_chunk *c = t->reset;
	uint64_t *calls;

	if (!c || c->capacity < n)
		c = file_chunk(AMON_RESET, t->index, n + n / 2 + 256, sizeof *calls);
	if (!c)
		return false;
	calls = (uint64_t *)((char *)c + c->first);
	for (uint32_t i = 0; i < n; i++)
		calls[i] = __atomic_load_n(&machine_counter(t, i)->calls, __ATOMIC_RELAXED);
	__atomic_store_n(&c->count, n, __ATOMIC_RELEASE);
	t->reset = c;
	return true;
}

static void reset_thread(struct thread *t)
{
	struct amon_thread *r = t->record;

	if (!reset_calls(t)) {
		note(AMON_NOTE_PHASE_LOST);
		return;
	}
	for (uint32_t s = 0; s < t->nspans; s++)
		for (uint32_t i = 0; i < t->spans[s].chunk->count; i++) {
			t->spans[s].counters[i].time = 0;
			t->spans[s].ticks[i] = 0;
		}
	for (uint32_t i = 0; t->pcs && i < t->pcs->capacity; i++)
		((struct amon_pc *)((char *)t->pcs + t->pcs->first))[i].count = 0;
	r->cpu_first = r->cpu_last;
	r->unplaced = r->monitor = r->ticks = r->monitor_ticks = 0;
}

void process_reset(void)
{
	struct amon_header *h = monitor.header;
	uint32_t request = __atomic_load_n(&h->reset_request, __ATOMIC_ACQUIRE);

	for (struct thread *t = __atomic_load_n(&monitor.threads, __ATOMIC_ACQUIRE); t; t = t->next)
		reset_thread(t);
	phase_reset();
	h->cpu_before = sys_clock(2);
	h->reset_monotonic = sys_clock(1);
	clock_modes_begin();
	__atomic_store_n(&h->reset_done, request, __ATOMIC_RELEASE);
}

/* Without a sampler nobody else looks: the request is seen when the next context is made. */
void process_look_for_reset(void)
{
	if (!reset_is_due())
		return;
	sys_lock(&monitor.lock);
	if (reset_is_due())
		process_reset();
	sys_unlock(&monitor.lock);
}

/* ---- exit ---- */

/* The frames that are open now stay open: what follows, handlers of exit, runs under the root. */
void process_leave(void)
{
	struct aprof_tls *tls = &aprof_tls;
	struct thread *t = tls->thread;

	if (!t || monitor_state() != MONITOR_ON || t->record->current != AMON_NONE)
		return;
	if (tls->current == LOST_ID)
		tls->current = jump_here(t);
	t->record->current = machine_item(t, tls_context(tls));
	t->record->depth = (uint32_t)(tls->top - t->shadow->base);
	if (clock_is_tsc())
		clock_charge_tsc(t, tls_context(tls));
	stack_push_root(t);
}

void process_finish(void)
{
	uint64_t mask;

	if (monitor_state() != MONITOR_ON && monitor_state() != MONITOR_FORKED)
		return;
	sys_block_signals(&mask);
	if (monitor_state() == MONITOR_FORKED)	/* a child that called nothing */
		thread_start((uintptr_t)__builtin_frame_address(0));
	if (monitor_state() != MONITOR_ON || sys0(getpid) != monitor.pid) {
		sys_restore_signals(&mask);
		return;
	}
	process_leave();
	clock_stop();
	monitor.header->end_monotonic = sys_clock(1);
	monitor.header->cpu_total = sys_clock(2);
	monitor.header->state = AMON_ENDED;
	file_finish();
	sys_restore_signals(&mask);
}

/* ---- what libc calls ---- */

void aprof_monitor(void) __attribute__((visibility("default")));
void aprof_monitor_here(void) HIDDEN;

/* A shared monitor that came with a library, into a program that has one: no hook ever calls it. */
static bool is_idle(void)
{
	void (*volatile used)(void) = aprof_monitor;

	return used != aprof_monitor_here;
}

static void __attribute__((constructor(101))) on_load(void)
{
	if (is_idle())
		return;
	has_key = pthread_key_create(&thread_key, on_thread_exit) == 0;
	if (aprof_tls.thread)
		process_watch_thread();
	pthread_atfork(NULL, on_fork_parent, on_fork_child);
}

static void __attribute__((destructor(101))) on_unload(void)
{
	process_finish();
}
