/* module.c - the executable mappings of the process, read from /proc/self/maps, or, where that cannot be had, as loader.c finds them.
 *
 * Never asks the dynamic linker, whose locks the hook may have interrupted.  A mapping, once
 * known, keeps its index; one that vanished is marked, and a new one at its place is a new
 * module of a later epoch, or one that was there before.  What is known of the routines of one that vanished is hidden, and
 * shown again if it returns to its place, so that a program that loads and unloads for ever needs no more memory for ever.
 * Called with the monitor's lock held, but for module_rules. */
#include "monitor/module.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>

#include "format/amon.h"
#include "monitor/context.h"
#include "monitor/file.h"
#include "monitor/keys.h"
#include "monitor/loader.h"
#include "monitor/routine.h"
#include "monitor/state.h"
#include "monitor/sys.h"
#include "monitor/text.h"
#include "monitor/thread.h"

enum { MOST_MODULES = 4096, LINE = 4096, CHUNK_BYTES = 16384 - sizeof(struct amon_chunk) };

struct module {
	uintptr_t start, end;		/* addresses */
	struct amon_module *record;	/* in the file; NULL: no room */
	uint32_t index;			/* as numbered in the file */
	uint16_t tag;			/* of the keys of its routines while it is unloaded; 0: none were hidden */
	bool seen;			/* by the scan at work */
	struct module_rules rules;	/* frame descriptions */
	const char *notes;		/* segment of notes with those that tell of parts of routines put far away; NULL: there are none */
	size_t notes_size;		/* its bytes */
};

static struct module modules[MOST_MODULES];
static uint32_t nmodules, nrecords, epoch;
static uint16_t last_tag;
static struct amon_chunk *chunk;

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

static bool parse(char *text, struct mapping *m)
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

/* ---- identity: the ELF header in memory ---- */

/* The GNU build-id among the SIZE bytes of notes at NOTES. */
static void notes_build_id(const char *notes, size_t size, struct amon_module *r)
{
	while (size >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *n = (const void *)notes;
		size_t name = (n->n_namesz + 3u) & ~3u, desc = (n->n_descsz + 3u) & ~3u;

		if (name > size || desc > size || sizeof *n + name + desc > size)
			return;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && n->n_descsz <= sizeof r->build_id) {
			mem_copy(r->build_id, notes + sizeof *n + name, n->n_descsz);
			r->build_id_size = (uint8_t)n->n_descsz;
			return;
		}
		notes += sizeof *n + name + desc;
		size -= sizeof *n + name + desc;
	}
}

/* A note of compiler/plugin/far.cc: a routine has two parts, far from one another.  Two words say where the last byte of each is, from where the
 * word stands. */
enum { NOTE_FAR = 2, NOTE_FAR_SIZE = 12 + 8 + 8 };

static bool is_far(const ElfW(Nhdr) *n)
{
	return n->n_type == NOTE_FAR && n->n_namesz == sizeof "aprof" && n->n_descsz == 2 * sizeof(int32_t) &&
	       str_equal((const char *)(n + 1), "aprof");
}

/* Bytes of the note N with its head; 0: it is not all among the SIZE bytes. */
static size_t note_size(const ElfW(Nhdr) *n, size_t size)
{
	size_t name, desc;

	if (size < sizeof *n)
		return 0;
	name = (n->n_namesz + 3u) & ~3u;
	desc = (n->n_descsz + 3u) & ~3u;
	return name > size || desc > size || sizeof *n + name + desc > size ? 0 : sizeof *n + name + desc;
}

/* Does one of the SIZE bytes of notes tell of a part that ends in START .. END?  *OTHER is then in the other part of its routine. */
static bool far_find(const char *notes, size_t size, uintptr_t start, uintptr_t end, uintptr_t *other)
{
	for (size_t one; (one = note_size((const void *)notes, size)); notes += one, size -= one)
		if (is_far((const void *)notes)) {
			const int32_t *last = (const int32_t *)(notes + NOTE_FAR_SIZE) - 2;
			uintptr_t part[2] = { (uintptr_t)&last[0] + (uintptr_t)(intptr_t)last[0], (uintptr_t)&last[1] + (uintptr_t)(intptr_t)last[1] };

			for (int i = 0; i < 2; i++)
				if (part[i] >= start && part[i] < end) {
					*other = part[!i];
					return true;
				}
		}
	return false;
}

