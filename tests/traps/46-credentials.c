/* A program that gives up being root has given it up in all its threads, the sampler's too; by libc or by a raw call.
 *
 * need: root
 * variants: libc raw
 * output: 0 threads are still root
 * expect: 1 0 main
 * expect: 1 0 main drop
 * expect: 1 0 main look
 * note: timer_failed 0 */
#include <dirent.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "trap.h"

/* Spend MSEC of CPU time. */
UNHOOKED void burn(long msec)
{
	struct timespec start, now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < msec);
}

HOOKED int drop(int raw)
{
	if (setgroups(0, NULL) != 0)
		return -1;
	if (raw)
		return (int)(syscall(SYS_setresgid, 65534, 65534, 65534) | syscall(SYS_setresuid, 65534, 65534, 65534));
	return setgid(65534) | setuid(65534);
}

UNHOOKED int is_root(const char *task)
{
	char path[300], line[200];
	int root = 0;
	FILE *file;

	snprintf(path, sizeof path, "/proc/self/task/%s/status", task);
	if (!(file = fopen(path, "r")))
		return 0;
	while (fgets(line, sizeof line, file))
		if (!strncmp(line, "Uid:", 4) || !strncmp(line, "Gid:", 4) || !strncmp(line, "Groups:", 7))
			root |= strstr(line, "\t0") != NULL;
	fclose(file);
	return root;
}

UNHOOKED int threads_of_root(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	int roots = 0;

	while ((task = readdir(tasks)))
		roots += task->d_name[0] != '.' && is_root(task->d_name);
	closedir(tasks);
	return roots;
}

/* The sampler follows as soon as it looks, which on a busy machine takes a while. */
HOOKED int look(void)
{
	int roots = threads_of_root();

	for (int tries = 0; roots && tries < 200; tries++) {
		burn(50);
		roots = threads_of_root();
	}
	return roots;
}

int main(int argc, char **argv)
{
	burn(30);
	if (drop(argc > 1 && argv[1][0] == 'r') != 0)
		return 1;
	printf("%d threads are still root\n", look());
	return 0;
}
