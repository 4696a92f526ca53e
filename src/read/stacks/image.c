/* image.c - files of code. */
#include "read/stacks/image.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/proc.h"
#include "read/symbols/eh_frame.h"
#include "read/symbols/kept_files.h"
#include "read/symbols/open_files.h"

/* Names are looked up when a report is made; here nobody looks for a debug file, but for what is inlined. */
static int no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file, const char *link, GElf_Word crc,
			 char **found)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
	return -1;
}

static const Dwfl_Callbacks callbacks = { .find_elf = dwfl_build_id_find_elf, .find_debuginfo = no_debug_file };

/* Is the file at PATH the one mapped?  The device that the kernel names is not always the one that stat tells (overlays, btrfs). */
static bool image_is_same(const char *path, uint64_t inode)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && (!inode || st.st_ino == inode);
}

static bool image_open_at(struct image *i, const char *path, const Dwfl_Callbacks *how)
{
	struct error ignored;

	return image_is_same(path, i->inode) && binary_open(&i->binary, path, how, &ignored);
}

/* The same where the file has another name, or none: keep it for who reads the profile. */
static bool image_open_elsewhere(struct image *i, const char *path, const Dwfl_Callbacks *how)
{
	return image_open_at(i, path, how) && (open_files_keep(i->path, path) || true);
}

/* The same by what process PID has mapped, which opens files that were deleted: for root. */
static bool open_mapped(struct image *i, pid_t pid, const Dwfl_Callbacks *how)
{
	char path[64 + 256];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/map_files", (int)pid);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		snprintf(path, sizeof path, "/proc/%d/map_files/%s", (int)pid, entry->d_name);
		found = image_open_elsewhere(i, path, how);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool image_open_file(struct image *i, pid_t pid, const Dwfl_Callbacks *how)
{
	struct error ignored;
	char path[PATH_MAX + 32];

	if (!strcmp(i->path, "[vdso]"))
		return binary_open_vdso(&i->binary, how, &ignored);
	if (i->path[0] != '/' || i->path[1] == '/')		/* anonymous memory */
		return false;
	if (image_open_at(i, i->path, how))
		return true;
	pid = proc_thread(pid);
	snprintf(path, sizeof path, "/proc/%d/root%s", (int)pid, i->path);
	if (image_open_elsewhere(i, path, how))
		return true;
	snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);	/* a program that was deleted */
	return i->inode && (image_open_elsewhere(i, path, how) || open_mapped(i, pid, how));
}

static void image_build_id_take(struct image *i)
{
	const uint8_t *id;
	size_t size = binary_build_id(&i->binary, &id);

	i->build_id_size = (uint8_t)(size <= sizeof i->build_id ? size : 0);
	memcpy(i->build_id, id, i->build_id_size);
}

/* Has the open file the build-id ID, or as much of it as is told? */
static bool image_has(const struct image *i, const uint8_t *id, size_t size)
{
	return size <= i->build_id_size && memcmp(id, i->build_id, size) == 0;
}

/* The file with the build-id ID that is kept somewhere. */
static bool image_open_kept(struct image *i, const uint8_t *id, size_t size, const Dwfl_Callbacks *how)
{
	char path[PATH_MAX];
	struct error ignored;

	for (size_t next = 0; kept_files_next(id, size, KEPT_CODE, &next, path);) {
		if (!binary_open(&i->binary, path, how, &ignored))
			continue;
		image_build_id_take(i);
		if (image_has(i, id, size))
			return true;
		binary_close(&i->binary);
	}
	return false;
}

/* Open it, as it is mapped or as it is kept. */
static bool image_open(const struct images *s, struct image *i, pid_t pid, const Dwfl_Callbacks *how)
{
	size_t size = 0;
	const uint8_t *id = s->told ? s->told(s->told_arg, i->path, &size) : NULL;

	if (image_open_file(i, pid, how)) {
		image_build_id_take(i);
		if (!size || image_has(i, id, size))
			return true;
		binary_close(&i->binary);
		i->build_id_size = 0;
	}
	return size && image_open_kept(i, id, size, how);
}

static struct image *image_new(const struct images *s, pid_t pid, const char *path, uint64_t device, uint64_t inode)
{
	const Dwfl_Callbacks *how = s->callbacks.find_elf ? &s->callbacks : &callbacks;
	struct image *i = calloc(1, sizeof *i);

	if (!i || !(i->path = strdup(path))) {
		free(i);
		return NULL;
	}
	i->device = device;
	i->inode = inode;
	i->present = image_open(s, i, pid, how);
	if (!i->present)
		return i;
	go_table_read(&i->go, &i->binary);
	i->rules = rules_new(i->binary.elf, &i->go);
	return i;
}

bool images_with_debug_files(struct images *s) { return binary_find_debug_files(&s->callbacks, &s->debug_path); }

struct image *images_find(struct images *s, pid_t pid, const char *path, uint64_t device, uint64_t inode)
{
	struct image *i;

	for (uint32_t k = 0; k < s->n; k++)
		if (s->all[k]->inode == inode && s->all[k]->device == device && !strcmp(s->all[k]->path, path))
			return s->all[k];
	if (!array_grow(&s->all, &s->room, s->n, sizeof *s->all) || !(i = image_new(s, pid, path, device, inode)))
		return NULL;
	return s->all[s->n++] = i;
}

