/* places.c - from an address to a function of a builder. */
#include "read/import/places.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/array.h"
#include "base/table.h"
#include "read/symbols/kept_files.h"
#include "read/symbols/symbols.h"

enum { KNOWN = 1 << 15 };		/* places for addresses */

#define KERNEL "[kernel.kallsyms]"

struct place_file {
	char *path;			/* malloc'ed */
	uint8_t id[32];
	size_t size;			/* bytes of it */
};

struct place_known {
	const struct image *image;	/* NULL: none yet */
	struct place place;
};

static const struct place_file *places_file_find(const struct places *p, const char *path)
{
	for (uint32_t i = 0; i < p->nfiles; i++)
		if (strcmp(p->files[i].path, path) == 0)
			return &p->files[i];
	return NULL;
}

static const uint8_t *places_id_of(void *arg, const char *path, size_t *size)
{
	const struct place_file *f = places_file_find(arg, path);

	*size = f ? f->size : 0;
	return f ? f->id : NULL;
}

static uint32_t inlined_number(void *arg, const struct debug_inlined *f)
{
	struct places *p = arg;
	uint32_t module = builder_module(p->builder, SYMBOLS_INLINED_MODULE, NULL, 0);

	return module == BUILDER_NONE ? module :
		builder_function(p->builder, &(struct builder_function){ .module = module, .name = f->name, .file = f->file, .line = f->line });
}

void places_begin(struct places *p, struct builder *builder)
{
	*p = (struct places){ .builder = builder, .images.told = places_id_of, .images.told_arg = p, .inlined.number = inlined_number, .inlined.arg = p };
	images_with_debug_files(&p->images);	/* without memory for that what is inlined is not told */
}

void places_end(struct places *p)
{
	for (uint32_t i = 0; i < p->nfiles; i++)
		free(p->files[i].path);
	free(p->files);
	free(p->known);
	inlined_free(&p->inlined);
	kernel_free(p->kernel);
	images_free(&p->images);
}

bool places_tell(struct places *p, const char *path, const uint8_t *id, size_t size)
{
	struct place_file f = { .size = size < sizeof f.id ? size : sizeof f.id };

	if (!size || places_file_find(p, path))
		return true;
	if (!array_grow(&p->files, &p->files_room, p->nfiles, sizeof f) || !(f.path = strdup(path)))
		return false;
	memcpy(f.id, id, f.size);
	while (f.size > 0 && f.id[f.size - 1] == 0)	/* perf fills them up */
		f.size--;
	p->files[p->nfiles++] = f;
	return true;
}

/* ---- files ---- */

uint32_t places_module(struct places *p, const struct image *i)
{
	const struct place_file *f = i->present ? NULL : places_file_find(p, i->path);

	return f ? builder_module(p->builder, i->path, f->id, f->size) : builder_module(p->builder, i->path, i->build_id, i->build_id_size);
}

/* What is at ADDRESS, link-time, of I. */
static struct place place_make(struct places *p, struct image *i, uint64_t address)
{
	uint64_t start = i->present ? image_function(i, address) : address;
	uint32_t module = places_module(p, i);

	return (struct place){ builder_function(p->builder, &(struct builder_function){ .module = module, .address = start ? start : address }),
		{ module, address }, i, image_is_signal(i, address), i->present };
}

/* The same, as it was found before. */
static bool place_find(struct places *p, struct image *image, uint64_t address, struct place *found)
{
	struct place_known *k;

	if (!p->known && !(p->known = calloc(KNOWN, sizeof *p->known)))
		return false;
	k = &p->known[hash_mix(address, (uintptr_t)image) % KNOWN];
	if (k->image != image || k->place.at.address != address)
		*k = (struct place_known){ image, place_make(p, image, address) };
	*found = k->place;
	return found->function != BUILDER_NONE;
}

const uint32_t *places_inlined(struct places *p, const struct place *place, uint32_t *n, uint64_t *entry)
{
	*n = 0;
	*entry = 0;
	return place->is_there && !place->is_signal ? inlined_find(&p->inlined, place->image, place->at.address, n, entry) : NULL;
}

/* ---- code made at run time ---- */

