/* test_running_sum.c - what ended processes left, added up while others run: nothing is lost and nothing counts twice, whoever is killed when. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/run/harvest.h"
#include "record/run/running_sum.h"
#include "tests/lib/make_amon.h"

enum { MANY = SUM_APART + 1, FIRST = 4242 };	/* processes whose threads are added up by name; the first process of the run */

static char directory[64];

/* Write what M made to NAME in the directory; M goes. */
static void profile_write_as(struct make_amon *m, const char *name)
{
	char path[160];
	size_t len;
	uint8_t *data = make_amon_finish(m, &len);
	FILE *out;

	snprintf(path, sizeof path, "%s/%s", directory, name);
	out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(data, len, 1, out), 1);
	assert_int_equal(fclose(out), 0);
	free(data);
	make_amon_free(m);
}

/* Make NAME in the directory, the profile of process I of PROGRAM, which calls the routine at 0x1000 * (I + 1) as often as I + 1 times.  WAY: a bit of its own. */
static void file_make(const char *name, const char *program, uint32_t i, uint32_t way, uint32_t state)
{
	struct make_amon *m = make_amon_new();
	struct amon_header *h = make_amon_header(m);
	uint32_t module = make_amon_module(m, program, "id", 0x1000, 0x1000000, 0), thread = make_amon_thread(m, "main"), routine;
	struct utsname system;

	uname(&system);
	snprintf(h->program, sizeof h->program, "%s", program);
	snprintf(h->host, sizeof h->host, "%.63s", system.nodename);
	h->way |= way;
	h->state = state;
	h->pid = (int32_t)(FIRST + i);
	h->start_ticks = 1;		/* none that lives began then */
	h->start_realtime = h->start_monotonic = 1000 + i;
	routine = make_amon_routine(m, module, 0x1000 * (i + 1), 0);
	for (uint32_t k = 0; k <= i; k++) {
		make_amon_enter(m, thread, routine);
		make_amon_leave(m, thread);
	}
	profile_write_as(m, name);
}

/* Files p.FROM..p.END-1 of one program: processes that ended. */
static void files_make(const char *program, uint32_t from, uint32_t end)
{
	char name[32];

	for (uint32_t i = from; i < end; i++) {
		snprintf(name, sizeof name, "%s.%u", strrchr(program, '/') + 1, i);
		file_make(name, program, i, 0, i % 3 ? AMON_ENDED : AMON_RUNNING);
	}
}

/* How many names there are in FOLDER of the directory. */
static size_t names_count(const char *folder)
{
	char path[160];
	const struct dirent *entry;
	size_t n = 0;
	DIR *dir;

	snprintf(path, sizeof path, "%s/%s", directory, folder);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	if (dir)
		closedir(dir);
	return n;
}

static bool is_there(const char *name)
{
	char path[160];

	snprintf(path, sizeof path, "%s/%s", directory, name);
	return access(path, F_OK) == 0;
}

/* The sum of all that the run left, of one program: an input, to be freed. */
static struct input sum_read(void)
{
	struct input in = { 0 };
	struct harvest h;
	struct error err;

	assert_true(harvest_make(&h, directory, false, &err));
	assert_int_equal(h.n, 1);
	assert_true(input_add_up(&in, h.programs[0].files, h.programs[0].n, NULL, &err));
	harvest_free(&h);
	return in;
}

/* The same as bytes, malloc'ed. */
static void *sum_bytes(size_t *len)
{
	struct input in = sum_read();
	struct error err;
	void *data = profile_write(in.profile, len, &err);

	assert_non_null(data);
	input_free(&in);
	return data;
}

/* How many of the processes 0..N-1 the sum has, each of them whole and none without the one before. */
static uint32_t processes_check(uint32_t n)
{
	struct input in = sum_read();
	uint64_t *calls = calloc(n, sizeof *calls);
	uint32_t found = 0;

	for (uint32_t i = 1; i < in.profile->ncontexts; i++) {
		const struct profile_routine *r = &in.profile->routines[in.profile->contexts[i].routine];

		assert_true(r->address / 0x1000 - 1 < n);
		calls[r->address / 0x1000 - 1] += in.profile->contexts[i].entries + in.profile->contexts[i].recursive;
	}
	while (found < n && calls[found])
		found++;
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(calls[i], i < found ? i + 1 : 0);
	free(calls);
	input_free(&in);
	return found;
}

