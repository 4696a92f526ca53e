/* test_space.c - what code lies where in programs of all layouts: where the program says that a function is must be what its file calls by that name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "read/stacks/space.h"

static const char *sources;		/* folder of laid.c */
static char folder[] = "/tmp/test_space_XXXXXX";

/* How to link laid.c and its library; what a linker here does not know is passed over. */
static const char *const layouts[] = {
	"",
	"-Wl,-z,noseparate-code",
	"-Wl,-z,max-page-size=0x200000",
	"-Wl,-Ttext-segment=0x10000000",
	"-no-pie",
	"-no-pie -Wl,-Ttext-segment=0x10000000",
	"-no-pie -Wl,--section-start=.far=0x600010",
	"-Wl,--section-start=.far=0x600010",
	"-fuse-ld=gold",
	"-fuse-ld=lld",
	"-fuse-ld=lld -no-pie",
	"-fuse-ld=lld -Wl,--no-rosegment",
	"-fuse-ld=lld -Wl,-z,separate-code",
	"-fuse-ld=lld -Wl,-z,separate-loadable-segments",
	"-fuse-ld=lld -Wl,-z,max-page-size=0x200000",
	"-fuse-ld=lld -Wl,-z,norelro",
	"-fuse-ld=lld -Wl,--image-base=0x10000000",
	"-fuse-ld=lld -no-pie -Wl,--section-start=.far=0x600010",
	"-fuse-ld=lld -Wl,--section-start=.far=0x600010",
	"-fuse-ld=mold",
	"-fuse-ld=mold -no-pie",
	"-fuse-ld=mold -Wl,-z,separate-code",
	"-fuse-ld=mold -Wl,-z,max-page-size=0x200000",
};

/* A program that runs, and what it said. */
struct laid {
	pid_t pid;
	FILE *to, *from;
	unsigned long here, far_away, in_library;
};

static bool shell(const char *form, ...)
{
	char command[4096];
	va_list arguments;

	va_start(arguments, form);
	vsnprintf(command, sizeof command, form, arguments);
	va_end(arguments);
	return system(command) == 0;
}

/* False: this machine cannot link so. */
static bool build(const char *how)
{
	return shell("cd %s && cc -O1 -w -fPIC -shared %s %s/gone.c -o liblaid.so 2>log && cc -O1 -w %s %s %s/laid.c ./liblaid.so -o laid -pthread 2>log", folder,
		     strstr(how, "-no-pie") || strstr(how, "base") || strstr(how, "segment=") ? "" : how, sources, strstr(how, "-no-pie") ? "-fno-pie" : "-fPIE -pie", how, sources);
}

static struct laid start(const char *argument)
{
	struct laid l = { 0 };
	int there[2], back[2];

	assert_int_equal(pipe(there) | pipe(back), 0);
	l.pid = fork();
	if (l.pid == 0) {
		dup2(there[0], 0);
		dup2(back[1], 1);
		close(there[1]);
		close(back[0]);
		if (chdir(folder) == 0)
			execl("./laid", "./laid", argument, NULL);
		_exit(127);
	}
	close(there[0]);
	close(back[1]);
	l.to = fdopen(there[1], "w");
	l.from = fdopen(back[0], "r");
	assert_int_equal(fscanf(l.from, "%lx %lx %lx", &l.here, &l.far_away, &l.in_library), 3);
	return l;
}

/* Have L do what LETTER says. */
static void tell(struct laid *l, char letter)
{
	char line[64];

	fprintf(l->to, "%c\n", letter);
	fflush(l->to);
	do
		assert_non_null(fgets(line, sizeof line, l->from));
	while (!strstr(line, "done"));
}

static void end(struct laid *l)
{
	fclose(l->to);
	fclose(l->from);
	waitpid(l->pid, NULL, 0);
}

/* The address of NAME by the symbols of I; 0: it has none. */
static uint64_t symbol(const struct image *i, const char *name)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym s;

	while ((section = elf_nextscn(i->binary.elf, section)) && gelf_getshdr(section, &header))
		for (size_t k = 0; header.sh_type == SHT_SYMTAB && k < header.sh_size / header.sh_entsize; k++)
			if (gelf_getsym(elf_getdata(section, NULL), (int)k, &s) && !strcmp(elf_strptr(i->binary.elf, header.sh_link, s.st_name), name))
				return s.st_value;
	return 0;
}

/* Is NAME of the file FILE at ADDRESS, by S? */
static void check_one(const char *how, const char *when, const struct space *s, unsigned long address, const char *file, const char *name)
{
	const struct mapping *m = space_find(s, address);

	if (!m || !m->image || !m->image->present || strcmp(strrchr(m->image->path, '/'), file) != 0)
		fail_msg("[%s] %s: %s, at %#lx, is not in %s", how, when, name, address, file);
	if (address - m->bias != symbol(m->image, name))
		fail_msg("[%s] %s: %s, at %#lx, is %#jx in its file, not %#jx", how, when, name, address, (uintmax_t)symbol(m->image, name), (uintmax_t)(address - m->bias));
}

