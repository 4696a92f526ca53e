/* asked.c - options by name, so that new ones change no interface. */
#include "public/asked.h"

#include <stdlib.h>
#include <string.h>

#include "public/failure.h"

struct aprof_options *aprof_options_new(void)
{
	struct aprof_options *o = calloc(1, sizeof *o);

	if (o)
		o->graph.thread = GRAPH_NONE;
	return o;
}

void aprof_options_free(struct aprof_options *options)
{
	if (!options)
		return;
	free(options->graph.focus);
	free(options->graph.hide);
	arena_free(&options->strings);
	free(options);
}

static bool asked_text(struct aprof_options *o, const char **to, const char *value)
{
	*to = value ? arena_copy(&o->strings, value, strlen(value)) : NULL;
	return *to || !value;
}

/* One more word. */
static bool asked_word(struct aprof_options *o, char ***words, size_t *n, const char *value)
{
	char **more = reallocarray(*words, *n + 1, sizeof *more);
	char *word = arena_copy(&o->strings, value, strlen(value));

	if (more)
		*words = more;
	if (!more || !word)
		return false;
	(*words)[(*n)++] = word;
	return true;
}

static bool asked_model(enum graph_model *model, const char *value)
{
	static const char *const names[] = { [GRAPH_HISTORY] = "history", [GRAPH_GPROF] = "gprof", [GRAPH_CCT] = "cct" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(value, names[i]) == 0) {
			*model = (enum graph_model)i;
			return true;
		}
	return false;
}

static bool asked_yes(bool *flag, const char *value)
{
	*flag = strcmp(value, "yes") == 0;
	return *flag || strcmp(value, "no") == 0;
}

static bool asked_set(struct aprof_options *o, const char *name, const char *value, struct error *err)
{
	bool known = true;

	if (strcmp(name, "program") == 0)
		return asked_text(o, &o->program, value) || error_no_memory(err, NULL);
	if (!value)
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%.100s: an option without a value", name);
	if (strcmp(name, "value") == 0)
		return asked_text(o, &o->value, value) || error_no_memory(err, NULL);
	if (strcmp(name, "phase") == 0)
		return asked_text(o, &o->phase, value) || error_no_memory(err, NULL);
	if (strcmp(name, "focus") == 0)
		return asked_word(o, &o->graph.focus, &o->graph.nfocus, value) || error_no_memory(err, NULL);
	if (strcmp(name, "hide") == 0)
		return asked_word(o, &o->graph.hide, &o->graph.nhide, value) || error_no_memory(err, NULL);
	if (strcmp(name, "model") == 0 ? asked_model(&o->graph.model, value) : strcmp(name, "raw") == 0 ? asked_yes(&o->graph.raw, value) : (known = false))
		return true;
	return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, known ? "%.100s=%.100s: no such value" : "%.100s: no such option", name, value);
}

bool aprof_options_set(struct aprof_options *options, const char *name, const char *value, struct aprof_error **error)
{
	struct error err;

	return asked_set(options, name, value, &err) || failure_tell(error, &err);
}

struct aprof_options *asked_copy(const struct aprof_options *options)
{
	struct aprof_options *o = aprof_options_new();
	bool ok = o != NULL;

	if (!ok || !options)
		return o;
	o->graph.model = options->graph.model;
	o->graph.raw = options->graph.raw;
	ok = asked_text(o, &o->program, options->program) && asked_text(o, &o->phase, options->phase) && asked_text(o, &o->value, options->value);
	for (size_t i = 0; ok && i < options->graph.nfocus; i++)
		ok = asked_word(o, &o->graph.focus, &o->graph.nfocus, options->graph.focus[i]);
	for (size_t i = 0; ok && i < options->graph.nhide; i++)
		ok = asked_word(o, &o->graph.hide, &o->graph.nhide, options->graph.hide[i]);
	if (ok)
		return o;
	aprof_options_free(o);
	return NULL;
}

struct input asked_input(const struct aprof_options *options, const struct input_listener *listener)
{
	return (struct input){ .listener = listener, .phase = options->phase, .value = options->value, .beside = true, .arcs_do = true };
}

bool asked_build(struct input *in, const char *const *paths, size_t n, const struct aprof_options *options, struct error *err)
{
	for (size_t i = 0; i < n; i++) {
		char *path = (char *)paths[i];

		if (!input_read(in, &path, 1, NULL, err))
			return false;
	}
	for (uint32_t i = 0; i < in->profile->nruns; i++) {	/* nobody expects an opened file to change */
		free(in->paths[i]);
		in->paths[i] = NULL;
	}
	return input_build(in, options->program, &options->graph, err);
}
