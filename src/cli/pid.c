/* pid.c - from PIDs to profiles. */
#include "cli/pid.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "base/number.h"
#include "cli/message.h"
#include "cli/stream.h"
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
	list_add(&found, path);
	free(path);
	if (!found.failed)
		return found.items[found.count - 1];
	message("out of memory");
	return NULL;
}

char *pid_operand(char *word)
{
	struct stat st;
	int32_t pid;
	char *path;

	if (stream_operand(word, &path))
		return path;
	if (!pid_read(word, &pid) || lstat(word, &st) == 0 || errno != ENOENT)
		return word;
	return profile_of(pid);
}
