/* binary.h - an ELF file opened through libdwfl at bias 0, so that its addresses are the link-time ones. */
#ifndef SYMBOLS_BINARY_H
#define SYMBOLS_BINARY_H

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Where code is. */
struct area {
	uint64_t start;		/* link-time address */
	uint64_t end;		/* one past the last */
	bool plt;		/* a section of the linker's jumps to other modules */
	bool init;		/* .init or .fini, made of pieces by the linker */
};

/* What the file maps where. */
struct load {
	uint64_t start;		/* link-time address */
	uint64_t offset;	/* of the same byte in the file */
	uint64_t size;		/* bytes that the file has of it */
	bool code;		/* it is mapped to be executed */
};

struct binary {
	Dwfl *dwfl;		/* a session of its own; NULL: not open */
	Dwfl_Module *module;	/* the one module in it */
	Elf *elf;		/* the file itself, not its debug file */
	const unsigned char *bytes; /* contents of the file */
	size_t size;		/* how many */
	unsigned machine;	/* e_machine */
	struct area *code;	/* executable sections by address, or segments where sections are gone */
	size_t ncode;		/* how many */
	struct load *loads;	/* mapped parts of the file, by address; of two that overlap the later has what follows its start */
	size_t nloads;		/* how many */
};

/* Have libdwfl look for separate debug files where symbols.h says: *CALLBACKS, and *PATH, malloc'ed, which it points to.  False: out of memory. */
bool binary_find_debug_files(Dwfl_Callbacks *callbacks, char **path);

/* Open the file PATH, which need not have symbols.  CALLBACKS must live until binary_close.
 * False with *ERR set (ERROR_SYSTEM, ERROR_NOT_ELF, ERROR_MEMORY), B then being as after binary_close. */
bool binary_open(struct binary *b, const char *path, const Dwfl_Callbacks *callbacks, struct error *err);

/* The same for the vDSO of this very process, whose file is nowhere. */
bool binary_open_vdso(struct binary *b, const Dwfl_Callbacks *callbacks, struct error *err);

void binary_close(struct binary *b);

/* About how much CPU time it takes to read the DWARF of B, or of its debug file, ns: a cautious guess by its size.  0: it has none. */
uint64_t binary_debug_cost(const struct binary *b);

/* The GNU build-id: sets *ID and returns its size, bytes; 0: it has none. */
size_t binary_build_id(const struct binary *b, const uint8_t **id);

/* The section called NAME: fills HEADER; NULL: there is none. */
Elf_Scn *binary_section(const struct binary *b, const char *name, GElf_Shdr *header);

/* The code that holds ADDRESS; NULL: none does. */
const struct area *binary_area(const struct binary *b, uint64_t address);

/* The bytes that the file maps at ADDRESS: sets *LENGTH to how many there are; NULL: none. */
const unsigned char *binary_bytes(const struct binary *b, uint64_t address, size_t *length);

#endif
