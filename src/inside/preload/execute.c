/* execute.c - what is executed is not told to preload what it cannot: in the libraries that are preloaded, before exec.
 *
 * LD_PRELOAD is inherited, and a dynamic linker that does not find what it names says so on the program's standard error; one of another libc dies of it.  Below
 * chroot, in another mount namespace, as a user who may not read the path, it may not be there; and the loader that a file asks for tells whose it is.
 * So names of ours are left out then, of the environment that is passed on: nothing else of it changes, nor anything of this process.
 *
 * Any of these may run in the child of a vfork, which has its parent's memory: nothing but the stack is written. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "inside/monitor.h"
#include "inside/sys.h"
#include "inside/text.h"

#define EXPORTED __attribute__((visibility("default")))

#ifdef APROF_MCOUNT			/* the preloaded monitor is told of what its process has spent */
#include "inside/process/young_process.h"
#define LEAVE() young_process_settle()
#else
#define LEAVE() ((void)0)
#endif

enum { MOST_PATH = 4096, HEAD = 4096, SCRIPTS = 4 };	/* bytes of a path; of a file that are looked at; scripts that run scripts */

static const char variable[] = "LD_PRELOAD=", of_ours[] = "libaprof-";

/* The functions behind ours. */
static struct {
	int (*execve)(const char *path, char *const argv[], char *const envp[]);
	int (*execvpe)(const char *file, char *const argv[], char *const envp[]);
	int (*fexecve)(int fd, char *const argv[], char *const envp[]);
	int (*execveat)(int directory, const char *path, char *const argv[], char *const envp[], int flags);
	int (*posix_spawn)(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const argv[],
			   char *const envp[]);
	int (*posix_spawnp)(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const argv[],
			    char *const envp[]);
} next;

/* Before the program runs: look-ups may take locks and memory. */
static void __attribute__((constructor(101))) execute_find_all(void)
{
	*(void **)&next.execve = dlsym(RTLD_NEXT, "execve");
	*(void **)&next.execvpe = dlsym(RTLD_NEXT, "execvpe");
	*(void **)&next.fexecve = dlsym(RTLD_NEXT, "fexecve");
	*(void **)&next.execveat = dlsym(RTLD_NEXT, "execveat");
	*(void **)&next.posix_spawn = dlsym(RTLD_NEXT, "posix_spawn");
	*(void **)&next.posix_spawnp = dlsym(RTLD_NEXT, "posix_spawnp");
}

/* One that is called before that. */
#define NEXT(name) (next.name ? (void)0 : execute_find_all(), next.name)

/* ---- what is executed ---- */

/* The word at TEXT, up to a blank or END, as a path; false: it has no room in TO. */
static bool word_copy(char *to, const char *text, const char *end)
{
	size_t n = 0;

	for (; text < end && *text && *text != ' ' && *text != '\t' && *text != '\n'; text++) {
		if (n == MOST_PATH - 1)
			return false;
		to[n++] = *text;
	}
	to[n] = '\0';
	return n > 0;
}

/* Whether the loader NAME is glibc's: ld-linux-x86-64.so.2, ld64.so.2. */
static bool is_loader_of_ours(const char *name)
{
	for (const char *c = name; *c; c++)
		name = *c == '/' ? c + 1 : name;
	return text_after(name, "ld-linux") || text_after(name, "ld64.so") || text_after(name, "ld.so");
}

/* Whether the ELF file of which N bytes are at DATA asks for another loader, or is of another machine. */
static bool is_foreign_elf(const unsigned char *data, size_t n)
{
	const ElfW(Ehdr) *h = (const void *)data;

	if (n < sizeof *h || h->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) || h->e_phentsize != sizeof(ElfW(Phdr)))
		return true;
	for (size_t i = 0; i < h->e_phnum && h->e_phoff + (i + 1) * sizeof(ElfW(Phdr)) <= n; i++) {
		const ElfW(Phdr) *p = (const void *)(data + h->e_phoff + i * sizeof *p);

		if (p->p_type == PT_INTERP && p->p_filesz > 0 && p->p_offset < n && p->p_filesz <= n - p->p_offset && data[p->p_offset + p->p_filesz - 1] == '\0')
			return !is_loader_of_ours((const char *)data + p->p_offset);
	}
	return false;				/* static, which preloads nothing, or it cannot be told */
}

