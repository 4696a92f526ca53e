/* image.h - files of code that processes have mapped: each opened once, for all of them. */
#ifndef SAMPLE_IMAGE_H
#define SAMPLE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "read/stacks/rules.h"
#include "read/symbols/binary.h"
#include "read/symbols/debug_info.h"
#include "read/symbols/go_table.h"

struct image {
	char *path;			/* as mapped; "[vdso]" */
	uint64_t device, inode;		/* of the file; 0: it has none */
	bool present;			/* it could be opened; nothing that follows else */
	struct binary binary;
	struct rules *rules;
	struct go_table go;		/* of a program in Go */
	struct debug_info debug;	/* read when it is first asked about */
	bool debug_known;
	uint8_t build_id[32];		/* GNU build-id */
	uint8_t build_id_size;		/* bytes of it; 0: none */
};

struct images {
	struct image **all;
	uint32_t n;
	size_t room;
	Dwfl_Callbacks callbacks;	/* how debug files are found; zero: nobody looks for any */
	char *debug_path;		/* where */
	/* The build-id that the file mapped as PATH had, *SIZE bytes, perhaps without zeros at its end; *SIZE 0: that is not told.  NULL: nobody tells.  What has another one is not
	 * `present`; what has it is looked for where it is kept, too (kept_files.h). */
	const uint8_t *(*told)(void *arg, const char *path, size_t *size);
	void *told_arg;
};

/* What is inlined is to be asked for: have S, which is new, look for debug files.  False: out of memory. */
bool images_with_debug_files(struct images *s);

/* The file that process PID has mapped as PATH, of DEVICE and INODE: opened through the process's own root, where it has another one.  What
 * cannot be opened, or is another file by now, is not `present`.  NULL: out of memory. */
struct image *images_find(struct images *s, pid_t pid, const char *path, uint64_t device, uint64_t inode);
void images_free(struct images *s);

/* Code that no table describes: how many bytes a thread has pushed above the address that it returns to, at ADDRESS, link-time, in a linker's table
 * of jumps to other files (not behind a call there), or in _init or _fini as glibc has them.  -1: it is other code. */
int image_pushed(const struct image *i, uint64_t address, bool called);

/* Whether a call's instruction ends at ADDRESS, link-time. */
bool image_is_behind_call(const struct image *i, uint64_t address);

/* Whether it is known that none does. */
bool image_is_behind_other(const struct image *i, uint64_t address);

/* Whether one by a register does. */
bool image_is_behind_register_call(const struct image *i, uint64_t address);

/* The link-time address that the call whose instruction ends at ADDRESS leads to; 0: it has none in it, or there is no call. */
uint64_t image_called(const struct image *i, uint64_t address);

/* Whether ADDRESS, link-time, is where the file is entered: there nothing was called yet. */
bool image_is_entry(const struct image *i, uint64_t address);

/* Whether ADDRESS is of the kernel's frame below a signal handler's. */
bool image_is_signal(const struct image *i, uint64_t address);

/* The link-time address where the function around ADDRESS begins: what the unwind table says, else Go's own, else ADDRESS.  0: it is
 * in a linker's table of jumps. */
uint64_t image_function(struct image *i, uint64_t address);

/* Call VISIT with the functions that the code at ADDRESS, link-time, was inlined from, outermost first. */
void image_inlined(struct image *i, uint64_t address, void (*visit)(void *arg, const struct debug_inlined *function), void *arg);

#endif