/* The program headers at PHDR say where the frame descriptions are, at addresses that are less by BIAS. */
static void find_rules(const ElfW(Ehdr) *ehdr, const ElfW(Phdr) *phdr, uintptr_t bias, struct module_rules *rules)
{
	const ElfW(Phdr) *index = NULL;

	for (int i = 0; i < ehdr->e_phnum; i++)
		if (phdr[i].p_type == PT_GNU_EH_FRAME)
			index = &phdr[i];
	for (int i = 0; i < ehdr->e_phnum && index; i++)
		if (phdr[i].p_type == PT_LOAD && index->p_vaddr - phdr[i].p_vaddr < phdr[i].p_filesz)
			*rules = (struct module_rules){ (const uint8_t *)(bias + index->p_vaddr), bias + phdr[i].p_vaddr,
							bias + phdr[i].p_vaddr + phdr[i].p_filesz };
}

static void see_notes(const char *notes, size_t size, struct amon_module *r, struct module *m)
{
	uintptr_t near;

	if (!r->build_id_size)
		notes_build_id(notes, size, r);
	if (far_find(notes, size, 0, UINTPTR_MAX, &near)) {
		m->notes = notes;
		m->notes_size = size;
	}
}

/* Bias and build-id to R, the rest to M, from the ELF header at BASE, which is readable up to END. */
static void identify(uintptr_t base, uintptr_t end, struct amon_module *r, struct module *m)
{
	const ElfW(Ehdr) *ehdr = (const void *)base;
	const ElfW(Phdr) *phdr = (const void *)(base + ehdr->e_phoff);

	if (end - base < sizeof *ehdr || ehdr->e_ident[0] != 0x7f || ehdr->e_ident[1] != 'E' ||
	    ehdr->e_phoff > end - base || ehdr->e_phnum * sizeof *phdr > end - base - ehdr->e_phoff)
		return;
	for (int i = 0; i < ehdr->e_phnum; i++)
		if (phdr[i].p_type == PT_LOAD && phdr[i].p_offset == 0)
			r->bias = base - (phdr[i].p_vaddr & -(uint64_t)AMON_PAGE);
	for (int i = 0; i < ehdr->e_phnum; i++)
		if (phdr[i].p_type == PT_NOTE && phdr[i].p_offset + phdr[i].p_filesz <= end - base)
			see_notes((const char *)base + phdr[i].p_offset, phdr[i].p_filesz, r, m);
	find_rules(ehdr, phdr, r->bias, &m->rules);
}

/* ---- the table ---- */

static struct amon_module *record_new(size_t size)
{
	struct amon_module *r;

	if (!chunk || chunk->count + size > chunk->capacity) {
		struct amon_chunk *fresh = file_chunk(AMON_MODULES, AMON_NONE, CHUNK_BYTES, 1);

		if (!fresh || size > fresh->capacity)
			return NULL;
		chunk = fresh;
	}
	r = (struct amon_module *)((char *)chunk + chunk->first + chunk->count);
	return r;
}

static uintptr_t tag_of(const struct module *m) { return (uintptr_t)m->tag << KEY_TAG_SHIFT; }

static void hide(struct module *m)
{
	if (!m->record->hooked)
		return;
	if (!m->tag)
		m->tag = last_tag < UINT16_MAX ? ++last_tag : last_tag;
	routine_hide(m->start, m->end, tag_of(m));
	for (struct thread *t = monitor.threads; t; t = t->next)
		keys_hide(t, m->start, m->end, tag_of(m));
}

static void show(struct module *m)
{
	if (!m->tag || m->tag == UINT16_MAX)	/* that one is everybody's */
		return;
	routine_show(tag_of(m));
	for (struct thread *t = monitor.threads; t; t = t->next)
		keys_show(t, tag_of(m));
	__atomic_store_n(&monitor.shown, monitor.shown + 1, __ATOMIC_RELEASE);
}