/* Whether what runs the file at PATH preloads nothing of ours: of a script what runs that. */
static bool execute_is_foreign(const char *path)
{
	_Alignas(16) unsigned char data[HEAD];
	char program[MOST_PATH];

	for (int i = 0; i < SCRIPTS; i++) {
		long fd = sys3(open, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0), n;

		if (sys_failed(fd))
			return false;
		n = sys3(read, fd, data, sizeof data);
		sys1(close, fd);
		if (n >= 4 && data[0] == ELFMAG0 && data[1] == ELFMAG1 && data[2] == ELFMAG2 && data[3] == ELFMAG3)
			return is_foreign_elf(data, (size_t)n);
		if (n < 3 || data[0] != '#' || data[1] != '!')
			return false;
		path = (const char *)data + 2;
		while (path < (const char *)data + n && (*path == ' ' || *path == '\t'))
			path++;
		if (!word_copy(program, path, (const char *)data + n))
			return false;
		path = program;
	}
	return false;
}

/* The path of the command FILE, as execvp finds it, into PATH. */
static const char *execute_path_of(const char *file, char *path)
{
	const char *places = getenv("PATH");

	for (const char *c = file; *c; c++)
		if (*c == '/')
			return file;
	for (const char *s = places ? places : "/bin:/usr/bin"; *s; s += *s == ':') {
		struct text t = {path, path + MOST_PATH};
		const char *end = s;

		while (*end && *end != ':')
			end++;
		if (end - s < MOST_PATH / 2) {
			for (; s < end; s++)
				*t.at++ = *s;
			*t.at = '\0';
			text_put(&t, "/");
			text_put(&t, file);
			if (!sys_failed(sys2(access, path, X_OK)))
				return path;
		}
		s = end;
	}
	return file;
}

/* ---- the environment ---- */

/* How much room the environment needs that is passed on in the place of the one that is given. */
struct less {
	size_t entries;			/* 0: that one will do */
	size_t length;			/* bytes of LD_PRELOAD */
	bool foreign;			/* all of ours goes */
};

/* The end of the name at NAME in a list that colons and blanks part. */
static const char *name_end(const char *name)
{
	while (*name && *name != ':' && *name != ' ')
		name++;
	return name;
}

/* Is the name up to END one of ours, which is not to be passed on? */
static bool is_dropped(const char *name, const char *end, bool foreign)
{
	char path[MOST_PATH];
	const char *base = name;

	for (const char *c = name; c < end; c++)
		base = *c == '/' ? c + 1 : base;
	if (*name != '/' || !text_after(base, of_ours) || end - name >= MOST_PATH)
		return false;
	for (size_t i = 0; i <= (size_t)(end - name); i++)
		path[i] = name + i < end ? name[i] : '\0';
	return foreign || sys_failed(sys2(access, path, R_OK));
}

static const char *execute_value_of(const char *entry)
{
	return text_after(entry, variable);
}

/* For the file PATH, NULL: not known, and ENVP. */
static struct less less_for(const char *path, char *const envp[])
{
	struct less less = {0};
	bool drops = false, asked = false;
	size_t n = 0;

	for (; envp && envp[n]; n++) {
		const char *name = execute_value_of(envp[n]);

		for (const char *end; name && *name; name = end + (*end != '\0')) {
			end = name_end(name);
			if (!asked && is_dropped(name, end, true)) {	/* ours: then it matters what is executed */
				asked = true;
				less.foreign = path && execute_is_foreign(path);
			}
			drops |= is_dropped(name, end, less.foreign);
			less.length = (size_t)(end - envp[n]) > less.length ? (size_t)(end - envp[n]) : less.length;
		}
	}
	return drops ? (less.entries = n, less) : (struct less){0};
}

/* ENTRY, which is LD_PRELOAD, without what is dropped, to TEXT; false: nothing is left. */
static bool entry_copy(char *text, const char *entry, bool foreign)
{
	const char *name = execute_value_of(entry);
	char *to = text;
	bool first = true;

	for (const char *c = variable; *c; c++)
		*to++ = *c;
	for (const char *end; *name; name = end + (*end != '\0')) {
		end = name_end(name);
		if (is_dropped(name, end, foreign))
			continue;
		if (!first)
			*to++ = ':';
		for (const char *c = name; c < end; c++)
			*to++ = *c;
		first = false;
	}
	*to = '\0';
	return !first;
}

