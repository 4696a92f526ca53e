/* loader.c - what is known without /proc: what the kernel left on the first stack, and the dynamic linker's list of modules.
 *
 *     first stack:  argc | argv[0] ... NULL | environment ... NULL | auxiliary vector ... AT_NULL
 *     the list:     AT_PHDR -> PT_DYNAMIC -> DT_DEBUG -> struct r_debug -> struct link_map -> ...
 *
 * The dynamic linker is not asked, whose locks the hook may have interrupted, and another thread may be changing its list at this
 * moment.  So all of it is read by the kernel, which refuses what is not there; what is not an ELF file in memory is passed over.
 * Called with the monitor's lock held, or while the monitor starts. */
#include "inside/modules/loader.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <sys/uio.h>

#include "contract/amon.h"
#include "inside/state.h"
#include "inside/sys.h"

enum {
	MOST_WORDS = 1 << 20,		/* arguments, variables of the environment */
	MOST_AUX = 64,			/* entries of the auxiliary vector */
	MOST_PHDRS = 64,		/* of a module */
	MOST_LISTED = 4096,		/* modules */
	LONGEST_PATH = 4096,
	PROBED = 256,			/* pages that are looked at at once */
	MOST_PROBED = 1 << 15,		/* pages of a stack */
};

extern void *__libc_stack_end __attribute__((weak));
extern struct r_debug _r_debug __attribute__((weak));

static const uintptr_t *first;		/* where argc is; NULL: it was not found */
static const uintptr_t *variables;	/* the environment */
static const uintptr_t *auxiliary;	/* the auxiliary vector */

/* ---- memory that may not be there ---- */

static bool peek(void *to, uintptr_t from, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)from, size };

	return sys6(process_vm_readv, sys0(gettid), &local, 1, &remote, 1, 0) == (long)size;
}

/* The string at FROM to TO, which has room for SIZE bytes.  False: it is not there, or longer. */
static bool peek_string(char *to, size_t size, uintptr_t from)
{
	for (size_t n = 0; n < size;) {
		size_t part = AMON_PAGE - (from + n) % AMON_PAGE;

		part = part < size - n ? part : size - n;
		if (!peek(to + n, from + n, part))
			return false;
		for (size_t end = n + part; n < end; n++)
			if (!to[n])
				return true;
	}
	return false;
}

/* ---- the first stack ---- */

/* Words from AT up to a NULL, which the first stack has above any of them. */
static size_t count_words(const uintptr_t *at)
{
	size_t n = 0;

	while (n < MOST_WORDS && at[n])
		n++;
	return n;
}

static bool is_auxiliary(const uintptr_t *at)
{
	for (int i = 0; i < MOST_AUX && at[2 * i] != AT_NULL; i++)
		if (at[2 * i] == AT_PAGESZ)
			return at[2 * i + 1] >= AMON_PAGE && (at[2 * i + 1] & (at[2 * i + 1] - 1)) == 0;
	return false;
}

/* Is argc at AT? */
static bool loader_is_first(const uintptr_t *at)
{
	size_t n = count_words(at + 1);
	const uintptr_t *environment = at + 1 + n + 1;

	return n > 0 && n == *at && is_auxiliary(environment + count_words(environment) + 1);
}

/* libc keeps where the first stack began: in a static program a little below argc. */
static void find_first(void)
{
	const uintptr_t *at = &__libc_stack_end ? __libc_stack_end : NULL;

	for (int i = 0; at && !first && i < 4; i++)
		if (loader_is_first(at + i))
			first = at + i;
	if (!first)
		return;
	variables = first + 1 + *first + 1;
	auxiliary = variables + count_words(variables) + 1;
}

uintptr_t loader_auxiliary(uintptr_t type)
{
	if (!first)
		find_first();
	for (int i = 0; first && i < MOST_AUX && auxiliary[2 * i] != AT_NULL; i++)
		if (auxiliary[2 * i] == type)
			return auxiliary[2 * i + 1];
	return 0;
}

