/* pieces.c - the pieces but the receivers of jumps; compiled without hooks. */
#include "tests/time_truth/pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { PAGES = 32, PAGE = 4096, BLOCK = 1 << 16, MESSAGE = 64, MOST = 8, QUEUED = 16, WALKED = 1 << 22 };

static void need(bool good)
{
	if (!good)
		abort();
}

/* ---- in user mode ---- */

void mix(long count)
{
	uint64_t x = 88172645463325252u;

	while (count-- > 0) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	__asm__ volatile("" : : "r"(x));
}

void walk(long count)
{
	static char *memory;
	static __thread uint32_t at;
	static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
	volatile char *bytes;

	if (!__atomic_load_n(&memory, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&first);
		if (!memory) {
			char *made = malloc(WALKED);

			need(made);
			memset(made, 1, WALKED);
			__atomic_store_n(&memory, made, __ATOMIC_RELEASE);
		}
		pthread_mutex_unlock(&first);
	}
	for (bytes = memory; count-- > 0; at = at * 1664525u + 1013904223u)
		(void)bytes[at % WALKED];
}

/* ---- system calls ---- */

void yield(long count)
{
	while (count-- > 0)
		sched_yield();
}

void usage(long count)
{
	struct rusage used;

	while (count-- > 0)
		getrusage(RUSAGE_SELF, &used);
}

void processor_clock(long count)
{
	while (count-- > 0)
		clock();
}

void parent_pid(long count)
{
	while (count-- > 0)
		syscall(SYS_getppid);
}

void poll_nothing(long count)
{
	while (count-- > 0)
		poll(NULL, 0, 0);
}

void wake_nobody(long count)
{
	static uint32_t word;

	while (count-- > 0)
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void sleep_no_time(long count)
{
	while (count-- > 0)
		nanosleep(&(struct timespec){ 0, 0 }, NULL);
}

void zeros(long count)
{
	static __thread char block[BLOCK];
	int fd = open("/dev/zero", O_RDONLY);

	while (count-- > 0)
		need(read(fd, block, BLOCK) > 0 || errno == EINTR);	/* a signal makes it shorter */
	close(fd);
}

void file(long count)
{
	static __thread char block[BLOCK];
	char name[] = "truth.XXXXXX";
	int fd = mkstemp(name);

	unlink(name);
	for (; count > 0; count--) {
		off_t at = count % 4 * BLOCK;

		need(pwrite(fd, block, BLOCK, at) == BLOCK);
		need(pread(fd, block, BLOCK, at) == BLOCK);
	}
	close(fd);
}

void faults(long count)
{
	for (; count > 0; count -= PAGES) {
		char *pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		need(pages != MAP_FAILED);
		for (int i = 0; i < PAGES; i++)
			((volatile char *)pages)[i * PAGE] = 1;
		munmap(pages, PAGES * PAGE);
	}
}

/* ---- sleeps ---- */

void sleep_by_nanosleep(long microseconds)
{
	nanosleep(&(struct timespec){ .tv_nsec = microseconds * 1000 }, NULL);
}

void sleep_by_poll(long microseconds)
{
	ppoll(NULL, 0, &(struct timespec){ .tv_nsec = microseconds * 1000 }, NULL);
}

void sleep_by_epoll(long microseconds)
{
	static __thread int fd = -1;
	struct epoll_event event;

	if (fd < 0)
		fd = epoll_create1(0);
	epoll_wait(fd, &event, 1, (int)((microseconds + 999) / 1000));
}

/* ---- what threads hand over ---- */

void locked(long count)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static volatile long shared;

	pthread_mutex_lock(&lock);
	while (count-- > 0)
		shared++;
	pthread_mutex_unlock(&lock);
}

struct gate {
	enum gate_kind kind;
	uint32_t word;			/* futex, condition: what is in it, 0 if nothing */
	pthread_mutex_t lock;
	pthread_cond_t there;
	int out, in;			/* where one writes, and the other reads */
};

static struct gate gates[MOST][2];

static void gate_make(struct gate *gate, enum gate_kind kind)
{
	int fds[2];

	gate->kind = kind;
	pthread_mutex_init(&gate->lock, NULL);
	pthread_cond_init(&gate->there, NULL);
	if (kind == GATE_EVENT)
		gate->out = gate->in = eventfd(0, 0);
	else if (kind == GATE_PIPE || kind == GATE_SOCKET) {
		need(!(kind == GATE_PIPE ? pipe(fds) : socketpair(AF_UNIX, SOCK_STREAM, 0, fds)));
		gate->in = fds[0];
		gate->out = fds[1];
	}
}

