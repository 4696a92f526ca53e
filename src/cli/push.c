/* push.c - aprof push: profiles into the store of a fleet, as rows or as pprof. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/command.h"
#include "cli/listener.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "show/export/export.h"
#include "store/condition.h"
#include "store/ingest.h"
#include "store/schema.h"
#include "store/store.h"

/* What is said by --label; what is not said is the profile's own. */
struct given {
	const char *service, *host, *version; /* NULL: not said */
	uint64_t time;			/* seconds since 1970; meaningful if has_time */
	bool has_time;
	struct store_label *more;	/* all others, by name */
	size_t nmore;
};

static bool time_set(struct given *g, const char *value)
{
	g->has_time = condition_time(value, (uint64_t)time(NULL), &g->time);
	if (!g->has_time)
		message("--label=time=%s: no time: 2026-11-01, 2026-11-01T12:30, now-2h and @1700000000 are some", value);
	return g->has_time;
}

/* NAME=VALUE, of which NAME is malloc'ed by now. */
static bool push_label_set(struct given *g, char *name, const char *value)
{
	const struct { const char *name; const char **value; } own[] = { { "service", &g->service }, { "host", &g->host }, { "version", &g->version } };

	if (strcmp(name, "time") == 0)
		return time_set(g, value);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (strcmp(name, own[i].name) == 0) {
			*own[i].value = value;
			return true;
		}
	for (size_t i = 0; i < g->nmore; i++)
		if (strcmp(name, g->more[i].name) == 0) {
			message("--label: %s is given twice", name);
			return false;
		}
	g->more[g->nmore++] = (struct store_label){ name, value };
	return true;
}

static int push_by_name(const void *a, const void *b)
{
	return strcmp(((const struct store_label *)a)->name, ((const struct store_label *)b)->name);
}

/* What the labels of O say; they are parted where their = was.  False after a message. */
static bool push_given_make(struct given *g, const struct options *o)
{
	*g = (struct given){ .more = calloc(o->nlabels + 1, sizeof *g->more) };
	if (!g->more) {
		message("out of memory");
		return false;
	}
	for (size_t i = 0; i < o->nlabels; i++) {
		char *equals = strchr(o->labels[i], '=');

		if (equals)
			*equals = '\0';
		if (!equals || !condition_is_label(o->labels[i])) {
			message("--label=%s: not of the form NAME=VALUE, NAME being a letter, then letters, digits, _, - and .", o->labels[i]);
			return false;
		}
		if (!push_label_set(g, o->labels[i], equals + 1))
			return false;
	}
	qsort(g->more, g->nmore, sizeof *g->more, push_by_name);
	return true;
}

enum { SHORT_ID = 6 };		/* bytes of a build-id that tell it from others */

/* The beginning of the build-id of the program that P is of; "": it has none. */
static void version_make(char *out, const struct profile *p)
{
	*out = '\0';
	for (uint32_t i = 0; i < p->nmodules; i++)
		if (p->modules[i].main_program && p->modules[i].build_id_size >= SHORT_ID) {
			for (int k = 0; k < SHORT_ID; k++)
				sprintf(out + 2 * k, "%02x", p->modules[i].build_id[k]);
			return;
		}
}

/* When the process of H began, seconds since 1970; if FILE does not tell, when that was last changed. */
static uint64_t push_start_of(const struct amon_header *h, const char *file)
{
	struct stat st;

	if (h->start_realtime)
		return h->start_realtime / 1000000000;
	return stat(file, &st) == 0 && st.st_mtime > 0 ? (uint64_t)st.st_mtime : 0;
}

/* What P, read from FILE, is found by; VERSION is room for one. */
static struct store_labels labels_of(const struct given *g, const char *file, const struct profile *p, char *version)
{
	const struct amon_header *h = &p->runs[0].header;
	const char *program = profile_run_name(&p->runs[0]), *slash = strrchr(program, '/');

	version_make(version, p);
	return (struct store_labels){ .service = g->service ? g->service : slash ? slash + 1 : program, .host = g->host ? g->host : h->host,
		.version = g->version ? g->version : version, .time = g->has_time ? g->time : push_start_of(h, file), .more = g->more,
			.nmore = g->nmore };
}

/* Put P, read from FILE, whose identity is ID. */
static bool profile_push(struct store *s, const struct given *g, const char *file, const struct profile *p, const unsigned char *id, struct error *err)
{
	char version[2 * SHORT_ID + 1];
	struct store_labels labels = labels_of(g, file, p, version);
	struct symbols *symbols = symbols_open(p, NULL, err);
	bool ok = symbols && store_put(s, p, symbols, &labels, id, err);

	symbols_free(symbols);
	return ok;
}

/* What tells FILE from others, to ID. */
static bool identity_make(const char *file, unsigned char *id, struct error *err)
{
	size_t len;
	void *data = files_load(file, &len, err);
	bool ok = data && (store_identity(data, len, id) || error_no_memory(err, NULL));

	free(data);
	return ok;
}

/* Where profiles go: one of the two. */
struct goal {
	struct store *store;
	struct ingest *ingest;
};

/* A store has profiles of one kind and one value each. */
static void unsent_tell(const struct input *in, const char *file)
{
	if (in->profile->sampled)
		message("note: %s: its exact contexts are sent, and not the call stacks that were sampled with them", file);
	if (in->profile->nvalues > 1)
		message("note: %s: of its %" PRIu32 " values the first alone is sent: %s", file, in->profile->nvalues,
			in->profile->values[0].name);
}

