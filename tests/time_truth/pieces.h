/* pieces.h - what the routines of a program with known times are made of.  Each piece does one thing COUNT times, or so long. */
#ifndef PIECES_H
#define PIECES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROUTINE __attribute__((noipa))

/* In user mode, in the routine's own code: additions in memory, some 0.3 ns each. */
static inline __attribute__((always_inline, no_instrument_function)) void spin(long count)
{
	volatile long x = 0;

	while (count-- > 0)
		x++;
}

/* Of nothing but plain code: arithmetic; memory, line by line, that no cache holds. */
void mix(long count);
void walk(long count);

/* System calls that do little, or give the processor away. */
void yield(long count);
void usage(long count);			/* getrusage */
void processor_clock(long count);	/* clock */
void parent_pid(long count);
void poll_nothing(long count);		/* with a time limit of 0 */
void wake_nobody(long count);		/* a futex that no one waits for */
void sleep_no_time(long count);		/* nanosleep, of 0 */

/* The kernel's work: 64 KB of /dev/zero; 64 KB written to a file and read again; a page mapped, touched and unmapped with 31 others. */
void zeros(long count);
void file(long count);
void faults(long count);

/* Sleeps of so many microseconds. */
void sleep_by_nanosleep(long microseconds);
void sleep_by_poll(long microseconds);
void sleep_by_epoll(long microseconds);

/* A lock that all threads share: COUNT additions with it. */
void locked(long count);

/* A gate lets one number at a time through; a channel is one there and one back.  stop() lets the server go: serve_wait is false then. */
enum gate_kind { GATE_FUTEX, GATE_CONDITION, GATE_PIPE, GATE_SOCKET, GATE_EVENT };
void channel_make(int channel, enum gate_kind kind);
void ask(int channel);
bool serve_wait(int channel);
void serve_reply(int channel);
void channel_stop(int channel);

/* A queue of 16 jobs for any number of workers, of which each takes one by work_wait; false: no more will come. */
void queue_push(int queue, long count);
bool work_wait(int queue);
void queue_stop(int queue);

/* A pipe whose reader takes what is there: writes of 64 bytes.  stream_read is false at its end. */
void stream_make(int stream);
void stream_write(int stream, long count);
bool stream_read(int stream);
void stream_stop(int stream);

/* Signals to the calling thread, a thousand a second of elapsed time, by timer_create; or to the process, by setitimer. */
enum signal_kind { SIGNAL_TIMER, SIGNAL_ITIMER };
void signals_begin(enum signal_kind kind, void (*handler)(int));
void signals_end(enum signal_kind kind);

/* Plain code that calls CALLED, which leaves by leave_by_*: longjmp, siglongjmp out of a signal's handler, setcontext, or an exception; then works COUNT
 * additions itself, and calls AFTER if there is one. */
void catch_jump(void (*called)(void), long count, void (*after)(void));
void catch_signal(void (*called)(void), long count, void (*after)(void));
void catch_context(void (*called)(void), long count, void (*after)(void));
void catch_throw(void (*called)(void), long count, void (*after)(void));
void leave_by_jump(void);
void leave_by_signal(void);
void leave_by_context(void);
void leave_by_throw(void);

/* Goes on with COROUTINE, 0 or 1 of the thread, which has a stack of its own, in BODY, which never returns; when it gives back, plain code works COUNT
 * additions.  The way there and the way back are _longjmp, or swapcontext. */
enum switch_kind { SWITCH_JUMP, SWITCH_CONTEXT };
void resume(int coroutine, enum switch_kind kind, void (*body)(void), long count);
void give_back(void);

#ifdef __cplusplus
}
#endif
#endif
