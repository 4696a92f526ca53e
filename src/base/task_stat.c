/* task_stat.c - see task_stat.h. */
#include "base/task_stat.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The fields behind the name, which may hold anything, blanks and brackets too; NULL: there are none. */
static const char *fields(pid_t pid, pid_t tid, char *text, size_t size)
{
	char path[64], *end;
	ssize_t n;
	int fd;

	if (tid)
		snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	else
		snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	end = strrchr(text, ')');
	return end ? end + 1 : NULL;
}

bool task_stat_read(pid_t pid, pid_t tid, struct task_stat *out)
{
	char text[1024];
	const char *at = fields(pid, tid, text, sizeof text);
	int parent;

	*out = (struct task_stat){ .state = 0 };
	if (!at || sscanf(at, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %" SCNu64, &out->state, &parent, &out->start) != 3) {
		*out = (struct task_stat){ .state = 0 };
		return false;
	}
	out->parent = parent;
	return true;
}

bool task_has_ended(pid_t pid, pid_t tid)
{
	struct task_stat stat;

	return task_stat_read(pid, tid, &stat) && (stat.state == 'Z' || stat.state == 'X');
}