static bool is_same(const struct amon_module *a, const struct amon_module *b, const char *path)
{
	if (a->start != b->start || a->end != b->end || a->offset != b->offset || a->bias != b->bias ||
	    !a->build_id_size || a->build_id_size != b->build_id_size || !str_equal((const char *)(a + 1), path))
		return false;
	for (int i = 0; i < a->build_id_size; i++)
		if (a->build_id[i] != b->build_id[i])
			return false;
	return true;
}

/* R, loaded from PATH, was there before: take up the old record. */
static bool revive(const struct amon_module *r, const char *path)
{
	for (uint32_t i = 0; i < nmodules; i++)
		if (modules[i].record->unloaded && is_same(modules[i].record, r, path)) {
			modules[i].record->unloaded = 0;
			modules[i].seen = true;
			show(&modules[i]);
			return true;
		}
	return false;
}

/* M is an executable mapping; HEAD the mapping of its file's first page. */
static void module_add(const struct mapping *m, const struct mapping *head)
{
	size_t path = str_length(m->path) + 1, size = (sizeof(struct amon_module) + path + 7) & ~(size_t)7;
	struct module *module = &modules[nmodules];
	struct module found = { .notes = NULL };
	struct amon_module *r;

	if (nmodules == MOST_MODULES || !(r = record_new(size)))
		return;
	*r = (struct amon_module){
		.size = (uint32_t)size, .epoch = epoch, .start = m->start, .end = m->end, .offset = m->offset,
		.bias = m->start - m->offset, .main_program = str_equal(m->path, monitor.header->program),
		.path_size = (uint32_t)path,
	};
	if (head->mode[0] == 'r')
		identify(head->start, head->end, r, &found);
	if (revive(r, m->path))			/* what was written here is not counted yet */
		return;
	mem_copy(r + 1, m->path, path);
	__atomic_store_n(&chunk->count, chunk->count + (uint32_t)size, __ATOMIC_RELEASE);
	*module = (struct module){ .start = m->start, .end = m->end, .record = r, .index = nrecords++, .seen = true, .rules = found.rules,
				   .notes = found.notes, .notes_size = found.notes_size };
	__atomic_store_n(&nmodules, nmodules + 1, __ATOMIC_RELEASE);
}

/* The dynamic linker may have another path for a file than the kernel has: BY_LOADER it does not count. */
static bool known(const struct mapping *m, bool by_loader)
{
	for (uint32_t i = 0; i < nmodules; i++)
		if (modules[i].start == m->start && modules[i].end == m->end && !modules[i].record->unloaded &&
		    (by_loader || str_equal((const char *)(modules[i].record + 1), m->path))) {
			modules[i].seen = true;
			return true;
		}
	return false;
}

/* A scan under way: the last mapping of a file's first page. */
struct scan {
	struct mapping head;
	uintptr_t end;		/* of what was mapped last */
	bool by_loader;		/* not by the map */
	char path[LINE];	/* head's */
};

/* Is M one more part of the module whose head was last?  The code of a small one, linked by lld, is on its file's first page, which is then mapped
 * twice. */
static bool goes_on(const struct scan *scan, const struct mapping *m)
{
	return m->start == scan->end && str_equal(scan->head.path, m->path) && m->path[0];
}

static void scan_mapping(const struct mapping *m, void *arg)
{
	struct scan *scan = arg;

	if (m->offset == 0 && !goes_on(scan, m)) {
		scan->head = *m;
		mem_copy(scan->path, m->path, str_length(m->path) + 1);
		scan->head.path = scan->path;
	}
	scan->end = m->end;
	if (m->mode[2] != 'x' || m->path[0] == 0 || str_equal(m->path, "[vsyscall]") || known(m, scan->by_loader))
		return;
	if (!str_equal(scan->head.path, m->path))
		scan->head = (struct mapping){ .path = "", .mode = "----" };
	module_add(m, &scan->head);
}

static bool scan_line(char *line, void *arg)
{
	struct mapping m;

	if (parse(line, &m))
		scan_mapping(&m, arg);
	return false;
}

