/* Somebody truncates, lengthens, deletes, replaces or overwrites the file under the running program, which does not notice: it
 * goes on calling what it called, makes contexts by the thousand, threads and a child; or it is at its end, and calls when the monitor is done.
 *
 * flags: -pthread
 * env: APROF_RATE=5000
 * variants: truncate end half longer delete replace ones zeros
 * output: 42000 called
 * files: 0..2
 * note: truncated 0..2
 * note: unbalanced_exit 0..2
 * note: disk_full 0..
 * note: lost_calls 0..
 * note: out_of_memory 0..
 * expect(delete): 0.. 0.. main
 * ignore(delete): a
 * ignore(delete): thread
 * ignore(delete): f
 * state: ended running
 * after(truncate): "$APROF" info amon.out | grep -q "somebody cut"
 * after(half): "$APROF" info amon.out | grep -q "somebody cut"
 * after(longer): "$APROF" contexts amon.out | grep -q '^2000 0 [0-9.]* main f$' */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "trap.h"

static int calls;

HOOKED void f(void) { calls++; KEEP(); }
HOOKED void a(int n);
HOOKED void b(int n) { if (n > 0) a(n / 2); if (n % 3) b(n - 1); KEEP(); }
HOOKED void c(int n) { if (n > 0) b(n / 3); KEEP(); }
HOOKED void a(int n) { b(n - 1); c(n - 2); KEEP(); }
HOOKED void *thread(void *unused) { a(60); for (int i = 0; i < 20000; i++) f(); return unused; }

UNHOOKED void burn(long msec)
{
	struct timespec now, start;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < msec);
}

/* What was in the file is now BYTE everywhere. */
UNHOOKED void overwrite(int byte)
{
	static char bytes[4096];
	struct stat st;
	int fd = open("amon.out", O_WRONLY);

	memset(bytes, byte, sizeof bytes);
	for (int i = 0; fstat(fd, &st) == 0 && i < 100 && i * 4096 < st.st_size; i++)
		pwrite(fd, bytes, sizeof bytes, i * 4096);
	close(fd);
}

static bool at_end;

UNHOOKED __attribute__((destructor(102))) void cut_at_end(void)
{
	if (at_end)
		truncate("amon.out", 0);
}

HOOKED void after_end(void)
{
	if (at_end)
		a(100);
	KEEP();
}

/* Behind the monitor's own destructor. */
__attribute__((section(".fini_array.00050"), used)) static void (*last)(void) = after_end;

UNHOOKED void meddle(const char *how)
{
	if (!strcmp(how, "truncate"))
		truncate("amon.out", 0);
	if (!strcmp(how, "end"))
		at_end = true;
	if (!strcmp(how, "half"))
		truncate("amon.out", 8192);
	if (!strcmp(how, "longer"))
		truncate("amon.out", 1L << 31);
	if (!strcmp(how, "delete"))
		unlink("amon.out");
	if (!strcmp(how, "replace") && rename("amon.out", "old") == 0)
		close(open("amon.out", O_CREAT | O_WRONLY, 0600));
	if (!strcmp(how, "ones"))
		overwrite(255);
	if (!strcmp(how, "zeros"))
		overwrite(0);
}

int main(int argc, char **argv)
{
	pthread_t t;

	for (int i = 0; i < 1000; i++)
		f();
	burn(20);
	meddle(argv[argc - 1]);
	burn(50);			/* with ticks, which go to the file as well */
	for (int i = 0; i < 1000; i++)
		f();
	a(100);
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	if (fork() == 0) {
		thread(NULL);
		_exit(0);
	}
	wait(NULL);
	thread(NULL);
	printf("%d called\n", calls);
	return 0;
}
