/* narrowing.c - a focus, a module, and what is hidden. */
#include "show/view/narrowing.h"

#include <stdlib.h>
#include <string.h>

bool narrowing_add(struct narrowing *n, enum narrowing_kind kind, const char *name)
{
	char *copy = strdup(name), **more;

	if (!copy)
		return false;
	if (kind == NARROWING_HIDE) {
		more = reallocarray(n->hide, n->nhide + 1, sizeof *more);
		if (!more) {
			free(copy);
			return false;
		}
		n->hide = more;
		n->hide[n->nhide++] = copy;
		return true;
	}
	free(n->focus);
	free(n->module);
	n->focus = kind == NARROWING_FOCUS ? copy : NULL;
	n->module = kind == NARROWING_MODULE ? copy : NULL;
	return true;
}

bool narrowing_is_on(const struct narrowing *n)
{
	return n->focus || n->module || n->nhide > 0;
}

static bool hide_apply(struct narrowing *n, struct graph_options *options)
{
	char **all;

	if (n->nhide == 0)
		return true;
	all = reallocarray(n->all, n->nhide + options->nhide, sizeof *all);
	if (!all)
		return false;
	n->all = all;
	memcpy(all, n->hide, n->nhide * sizeof *all);
	if (options->nhide)
		memcpy(all + n->nhide, options->hide, options->nhide * sizeof *all);
	options->hide = all;
	options->nhide += n->nhide;
	return true;
}

bool narrowing_apply(struct narrowing *n, struct graph_options *options)
{
	if (n->focus || n->module) {
		options->focus = &n->focus;
		options->nfocus = n->focus != NULL;
		options->module = n->module;
	}
	return hide_apply(n, options);
}

void narrowing_print(const struct narrowing *n, const struct text_style *style, FILE *out)
{
	if (n->focus || n->module) {
		fputs(n->focus ? "  focus " : "  in ", out);
		print_brief(out, n->focus ? n->focus : print_basename(n->module), NULL, style);
	}
	if (n->nhide)
		fprintf(out, "  %zu hidden", n->nhide);
}

void narrowing_clear(struct narrowing *n)
{
	for (size_t i = 0; i < n->nhide; i++)
		free(n->hide[i]);
	free(n->focus);
	free(n->module);
	free(n->hide);
	free(n->all);
	*n = (struct narrowing){ 0 };
}