void places_process_begin(struct places *p, struct places_process *process, uint32_t pid)
{
	*process = (struct places_process){ .pid = pid };
	space_init(&process->space, 0, &p->images);
}

void places_process_end(struct places_process *process)
{
	space_free(&process->space);
	jit_free(process->jit);
	process->jit = NULL;
}

/* What PROCESS has told of the code that it made at ADDRESS; NULL: nothing. */
static const struct jit_function *made_find(struct places_process *process, uint64_t address)
{
	const struct space *s = &process->space;

	if (!process->pid || process->pid > INT_MAX || (!process->jit && !(process->jit = jit_new_over((pid_t)process->pid))))
		return NULL;
	for (uint32_t i = 0; process->looked != s->made && i < s->n; i++)
		if (s->mappings[i].image)
			jit_mapped(process->jit, s->mappings[i].image->path);
	process->looked = s->made;
	return jit_find(process->jit, address);
}

static uint32_t made_function(struct places *p, const struct jit_function *f)
{
	uint32_t module = builder_module(p->builder, "[jit]", NULL, 0);

	return module == BUILDER_NONE ? module :
		builder_function(p->builder, &(struct builder_function){ .module = module, .name = f->name, .file = f->file, .line = f->line });
}

bool places_find(struct places *p, struct places_process *process, uint64_t address, struct place *found)
{
	const struct mapping *m = space_find(&process->space, address);
	const struct jit_function *made = m && m->image && m->image->present ? NULL : made_find(process, address);

	*found = (struct place){ .function = BUILDER_NONE, .at.module = BUILDER_NONE };
	if (made)
		found->function = made_function(p, made);
	else if (m && m->image)
		return place_find(p, m->image, address - m->bias, found);
	else
		found->function = builder_function(p->builder, &(struct builder_function){ .module = BUILDER_NONE, .name = m ? "[anonymous memory]" : "[unknown]" });
	return found->function != BUILDER_NONE;
}

/* ---- the kernel ---- */

void places_tell_kernel(struct places *p, const char *name, uint64_t address)
{
	if (p->reference[0] || strlen(name) >= sizeof p->reference)
		return;
	strcpy(p->reference, name);
	p->referred = address;
}

/* The kernel that runs here, if the file was made under it by all that is told: a release alone is built many times. */
static struct kernel *kernel_find_running(const struct places *p)
{
	struct kernel *k = NULL;
	struct utsname name;
	struct error ignored;

	if (p->release && p->reference[0] && uname(&name) == 0 && strcmp(name.release, p->release) == 0)
		k = kernel_read(NULL, &ignored);
	if (!k || kernel_address(k, p->reference) == p->referred)
		return k;
	kernel_free(k);
	return NULL;
}

/* The kernel that ran: it must be told which one that was. */
static struct kernel *kernel_find(const struct places *p)
{
	const struct place_file *f = places_file_find(p, KERNEL);
	struct kernel *k = NULL;
	char path[PATH_MAX];
	struct error ignored;

	if (!f)
		return kernel_find_running(p);
	for (size_t next = 0; !k && kept_files_next(f->id, f->size, KEPT_KERNEL, &next, path);)
		k = kernel_read(path, &ignored);
	return k || !kernel_runs(f->id, f->size) ? k : kernel_read(NULL, &ignored);
}

bool places_find_kernel(struct places *p, uint64_t address, uint32_t *function)
{
	const char *name;
	uint64_t reference;
	uint32_t module;

	*function = BUILDER_NONE;
	if (!p->kernel_known) {
		p->kernel = kernel_find(p);
		reference = p->kernel && p->reference[0] ? kernel_address(p->kernel, p->reference) : 0;
		p->kernel_shift = reference ? p->referred - reference : 0;
		p->kernel_known = true;
	}
	name = p->kernel ? kernel_name(p->kernel, address - p->kernel_shift) : NULL;
	if (!name)
		return true;
	module = builder_module(p->builder, "[kernel]", NULL, 0);
	if (module != BUILDER_NONE)
		*function = builder_function(p->builder, &(struct builder_function){ .module = module, .name = name });
	return *function != BUILDER_NONE;
}
