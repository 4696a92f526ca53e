/* switches.c - calls of routines that switch stacks, where the monitor does not know their names: as inside/x86_64/switches.h has it, for other names. */
#include "compile/switches.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile/probe.h"
#include "compile/way.h"

/* What shared libraries call, and what the linker leads others to (--wrap). */
static const char assembly[] =
	"\t.text\n"
	"\t.weak %1$s\n"
	"\t.type %1$s, @function\n"
	"\t.type aprof_name_%1$s, @function\n"
	"%1$s:\n"
	"aprof_name_%1$s:\n"
	"\tendbr64\n"
	"\tjmp __wrap_%1$s\n"
	"\t.globl __wrap_%1$s\n"
	"\t.type __wrap_%1$s, @function\n"
	"__wrap_%1$s:\n"
	"\t.cfi_startproc\n"
	"\tendbr64\n"
	"\tpushq %%rax\n"
	"\t.cfi_adjust_cfa_offset 8\n"
	"\tleaq .Lplace%2$zu(%%rip), %%rax\n"
	"\tpushq %%rax\n"
	"\t.cfi_adjust_cfa_offset 8\n"
	"\tjmp __aprof_switch@PLT\n"
	"\t.cfi_endproc\n"
	"\t.section .rodata\n"
	".Lname%2$zu:\n"
	"\t.asciz \"%1$s\"\n"
	"\t.data\n"
	"\t.balign 8\n"
	"\t.weak __real_%1$s\n"
	".Lplace%2$zu:\n"
	"\t.quad __real_%1$s, aprof_name_%1$s, 0, .Lname%2$zu\n"
	"\t.section .note.GNU-stack, \"\", @progbits\n";

static bool is_symbol(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_.$", *c))
			return false;
	return *name && !isdigit((unsigned char)*name);
}

static bool switches_is_among(const struct list *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names->items[i], names->items[n]))
			return true;
	return false;
}

/* Write what there is to say of NAMES to the file at PATH; how many they are, or -1. */
static int write_assembly(const char *path, const struct list *names)
{
	FILE *out = fopen(path, "w");
	int n = 0;
	bool good;

	if (!out)
		return -1;
	for (size_t i = 0; i < names->count; i++)
		if (!way_knows_switch(names->items[i]) && !switches_is_among(names, i)) {
			fprintf(out, assembly, names->items[i], i);
			n++;
		}
	good = !ferror(out);
	return fclose(out) || !good ? -1 : n;
}

static bool assemble(const struct found *compiler, const char *source, const char *object)
{
	struct list command = {0};

	list_add_all(&command, compiler->words.items);
	list_add_words(&command, "-c -x assembler");
	list_add(&command, source);
	list_add(&command, "-o");
	list_add(&command, object);
	return probe_succeeds(compiler, &command);
}

/* The object in the empty DIRECTORY, opened; -1: it cannot be made, -2: there is nothing to be in it. */
static int make_in(const char *directory, const struct found *compiler, const struct list *names)
{
	char *source = NULL, *object = NULL;
	int fd = -1, n;

	if (asprintf(&source, "%s/s.s", directory) < 0 || asprintf(&object, "%s/s.o", directory) < 0)
		return -1;
	n = write_assembly(source, names);
	if (n == 0)
		fd = -2;
	else if (n > 0 && assemble(compiler, source, object))
		fd = open(object, O_RDONLY);		/* for the linker: it stays open */
	unlink(source);
	unlink(object);
	free(source);
	free(object);
	return fd;
}

bool switches_make(const struct found *compiler, const struct list *names, char **path, struct error *err)
{
	const char *tmp = getenv("TMPDIR");
	char *directory;
	int fd = -1;

	*path = NULL;
	for (size_t i = 0; i < names->count; i++)
		if (!is_symbol(names->items[i]))
			return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "--aprof-switch=%s: that is no name in assembly", names->items[i]);
	if (asprintf(&directory, "%s/aprof-switches-XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0)
		return error_no_memory_for(err, "names of routines");
	if (mkdtemp(directory)) {
		fd = make_in(directory, compiler, names);
		rmdir(directory);
	}
	free(directory);
	if (fd == -1)
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "--aprof-switch: what the linker needs could not be assembled in TMPDIR");
	return fd == -2 || asprintf(path, "/proc/self/fd/%d", fd) >= 0 || error_no_memory_for(err, "names of routines");
}