/* The strings that the words at AT point to, one behind the other with their NULs, as far as they fit in SIZE bytes at TO.  Their
 * length, bytes. */
static size_t copy_strings(char *to, size_t size, const uintptr_t *at)
{
	size_t done = 0;

	for (; *at && done < size; at++) {
		size_t n = str_length((const char *)*at) + 1;

		n = n < size - done ? n : size - done;
		mem_copy(to + done, (const char *)*at, n);
		done += n;
	}
	return done;
}

long loader_environment(char *to, size_t size)
{
	if (!first)
		find_first();
	return first ? (long)copy_strings(to, size, variables) : -ENOENT;
}

long loader_arguments(char *to, size_t size)
{
	if (!first)
		find_first();
	return first ? (long)copy_strings(to, size, first + 1) : -ENOENT;
}

/* ---- modules ---- */

static struct image {
	ElfW(Ehdr) head;		/* its ELF header */
	ElfW(Phdr) parts[MOST_PHDRS];	/* its program headers */
	uintptr_t base;			/* where the header is, address */
	uintptr_t bias;			/* load address less link address */
} image;

/* Read the headers of the file that is mapped at BASE. */
static bool image_read(uintptr_t base)
{
	uintptr_t vaddr = 0;

	if (!peek(&image.head, base, sizeof image.head) || image.head.e_ident[0] != 0x7f || image.head.e_ident[1] != 'E' ||
	    image.head.e_phentsize != sizeof *image.parts || image.head.e_phnum > MOST_PHDRS ||
	    !peek(image.parts, base + image.head.e_phoff, image.head.e_phnum * sizeof *image.parts))
		return false;
	for (int i = 0; i < image.head.e_phnum; i++)
		if (image.parts[i].p_type == PT_LOAD && image.parts[i].p_offset == 0)
			vaddr = image.parts[i].p_vaddr & -(uintptr_t)AMON_PAGE;
	image.base = base;
	image.bias = base - vaddr;
	return true;
}

/* Where the part of TYPE of the image is; 0: it has none. */
static uintptr_t image_part(uint32_t type)
{
	for (int i = 0; i < image.head.e_phnum; i++)
		if (image.parts[i].p_type == type)
			return image.bias + image.parts[i].p_vaddr;
	return 0;
}

/* Bytes of the file that are mapped at its base. */
static uintptr_t image_head(void)
{
	for (int i = 0; i < image.head.e_phnum; i++)
		if (image.parts[i].p_type == PT_LOAD && image.parts[i].p_offset == 0)
			return image.parts[i].p_filesz;
	return AMON_PAGE;
}

/* Hand the beginning of the image and its code to VISIT, as they would stand in the memory map. */
static void image_visit(const char *path, void (*visit)(const struct mapping *m, void *arg), void *arg)
{
	struct mapping m = { image.base, image.base + image_head(), 0, { 'r', '-', '-', 'p' }, path };

	visit(&m, arg);
	m.mode[2] = 'x';
	for (int i = 0; i < image.head.e_phnum; i++)
		if (image.parts[i].p_type == PT_LOAD && image.parts[i].p_flags & PF_X) {
			uintptr_t start = image.bias + image.parts[i].p_vaddr, end = start + image.parts[i].p_filesz;

			m.start = start & -(uintptr_t)AMON_PAGE;
			m.end = (end + AMON_PAGE - 1) & -(uintptr_t)AMON_PAGE;
			m.offset = image.parts[i].p_offset & -(uintptr_t)AMON_PAGE;
			visit(&m, arg);
		}
}