static int set_up(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/test_running_sum.XXXXXX");
	return !mkdtemp(directory);
}

static int tear_down(void **state)
{
	(void)state;
	harvest_remove(directory);
	return access(directory, F_OK) == 0;
}

/* The sum that is made in steps has the same bytes as one that is made of all files at the end; of the files nothing is left. */
static void same_bytes(void **state)
{
	struct running_sum *p;
	size_t len, other;
	void *all, *steps;

	(void)state;
	files_make("/bin/one", 0, 3 * MANY);
	all = sum_bytes(&len);
	harvest_remove(directory);
	assert_int_equal(mkdir(directory, 0700), 0);
	p = running_sum_new(directory, false, 1, NULL);
	for (uint32_t i = 0; i < 3; i++) {
		files_make("/bin/one", i * MANY, (i + 1) * MANY);
		assert_true(running_sum_work(p));
		assert_int_equal(names_count("."), 1);
		assert_int_equal(names_count("added.0"), 1);
		assert_int_equal(running_sum_files(p), 0);
	}
	steps = sum_bytes(&other);
	assert_int_equal(len, other);
	assert_memory_equal(all, steps, len);
	free(all);
	free(steps);
	running_sum_free(p);
}

/* Of a few processes, whose threads stand apart in a sum, files are kept; each program has its own. */
static void few_stay(void **state)
{
	struct running_sum *p = running_sum_new(directory, false, 1, NULL);
	struct harvest h;
	struct error err;

	(void)state;
	files_make("/bin/one", 0, SUM_APART);
	files_make("/bin/two", 0, MANY);
	assert_true(running_sum_work(p));
	assert_int_equal(running_sum_files(p), SUM_APART);
	assert_true(harvest_make(&h, directory, false, &err));
	assert_int_equal(h.n, 2);
	assert_int_equal(h.programs[0].n, SUM_APART);
	assert_false(h.programs[0].summed);
	assert_int_equal(h.programs[1].n, 1);
	assert_true(h.programs[1].summed);
	harvest_weigh(&h, NULL);
	assert_int_equal(h.programs[0].processes + h.programs[1].processes, SUM_APART + MANY);
	harvest_free(&h);
	running_sum_free(p);
}

/* What does not make one profile with others of its program has a sum of its own. */
static void kinds_apart(void **state)
{
	struct running_sum *p = running_sum_new(directory, false, 1, NULL);
	struct harvest h;
	struct error err;
	char name[32];

	(void)state;
	files_make("/bin/one", 0, MANY);
	for (uint32_t i = 0; i < MANY; i++) {
		snprintf(name, sizeof name, "arcs.%u", i);
		file_make(name, "/bin/one", i, 1u << AMON_WAY_ARCS, AMON_ENDED);
	}
	assert_true(running_sum_work(p));
	assert_int_equal(running_sum_files(p), 0);
	assert_true(harvest_make(&h, directory, false, &err));
	assert_int_equal(h.n, 2);
	harvest_weigh(&h, NULL);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(h.programs[i].processes, MANY);
	harvest_free(&h);
	running_sum_free(p);
}

/* A sum is not made anew for little. */
static void little_waits(void **state)
{
	struct running_sum *p = running_sum_new(directory, false, 1, NULL);
	struct make_amon *large = make_amon_cc1(5000);

	(void)state;
	snprintf(make_amon_header(large)->program, sizeof make_amon_header(large)->program, "/bin/one");
	profile_write_as(large, "one.large");
	files_make("/bin/one", 0, MANY);
	assert_true(running_sum_work(p));
	assert_int_equal(running_sum_files(p), 0);
	files_make("/bin/one", MANY, MANY + 1);
	assert_true(running_sum_work(p));
	assert_int_equal(running_sum_files(p), 1);
	files_make("/bin/one", MANY + 1, 10 * MANY);
	assert_true(running_sum_work(p));
	assert_int_equal(running_sum_files(p), 0);
	running_sum_free(p);
}

