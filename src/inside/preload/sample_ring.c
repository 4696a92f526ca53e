/* sample_ring.c - registers and stacks into shared memory. */
#include "inside/preload/sample_ring.h"

#include <fcntl.h>
#include <linux/prctl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>

#include "contract/ring.h"
#include "inside/sys.h"
#include "inside/text.h"

enum {
	PAGE = 4096,
	MOST_PATH = 400,
	PIECE = 8 << 10,		/* bytes of a map that are sent at once */
	BEYOND = 64,			/* bytes that are looked for behind the end of a stack, as it was */
	STACK_POINTER = 7,		/* among registers */
};

static char directory[MOST_PATH];
static const char *prefix;		/* of names of rings */
static uint64_t data_size;		/* bytes of data */
static uint64_t (*program_started)(void); /* NULL: it is not known */

/* Where the stacks of threads end, as of their last samples: pages from address 0, above the thread's number.  No word of the thread: who allocates is to get no more for a thread's
 * words than without us. */
enum { ENDS = 64, TID_BITS = 22 };

static uint64_t stack_ends[ENDS];

static struct {
	int pid;			/* of the process that it is of; 0: none */
	int making;			/* a thread makes it */
	struct ring_head *head;		/* NULL: there is none */
	char *data;
} ring;

bool sample_ring_begin(const char *wanted, const char *name, uint64_t bytes, uint64_t (*started)(void))
{
	size_t size = str_length(wanted) + 1;

	if (size > sizeof directory)
		return false;
	mem_copy(directory, wanted, size);
	prefix = name;
	data_size = bytes;
	program_started = started;
	return true;
}

/* ---- the ring ---- */