/* The first module that the dynamic linker lists, which the program at hand or the linker tells; 0: there is none. *WHOLE: the list is. */
static uintptr_t list_begin(uintptr_t dynamic, bool *whole)
{
	uintptr_t at = &_r_debug ? (uintptr_t)&_r_debug : 0;
	struct r_debug debug;
	ElfW(Dyn) entry;

	while (dynamic && peek(&entry, dynamic, sizeof entry) && entry.d_tag != DT_NULL) {
		if (entry.d_tag == DT_DEBUG && entry.d_un.d_ptr)
			at = entry.d_un.d_ptr;
		dynamic += sizeof entry;
	}
	if (!at || !peek(&debug, at, sizeof debug))
		return 0;
	*whole = debug.r_state == RT_CONSISTENT;
	return (uintptr_t)debug.r_map;
}

/* NAME, as the dynamic linker has it, to PATH: absolute. */
static void loader_path_make(char *path, const char *name)
{
	const char *folder = name[0] == '/' ? "" : monitor.header->directory;
	size_t n = str_length(folder), m = str_length(name) + 1;

	if (n)
		mem_copy(path, folder, n);
	if (n)
		path[n++] = '/';
	if (n + m <= LONGEST_PATH)
		mem_copy(path + n, name, m);
	else
		path[0] = 0;
}

/* Hand the modules of the list from AT on, but for the one with the headers at DONE, to VISIT. False: the list is broken off. */
static bool list_visit(uintptr_t at, uintptr_t done, void (*visit)(const struct mapping *m, void *arg), void *arg)
{
	static char name[LONGEST_PATH], path[2 * LONGEST_PATH];
	uintptr_t vdso = loader_auxiliary(AT_SYSINFO_EHDR);
	struct link_map l;

	for (int n = 0; at; at = (uintptr_t)l.l_next) {
		if (++n > MOST_LISTED || !peek(&l, at, sizeof l) || !peek_string(name, sizeof name, (uintptr_t)l.l_name))
			return false;
		if (l.l_addr == done || (!name[0] && done) || !image_read(l.l_addr))
			continue;
		loader_path_make(path, name[0] ? name : monitor.header->program);
		image_visit(l.l_addr == vdso ? "[vdso]" : path, visit, arg);
	}
	return true;
}

bool loader_modules(void (*visit)(const struct mapping *m, void *arg), void *arg)
{
	uintptr_t headers = loader_auxiliary(AT_PHDR), base = headers & -(uintptr_t)AMON_PAGE, list;
	bool whole = false, found = headers && image_read(base);

	if (found)
		image_visit(monitor.header->program, visit, arg);
	list = list_begin(found ? image_part(PT_DYNAMIC) : 0, &whole);
	if (!list)
		return found && !image_part(PT_INTERP);	/* static */
	return list_visit(list, found ? base : 0, visit, arg) && found && whole;
}

/* ---- stacks ---- */

/* How many of the pages from AT on, upwards or downwards, can be read, of PROBED. */
static size_t loader_probe(uintptr_t at, bool down)
{
	static struct iovec local[PROBED], remote[PROBED];
	static char bytes[PROBED];
	long n;

	for (size_t i = 0; i < PROBED; i++) {
		local[i] = (struct iovec){ bytes + i, 1 };
		remote[i] = (struct iovec){ (void *)(down ? at - i * AMON_PAGE : at + i * AMON_PAGE), 1 };
	}
	n = sys6(process_vm_readv, sys0(gettid), local, PROBED, remote, PROBED, 0);
	return n > 0 ? (size_t)n : 0;
}

/* The end of what can be read from the page AT on. */
static uintptr_t probe_end(uintptr_t at, bool down)
{
	for (size_t all = 0; all < MOST_PROBED; all += PROBED) {
		size_t n = loader_probe(at, down);

		at = down ? at - n * AMON_PAGE : at + n * AMON_PAGE;
		if (n < PROBED)
			break;
	}
	return down ? at + AMON_PAGE : at;
}

bool loader_range(uintptr_t address, uintptr_t *low, uintptr_t *high, bool *grows)
{
	uintptr_t page = address & -(uintptr_t)AMON_PAGE;

	*low = probe_end(page, true);
	*high = probe_end(page, false);
	*grows = first && (uintptr_t)first >= *low && (uintptr_t)first < *high;
	return *high > *low;
}
