/* pid.c - from PIDs and streams to profiles. */
#include "cli/pid.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "base/number.h"
#include "cli/message.h"
#include "understand/analysis.h"

/* Paths that were found; a command has few operands, and they stand in for these to its end. */
static struct list found;

bool pid_read(const char *word, int32_t *pid)
{
	int64_t number;

	if (!isdigit((unsigned char)word[0]) || !number_read(word, 1, INT32_MAX, &number))
		return false;
	*pid = (int32_t)number;
	return true;
}

void pid_tell(int32_t pid, int why)
{
	switch (why) {
	case ENOENT:
	case ESRCH:
		message("%" PRId32 ": no such process", pid);
		break;
	case 0:
		message("%" PRId32 ": the process has no profile open: it has no hooks, has ended, or keeps its profile in memory", pid);
		break;
	case ESTALE:
		message("%" PRId32 ": the process has no profile open that can be read: a file of it was deleted, and only root may open it now", pid);
		break;
	case EACCES:
	case EPERM:
		message("%" PRId32 ": cannot look into the process: not yours", pid);
		break;
	default:
		message("%" PRId32 ": cannot look into the process: %s", pid, strerror(why));
	}
}

/* Keep PATH to the command's end; frees it.  NULL after a message. */
static char *path_keep(char *path)
{
	list_add(&found, path);
	free(path);
	if (!found.failed)
		return found.items[found.count - 1];
	message("out of memory");
	return NULL;
}

/* What comes from FD, called NAME, as a file in memory: its path.  NULL after a message. */
static char *stream_keep(int fd, const char *name)
{
	int kept = memfd_create(name, MFD_CLOEXEC);
	char bytes[1 << 16], *path = NULL;
	ssize_t n, done = 0;

	while (kept >= 0 && (n = read(fd, bytes, sizeof bytes)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		for (done = 0; done >= 0 && done < n;) {
			ssize_t written = write(kept, bytes + done, (size_t)(n - done));

			done = written < 0 ? -1 : done + written;
		}
		if (n < 0 || done < 0) {
			message("%s: cannot read: %s", name, strerror(errno));
			close(kept);
			return NULL;
		}
	}
	if (kept < 0 || asprintf(&path, "/proc/self/fd/%d", kept) < 0) {
		message("%s: cannot keep what comes from it: %s", name, strerror(errno));
		return NULL;
	}
	return path_keep(path);
}

/* Is WORD no file, but something that can be read once?  Then *FD is open for it, and its name is returned; else NULL. */
static const char *stream_open(const char *word, int *fd)
{
	struct stat st;

	if (strcmp(word, "-") == 0) {
		*fd = STDIN_FILENO;
		return fstat(*fd, &st) == 0 && S_ISREG(st.st_mode) ? NULL : "standard input";
	}
	if (stat(word, &st) != 0 || (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode)))
		return NULL;
	*fd = open(word, O_RDONLY | O_CLOEXEC);
	return *fd >= 0 ? word : NULL;
}

/* The path of the profile of process PID.  NULL after a message. */
static char *profile_of(int32_t pid)
{
	char *path = NULL;
	int fd = live_profile_open(pid, O_RDONLY, &path), why = errno;

	if (fd >= 0)
		close(fd);
	else if (why != ENOENT)
		path = live_profile_recorded_of(pid);
	if (!path) {
		pid_tell(pid, why);
		return NULL;
	}
	return path_keep(path);
}

char *pid_operand(char *word)
{
	static char standard_input[] = "/dev/stdin";
	struct stat st;
	int32_t pid;
	int fd;
	const char *stream = stream_open(word, &fd);
	char *path;

	if (stream) {
		path = stream_keep(fd, stream);
		if (fd != STDIN_FILENO)
			close(fd);
		return path;
	}
	if (strcmp(word, "-") == 0)
		return standard_input;

	if (!pid_read(word, &pid) || lstat(word, &st) == 0 || errno != ENOENT)
		return word;
	return profile_of(pid);
}
