/* name.c - where the file belongs: its names, which APROF_OUT tells, and what is said of a profile that is at none of them. */
#include "inside/file/name.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <time.h>

#include "contract/amon.h"
#include "inside/file/place.h"
#include "inside/origin.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/text.h"

enum { TRIES = 100 };

static char wanted[PLACE_PATH];	/* where the file belongs */
static char reason[PLACE_PATH];	/* file that tells aprof run why there is no profile; empty: there is none */

/* ---- the names ---- */

/* The MPI rank, as the usual launchers tell it. */
static const char *rank(void)
{
	static const char *const names[] = {
		"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (origin_env(names[i]))
			return origin_env(names[i]);
	return "0";
}

/* APROF_OUT with %p, %n, %h, %r and %% replaced, or amon.out, in the directory of the start. */
const char *name_want(void)
{
	const char *pattern = origin_env("APROF_OUT");
	struct text t = { wanted, wanted + sizeof wanted };

	if (!pattern || !*pattern)
		pattern = "amon.out";
	if (*pattern != '/') {
		text_put(&t, monitor.header->directory);
		text_put(&t, "/");
	}
	for (; *pattern; pattern++) {
		char one[2] = { *pattern, 0 };

		if (*pattern != '%' || !pattern[1]) {
			text_put(&t, one);
			continue;
		}
		switch (*++pattern) {
		case 'p': text_put_number(&t, (uint64_t)monitor.pid); break;
		case 'n': text_put(&t, place_base_name(monitor.header->program)); break;
		case 'h': text_put(&t, monitor.header->host); break;
		case 'r': text_put(&t, rank()); break;
		case '%': text_put(&t, "%"); break;
		default: one[0] = *pattern; text_put(&t, "%"); text_put(&t, one);
		}
	}
	return wanted;
}

/* Did nobody choose a name? */
static bool name_is_default(void)
{
	const char *pattern = origin_env("APROF_OUT");

	return !pattern || !*pattern;
}

/* TARGET itself (try 0), TARGET.PID, TARGET.PID.1, ...; with OTHERS, since another program has the first, TARGET.PROGRAM.PID. */
static void name_try(char *out, int try, bool others)
{
	struct text t = { out, out + PLACE_PATH };

	text_put(&t, wanted);
	if (try > 0 && others) {
		text_put(&t, ".");
		text_put(&t, place_base_name(monitor.header->program));
	}
	if (try > 0) {
		text_put(&t, ".");
		text_put_number(&t, (uint64_t)monitor.pid);
	}
	if (try > 1) {
		text_put(&t, ".");
		text_put_number(&t, (uint64_t)try - 1);
	}
}

/* SECOND: it is one more of this process, which nobody asked for by that name. */
static long file_name_take(long fd, const char *temp, char *actual, bool second)
{
	long ret = -EEXIST;
	bool others = false, keep = !name_is_default() && origin_env("APROF_RUN");	/* numbers of processes come again in a long run, and all its profiles count */

	if (name_is_default() && !second)
		place_aside(wanted);
	for (int try = second; try < TRIES && ret == -EEXIST; try++) {
		if (try == 1)
			others = name_is_default() && place_is_others(wanted);
		name_try(actual, try, others);
		ret = place_take(fd, temp, actual, keep);
		if (!sys_failed(ret) && try > 0 && !second)
			note(AMON_NOTE_OTHER_NAME);
	}
	if (sys_failed(ret))
		actual[0] = 0;
	return ret;
}

long name_take(long fd, const char *temp, char *actual) { return file_name_take(fd, temp, actual, false); }

long name_take_more(long fd, const char *temp, char *actual) { return file_name_take(fd, temp, actual, true); }

/* ---- what is said of it ---- */

void name_remove_reason(void)
{
	if (reason[0])
		sys3(unlinkat, AT_FDCWD, reason, 0);
	reason[0] = 0;
}

/* aprof run is told of a process whose profile cannot be had, as long as it cannot: by an empty file beside where it would be, its name
 * ending in WHY, an errno, which takes no space.  Nobody else wants it. */
void name_leave_reason(long why)
{
	struct text t = { reason, reason + PLACE_PATH };
	long fd;

	if (!origin_env("APROF_RUN"))
		return;
	text_put(&t, wanted);
	text_put(&t, ".errno.");
	text_put_number(&t, (uint64_t)-why);
	fd = place_create_exclusive(reason);
	if (sys_failed(fd))
		reason[0] = 0;
	else
		sys1(close, fd);
}

void name_forget(void)
{
	if (reason[0])
		reason[0] = 0;
}

/* What ERROR says, of those that a profile meets: strerror may be anybody's, and translates. */
static void put_reason(struct text *t, uint32_t error)
{
	static const struct { uint32_t error; const char *text; } reasons[] = {
		{ ENOENT, "there is no such directory" }, { EACCES, "permission denied" }, { EPERM, "not permitted" },
		{ ENOTDIR, "its directory is none" }, { EISDIR, "it is a directory" }, { ELOOP, "it is a symbolic link" },
		{ EROFS, "the disk is read-only" }, { ENOSPC, "the disk is full" }, { EDQUOT, "the quota of the disk is used up" },
		{ EFBIG, "the limit on the size of files is too low" }, { ENOMEM, "there is no memory" },
	};

	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (reasons[i].error == error) {
			text_put(t, reasons[i].text);
			return;
		}
	text_put(t, "errno ");
	text_put_number(t, error);
}

/* Does somebody sit before standard error, who started this process and waits for its end?  Only a process in the foreground of its
 * controlling terminal: nobody expects a line of ours in a file, a pipe or a line that a program has opened.  Not where the line
 * would have to wait, as behind ^S. */
static bool is_watched(void)
{
	struct pollfd fd = { .fd = 2, .events = POLLOUT };
	struct timespec now = { 0 };
	int foreground = -1;

	return !sys_failed(sys3(ioctl, 2, TIOCGPGRP, &foreground)) && foreground == sys1(getpgid, 0) &&
	       sys5(ppoll, &fd, 1, &now, NULL, sizeof(uint64_t)) == 1 && fd.revents == POLLOUT;
}

void name_tell(const char *actual)
{
	static char line[PLACE_PATH + 128];
	struct text t = { line, line + sizeof line };

	if (!origin_env("APROF_VERBOSE") && (actual[0] || origin_env("APROF_RUN") || monitor.forked || !is_watched()))
		return;
	text_put(&t, "aprof: ");
	if (actual[0]) {
		text_put(&t, "profile of process ");
		text_put_number(&t, (uint64_t)monitor.pid);
		text_put(&t, " is in ");
		text_put(&t, actual);
	} else {
		text_put(&t, "no profile could be written to ");
		text_put(&t, wanted);
		text_put(&t, ": ");
		put_reason(&t, monitor.header->note_errno);
	}
	text_put(&t, "\n");
	sys3(write, 2, line, t.at - line);
}
