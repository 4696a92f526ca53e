/* embedding.c - writes the symbols of modules into the profiles that need them. */
#include "understand/input/embedding.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_lock.h"
#include "understand/input/files.h"

/* Whether the file of module M, which has no build-id to tell it by, is still the one that ran when P was recorded, as far as times tell. */
static bool is_old_enough(const struct profile *p, const struct profile_module *m)
{
	struct stat st;

	if (stat(m->path, &st) != 0)
		return false;
	for (uint32_t i = 0; i < p->nruns; i++)
		if ((uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec > p->runs[i].header.start_realtime)
			return false;
	return true;
}

/* Does P carry what S can say of MODULE? */
static bool carries(const struct profile *p, struct symbols *s, uint32_t module)
{
	for (size_t i = 0; i < p->nsymbols; i++)
		if (p->symbols[i].module == module && (symbols_are_brief(s, module) || !symbols_is_brief(&p->symbols[i])))
			return true;
	return false;
}

/* Whether anything in P asks about MODULE. */
static bool is_asked(const struct profile *p, uint32_t module)
{
	if (profile_language(p->modules[module].path))
		return false;		/* the profile has it all */
	for (uint32_t i = 0; i < p->nroutines; i++)
		if (p->routines[i].module == module)
			return true;
	for (size_t i = 0; i < p->npcs; i++)
		if (p->pcs[i].module == module)
			return true;
	for (size_t i = 0; i < p->nsites; i++)
		if (p->sites[i].module == module)
			return true;
	return p->modules[module].hooked;
}

/* Add to P what S says of MODULE. */
static void embed_add(struct profile *p, struct symbols *s, uint32_t module)
{
	struct profile_symbols symbols;

	if (!p->modules[module].build_id_size && !is_old_enough(p, &p->modules[module]))
		return;
	if (symbols_pack(s, p, module, &symbols))
		profile_add_symbols(p, &symbols);
	free(symbols.data);
}

static bool write_at(int fd, const void *data, size_t len, uint64_t offset)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = pwrite(fd, (const char *)data + done, len - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* Write CHUNK of LEN bytes behind the chunks of the file open at FD, if these still end at USED, and then say that it is there: until then it is not. */
static bool embed_append(int fd, const void *chunk, size_t len, uint64_t used)
{
	uint64_t now = 0, more = used + len;
	struct stat st;

	if (pread(fd, &now, sizeof now, offsetof(struct amon_header, used)) != sizeof now || now != used || fstat(fd, &st) != 0 ||
	    (uint64_t)st.st_size < used)
		return false;
	if (!write_at(fd, chunk, len, used)) {
		int failed = ftruncate(fd, st.st_size);

		(void)failed;			/* what is behind `used` means nothing */
		return false;
	}
	return write_at(fd, &more, sizeof more, offsetof(struct amon_header, used));
}

/* Add the symbols of P from number FIRST on to PATH. */
static void write_into(const char *path, const struct profile *p, size_t first)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	struct error ignored;
	struct stat st;
	size_t len;
	void *chunk;

	if (fd < 0)
		return;
	chunk = profile_symbols_chunk(p, first, &len, &ignored);
	if (chunk && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && file_lock_to_change(fd)) {
		struct timespec times[2] = { st.st_atim, st.st_mtim };

		if (embed_append(fd, chunk, len, p->runs[0].header.used))
			futimens(fd, times);
	}
	free(chunk);
	close(fd);
}

bool embed_chunk(const char *path, const void *chunk, size_t len)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	uint64_t used = 0;
	bool ok = fd >= 0 && file_lock_to_change(fd) && pread(fd, &used, sizeof used, offsetof(struct amon_header, used)) == sizeof used &&
		  embed_append(fd, chunk, len, used);

	if (fd >= 0)
		close(fd);
	return ok;
}

void embed_into(const char *path, struct profile *p, struct symbols *s)
{
	size_t first = p->nsymbols;

	if (p->nruns != 1 || p->runs[0].truncated)
		return;
	for (uint32_t i = 0; i < p->nmodules; i++)
		if (is_asked(p, i) && !carries(p, s, i))
			embed_add(p, s, i);
	if (p->nsymbols > first)
		write_into(path, p, first);
}

struct symbols *embed_symbols(const struct profile *p, const char *program, bool spare, struct error *err)
{
	enum { PART = 20 };			/* of the time: as much again for all that is no debug information */
	struct symbols *s = symbols_open(p, program, err);

	if (s && spare && !profile_counts_calls(p))
		symbols_within(s, p->time / PART);
	return s;
}

void embed_into_file(const char *path, bool spare)
{
	struct profile *p = profile_new();
	struct symbols *s = NULL;
	enum report_life life;
	struct error ignored;

	if (p && files_read(p, path, NULL, &life, &ignored) && (life == REPORT_ENDED || life == REPORT_DIED))
		s = embed_symbols(p, NULL, spare, &ignored);
	if (s)
		embed_into(path, p, s);
	symbols_free(s);
	if (p)
		profile_free(p);
}

void embed_anew(struct profile *p, struct symbols *s)
{
	struct profile_symbols *all = calloc((size_t)p->nmodules + 1, sizeof *all);

	for (uint32_t i = 0; all && i < p->nmodules; i++)
		if (!is_asked(p, i) || !symbols_pack(s, p, i, &all[i]))
			all[i].data = NULL;
	if (all)
		profile_drop_symbols(p);
	for (uint32_t i = 0; all && i < p->nmodules; i++) {
		if (all[i].data)
			profile_add_symbols(p, &all[i]);
		free(all[i].data);
	}
	free(all);
}
