/* reset.c - aprof reset PID: a new interval for a running program, asked for through its file. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "files.h"
#include "message.h"
#include "options.h"

enum { PATIENCE = 200, STEP_NS = 10000000 };	/* looks at the answer, and ns between them */

/* Open the file that the line LINE of /proc/PID/maps speaks of, when it is the live profile of PID; else -1. */
static int open_mapping(const char *line, int32_t pid)
{
	struct amon_header h;
	char path[128];
	uint64_t start, end;
	int fd;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*cw%*cs", &start, &end) != 2)
		return -1;
	snprintf(path, sizeof path, "/proc/%" PRId32 "/map_files/%" PRIx64 "-%" PRIx64, pid, start, end);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 && strchr(line, '/')) {		/* map_files asks for more rights than the path */
		char *name = strdup(strchr(line, '/'));

		if (name)
			name[strcspn(name, "\n")] = '\0';
		fd = name ? open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
		free(name);
	}
	if (fd >= 0 && pread(fd, &h, sizeof h, 0) == (ssize_t)sizeof h &&
	    memcmp(h.magic, AMON_MAGIC, sizeof h.magic) == 0 && h.pid == pid)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The profile that process PID has mapped shared for writing, open; -1 after a message. */
static int open_live(int32_t pid)
{
	char path[64], *line = NULL;
	size_t room = 0;
	FILE *maps;
	int fd = -1;

	snprintf(path, sizeof path, "/proc/%" PRId32 "/maps", pid);
	maps = fopen(path, "re");
	if (!maps) {
		message(errno == ENOENT ? "%" PRId32 ": no such process" : "%" PRId32 ": cannot look into the process: not yours", pid);
		return -1;
	}
	while (fd < 0 && getline(&line, &room, maps) > 0)
		if (strstr(line, " rw-s ") || strstr(line, " rw-s\t"))
			fd = open_mapping(line, pid);
	free(line);
	fclose(maps);
	if (fd < 0)
		message("%" PRId32 ": the process has no profile open: it has no hooks, or keeps its profile in memory", pid);
	return fd;
}

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
	int fd = open_live(pid);
	bool done;

	if (fd < 0)
		return STATUS_TROUBLE;
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

int command_reset(int argc, char **argv)
{
	int status = STATUS_TROUBLE;
	struct options o;
	char *end = NULL;
	long pid;

	if (!options_parse(&o, COMMAND_RESET, argc, argv, false))
		message("try `aprof reset --help`");
	else if (o.help) {
		command_usage("reset");
		options_help(COMMAND_RESET);
		status = STATUS_OK;
	} else if (o.first + 1 != argc || (pid = strtol(argv[o.first], &end, 10)) <= 0 || *end || pid > INT32_MAX)
		message("reset: name one process: aprof reset PID");
	else
		status = reset_process((int32_t)pid);
	options_free(&o);
	return status;
}