void images_free(struct images *s)
{
	for (uint32_t k = 0; k < s->n; k++) {
		struct image *i = s->all[k];

		rules_free(i->rules);
		debug_free(&i->debug);
		if (i->present)
			binary_close(&i->binary);
		free(i->path);
		free(i);
	}
	free(s->all);
	free(s->debug_path);
	*s = (struct images){ 0 };
}

static bool image_is_jump(const struct image *i, uint64_t address)
{
	const struct area *area = i->present ? binary_area(&i->binary, address) : NULL;

	return area && area->plt;
}

/* ([endbr64]) sub $8,%rsp; ...; add $8,%rsp; ret */
static int pushed_by_init(const unsigned char *code, size_t length, uint64_t address, uint64_t start)
{
	static const unsigned char endbr64[4] = { 0xf3, 0x0f, 0x1e, 0xfa }, down[4] = { 0x48, 0x83, 0xec, 8 }, ret = 0xc3;
	size_t at = address - start, begin = length >= 8 && !memcmp(code, endbr64, 4) ? 4 : 0;

	if (at >= length || length < begin + 4 || memcmp(code + begin, down, 4))
		return -1;
	return at <= begin || code[at] == ret ? 0 : 8;
}

/* The SIZE bytes of code before ADDRESS; NULL: they are not known. */
static const unsigned char *code_before(const struct image *i, uint64_t address, size_t size)
{
	const unsigned char *code;
	size_t length;

	if (!i->present || !binary_area(&i->binary, address - size) || !(code = binary_bytes(&i->binary, address - size, &length)) || length < size)
		return NULL;
	return code;
}

enum { LONGEST_CALL = 7 };

/* How long the call by register or memory at CODE is; 0: it is none. */
static int image_length_of_call(const unsigned char *code)
{
	unsigned mode = code[1] >> 6, place = code[1] & 7;
	bool indexed = mode != 3 && place == 4;

	if (code[0] != 0xff || (code[1] >> 3 & 7) != 2)
		return 0;
	if (mode == 0)
		return 2 + indexed + (place == 5 || (indexed && (code[2] & 7) == 5) ? 4 : 0);
	return 2 + indexed + (mode == 1 ? 1 : mode == 2 ? 4 : 0);
}

/* Does CODE, of so many bytes, end with call rel32, or with call by register or memory? */
static bool ends_with_call(const unsigned char *code)
{
	unsigned char padded[LONGEST_CALL + 1] = { 0 };	/* what the shortest may name behind itself */

	memcpy(padded, code, LONGEST_CALL);
	if (code[LONGEST_CALL - 5] == 0xe8)
		return true;
	for (int size = 2; size <= LONGEST_CALL; size++)
		if (image_length_of_call(padded + LONGEST_CALL - size) == size)
			return true;
	return false;
}

bool image_is_behind_call(const struct image *i, uint64_t address)
{
	const unsigned char *code = code_before(i, address, LONGEST_CALL);

	return code && ends_with_call(code);
}

bool image_is_behind_other(const struct image *i, uint64_t address)
{
	const unsigned char *code = code_before(i, address, LONGEST_CALL);

	return code && !ends_with_call(code);
}

bool image_is_behind_register_call(const struct image *i, uint64_t address)
{
	const unsigned char *code = code_before(i, address, 2);

	return code && code[0] == 0xff && (code[1] & 0xf8) == 0xd0;
}

uint64_t image_called(const struct image *i, uint64_t address)
{
	enum { CALL = 0xe8, SIZE = 5 };
	const unsigned char *code;
	uint64_t to;
	int32_t by;
	size_t length;

	if (!i->present || !binary_area(&i->binary, address - SIZE) || !(code = binary_bytes(&i->binary, address - SIZE, &length)) || length < SIZE
	    || code[0] != CALL)
		return 0;
	memcpy(&by, code + 1, sizeof by);
	to = address + (uint64_t)(int64_t)by;
	return binary_area(&i->binary, to) ? to : 0;
}

int image_pushed(const struct image *i, uint64_t address, bool called)
{
	const struct area *area = i->present ? binary_area(&i->binary, address) : NULL;
	const unsigned char *code;
	size_t length;

	if (area && area->plt && !called)
		return 0;
	if (!area || !area->init || !(code = binary_bytes(&i->binary, area->start, &length)))
		return -1;
	return pushed_by_init(code, length < area->end - area->start ? length : area->end - area->start, address, area->start);
}

bool image_is_entry(const struct image *i, uint64_t address)
{
	GElf_Ehdr header;

	return i->present && gelf_getehdr(i->binary.elf, &header) && header.e_entry && address == header.e_entry;
}

bool image_is_signal(const struct image *i, uint64_t address)
{
	const struct rules_line *line = i->rules ? rules_find(i->rules, address) : NULL;

	return line && line->signal;
}

uint64_t image_function(struct image *i, uint64_t address)
{
	struct go_function function;
	uint64_t start, end;

	if (image_is_jump(i, address))
		return 0;
	if (i->present && unwind_find(&i->binary, address, &start, &end))
		return start;
	return i->go.bytes && go_table_find(&i->go, address, &function) ? function.start : address;
}

void image_inlined(struct image *i, uint64_t address, void (*visit)(void *arg, const struct debug_inlined *function), void *arg)
{
	if (!i->debug_known && i->present && !debug_read(&i->debug, &i->binary))
		debug_free(&i->debug);
	i->debug_known = true;
	debug_inlined(&i->debug, address, visit, arg);
}