static void check(const char *how, const char *when, const struct space *s, const struct laid *l)
{
	check_one(how, when, s, l->here, "/laid", "here");
	check_one(how, when, s, l->far_away, "/laid", "far_away");
	check_one(how, when, s, l->in_library, "/liblaid.so", "in_library");
}

/* What code S has, mapped anew one by one, as perf events tell of it, which know of nothing else. */
static void map_by_events(struct space *s, const struct space *from)
{
	for (uint32_t i = 0; i < from->n; i++) {
		const struct mapping *m = &from->mappings[i];

		assert_true(space_map(s, m->start, m->end - m->start, m->offset, m->image ? m->image->device : 0, m->image ? m->image->inode : 0,
				      m->image ? m->image->path : "//anon"));
	}
}

/* The program's code comes to other memory, at the place where it was, as LETTER says; perf events tell of it if they TELL at all. */
static void move_try(const char *how, char letter, bool told)
{
	struct images images = { 0 };
	struct laid l = start(NULL);
	struct space s, events;
	struct mapping was;

	space_init(&s, l.pid, &images);
	assert_true(space_read(&s));
	was = *space_find(&s, l.here);
	space_init(&events, l.pid, &images);
	map_by_events(&events, &s);
	tell(&l, letter);
	assert_true(space_read(&s));
	check(how, (char[]){ 'm', 'o', 'v', 'e', 'd', ' ', letter, 0 }, &s, &l);
	if (told) {
		assert_true(space_map(&events, was.start, was.end - was.start, 0, 0, 0, "//anon"));
		check(how, "moved, by events", &events, &l);
	}
	end(&l);
	if (told) {				/* now nobody tells whether the file's rest is there */
		assert_true(space_map(&events, was.start, was.end - was.start, 0, 0, 0, "//anon"));
		check(how, "moved, by events, of one that has ended", &events, &l);
	}
	space_free(&events);
	space_free(&s);
	images_free(&images);
}

static void layout_try(const char *how)
{
	struct images images = { 0 };
	struct laid l = start(NULL);
	struct space s, events;

	space_init(&s, l.pid, &images);
	assert_true(space_read(&s));
	check(how, "by its map", &s, &l);
	space_init(&events, l.pid, &images);
	map_by_events(&events, &s);
	check(how, "by events", &events, &l);
	tell(&l, 'p');
	assert_true(space_read(&s));
	check(how, "in pieces", &s, &l);
	end(&l);
	space_free(&events);
	space_free(&s);
	images_free(&images);
}

static void test_layouts(void **state)
{
	size_t tried = 0;

	(void)state;
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
		if (build(layouts[i])) {
			layout_try(layouts[i]);
			move_try(layouts[i], 'o', true);
			move_try(layouts[i], 'm', false);
			move_try(layouts[i], 's', false);
			move_try(layouts[i], '1', false);
			tried++;
		}
	print_message("%zu of %zu layouts\n", tried, sizeof layouts / sizeof *layouts);
	assert_true(tried >= 8);		/* GNU ld has these */
}

/* Memory with code in it, where a library was that is gone, is not that library. */
static void test_place_taken(void **state)
{
	struct images images = { 0 };
	unsigned long at, size;
	struct laid l;
	struct space s, events;
	char path[128];

	(void)state;
	assert_true(build("") && shell("cd %s && cp liblaid.so libgone.so", folder));
	l = start(NULL);
	fputs("j\n", l.to);
	fflush(l.to);
	assert_int_equal(fscanf(l.from, "%lx %lx done", &at, &size), 2);
	space_init(&s, l.pid, &images);
	assert_true(space_read(&s));
	assert_non_null(space_find(&s, at));
	assert_null(space_find(&s, at)->image);
	check("", "where another was", &s, &l);
	space_init(&events, l.pid, &images);
	snprintf(path, sizeof path, "%s/libgone.so", folder);
	assert_true(space_map(&events, at, size, 0x1000, 0, 0, path));
	assert_true(space_find(&events, at)->image->present);
	assert_true(space_map(&events, at, size, 0, 0, 0, "//anon"));
	assert_null(space_find(&events, at)->image);
	end(&l);
	space_free(&events);
	space_free(&s);
	images_free(&images);
}

/* The first thread has ended: /proc/PID/maps is empty, and another thread's is not. */
static void test_first_thread_gone(void **state)
{
	struct images images = { 0 };
	struct laid l;
	struct space s;

	(void)state;
	assert_true(build(""));
	l = start("dead");
	space_init(&s, l.pid, &images);
	assert_true(space_read(&s));
	check("", "without its first thread", &s, &l);
	end(&l);
	space_free(&s);
	images_free(&images);
}

static int folder_make(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int folder_remove(void **state)
{
	(void)state;
	return shell("rm -rf %s", folder) ? 0 : -1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_place_taken),
		cmocka_unit_test(test_first_thread_gone),
	};

	sources = argc > 1 ? argv[1] : "src/read/stacks/tests";
	return cmocka_run_group_tests_name("space", tests, folder_make, folder_remove);
}
