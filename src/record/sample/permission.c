/* permission.c - perf_event_open(2) has one error for all reasons; these files tell which it was. */
#include "record/sample/permission.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PERFMON = 38, SYS_ADMIN = 21 };	/* capabilities, as linux/capability.h has them; the first is younger than Debian 11's header */

/* The number behind NAME in /proc/self/status, by BASE; OTHERWISE: there is none. */
static unsigned long long permission_status_of(const char *name, int base, unsigned long long otherwise)
{
	FILE *in = fopen("/proc/self/status", "re");
	unsigned long long value = otherwise;
	char line[256];

	while (in && fgets(line, sizeof line, in))
		if (strncmp(line, name, strlen(name)) == 0)
			value = strtoull(line + strlen(name), NULL, base);
	if (in)
		fclose(in);
	return value;
}

static int paranoid_read(void)
{
	FILE *in = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int value = PERMISSION_UNKNOWN;

	if (in && fscanf(in, "%d", &value) != 1)
		value = PERMISSION_UNKNOWN;
	if (in)
		fclose(in);
	return value;
}

/* Its /proc belongs to root where it is privileged. */
static bool permission_is_others(pid_t tid)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d", (int)tid);
	return stat(path, &st) == 0 && st.st_uid != geteuid();
}

struct permission permission_look(pid_t tid, int most)
{
	unsigned long long has = permission_status_of("CapEff:", 16, 0);

	return (struct permission){ .paranoid = paranoid_read(), .most = most, .filtered = permission_status_of("Seccomp:", 10, 0) == 2,
		.root = geteuid() == 0,
		.capable = (has >> PERFMON | has >> SYS_ADMIN) & 1, .others = tid > 0 && permission_is_others(tid) ? tid : 0 };
}

void permission_explain(const struct permission *p, char *text, size_t size)
{
	const char *root = p->root ? "" : "run it as root, or ", *capable = p->root ? "give root cap_perfmon, which it lacks here" : "give aprof cap_perfmon (setcap)";

	if (!p->capable && p->paranoid != PERMISSION_UNKNOWN && p->paranoid > p->most)
		snprintf(text, size, "%sset kernel.perf_event_paranoid to %d (sysctl; it is %d), or %s", root, p->most, p->paranoid, capable);
	else if (p->filtered)
		snprintf(text, size, "a filter of system calls (seccomp) stands before perf events, as in most containers");
	else if (p->others && !p->capable)
		snprintf(text, size, "process %d is another user's, or privileged: run aprof as root", (int)p->others);
	else if (p->paranoid == PERMISSION_UNKNOWN)
		snprintf(text, size, "%s%s; kernel.perf_event_paranoid cannot be read here", root, capable);
	else
		snprintf(text, size, "kernel.perf_event_paranoid, which is %d, would do: a container, a security module or too little memory that may be locked (kernel.perf_event_mlock_kb) is the "
			 "reason", p->paranoid);
}
