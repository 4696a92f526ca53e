/* space.c - mappings, by address. */
#include "sample/space.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/array.h"

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
static bool clear(struct space *s, uint64_t start, uint64_t end)
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

bool space_map(struct space *s, uint64_t start, uint64_t length, uint64_t offset, uint64_t device, uint64_t inode, const char *path)
{
	bool anonymous = !path[0] || !strncmp(path, "//", 2) || (path[0] == '[' && strcmp(path, "[vdso]") != 0);
	struct mapping m = { .start = start, .end = start + length, .offset = offset, .number = s->made };

	if (m.end <= start || !clear(s, start, m.end))
		return false;
	if (!anonymous) {
		m.image = images_find(s->images, s->pid, path, device, inode);
		if (!m.image)
			return false;
		m.bias = image_bias(m.image, start, offset);
	}
	s->made++;
	return insert(s, count_before(s, start), &m);
}

/* Map what LINE of a map says, if it is code. */
static bool line_map(struct space *s, const char *line)
{
	uint64_t start, end, offset, inode;
	unsigned major, minor;
	char rights[8];
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %n", &start, &end, rights, &offset, &major, &minor, &inode, &at) < 7)
		return true;
	return rights[2] != 'x' || space_map(s, start, end - start, offset, makedev(major, minor), inode, line + at);
}

/* What S has as OLD had it keeps its number: it is the same mapping.  Others have those that follow. */
static void numbers_keep(struct space *s, const struct space *old)
{
	s->made = old->made;
	for (uint32_t i = 0; i < s->n; i++) {
		struct mapping *m = &s->mappings[i];
		const struct mapping *o = space_find(old, m->start);

		if (o && o->start == m->start && o->end == m->end && o->offset == m->offset && o->image == m->image)
			m->number = o->number;
		else
			m->number = s->made++;
	}
}

bool space_renew(struct space *s, const char *text)
{
	struct space old = *s;
	bool ok = true;

	s->mappings = NULL;
	s->n = 0;
	s->room = 0;
	for (const char *at = text; ok && *at;) {
		size_t length = strcspn(at, "\n");
		char *line = strndup(at, length);

		ok = line && line_map(s, line);
		free(line);
		at += length + (at[length] == '\n');
	}
	numbers_keep(s, &old);
	free(old.mappings);
	return ok;
}

bool space_read(struct space *s)
{
	char name[64], *text = NULL;
	size_t room = 0;
	ssize_t n = -1;
	FILE *f;

	snprintf(name, sizeof name, "/proc/%d/maps", (int)s->pid);
	f = fopen(name, "re");
	if (f) {
		n = getdelim(&text, &room, '\0', f);
		fclose(f);
	}
	n = n > 0 && space_renew(s, text) ? (ssize_t)s->n : 0;
	free(text);
	return n > 0;
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
