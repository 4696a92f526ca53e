/* pull.c - aprof pull: one profile, the sum of those in the store of a fleet that a condition means. */
#include <stdlib.h>

#include "base/list.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/operands.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "store/store.h"

/* Write the sum of the profiles of CONDITION to OUTPUT. */
static bool pull_take(struct store *s, const char *condition, const char *output, struct error *err)
{
	struct profile *p;
	uint64_t n;
	size_t len;
	void *data;
	bool ok;

	progress_step("asking the store");
	p = store_take(s, condition, output, &n, err);
	if (!p)
		return false;
	progress_step("writing the sum");
	data = profile_write(p, &len, err);
	ok = data && files_write(output, data, len, err);
	free(data);
	profile_free(p);
	return ok;
}

static int pull(const struct options *o, const char *url, const char *condition, const char *output)
{
	struct error err;
	struct store *s = store_open(url, o->timeout, &err);
	bool ok = s && pull_take(s, condition, output, &err);

	progress_end();
	store_free(s);
	if (!ok)
		message_error(&err, NULL);
	return ok ? STATUS_OK : STATUS_TROUBLE;
}

/* A condition may come as several words. */
static int pull_joined(const struct options *o, const char *url, char **words, const char *output)
{
	struct list l = { 0 };
	char *condition;
	int status = STATUS_TROUBLE;

	list_add_all(&l, words);
	condition = list_join(&l, " ", false);
	if (condition)
		status = pull(o, url, condition, output);
	else
		message("out of memory");
	free(condition);
	list_free(&l);
	return status;
}

static void pull_help(void)
{
	puts("A condition is made of comparisons, joined by AND:\n\n"
	     "  service = web AND host != 'db 1' AND time > 2026-11-01 AND label.zone = eu\n\n"
	     "  service host version program clock label.NAME      with = and !=\n"
	     "  time                                               with < <= > >= = and != too: 2026-11-01,\n"
	     "                                                     2026-11-01T12:30 (UTC), now-2h, @SECONDS\n");
}

static int pull_run(const struct command *self, struct options *o, int argc, char **argv)
{
	const char *url = o->store ? o->store : getenv("APROF_STORE"), *output = o->output ? o->output : "amon.out";

	(void)self;
	if (!url || !*url || o->first >= argc)
		message("pull: say where from and what: aprof pull --store URL 'service = NAME AND time > now-1d'");
	else if (files_held(output))
		message("%s: a running process writes it; choose another name with -o FILE", output);
	else if (o->output ? output_allowed(output, true) : output_unasked(output, FILE_PROFILE, "say where to write with -o FILE"))
		return pull_joined(o, url, argv + o->first, output);
	return STATUS_TROUBLE;
}

const struct command command_pull = {
	.name = "pull",
	.usage = "--store URL [-o FILE] CONDITION",
#ifdef APROF_STORE
	.summary = "one profile from those in a fleet's store",
#endif
	.options = COMMAND_PULL,
	.help = pull_help,
	.examples = "  aprof pull --store http://db:8123 'service = web AND time > now-1d'\n"
		    "  aprof pull -o web.amon 'service = web AND version = 1.2'\n",
	.function = pull_run,
};