/* Hand each line of the memory map to VISIT, until it returns true.  The lock is held: one buffer.  False: the map could not be read. */
static bool each_line(bool (*visit)(char *line, void *arg), void *arg)
{
	static char buffer[LINE * 2];
	size_t have = 0;
	bool stop = false;
	long n, fd = sys4(openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);

	if (sys_failed(fd))
		return false;
	while (!stop && (n = sys3(read, fd, buffer + have, sizeof buffer - have)) > 0) {
		size_t done = 0;

		have += (size_t)n;
		for (size_t i = 0; i < have && !stop; i++)
			if (buffer[i] == '\n') {
				buffer[i] = 0;
				stop = visit(buffer + done, arg);
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

void module_scan(void)
{
	static struct scan scan;

	bool whole;

	scan.head = (struct mapping){ .path = "", .mode = "----" };
	scan.end = 0;
	for (uint32_t i = 0; i < nmodules; i++)
		modules[i].seen = false;
	sys_valgrind(true);
	scan.by_loader = !each_line(scan_line, &scan);
	whole = !scan.by_loader || loader_modules(scan_mapping, &scan);
	sys_valgrind(false);
	if (scan.by_loader)
		note_once(AMON_NOTE_NO_PROC);
	for (uint32_t i = 0; whole && i < nmodules; i++)
		if (!modules[i].seen && !modules[i].record->unloaded) {
			modules[i].record->unloaded = 1;
			hide(&modules[i]);
			note(AMON_NOTE_UNLOADED);
			__atomic_store_n(&epoch, epoch + 1, __ATOMIC_RELEASE);
		}
}

void module_unloaded(void)
{
	uint64_t mask;

	sys_block_signals(&mask);
	sys_lock(&monitor.lock);
	module_scan();
	sys_unlock(&monitor.lock);
	sys_restore_signals(&mask);
}

struct range { uintptr_t address, low, high; bool grows, is_code; };

static bool range_line(char *line, void *arg)
{
	struct range *range = arg;
	struct mapping m;

	if (!parse(line, &m) || range->address < m.start || range->address >= m.end)
		return false;
	range->low = m.start;
	range->high = m.end;
	range->grows = str_equal(m.path, "[stack]");
	range->is_code = m.mode[0] == 'r' && m.mode[1] == '-' && m.mode[2] == 'x' && m.mode[3] == 'p';
	return true;
}

bool module_range(uintptr_t address, uintptr_t *low, uintptr_t *high)
{
	struct range range = { .address = address };

	sys_lock(&monitor.lock);
	if (!each_line(range_line, &range) && !loader_range(address, &range.low, &range.high, &range.grows))
		range.high = 0;
	sys_unlock(&monitor.lock);
	*low = range.grows ? address - (range.high - address) : range.low;
	*high = range.high;
	return range.high != 0;
}

bool module_code(uintptr_t address, uintptr_t *low, uintptr_t *high)
{
	struct range range = { .address = address };

	sys_lock(&monitor.lock);
	each_line(range_line, &range);
	sys_unlock(&monitor.lock);
	*low = range.low;
	*high = range.high;
	return range.is_code;
}

/* Without the lock one that is going may be found. */
static struct module *find(uintptr_t address)
{
	for (uint32_t i = __atomic_load_n(&nmodules, __ATOMIC_ACQUIRE); i-- > 0;)
		if (address >= modules[i].start && address < modules[i].end && !modules[i].record->unloaded)
			return &modules[i];
	return NULL;
}

uint32_t module_find(uintptr_t address, bool hooked)
{
	struct module *m = find(address);

	if (!m) {
		module_scan();
		m = find(address);
	}
	if (m && hooked)
		m->record->hooked = 1;
	return m ? m->index : AMON_NONE;
}

uint32_t module_epoch(void) { return __atomic_load_n(&epoch, __ATOMIC_ACQUIRE); }

bool module_rules(uintptr_t address, struct module_rules *rules)
{
	struct module *m = find(address);

	if (!m) {
		sys_lock(&monitor.lock);
		module_scan();
		m = find(address);
		sys_unlock(&monitor.lock);
	}
	if (m)
		*rules = m->rules;
	return m;
}

bool module_other_part(uintptr_t start, uintptr_t end, uintptr_t *other)
{
	const struct module *m = find(start);

	return m && far_find(m->notes, m->notes_size, start, end, other);
}

bool module_hides_parts(uintptr_t address)
{
	const struct module *m = find(address);

	return m && m->record->hooked && !m->notes;
}

void module_forget(void)
{
	nmodules = nrecords = epoch = 0;
	chunk = NULL;
}
