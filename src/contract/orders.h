/* orders.h - what aprof run and the library that it preloads into a rank of an MPI job say to each other.
 *
 * The library connects to the abstract socket that JOB_SOCKET names, before main, and tells who it is.  When the program calls MPI_Finalize it tells its
 * rank; from then on it does what it is ordered, and returns to the program after JOB_END or when the connection is gone.  It knows nothing of profiles:
 * it carries bytes from one aprof run to another, by MPI.  All numbers are the machine's. */
#ifndef MPI_ORDERS_H
#define MPI_ORDERS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#define JOB_SOCKET "APROF_JOB"		/* environment: the socket's name, without the zero byte in front */

enum { JOB_HELLO = 0x6a6f6231 };	/* first word of both messages of the library */

/* From the library: before main, with rank and size -1; and in MPI_Finalize. */
struct job_word {
	uint32_t magic;		/* JOB_HELLO */
	int32_t pid;		/* as the process itself sees it */
	int32_t rank;		/* in MPI_COMM_WORLD */
	int32_t size;		/* ranks in it */
};

enum job_what {
	JOB_END,		/* go on to the real MPI_Finalize */
	JOB_SEND,		/* `size` bytes follow: send them to `rank`, whose library has the order to receive from this one */
	JOB_RECEIVE,		/* receive from `rank`, and answer with the number of bytes, a uint64_t, and the bytes */
};

/* To the library. */
struct job_order {
	uint32_t what;		/* enum job_what */
	int32_t rank;		/* whom with */
	uint64_t size;		/* JOB_SEND: bytes that follow; else 0 */
};

/* All of SIZE bytes go out at the connection FD, or come in.  False: it is gone. */
static inline bool job_put(int fd, const void *data, size_t size)
{
	for (ssize_t n; size > 0; data = (const char *)data + n, size -= (size_t)n) {
		n = send(fd, data, size, MSG_NOSIGNAL);
		if (n < 0 && errno != EINTR)
			return false;
		n = n < 0 ? 0 : n;
	}
	return true;
}

static inline bool job_get(int fd, void *data, size_t size)
{
	for (ssize_t n; size > 0; data = (char *)data + n, size -= (size_t)n) {
		n = recv(fd, data, size, 0);
		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		n = n < 0 ? 0 : n;
	}
	return true;
}

#endif
