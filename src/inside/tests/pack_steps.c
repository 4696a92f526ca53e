/* pack_steps.c FILE PROGRAM [ARGUMENT...] - run PROGRAM, whose profile FILE is, one instruction at a time from its SIGUSR1 on.
 *
 * Whenever a chunk's head or the header's end of the chunks changes, and now and then between, what is in FILE then goes to FILE.0, FILE.1, ...:
 * what would be left if the program were killed there.  Prints how many. */
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contract/amon.h"

enum { BETWEEN = 20000 };		/* instructions */

static const unsigned char *file;	/* mapped */
static int fd;
static unsigned copies;

static uint64_t used(void) { return *(const volatile uint64_t *)(file + offsetof(struct amon_header, used)); }

/* Of the heads of all chunks, and where they end. */
static uint64_t look(void)
{
	uint64_t hash = used();

	for (uint64_t at = AMON_PAGE; at < used();) {
		const struct amon_chunk *c = (const struct amon_chunk *)(file + at);

		hash = (hash ^ c->kind ^ (uint64_t)c->count << 32) * UINT64_C(0x9e3779b97f4a7c15) + c->size;
		at += c->size;
	}
	return hash;
}

static void copy(const char *path)
{
	char name[4096];
	FILE *out;

	snprintf(name, sizeof name, "%s.%u", path, copies++);
	out = fopen(name, "w");
	if (!out || fwrite(file, 1, used(), out) != used() || fclose(out) != 0) {
		perror(name);
		exit(2);
	}
}

static void open_profile(const char *path)
{
	struct stat st;

	fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st) != 0) {
		perror(path);
		exit(2);
	}
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (file == MAP_FAILED) {
		perror(path);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	int status, sig = 0;
	unsigned long steps = 0;
	uint64_t last = 0;
	pid_t pid;

	if (argc < 3)
		return 2;
	pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[2], argv + 2);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		sig = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		if (sig == SIGUSR1) {
			sig = 0;
			open_profile(argv[1]);
			last = look();
			copy(argv[1]);
		}
		if (file && (look() != last || ++steps % BETWEEN == 0)) {
			last = look();
			copy(argv[1]);
		}
		ptrace(file ? PTRACE_SINGLESTEP : PTRACE_CONT, pid, NULL, (long)sig);
	}
	printf("%u\n", copies);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
