/* share.c - shares with their errors. */
#include "show/report/share.h"

#include <math.h>
#include <string.h>

const char *share_sign(const struct text_style *style)
{
	return style->utf8 ? "\u00b1" : "+-";
}

/* The least number of so many decimals that is not below X. */
static double round_up(double x, int decimals)
{
	double unit = pow(10, -decimals);

	return ceil(x / unit - 1e-9) * unit;
}

char *share_text(char *buffer, const struct text_style *style, double share, double error)
{
	double percent = 100 * share, points = 100 * error, most = fmin(percent + points, 100);
	int decimals = points < 1 ? 1 : 0;

	if (error < 0)
		snprintf(buffer, SHARE_SIZE, "%.0f %%", percent);
	else if (error >= 0.5)
		snprintf(buffer, SHARE_SIZE, "~%.0f %%", percent);
	else if (!graph_share_is_news(share, error))
		snprintf(buffer, SHARE_SIZE, "<%.*f %%", most < 1 ? 1 : 0, round_up(most, most < 1 ? 1 : 0));
	else if (points < 0.05)
		snprintf(buffer, SHARE_SIZE, "%.1f %%", percent);
	else
		snprintf(buffer, SHARE_SIZE, "%.*f%s%.*f %%", decimals, percent, share_sign(style), decimals, points);
	return buffer;
}

void share_print_bound(FILE *out, double share, double error)
{
	char bound[SHARE_SIZE];

	snprintf(bound, sizeof bound, "<%.1f", round_up(100 * fmin(share + error, 1), 1));
	fprintf(out, "%6s", bound);
}

void share_print(FILE *out, const struct text_style *style, bool errors, double share, double error)
{
	char bound[SHARE_SIZE];

	if (!errors) {
		fprintf(out, "%6.2f", 100 * share);
	} else if (graph_share_is_news(share, error)) {
		bool wide = error >= (style->utf8 ? 0.9995 : 0.0995);		/* its sign has two columns without UTF-8 */

		snprintf(bound, sizeof bound, "%s%.*f", share_sign(style), wide ? 0 : 1, 100 * error);
		fprintf(out, "%6.2f %*s", 100 * share, 5 + (style->utf8 ? 1 : 0), error < 0 ? "" : bound);
	} else {
		share_print_bound(out, share, error);
		fprintf(out, " %5s", "");
	}
}

void share_heading(FILE *out, const struct text_style *style, const struct graph *g, bool errors)
{
	fputs(figure_share_heading(g), out);
	if (errors)
		fprintf(out, " %*s", 5 + (style->utf8 ? 1 : 0), share_sign(style));
}

void share_legend(FILE *out, const struct text_style *style, const struct graph *g, bool errors, int width)
{
	const char *sign = share_sign(style);

	if (errors)
		print_worded(out, style, figure_unit(g), " %s%*sby so many points %s may be off, with a confidence of 95 %%; `<2.1`: may be chance.\n", sign,
			      width - (int)print_width(sign, strlen(sign)), "", profile_is_time(g->profile) ? "% time" : "%");
}

int share_width(bool errors)
{
	return errors ? 12 : 6;
}

json_t *share_json(double error, uint64_t whole)
{
	return error < 0 ? json_null() : emit_count((uint64_t)llround(fmin(error, 1) * (double)whole));
}
