/* rounds.c - checking out, building, running in turn. */
#include "record/run/rounds.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "base/table.h"
#include "record/run/command_line.h"

#define RATE "--rate=4000"		/* many samples: what these cost both sides is no difference */

static const char *const words[ROUNDS_SIDES] = { "base", "new" };

bool rounds_begin(struct rounds *r, const char *keep, struct error *err)
{
	const char *temporary = getenv("TMPDIR");
	bool ok;

	if (keep) {
		ok = (mkdir(keep, 0777) == 0 || errno == EEXIST) && (r->folder = realpath(keep, NULL)) != NULL;
		return ok || error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s: cannot keep profiles there: %s", keep, strerror(errno));
	}
	if (asprintf(&r->folder, "%s/aprof.XXXXXX", temporary && *temporary == '/' ? temporary : "/tmp") < 0) {
		r->folder = NULL;
		return error_no_memory(err, NULL);
	}
	if (mkdtemp(r->folder))
		return true;
	error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s: cannot make a folder for the profiles: %s; set TMPDIR to one that can be written", r->folder, strerror(errno));
	free(r->folder);
	r->folder = NULL;
	return false;
}

/* Make TEXT of SIZE bytes the last line of the file PATH that is not empty, if there is one. */
static void last_line(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "re");
	char line[400];

	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[strspn(line, " \t")])
			snprintf(text, size, "%s", line);
	}
	if (f)
		fclose(f);
}

/* Run C.  False with *ERR set: it failed at WHAT; then the last that it said is told. */
static bool command_do(const struct command_line *c, const char *what, struct error *err)
{
	int status = command_line_run(c);
	char said[400] = "";

	if (status == 0)
		return true;
	if (status < 0)
		return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s: %s: %s", what, c->argv[0], strerror(errno));
	last_line(c->out, said, sizeof said);
	if (c->err != c->out)
		last_line(c->err, said, sizeof said);
	if (status > 128 && status <= 128 + SIGRTMAX)
		return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s: killed by signal %d, %s%s%s", what, status - 128, strsignal(status - 128), *said ? ": " : "", said);
	return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s: status %d: %s", what, status, *said ? said : "it said nothing");
}

/* Let builds find the compilers that stand beside this program. */
static bool path_set(const struct rounds *r)
{
	const char *before = getenv("PATH"), *slash = strrchr(r->aprof, '/');
	char *path = NULL;
	bool ok = slash && asprintf(&path, "%.*s%s%s", (int)(slash - r->aprof), r->aprof, before && *before ? ":" : "", before ? before : "") >= 0 &&
		  setenv("PATH", path, 1) == 0;

	free(path);
	return ok;
}

/* Check the commit of SIDE out into *FOLDER, the build number I of it, and build it. */
static int build_one(struct rounds *r, int side, unsigned i, char **folder, struct error *err)
{
	const char *name = r->sides[side].name;
	char *log = NULL, seed[16], what[300];
	int trouble = ROUNDS_TROUBLE;

	if (asprintf(folder, "%s/%s.source.%u", r->folder, words[side], i + 1) < 0 || asprintf(&log, "%s.log", *folder) < 0) {
		error_no_memory(err, NULL);
		return trouble;
	}
	snprintf(what, sizeof what, "%s cannot be checked out", name);
	if (command_do(&(struct command_line){ .argv = (const char *const[]){ "git", "worktree", "add", "--detach", *folder, name, NULL }, .out = log, .err = log }, what, err)) {
		snprintf(seed, sizeof seed, "%u", 1 + i + r->layouts * (unsigned)side);
		if (r->layouts)
			setenv("APROF_LAYOUT", seed, 1);
		snprintf(what, sizeof what, "%s does not build", name);
		trouble = command_do(&(struct command_line){ .argv = (const char *const[]){ "sh", "-c", r->build, NULL }, .folder = *folder, .out = log, .err = log }, what, err)
			? 0 : ROUNDS_UNBUILT;
	}
	free(log);
	return trouble;
}

int rounds_build(struct rounds *r, void (*before)(const char *side), struct error *err)
{
	unsigned n = r->layouts ? r->layouts : 1;
	int trouble = path_set(r) ? 0 : ROUNDS_TROUBLE;

	if (trouble)
		error_no_memory(err, NULL);
	for (int side = 0; !trouble && side < ROUNDS_SIDES; side++) {
		r->sides[side].folders = calloc(n + 1, sizeof *r->sides[side].folders);
		if (!r->sides[side].folders)
			trouble = ROUNDS_TROUBLE;
		for (unsigned i = 0; !trouble && i < n; i++) {
			before(r->sides[side].name);
			trouble = build_one(r, side, i, &r->sides[side].folders[i], err);
		}
	}
	return trouble;
}

