/* maps.c - the memory map, as the kernel writes it: for the calling thread, since /proc/self, the first thread, has none when that has ended. */
#include "inside/modules/maps.h"

#include <fcntl.h>

#include "inside/sys.h"
#include "inside/text.h"

/* The kernel writes a newline in a path as \\012. */
static void unescape(char *path)
{
	char *to = path;

	for (; *path; path++)
		if (path[0] == '\\' && path[1] == '0' && path[2] == '1' && path[3] == '2') {
			*to++ = '\n';
			path += 3;
		} else {
			*to++ = *path;
		}
	*to = 0;
}

static bool maps_parse(char *text, struct mapping *m)
{
	const char *line = text;

	m->start = text_hex(&line);
	if (*line++ != '-')
		return false;
	m->end = text_hex(&line);
	if (*line++ != ' ')
		return false;
	for (int i = 0; i < 4; i++)
		m->mode[i] = *line++;
	line++;
	m->offset = text_hex(&line);
	for (int field = 0; field < 2 && *line; field++) {	/* device, inode */
		while (*line == ' ')
			line++;
		while (*line && *line != ' ')
			line++;
	}
	while (*line == ' ')
		line++;
	m->path = line;
	unescape(text + (line - text));
	return true;
}

bool maps_each(bool (*visit)(const struct mapping *m, void *arg), void *arg)
{
	static char buffer[MAPS_PATH * 2];
	size_t have = 0;
	bool stop = false;
	long n, fd = sys4(openat, AT_FDCWD, "/proc/thread-self/maps", O_RDONLY | O_CLOEXEC, 0);

	if (sys_failed(fd))
		return false;
	while (!stop && (n = sys3(read, fd, buffer + have, sizeof buffer - have)) > 0) {
		size_t done = 0;
		struct mapping m;

		have += (size_t)n;
		for (size_t i = 0; i < have && !stop; i++)
			if (buffer[i] == '\n') {
				buffer[i] = 0;
				stop = maps_parse(buffer + done, &m) && visit(&m, arg);
				done = i + 1;
			}
		for (size_t i = done; i < have; i++)
			buffer[i - done] = buffer[i];
		have = done < have ? have - done : 0;
		if (have == sizeof buffer)
			have = 0;		/* no path is this long */
	}
	sys1(close, fd);
	return stop || n == 0;
}
