/* scripts.c - what interpreters say of the routines of their scripts: read, and written. */
#include <stdlib.h>
#include <string.h>

#include "read/profile/reader.h"
#include "read/profile/writer.h"

const char *profile_language(const char *path)
{
	size_t n = strlen(AMON_SCRIPT_MODULE);

	return path && strncmp(path, AMON_SCRIPT_MODULE, n) == 0 ? path + n : NULL;
}

/* ---- read ---- */

/* Whether the record S at AT, with LEFT bytes from there on, holds together; its strings follow it. */
static bool check_script(struct reader *r, const struct amon_script *s, uint64_t at, uint64_t left)
{
	const char *strings = (const char *)r->data + at + sizeof *s;
	uint64_t need = sizeof *s + (uint64_t)s->name_size + s->file_size;

	if (s->size < sizeof *s || s->size % 8 != 0 || s->size > left)
		return reader_corrupt(r, at, "record of a script's routine of %u bytes, %llu are left", s->size, (unsigned long long)left);
	if (s->name_size < 2 || s->file_size == 0 || need > s->size || strings[s->name_size - 1] || strings[s->name_size + s->file_size - 1])
		return reader_corrupt(r, at, "name of %u bytes and file of %u do not fit in their record", s->name_size, s->file_size);
	return true;
}

/* The routine S of the profile is what the record at AT says. */
static bool scripts_add_script(struct reader *r, const struct amon_script *s, uint64_t at)
{
	struct profile *p = r->p;
	uint32_t routine = r->routines[s->routine];
	struct profile_script script = { .routine = routine, .line = s->line };

	if (p->routines[routine].script)
		return true;
	if (!array_reserve(&p->scripts, &p->private->scripts, (size_t)p->nscripts + 1, sizeof *p->scripts) ||
	    !(script.name = malloc((size_t)s->name_size + s->file_size)))
		return reader_no_memory(r);
	memcpy(script.name, r->data + at + sizeof *s, (size_t)s->name_size + s->file_size);
	script.file = script.name + s->name_size;
	p->scripts[p->nscripts++] = script;
	p->routines[routine].script = p->nscripts;
	return true;
}

/* A record is written before its routine, so in a file that is being written, or was cut off, it may name one that is not there. */
bool read_scripts(struct reader *r)
{
	const struct chunk *c;

	for (size_t i = 0; (c = reader_next(r, AMON_SCRIPTS, &i)) != NULL;) {
		uint64_t at = c->at + c->head.first, end = at + c->items;
		struct amon_script s;

		for (; end - at >= sizeof s; at += s.size) {
			memcpy(&s, r->data + at, sizeof s);
			if (r->run.truncated && s.size > end - at)
				break;
			if (!check_script(r, &s, at, end - at))
				return false;
			if (s.routine < r->nroutines && !scripts_add_script(r, &s, at))
				return false;
		}
		if (end - at && end - at < sizeof s && !r->run.truncated)
			return reader_corrupt(r, at, "%u bytes of a record of a script's routine", (unsigned)(end - at));
	}
	return true;
}

/* ---- written ---- */

static struct amon_script record_of(const struct writer *w, const struct profile_script *s)
{
	struct amon_script record = { .routine = w->routine_of[s->routine], .line = s->line, .name_size = (uint32_t)strlen(s->name) + 1,
				      .file_size = (uint32_t)strlen(s->file) + 1 };

	record.size = (uint32_t)(sizeof record + record.name_size + record.file_size + 7) & ~UINT32_C(7);
	return record;
}

bool write_scripts(struct writer *w)
{
	const struct profile *p = w->p;
	size_t size = 0, at;

	for (uint32_t i = 0; i < p->nscripts; i++)
		size += record_of(w, &p->scripts[i]).size;
	if (!size)
		return true;
	if (!writer_chunk(w, AMON_SCRIPTS, AMON_NONE, NULL, size, 1, &at))
		return false;
	for (uint32_t i = 0; i < p->nscripts; i++) {
		struct amon_script record = record_of(w, &p->scripts[i]);

		memcpy(w->data + at, &record, sizeof record);
		memcpy(w->data + at + sizeof record, p->scripts[i].name, record.name_size);
		memcpy(w->data + at + sizeof record + record.name_size, p->scripts[i].file, record.file_size);
		at += record.size;
	}
	return true;
}
