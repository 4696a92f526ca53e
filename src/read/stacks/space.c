/* space.c - mappings, by address. */
#include "read/stacks/space.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/array.h"
#include "base/proc.h"
#include "read/profile/profile.h"
#include "read/stacks/loaded.h"

void space_init(struct space *s, pid_t pid, struct images *images)
{
	*s = (struct space){ .pid = pid, .images = images };
}

void space_free(struct space *s)
{
	free(s->mappings);
	s->mappings = NULL;
	s->n = 0;
	s->room = 0;
}

static bool insert(struct space *s, uint32_t at, const struct mapping *m)
{
	if (!array_grow(&s->mappings, &s->room, s->n, sizeof *s->mappings))
		return false;
	memmove(&s->mappings[at + 1], &s->mappings[at], (s->n - at) * sizeof *m);
	s->mappings[at] = *m;
	s->n++;
	return true;
}

/* How many mappings end at or before ADDRESS. */
static uint32_t count_before(const struct space *s, uint64_t address)
{
	uint32_t low = 0, high = s->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->mappings[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Take what is from START to END out; what a mapping has before and behind stays. */
static bool space_clear(struct space *s, uint64_t start, uint64_t end)
{
	uint32_t i = count_before(s, start);

	while (i < s->n && s->mappings[i].start < end) {
		struct mapping *m = &s->mappings[i], behind = *m;

		if (behind.end > end) {
			behind.offset += end - behind.start;
			behind.start = end;
		}
		if (m->start < start) {
			bool both = m->end > end;

			m->end = start;
			i++;
			if (both)
				return insert(s, i, &behind);
		} else if (m->end > end) {
			*m = behind;
		} else {
			memmove(m, m + 1, (--s->n - i) * sizeof *m);
		}
	}
	return true;
}

static bool space_is_anonymous(const char *path)
{
	return !path[0] || !strncmp(path, "//", 2) || (!profile_path_is_file(path) && strcmp(path, "[vdso]") != 0);
}

/* Map PART, of the file IMAGE, NULL: of none, at BIAS instead of what was there. */
static bool part_map(struct space *s, const struct part *part, struct image *image, uint64_t bias)
{
	struct mapping m = { .start = part->start, .end = part->end, .offset = part->offset, .bias = bias, .image = image, .number = s->made };

	if (!space_clear(s, m.start, m.end))
		return false;
	s->made++;
	return insert(s, count_before(s, m.start), &m);
}

static struct image *part_image(const struct space *s, const struct part *part)
{
	return images_find(s->images, s->pid, part->path, part->device, part->inode);
}

static bool has_several_codes(const struct image *i)
{
	size_t n = 0;

	for (size_t k = 0; i->present && k < i->binary.nloads; k++)
		n += i->binary.loads[k].code;
	return n > 1;
}

/* What is mapped of the file I tells together where it is. */
static bool space_settle(struct space *s, const struct image *i)
{
	struct part *parts = calloc(s->n + 1, sizeof *parts);
	size_t n = 0, at = 0;

	if (!parts)
		return false;
	for (uint32_t k = 0; k < s->n; k++)
		if (s->mappings[k].image == i)
			parts[n++] = (struct part){ s->mappings[k].start, s->mappings[k].end, s->mappings[k].offset, true, i->device, i->inode, i->path };
	for (uint32_t k = 0; k < s->n; k++)
		if (s->mappings[k].image == i)
			s->mappings[k].bias = part_bias(i, &parts[at++], parts, n);
	free(parts);
	return true;
}

/* What LINE of a map says of code or of a file. False: nothing. */
static bool space_line_read(const char *line, struct part *p)
{
	unsigned major, minor;
	char rights[8];
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %n", &p->start, &p->end, rights, &p->offset, &major, &minor, &p->inode, &at) < 7)
		return false;
	p->code = rights[2] == 'x';
	p->device = makedev(major, minor);
	p->path = line + at;
	return p->end > p->start && (p->code || !space_is_anonymous(p->path));
}

/* The parts that TEXT, of which the lines are cut out, says are mapped, to be freed; *N: how many.  NULL: out of memory. */
static struct part *parts_read(char *text, size_t *n)
{
	struct part *parts = NULL, p;
	size_t room = 0;

	*n = 0;
	if (!array_reserve(&parts, &room, 1, sizeof p))
		return NULL;
	for (char *line; (line = strsep(&text, "\n"));) {
		if (!space_line_read(line, &p))
			continue;
		if (!array_reserve(&parts, &room, *n + 1, sizeof p)) {
			free(parts);
			return NULL;
		}
		parts[(*n)++] = p;
	}
	return parts;
}

/* ---- code in the place of a file's ---- */

/* Memory that has no file which others could open.  There may be a file's code in it, put there to have bigger pages, or whatever the process makes. */
static bool space_is_memory(const char *path)
{
	static const char *const names[] = { "/memfd:", "/anon_hugepage", "/dev/zero", "/SYSV" };
	bool is = space_is_anonymous(path);

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		is |= !strncmp(path, names[i], strlen(names[i]));
	return is;
}

/* Whose code M, memory at addresses of its own, has in it. */
struct owner {
	struct image *image;		/* NULL: nobody's */
	uint64_t bias;
	struct part place;		/* where in the memory */
};

/* Is it that of the file of which NEAR is mapped, one of the N PARTS? */
static bool is_owner(const struct space *s, const struct part *memory, const struct part *near, const struct part *parts, size_t n, struct owner *o)
{
	struct image *image = part_image(s, near);

	if (!image || !image->present)
		return false;
	*o = (struct owner){ .image = image, .bias = part_bias(image, near, parts, n) };
	return part_of_code(image, o->bias, memory->start, memory->end, &o->place);
}

/* A program copies its code into other memory, and puts that in its place, wholly or in part (huge pages, BOLT).  The rest of the file is mapped around it still: the N
 * PARTS, by address.  Nothing else comes to such a place as long as the file is loaded. */
static struct owner owner_of(const struct space *s, const struct part *memory, const struct part *parts, size_t n)
{
	const struct part *below = NULL, *above = NULL;
	struct owner o;

	for (size_t k = 0; k < n && !above; k++) {
		if (space_is_memory(parts[k].path))
			continue;
		if (parts[k].start >= memory->end)
			above = &parts[k];
		else if (parts[k].end <= memory->start)
			below = &parts[k];
	}
	if ((below && is_owner(s, memory, below, parts, n, &o)) || (above && is_owner(s, memory, above, parts, n, &o)))
		return o;
	return (struct owner){ NULL };
}

/* May PART, of the file IMAGE, or NULL, be the place of another file's code? */
static bool may_have_owner(const struct part *part, const struct image *image)
{
	return !image || !image->present || space_is_memory(part->path);
}

/* Map PART, of the file IMAGE, or NULL, that is loaded with BIAS, in which O has code. */
static bool owned_map(struct space *s, const struct part *part, struct image *image, uint64_t bias, struct owner o)
{
	if (image && !image->present && space_is_memory(part->path))
		image = NULL;
	return part_map(s, part, image, image ? bias : 0) && (!o.image || part_map(s, &o.place, o.image, o.bias));
}

/* ---- by events ---- */

/* The first of the mappings with a file's code between START and END. */
static const struct mapping *code_between(const struct space *s, uint64_t start, uint64_t end)
{
	for (uint32_t i = count_before(s, start); i < s->n && s->mappings[i].start < end; i++)
		if (s->mappings[i].image && s->mappings[i].image->present)
			return &s->mappings[i];
	return NULL;
}

/* MEMORY comes to where WAS is: the process tells whether the rest of that file is there, or is gone, which nobody else tells, and if it is no more itself, nobody. */
static struct owner owner_instead(const struct space *s, const struct part *memory, const struct mapping *was)
{
	size_t size, n = 0;
	char *text = proc_text(s->pid, "maps", SIZE_MAX, &size);
	struct part *parts = text ? parts_read(text, &n) : NULL;
	struct owner o = { .image = was->image, .bias = was->bias };

	if (parts)
		o = owner_of(s, memory, parts, n);
	else if (!part_of_code(o.image, o.bias, memory->start, memory->end, &o.place))
		o.image = NULL;
	free(parts);
	free(text);
	return o;
}

bool space_map(struct space *s, uint64_t start, uint64_t length, uint64_t offset, uint64_t device, uint64_t inode, const char *path)
{
	struct part part = { start, start + length, offset, true, device, inode, path };
	struct owner o = { NULL };
	struct image *image = NULL;
	const struct mapping *was;

	if (part.end <= start || (!space_is_anonymous(path) && !(image = part_image(s, &part))))
		return false;
	if (may_have_owner(&part, image) && (was = code_between(s, part.start, part.end)))
		o = owner_instead(s, &part, was);
	if (!owned_map(s, &part, image, image ? part_bias(image, &part, NULL, 0) : 0, o))
		return false;
	return !image || !has_several_codes(image) || space_settle(s, image);
}

/* ---- by the map ---- */

/* What S has as OLD had it keeps its number: it is the same mapping.  Others have those that follow. */
static void numbers_keep(struct space *s, const struct space *old)
{
	s->made = old->made;
	for (uint32_t i = 0; i < s->n; i++) {
		struct mapping *m = &s->mappings[i];
		const struct mapping *o = space_find(old, m->start);

		if (o && o->start == m->start && o->end == m->end && o->offset == m->offset && o->bias == m->bias && o->image == m->image)
			m->number = o->number;
		else
			m->number = s->made++;
	}
}

/* Map what of the N PARTS is code. */
static bool parts_map(struct space *s, const struct part *parts, size_t n)
{
	for (const struct part *p = parts; p < parts + n; p++) {
		struct owner o = { NULL };
		struct image *image = NULL;

		if (!p->code)
			continue;
		if (!space_is_anonymous(p->path) && !(image = part_image(s, p)))
			return false;
		if (may_have_owner(p, image))
			o = owner_of(s, p, parts, n);
		if (!owned_map(s, p, image, image ? part_bias(image, p, parts, n) : 0, o))
			return false;
	}
	return true;
}

bool space_renew(struct space *s, const char *text)
{
	struct space old = *s;
	char *lines = strdup(text);
	size_t n = 0;
	struct part *parts = lines ? parts_read(lines, &n) : NULL;
	bool ok;

	s->mappings = NULL;
	s->n = 0;
	s->room = 0;
	ok = parts && parts_map(s, parts, n);
	numbers_keep(s, &old);
	free(old.mappings);
	free(parts);
	free(lines);
	return ok;
}

bool space_read(struct space *s)
{
	size_t size;
	char *text = proc_text(s->pid, "maps", SIZE_MAX, &size);
	bool ok = text && space_renew(s, text) && s->n > 0;

	free(text);
	return ok;
}

bool space_copy(struct space *s, const struct space *from, pid_t pid)
{
	space_init(s, pid, from->images);
	if (from->n > 0 && !array_reserve(&s->mappings, &s->room, from->n, sizeof *s->mappings))
		return false;
	if (from->n > 0)
		memcpy(s->mappings, from->mappings, from->n * sizeof *s->mappings);
	s->n = from->n;
	s->made = from->made;
	return true;
}

const struct mapping *space_find(const struct space *s, uint64_t address)
{
	uint32_t i = count_before(s, address);

	return i < s->n && s->mappings[i].start <= address ? &s->mappings[i] : NULL;
}
