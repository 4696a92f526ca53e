/* page.c - figures and names, the same on all pages. */
#include "view/page.h"

#include <inttypes.h>
#include <string.h>

#include "report/share.h"
#include "text/print.h"

enum { NARROW = 64 };

bool page_is_narrow(const struct explorer_view *v)
{
	return v->options.style.width < NARROW;
}

enum screen_style page_style(const struct explorer_view *v, uint64_t time)
{
	double share = print_percent(time, v->whole);

	return share >= 10 ? SCREEN_HOT : share >= 0.1 || v->whole == 0 ? SCREEN_PLAIN : SCREEN_DIM;
}

/* Whether errors have a column: they are known, and there is room. */
static bool has_errors(const struct explorer_view *v)
{
	return v->g->sampled && !page_is_narrow(v);
}

int page_share_width(const struct explorer_view *v)
{
	return share_width(has_errors(v));
}

void page_share_heading(const struct explorer_view *v, FILE *out, const char *title)
{
	const char *sign = share_sign(&v->options.style);
	int beside = page_share_width(v) - share_width(false);

	fprintf(out, "%6s", title);
	if (has_errors(v))
		fprintf(out, "%*s%s", beside - (int)print_width(sign, strlen(sign)), "", sign);
	putc(' ', out);
}

void page_share(const struct explorer_view *v, FILE *out, uint64_t time, const struct overhead_evidence *evidence)
{
	double share = print_percent(time, v->whole) / 100, error = graph_run_error(v->g, time, evidence);

	if (has_errors(v) || share_is_news(share, error))
		share_print(out, &v->options.style, has_errors(v), share, error);
	else
		share_print_bound(out, share, error);
	putc(' ', out);
}

void page_time(FILE *out, uint64_t ns)
{
	print_time(out, (double)ns, PRINT_TIME);
	putc(' ', out);
}

void page_calls(const struct explorer_view *v, FILE *out, uint64_t n)
{
	print_calls(out, v->calls, n, v->g->counted);
	putc(' ', out);
}

void page_name(const struct explorer_view *v, FILE *out, uint32_t routine)
{
	print_name(out, routine == GRAPH_NONE ? "<spontaneous>" : v->g->routines[routine].name.name, &v->options.style);
}

bool page_renew(struct page *p, struct explorer_view *old_view, const uint32_t *map, struct error *err)
{
	struct page old = *p;
	size_t down = old.cursor - old.top;
	bool ok;

	old.view = old_view;
	*p = (struct page){ .kind = old.kind, .view = p->view, .built = true, .skip = old.skip,
		.about = old.about == GRAPH_NONE ? GRAPH_NONE : map[old.about] };
	ok = p->kind->open(p, err);
	if (ok && p->kind->carry)
		ok = p->kind->carry(p, &old, map, err);
	else
		p->cursor = old.cursor;
	p->top = p->cursor > down ? p->cursor - down : 0;	/* the cursor stays where it is on the screen */
	old.kind->close(&old);
	return ok;
}

bool page_no_memory(struct error *err)
{
	return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
}