/* The words of an aprof run of SIDE, whose profile goes to DATA. */
static void run_words(const struct rounds *r, int side, const char *data, struct list *l)
{
	list_add(l, r->aprof);
	list_add(l, "run");
	list_add(l, "--no-report");
	list_add(l, RATE);
	if (r->sites)
		list_add(l, "--sites");
	list_format(l, "--data=%s", data);
	list_add(l, "--");
	list_add_all(l, r->sides[side].argv);
}

/* The hash of the file PATH; 0: it cannot be read. */
static uint64_t file_hash(const char *path)
{
	FILE *f = fopen(path, "re");
	uint64_t hash = 0, word[512];
	size_t n;

	for (; f && (n = fread(word, 1, sizeof word, f)) > 0; hash = hash_mix(hash, n)) {
		memset((char *)word + n, 0, sizeof word - n);
		for (size_t i = 0; i < (n + 7) / 8; i++)
			hash = hash_mix(hash, word[i]);
	}
	if (f)
		fclose(f);
	return hash;
}

static void printed_add(struct rounds_side *s, const char *path, bool first)
{
	uint64_t hash = file_hash(path);

	s->varies |= !first && hash != s->printed;
	s->printed = hash;
}

bool rounds_print_differently(const struct rounds *r)
{
	return r->n > 1 && !r->sides[0].varies && !r->sides[1].varies && r->sides[0].printed != r->sides[1].printed;
}

/* Where runs read what stands on this process's standard input, each from the beginning: into PATH of SIZE bytes.  NULL: nothing does, or it can be read once. */
static const char *input_of_all(char *path, size_t size)
{
	struct stat st;

	snprintf(path, size, "/proc/%d/fd/0", (int)getpid());	/* a child closes its own before it opens this */
	return fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode) ? path : NULL;
}

/* Run SIDE with its profile in DATA, and what it says in OUT and LOG. */
static bool run_into(struct rounds *r, int side, const char *data, const char *out, const char *log, struct error *err)
{
	struct rounds_side *s = &r->sides[side];
	const char *name = s->folders ? s->name : s->argv[0];
	char what[300], in[40];
	struct list l = { 0 };
	bool ok;

	run_words(r, side, data, &l);
	snprintf(what, sizeof what, "%s failed", name);
	if (l.failed)
		ok = error_no_memory(err, NULL);
	else
		ok = command_do(&(struct command_line){ .argv = (const char *const *)l.items, .in = input_of_all(in, sizeof in), .out = out, .err = log,
			.folder = s->folders ? s->folders[r->n % (r->layouts ? r->layouts : 1)] : NULL }, what, err);
	if (ok && access(data, R_OK) != 0)
		ok = error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s left no profile", name);
	list_free(&l);
	return ok;
}

static bool run_one(struct rounds *r, int side, struct error *err)
{
	struct rounds_side *s = &r->sides[side];
	char *data = NULL, *out = NULL, *log = NULL;
	bool ok = asprintf(&data, "%s/%s.%zu", r->folder, words[side], r->n + 1) >= 0 && asprintf(&out, "%s/%s.out", r->folder, words[side]) >= 0 &&
		  asprintf(&log, "%s/%s.log", r->folder, words[side]) >= 0;

	ok = ok ? run_into(r, side, data, out, log, err) : error_no_memory(err, NULL);
	if (ok)
		printed_add(s, out, r->n == 0);
	s->files[r->n] = data;
	free(out);
	free(log);
	return ok;
}

bool rounds_run(struct rounds *r, struct error *err)
{
	int first = (int)(random() % ROUNDS_SIDES);

	for (int side = 0; side < ROUNDS_SIDES; side++) {
		char **files = reallocarray(r->sides[side].files, r->n + 1, sizeof *files);

		if (!files)
			return error_no_memory(err, NULL);
		r->sides[side].files = files;
		files[r->n] = NULL;
	}
	if (!run_one(r, first, err) || !run_one(r, 1 - first, err)) {
		for (int side = 0; side < ROUNDS_SIDES; side++)
			free(r->sides[side].files[r->n]);
		return false;
	}
	r->n++;
	return true;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void rounds_end(struct rounds *r, bool keep)
{
	for (int side = 0; side < ROUNDS_SIDES; side++) {
		struct rounds_side *s = &r->sides[side];

		for (size_t i = 0; i < r->n; i++)
			free(s->files[i]);
		free(s->files);
		for (size_t i = 0; s->folders && s->folders[i]; i++) {
			command_line_run(&(struct command_line){ .argv = (const char *const[]){ "git", "worktree", "remove", "--force", s->folders[i], NULL } });
			free(s->folders[i]);
		}
		free(s->folders);
	}
	if (r->folder && !keep)
		nftw(r->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(r->folder);
}
