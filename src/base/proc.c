/* proc.c - see proc.h. */
#include "base/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/task_stat.h"

pid_t proc_thread(pid_t pid)
{
	const struct dirent *entry;
	pid_t found = pid;
	char path[64];
	DIR *folder;

	if (!task_has_ended(pid, 0))
		return pid;
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	folder = opendir(path);
	while (folder && found == pid && (entry = readdir(folder))) {
		pid_t tid = (pid_t)atoi(entry->d_name);

		if (tid > 0 && tid != pid && !task_has_ended(pid, tid))
			found = tid;
	}
	if (folder)
		closedir(folder);
	return found;
}

static ssize_t link_read(pid_t pid, const char *name, char *to, size_t size)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	n = readlink(path, to, size - 1);
	to[n > 0 ? n : 0] = 0;
	return n;
}

bool proc_link(pid_t pid, const char *name, char *to, size_t size)
{
	pid_t thread;

	if (link_read(pid, name, to, size) > 0)
		return true;
	thread = errno == ENOENT ? proc_thread(pid) : pid;
	return thread != pid && link_read(thread, name, to, size) > 0;
}

/* All of FD up to MOST bytes, as proc_text. */
static char *all_read(int fd, size_t most, size_t *size)
{
	char *text = NULL;
	size_t room = 0;
	ssize_t n;

	for (*size = 0; *size < most; *size += (size_t)n) {
		if (room - *size < 2 && !array_reserve(&text, &room, room + 4096, 1))
			break;
		n = read(fd, text + *size, most - *size < room - *size - 1 ? most - *size : room - *size - 1);
		if (n <= 0)
			break;
	}
	if (text && *size > 0) {
		text[*size] = 0;
		return text;
	}
	free(text);
	return NULL;
}

static char *proc_text_read(pid_t pid, const char *name, size_t most, size_t *size)
{
	char path[64], *text;
	int fd;

	*size = 0;
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	text = all_read(fd, most, size);
	close(fd);
	return text;
}

char *proc_text(pid_t pid, const char *name, size_t most, size_t *size)
{
	char *text = proc_text_read(pid, name, most, size);
	pid_t thread = text ? pid : proc_thread(pid);

	return thread == pid ? text : proc_text_read(thread, name, most, size);
}
