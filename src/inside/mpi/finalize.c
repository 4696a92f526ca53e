/* finalize.c - preloaded into each rank of an MPI job: MPI_Finalize, and before it what aprof run orders (orders.h).
 *
 * Fortran's wrappers of Open MPI call PMPI, so that whoever interposes C's functions alone never hears of them: its names are here, too.  In a process that
 * has no MPI, or that aprof run did not start, nothing happens. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "contract/orders.h"
#include "inside/mpi/carrier.h"
#include "inside/mpi/mpi_calls.h"

#define PUBLIC __attribute__((visibility("default")))

enum { PIECE = 1 << 20, HIGH = 200 };	/* bytes carried at a time; descriptors below are left to the program */

static struct {
	int fd;			/* the connection; -1: there is none */
	dev_t device;		/* what it is: the program may have closed it and opened another file by that number */
	ino_t inode;
	pid_t pid;		/* who connected: a child has its own life */
} job = { .fd = -1 };

/* ---- the connection ---- */

static bool finalize_put(const void *data, size_t size) { return job_put(job.fd, data, size); }
static bool finalize_get(void *data, size_t size) { return job_get(job.fd, data, size); }

static bool finalize_tell(int rank, int size)
{
	return finalize_put(&(struct job_word){ JOB_HELLO, getpid(), rank, size }, sizeof(struct job_word));
}

/* Connect to the socket NAME, by a descriptor out of the program's way. */
static int connected(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t n = strlen(name);
	int fd = n < sizeof address.sun_path ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1, high;

	if (fd < 0)
		return -1;
	memcpy(address.sun_path + 1, name, n);
	high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH);
	if (high >= 0) {
		close(fd);
		fd = high;
	}
	if (connect(fd, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n)) == 0)
		return fd;
	close(fd);
	return -1;
}

static bool finalize_is_ours(void)
{
	struct stat s;

	return job.fd >= 0 && job.pid == getpid() && fstat(job.fd, &s) == 0 && s.st_dev == job.device && s.st_ino == job.inode;
}

static void finalize_leave(void)
{
	if (finalize_is_ours())
		close(job.fd);
	job.fd = -1;
}

/* Before main: the others must be able to see that this rank takes part. */
__attribute__((constructor)) static void finalize_begin(void)
{
	const char *name = getenv(JOB_SOCKET);
	struct stat s;

	if (!name || !carrier_find())
		return;
	job.fd = connected(name);
	if (job.fd < 0 || fstat(job.fd, &s) != 0)
		return;
	job.device = s.st_dev;
	job.inode = s.st_ino;
	job.pid = getpid();
	if (!finalize_tell(-1, -1))
		finalize_leave();
}

/* ---- the orders ---- */

/* SIZE bytes that come by the connection go to the other rank.  If the connection ends before, zeros do, which nobody takes for a profile. */
static bool carry_there(const struct carrier *c, uint64_t size, char *piece)
{
	bool alive = true, sent = c->send(&size, sizeof size);

	for (uint64_t left = size, n; left > 0 && sent; left -= n) {
		n = left < PIECE ? left : PIECE;
		alive = alive && finalize_get(piece, n);
		if (!alive)
			memset(piece, 0, n);
		sent = c->send(piece, (int)n);
	}
	return alive && sent;
}

/* What the other rank sends goes by the connection; if that is gone, nowhere. */
static bool carry_here(const struct carrier *c, char *piece)
{
	uint64_t size = 0;
	bool got = c->receive(&size, sizeof size), alive = got && finalize_put(&size, sizeof size);

	for (uint64_t n; size > 0 && got; size -= n) {
		n = size < PIECE ? size : PIECE;
		got = c->receive(piece, (int)n);
		alive = alive && got && finalize_put(piece, n);
	}
	return alive;
}

static bool obey(const struct carrier *c, int self, const struct job_order *order, char *piece)
{
	bool ok;

	if (order->what == JOB_END || !c->open(self, order->rank))
		return false;
	ok = order->what == JOB_SEND ? carry_there(c, order->size, piece) : carry_here(c, piece);
	c->close();
	return ok;
}

/* The program is about to end its MPI. */
static void finalize_finish(void)
{
	const struct carrier *c = finalize_is_ours() ? carrier_find() : NULL;
	char *piece = c ? malloc(PIECE) : NULL;
	int saved = errno, rank, size;
	struct job_order order;

	if (piece && c->world(&rank, &size) && finalize_tell(rank, size))
		while (finalize_get(&order, sizeof order) && obey(c, rank, &order, piece))
			;
	free(piece);
	finalize_leave();
	errno = saved;
}

/* ---- what programs call ---- */

PUBLIC int MPI_Finalize(void);
int MPI_Finalize(void)
{
	int (*real)(void);

	finalize_finish();
	*(void **)&real = real_function("MPI_Finalize", (void *)MPI_Finalize, __builtin_return_address(0));
	return real();
}

/* Fortran's names, as its compilers spell them; `error` may be missing in the last. */
#define FORTRAN(name) \
	PUBLIC void name(int *error); \
	void name(int *error) \
	{ \
		void (*real)(int *); \
	\
		finalize_finish(); \
		*(void **)&real = real_function(#name, (void *)name, __builtin_return_address(0)); \
		real(error); \
	}

FORTRAN(mpi_finalize)
FORTRAN(mpi_finalize_)
FORTRAN(mpi_finalize__)
FORTRAN(MPI_FINALIZE)
FORTRAN(mpi_finalize_f08_)
