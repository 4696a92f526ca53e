/* places.h - the one way from an address that a file of other people's has to a function: by what its process had mapped there, as the recorder finds it.
 *
 *     a file's code              the function by its unwind tables or Go's; its name is found by who reads the profile.  The file is the one that ran, as far as build-ids tell, where it
 *                                was or where it is kept (read/symbols/kept_files.h); those that the compiler put into it by its debug information, if that is at hand
 *     code made at run time      by /tmp/perf-PID.map, and a jitdump that was mapped (read/stacks/jit.h)
 *     the kernel's               by /proc/kallsyms, if it is that kernel, or by the copy that perf record has kept of it (read/stacks/kallsyms.h) */
#ifndef IMPORT_PLACES_H
#define IMPORT_PLACES_H

#include "read/import/profile_builder.h"
#include "read/stacks/inlined.h"
#include "read/stacks/jit.h"
#include "read/stacks/kallsyms.h"
#include "read/stacks/space.h"

struct place_known;

struct places {
	struct builder *builder;
	struct images images;
	struct place_file *files;	/* files of code, with what is told of them */
	uint32_t nfiles;
	size_t files_room;
	struct place_known *known;	/* addresses met; NULL: none yet */
	struct inlined inlined;
	struct kernel *kernel;		/* NULL: nobody tells of it */
	bool kernel_known;		/* it was asked for */
	uint64_t kernel_shift;		/* where it ran less where `kernel` has it */
	char reference[32];		/* a symbol of the kernel's; "": none is told */
	uint64_t referred;		/* where it was when the file was made */
	const char *release;		/* of that kernel, as uname has it, not owned; NULL: not told */
};

/* None yet, for BUILDER; P stays where it is. */
void places_begin(struct places *p, struct builder *builder);
void places_end(struct places *p);

/* The build-id of SIZE bytes is that of the code that is mapped as PATH; to be told before it is mapped.  "[kernel.kallsyms]" is the kernel. */
bool places_tell(struct places *p, const char *path, const uint8_t *id, size_t size);

/* The kernel's symbol NAME was at ADDRESS; to be told before one of its functions is asked for. */
void places_tell_kernel(struct places *p, const char *name, uint64_t address);

/* A process. */
struct places_process {
	struct space space;		/* what it has mapped: space_map, or space_renew */
	uint32_t pid;			/* 0: not known */
	struct jit *jit;		/* NULL: not asked for yet */
	uint32_t looked;		/* space.made up to which its mappings were looked at for jitdumps */
};

void places_process_begin(struct places *p, struct places_process *process, uint32_t pid);
void places_process_end(struct places_process *process);

/* What is at an address of a process. */
struct place {
	uint32_t function;
	struct builder_place at;	/* the address in its file; of no module: it is in none */
	struct image *image;		/* that file; NULL: none */
	bool is_signal;			/* a signal's handler returns there */
	bool is_there;			/* it is in a file, and that is at hand */
};

/* Find what is at ADDRESS of PROCESS.  False: memory is short. */
bool places_find(struct places *p, struct places_process *process, uint64_t address, struct place *found);

/* The functions that the code at PLACE was inlined from, outermost first, *N of them, but not the one that has the code.  *ENTRY: where the code of the first begins, in the
 * same module; 0: unknown.  Valid until the next call. */
const uint32_t *places_inlined(struct places *p, const struct place *place, uint32_t *n, uint64_t *entry);

/* The kernel's function at ADDRESS, BUILDER_NONE if nobody tells, to *FUNCTION.  False: memory is short. */
bool places_find_kernel(struct places *p, uint64_t address, uint32_t *function);

/* The module of the builder that IMAGE is. */
uint32_t places_module(struct places *p, const struct image *image);

#endif