/* Put FILE into the store.  False with *ERR set. */
static bool rows_push(struct store *s, const struct given *g, char *file, struct error *err)
{
	struct input in = { .listener = &listener };
	unsigned char id[16];
	bool ok = identity_make(file, id, err) && input_add_up(&in, &file, 1, NULL, err);
	if (ok && in.profile->nruns == 0)
		ok = error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "there is no profile in it");
	ok = ok && profile_push(s, g, file, in.profile, id, err);
	if (ok)
		unsent_tell(&in, file);
	input_free(&in);
	return ok;
}

/* When the process of H ended, seconds since 1970, if it began at START: at least a second later. */
static uint64_t push_end_of(const struct amon_header *h, uint64_t start)
{
	uint64_t lasted = h->end_monotonic > h->start_monotonic ? (h->end_monotonic - h->start_monotonic) / 1000000000 : 0;

	return start + (lasted ? lasted : 1);
}

/* What was built of FILE, as pprof.  False with *ERR set. */
static bool built_send(struct ingest *to, const struct given *g, const char *file, const struct input *in, struct error *err)
{
	char version[2 * SHORT_ID + 1], *data = NULL;
	struct store_labels labels = labels_of(g, file, in->profile, version);
	size_t len;
	FILE *out = open_memstream(&data, &len);
	bool ok = out ? export_write(export_find("pprof"), &in->report, &(struct export_options){ 0 }, out, err) : error_no_memory(err, NULL);

	if (out && fclose(out) != 0 && ok)
		ok = error_no_memory(err, NULL);
	ok = ok && ingest_send(to, &(struct ingest_profile){ &labels, push_end_of(&in->profile->runs[0].header, labels.time), data, len }, err);
	free(data);
	return ok;
}

/* Send FILE as pprof.  False with *ERR set. */
static bool pprof_push(struct ingest *to, const struct given *g, char *file, struct error *err)
{
	struct input in = { .listener = &listener };
	struct graph_options options = { .thread = GRAPH_NONE };
	bool ok = input_read(&in, &file, 1, NULL, err);

	if (ok && in.profile->nruns == 0)
		ok = error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "there is no profile in it");
	if (ok && g->has_time)
		in.profile->runs[0].header.start_realtime = g->time * 1000000000;
	ok = ok && input_build(&in, NULL, &options, err) && built_send(to, g, file, &in, err);
	if (ok)
		unsent_tell(&in, file);
	input_free(&in);
	return ok;
}

static bool file_push(const struct goal *to, const struct given *g, char *file, struct error *err)
{
	if (files_held(file))
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "a running process writes it; push it when that has ended");
	return to->store ? rows_push(to->store, g, file, err) : pprof_push(to->ingest, g, file, err);
}

/* Is what is wrong with a file no reason to leave the others? */
static bool is_of_file(const struct error *err)
{
	return err->code != ERROR_STORE && err->code != ERROR_MEMORY;
}

static bool files_push(const struct goal *to, const struct given *g, char **files, size_t n)
{
	struct error err;
	bool all = true, ok = true;
	uint64_t again;

	for (size_t i = 0; ok && i < n; i++) {
		progress_step("pushing");
		progress_part(i, n);
		if (file_push(to, g, files[i], &err))
			continue;
		progress_end();
		all = false;
		ok = is_of_file(&err);
		message_error(&err, ok ? files[i] : NULL);
	}
	if (ok && to->store && !(ok = store_put_end(to->store, &err)))
		message_error(&err, NULL);
	progress_end();
	again = to->store ? store_put_again(to->store) : 0;
	if (ok && again)
		message("note: %" PRIu64 " of the profiles %s in the store already", again, again == 1 ? "was" : "were");
	return all && ok;
}

/* Who takes pprof, by --format. */
static const struct ingest_server *const servers[] = { [PUSH_ROWS] = NULL, [PUSH_PPROF] = &ingest_pyroscope, [PUSH_PARCA] = &ingest_parca };

static int cli_push_push(const struct options *o, char **files, size_t n)
{
	const char *url = o->store ? o->store : getenv("APROF_STORE");
	struct goal to = { 0 };
	struct given g = { 0 };
	struct error err;
	bool ok = false;

	if (!url || !*url || n == 0)
		message("push: say where to and what: aprof push --store URL FILE...");
	else if (push_given_make(&g, o)) {
		if (servers[o->format])
			to.ingest = ingest_open(url, servers[o->format], o->timeout, &err);
		else
			to.store = store_open(url, o->timeout, &err);
		if (!to.ingest && !to.store)
			message_error(&err, NULL);
		else
			ok = files_push(&to, &g, files, n);
	}
	store_free(to.store);
	ingest_free(to.ingest);
	free(g.more);
	return ok ? STATUS_OK : STATUS_TROUBLE;
}

static int push_run(const struct command *self, struct options *o, int argc, char **argv)
{
	(void)self;
	if (!o->schema)
		return cli_push_push(o, argv + o->first, (size_t)(argc - o->first));
	schema_print(stdout);
	return STATUS_OK;
}

const struct command command_push = {
	.name = "push",
	.usage = "--store URL [--format FORMAT] [--label NAME=VALUE]... FILE...",
#ifdef APROF_STORE
	.summary = "put profiles into a fleet's store",
#endif
	.options = COMMAND_PUSH,
	.examples = "  aprof push --store http://db:8123 --label service=web amon.out\n"
		    "  aprof push --format=pprof --store http://pyroscope:4040 amon.out\n",
	.function = push_run,
};