/* A new file of the ring's length, with disk space behind it; its descriptor, or minus an errno. */
static long sample_ring_file_make(const char *path)
{
	long fd, done;

	if (sys_file_limit() < RING_DATA + data_size)
		return -1;
	fd = sys3(open, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (sys_failed(fd))
		return fd;
	done = sys4(fallocate, fd, 0, 0, RING_DATA + data_size);
	if (!sys_failed(done))
		return fd;
	sys1(unlink, path);
	sys1(close, fd);
	return done;
}

/* Map FD, the data twice.  NULL: it cannot be. */
static struct ring_head *sample_ring_map(long fd)
{
	uint64_t length = RING_DATA + 2 * data_size;
	long at = sys6(mmap, NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *head = (char *)at;

	if (sys_failed(at))
		return NULL;
	if (!sys_failed(sys6(mmap, head, RING_DATA + data_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0)) &&
	    !sys_failed(sys6(mmap, head + RING_DATA + data_size, data_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, RING_DATA)))
		return (struct ring_head *)head;
	sys2(munmap, head, length);
	return NULL;
}

static void head_fill(struct ring_head *h)
{
	mem_copy(h->magic, RING_MAGIC, sizeof h->magic);
	h->version = RING_VERSION;
	h->size = data_size;
	h->pid = (int)sys0(getpid);
	h->started = program_started ? program_started() : 0;
}

static void sample_ring_path_make(char *path, size_t size)
{
	struct text t = { path, path + size };

	text_put(&t, directory);
	text_put(&t, "/");
	text_put(&t, prefix);
	text_put_number(&t, (uint64_t)sys0(getpid));
	text_put(&t, ".");
	text_put_number(&t, sys_clock(CLOCK_MONOTONIC));
}

static void maps_post(void);

static bool ring_make(void)
{
	char path[MOST_PATH + 64];
	struct ring_head *h;
	long fd;

	sample_ring_path_make(path, sizeof path);
	fd = sample_ring_file_make(path);
	if (sys_failed(fd))
		return false;
	h = sample_ring_map(fd);
	sys1(close, fd);
	if (!h) {
		sys1(unlink, path);
		return false;
	}
	head_fill(h);
	ring.head = h;
	ring.data = (char *)h + RING_DATA;
	maps_post();
	__atomic_store_n(&h->ready, 1, __ATOMIC_RELEASE);
	return true;
}

/* Is there a ring of this process?  One that was forked has its parent's, and makes its own; *WAIT: another thread does so just now. */
static bool ring_is_here(bool *wait)
{
	int pid = (int)sys0(getpid);
	bool ok;

	*wait = false;
	if (__atomic_load_n(&ring.pid, __ATOMIC_ACQUIRE) == pid)
		return ring.head != NULL;
	*wait = __atomic_exchange_n(&ring.making, pid, __ATOMIC_ACQUIRE) == pid;
	if (*wait)
		return false;
	if (ring.pid && ring.head)
		sys2(munmap, ring.head, RING_DATA + 2 * data_size);
	ring.head = NULL;
	ok = ring_make();
	__atomic_store_n(&ring.pid, pid, __ATOMIC_RELEASE);
	return ok;
}

/* Room for a record of SIZE bytes, a multiple of 8; NULL: there is none, which is counted. */
static struct ring_record *reserve(uint64_t size, uint64_t *at)
{
	struct ring_head *h = ring.head;

	*at = __atomic_load_n(&h->head, __ATOMIC_RELAXED);
	do {
		if (*at + size - __atomic_load_n(&h->tail, __ATOMIC_ACQUIRE) > data_size) {
			__atomic_fetch_add(&h->lost, 1, __ATOMIC_RELAXED);
			return NULL;
		}
	} while (!__atomic_compare_exchange_n(&h->head, at, *at + size, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return (struct ring_record *)(ring.data + *at % data_size);
}

/* Of the SIZE bytes that were reserved at AT, USED are: the rest is free again, unless somebody has reserved behind it.  How many the record has. */
static uint64_t give_back(uint64_t at, uint64_t size, uint64_t used)
{
	uint64_t end = at + size;

	used = (used + 7) / 8 * 8;
	return __atomic_compare_exchange_n(&ring.head->head, &end, at + used, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ? used : size;
}

/* What R holds is whole. */
static void publish(struct ring_record *r, uint64_t at, enum ring_kind kind, uint64_t size, uint32_t used)
{
	r->size = (uint32_t)size;
	r->kind = kind;
	r->tid = (uint32_t)sys0(gettid);
	r->used = used;
	r->time = sys_clock(CLOCK_MONOTONIC);
	__atomic_store_n(&r->at, at + 1, __ATOMIC_RELEASE);
}

/* Send what is mapped: the process may be gone before anybody asks. */
static void maps_post(void)
{
	long fd = sys2(open, "/proc/thread-self/maps", O_RDONLY | O_CLOEXEC), n = 1;

	while (!sys_failed(fd) && n > 0) {
		uint64_t at, size = sizeof(struct ring_record) + PIECE;
		struct ring_record *r = reserve(size, &at);

		if (!r)
			break;
		n = sys3(read, fd, (char *)(r + 1), PIECE);
		n = sys_failed(n) ? 0 : n;
		publish(r, at, RING_MAPS, size, (uint32_t)n);
	}
	if (!sys_failed(fd))
		sys1(close, fd);
}

/* ---- a sample ---- */

/* Copy SIZE bytes of our own memory at FROM to TO, as far as there are any; how many there were. */
static uint32_t sample_ring_copy(void *to, uint64_t from, uint64_t size)
{
	struct iovec here = { to, size }, there[RING_STACK / PAGE + 1];
	size_t n = 0;
	uint64_t done = 0;
	long got;

	while (done < size) {			/* by pages: what can be read is, up to one that cannot */
		uint64_t piece = PAGE - (from + done) % PAGE;

		piece = piece < size - done ? piece : size - done;
		there[n++] = (struct iovec){ (void *)(from + done), piece };
		done += piece;
	}
	got = sys6(process_vm_readv, sys0(gettid), &here, 1, there, n, 0);
	return sys_failed(got) ? 0 : (uint32_t)got;
}

/* The kernel's frame of a signal handler begins so (asm/sigframe.h, asm/ucontext.h). */
struct signal_frame {
	uint64_t back;
	uint64_t flags, link;
	uint64_t stack[3];
	uint64_t regs[23];		/* r8..r15 rdi rsi rbp rbx rdx rax rcx rsp rip ... */
	uint64_t fpu;			/* where the other registers are */
	uint64_t more[8];
	uint64_t mask;
	uint64_t info[16];
};

enum { FRAME_RSP = 15, FPU_MAGIC = 0x46505853, FPU_WORDS = 464 / 4 /* fx_sw_bytes */ };

/* The kernel's own flag is not in the frame. */
static bool is_on_signal_stack(const ucontext_t *c)
{
	return (uint64_t)c->uc_mcontext.gregs[REG_RSP] - (uint64_t)c->uc_stack.ss_sp <= c->uc_stack.ss_size && c->uc_stack.ss_size;
}

/* A thread that was interrupted on its signal stack runs a handler; where the handler's own caller, on another stack, was interrupted stands
 * in the first frame of the signal stack, whose place is known.  0: it is not there. */
static uint64_t other_stack(const ucontext_t *c, uint64_t *top)
{
	const uint32_t *fpu = (const uint32_t *)c->uc_mcontext.fpregs;
	struct signal_frame frame;
	uint64_t other, at;

	*top = (uint64_t)c->uc_stack.ss_sp + c->uc_stack.ss_size;
	if (!is_on_signal_stack(c) || !fpu || fpu[FPU_WORDS] != FPU_MAGIC)
		return 0;
	other = (*top - fpu[FPU_WORDS + 1]) / 64 * 64;
	at = (other - sizeof frame) / 16 * 16 - 8;
	if (sample_ring_copy(&frame, at, sizeof frame) != sizeof frame || frame.fpu != other)
		return 0;
	return frame.regs[FRAME_RSP];
}

static void registers_copy(uint64_t *to, const ucontext_t *c)
{
	static const unsigned char order[17] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8, REG_R9, REG_R10,
						 REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP };

	for (unsigned i = 0; i < sizeof order; i++)
		to[i] = (uint64_t)c->uc_mcontext.gregs[order[i]];
}

/* A system call leaves its own address behind it in rcx. */
static bool sample_ring_is_after_syscall(const ucontext_t *c)
{
	uint64_t pc = (uint64_t)c->uc_mcontext.gregs[REG_RIP];

	return pc == (uint64_t)c->uc_mcontext.gregs[REG_RCX] && pc % PAGE >= 2 && *(const uint8_t *)(pc - 2) == 0x0f && *(const uint8_t *)(pc - 1) == 0x05;
}

/* The end of the calling thread's stack, as far as it is known; 0: it is not. */
static uint64_t stack_end(uint64_t tid)
{
	uint64_t word = __atomic_load_n(&stack_ends[tid % ENDS], __ATOMIC_RELAXED);

	return word >> (64 - TID_BITS) == tid ? word << TID_BITS >> TID_BITS : 0;
}

static void stack_end_keep(uint64_t tid, uint64_t end)
{
	__atomic_store_n(&stack_ends[tid % ENDS], tid << (64 - TID_BITS) | end / PAGE, __ATOMIC_RELAXED);
}

/* Bytes of the stack from SP on that are to be copied.  Where it ends is mostly known from the last time, and a little more is asked for: if that is there,
 * it ends elsewhere now. */
static uint64_t stack_size(uint64_t tid, uint64_t sp)
{
	uint64_t end = stack_end(tid) * PAGE;

	if (sp >= end || end - sp > RING_STACK - BEYOND)
		return RING_STACK;
	return (end - sp + BEYOND) / 8 * 8;
}

/* What C, a signal handler's context, tells beside the registers: of the SIZE bytes of its own stack that are to be copied those are left that are of it. */
static void interrupted_fill(struct ring_sample *s, const ucontext_t *c, uint64_t *size)
{
	uint64_t sp = s->regs[STACK_POINTER], top = 0;

	s->kernel = sample_ring_is_after_syscall(c);
	s->other = other_stack(c, &top);
	if (s->other && top > sp && top - sp < *size)
		*size = top - sp;
}

/* S has its registers; of the stack SIZE bytes are to be copied.  C: NULL: nobody was interrupted. */
static void sample_fill(struct ring_sample *s, const ucontext_t *c, uint64_t tid, uint64_t size)
{
	uint64_t sp = s->regs[STACK_POINTER];
	char *bytes = (char *)(s + 1);

	s->kernel = s->other = 0;
	if (c)
		interrupted_fill(s, c, &size);
	sys2(prctl, PR_GET_NAME, s->name);
	s->name[sizeof s->name - 1] = 0;
	s->stack_size = sample_ring_copy(bytes, sp, size);
	if (!s->other)
		stack_end_keep(tid, s->stack_size < size ? sp + s->stack_size : 0);
	s->other_size = s->other ? sample_ring_copy(bytes + s->stack_size, s->other, RING_STACK) : 0;
}

/* Post WHAT, but for what is copied, of the kind KIND.  False: nobody wants it, or there is no room, of which *GO_ON says whether that may be otherwise the next time. */
static bool sample_post(const struct ring_sample *what, enum ring_kind kind, const ucontext_t *c, bool *go_on)
{
	uint64_t tid = (uint64_t)sys0(gettid), stack = stack_size(tid, what->regs[STACK_POINTER]), at;
	uint64_t size = sizeof(struct ring_sample) + stack + (c && is_on_signal_stack(c) ? RING_STACK : 0);
	struct ring_sample *s;

	if (!ring_is_here(go_on))
		return false;
	*go_on = !__atomic_load_n(&ring.head->unwanted, __ATOMIC_RELAXED);
	s = *go_on ? (struct ring_sample *)reserve(size, &at) : NULL;
	if (!s)
		return false;
	mem_copy((char *)s + sizeof s->record, (const char *)what + sizeof s->record, sizeof *s - sizeof s->record);
	sample_fill(s, c, tid, stack);
	size = give_back(at, size, sizeof *s + s->stack_size + s->other_size);
	publish(&s->record, at, kind, size, (uint32_t)(sizeof *s - sizeof s->record) + s->stack_size + s->other_size);
	return true;
}

bool sample_ring_sample(const void *context, uint64_t period)
{
	struct ring_sample s = { .period = period };
	bool go_on;

	registers_copy(s.regs, context);
	return sample_post(&s, RING_SAMPLE, context, &go_on) || go_on;
}

bool sample_ring_allocated(struct ring_sample *s)
{
	bool go_on;

	return sample_post(s, RING_ALLOCATED, NULL, &go_on);
}

void sample_ring_freed(uint64_t allocation, bool untracked)
{
	struct ring_freed *r;
	uint64_t at;

	if (ring.pid != (int)sys0(getpid) || !ring.head || __atomic_load_n(&ring.head->unwanted, __ATOMIC_RELAXED))
		return;
	r = (struct ring_freed *)reserve(sizeof *r, &at);
	if (!r)
		return;
	r->allocation = allocation;
	r->untracked = untracked;
	publish(&r->record, at, RING_FREED, sizeof *r, sizeof *r - sizeof r->record);
}

/* ---- the end ---- */

void sample_ring_end(void)
{
	struct ring_record *r;
	uint64_t at;

	if (ring.pid != (int)sys0(getpid) || !ring.head)
		return;
	r = reserve(sizeof *r, &at);
	if (r)
		publish(r, at, RING_ENDED, sizeof *r, 0);
}
