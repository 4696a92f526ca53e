/* objects.c - by which way an object was compiled stands in the options that GCC keeps in it (section .gnu.lto_.opts: each in quotes, the last zero). */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "compile/objects.h"

static bool objects_has(const char *options, size_t size, const char *option)
{
	return memmem(options, size, option, strlen(option));
}

/* By the words of way_compile_flags.  A program's own -finstrument-functions has no -fno-partial-inlining beside it. */
static enum hooks objects_hooks_of(const char *options, size_t size)
{
	if (objects_has(options, size, "'-fplugin=") && objects_has(options, size, "/aprof_gcc"))
		return HOOKS_INLINE;
	if (objects_has(options, size, "'-mfentry-name=__aprof_entry'"))
		return HOOKS_FENTRY;
	if (objects_has(options, size, "'-finstrument-functions'") && objects_has(options, size, "'-fno-partial-inlining'"))
		return HOOKS_CYG;
	return HOOKS_NONE;
}

/* The way of the object ELF; HOOKS_NONE also if its code is not made at the link. */
static enum hooks elf_hooks(Elf *elf)
{
	enum hooks hooks = HOOKS_NONE;
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return HOOKS_NONE;
	while (hooks == HOOKS_NONE && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		const Elf_Data *data = name && !strcmp(name, ".gnu.lto_.opts") ? elf_getdata(section, NULL) : NULL;

		if (data && data->d_buf)
			hooks = objects_hooks_of(data->d_buf, data->d_size);
	}
	return hooks;
}

/* The plugin hooks whatever code it makes; hooks that GCC calls are in the routine since it was compiled (cyg), or in none. */
static bool goes_wrong(enum hooks object, enum hooks link)
{
	return object != HOOKS_NONE && object != link && (link != HOOKS_INLINE || object == HOOKS_CYG);
}

static bool check_elf(Elf *elf, const char *path, const char *member, enum hooks link, struct error *err)
{
	enum hooks object = elf_hooks(elf);

	if (!goes_wrong(object, link))
		return true;
	return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "%s%s%s%s: -flto: its code is made at the link, here by method %s, but it was compiled by method %s: "
			 "compile it by method %s, or link with --aprof-way=%s", path, member ? "(" : "", member ? member : "", member ? ")" : "",
			 way_name(link), way_name(object), way_name(link), way_name(object));
}

static bool check_members(Elf *archive, int file, const char *path, enum hooks link, struct error *err)
{
	Elf_Cmd command = ELF_C_READ_MMAP;
	bool good = true;
	Elf *member;

	while (good && (member = elf_begin(file, command, archive))) {
		const Elf_Arhdr *header = elf_getarhdr(member);

		if (elf_kind(member) == ELF_K_ELF)
			good = check_elf(member, path, header ? header->ar_name : "?", link, err);
		command = elf_next(member);
		elf_end(member);
	}
	return good;
}

static bool check_file(const char *path, enum hooks link, struct error *err)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf *elf = file >= 0 ? elf_begin(file, ELF_C_READ_MMAP, NULL) : NULL;
	bool good = true;

	if (elf && elf_kind(elf) == ELF_K_AR)
		good = check_members(elf, file, path, link, err);
	else if (elf && elf_kind(elf) == ELF_K_ELF)
		good = check_elf(elf, path, NULL, link, err);
	elf_end(elf);
	if (file >= 0)
		close(file);
	return good;
}

/* The directory that word I of LINE adds to those where libraries are, or NULL. */
static const char *library_directory(const struct line *line, size_t i)
{
	const char *w = line->words.items[i];

	if (line->kinds[i] == WORD_OPTION && !strncmp(w, "-L", 2) && w[2])
		return w + 2;
	return line->kinds[i] == WORD_VALUE && !strcmp(line->words.items[i - 1], "-L") ? w : NULL;
}

/* Is there a file of the library NAME in DIRECTORY, with SUFFIX?  PATH: its path. */
static bool is_library(const char *directory, const char *name, const char *suffix, char path[static PATH_MAX])
{
	if (name[0] == ':')
		snprintf(path, PATH_MAX, "%s/%s", directory, name + 1);
	else
		snprintf(path, PATH_MAX, "%s/lib%s%s", directory, name, suffix);
	return access(path, R_OK) == 0;
}

/* The library -lNAME, where the linker finds an archive first. */
static bool check_library(const struct line *line, const char *name, enum hooks link, struct error *err)
{
	for (size_t i = 0; i < line->words.count; i++) {
		const char *directory = library_directory(line, i);
		char path[PATH_MAX];

		if (directory && !line->fixed && is_library(directory, name, ".so", path))
			return check_file(path, link, err);
		if (directory && is_library(directory, name, ".a", path))
			return check_file(path, link, err);
	}
	return true;
}

bool objects_check(const struct line *line, enum hooks hooks, struct error *err)
{
	bool good = true;

	if (line->action != ACTION_LINK || hooks == HOOKS_NONE || line->no_lto)
		return true;
	elf_version(EV_CURRENT);
	for (size_t i = 0; i < line->words.count && good; i++) {
		const char *w = line->words.items[i];

		if (line->kinds[i] != WORD_OBJECT)
			continue;
		if (!strncmp(w, "-l", 2))
			good = check_library(line, w + 2, hooks, err);
		else if (i > 0 && !strcmp(line->words.items[i - 1], "-l"))
			good = check_library(line, w, hooks, err);
		else
			good = check_file(w, hooks, err);
	}
	return good;
}