/* What lives, what has just begun, the last profile of the first process, and what tells why there is none, stay where they are. */
static void living_stay(void **state)
{
	struct running_sum *p = running_sum_new(directory, false, FIRST + 101, NULL);
	char path[160];
	int fd;

	(void)state;
	files_make("/bin/one", 0, MANY);
	file_make("one.alive", "/bin/one", 100, 0, AMON_ENDED);
	file_make("one.first", "/bin/one", 101, 0, AMON_ENDED);
	file_make("one.new", "/bin/one", 102, 0, AMON_RUNNING);
	snprintf(path, sizeof path, "%s/one.new", directory);
	assert_int_equal(truncate(path, AMON_PAGE), 0);
	fd = open(path, O_RDWR);
	assert_int_equal(pwrite(fd, &(uint64_t){ AMON_PAGE }, sizeof(uint64_t), offsetof(struct amon_header, used)), sizeof(uint64_t));
	close(fd);
	snprintf(path, sizeof path, "%s/one.5.errno.28", directory);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	snprintf(path, sizeof path, "%s/one.alive", directory);
	fd = open(path, O_RDONLY);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_true(running_sum_work(p));
	assert_true(is_there("one.alive") && is_there("one.first") && is_there("one.new") && is_there("one.5.errno.28"));
	assert_int_equal(names_count("."), 5);
	close(fd);
	assert_true(running_sum_work(p));
	assert_false(is_there("one.alive"));
	running_sum_free(p);
}

/* Of a process that became another program the first profile goes with the others, when the next one has ended. */
static void earlier_goes(void **state)
{
	struct running_sum *p = running_sum_new(directory, false, FIRST + 100, NULL);

	(void)state;
	file_make("one.first", "/bin/one", 100, 0, AMON_RUNNING);
	assert_true(running_sum_work(p));
	assert_true(is_there("one.first"));
	file_make("two.first", "/bin/two", 100, 0, AMON_ENDED);
	assert_true(running_sum_work(p));
	assert_true(is_there("one.first") != is_there("two.first"));
	running_sum_free(p);
}

/* Call stacks beside hooks go, unless they were asked for. */
static void stacks_go(void **state)
{
	char name[32];

	(void)state;
	for (int asked = 0; asked < 2; asked++) {
		struct running_sum *p = running_sum_new(directory, asked, 1, NULL);
		struct harvest h;
		struct error err;

		for (uint32_t i = 0; i < MANY; i++) {
			snprintf(name, sizeof name, "stacks.%u.0", i);
			file_make(name, "/bin/sh", i, 1u << AMON_WAY_STACKS, AMON_ENDED);
		}
		assert_true(running_sum_work(p));
		assert_true(is_there("added.0/sum"));
		files_make("/bin/one", 0, MANY);
		file_make("stacks.1000.0", "/bin/sh", 99, 1u << AMON_WAY_STACKS, AMON_ENDED);
		assert_true(running_sum_work(p));
		file_make("stacks.1001.0", "/bin/sh", 99, 1u << AMON_WAY_STACKS, AMON_ENDED);
		assert_true(running_sum_work(p));
		assert_int_equal(names_count("."), asked ? 2 : 1);
		assert_true(harvest_make(&h, directory, asked, &err));
		assert_int_equal(h.n, asked ? 2 : 1);
		harvest_free(&h);
		running_sum_free(p);
		harvest_remove(directory);
		assert_int_equal(mkdir(directory, 0700), 0);
	}
}

/* While somebody reads, nothing moves. */
static void readers_are_alone(void **state)
{
	struct running_sum *p = running_sum_new(directory, false, 1, NULL);
	int lock;

	(void)state;
	files_make("/bin/one", 0, MANY);
	lock = harvest_lock(directory, true);
	assert_true(lock >= 0);
	assert_false(running_sum_work(p));
	assert_int_equal(names_count("."), MANY);
	close(lock);
	assert_true(running_sum_work(p));
	assert_int_equal(names_count("."), 1);
	running_sum_free(p);
}

