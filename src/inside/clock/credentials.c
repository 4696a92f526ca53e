/* credentials.c - the sampler is who the program is.
 *
 * To the kernel each thread has its own credentials, and libc, which does not know us, changes those of its own
 * threads only: so we follow, so that nobody keeps a right that it gave up. */
#include "inside/clock/credentials.h"

#include <stdbool.h>

#include "inside/clock/status.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/text.h"

static uint32_t credentials[2][4];	/* the sampler's user and group ids: real, effective, saved, of the file system */

/* Four numbers that follow WORD in TEXT.  False: they are not there. */
static bool read_ids(const char *text, const char *word, uint32_t *ids)
{
	const char *s = text_after(text, word);

	for (int i = 0; i < 4 && s; i++, s++)
		ids[i] = (uint32_t)text_number(&s);
	return s;
}

static bool same_ids(const uint32_t *a, const uint32_t *b)
{
	return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
}

/* The supplementary groups that TEXT tells, as many as fit. */
static void follow_groups(const char *text)
{
	uint32_t groups[64];
	const char *s = text_after(text, "\nGroups:\t");
	size_t n = 0;

	while (s && *s >= '0' && *s <= '9' && n < sizeof groups / sizeof *groups) {
		groups[n++] = (uint32_t)text_number(&s);
		s += *s == ' ';
	}
	sys2(setgroups, n, groups);
}

/* T: any of the program's threads. */
static void follow_credentials(struct thread *t)
{
	char text[2048];
	uint32_t user[4], group[4];

	if (!status_read(t, text, sizeof text) || !read_ids(text, "\nUid:\t", user) || !read_ids(text, "\nGid:\t", group) ||
	    (same_ids(user, credentials[0]) && same_ids(group, credentials[1])))
		return;
	follow_groups(text);
	sys3(setresgid, group[0], group[1], group[2]);
	sys1(setfsgid, group[3]);
	sys3(setresuid, user[0], user[1], user[2]);
	sys1(setfsuid, user[3]);
	mem_copy(credentials[0], user, sizeof user);
	mem_copy(credentials[1], group, sizeof group);
}

void credentials_begin(void)
{
	for (int i = 0; i < 2; i++) {
		uint32_t *ids = credentials[i];

		if (i == 0)
			sys3(getresuid, &ids[0], &ids[1], &ids[2]);
		else
			sys3(getresgid, &ids[0], &ids[1], &ids[2]);
		ids[3] = ids[1];
	}
}

void credentials_follow(void)
{
	for (struct thread *t = monitor.threads; t; t = t->chain.next)
		if (t->clock.watched) {
			follow_credentials(t);
			return;
		}
}
