/* stream.c - what can be read once, kept as a file. */
#include "cli/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "cli/message.h"

/* Paths that stand in for operands to the command's end. */
static struct list kept_paths;

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
	list_add(&kept_paths, path);
	free(path);
	return kept_paths.failed ? NULL : kept_paths.items[kept_paths.count - 1];
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

bool stream_operand(const char *word, char **path)
{
	static char standard_input[] = "/dev/stdin";
	int fd;
	const char *stream = stream_open(word, &fd);

	if (!stream) {
		*path = standard_input;			/* a regular file is read as such */
		return strcmp(word, "-") == 0;
	}
	*path = stream_keep(fd, stream);
	if (fd != STDIN_FILENO)
		close(fd);
	return true;
}
