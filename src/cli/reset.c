/* reset.c - aprof reset PID: a new interval for a running program, asked for through its file. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/pid.h"

enum { PATIENCE = 200, STEP_NS = 10000000 };	/* looks at the answer, and ns between them */

/* Ask, and wait for the answer. */
static bool reset(struct amon_header *h)
{
	_Atomic uint32_t *request = (_Atomic uint32_t *)&h->reset_request, *done = (_Atomic uint32_t *)&h->reset_done;
	uint32_t wanted = atomic_fetch_add(request, 1) + 1;
	struct timespec pause = { 0, STEP_NS };

	for (int i = 0; i < PATIENCE; i++) {
		if (atomic_load(done) == wanted)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

static int reset_process(int32_t pid)
{
	struct amon_header *h;
	int fd = live_profile_open(pid, O_RDWR, NULL);
	bool done;

	if (fd < 0) {
		pid_tell(pid, errno);
		return STATUS_TROUBLE;
	}
	h = mmap(NULL, AMON_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (h == MAP_FAILED) {
		message("%" PRId32 ": cannot map its profile: %s", pid, strerror(errno));
		return STATUS_TROUBLE;
	}
	done = reset(h);
	munmap(h, AMON_PAGE);
	if (!done)
		message("%" PRId32 ": asked, but the program has not zeroed its counters yet; it will when it next runs profiled code", pid);
	return done ? STATUS_OK : STATUS_TROUBLE;
}

static int reset_run(const struct command *self, struct options *o, int argc, char **argv)
{
	int32_t pid;

	(void)self;
	if (o->first + 1 == argc && pid_read(argv[o->first], &pid))
		return reset_process(pid);
	message("reset: name one process: aprof reset PID");
	return STATUS_TROUBLE;
}

const struct command command_reset = {
	.name = "reset",
	.usage = "PID",
	.summary = "zero the counters of a running program",
	.options = COMMAND_RESET,
	.function = reset_run,
};