static void post_in_memory(struct gate *gate, uint32_t value)
{
	if (gate->kind == GATE_FUTEX) {
		__atomic_store_n(&gate->word, value, __ATOMIC_RELEASE);
		syscall(SYS_futex, &gate->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
		return;
	}
	pthread_mutex_lock(&gate->lock);
	gate->word = value;
	pthread_cond_signal(&gate->there);
	pthread_mutex_unlock(&gate->lock);
}

static uint32_t wait_in_memory(struct gate *gate)
{
	uint32_t value;

	if (gate->kind == GATE_FUTEX) {
		while (!(value = __atomic_exchange_n(&gate->word, 0, __ATOMIC_ACQUIRE)))
			syscall(SYS_futex, &gate->word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
		return value;
	}
	pthread_mutex_lock(&gate->lock);
	while (!gate->word)
		pthread_cond_wait(&gate->there, &gate->lock);
	value = gate->word;
	gate->word = 0;
	pthread_mutex_unlock(&gate->lock);
	return value;
}

static void gate_post(struct gate *gate, uint32_t value)
{
	uint64_t message[MESSAGE / 8] = { value };
	size_t size = gate->kind == GATE_EVENT ? 8 : MESSAGE;

	if (gate->kind == GATE_FUTEX || gate->kind == GATE_CONDITION)
		post_in_memory(gate, value);
	else
		while (write(gate->out, message, size) != (ssize_t)size)
			need(errno == EINTR);
}

static uint32_t gate_wait(struct gate *gate)
{
	uint64_t message[MESSAGE / 8];
	size_t size = gate->kind == GATE_EVENT ? 8 : MESSAGE;

	if (gate->kind == GATE_FUTEX || gate->kind == GATE_CONDITION)
		return wait_in_memory(gate);
	while (read(gate->in, message, size) != (ssize_t)size)
		need(errno == EINTR);
	return (uint32_t)message[0];
}

enum { WORK = 1, STOP = 2 };

void channel_make(int channel, enum gate_kind kind)
{
	gate_make(&gates[channel][0], kind);
	gate_make(&gates[channel][1], kind);
}

void ask(int channel)
{
	gate_post(&gates[channel][0], WORK);
	gate_wait(&gates[channel][1]);
}

bool serve_wait(int channel)
{
	return gate_wait(&gates[channel][0]) == WORK;
}

void serve_reply(int channel)
{
	gate_post(&gates[channel][1], WORK);
}

void channel_stop(int channel)
{
	gate_post(&gates[channel][0], STOP);
}

static struct queue {
	pthread_mutex_t lock;
	pthread_cond_t more, room;
	int jobs;
	bool stopped;
} queues[MOST] = { [0 ... MOST - 1] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, false } };

void queue_push(int number, long count)
{
	struct queue *queue = &queues[number];

	for (; count > 0; count--) {
		pthread_mutex_lock(&queue->lock);
		while (queue->jobs == QUEUED)
			pthread_cond_wait(&queue->room, &queue->lock);
		queue->jobs++;
		pthread_cond_signal(&queue->more);
		pthread_mutex_unlock(&queue->lock);
	}
}

bool work_wait(int number)
{
	struct queue *queue = &queues[number];
	bool there;

	pthread_mutex_lock(&queue->lock);
	while (!queue->jobs && !queue->stopped)
		pthread_cond_wait(&queue->more, &queue->lock);
	there = queue->jobs > 0;
	queue->jobs -= there;
	pthread_cond_signal(&queue->room);
	pthread_mutex_unlock(&queue->lock);
	return there;
}

void queue_stop(int number)
{
	struct queue *queue = &queues[number];

	pthread_mutex_lock(&queue->lock);
	queue->stopped = true;
	pthread_cond_broadcast(&queue->more);
	pthread_mutex_unlock(&queue->lock);
}

static int streams[MOST][2];

void stream_make(int stream)
{
	need(!pipe2(streams[stream], O_CLOEXEC));
}

void stream_write(int stream, long count)
{
	static const char message[MESSAGE];

	while (count-- > 0)
		while (write(streams[stream][1], message, MESSAGE) != MESSAGE)
			need(errno == EINTR);
}

bool stream_read(int stream)
{
	char bytes[PAGE];
	ssize_t n;

	while ((n = read(streams[stream][0], bytes, sizeof bytes)) < 0)
		need(errno == EINTR);
	return n > 0;
}

void stream_stop(int stream)
{
	close(streams[stream][1]);
}

/* ---- signals ---- */

static __thread timer_t timer;

void signals_begin(enum signal_kind kind, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	struct itimerspec period = { { 0, 1000000 }, { 0, 1000000 } };

	sigaction(kind == SIGNAL_ITIMER ? SIGALRM : SIGUSR1, &action, NULL);
	if (kind == SIGNAL_ITIMER) {
		need(!setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 1000 }, { 0, 1000 } }, NULL));
		return;
	}
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	need(!timer_create(CLOCK_MONOTONIC, &event, &timer));
	need(!timer_settime(timer, 0, &period, NULL));
}

void signals_end(enum signal_kind kind)
{
	if (kind == SIGNAL_ITIMER)
		setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 }, { 0, 0 } }, NULL);
	else
		timer_delete(timer);
}