/* A file that cannot be read keeps its program's from being added up, and is tried no more with each of the next. */
static void bad_file(void **state)
{
	struct running_sum *p = running_sum_new(directory, false, 1, NULL);
	char path[160];
	int fd;

	(void)state;
	files_make("/bin/one", 0, MANY);
	snprintf(path, sizeof path, "%s/one.1", directory);
	fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, &(uint32_t){ 99 }, sizeof(uint32_t), offsetof(struct amon_header, version)), sizeof(uint32_t));
	close(fd);
	assert_true(running_sum_work(p));
	assert_int_equal(running_sum_files(p), MANY);
	assert_int_equal(names_count("."), 1);
	assert_int_equal(names_count("added.0"), MANY);
	running_sum_free(p);
}

/* ---- killed ---- */

enum { MORE = MANY + 4 };

/* Add up MANY processes, then MORE, which come from SPARE; *CAME says how many have. */
static void work_twice(const char *spare, volatile uint32_t *came)
{
	struct running_sum *p = running_sum_new(directory, false, 1, NULL);
	char from[160], to[160];

	running_sum_work(p);
	for (uint32_t i = MANY; i < MORE; i++) {
		snprintf(from, sizeof from, "%s/one.%u", spare, i);
		snprintf(to, sizeof to, "%s/one.%u", directory, i);
		link(from, to);
		*came = i + 1;
	}
	running_sum_work(p);
	_exit(0);
}

/* Does system call NR change what others see in a directory? */
static bool is_change(uint64_t nr)
{
	static const long changes[] = { SYS_renameat, SYS_renameat2, SYS_unlinkat, SYS_mkdirat, SYS_linkat, SYS_write, SYS_pwrite64, SYS_ftruncate,
#ifdef SYS_rename
		SYS_rename, SYS_unlink, SYS_mkdir, SYS_link, SYS_rmdir,
#endif
	};

	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
		if (nr == (uint64_t)changes[i])
			return true;
	return false;
}

/* Let CHILD make N such calls, and kill it before the next.  True: it ended by itself. */
static bool run_and_kill(pid_t child, uint32_t n)
{
	struct __ptrace_syscall_info info;
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL), 0);
	for (uint32_t made = 0;;) {
		assert_int_equal(ptrace(PTRACE_SYSCALL, child, 0, 0), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		if (WIFEXITED(status))
			return true;
		if (!WIFSTOPPED(status) || WSTOPSIG(status) != (SIGTRAP | 0x80))
			continue;
		ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info);
		if (info.op != PTRACE_SYSCALL_INFO_ENTRY || !is_change(info.entry.nr) || made++ < n)
			continue;
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, &status, 0), child);
		return false;
	}
}

/* Whoever adds up is killed before each of its system calls that changes a directory: each process that came counts once. */
static void killed_anywhere(void **state)
{
	volatile uint32_t *came = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char spare[80], run[64], from[160], to[160];
	bool ended = false;
	uint32_t kills = 0;

	(void)state;
	files_make("/bin/one", 0, MORE);
	strcpy(run, directory);
	snprintf(spare, sizeof spare, "%s.spare", directory);
	assert_int_equal(rename(directory, spare), 0);
	for (; !ended; kills++) {
		pid_t child;
		uint32_t found;

		assert_int_equal(mkdir(directory, 0700), 0);
		for (uint32_t i = 0; i < MANY; i++) {
			snprintf(from, sizeof from, "%s/one.%u", spare, i);
			snprintf(to, sizeof to, "%s/one.%u", directory, i);
			assert_int_equal(link(from, to), 0);
		}
		*came = MANY;
		child = fork();
		if (child == 0) {
			ptrace(PTRACE_TRACEME, 0, 0, 0);
			raise(SIGSTOP);
			work_twice(spare, came);
		}
		ended = run_and_kill(child, kills);
		found = processes_check(MORE);
		assert_true(found == *came || found == *came + 1);
		harvest_remove(directory);
	}
	assert_true(kills > 2 * MORE);		/* each file was moved, and removed */
	assert_int_equal(*came, MORE);
	assert_int_equal(rename(spare, directory), 0);
	munmap((void *)came, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(same_bytes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(few_stay, set_up, tear_down),
		cmocka_unit_test_setup_teardown(kinds_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(little_waits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(living_stay, set_up, tear_down),
		cmocka_unit_test_setup_teardown(earlier_goes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(stacks_go, set_up, tear_down),
		cmocka_unit_test_setup_teardown(readers_are_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bad_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(killed_anywhere, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