/* ENVP as LESS has it, in ROOM and TEXT. */
static char *const *less_of(const struct less *less, char *const envp[], char **room, char *text)
{
	size_t n = 0;

	if (!less->entries)
		return envp;
	for (; *envp; envp++)
		if (!execute_value_of(*envp))
			room[n++] = *envp;
		else if (entry_copy(text, *envp, less->foreign))
			room[n++] = text;
	room[n] = NULL;
	return room;
}

/* Room for that on this function's stack, and the environment in it, as ENV. */
#define LESS(path, envp) \
	struct less less = less_for(path, envp); \
	char *room[less.entries + 1], text[less.length + 1]; \
	char *const *env = less_of(&less, envp, room, text)

/* ---- for the program ---- */

static int execute_missing(void)
{
	errno = ENOSYS;
	return -1;
}

EXPORTED int execve(const char *path, char *const argv[], char *const envp[])
{
	LESS(path, envp);
	LEAVE();
	return NEXT(execve) ? next.execve(path, argv, env) : execute_missing();
}

EXPORTED int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

EXPORTED int execvpe(const char *file, char *const argv[], char *const envp[])
{
	char path[MOST_PATH];
	LESS(execute_path_of(file, path), envp);
	LEAVE();
	return NEXT(execvpe) ? next.execvpe(file, argv, env) : execute_missing();
}

EXPORTED int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

EXPORTED int fexecve(int fd, char *const argv[], char *const envp[])
{
	char path[64];
	struct text t = {path, path + sizeof path};

	text_put(&t, "/proc/self/fd/");
	text_put_number(&t, fd < 0 ? 0 : (uint64_t)fd);
	LESS(path, envp);
	LEAVE();
	return NEXT(fexecve) ? next.fexecve(fd, argv, env) : execute_missing();
}

EXPORTED int execveat(int directory, const char *path, char *const argv[], char *const envp[], int flags)
{
	LESS(*path == '/' || directory == AT_FDCWD ? path : NULL, envp);
	LEAVE();
	return NEXT(execveat) ? next.execveat(directory, path, argv, env, flags) : execute_missing();
}

EXPORTED int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const argv[],
			 char *const envp[])
{
	LESS(path, envp);
	return NEXT(posix_spawn) ? next.posix_spawn(pid, path, actions, attributes, argv, env) : ENOSYS;
}

EXPORTED int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const argv[],
			  char *const envp[])
{
	char path[MOST_PATH];
	LESS(execute_path_of(file, path), envp);
	return NEXT(posix_spawnp) ? next.posix_spawnp(pid, file, actions, attributes, argv, env) : ENOSYS;
}

/* Those with their arguments one by one: how many there are, and then they themselves. */
#define COUNT(n, arg, list) \
	size_t n = 1; \
	va_start(list, arg); \
	while (va_arg(list, char *)) \
		n++; \
	va_end(list)

#define COLLECT(argv, n, arg, list) \
	char *argv[(n) + 1]; \
	argv[0] = (char *)(uintptr_t)(arg); \
	va_start(list, arg); \
	for (size_t i = 1; i <= (n); i++) \
		argv[i] = va_arg(list, char *);	/* the NULL, too */

EXPORTED int execl(const char *path, const char *arg, ...)
{
	va_list list;
	COUNT(n, arg, list);
	COLLECT(argv, n, arg, list)
	va_end(list);
	return execve(path, argv, environ);
}

EXPORTED int execlp(const char *file, const char *arg, ...)
{
	va_list list;
	COUNT(n, arg, list);
	COLLECT(argv, n, arg, list)
	va_end(list);
	return execvpe(file, argv, environ);
}

EXPORTED int execle(const char *path, const char *arg, ...)
{
	char *const *envp;
	va_list list;
	COUNT(n, arg, list);
	COLLECT(argv, n, arg, list)
	envp = va_arg(list, char *const *);
	va_end(list);
	return execve(path, argv, envp);
}
